#include "fakeapi/profile.h"

static const struct fakeapi_profile rows[] = {
	{.name = "1.31",
	 .git_version = "v1.31.0",
	 .fresh_rv = 1,
	 .slash_first_page = true,
	 .list_rv_500 = true,
	 .exact_future_500 = true,
	 .bookmark_creation = true},
	{.name = "1.33",
	 .git_version = "v1.33.0",
	 .fresh_rv = 2,
	 .exact_future_500 = true,
	 .bookmark_creation = true},
	{.name = "1.36",
	 .git_version = "v1.36.3",
	 .fresh_rv = 1,
	 .watch_list = true,
	 .snapshots = true,
	 .slash_first_page = true},
	{.name = "1.37",
	 .git_version = "v1.37.2",
	 .fresh_rv = 1,
	 .watch_list = true,
	 .snapshots = true,
	 .slash_first_page = true},
};

const struct fakeapi_profile *fakeapi_profile_at(size_t i)
{
	return i < sizeof rows / sizeof rows[0] ? &rows[i] : NULL;
}

const struct fakeapi_profile *fakeapi_profile_find(struct base_str name)
{
	if (name.len == 0)
		name = base_str(FAKEAPI_PROFILE_DEFAULT);
	for (size_t i = 0; fakeapi_profile_at(i) != NULL; i++)
		if (base_str_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}
