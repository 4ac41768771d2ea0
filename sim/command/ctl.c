/* relist ctl: steers a running `relist serve`. */
#include <curl/curl.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/command/command.h"
#include "sim/fatal.h"

static const struct command_option options[] = {
	{"at", "FILE", "the state file of the server (it prints its name; --state of serve)"},
	{"json", NULL,
	 "print one JSON document: status and dump as they are, else ok, status and text"},
};

/* What a person types, and the step or the request it becomes. %s: the arguments. */
static const struct verb {
	const char *word, *arguments, *step, *method, *path;
} verbs[] = {
	{"status", "", NULL, "GET", "/status"},
	{"dump", "", NULL, "GET", "/dump"},
	{"load", "FILE", NULL, "POST", "/load"},
	{"quit", "", NULL, "POST", "/quit"},
	{"compact", "[REVISION]", "compact: %s", NULL, "now"},
	{"forget", "[RESOURCE]", "forget: %s", NULL, "all"},
	{"lag", "TIME|off|frozen", "lag: %s", NULL, NULL},
	{"cut", "", "fault: {watch: cut}", NULL, ""},
	{"reset", "", "fault: {watch: reset}", NULL, ""},
	{"goaway", "", "fault: {watch: goaway}", NULL, ""},
	{"stall", "", "fault: {watch: stall, name: stall}", NULL, ""},
	{"drip", "", "fault: {any: {drip: {bytes: 1, every: 0.1s}}, times: always, name: drip}",
	 NULL, ""},
	{"fault", "FAULT", "fault: %s", NULL, NULL},
	{"heal", "[NAME]", "heal: %s", NULL, "all"},
	{"restart", "[NUMBER]", "restart: %s", NULL, "server"},
	{"kill", "[NUMBER]", "kill: %s", NULL, "server"},
	{"stop", "[NUMBER]", "stopServer: %s", NULL, "server"},
	{"start", "[NUMBER]", "startServer: %s", NULL, "server"},
	{"create", "OBJECT", "create: %s", NULL, NULL},
	{"touch", "OBJECT", "touch: %s", NULL, NULL},
	{"delete", "OBJECT", "delete: %s", NULL, NULL},
	{"step", "YAML", "%s", NULL, NULL},
};

#define VERBS (sizeof(verbs) / sizeof(*verbs))

struct target {
	char url[64], token[64];
	bool as_json;
};

static bool read_target(const char *path, struct target *target)
{
	struct base_buf text;
	struct base_str value, token = {0};
	struct base_error error = {0};
	int64_t port = 0;
	bool fine = false;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	if (command_read_file(path, &text)) {
		fine = base_json_check(base_buf_peek(&text), &value, NULL, &error) == BASE_OK &&
		       base_json_i64(base_json_get(value, BASE_STR("controlPort")), &port) &&
		       base_json_plain_text(base_json_get(value, BASE_STR("token")), &token);
		if (!fine)
			command_usage("ctl: %s: no state file of a server", path);
	}
	snprintf(target->url, sizeof(target->url), "http://127.0.0.1:%lld", (long long)port);
	snprintf(target->token, sizeof(target->token), "Authorization: Bearer %.*s",
		 token.len < 40 ? (int)token.len : 40, token.ptr);
	base_buf_release(&text);
	return fine;
}

static size_t on_answer(char *ptr, size_t size, size_t count, void *out)
{
	return base_buf_append(out, ptr, size * count) == BASE_OK ? size * count : 0;
}

/* The status; 0: no answer, with a message. */
static long send_request(const struct target *target, const char *method, const char *path,
			 struct base_str body, struct base_buf *out)
{
	CURL *curl = curl_easy_init();
	struct curl_slist *headers = curl_slist_append(NULL, target->token);
	char url[128];
	long status = 0;

