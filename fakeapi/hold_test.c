/* A store that does not answer: what caches still say, and what runs into its deadline (W-9, 6.4). */
#include "fakeapi/rig_test.h"

static size_t send(struct rig *rig, const char *method, const char *target, const char *body)
{
	char request[1024];
	size_t i = rig_connect(rig);
	snprintf(request, sizeof request,
		 "%s %s HTTP/1.1\r\nHost: x\r\nContent-Type: "
		 "application/merge-patch+json\r\nContent-Length: %zu\r\n\r\n%s",
		 method, target, strlen(body), body);
	rig_write(rig, i, request);
	return i;
}

static const struct {
	const char *name, *method, *target, *body;
	int at_once;          /* status; 0: it waits */
	uint64_t deadline_ms; /* when it gives up */
	int late;             /* status then; 0: the connection is closed without a word */
	int resumed;          /* status when the store answers after a second */
} rows[] = {
	{"list at 0", "GET", RIG_MAPS "?resourceVersion=0", "", 200, 0, 0, 0},
	{"list at a version known", "GET", RIG_MAPS "?resourceVersion=103", "", 200, 0, 0, 0},
	{"list of the future", "GET", RIG_MAPS "?resourceVersion=104", "", 0, 3000, 504, 504},
	{"list at a snapshot", "GET", RIG_MAPS "?resourceVersion=102&resourceVersionMatch=Exact",
	 "", 200, 0, 0, 0},
	{"list of now", "GET", RIG_MAPS, "", 0, 60000, 0, 200},
	{"list of now, in a hurry", "GET", RIG_MAPS "?timeout=4s", "", 0, 4000, 0, 200},
	{"a page of now", "GET", RIG_MAPS "?limit=1&timeout=1m0.5s", "", 0, 60000, 504, 200},
	{"a page, half a second", "GET", RIG_MAPS "?limit=1&timeout=1500ms", "", 0, 1500, 504, 200},
	{"get of now", "GET", RIG_MAPS "/a?timeout=4s", "", 0, 4000, 0, 200},
	{"get at 0", "GET", RIG_MAPS "/a?resourceVersion=0", "", 200, 0, 0, 0},
	{"a write", "PATCH", RIG_MAPS "/a", "{}", 0, 34000, 504, 200},
	{"a write in a hurry", "PATCH", RIG_MAPS "/a?timeout=4s", "{}", 0, 4000, 504, 200},
	{"a delete", "DELETE", RIG_MAPS "/a?timeout=4s", "", 0, 4000, 504, 200},
	{"a watch from a version", "GET", RIG_MAPS "?watch=1&resourceVersion=103&timeoutSeconds=5",
	 "", 200, 0, 0, 0},
	{"a watch at 0", "GET", RIG_MAPS "?watch=1&resourceVersion=0&timeoutSeconds=5", "", 200, 0,
	 0, 0},
	{"a watch of now", "GET", RIG_MAPS "?watch=1&timeoutSeconds=5", "", 0, 5000, 200, 200},
	{"a bad request", "GET", RIG_MAPS "?limit=x", "", 400, 0, 0, 0},
	{"the server itself", "GET", "/version", "", 200, 0, 0, 0},
};

static void each_request_waits_or_does_not(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		CHECK_ROW("%s", rows[i].name);
		rig_init(&rig, NULL, NULL);
		rig_fill(&rig);
		CHECK_INT(fakeapi_pause_store(rig.f), BASE_OK);
		size_t late = send(&rig, rows[i].method, rows[i].target, rows[i].body);
		CHECK_INT(rig_status(&rig, late), rows[i].at_once);
		CHECK_FALSE(rig.conns[late].closed);
		if (rows[i].at_once == 0) {
			rig_advance(&rig, rows[i].deadline_ms - 1);
			CHECK_INT(rig_status(&rig, late), 0);
			CHECK_FALSE(rig.conns[late].closed);
			rig_advance(&rig, rows[i].deadline_ms);
			CHECK_INT(rig_status(&rig, late), rows[i].late);
			CHECK_INT(rig.conns[late].closed, rows[i].late == 0);
			size_t held = send(&rig, rows[i].method, rows[i].target, rows[i].body);
			rig_advance(&rig, rows[i].deadline_ms + 1000);
			CHECK_INT(rig_status(&rig, held), 0);
			fakeapi_resume_store(rig.f);
			rig_advance(&rig, rows[i].deadline_ms * 3);
			CHECK_INT(rig_status(&rig, held), rows[i].resumed);
		}
		rig_release(&rig);
	}
}

