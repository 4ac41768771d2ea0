#include "sim/doctor/doctor.h"

#include <stdio.h>

#include "base/json.h"
#include "ci/unit/assert.h"
#include "sim/fatal.h"

/* ---- A transport that answers from a script ---- */

struct script {
	const char *path_part, *query_part; /* the first row whose parts are in the request wins */
	int status;
	const char *headers; /* "Name: value" */
	const char *body;
};

struct scripted {
	const struct script *rows;
	size_t count;
	struct base_loop *loop;
	struct inf_exchange *pending[16];
	const struct script *answers[16];
	size_t pending_count;
	struct base_loop_post post;
};

static void answer_all(struct base_loop_post *post)
{
	struct scripted *s = post->owner;

	while (s->pending_count > 0) {
		struct inf_exchange *exchange = s->pending[0];
		const struct script *row = s->answers[0];
		struct inf_header header = {0};

		s->pending_count--;
		memmove(s->pending, s->pending + 1, s->pending_count * sizeof(*s->pending));
		memmove(s->answers, s->answers + 1, s->pending_count * sizeof(*s->answers));
		if (row == NULL) {
			exchange->on_end(exchange, INF_END_REFUSED, BASE_STR("nobody"));
			continue;
		}
		header.name = BASE_STR("Content-Type");
		header.value = base_str(row->headers);
		exchange->on_head(exchange, row->status, &header, 1);
		exchange->on_body(exchange, base_str(row->body));
		exchange->on_end(exchange, INF_END_EOF, (struct base_str){0});
	}
}

static enum base_code script_start(void *self, struct inf_exchange *exchange,
				   const struct inf_http_request *request, struct base_error *error)
{
	struct scripted *s = self;

	(void)error;
	s->answers[s->pending_count] = NULL;
	for (size_t i = s->count; i > 0; i--)
		if (base_str_find(request->path, base_str(s->rows[i - 1].path_part)) != SIZE_MAX &&
		    base_str_find(request->query, base_str(s->rows[i - 1].query_part)) != SIZE_MAX)
			s->answers[s->pending_count] = &s->rows[i - 1];
	s->pending[s->pending_count++] = exchange;
	base_loop_post(s->loop, &s->post);
	return BASE_OK;
}

static void script_cancel(void *self, struct inf_exchange *exchange)
{
	(void)self;
	(void)exchange;
}

static struct inf_transport script_transport(struct scripted *s, struct base_loop *loop,
					     const struct script *rows, size_t count)
{
	*s = (struct scripted){.rows = rows, .count = count, .loop = loop};
	s->post = (struct base_loop_post){.run = answer_all, .owner = s};
	return (struct inf_transport){.self = s, .start = script_start, .cancel = script_cancel};
}

/* ---- Tests ---- */

