/* relist serve: the fake API server on real ports, for any client. */
#include "sim/command/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fakeapi/profile.h"
#include "fakeapi/server/kubeconfig.h"
#include "sim/command/serve_merge.h"
#include "sim/fatal.h"
#include "sim/scenario/value.h"

#define KEEP_NS UINT64_C(250000000)
#define HISTORY_MAX 100000

static const struct command_option options[] = {
	{"port", "N", "HTTPS port; 0 (default): any free one"},
	{"plain-port", "N", "also plain HTTP there; 0: any free one"},
	{"control-port", "N", "port for `relist ctl`; 0 (default): any free one"},
	{"address", "IP", "address to listen on; default 127.0.0.1"},
	{"kubeconfig", "FILE", "where to write the kubeconfig; default: a file removed at the end"},
	{"state", "FILE", "where to write ports and token as JSON, once the ports are open"},
	{"user", "NAME[,GROUP…]",
	 "one more user with a token and a context of that name; can be repeated"},
	{"plain-cluster", NULL,
	 "only what the scenario says: no system objects, types, managed fields"},
	{"profile", "1.36", "behave as that version of Kubernetes"},
	{"speed", "N", "scenario time runs N times as fast as the clock"},
	{"seed", "N", "seed of uids and names"},
	{"journal", "FILE", "write everything that happens as JSON lines, for `relist judge`"},
	{"until-idle", "TIME",
	 "end when nothing has come for that long after the first request, e.g. 10s"},
	{"no-http2", NULL, "offer HTTP/1.1 only"},
	{"quiet", NULL, "print nothing but errors"},
};

/* A cluster for those who bring no scenario. */
static const char empty_scenario[] = "relist: 1\n"
				     "scenario: an empty cluster\n"
				     "informer:\n"
				     "  resource: pods\n"
				     "steps:\n"
				     "  - at: 0s\n"
				     "    start: informer\n";

/* ---- Journal and idleness ---- */

void serve_flush(struct serve *serve)
{
	struct hist *hist = serve->host.runner.hist;
	struct base_buf text;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; serve->journal != NULL && i < hist_count(hist); i++)
		sim_must(hist_write_line(hist_at(hist, i), &text));
	if (text.len != 0 && (fwrite(text.ptr, 1, text.len, serve->journal) != text.len ||
			      fflush(serve->journal) != 0)) {
		fprintf(stderr, "relist: serve: the journal cannot be written: %s\n",
			strerror(errno));
		serve->code = COMMAND_HARNESS;
		base_loop_stop(&serve->host.loop);
	}
	base_buf_release(&text);
	hist_clear(hist);
}

static void on_keep(struct base_loop_timer *timer)
{
	struct serve *serve = timer->owner;
	const struct fakeapi_server_figures figures = fakeapi_server_figures(serve->host.server);
	const uint64_t now_ns = base_loop_now_ns(&serve->host.loop);
	const uint64_t mark = figures.bytes_in + figures.bytes_out + figures.accepted;

	if (serve->journal != NULL || hist_count(serve->host.runner.hist) > HISTORY_MAX)
		serve_flush(serve);
	if (mark != serve->busy_mark) {
		serve->busy_mark = mark;
		serve->busy_at_ns = now_ns;
	}
	if (serve->idle_ns != 0 && serve->host.running &&
	    now_ns - serve->busy_at_ns >= serve->idle_ns * serve->host.loop.speed)
		base_loop_stop(&serve->host.loop);
	sim_must(
		base_loop_arm(&serve->host.loop, timer, now_ns + KEEP_NS * serve->host.loop.speed));
}

/* ---- Files ---- */

static bool write_kubeconfig(struct serve *serve, const char *address)
{
	struct fakeapi_kubeconfig_user users[SERVE_USERS_MAX];
	struct base_buf text;
	bool fine;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < serve->user_count; i++)
		users[i] = (struct fakeapi_kubeconfig_user){serve->users[i].name,
							    serve->users[i].token};
	sim_must(fakeapi_kubeconfig_write(serve->host.server, address, users, serve->user_count,
					  &text));
	fine = command_write_file(serve->kubeconfig, base_buf_peek(&text));
	if (fine && chmod(serve->kubeconfig, S_IRUSR | S_IWUSR) != 0)
		fine = false;
	base_buf_release(&text);
	return fine;
}

