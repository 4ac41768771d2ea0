/* relist doctor: what a live cluster, and what stands before it, does to informers. */
#include "sim/doctor/doctor.h"
#include "sim/command/target.h"
#include "sim/fatal.h"
#include "sim/scenario/value.h"

#define SECOND_NS UINT64_C(1000000000)

static const struct command_option options[] = {
	COMMAND_TARGET_OPTIONS,
	{"live", NULL, "look at a real cluster (there is nothing else yet)"},
	{"namespace", "NAME", "look at the resource in that namespace only"},
	{"time", "TIME", "how long all may take; default 30s; longer finds later cuts"},
	{"all", NULL, "print what is good, too"},
	{"json", NULL, "one JSON object"},
	{"schema", NULL, "print the shape of that object as JSON Schema"},
	{"findings", NULL, "print everything that can be found, with its severity"},
	{"rbac", NULL, "print the smallest rights for doctor, soak and live runs"},
};

static void print_findings(const struct doctor *doctor, const struct command_line *line)
{
	struct base_buf out;

	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	if (command_flag(line, "json"))
		doctor_write_json(doctor, &out);
	else
		doctor_write_text(doctor, command_flag(line, "all"), &out);
	fwrite(out.ptr, 1, out.len, stdout);
	base_buf_release(&out);
}

static int print_kinds(void)
{
	struct base_buf out;

	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	doctor_write_kinds(&out);
	fwrite(out.ptr, 1, out.len, stdout);
	base_buf_release(&out);
	return COMMAND_HELD;
}

static int examine(const struct command_line *line, struct doctor_options *wanted)
{
	struct command_signals signals;
	struct command_target target;
	struct base_loop loop;
	struct base_error error = {0};
	struct doctor doctor;
	struct ask ask;
	int code;

	if (base_loop_init(&loop, NULL, 1, &error) != BASE_OK)
		sim_fatal("%s", error.text);
	code = command_target_init(&target, line, &loop);
	if (code == COMMAND_HELD) {
		if (!command_signals_init(&signals, &loop))
			sim_fatal("signals cannot be watched");
		ask_init(&ask, &loop, live_client_transport(target.client), target.qps);
		ask.stop = &signals.stopped;
		wanted->client = target.client;
		wanted->http2 = command_target_client(&target, &loop, LIVE_HTTP_2, &error);
		wanted->insecure = live_kubeconfig_target(target.config)->cluster->insecure;
		doctor_init(&doctor, &ask, wanted);
		doctor_examine(&doctor);
		print_findings(&doctor, line);
		code = doctor_exit(&doctor);
		doctor_release(&doctor);
		live_client_free(wanted->http2);
		command_signals_release(&signals);
	}
	command_target_release(&target);
	base_loop_release(&loop);
	return code;
}

static int run_doctor(const struct command_line *line)
{
	struct doctor_options wanted = {.namespace_ = command_value(line, "namespace"),
					.time_ns = 30 * SECOND_NS};
	struct base_str unit;

	if (command_flag(line, "rbac")) {
		fputs(doctor_rbac(), stdout);
		return COMMAND_HELD;
	}
	if (command_flag(line, "schema")) {
		fputs(doctor_schema(), stdout);
		return COMMAND_HELD;
	}
	if (command_flag(line, "findings"))
		return print_kinds();
	if (line->arg_count > 1)
		return command_usage("doctor: one resource at most");
	if (line->arg_count == 1)
		wanted.resource = line->args[0];
	if (command_value(line, "time") != NULL &&
	    (!scenario_value_duration(base_str(command_value(line, "time")), &wanted.time_ns,
				      &unit) ||
	     wanted.time_ns < 20 * SECOND_NS || wanted.time_ns > 3600 * SECOND_NS))
		return command_usage("doctor: --time: expected 20s to 1h");
	return examine(line, &wanted);
}

const struct command command_doctor = {
	.name = "doctor",
	.arguments = "[RESOURCE]",
	.summary = "what a live cluster does to informers, and which clients suffer",
	.text = "Looks at an API server and at whatever stands before it, within 30 s and without a\n"
		"write: TLS, HTTP/2, WatchList and its end bookmark, bookmarks, buffering, cuts, lost\n"
		"parameters, framing, compression, versions too old and too new, pages and expired\n"
		"tokens, lag, clocks, rights. Ctrl-C prints what was found until then. Each\n"
		"finding has the bytes that show it and what to do; then come the client versions\n"
		"that hang, poll or loop here, and why. RESOURCE is a plural such as pods or\n"
		"widgets.example.com; by default one that is not empty is chosen.\n"
		"Exit: 0 healthy, 1 a guarantee is broken, 2 wrong use, 3 the server cannot be reached.",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.run = run_doctor,
};