static void the_deadline_has_its_own_form(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	CHECK_INT(fakeapi_pause_store(rig.f), BASE_OK);
	size_t write = send(&rig, "PATCH", RIG_MAPS "/a?timeout=4s", "{}");
	size_t slow = send(&rig, "PATCH", RIG_MAPS "/a", "{}");
	size_t watch = send(&rig, "GET", RIG_MAPS "?watch=1&timeoutSeconds=5", "");
	rig_advance(&rig, 34000);
	CHECK_STR(rig_body(&rig, write),
		  "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"Timeout: request did not "
		  "complete within the allotted timeout\",\"reason\":\"Timeout\",\"details\":{},"
		  "\"code\":504}\n");
	CHECK_STR(rig_header(&rig, write, "Content-Type"), "text/plain; charset=utf-8");
	CHECK_STR(rig_header(&rig, write, "X-Kubernetes-Pf-Flowschema-Uid"), "");
	CHECK_TRUE(
		base_str_find(rig_body(&rig, slow), BASE_STR("within requested timeout - context "
							     "deadline exceeded")) != SIZE_MAX);
	CHECK_STR(
		rig_body(&rig, watch),
		"{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
		"\"metadata\":{},\"status\":\"Failure\",\"message\":\"context deadline exceeded\","
		"\"reason\":\"InternalError\",\"code\":500}}\n");
	rig_release(&rig);
}

/* The cluster changes behind the servers' back: they see it when the store answers again. */
static void streams_are_silent_and_go_on(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	size_t open = rig_get(&rig, RIG_MAPS "?watch=1&resourceVersion=103&allowWatchBookmarks=1");
	CHECK_INT(fakeapi_pause_store(rig.f), BASE_OK);
	rig_touch(&rig, "a", 1);
	rig_advance(&rig, 120000);
	CHECK_TEXT(rig_lines(&rig, open), "");
	size_t list = rig_get(&rig, RIG_MAPS "?resourceVersion=0");
	CHECK_TRUE(base_str_find(rig_body(&rig, list), BASE_STR("{\"resourceVersion\":\"103\"}")) !=
		   SIZE_MAX);
	fakeapi_resume_store(rig.f);
	CHECK_TEXT(rig_lines(&rig, open), "M104");
	rig_release(&rig);
}

static void a_client_that_goes_while_it_waits_leaves_nothing(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	CHECK_INT(fakeapi_pause_store(rig.f), BASE_OK);
	size_t gone = send(&rig, "GET", RIG_MAPS, "");
	fakeapi_conn_close(rig.conns[gone].conn);
	rig.conns[gone].conn = NULL;
	(void)send(&rig, "GET", RIG_MAPS, "");
	fakeapi_kill(rig.f);
	fakeapi_resume_store(rig.f);
	rig_advance(&rig, 120000);
	rig_release(&rig);
}

static CU_TestInfo tests[] = {
	{"each request waits or does not", each_request_waits_or_does_not},
	{"the deadline has its own form", the_deadline_has_its_own_form},
	{"streams are silent and go on", streams_are_silent_and_go_on},
	{"a client that goes while it waits leaves nothing",
	 a_client_that_goes_while_it_waits_leaves_nothing},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_hold_suite;
CU_SuiteInfo fakeapi_hold_suite = {"fakeapi/hold", NULL, NULL, NULL, NULL, tests};
