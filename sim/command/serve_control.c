/* The control port of `relist serve`.
 *
 *   GET  /status    times, revision, connections, what the faults did
 *   POST /step      a step in the words of scenario files: `fault: {watch: 410}`
 *   GET  /dump      every object of the cluster, as one List
 *   POST /load      one object or a List, as JSON, into the cluster
 *   POST /quit
 */
#include "base/json.h"
#include "sim/command/serve.h"
#include "sim/fatal.h"

static int say(int status, struct base_buf *out, const char *text)
{
	sim_must(base_buf_printf(out, "%s\n", text));
	return status;
}

/* ---- status ---- */

static void put_faults(const struct serve *serve, struct base_buf *out)
{
	const struct fakeapi_faults *faults = fakeapi_faults(serve->host.runner.server);
	struct fakeapi_fault_counts counts;
	const char *comma = "";

	sim_must(base_buf_text(out, ",\"faults\":["));
	for (uint64_t id = 1; id <= fakeapi_faults_count(faults); id++) {
		const struct fakeapi_fault *fault = fakeapi_faults_peek(faults, id);

		if (fault == NULL || fakeapi_faults_counts(faults, id, &counts) != BASE_OK)
			continue;
		sim_must(base_buf_printf(out, "%s{\"id\":%llu,\"name\":", comma,
					 (unsigned long long)id));
		sim_must(base_buf_json_string(out, fault->name));
		sim_must(base_buf_printf(
			out,
			",\"target\":\"%s\",\"kind\":\"%s\",\"active\":%s,\"hits\":%llu,"
			"\"effect\":%llu}",
			fakeapi_fault_target_word(fault->target),
			fakeapi_fault_kind_word(fault->kind), counts.active ? "true" : "false",
			(unsigned long long)counts.hits, (unsigned long long)counts.effect));
		comma = ",";
	}
	sim_must(base_buf_char(out, ']'));
}

static int status(const struct serve *serve, struct base_buf *out)
{
	const struct fakeapi *machine = serve->host.runner.server;
	const struct fakeapi_server_figures figures = fakeapi_server_figures(serve->host.server);

	sim_must(base_buf_printf(
		out,
		"{\"time_ns\":%llu,\"started\":%s,\"up\":%s,\"revision\":%llu,"
		"\"compacted\":%llu,\"stepsDone\":%zu,\"steps\":%zu,\"connections\":{\"open\":%llu,"
		"\"accepted\":%llu,\"refused\":%llu,\"slowReaders\":%llu,\"slowHeads\":%llu},"
		"\"bytesIn\":%llu,\"bytesOut\":%llu,\"memory\":%llu,\"memoryPeak\":%llu,"
		"\"requests\":{\"lists\":%llu,\"watches\":%llu,\"others\":%llu,\"failed\":%llu}",
		(unsigned long long)fakeapi_now_ns(machine), serve->host.running ? "true" : "false",
		fakeapi_is_up(machine) ? "true" : "false",
		(unsigned long long)fakeapi_revision(machine),
		(unsigned long long)fakeapi_compacted(machine), serve->host.runner.agenda_at,
		serve->host.runner.agenda_count, (unsigned long long)figures.open,
		(unsigned long long)figures.accepted, (unsigned long long)figures.refused,
		(unsigned long long)figures.slow_readers, (unsigned long long)figures.slow_heads,
		(unsigned long long)figures.bytes_in, (unsigned long long)figures.bytes_out,
		(unsigned long long)figures.memory, (unsigned long long)figures.memory_peak,
		(unsigned long long)serve->heard.lists, (unsigned long long)serve->heard.watches,
		(unsigned long long)serve->heard.others, (unsigned long long)serve->heard.failed));
	put_faults(serve, out);
	sim_must(base_buf_text(out, "}\n"));
	return 200;
}

/* ---- step ---- */

/* The body's lines, indented as a step of a scenario. */
static void wrap_step(struct base_str body, struct base_buf *out)
{
	struct base_str line;
	bool found = true;

	sim_must(base_buf_text(out, "relist: 1\nscenario: a step from outside\n"
				    "informer:\n  resource: pods\nsteps:\n  - at: 0s\n"));
	while (found && body.len > 0) {
		body = base_str_cut(body, '\n', &line, &found);
		sim_must(base_buf_text(out, "    "));
		sim_must(base_buf_str(out, line));
		sim_must(base_buf_char(out, '\n'));
	}
}

