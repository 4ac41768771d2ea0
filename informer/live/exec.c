#include "informer/live/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "informer/live/lines.h"
#include "informer/live/pool.h"

#define SECOND_NS UINT64_C(1000000000)
#define REAP_NS UINT64_C(5000000)
#define OUTPUT_MAX ((size_t)1 << 20)
#define HINT_MAX 10
#define HINT_NS (3600 * SECOND_NS)

extern char **environ;

struct live_plugin {
	struct live_plugin_options options;
	bool running, interactive, late;
	pid_t child;
	struct base_loop_fd output;
	struct base_loop_timer timer; /* the end of patience; after the output's end: look again */
	uint64_t give_up_ns;
	bool output_over, too_much;
	struct base_buf text;
	unsigned count, hints;
	uint64_t hints_from_ns;
};

/* ---- What it is told ---- */

static enum base_code put_member(struct base_buf *out, const char *name, const char *value)
{
	if (value == NULL || value[0] == '\0')
		return BASE_OK;
	enum base_code code = base_buf_printf(out, "\"%s\":", name);
	if (code == BASE_OK)
		code = base_buf_json_string(out, base_str(value));
	return code == BASE_OK ? base_buf_char(out, ',') : code;
}

static enum base_code put_cluster(const struct live_cluster *cluster, struct base_buf *out)
{
	enum base_code code = base_buf_text(out, "\"cluster\":{");

	if (code == BASE_OK)
		code = put_member(out, "tls-server-name", cluster->server_name);
	if (code == BASE_OK)
		code = put_member(out, "proxy-url", cluster->proxy_url);
	if (code == BASE_OK && cluster->insecure)
		code = base_buf_text(out, "\"insecure-skip-tls-verify\":true,");
	if (code == BASE_OK && cluster->disable_compression)
		code = base_buf_text(out, "\"disable-compression\":true,");
	if (code == BASE_OK && cluster->authority_pem.len != 0) {
		code = base_buf_text(out, "\"certificate-authority-data\":\"");
		if (code == BASE_OK)
			code = live_put_base64(out, cluster->authority_pem);
		if (code == BASE_OK)
			code = base_buf_text(out, "\",");
	}
	if (code == BASE_OK && cluster->exec_config != NULL)
		code = base_buf_printf(out, "\"config\":%s,", cluster->exec_config);
	if (code == BASE_OK)
		code = base_buf_text(out, "\"server\":");
	if (code == BASE_OK)
		code = base_buf_json_string(out, base_str(cluster->server));
	return code == BASE_OK ? base_buf_text(out, "},") : code;
}

static enum base_code put_info(const struct live_plugin *plugin, struct base_buf *out)
{
	const struct live_exec *exec = plugin->options.exec;
	enum base_code code = base_buf_printf(out,
					      "KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\","
					      "\"apiVersion\":\"%s\",\"spec\":{",
					      exec->api_version);

	if (code == BASE_OK && exec->provide_cluster_info)
		code = put_cluster(plugin->options.cluster, out);
	return code == BASE_OK ? base_buf_printf(out, "\"interactive\":%s}}",
						 plugin->interactive ? "true" : "false")
			       : code;
}

/* Whether a variable of ours is given otherwise by the plugin's env. */
static bool is_given(const struct live_exec *exec, const char *variable)
{
	static const char info[] = "KUBERNETES_EXEC_INFO=";

	if (strncmp(variable, info, sizeof info - 1) == 0)
		return true;
	for (size_t i = 0; i < exec->env.count; i++) {
		const size_t len = strlen(exec->env.items[i].name);

		if (strncmp(variable, exec->env.items[i].name, len) == 0 && variable[len] == '=')
			return true;
	}
	return false;
}

/* NULL without memory. The texts are of the pool. */
static char **make_env(const struct live_plugin *plugin, struct live_pool *pool)
{
	const struct live_exec *exec = plugin->options.exec;
	struct base_buf text;
	size_t count = 0, own = 0;

	while (environ[own] != NULL)
		own++;
	char **env = live_pool_get(pool, (own + exec->env.count + 2) * sizeof *env);
	base_buf_init(&text, plugin->options.alloc, OUTPUT_MAX * 8);
	enum base_code code = env != NULL ? BASE_OK : BASE_ENOMEM;
	for (size_t i = 0; code == BASE_OK && i < own; i++)
		if (!is_given(exec, environ[i]))
			env[count++] = environ[i];
	for (size_t i = 0; code == BASE_OK && i < exec->env.count; i++) {
		base_buf_clear(&text);
		code = base_buf_printf(&text, "%s=%s", exec->env.items[i].name,
				       exec->env.items[i].value);
		if (code == BASE_OK &&
		    (env[count++] = live_pool_text(pool, base_buf_peek(&text))) == NULL)
			code = BASE_ENOMEM;
	}
	base_buf_clear(&text);
	if (code == BASE_OK)
		code = put_info(plugin, &text);
	if (code == BASE_OK && (env[count] = live_pool_text(pool, base_buf_peek(&text))) == NULL)
		code = BASE_ENOMEM;
	live_wipe(&text);
	return code == BASE_OK ? env : NULL;
}