	if (curl == NULL || headers == NULL)
		sim_fatal("out of memory");
	snprintf(url, sizeof(url), "%s%s", target->url, path);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_answer);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, out);
	if (strcmp(method, "POST") == 0) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.len > 0 ? body.ptr : "");
	}
	const CURLcode code = curl_easy_perform(curl);
	if (code == CURLE_OK)
		curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	else if (code == CURLE_COULDNT_CONNECT)
		fprintf(stderr,
			"relist: ctl: nobody listens at %s: the server of that state file has ended\n",
			target->url);
	else
		fprintf(stderr, "relist: ctl: %s: %s\n", url, curl_easy_strerror(code));
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
	return status;
}

static unsigned long long number_at(struct base_str object, const char *name)
{
	int64_t number = 0;

	return base_json_i64(base_json_get(object, base_str(name)), &number)
		       ? (unsigned long long)number
		       : 0;
}

static bool flag_at(struct base_str object, const char *name)
{
	return base_str_is(base_json_get(object, base_str(name)), "true");
}

static void say_fault(struct base_str fault)
{
	struct base_str name = {0}, target = {0}, kind = {0};

	if (!base_json_plain_text(base_json_get(fault, BASE_STR("name")), &name) || name.len == 0)
		return; /* the harness's own */
	(void)base_json_plain_text(base_json_get(fault, BASE_STR("target")), &target);
	(void)base_json_plain_text(base_json_get(fault, BASE_STR("kind")), &kind);
	printf("fault %.*s: %.*s %.*s, %s; met %llu times, effect %llu\n", BASE_STR_ARG(name),
	       BASE_STR_ARG(target), BASE_STR_ARG(kind),
	       flag_at(fault, "active") ? "active" : "over", number_at(fault, "hits"),
	       number_at(fault, "effect"));
}

/* The status for people. */
static void say_status(struct base_str text)
{
	struct base_json_iter it;
	struct base_str status;

	if (base_json_check(text, &status, NULL, NULL) != BASE_OK)
		return;
	const struct base_str connections = base_json_get(status, BASE_STR("connections"));
	const struct base_str requests = base_json_get(status, BASE_STR("requests"));
	const unsigned long long time_ns = number_at(status, "time_ns");

	printf("%s at revision %llu, compacted at %llu\n", flag_at(status, "up") ? "up" : "down",
	       number_at(status, "revision"), number_at(status, "compacted"));
	if (flag_at(status, "started"))
		printf("%llu.%03llus since the first request; %llu of %llu steps done\n",
		       time_ns / 1000000000, time_ns / 1000000 % 1000,
		       number_at(status, "stepsDone"), number_at(status, "steps"));
	else
		printf("waiting for the first request; %llu steps are to come\n",
		       number_at(status, "steps"));
	printf("connections: %llu open, %llu so far, %llu refused; let go: %llu slow readers, %llu "
	       "slow requests\n",
	       number_at(connections, "open"), number_at(connections, "accepted"),
	       number_at(connections, "refused"), number_at(connections, "slowReaders"),
	       number_at(connections, "slowHeads"));
	printf("requests: %llu lists, %llu watches, %llu others; %llu errors\n",
	       number_at(requests, "lists"), number_at(requests, "watches"),
	       number_at(requests, "others"), number_at(requests, "failed"));
	base_json_iter_init(&it, base_json_get(status, BASE_STR("faults")));
	while (base_json_iter_next(&it))
		say_fault(it.value);
}

static void say_json(long status, struct base_str text)
{
	struct base_buf out;

	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(&out, "{\"ok\":%s,\"status\":%ld,\"text\":",
				 status >= 200 && status < 300 ? "true" : "false", status));
	sim_must(base_buf_json_string(&out, base_str_trim(text)));
	sim_must(base_buf_text(&out, "}\n"));
	fwrite(out.ptr, 1, out.len, stdout);
	base_buf_release(&out);
}