/* Diagnostics name lines of the wrapped text; those of the step begin at line 7, column 5. */
static void put_diagnostics(const struct scenario_diagnostics *diags, struct base_buf *out)
{
	for (size_t i = 0; i < diags->count; i++) {
		const struct scenario_diagnostic *d = &diags->items[i];

		sim_must(base_buf_printf(
			out, "step:%u:%u: %s: %.*s\n", d->line > 6 ? d->line - 6 : 1,
			d->column > 4 ? d->column - 4 : 1,
			d->level == SCENARIO_ERROR ? "error" : "warning", BASE_STR_ARG(d->text)));
		if (d->hint.len > 0)
			sim_must(base_buf_printf(out, "  %.*s\n", BASE_STR_ARG(d->hint)));
	}
}

static int do_scenario(struct serve *serve, const struct scenario *scenario, struct base_buf *out)
{
	struct scenario_variants variants;
	struct base_error error = {0};
	int status = 200;

	scenario_expand(scenario, &variants);
	if (wire_host_do(&serve->host, &variants.items[0], &error) != BASE_OK)
		status = say(409, out, error.text);
	else
		sim_must(base_buf_printf(
			out, "done at revision %llu\n",
			(unsigned long long)fakeapi_revision(serve->host.runner.server)));
	scenario_variants_release(&variants);
	return status;
}

static int step(struct serve *serve, struct base_str body, struct base_buf *out)
{
	struct scenario_diagnostics diags;
	struct scenario *scenario = NULL;
	struct base_buf text;
	int status = 400;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	scenario_diagnostics_init(&diags);
	wrap_step(body, &text);
	if (scenario_load_open("step", base_buf_peek(&text), &scenario, &diags) == BASE_OK)
		status = do_scenario(serve, scenario, out);
	else
		put_diagnostics(&diags, out);
	scenario_free(scenario);
	scenario_diagnostics_release(&diags);
	base_buf_release(&text);
	return status;
}

/* ---- dump and load ---- */

struct dump {
	struct base_buf *out;
	const char *comma;
};

static void dump_one(void *ctx, struct base_str key, struct base_str uid, uint64_t rv,
		     struct base_str object)
{
	struct dump *dump = ctx;

	(void)key;
	(void)uid;
	(void)rv;
	sim_must(base_buf_text(dump->out, dump->comma));
	sim_must(base_buf_str(dump->out, object));
	dump->comma = ",\n";
}

static int dump_all(struct serve *serve, struct base_buf *out)
{
	struct fakeapi *machine = serve->host.runner.server;
	struct dump dump = {.out = out, .comma = ""};
	const struct fakeapi_resource *resource;

	sim_must(base_buf_text(out, "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[\n"));
	for (size_t i = 0; (resource = fakeapi_resources_at(fakeapi_resources(machine), i)) != NULL;
	     i++)
		if (!resource->retired)
			fakeapi_each(machine, resource, dump_one, &dump);
	sim_must(base_buf_text(out, "\n]}\n"));
	return 200;
}

static bool load_one(struct serve *serve, struct base_str object, size_t *count,
		     struct base_error *error)
{
	const struct base_str items = base_json_get(object, BASE_STR("items"));
	struct base_json_iter it;

	if (items.len == 0) {
		++*count;
		return fakeapi_seed(serve->host.runner.server, object, error) == BASE_OK;
	}
	base_json_iter_init(&it, items);
	while (base_json_iter_next(&it))
		if (!load_one(serve, it.value, count, error))
			return false;
	return true;
}

/* One JSON document: an object or a List. */
static int load(struct serve *serve, struct base_str body, struct base_buf *out)
{
	struct base_error error = {0};
	struct base_str value;
	size_t count = 0;

	fakeapi_server_sync(serve->host.server);
	if (base_json_check(body, &value, NULL, &error) != BASE_OK ||
	    !load_one(serve, value, &count, &error)) {
		sim_must(base_buf_printf(out, "object %zu: %s\n", count, error.text));
		return 400;
	}
	fakeapi_server_touch(serve->host.server);
	sim_must(base_buf_printf(out, "loaded %zu objects\n", count));
	return 200;
}

/* ---- Which one ---- */

int serve_control(void *self, const struct fakeapi_control_request *request, bool *json,
		  struct base_buf *out)
{
	struct serve *serve = self;
	const bool get = base_str_is(request->method, "GET");
	const bool post = base_str_is(request->method, "POST");

	*json = get;
	if (get && base_str_is(request->path, "/status")) {
		fakeapi_server_sync(serve->host.server);
		return status(serve, out);
	}
	if (get && base_str_is(request->path, "/dump"))
		return dump_all(serve, out);
	if (post && base_str_is(request->path, "/step"))
		return step(serve, request->body, out);
	if (post && base_str_is(request->path, "/load"))
		return load(serve, request->body, out);
	if (post && base_str_is(request->path, "/quit")) {
		base_loop_stop(&serve->host.loop);
		return say(200, out, "goodbye");
	}
	*json = false;
	return say(404, out,
		   "unknown; there are GET /status and /dump, POST /step, /load and /quit");
}
