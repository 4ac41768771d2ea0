/* The server on real ports, asked by the live transport in the same loop. */
#include "sim/wire/host.h"

#include <stdio.h>
#include <strings.h>

#include "ci/unit/assert.h"
#include "informer/live/host.h"
#include "informer/live/http.h"
#include "informer/shared_informer.h"

#define PATIENCE_NS UINT64_C(20000000000)

static const char small[] = "relist: 1\n"
			    "scenario: two pods\n"
			    "cluster: {pods: [default/a, default/b]}\n"
			    "informer: {resource: pods}\n"
			    "steps:\n"
			    "  - at: 0s\n"
			    "    start: informer\n"
			    "  - at: 30s\n"
			    "    create: pods/default/c\n";

struct rig {
	struct scenario *scenario;
	struct scenario_variants variants;
	struct sim_run_options run;
	struct wire_host host;
	struct live_http *http;
	char url[64];
};

enum way { PLAIN, TLS_1, TLS_2 };

static bool rig_init(struct rig *rig, enum way way, uint64_t speed)
{
	struct scenario_diagnostics diags;
	struct wire_host_options options = {.run = &rig->run, .speed = speed};
	struct live_http_config config;
	struct base_error error = {0};

	memset(rig, 0, sizeof(*rig));
	scenario_diagnostics_init(&diags);
	bool fine = CHECK_INT(scenario_load_text("small", base_str(small), &rig->scenario, &diags),
			      BASE_OK);
	scenario_diagnostics_release(&diags);
	if (!fine)
		return false;
	scenario_expand(rig->scenario, &rig->variants);
	options.variant = &rig->variants.items[0];
	fakeapi_server_config_defaults(&options.server);
	if (way == PLAIN) {
		options.server.tls_port = FAKEAPI_PORT_NONE;
		options.server.plain_port = 0;
	}
	if (!CHECK_TRUE(wire_host_init(&rig->host, &options, &error)))
		return false;
	snprintf(rig->url, sizeof(rig->url), "%s://127.0.0.1:%d", way == PLAIN ? "http" : "https",
		 way == PLAIN ? fakeapi_server_plain_port(rig->host.server)
			      : fakeapi_server_tls_port(rig->host.server));
	live_http_config_defaults(&config);
	config.loop = &rig->host.loop;
	config.server = rig->url;
	config.authority_pem = fakeapi_server_authority_pem(rig->host.server);
	config.version = way == TLS_2 ? LIVE_HTTP_2 : LIVE_HTTP_1_1;
	rig->http = live_http_new(&config, &error);
	return CHECK_TRUE(rig->http != NULL);
}

static void rig_release(struct rig *rig)
{
	live_http_free(rig->http);
	wire_host_release(&rig->host);
	scenario_variants_release(&rig->variants);
	scenario_free(rig->scenario);
}

/* ---- One request ---- */

struct asked {
	struct inf_exchange exchange;
	struct base_buf body;
	size_t largest; /* piece of it */
	int status;
	enum inf_end end;
	bool over;
	char type[64];
};

static void on_head(struct inf_exchange *exchange, int status, const struct inf_header *headers,
		    size_t count)
{
	struct asked *asked = exchange->owner;

	asked->status = status;
	for (size_t i = 0; i < count; i++)
		if (strncasecmp(headers[i].name.ptr, "content-type", headers[i].name.len) == 0)
			snprintf(asked->type, sizeof(asked->type), "%.*s",
				 BASE_STR_ARG(headers[i].value));
}

static void on_body(struct inf_exchange *exchange, struct base_str bytes)
{
	struct asked *asked = exchange->owner;

	CHECK_INT(base_buf_str(&asked->body, bytes), BASE_OK);
	if (bytes.len > asked->largest)
		asked->largest = bytes.len;
}

static void on_end(struct inf_exchange *exchange, enum inf_end end, struct base_str text)
{
	struct asked *asked = exchange->owner;

	(void)text;
	asked->end = end;
	asked->over = true;
}

