#include "fakeapi/profile.h"

#define HOLDS(field_name, minors, id, what) .field_name = ((minors)&FAKEAPI_ONLY(MINOR)) != 0,
#define ROW(minor, git, recording, fresh)                                                          \
	.name = "1." #minor, .git_version = git, .recorded = recording, .fresh_rv = fresh

static const struct fakeapi_profile rows[] = {
#define MINOR 28
	{ROW(28, "v1.28.15", NULL, 1), FAKEAPI_CHANGES(HOLDS)},
#undef MINOR
#define MINOR 29
	{ROW(29, "v1.29.15", NULL, 1), FAKEAPI_CHANGES(HOLDS)},
#undef MINOR
#define MINOR 30
	{ROW(30, "v1.30.14", NULL, 1), FAKEAPI_CHANGES(HOLDS)},
#undef MINOR
#define MINOR 31
	{ROW(31, "v1.31.0", "v1.31.0", 1), FAKEAPI_CHANGES(HOLDS)},
#undef MINOR
#define MINOR 32
	{ROW(32, "v1.32.0", NULL, 1), FAKEAPI_CHANGES(HOLDS)},
#undef MINOR
#define MINOR 33
	{ROW(33, "v1.33.0", "v1.33.0", 2), FAKEAPI_CHANGES(HOLDS)},
#undef MINOR
#define MINOR 34
	{ROW(34, "v1.34.4", "v1.34.4", 1), FAKEAPI_CHANGES(HOLDS)},
#undef MINOR
#define MINOR 35
	{ROW(35, "v1.35.4", "v1.35.4", 1), FAKEAPI_CHANGES(HOLDS)},
#undef MINOR
#define MINOR 36
	{ROW(36, "v1.36.3", "v1.36.3", 1), FAKEAPI_CHANGES(HOLDS)},
#undef MINOR
#define MINOR 37
	{ROW(37, "v1.37.2", "v1.37.2", 1), FAKEAPI_CHANGES(HOLDS)},
#undef MINOR
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

#define CHANGE(field_name, set, id, text)                                                          \
	{.field = #field_name, .ids = id, .what = text, .minors = set},

static const struct fakeapi_version_change changes[] = {FAKEAPI_CHANGES(CHANGE)};

const struct fakeapi_version_change *fakeapi_version_change_at(size_t i)
{
	return i < sizeof changes / sizeof changes[0] ? &changes[i] : NULL;
}
