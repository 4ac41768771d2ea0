/* relist profiles: the server versions that can be shown, how well they are known, and what differs. */
#include "fakeapi/profile.h"
#include "sim/command/command.h"
#include "sim/fatal.h"

static bool holds(const struct fakeapi_version_change *change, size_t i)
{
	return (change->minors >> i & 1U) != 0;
}

/* "1.31, 1.34 to 1.37" */
static void minors_text(const struct fakeapi_version_change *change, struct base_buf *out)
{
	const struct fakeapi_profile *from, *to;

	for (size_t i = 0; fakeapi_profile_at(i) != NULL; i++) {
		if (!holds(change, i))
			continue;
		from = to = fakeapi_profile_at(i);
		while (fakeapi_profile_at(i + 1) != NULL && holds(change, i + 1))
			to = fakeapi_profile_at(++i);
		sim_must(base_buf_printf(out, "%s%s", out->len > 0 ? ", " : "", from->name));
		if (to != from)
			sim_must(base_buf_printf(out, " to %s", to->name));
	}
}

static void print_text(void)
{
	const struct fakeapi_profile *profile;
	const struct fakeapi_version_change *change;
	struct base_buf minors;

	for (size_t i = 0; (profile = fakeapi_profile_at(i)) != NULL; i++)
		printf("%-6s %-9s %s%s\n", profile->name, profile->git_version,
		       profile->recorded != NULL ? "recorded" : "from source, unproven",
		       strcmp(profile->name, FAKEAPI_PROFILE_DEFAULT) == 0 ? ", the default" : "");
	putchar('\n');
	base_buf_init(&minors, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; (change = fakeapi_version_change_at(i)) != NULL; i++) {
		base_buf_clear(&minors);
		minors_text(change, &minors);
		printf("%.*s: %s (%s)\n", BASE_STR_ARG(base_buf_peek(&minors)), change->what,
		       change->ids);
	}
	base_buf_release(&minors);
}

static void print_json(void)
{
	const struct fakeapi_profile *profile;
	const struct fakeapi_version_change *change;
	const char *comma = "";

	fputs("{\"profiles\":[", stdout);
	for (size_t i = 0; (profile = fakeapi_profile_at(i)) != NULL; i++)
		printf("%s{\"name\":\"%s\",\"gitVersion\":\"%s\",\"proven\":%s}", i > 0 ? "," : "",
		       profile->name, profile->git_version,
		       profile->recorded != NULL ? "true" : "false");
	fputs("],\"changes\":[", stdout);
	for (size_t i = 0; (change = fakeapi_version_change_at(i)) != NULL; i++) {
		printf("%s{\"ids\":\"%s\",\"what\":\"%s\",\"minors\":[", i > 0 ? "," : "",
		       change->ids, change->what);
		comma = "";
		for (size_t k = 0; (profile = fakeapi_profile_at(k)) != NULL; k++)
			if (holds(change, k)) {
				printf("%s\"%s\"", comma, profile->name);
				comma = ",";
			}
		fputs("]}", stdout);
	}
	fputs("]}\n", stdout);
}

static const struct command_option options[] = {
	{"json", NULL, "print JSON"},
};

static int run_profiles(const struct command_line *line)
{
	if (line->arg_count > 0)
		return command_usage("profiles: takes no argument");
	if (command_flag(line, "json"))
		print_json();
	else
		print_text();
	return COMMAND_HELD;
}

const struct command command_profiles = {
	.name = "profiles",
	.arguments = "",
	.summary = "list the server versions and what differs between them",
	.text = "Each version is a profile of the fake API server. \"recorded\": real servers of that\n"
		"version were recorded and are replayed; \"from source, unproven\": nobody has compared\n"
		"it with a real one yet.",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.run = run_profiles,
};