static char **make_args(const struct live_plugin *plugin, struct live_pool *pool)
{
	const struct live_exec *exec = plugin->options.exec;
	char **args = live_pool_get(pool, (exec->args.count + 2) * sizeof *args);

	if (args == NULL)
		return NULL;
	args[0] = exec->command;
	for (size_t i = 0; i < exec->args.count; i++)
		args[i + 1] = exec->args.items[i];
	return args;
}

/* ---- Its end ---- */

static void finish(struct live_plugin *plugin, const struct live_answer *answer,
		   const struct base_error *error)
{
	base_loop_disarm(plugin->options.loop, &plugin->timer);
	plugin->running = false;
	plugin->options.done(plugin->options.self, answer, error);
}

static void on_exit_status(struct live_plugin *plugin, int status)
{
	const struct live_exec *exec = plugin->options.exec;
	struct base_error error = {0};
	struct live_answer answer = {0};
	struct base_buf room;

	base_buf_init(&room, plugin->options.alloc, OUTPUT_MAX);
	if (plugin->late)
		base_fail(&error, BASE_EIO,
			  "credential plugin \"%s\" did not end in time and was "
			  "killed",
			  exec->command);
	else if (WIFSIGNALED(status))
		base_fail(&error, BASE_EIO, "credential plugin \"%s\" was ended by signal %d",
			  exec->command, WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		base_fail(&error, BASE_EIO, "credential plugin \"%s\" failed with exit code %d",
			  exec->command, WEXITSTATUS(status));
	else if (plugin->too_much)
		base_fail(&error, BASE_ELIMIT, "credential plugin \"%s\" printed over 1 MiB",
			  exec->command);
	else if (live_answer_read(base_buf_peek(&plugin->text), exec->api_version, &room, &answer,
				  &error) != BASE_OK)
		base_wrap(&error, "credential plugin \"%s\"", exec->command);
	finish(plugin, error.code == BASE_OK ? &answer : NULL, &error);
	live_wipe(&room);
	live_wipe(&plugin->text);
}

static void reap(struct live_plugin *plugin)
{
	int status = 0;
	const pid_t pid = waitpid(plugin->child, &status, WNOHANG);
	const uint64_t now = base_loop_now_ns(plugin->options.loop);

	if (pid == plugin->child || (pid < 0 && errno == ECHILD)) {
		plugin->child = 0;
		on_exit_status(plugin, pid < 0 ? 0 : status);
		return;
	}
	if (now >= plugin->give_up_ns && !plugin->late) {
		plugin->late = true;
		kill(plugin->child, SIGKILL);
	}
	if (base_loop_arm(plugin->options.loop, &plugin->timer,
			  now + REAP_NS * plugin->options.loop->speed) != BASE_OK)
		base_loop_stop(plugin->options.loop);
}

static void output_ends(struct live_plugin *plugin)
{
	if (plugin->output_over)
		return;
	plugin->output_over = true;
	base_loop_remove(plugin->options.loop, &plugin->output);
	close(plugin->output.fd);
}

static void on_timer(struct base_loop_timer *timer)
{
	struct live_plugin *plugin = timer->owner;

	/* Whoever still holds the pipe is waited for no longer. */
	output_ends(plugin);
	reap(plugin);
}

static void on_output(struct base_loop_fd *watch, unsigned ready)
{
	struct live_plugin *plugin = watch->owner;
	char piece[4096];

	(void)ready;
	const ssize_t len = read(watch->fd, piece, sizeof piece);
	if (len > 0) {
		if (base_buf_append(&plugin->text, piece, (size_t)len) != BASE_OK)
			plugin->too_much = true;
	} else if (len == 0 || (errno != EAGAIN && errno != EINTR)) {
		output_ends(plugin);
		reap(plugin);
	}
	memset(piece, 0, sizeof piece);
}

/* ---- Its start ---- */

static void hint(struct live_plugin *plugin)
{
	const char *text = plugin->options.exec->install_hint;
	const uint64_t now = base_loop_now_ns(plugin->options.loop);

	if (text == NULL || text[0] == '\0' || plugin->options.warn == NULL)
		return;
	if (now - plugin->hints_from_ns > HINT_NS) {
		plugin->hints = 0;
		plugin->hints_from_ns = now;
	}
	if (plugin->hints++ < HINT_MAX)
		plugin->options.warn(plugin->options.warn_self, text);
}

static int spawn(struct live_plugin *plugin, char **args, char **env, int write_fd)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int failed = posix_spawn_file_actions_init(&actions);

	if (failed != 0)
		return failed;
	failed = posix_spawnattr_init(&attributes);
	if (failed != 0) {
		posix_spawn_file_actions_destroy(&actions);
		return failed;
	}
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	failed = posix_spawn_file_actions_adddup2(&actions, write_fd, STDOUT_FILENO);
	if (failed == 0 && !plugin->interactive)
		failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
							  O_RDONLY, 0);
	if (failed == 0)
		failed = posix_spawnp(&plugin->child, args[0], &actions, &attributes, args, env);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return failed;
}