static void ask(struct rig *rig, struct asked *asked, const char *method, const char *path,
		const char *query, const char *body, bool stream)
{
	const struct inf_transport transport = live_http_transport(rig->http);
	const struct inf_header headers[] = {{BASE_STR("Accept"), BASE_STR("application/json")},
					     {BASE_STR("Content-Type"),
					      BASE_STR("application/json")}};
	const struct inf_http_request request = {.method = base_str(method),
						 .path = base_str(path),
						 .query = base_str(query),
						 .headers = headers,
						 .header_count = 2,
						 .body = base_str(body),
						 .stream = stream};
	struct base_error error = {0};

	memset(asked, 0, sizeof(*asked));
	asked->exchange = (struct inf_exchange){
		.on_head = on_head, .on_body = on_body, .on_end = on_end, .owner = asked};
	base_buf_init(&asked->body, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(transport.start(transport.self, &asked->exchange, &request, &error), BASE_OK);
}

typedef bool until_fn(void *ctx);

static bool wait_for(struct rig *rig, until_fn *until, void *ctx)
{
	struct base_loop *loop = &rig->host.loop;
	const uint64_t start_ns = base_loop_now_ns(loop);
	const uint64_t end_ns = start_ns + PATIENCE_NS * loop->speed;

	while (!until(ctx) && base_loop_now_ns(loop) < end_ns)
		if (!CHECK_INT(base_loop_turn(loop, end_ns), BASE_OK))
			return false;
	return CHECK_TRUE(until(ctx));
}

static bool is_over(void *ctx)
{
	const struct asked *asked = ctx;

	return asked->over;
}

static bool has_two_lines(void *ctx)
{
	const struct asked *asked = ctx;
	size_t lines = 0;

	for (size_t i = 0; i < asked->body.len; i++)
		lines += asked->body.ptr[i] == '\n';
	return lines >= 2;
}

static const struct {
	const char *name;
	enum way way;
} ways[] = {{"plain", PLAIN}, {"TLS, HTTP/1.1", TLS_1}, {"TLS, HTTP/2", TLS_2}};

static void a_list_and_an_error_come_over_every_wire(void)
{
	for (size_t i = 0; i < 3; i++) {
		struct rig rig;
		struct asked list, missing;

		CHECK_ROW("%s", ways[i].name);
		if (!rig_init(&rig, ways[i].way, 1))
			return;
		ask(&rig, &list, "GET", "/api/v1/pods", "limit=500", "", false);
		ask(&rig, &missing, "GET", "/api/v1/namespaces/default/pods/x", "", "", false);
		wait_for(&rig, is_over, &list);
		wait_for(&rig, is_over, &missing);
		CHECK_INT(list.status, 200);
		CHECK_INT(list.end, INF_END_EOF);
		CHECK_TEXT(list.type, "application/json");
		CHECK_CONTAINS(list.body.ptr, "\"kind\":\"PodList\"");
		CHECK_CONTAINS(list.body.ptr, "\"name\":\"b\"");
		CHECK_INT(missing.status, 404);
		CHECK_CONTAINS(missing.body.ptr, "pods \\\"x\\\" not found");
		base_buf_release(&list.body);
		base_buf_release(&missing.body);
		rig_release(&rig);
	}
}

static void a_write_is_seen_by_an_open_watch(void)
{
	for (size_t i = 0; i < 3; i++) {
		struct rig rig;
		struct asked watch, create;
		const char *pods = "/api/v1/namespaces/default/configmaps";

		CHECK_ROW("%s", ways[i].name);
		if (!rig_init(&rig, ways[i].way, 1))
			return;
		ask(&rig, &watch, "GET", pods, "resourceVersion=0&watch=true", "", true);
		for (int k = 0; k < 2; k++) {
			char body[128];

			snprintf(body, sizeof(body),
				 "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{"
				 "\"name\":\"m%d\"}}",
				 k);
			ask(&rig, &create, "POST", pods, "", body, false);
			wait_for(&rig, is_over, &create);
			CHECK_INT(create.status, 201);
			base_buf_release(&create.body);
		}
		wait_for(&rig, has_two_lines, &watch);
		CHECK_CONTAINS(watch.body.ptr, "\"name\":\"m1\"");
		const struct inf_transport transport = live_http_transport(rig.http);
		transport.cancel(transport.self, &watch.exchange);
		CHECK_FALSE(watch.over);
		base_buf_release(&watch.body);
		rig_release(&rig);
	}
}

static void create_large(struct rig *rig, const char *path, int number)
{
	struct base_buf body;
	struct asked create;

	base_buf_init(&body, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(base_buf_printf(&body,
				  "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{"
				  "\"name\":\"m%d\"},\"data\":{\"x\":\"%0900000d\"}}",
				  number, number),
		  BASE_OK);
	ask(rig, &create, "POST", path, "", body.ptr, false);
	wait_for(rig, is_over, &create);
	CHECK_INT(create.status, 201);
	base_buf_release(&create.body);
	base_buf_release(&body);
}

static bool has_some(void *ctx)
{
	const struct asked *asked = ctx;

	return asked->body.len > 0;
}

/* However fast the server is: what waits to be handed on is bounded, and a cancel comes between. */
static void a_long_answer_comes_in_bounded_pieces(void)
{
	for (size_t i = 0; i < 2; i++) {
		struct rig rig;
		struct asked list, cancelled;
		const char *maps = "/api/v1/namespaces/default/configmaps";

		CHECK_ROW("%s", ways[i].name);
		if (!rig_init(&rig, ways[i].way, 1))
			return;
		for (int k = 0; k < 6; k++)
			create_large(&rig, maps, k);
		ask(&rig, &cancelled, "GET", maps, "", "", false);
		wait_for(&rig, has_some, &cancelled);
		const struct inf_transport transport = live_http_transport(rig.http);
		transport.cancel(transport.self, &cancelled.exchange);
		ask(&rig, &list, "GET", maps, "", "", false);
		wait_for(&rig, is_over, &list);
		CHECK_INT(list.end, INF_END_EOF);
		CHECK_TRUE(list.body.len > 5400000);
		CHECK_TRUE(base_str_ends(base_str_trim(base_buf_peek(&list.body)),
					 BASE_STR("\"}}]}")));
		CHECK_TRUE(list.largest <= 400000);
		CHECK_FALSE(cancelled.over);
		CHECK_TRUE(cancelled.body.len < 5400000);
		base_buf_release(&list.body);
		base_buf_release(&cancelled.body);
		rig_release(&rig);
	}
}

static bool is_disconnected(void *ctx)
{
	const struct rig *rig = ctx;

	return fakeapi_server_figures(rig->host.server).open == 0;
}

static void a_cancelled_watch_leaves_no_connection(void)
{
	struct rig rig;
	struct asked watch;

	if (!rig_init(&rig, TLS_1, 1))
		return;
	ask(&rig, &watch, "GET", "/api/v1/pods", "resourceVersion=0&watch=true", "", true);
	wait_for(&rig, has_two_lines, &watch);
	const struct inf_transport transport = live_http_transport(rig.http);
	transport.cancel(transport.self, &watch.exchange);
	wait_for(&rig, is_disconnected, &rig);
	CHECK_FALSE(watch.over);
	base_buf_release(&watch.body);
	rig_release(&rig);
}

/* What a scripted or real trouble looks like to the client, over each wire. */
static void trouble_arrives_as_what_it_is(void)
{
	static const struct {
		const char *step;
		enum inf_end ends[3];
	} rows[] = {
		{"kill: server", {INF_END_CUT, INF_END_CUT, INF_END_CUT}},
		{"fault: {watch: reset}", {INF_END_RESET, INF_END_RESET, INF_END_RESET}},
		{"fault: {watch: close}", {INF_END_EOF, INF_END_EOF, INF_END_EOF}},
		{"fault: {watch: cut}", {INF_END_CUT, INF_END_CUT, INF_END_CUT}},
		{"fault: {watch: rstStream}", {INF_END_RESET, INF_END_RESET, INF_END_OTHER}},
		{"fault: {watch: goaway, code: CANCEL}", {INF_END_CUT, INF_END_CUT, INF_END_CUT}},
	};

	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++)
		for (size_t i = 0; i < 3; i++) {
			struct rig rig;
			struct asked watch;
			struct scenario *step = NULL;
			struct scenario_variants variants;
			struct scenario_diagnostics diags;
			struct base_error error = {0};
			char text[256];

			CHECK_ROW("%s, %s", rows[r].step, ways[i].name);
			if (!rig_init(&rig, ways[i].way, 1))
				return;
			ask(&rig, &watch, "GET", "/api/v1/pods", "resourceVersion=0&watch=true", "",
			    true);
			wait_for(&rig, has_two_lines, &watch);
			snprintf(text, sizeof(text),
				 "scenario: s\ninformer: {resource: pods}\nsteps:\n"
				 "  - at: 0s\n    %s\n",
				 rows[r].step);
			scenario_diagnostics_init(&diags);
			CHECK_INT(scenario_load_open("step", base_str(text), &step, &diags),
				  BASE_OK);
			scenario_expand(step, &variants);
			CHECK_INT(wire_host_do(&rig.host, &variants.items[0], &error), BASE_OK);
			wait_for(&rig, is_over, &watch);
			CHECK_INT(watch.end, rows[r].ends[i]);
			scenario_variants_release(&variants);
			scenario_free(step);
			scenario_diagnostics_release(&diags);
			base_buf_release(&watch.body);
			rig_release(&rig);
		}
}

/* ---- An informer ---- */

static bool is_synced(void *ctx)
{
	return inf_shared_informer_has_synced(ctx);
}

static bool holds_three(void *ctx)
{
	struct inf_objects list = {0};
	size_t count = 0;

	if (inf_store_list(inf_shared_informer_store(ctx), &list) == BASE_OK)
		count = list.count;
	inf_objects_release(&list);
	return count == 3;
}

static void an_informer_syncs_and_sees_the_steps_of_the_scenario(void)
{
	for (size_t i = 0; i < 3; i++) {
		struct rig rig;
		struct live_host live;
		struct inf_informer_options options = inf_informer_options_default();
		struct inf_shared_informer *informer = NULL;
		struct base_error error = {0};

		CHECK_ROW("%s", ways[i].name);
		if (!rig_init(&rig, ways[i].way, 60))
			return;
		live_host_init(&live, &rig.host.loop, NULL);
		const struct inf_host host = live_host_seams(&live, live_http_transport(rig.http));
		options.resource = (struct inf_resource){.version = BASE_STR("v1"),
							 .name = BASE_STR("pods"),
							 .kind = BASE_STR("Pod")};
		CHECK_INT(inf_shared_informer_new(&host, &options, &informer, &error), BASE_OK);
		CHECK_INT(inf_shared_informer_start(informer, &error), BASE_OK);
		wait_for(&rig, is_synced, informer);
		CHECK_FALSE(holds_three(informer));
		wait_for(&rig, holds_three, informer); /* 30 s at speed 60 */
		inf_shared_informer_free(informer);
		live_host_release(&live);
		rig_release(&rig);
	}
}

static void a_taken_port_is_an_error_that_names_it(void)
{
	struct rig rig;
	struct wire_host second;
	struct wire_host_options options = {.speed = 1};
	struct base_error error = {0};

	if (!rig_init(&rig, PLAIN, 1))
		return;
	options.variant = &rig.variants.items[0];
	options.run = &rig.run;
	fakeapi_server_config_defaults(&options.server);
	options.server.tls_port = FAKEAPI_PORT_NONE;
	options.server.plain_port = fakeapi_server_plain_port(rig.host.server);
	CHECK_FALSE(wire_host_init(&second, &options, &error));
	CHECK_CONTAINS(error.text, "cannot listen on 127.0.0.1 port");
	wire_host_release(&second);
	rig_release(&rig);
}

static CU_TestInfo tests[] = {
	{"a list and an error come over every wire", a_list_and_an_error_come_over_every_wire},
	{"a write is seen by an open watch", a_write_is_seen_by_an_open_watch},
	{"a long answer comes in bounded pieces", a_long_answer_comes_in_bounded_pieces},
	{"a cancelled watch leaves no connection", a_cancelled_watch_leaves_no_connection},
	{"trouble arrives as what it is", trouble_arrives_as_what_it_is},
	{"an informer syncs and sees the steps of the scenario",
	 an_informer_syncs_and_sees_the_steps_of_the_scenario},
	{"a taken port is an error that names it", a_taken_port_is_an_error_that_names_it},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_wire_host_suite;
CU_SuiteInfo sim_wire_host_suite = {.pName = "sim/wire/host", .pTests = tests};