static void times_of_headers_and_objects_are_read(void)
{
	static const struct {
		const char *text;
		bool http, fine;
		int64_t ms;
	} rows[] = {
		{"Thu, 01 Jan 1970 00:00:00 GMT", true, true, 0},
		{"Sun, 29 Nov 2026 22:44:45 GMT", true, true, 1795992285000},
		{"Thu, 29 Feb 2024 23:59:59 GMT", true, true, 1709251199000},
		{"Thu, 29 Foo 2024 23:59:59 GMT", true, false, 0},
		{"", true, false, 0},
		{"now", true, false, 0},
		{"2024-02-29T23:59:59Z", false, true, 1709251199000},
		{"2026-11-29T22:44:45.250000Z", false, true, 1795992285250},
		{"2026-11-29", false, false, 0},
		{"2026-11-29T22:44:45+01:00", false, false, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int64_t ms = 0;

		CHECK_ROW("%s", rows[i].text);
		CHECK_INT(rows[i].http ? doctor_http_date(base_str(rows[i].text), &ms)
				       : doctor_rfc3339(base_str(rows[i].text), &ms),
			  rows[i].fine);
		if (rows[i].fine)
			CHECK_INT(ms, rows[i].ms);
	}
	CHECK_ROW(NULL);
}

static void evidence_is_printable_and_short(void)
{
	struct base_buf out;

	base_buf_init(&out, NULL, 4096);
	doctor_quote(&out, BASE_STR("a\n\x1f\r\xff z"), 100);
	CHECK_STR(base_buf_peek(&out), "a\\n\\x1f\\r\\xff z");
	base_buf_clear(&out);
	doctor_quote(&out, BASE_STR("0123456789"), 4);
	CHECK_STR(base_buf_peek(&out), "0123… (10 bytes)");
	base_buf_release(&out);
}

static void every_trait_has_clients_and_words(void)
{
	for (int t = 0; t < DOCTOR_TRAIT_COUNT; t++) {
		size_t count = 0;

		CHECK_ROW("%s", doctor_trait_word((enum doctor_trait)t));
		for (size_t i = 0; i < doctor_client_count; i++)
			count += (int)doctor_clients[i].trait == t;
		CHECK_TRUE(count > 0);
	}
	for (size_t i = 0; i < doctor_client_count; i++) {
		CHECK_ROW("%zu", i);
		CHECK_TRUE(doctor_clients[i].why[0] != '\0');
		CHECK_TRUE(doctor_clients[i].client[0] != '\0');
	}
	CHECK_ROW(NULL);
	CHECK_CONTAINS(doctor_rbac(), "verbs: [list, watch]");
}

struct rig {
	struct base_loop loop;
	struct scripted scripted;
	struct ask ask;
};

static void rig_init(struct rig *rig, const struct script *rows, size_t count)
{
	struct base_error error;

	REQUIRE_TRUE(base_loop_init(&rig->loop, NULL, 1, &error) == BASE_OK);
	ask_init(&rig->ask, &rig->loop, script_transport(&rig->scripted, &rig->loop, rows, count),
		 1000);
}

static void a_watch_is_read_line_by_line(void)
{
	static const struct script rows[] = {
		{"/api", "", 200, "application/json",
		 "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":\"7\"}}}\n"
		 "nonsense\n"
		 "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"9\","
		 "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n"
		 "{\"type\":\"ERROR\",\"object\":{\"code\":410}}\n"
		 "{\"type\":"},
	};
	struct rig rig;
	struct ask_call call;
	struct ask_events it;
	struct ask_event event;

	rig_init(&rig, rows, 1);
	ask_call_init(&call, &rig.ask);
	CHECK_TRUE(ask_get(&call, BASE_STR("/api"), BASE_STR("watch=true"), 1000000000));
	CHECK_STR(ask_header(&call, "content-type"), "application/json");
	CHECK_INT(ask_header(&call, "Content").len, 0);
	ask_events_init(&it, &call);
	REQUIRE_TRUE(ask_events_next(&it, &event));
	CHECK_STR(event.type, "ADDED");
	CHECK_STR(event.rv, "7");
	CHECK_FALSE(event.initial_end);
	REQUIRE_TRUE(ask_events_next(&it, &event));
	CHECK_FALSE(event.readable);
	CHECK_STR(event.line, "nonsense");
	REQUIRE_TRUE(ask_events_next(&it, &event));
	CHECK_TRUE(event.initial_end);
	REQUIRE_TRUE(ask_events_next(&it, &event));
	CHECK_INT(event.code, 410);
	CHECK_FALSE(ask_events_next(&it, &event));
	CHECK_U64(rig.ask.requests, 1);
	ask_call_release(&call);
	base_loop_release(&rig.loop);
}

static bool found(const struct doctor *doctor, const char *id, enum doctor_severity severity)
{
	for (size_t i = 0; i < doctor->finding_count; i++)
		if (strcmp(doctor->findings[i].id, id) == 0 &&
		    doctor->findings[i].severity == severity)
			return true;
	return false;
}

#define ITEM(name)                                                                                 \
	"{\"metadata\":{\"name\":\"" name "\",\"uid\":\"" name "\",\"resourceVersion\":\"5\"}}"
#define LIST(rv, token, items)                                                                     \
	"{\"metadata\":{\"resourceVersion\":\"" rv "\",\"continue\":\"" token                      \
	"\"},\"items\":[" items "]}"
#define TOKEN "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OSwic3RhcnQiOiJhXHUwMDAwIn0"
#define AGED "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhXHUwMDAwIn0"

/* Long on purpose: a table. */
static void lists_are_judged(void)
{
	static const struct {
		const char *name;
		struct script rows[4];
		const char *id;
		enum doctor_severity severity;
		int trait; /* -1: none */
	} rows[] = {
		{"pages of one version",
		 {{"/pods", "continue=" AGED, 410, "application/json",
		   "{\"reason\":\"Expired\",\"metadata\":{\"continue\":\"x\"}}"},
		  {"/pods", "continue=", 200, "application/json", LIST("9", "", ITEM("b"))},
		  {"/pods", "limit=1", 200, "application/json", LIST("9", TOKEN, ITEM("a"))},
		  {"/pods", "", 200, "application/json", LIST("9", "", ITEM("a") "," ITEM("b"))}},
		 "paging",
		 DOCTOR_GOOD,
		 -1},
		{"an expired token is told",
		 {{"/pods", "continue=" AGED, 410, "application/json", "{\"reason\":\"Expired\"}"},
		  {"/pods", "continue=", 200, "application/json", LIST("9", "", ITEM("b"))},
		  {"/pods", "limit=1", 200, "application/json", LIST("9", TOKEN, ITEM("a"))},
		  {"/pods", "", 200, "application/json", LIST("9", "", ITEM("a") "," ITEM("b"))}},
		 "paging-expired",
		 DOCTOR_GOOD,
		 -1},
		{"pages that move",
		 {{"/pods", "continue=", 200, "application/json", LIST("11", "", ITEM("b"))},
		  {"/pods", "limit=1", 200, "application/json", LIST("9", TOKEN, ITEM("a"))},
		  {"/pods", "", 200, "application/json", LIST("9", "", ITEM("a") "," ITEM("b"))}},
		 "paging",
		 DOCTOR_BROKEN,
		 DOCTOR_PAGES_MOVE},
		{"a limit that got lost",
		 {{"/pods", "", 200, "application/json", LIST("9", "", ITEM("a") "," ITEM("b"))}},
		 "parameters",
		 DOCTOR_BROKEN,
		 DOCTOR_STRIPPED},
		{"a page without a token",
		 {{"/pods", "limit=1", 200, "application/json", LIST("9", "", ITEM("a"))},
		  {"/pods", "", 200, "application/json", LIST("9", "", ITEM("a") "," ITEM("b"))}},
		 "paging",
		 DOCTOR_BROKEN,
		 -1},
		{"an empty token",
		 {{"/pods", "", 200, "application/json", LIST("9", "", ITEM("a") "," ITEM("b"))}},
		 "paging-end",
		 DOCTOR_WARNING,
		 DOCTOR_EMPTY_CONTINUE},
		{"a cache behind the store",
		 {{"/pods", "resourceVersion=0", 200, "application/json", LIST("4", "", ITEM("a"))},
		  {"/pods", "", 200, "application/json", LIST("9", "", ITEM("a") "," ITEM("b"))}},
		 "cache",
		 DOCTOR_WARNING,
		 DOCTOR_STALE},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct doctor_options options = {.time_ns = 1};
		struct doctor doctor;
		struct rig rig;
		size_t count = 0;

		CHECK_ROW("%s", rows[i].name);
		while (count < 4 && rows[i].rows[count].path_part != NULL)
			count++;
		rig_init(&rig, rows[i].rows, count);
		doctor_init(&doctor, &rig.ask, &options);
		snprintf(doctor.resource.path, sizeof(doctor.resource.path), "/api/v1/pods");
		doctor.items = 2;
		doctor_probe_lists(&doctor);
		CHECK_TRUE(found(&doctor, rows[i].id, rows[i].severity));
		if (rows[i].trait >= 0)
			CHECK_TRUE(doctor.traits[rows[i].trait]);
		doctor_release(&doctor);
		base_loop_release(&rig.loop);
	}
	CHECK_ROW(NULL);
}

/* Long on purpose: a table. */
static void versions_out_of_range_are_judged(void)
{
	static const struct {
		const char *name;
		struct script rows[3];
		const char *id;
		enum doctor_severity severity;
		enum doctor_trait trait;
	} rows[] = {
		{"410 in the stream",
		 {{"/pods", "resourceVersion=1&", 200, "application/json",
		   "{\"type\":\"ERROR\",\"object\":{\"code\":410}}\n"},
		  {"/pods", "", 504, "application/json",
		   "{\"reason\":\"ResourceVersionTooLarge\"}"}},
		 "too-old",
		 DOCTOR_GOOD,
		 DOCTOR_GONE_EVENT},
		{"410 as a status",
		 {{"/pods", "resourceVersion=1&", 410, "application/json", "{}"},
		  {"/pods", "", 504, "application/json",
		   "{\"reason\":\"ResourceVersionTooLarge\"}"}},
		 "too-old",
		 DOCTOR_NOTE,
		 DOCTOR_GONE_STATUS},
		{"410 of a list",
		 {{"/pods", "resourceVersionMatch=Exact", 410, "application/json", "{}"},
		  {"/pods", "resourceVersion=1&", 410, "application/json", "{}"},
		  {"/pods", "", 504, "application/json",
		   "{\"reason\":\"ResourceVersionTooLarge\"}"}},
		 "too-old-list",
		 DOCTOR_GOOD,
		 DOCTOR_TOO_LARGE},
		{"nothing is said",
		 {{"/pods", "resourceVersion=1&", 200, "application/json", ""},
		  {"/pods", "", 504, "application/json",
		   "{\"reason\":\"ResourceVersionTooLarge\"}"}},
		 "too-old",
		 DOCTOR_BROKEN,
		 DOCTOR_GONE_SILENT},
		{"too large with its cause",
		 {{"/pods", "resourceVersion=1&", 410, "application/json", "{}"},
		  {"/pods", "", 504, "application/json",
		   "{\"reason\":\"ResourceVersionTooLarge\"}"}},
		 "too-large",
		 DOCTOR_GOOD,
		 DOCTOR_TOO_LARGE},
		{"too large by its text",
		 {{"/pods", "resourceVersion=1&", 410, "application/json", "{}"},
		  {"/pods", "", 504, "application/json", "Too large resource version: 9"}},
		 "too-large",
		 DOCTOR_WARNING,
		 DOCTOR_TOO_LARGE_NO_CAUSE},
		{"too large goes through",
		 {{"/pods", "resourceVersion=1&", 410, "application/json", "{}"},
		  {"/pods", "", 200, "application/json", LIST("4", "", ITEM("a"))}},
		 "too-large",
		 DOCTOR_BROKEN,
		 DOCTOR_TOO_LARGE_ACCEPTED},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct doctor_options options = {.time_ns = 1};
		struct doctor doctor;
		struct rig rig;

		CHECK_ROW("%s", rows[i].name);
		rig_init(&rig, rows[i].rows, rows[i].rows[2].path_part != NULL ? 3 : 2);
		doctor_init(&doctor, &rig.ask, &options);
		snprintf(doctor.resource.path, sizeof(doctor.resource.path), "/api/v1/pods");
		snprintf(doctor.list_rv, sizeof(doctor.list_rv), "9");
		doctor_probe_versions(&doctor);
		CHECK_TRUE(found(&doctor, rows[i].id, rows[i].severity));
		CHECK_TRUE(doctor.traits[rows[i].trait]);
		CHECK_INT(doctor_exit(&doctor), rows[i].severity == DOCTOR_BROKEN);
		doctor_release(&doctor);
		base_loop_release(&rig.loop);
	}
	CHECK_ROW(NULL);
}

static void of_a_store_at_its_first_version_none_is_too_old(void)
{
	static const struct script rows[] = {{"/pods", "", 200, "application/json", ""}};
	const struct doctor_options options = {.time_ns = 1};
	struct doctor doctor;
	struct rig rig;

	rig_init(&rig, rows, 1);
	doctor_init(&doctor, &rig.ask, &options);
	snprintf(doctor.resource.path, sizeof(doctor.resource.path), "/api/v1/pods");
	snprintf(doctor.list_rv, sizeof(doctor.list_rv), "1");
	doctor_probe_versions(&doctor);
	CHECK_TRUE(found(&doctor, "too-old", DOCTOR_UNKNOWN));
	doctor_release(&doctor);
	base_loop_release(&rig.loop);
}

static void every_finding_is_listed_once(void)
{
	for (size_t i = 0; i < doctor_kind_count; i++) {
		CHECK_ROW("%s %s", doctor_kinds[i].id,
			  doctor_severity_word(doctor_kinds[i].severity));
		CHECK_TRUE(doctor_kinds[i].meaning[0] != '\0');
		for (size_t j = i + 1; j < doctor_kind_count; j++)
			CHECK_FALSE(strcmp(doctor_kinds[i].id, doctor_kinds[j].id) == 0 &&
				    doctor_kinds[i].severity == doctor_kinds[j].severity);
	}
	CHECK_ROW(NULL);
}

/* Whether a value has all that the schema requires, and nothing that it does not name. */
static void check_shape(struct base_str schema, struct base_str value)
{
	const struct base_str properties = base_json_get(schema, BASE_STR("properties"));
	const struct base_str items = base_json_get(schema, BASE_STR("items"));
	struct base_json_iter it;

	base_json_iter_init(&it, base_json_get(schema, BASE_STR("required")));
	while (base_json_iter_next(&it))
		CHECK_TRUE(base_json_get(value, doctor_plain(it.value)).len > 0);
	if (base_json_kind_of(value) == BASE_JSON_ARRAY) {
		base_json_iter_init(&it, value);
		while (base_json_iter_next(&it))
			check_shape(items, it.value);
	} else if (base_json_kind_of(value) == BASE_JSON_OBJECT) {
		base_json_iter_init(&it, value);
		while (base_json_iter_next(&it)) {
			const struct base_str of = base_json_get(properties, it.key);

			CHECK_ROW("%.*s", BASE_STR_ARG(it.key));
			CHECK_TRUE(of.len > 0);
			check_shape(of, it.value);
		}
	}
}

static void the_json_has_the_shape_that_its_schema_says(void)
{
	static const struct script rows[] = {
		{"/pods", "limit=1", 200, "application/json", LIST("9", "", ITEM("a"))},
		{"/pods", "", 200, "application/json", LIST("9", "", ITEM("a") "," ITEM("b"))}};
	const struct doctor_options options = {.time_ns = 1};
	struct base_str schema, value;
	struct base_error error;
	struct doctor doctor;
	struct base_buf out;
	struct rig rig;

	rig_init(&rig, rows, 2);
	doctor_init(&doctor, &rig.ask, &options);
	snprintf(doctor.resource.path, sizeof(doctor.resource.path), "/api/v1/pods");
	doctor.items = 2;
	doctor_probe_lists(&doctor);
	doctor_trait_set(&doctor, DOCTOR_CUT);
	base_buf_init(&out, NULL, 1 << 20);
	doctor_write_json(&doctor, &out);
	REQUIRE_TRUE(base_json_check(base_str(doctor_schema()), &schema, NULL, &error) == BASE_OK);
	REQUIRE_TRUE(base_json_check(base_buf_peek(&out), &value, NULL, &error) == BASE_OK);
	check_shape(schema, value);
	CHECK_ROW(NULL);
	base_buf_release(&out);
	doctor_release(&doctor);
	base_loop_release(&rig.loop);
}

/* What was asked when the time was up has no answer that counts. */
static void what_is_cut_short_finds_nothing(void)
{
	static const struct script rows[] = {{"/pods", "", 500, "application/json", "{}"}};
	const struct doctor_options options = {.time_ns = 1};
	struct doctor doctor;
	struct rig rig;
	bool stop = true;

	rig_init(&rig, rows, 1);
	rig.ask.stop = &stop;
	doctor_init(&doctor, &rig.ask, &options);
	snprintf(doctor.resource.path, sizeof(doctor.resource.path), "/api/v1/pods");
	doctor.items = 2;
	doctor_probe_lists(&doctor);
	doctor_probe_versions(&doctor);
	CHECK_SIZE(doctor.finding_count, 0);
	CHECK_U64(rig.ask.requests, 0);
	doctor_release(&doctor);
	base_loop_release(&rig.loop);
}

static void a_resource_is_found_by_discovery(void)
{
	static const struct script rows[] = {
		{"/apis/example.com/v2", "", 200, "application/json",
		 "{\"resources\":[{\"name\":\"widgets\",\"kind\":\"Widget\",\"namespaced\":true}]}"},
		{"/apis/example.com", "", 200, "application/json",
		 "{\"preferredVersion\":{\"version\":\"v2\"}}"},
		{"/api/v1", "", 200, "application/json",
		 "{\"resources\":[{\"name\":\"nodes\",\"kind\":\"Node\",\"namespaced\":false}]}"},
	};
	struct doctor_resource resource;
	struct base_error error;
	struct rig rig;

	rig_init(&rig, rows, 3);
	CHECK_TRUE(doctor_lookup(&rig.ask, "widgets.example.com", "shop", &resource, &error));
	CHECK_TEXT(resource.path, "/apis/example.com/v2/namespaces/shop/widgets");
	CHECK_TEXT(resource.kind, "Widget");
	CHECK_TRUE(doctor_lookup(&rig.ask, "nodes", "shop", &resource, &error));
	CHECK_TEXT(resource.path, "/api/v1/nodes");
	CHECK_FALSE(doctor_lookup(&rig.ask, "gadgets", NULL, &resource, &error));
	CHECK_TEXT(error.text, "/api/v1 has no resource named gadgets");
	CHECK_FALSE(doctor_lookup(&rig.ask, "gadgets.other.io", NULL, &resource, &error));
	CHECK_CONTAINS(error.text, "connection refused");
	base_loop_release(&rig.loop);
}

static void nobody_there_is_unreachable(void)
{
	const struct doctor_options options = {.time_ns = 1};
	struct doctor doctor;
	struct base_buf out;
	struct rig rig;

	rig_init(&rig, NULL, 0);
	doctor_init(&doctor, &rig.ask, &options);
	doctor_examine(&doctor);
	CHECK_INT(doctor_exit(&doctor), 3);
	base_buf_init(&out, NULL, 1 << 20);
	doctor_write_text(&doctor, true, &out);
	CHECK_CONTAINS(out.ptr, "1 requests");
	base_buf_clear(&out);
	doctor_write_json(&doctor, &out);
	CHECK_CONTAINS(out.ptr, "\"reachable\":false");
	base_buf_release(&out);
	doctor_release(&doctor);
	base_loop_release(&rig.loop);
}

static CU_TestInfo tests[] = {
	{"times of headers and objects are read", times_of_headers_and_objects_are_read},
	{"evidence is printable and short", evidence_is_printable_and_short},
	{"every trait has clients and words", every_trait_has_clients_and_words},
	{"a watch is read line by line", a_watch_is_read_line_by_line},
	{"lists are judged", lists_are_judged},
	{"versions out of range are judged", versions_out_of_range_are_judged},
	{"of a store at its first version none is too old",
	 of_a_store_at_its_first_version_none_is_too_old},
	{"every finding is listed once", every_finding_is_listed_once},
	{"the JSON has the shape that its schema says",
	 the_json_has_the_shape_that_its_schema_says},
	{"what is cut short finds nothing", what_is_cut_short_finds_nothing},
	{"a resource is found by discovery", a_resource_is_found_by_discovery},
	{"nobody there is unreachable", nobody_there_is_unreachable},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_doctor_doctor_suite;
CU_SuiteInfo sim_doctor_doctor_suite = {.pName = "sim/doctor/doctor", .pTests = tests};