static enum base_code watch_output(struct live_plugin *plugin, struct base_error *error)
{
	struct base_loop *loop = plugin->options.loop;
	const uint64_t patience = plugin->options.timeout_ns != 0 ? plugin->options.timeout_ns
				  : plugin->interactive           ? 600 * SECOND_NS
								  : 60 * SECOND_NS;

	plugin->give_up_ns = base_loop_now_ns(loop) + patience * loop->speed;
	enum base_code code = base_loop_arm(loop, &plugin->timer, plugin->give_up_ns);
	if (code == BASE_OK)
		code = base_loop_add(loop, &plugin->output, error);
	if (code == BASE_OK)
		return BASE_OK;
	base_loop_disarm(loop, &plugin->timer);
	return error != NULL && error->code != BASE_OK
		       ? code
		       : base_fail(error, code, "no memory for a credential plugin");
}

static enum base_code start_child(struct live_plugin *plugin, char **args, char **env,
				  struct base_error *error)
{
	const struct live_exec *exec = plugin->options.exec;
	int ends[2];

	if (pipe(ends) != 0)
		return base_fail(error, BASE_EIO, "credential plugin \"%s\": %s", exec->command,
				 strerror(errno));
	for (size_t i = 0; i < 2; i++)
		fcntl(ends[i], F_SETFD, FD_CLOEXEC);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	plugin->output = (struct base_loop_fd){
		.fd = ends[0], .interest = BASE_LOOP_READ, .ready = on_output, .owner = plugin};
	plugin->output_over = plugin->late = plugin->too_much = false;
	enum base_code code = watch_output(plugin, error);
	const int failed = code == BASE_OK ? spawn(plugin, args, env, ends[1]) : 0;
	close(ends[1]);
	if (code == BASE_OK && failed == 0)
		return BASE_OK;
	base_loop_disarm(plugin->options.loop, &plugin->timer);
	base_loop_remove(plugin->options.loop, &plugin->output);
	close(ends[0]);
	plugin->child = 0;
	if (code != BASE_OK)
		return code;
	hint(plugin);
	return base_fail(error, BASE_EIO, "credential plugin \"%s\" cannot be run: %s",
			 exec->command, strerror(failed));
}

enum base_code live_plugin_run(struct live_plugin *plugin, struct base_error *error)
{
	const struct live_exec *exec = plugin->options.exec;
	struct live_pool pool;

	plugin->interactive = exec->interactive != LIVE_INTERACTIVE_NEVER &&
			      plugin->options.terminal;
	if (exec->interactive == LIVE_INTERACTIVE_ALWAYS && !plugin->options.terminal)
		return base_fail(error, BASE_EIO,
				 "%s:%u: credential plugin \"%s\" has interactiveMode Always, and "
				 "standard input is no terminal",
				 exec->place.file, exec->place.line, exec->command);
	live_pool_init(&pool, plugin->options.alloc);
	char **args = make_args(plugin, &pool), **env = make_env(plugin, &pool);
	enum base_code code =
		args != NULL && env != NULL
			? start_child(plugin, args, env, error)
			: base_fail(error, BASE_ENOMEM, "no memory for a credential plugin");
	live_pool_release(&pool);
	plugin->running = code == BASE_OK;
	plugin->count += code == BASE_OK;
	return code;
}

bool live_plugin_runs(const struct live_plugin *plugin)
{
	return plugin->running;
}

unsigned live_plugin_count(const struct live_plugin *plugin)
{
	return plugin->count;
}

struct live_plugin *live_plugin_new(const struct live_plugin_options *options,
				    struct base_error *error)
{
	struct live_plugin *plugin = base_calloc(options->alloc, 1, sizeof *plugin);

	if (plugin == NULL) {
		base_fail(error, BASE_ENOMEM, "no memory for a credential plugin");
		return NULL;
	}
	plugin->options = *options;
	plugin->timer = (struct base_loop_timer){.fire = on_timer, .owner = plugin};
	base_buf_init(&plugin->text, options->alloc, OUTPUT_MAX);
	return plugin;
}

void live_plugin_free(struct live_plugin *plugin)
{
	if (plugin == NULL)
		return;
	base_loop_disarm(plugin->options.loop, &plugin->timer);
	if (plugin->running) {
		output_ends(plugin);
		if (plugin->child != 0) {
			kill(plugin->child, SIGKILL);
			waitpid(plugin->child, NULL, 0);
		}
	}
	live_wipe(&plugin->text);
	base_free(plugin->options.alloc, plugin);
}