static int perform(const struct target *target, const char *method, const char *path,
		   struct base_str body)
{
	struct base_buf out;
	long status;

	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	status = send_request(target, method, path, body, &out);
	const bool fine = status >= 200 && status < 300;
	if (target->as_json && !(fine && strcmp(method, "GET") == 0))
		say_json(status, base_buf_peek(&out));
	else if (fine && !target->as_json && strcmp(path, "/status") == 0)
		say_status(base_buf_peek(&out));
	else
		fwrite(out.ptr, 1, out.len, fine ? stdout : stderr);
	base_buf_release(&out);
	if (status == 0)
		return COMMAND_HARNESS;
	return status < 300 ? COMMAND_HELD : COMMAND_USAGE;
}

static int do_step(const struct target *target, const struct verb *verb, const char *argument)
{
	struct base_buf body;
	int code;

	base_buf_init(&body, NULL, BASE_BUF_MAX_DEFAULT);
	const char *hole = strstr(verb->step, "%s");
	if (hole == NULL)
		sim_must(base_buf_text(&body, verb->step));
	else
		sim_must(base_buf_printf(&body, "%.*s%s", (int)(hole - verb->step), verb->step,
					 argument != NULL ? argument : verb->path));
	code = perform(target, "POST", "/step", base_buf_peek(&body));
	base_buf_release(&body);
	return code;
}

static int load_file(const struct target *target, const char *path)
{
	struct base_buf body;
	int code = COMMAND_USAGE;

	base_buf_init(&body, NULL, BASE_BUF_MAX_DEFAULT);
	if (command_read_file(path, &body))
		code = perform(target, "POST", "/load", base_buf_peek(&body));
	base_buf_release(&body);
	return code;
}

static const struct verb *find_verb(const char *word)
{
	const char *words[VERBS];

	for (size_t i = 0; i < VERBS; i++) {
		words[i] = verbs[i].word;
		if (strcmp(verbs[i].word, word) == 0)
			return &verbs[i];
	}
	const char *near = command_nearest(word, words, VERBS);
	if (near != NULL)
		command_usage("ctl: unknown verb \"%s\"; did you mean \"%s\"?", word, near);
	else
		command_usage("ctl: unknown verb \"%s\"; `relist ctl --help` lists them", word);
	return NULL;
}

static int run_ctl(const struct command_line *line)
{
	struct target target;
	const struct verb *verb;
	const char *argument = line->arg_count > 1 ? line->args[1] : NULL;

	if (line->arg_count == 0)
		return command_usage("ctl: what? `relist ctl --help` lists the verbs");
	verb = find_verb(line->args[0]);
	if (verb == NULL)
		return COMMAND_USAGE;
	if (line->arg_count > 2 || (verb->arguments[0] == '\0' && argument != NULL) ||
	    (verb->arguments[0] != '\0' && verb->arguments[0] != '[' && argument == NULL))
		return command_usage("ctl: usage: ctl %s %s", verb->word, verb->arguments);
	if (command_value(line, "at") == NULL)
		return command_usage("ctl: --at FILE names the server; `relist serve` prints it");
	target.as_json = command_flag(line, "json");
	if (!read_target(command_value(line, "at"), &target))
		return COMMAND_USAGE;
	if (verb->step != NULL)
		return do_step(&target, verb, argument);
	if (argument != NULL)
		return load_file(&target, argument);
	return perform(&target, verb->method, verb->path, (struct base_str){0});
}

const struct command command_ctl = {
	.name = "ctl",
	.arguments = "VERB [ARGUMENT]",
	.summary = "steer a running `relist serve`",
	.text = "Verbs: status, dump, load FILE (one object or a List as JSON), quit; compact\n"
		"[REVISION], forget [RESOURCE], lag TIME|off|frozen; restart, kill, stop, start [NUMBER\n"
		"of one of several servers]; cut, reset, goaway, stall (open watches), drip (all that\n"
		"comes), fault FAULT, heal [NAME]; create, touch and delete OBJECT (pods/default/a);\n"
		"step YAML: any step in the words of scenario files, for example\n"
		"`relist ctl --at FILE fault '{list: 429, retryAfter: 2s, times: 3}'`.\n"
		"Exit code 2: the server has refused it; 3: there is no server.",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.run = run_ctl,
};