/* Written under another name first, so that who waits for the file finds it whole. */
static bool write_state(const struct serve *serve)
{
	char part[PATH_MAX + 8];
	struct base_buf text;
	bool fine;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(&text,
				 "{\"pid\":%ld,\"port\":%d,\"plainPort\":%d,\"controlPort\":%d,"
				 "\"token\":\"%s\",\"kubeconfig\":",
				 (long)getpid(), fakeapi_server_tls_port(serve->host.server),
				 fakeapi_server_plain_port(serve->host.server),
				 fakeapi_control_port(serve->control), serve->users[0].token));
	sim_must(base_buf_json_string(&text, base_str(serve->kubeconfig)));
	sim_must(base_buf_text(&text, "}\n"));
	snprintf(part, sizeof(part), "%s.part", serve->state);
	fine = command_write_file(part, base_buf_peek(&text)) &&
	       chmod(part, S_IRUSR | S_IWUSR) == 0 && rename(part, serve->state) == 0;
	base_buf_release(&text);
	return fine;
}

/* The path from the root, so that what is printed is right in any folder. */
static void whole_path(const char *path, char out[PATH_MAX])
{
	char here[PATH_MAX];

	if (path[0] == '/' || getcwd(here, sizeof(here)) == NULL)
		snprintf(out, PATH_MAX, "%s", path);
	else
		snprintf(out, PATH_MAX, "%.2000s/%.2000s", here, path);
}

static bool name_files(struct serve *serve, const struct command_line *line)
{
	const char *kubeconfig = command_value(line, "kubeconfig");
	const char *state = command_value(line, "state");

	if (kubeconfig == NULL || state == NULL) {
		snprintf(serve->folder, sizeof(serve->folder), "%s", "/tmp/relist-XXXXXX");
		if (mkdtemp(serve->folder) == NULL) {
			command_usage("serve: %s: %s", serve->folder, strerror(errno));
			serve->folder[0] = '\0';
			return false;
		}
	}
	if (kubeconfig != NULL)
		whole_path(kubeconfig, serve->kubeconfig);
	else
		snprintf(serve->kubeconfig, sizeof(serve->kubeconfig), "%.4000s/kubeconfig",
			 serve->folder);
	if (state != NULL)
		whole_path(state, serve->state);
	else
		snprintf(serve->state, sizeof(serve->state), "%.4000s/state.json", serve->folder);
	return true;
}

static void remove_files(const struct serve *serve, const struct command_line *line)
{
	if (command_value(line, "kubeconfig") == NULL && serve->kubeconfig[0] != '\0')
		unlink(serve->kubeconfig);
	if (serve->state[0] != '\0')
		unlink(serve->state);
	if (serve->folder[0] != '\0')
		rmdir(serve->folder);
}

/* ---- Signals ---- */

