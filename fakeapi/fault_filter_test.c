/* Faults at work in a whole server: what the client sees on the wire. */
#include <stdio.h>

#include "fakeapi/fakeapi.h"

#include "ci/unit/assert.h"

#define SECOND UINT64_C(1000000000)
#define PODS "/api/v1/namespaces/default/pods"
#define LIST_PODS "GET " PODS " HTTP/1.1\r\nHost: x\r\n\r\n"
#define WATCH_PODS                                                                                 \
	"GET " PODS "?watch=true&resourceVersion=101&allowWatchBookmarks=true HTTP/1.1\r\n"        \
	"Host: x\r\n\r\n"
#define WATCH_LIST_PODS                                                                            \
	"GET " PODS "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"         \
	"&allowWatchBookmarks=true HTTP/1.1\r\nHost: x\r\n\r\n"

struct rig {
	struct base_alloc_probe probe;
	struct fakeapi *f;
	struct fakeapi_conn *conn;
	struct base_buf wire;
	const char *closed; /* NULL: open */
	uint64_t effect, lines;
};

static enum base_code rig_send(void *ctx, const char *ptr, size_t len)
{
	return base_buf_append(&((struct rig *)ctx)->wire, ptr, len);
}

static void rig_close(void *ctx, enum fakeapi_close how)
{
	struct rig *rig = ctx;

	rig->closed = how == FAKEAPI_CLOSE_FIN ? "FIN" : "RST";
	rig->conn = NULL;
}

static void rig_effect(void *self, const struct fakeapi_fault_effect *effect)
{
	((struct rig *)self)->effect += effect->count;
}

static const struct fakeapi_conn_ops ops = {.send = rig_send, .close = rig_close};

static bool rig_init(struct rig *rig)
{
	struct fakeapi_observer observer = {.self = rig, .effect = rig_effect};
	struct fakeapi_config config;

	memset(rig, 0, sizeof(*rig));
	base_alloc_probe_init(&rig->probe);
	base_buf_init(&rig->wire, NULL, 1 << 20);
	fakeapi_config_defaults(&config);
	config.alloc = &rig->probe.alloc;
	config.observer = &observer;
	rig->f = fakeapi_new(&config, NULL);
	return rig->f != NULL;
}

static void rig_release(struct rig *rig)
{
	fakeapi_free(rig->f);
	base_buf_release(&rig->wire);
	CHECK_U64(rig->probe.live_count, 0);
}

static void create(struct rig *rig, const char *name)
{
	struct fakeapi_answer answer = {0};
	char body[128];

	(void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\"}}", name);
	(void)!fakeapi_do(rig->f, "POST", BASE_STR(PODS), base_str(body), &answer);
	fakeapi_answer_release(&answer);
}

static void ask(struct rig *rig, const char *request)
{
	if (rig->conn == NULL) {
		rig->closed = NULL;
		rig->conn = fakeapi_connect(rig->f, &ops, rig, BASE_STR("i"), NULL);
	}
	base_buf_clear(&rig->wire);
	if (rig->conn != NULL)
		fakeapi_conn_recv(rig->conn, request, strlen(request));
}

static void fault_with(struct rig *rig, const struct fakeapi_fault *fault)
{
	struct base_error error = {0};

	CHECK_INT(fakeapi_fault_add(rig->f, fault, NULL, &error), BASE_OK);
}

static void fault(struct rig *rig, enum fakeapi_fault_target target, enum fakeapi_fault_kind kind)
{
	struct fakeapi_fault f;

	fakeapi_fault_defaults(&f, target, kind);
	f.status = 410;
	fault_with(rig, &f);
}

static const char *wire(struct rig *rig)
{
	return rig->wire.ptr != NULL ? rig->wire.ptr : "";
}

static bool ends_with(struct rig *rig, const char *tail)
{
	return base_str_ends(base_buf_peek(&rig->wire), base_str(tail));
}

#define LAST_CHUNK "0\r\n\r\n"

