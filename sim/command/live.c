/* relist live: what live runs have left in a cluster. */
#include "sim/command/command.h"
#include "sim/fatal.h"
#include "sim/wire/cluster.h"

#define CLEAN_NS UINT64_C(60000000000)

static const struct command_option options[] = {
	{"kubeconfig", "FILE", "default: KUBECONFIG, then ~/.kube/config"},
	{"context", "NAME", "another context than the current one"},
	{"as", "USER", "impersonate USER"},
	{"namespace", "NAME", "remove objects that runs with --namespace NAME have left there"},
	{"qps", "N", "requests a second at most; default 5"},
};

static void warn(void *self, const char *text)
{
	(void)self;
	fprintf(stderr, "relist: %s\n", text);
}

static int report(const struct wire_cluster *cluster, size_t found, size_t left,
		  const char *namespace_name, const struct base_error *error)
{
	if (found == SIZE_MAX || left == SIZE_MAX) {
		fprintf(stderr, "relist: live: %s\n", error->text);
		return COMMAND_HARNESS;
	}
	if (namespace_name != NULL)
		printf("%zu objects were left in %s", found, namespace_name);
	else
		printf("%zu namespaces were left, %zu are still being deleted", found, left);
	printf("; %llu requests were made\n", (unsigned long long)cluster->requests);
	return left > 0 ? COMMAND_HARNESS : COMMAND_HELD;
}

static int run_live_command(const struct command_line *line)
{
	struct wire_cluster_options where = {.kubeconfig = command_value(line, "kubeconfig"),
					     .context = command_value(line, "context"),
					     .as = command_value(line, "as"),
					     .qps = 5,
					     .warn = warn};
	struct wire_cluster cluster;
	struct base_error error = {0};
	const char *namespace_name = command_value(line, "namespace");
	size_t found, left = 0;
	int code;

	if (line->arg_count != 1 || strcmp(line->args[0], "clean") != 0)
		return command_usage("live: expected: live clean");
	if (command_value(line, "qps") != NULL &&
	    !command_number("qps", command_value(line, "qps"), &where.qps))
		return COMMAND_USAGE;
	if (!wire_cluster_init(&cluster, &where, &error)) {
		fprintf(stderr, "relist: live: %s\n", error.text);
		wire_cluster_release(&cluster);
		return COMMAND_HARNESS;
	}
	found = namespace_name != NULL
			? wire_cluster_sweep(&cluster, namespace_name, &error)
			: wire_cluster_clean(&cluster, NULL, CLEAN_NS, &left, &error);
	code = report(&cluster, found, left, namespace_name, &error);
	wire_cluster_release(&cluster);
	return code;
}

const struct command command_live = {
	.name = "live",
	.arguments = "clean",
	.summary = "remove what live runs have left in a cluster",
	.text = "Deletes every namespace labelled relist.dev/owner=relist, and waits until they are gone;\n"
		"with --namespace the objects with that label in that namespace.\n"
		"`relist run --live` does that itself at its end, also after Ctrl-C; this is for after a\n"
		"crash.",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.run = run_live_command,
};