static void on_signal(struct base_loop_fd *watch, unsigned ready)
{
	struct base_loop *loop = watch->owner;
	struct signalfd_siginfo info;

	(void)ready;
	if (read(watch->fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		base_loop_stop(loop);
}

static bool watch_signals(struct base_loop *loop, struct base_loop_fd *watch)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	signal(SIGPIPE, SIG_IGN);
	*watch = (struct base_loop_fd){
		.interest = BASE_LOOP_READ, .ready = on_signal, .owner = loop};
	if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
		return false;
	watch->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return watch->fd >= 0 && base_loop_add(loop, watch, NULL) == BASE_OK;
}

/* ---- Users, and what a real server does beyond the scenario ---- */

static bool add_user(struct serve *serve, const char *text, size_t len)
{
	struct serve_user *user = &serve->users[serve->user_count];
	const char *comma = memchr(text, ',', len);
	const size_t name_len = comma != NULL ? (size_t)(comma - text) : len;

	if (serve->user_count == SERVE_USERS_MAX || name_len == 0 ||
	    name_len >= sizeof(user->name) || len - name_len >= sizeof(user->groups)) {
		command_usage("serve: --user %.*s: at most %d users; a name, then groups", (int)len,
			      text, SERVE_USERS_MAX - 1);
		return false;
	}
	memcpy(user->name, text, name_len);
	if (comma != NULL)
		memcpy(user->groups, comma + 1, len - name_len - 1);
	serve->user_count++;
	return fakeapi_token_make(user->token, NULL) == BASE_OK;
}

static bool add_users(struct serve *serve, const char *lines)
{
	static const char admin[] = "relist,system:masters";

	if (!add_user(serve, admin, sizeof(admin) - 1))
		return false;
	while (lines != NULL && *lines != '\0') {
		const size_t len = strcspn(lines, "\n");

		if (!add_user(serve, lines, len))
			return false;
		lines += len + (lines[len] == '\n');
	}
	return true;
}

struct setup {
	struct serve *serve;
	bool plain;
	struct fakeapi_user users[SERVE_USERS_MAX];
};

static void configure(void *ctx, struct fakeapi_config *config)
{
	struct setup *setup = ctx;

	for (size_t i = 0; i < setup->serve->user_count; i++)
		setup->users[i] =
			(struct fakeapi_user){.token = base_str(setup->serve->users[i].token),
					      .name = base_str(setup->serve->users[i].name),
					      .groups = base_str(setup->serve->users[i].groups)};
	config->users = setup->users;
	config->user_count = setup->serve->user_count;
	config->typed = config->managed_fields = config->bootstrap = !setup->plain;
	config->epoch_s = (int64_t)time(NULL);
	wire_heard_join(&setup->serve->heard, config);
}

/* ---- Running ---- */

static void say_hello(const struct serve *serve)
{
	printf("serving \"%.*s\" as Kubernetes %.*s on https port %d",
	       BASE_STR_ARG(serve->host.runner.scenario->title),
	       BASE_STR_ARG(serve->host.runner.variant->version),
	       fakeapi_server_tls_port(serve->host.server));
	if (fakeapi_server_plain_port(serve->host.server) != 0)
		printf(", http port %d", fakeapi_server_plain_port(serve->host.server));
	printf("\nexport KUBECONFIG=%s\n", serve->kubeconfig);
	printf("steer it:  %s ctl --at %s status\n", command_program, serve->state);
	fflush(stdout);
}

static void say_faults(const struct serve *serve)
{
	const struct fakeapi_faults *faults = fakeapi_faults(serve->host.runner.server);
	struct fakeapi_fault_counts counts;

	for (uint64_t id = 1; id <= fakeapi_faults_count(faults); id++) {
		const struct fakeapi_fault *fault = fakeapi_faults_peek(faults, id);

		if (fault == NULL || fault->name.len == 0 ||
		    fakeapi_faults_counts(faults, id, &counts) != BASE_OK)
			continue;
		printf("fault %.*s (%s %s): %llu %s%s\n", BASE_STR_ARG(fault->name),
		       fakeapi_fault_target_word(fault->target),
		       fakeapi_fault_kind_word(fault->kind), (unsigned long long)counts.effect,
		       fakeapi_fault_kind_counts(fault->kind),
		       counts.effect == 0 ? ": it has touched nothing" : "");
	}
}

static void say_goodbye(const struct serve *serve)
{
	const struct fakeapi_server_figures figures = fakeapi_server_figures(serve->host.server);

	printf("served %llu connections, %llu bytes in, %llu bytes out; revision %llu\n",
	       (unsigned long long)figures.accepted, (unsigned long long)figures.bytes_in,
	       (unsigned long long)figures.bytes_out,
	       (unsigned long long)fakeapi_revision(serve->host.runner.server));
	printf("requests: %llu lists, %llu watches, %llu others; %llu of all were answered with an "
	       "error\n",
	       (unsigned long long)serve->heard.lists, (unsigned long long)serve->heard.watches,
	       (unsigned long long)serve->heard.others, (unsigned long long)serve->heard.failed);
	if (serve->host.runner.agenda_at < serve->host.runner.agenda_count)
		printf("%zu of %zu steps were not reached\n",
		       serve->host.runner.agenda_count - serve->host.runner.agenda_at,
		       serve->host.runner.agenda_count);
	say_faults(serve);
	if (figures.slow_readers + figures.slow_heads + figures.refused > 0)
		printf("let go: %llu slow readers, %llu slow requests; %llu connections refused\n",
		       (unsigned long long)figures.slow_readers,
		       (unsigned long long)figures.slow_heads, (unsigned long long)figures.refused);
	if (serve->journal != NULL)
		printf("the journal: %s judge %s\n", command_program, serve->journal_path);
}

static bool open_journal(struct serve *serve, const char *path)
{
	struct base_buf head;

	if (path == NULL)
		return true;
	whole_path(path, serve->journal_path);
	serve->journal = fopen(path, "w");
	if (serve->journal == NULL) {
		command_usage("serve: --journal %s: %s", path, strerror(errno));
		return false;
	}
	base_buf_init(&head, NULL, 4096);
	sim_must(hist_write_head(&head));
	fputs(head.ptr, serve->journal);
	base_buf_release(&head);
	return true;
}

/* Everything is open: tells where, and turns until a signal or a ctl ends it. */
static int serve_on(struct serve *serve, const struct command_line *line, const char *address,
		    int control_port)
{
	struct base_loop_fd signals;
	struct base_error error = {0};
	struct base_loop *loop = &serve->host.loop;

	serve->control = fakeapi_control_new(loop, NULL, control_port, serve->users[0].token,
					     serve_control, serve, &error);
	if (serve->control == NULL) {
		command_usage("serve: %s", error.text);
		return COMMAND_HARNESS;
	}
	if (!watch_signals(loop, &signals) || !write_kubeconfig(serve, address) ||
	    !write_state(serve))
		return COMMAND_HARNESS;
	if (!command_flag(line, "quiet"))
		say_hello(serve);
	serve->keep_timer = (struct base_loop_timer){.fire = on_keep, .owner = serve};
	sim_must(base_loop_arm(loop, &serve->keep_timer, base_loop_now_ns(loop)));
	if (base_loop_run(loop) != BASE_OK)
		serve->code = COMMAND_HARNESS;
	runner_note(&serve->host.runner, HIST_HARNESS,
		    (struct hist_record){.kind = HIST_FINISH, .text = BASE_STR("end")});
	serve_flush(serve);
	if (!command_flag(line, "quiet"))
		say_goodbye(serve);
	base_loop_remove(loop, &signals);
	close(signals.fd);
	return serve->code;
}

static bool read_port(const struct command_line *line, const char *name, int missing, int *port)
{
	uint64_t number = 0;

	*port = missing;
	if (command_value(line, name) == NULL)
		return true;
	if (!command_number(name, command_value(line, name), &number))
		return false;
	if (number > 65535) {
		command_usage("serve: --%s %llu: a port is at most 65535", name,
			      (unsigned long long)number);
		return false;
	}
	*port = (int)number;
	return true;
}

static int serve_variant(const struct command_line *line, const struct scenario_variant *variant,
			 struct sim_run_options *run)
{
	struct serve serve = {0};
	struct setup setup = {.serve = &serve, .plain = command_flag(line, "plain-cluster")};
	struct wire_host_options host = {.variant = variant, .run = run, .speed = 1};
	struct base_error error = {0};
	struct base_str unit;
	const char *address = command_value(line, "address");
	int control_port, code = COMMAND_USAGE;

	fakeapi_server_config_defaults(&host.server);
	host.server.http2 = !command_flag(line, "no-http2");
	if (address != NULL)
		host.server.address = address;
	if (!read_port(line, "port", 0, &host.server.tls_port) ||
	    !read_port(line, "plain-port", FAKEAPI_PORT_NONE, &host.server.plain_port) ||
	    !read_port(line, "control-port", 0, &control_port))
		return COMMAND_USAGE;
	if (command_value(line, "speed") != NULL &&
	    !command_number("speed", command_value(line, "speed"), &host.speed))
		return COMMAND_USAGE;
	if (command_value(line, "until-idle") != NULL &&
	    !scenario_value_duration(base_str(command_value(line, "until-idle")), &serve.idle_ns,
				     &unit))
		return command_usage("serve: --until-idle %s: expected a duration such as 10s",
				     command_value(line, "until-idle"));
	if (host.speed == 0 || host.speed > 1000000)
		return command_usage("serve: --speed: expected 1 to 1000000");
	if (!add_users(&serve, command_value(line, "user")))
		return COMMAND_USAGE;
	run->configure = configure;
	run->configure_ctx = &setup;
	host.record_clients = command_value(line, "journal") != NULL;
	if (!wire_host_init(&serve.host, &host, &error)) {
		command_usage("serve: %s", error.text);
		code = error.code == BASE_EINVAL ? COMMAND_USAGE : COMMAND_HARNESS;
	} else if (open_journal(&serve, command_value(line, "journal")) &&
		   name_files(&serve, line)) {
		code = serve_on(&serve, line, host.server.address, control_port);
		remove_files(&serve, line);
	}
	fakeapi_control_free(serve.control);
	wire_host_release(&serve.host);
	if (serve.journal != NULL && fclose(serve.journal) != 0)
		code = command_worse(code, COMMAND_HARNESS);
	return code;
}

static int serve_scenarios(const struct command_line *line, struct scenario *const *scenarios,
			   size_t count)
{
	struct serve_merge merge;
	struct scenario_variants variants;
	struct scenario_variant variant;
	struct sim_run_options run = {.has_seed = command_value(line, "seed") != NULL};
	const char *profile = command_value(line, "profile");
	int code;

	if (run.has_seed && !command_number("seed", command_value(line, "seed"), &run.seed))
		return COMMAND_USAGE;
	if (profile != NULL && fakeapi_profile_find(base_str(profile)) == NULL)
		return command_usage("serve: --profile %s: unknown version", profile);
	scenario_expand(scenarios[0], &variants);
	variant = variants.items[0];
	serve_merge_init(&merge, scenarios, count);
	if (count > 1)
		variant.scenario = &merge.scenario;
	if (profile != NULL)
		variant.version = base_str(profile);
	code = serve_variant(line, &variant, &run);
	serve_merge_release(&merge);
	scenario_variants_release(&variants);
	return code;
}

static void print_diagnostics(const struct scenario_diagnostics *diags)
{
	struct base_buf text;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	scenario_diagnostics_print(diags, &text);
	fputs(text.ptr != NULL ? text.ptr : "", stderr);
	base_buf_release(&text);
}

static int run_serve(const struct command_line *line)
{
	struct scenario *scenarios[SERVE_SCENARIOS_MAX] = {0};
	struct scenario_diagnostics diags;
	size_t count = 0;
	enum base_code loaded = BASE_OK;
	int code = COMMAND_USAGE;

	if (line->arg_count > SERVE_SCENARIOS_MAX)
		return command_usage("serve: at most %d scenarios", SERVE_SCENARIOS_MAX);
	scenario_diagnostics_init(&diags);
	for (; count < line->arg_count && loaded == BASE_OK; count++)
		loaded = scenario_load(line->args[count], &scenarios[count], &diags);
	if (line->arg_count == 0)
		loaded = scenario_load_text("serve", base_str(empty_scenario), &scenarios[count++],
					    &diags);
	if (loaded == BASE_OK)
		code = serve_scenarios(line, scenarios, count);
	else
		print_diagnostics(&diags);
	for (size_t i = 0; i < count; i++)
		scenario_free(scenarios[i]);
	scenario_diagnostics_release(&diags);
	return code;
}

const struct command command_serve = {
	.name = "serve",
	.arguments = "[SCENARIO…]",
	.summary = "the fake API server on a port, for any client",
	.text = "Serves HTTPS on loopback with certificates of its own, writes a kubeconfig and prints\n"
		"the line that uses it. A scenario gives the cluster and what happens to it: its steps\n"
		"run at their times from the first request on, faults as real cuts, resets and stalls;\n"
		"what it says of informers is left out, since the informers are yours. Several scenarios\n"
		"are served together, each with its own times; the first one says what the server is.\n"
		"`relist ctl` steers a running server. It ends on Ctrl-C, by `relist ctl quit` or\n"
		"--until-idle, and says then what it has served and what each fault has touched.\n"
		"`relist judge` reads the journal and says what its clients did wrong.",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.repeats = "user",
	.run = run_serve,
};