static void an_open_watch_feels_each_fault(void)
{
	static const struct {
		enum fakeapi_fault_kind kind;
		const char *closed; /* NULL: stays open */
		bool clean_end;
		const char *part; /* in the bytes after the fault and one more event */
		bool event_comes; /* the event after the fault */
	} rows[] = {
		{FAKEAPI_FAULT_STATUS, NULL, true, "\"reason\":\"Expired\",\"code\":410}}", false},
		{FAKEAPI_FAULT_RESET, "RST", false, "\"b\"", false},
		{FAKEAPI_FAULT_EOF, "FIN", false, "\"b\"", false},
		{FAKEAPI_FAULT_CUT, "FIN", false, "\"b\"", false},
		{FAKEAPI_FAULT_CLOSE, NULL, true, "\"b\"", false},
		{FAKEAPI_FAULT_STALL, NULL, false, "\"b\"", false},
		{FAKEAPI_FAULT_HALF_OPEN, NULL, false, "\"b\"", false},
		{FAKEAPI_FAULT_SPLIT, NULL, false, "1\r\n{\r\n1\r\n\"\r\n", false},
		{FAKEAPI_FAULT_TRUNCATE, NULL, true, "{\"type\":\"BOOKMARK\",\"object\":{\"kind\"",
		 false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig rig;

		CHECK_ROW("%s", fakeapi_fault_kind_word(rows[i].kind));
		REQUIRE_TRUE(rig_init(&rig));
		create(&rig, "a");
		ask(&rig, WATCH_PODS);
		create(&rig, "b");
		fault(&rig, FAKEAPI_TARGET_WATCH, rows[i].kind);
		create(&rig, "c");
		CHECK_TEXT(rig.closed != NULL ? rig.closed : "open",
			   rows[i].closed != NULL ? rows[i].closed : "open");
		CHECK_CONTAINS(wire(&rig), rows[i].part);
		CHECK_INT(ends_with(&rig, LAST_CHUNK), rows[i].clean_end);
		CHECK_INT(strstr(wire(&rig), "\"c\"") != NULL, rows[i].event_comes);
		CHECK_TRUE(rig.effect > 0);
		rig_release(&rig);
	}
}

static void a_list_request_feels_each_fault(void)
{
	static const struct {
		enum fakeapi_fault_kind kind;
		uint64_t after_bytes;
		const char *closed, *part;
	} rows[] = {
		{FAKEAPI_FAULT_STATUS, 0, NULL, "HTTP/1.1 410 Gone\r\n"},
		{FAKEAPI_FAULT_REFUSE, 0, "RST", ""},
		{FAKEAPI_FAULT_RESET, 0, "RST", ""},
		{FAKEAPI_FAULT_EOF, 0, "FIN", ""},
		{FAKEAPI_FAULT_CUT, 12, "FIN", "\r\n\r\n{\"kind\":\"Pod"},
		{FAKEAPI_FAULT_CLOSE, 12, NULL, "\r\n\r\nc\r\n{\"kind\":\"Pod\r\n0\r\n\r\n"},
		{FAKEAPI_FAULT_STALL, 0, NULL, ""},
		{FAKEAPI_FAULT_HALF_OPEN, 0, NULL, ""},
		{FAKEAPI_FAULT_CONTENT_TYPE, 0, NULL, "Content-Type: text/html\r\n"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_fault f;
		struct rig rig;

		CHECK_ROW("%s", fakeapi_fault_kind_word(rows[i].kind));
		REQUIRE_TRUE(rig_init(&rig));
		create(&rig, "a");
		fakeapi_fault_defaults(&f, FAKEAPI_TARGET_LIST, rows[i].kind);
		f.status = 410;
		f.after_bytes = rows[i].after_bytes;
		f.content_type = BASE_STR("text/html");
		fault_with(&rig, &f);
		ask(&rig, LIST_PODS);
		CHECK_TEXT(rig.closed != NULL ? rig.closed : "open",
			   rows[i].closed != NULL ? rows[i].closed : "open");
		if (rows[i].part[0] != '\0')
			CHECK_CONTAINS(wire(&rig), rows[i].part);
		else
			CHECK_SIZE(rig.wire.len, 0);
		CHECK_TRUE(rig.effect > 0);
		rig_release(&rig);
	}
}

static void a_stalled_answer_comes_when_healed(void)
{
	struct rig rig;

	REQUIRE_TRUE(rig_init(&rig));
	create(&rig, "a");
	fault(&rig, FAKEAPI_TARGET_LIST, FAKEAPI_FAULT_STALL);
	ask(&rig, LIST_PODS);
	CHECK_SIZE(rig.wire.len, 0);
	CHECK_SIZE(fakeapi_heal(rig.f, (struct base_str){0}), 1);
	CHECK_CONTAINS(wire(&rig), "HTTP/1.1 200 OK");
	CHECK_CONTAINS(wire(&rig), "\"items\":[{\"metadata\":{\"name\":\"a\"");
	ask(&rig, LIST_PODS); /* the connection can be used again */
	CHECK_CONTAINS(wire(&rig), "HTTP/1.1 200 OK");
	rig_release(&rig);
}

static void a_dead_connection_hears_and_says_nothing(void)
{
	struct rig rig;

	REQUIRE_TRUE(rig_init(&rig));
	create(&rig, "a");
	fault(&rig, FAKEAPI_TARGET_ANY, FAKEAPI_FAULT_HALF_OPEN);
	ask(&rig, LIST_PODS);
	ask(&rig, LIST_PODS);
	(void)fakeapi_heal(rig.f, (struct base_str){0});
	ask(&rig, LIST_PODS);
	CHECK_SIZE(rig.wire.len, 0);
	fakeapi_conn_close(rig.conn);
	rig.conn = NULL;
	ask(&rig, LIST_PODS);
	CHECK_CONTAINS(wire(&rig), "HTTP/1.1 200 OK");
	rig_release(&rig);
}

static void drip_takes_its_time(void)
{
	struct fakeapi_fault f;
	struct rig rig;

	REQUIRE_TRUE(rig_init(&rig));
	create(&rig, "a");
	fakeapi_fault_defaults(&f, FAKEAPI_TARGET_LIST, FAKEAPI_FAULT_DRIP);
	f.piece_bytes = 100;
	f.every_ns = SECOND;
	fault_with(&rig, &f);
	ask(&rig, LIST_PODS);
	CHECK_FALSE(ends_with(&rig, "]}\n"));
	CHECK_U64(fakeapi_next_ns(rig.f), SECOND);
	for (int i = 0; i < 10 && fakeapi_next_ns(rig.f) != FAKEAPI_NEVER; i++)
		fakeapi_advance(rig.f, fakeapi_next_ns(rig.f));
	CHECK_TRUE(ends_with(&rig, "]}\n"));
	CHECK_TRUE(fakeapi_now_ns(rig.f) >= 2 * SECOND);
	rig_release(&rig);
}

static void the_end_bookmark_can_be_missing(void)
{
	struct rig rig;

	REQUIRE_TRUE(rig_init(&rig));
	create(&rig, "a");
	ask(&rig, WATCH_LIST_PODS);
	CHECK_CONTAINS(wire(&rig), "k8s.io/initial-events-end");
	rig_release(&rig);
	REQUIRE_TRUE(rig_init(&rig));
	create(&rig, "a");
	fault(&rig, FAKEAPI_TARGET_WATCH_LIST, FAKEAPI_FAULT_NO_END_BOOKMARK);
	ask(&rig, WATCH_LIST_PODS);
	CHECK_CONTAINS(wire(&rig), "\"ADDED\"");
	CHECK_TRUE(strstr(wire(&rig), "k8s.io/initial-events-end") == NULL);
	CHECK_U64(rig.effect, 1);
	rig_release(&rig);
}

static void one_object_cannot_be_decoded(void)
{
	struct fakeapi_fault f;
	struct rig rig;

	REQUIRE_TRUE(rig_init(&rig));
	create(&rig, "a");
	create(&rig, "b");
	fakeapi_fault_defaults(&f, FAKEAPI_TARGET_ANY, FAKEAPI_FAULT_UNDECODABLE);
	f.object = BASE_STR("default/b");
	fault_with(&rig, &f);
	ask(&rig, LIST_PODS);
	CHECK_CONTAINS(wire(&rig), "\"name\":\"b\",");
	CHECK_CONTAINS(wire(&rig), ",\"labels\":7}");
	ask(&rig, "GET " PODS "/b HTTP/1.1\r\nHost: x\r\n\r\n");
	CHECK_CONTAINS(wire(&rig), ",\"labels\":7}");
	ask(&rig, WATCH_LIST_PODS);
	CHECK_CONTAINS(wire(&rig), ",\"labels\":7}");
	CHECK_U64(rig.effect, 3);
	rig_release(&rig);
}

static void refusals_are_asked_before_connecting(void)
{
	struct fakeapi_fault f;
	struct rig rig;

	REQUIRE_TRUE(rig_init(&rig));
	fakeapi_fault_defaults(&f, FAKEAPI_TARGET_LIST, FAKEAPI_FAULT_REFUSE);
	f.resource = BASE_STR("pods");
	fault_with(&rig, &f);
	CHECK_FALSE(fakeapi_refuses(rig.f, BASE_STR("i"), BASE_STR("GET"),
				    BASE_STR("/api/v1/configmaps")));
	CHECK_TRUE(fakeapi_refuses(rig.f, BASE_STR("i"), BASE_STR("GET"), BASE_STR(PODS)));
	CHECK_FALSE(fakeapi_refuses(rig.f, BASE_STR("i"), BASE_STR("GET"), BASE_STR(PODS)));
	rig_release(&rig);
}

static void every_allocation_may_fail(void)
{
	static const enum fakeapi_fault_kind kinds[] = {FAKEAPI_FAULT_STALL, FAKEAPI_FAULT_DRIP,
							FAKEAPI_FAULT_TRUNCATE};
	bool failed = true;

	for (uint64_t n = 1; failed && n < 2000; n++) {
		struct rig rig;

		REQUIRE_TRUE(rig_init(&rig));
		create(&rig, "a");
		rig.probe.fail_at = rig.probe.request_count + n;
		ask(&rig, WATCH_LIST_PODS);
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			struct fakeapi_fault f;

			fakeapi_fault_defaults(&f, FAKEAPI_TARGET_WATCH, kinds[i]);
			f.until_ns = (i + 1) * SECOND;
			(void)!fakeapi_fault_add(rig.f, &f, NULL, NULL);
			create(&rig, i == 0 ? "b" : i == 1 ? "c" : "d");
		}
		fakeapi_advance(rig.f, 5 * SECOND);
		ask(&rig, LIST_PODS);
		failed = rig.probe.failed_count > 0;
		rig_release(&rig);
	}
	CHECK_FALSE(failed);
}

static CU_TestInfo tests[] = {
	{"an open watch feels each fault", an_open_watch_feels_each_fault},
	{"a list request feels each fault", a_list_request_feels_each_fault},
	{"a stalled answer comes when healed", a_stalled_answer_comes_when_healed},
	{"a dead connection hears and says nothing", a_dead_connection_hears_and_says_nothing},
	{"drip takes its time", drip_takes_its_time},
	{"the end bookmark can be missing", the_end_bookmark_can_be_missing},
	{"one object cannot be decoded", one_object_cannot_be_decoded},
	{"refusals are asked before connecting", refusals_are_asked_before_connecting},
	{"every allocation may fail", every_allocation_may_fail},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_fault_filter_suite;
CU_SuiteInfo fakeapi_fault_filter_suite = {"fakeapi/fault_filter", NULL, NULL, NULL, NULL, tests};
