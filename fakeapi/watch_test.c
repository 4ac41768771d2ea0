#include "fakeapi/rig_test.h"

static void where_a_watch_starts(void)
{
	/* a 101, b 102, c 103, a again 104; then live: b again 105, c deleted 106. */
	static const struct {
		const char *rule, *query, *at_once, *then;
	} rows[] = {
		{"W-1",
		 "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
		 "A104 A102 A103 E104", " M105 D106"},
		{"W-1 by default", "allowWatchBookmarks=true", "A104 A102 A103 E104", " M105 D106"},
		{"W-1 without bookmarks", "", "A104 A102 A103", " M105 D106"},
		{"W-2", "resourceVersion=0&allowWatchBookmarks=1", "A104 A102 A103 E104",
		 " M105 D106"},
		{"W-3",
		 "resourceVersion=102&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
		 "allowWatchBookmarks=true",
		 "A104 A102 A103 E104", " M105 D106"},
		{"W-4", "resourceVersion=102", "A103 M104", " M105 D106"},
		{"W-4 at the beginning", "resourceVersion=100", "A101 A102 A103 M104",
		 " M105 D106"},
		{"W-4 up to date", "resourceVersion=104", "", "M105 D106"},
		{"W-4 too old", "resourceVersion=99", "X410.", ""},
		{"W-4 of the future", "resourceVersion=105", "", "D106"},
		{"W-5",
		 "resourceVersion=103&sendInitialEvents=false&resourceVersionMatch=NotOlderThan",
		 "M104", " M105 D106"},
		{"W-6", "sendInitialEvents=false&resourceVersionMatch=NotOlderThan", "",
		 "M105 D106"},
		{"W-7",
		 "resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan", "",
		 "M105 D106"},
		{"one name", "resourceVersion=100&fieldSelector=metadata.name%3Db", "A102",
		 " M105"},
		{"no label", "resourceVersion=100&labelSelector=!x", "", ""},
		{"limit is ignored", "resourceVersion=100&limit=1", "A101 A102 A103 M104",
		 " M105 D106"},
		{"negative timeout", "resourceVersion=100&timeoutSeconds=-1", ".", ""},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		char target[256], all[256];
		CHECK_ROW("%s ?%s", rows[i].rule, rows[i].query);
		rig_init(&rig, NULL, NULL);
		rig_fill(&rig);
		rig_touch(&rig, "a", 1);
		snprintf(target, sizeof target, RIG_MAPS "?watch=true&%s", rows[i].query);
		size_t c = rig_get(&rig, target);
		CHECK_INT(rig_status(&rig, c), 200);
		CHECK_TEXT(rig_lines(&rig, c), rows[i].at_once);
		rig_touch(&rig, "b", 1);
		CHECK_INT(rig_do(&rig, "DELETE", RIG_MAPS "/c", NULL), 200);
		snprintf(all, sizeof all, "%s%s", rows[i].at_once, rows[i].then);
		CHECK_TEXT(rig_lines(&rig, c), all);
		rig_release(&rig);
	}
}

#define V1                                                                                         \
	"Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
#define V2 "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
#define V3 "Unsupported value: \\\"Exact\\\": supported values: \\\"NotOlderThan\\\""
#define V4 "Forbidden: resourceVersionMatch is forbidden when continue is provided"
#define V5                                                                                         \
	"Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"

static void invalid_combinations_are_422(void)
{
	static const struct {
		const char *profile, *query, *causes[3];
	} rows[] = {
		{"1.36", "resourceVersionMatch=NotOlderThan", {V1}},
		{"1.36", "resourceVersion=5&resourceVersionMatch=NotOlderThan", {V1}},
		{"1.36", "resourceVersionMatch=Exact", {V1, V3}},
		{"1.36", "sendInitialEvents=true", {V2}},
		{"1.36", "sendInitialEvents=false", {V2}},
		{"1.36", "sendInitialEvents=true&resourceVersionMatch=Exact", {V2, V3}},
		{"1.36",
		 "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x",
		 {V4}},
		{"1.36", "continue=x", {V4}},
		{"1.33", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan", {V5}},
		{"1.33", "sendInitialEvents=true", {V2, V5}},
		{"1.33", "sendInitialEvents=true&resourceVersionMatch=Exact", {V2, V5, V3}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		char target[256], causes[2048];
		size_t len = 0;
		CHECK_ROW("%s ?%s", rows[i].profile, rows[i].query);
		rig_init(&rig, rows[i].profile, NULL);
		snprintf(target, sizeof target, RIG_MAPS "?watch=true&%s", rows[i].query);
		size_t c = rig_get(&rig, target);
		CHECK_INT(rig_status(&rig, c), 422);
		for (size_t j = 0; j < 3 && rows[i].causes[j] != NULL; j++) {
			bool unsupported = strcmp(rows[i].causes[j], V3) == 0;
			len += (size_t)snprintf(
				causes + len, sizeof causes - len,
				"%s{\"reason\":\"%s\",\"message\":\"%s\",\"field\":\"%s\"}",
				j == 0 ? "[" : ",",
				unsupported ? "FieldValueNotSupported" : "FieldValueForbidden",
				rows[i].causes[j],
				strcmp(rows[i].causes[j], V5) == 0 ? "sendInitialEvents"
								   : "resourceVersionMatch");
		}
		snprintf(causes + len, sizeof causes - len, "]");
		struct base_str body = rig_body(&rig, c);
		CHECK_STR(base_json_path(body, 2, "details", "causes"), causes);
		CHECK_TRUE(base_str_starts(
			body, BASE_STR("{\"kind\":\"Status\",\"apiVersion\":\"v1\",")));
		rig_release(&rig);
	}
}

static void the_whole_422_is_as_recorded(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	size_t c = rig_get(&rig, RIG_MAPS "?watch=true&sendInitialEvents=true");
	CHECK_STR(
		rig_body(&rig, c),
		"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
		"\"message\":\"ListOptions.meta.k8s.io \\\"\\\" is invalid: resourceVersionMatch: "
		"Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan\","
		"\"reason\":\"Invalid\",\"details\":{\"group\":\"meta.k8s.io\",\"kind\":\"ListOptions\","
		"\"causes\":[{\"reason\":\"FieldValueForbidden\",\"message\":\"Forbidden: "
		"sendInitialEvents requires setting resourceVersionMatch to NotOlderThan\",\"field\":"
		"\"resourceVersionMatch\"}]},\"code\":422}\n");
	c = rig_get(&rig, RIG_MAPS "?watch=true&resourceVersion=-1");
	CHECK_INT(rig_status(&rig, c), 500);
	CHECK_STR(
		rig_body(&rig, c),
		"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
		"\"message\":\"resourceVersion: Invalid value: \\\"-1\\\": strconv.ParseUint: parsing "
		"\\\"-1\\\": invalid syntax\",\"code\":500}\n");
	rig_release(&rig);
}

static void lines_are_as_recorded(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	size_t c = rig_get(&rig, RIG_MAPS "?watch=true&allowWatchBookmarks=true");
	CHECK_STR(
		rig_body(&rig, c),
		"{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
		"\"metadata\":{\"resourceVersion\":\"100\",\"annotations\":{\"k8s.io/initial-events-end\":"
		"\"true\"}}}}\n");
	c = rig_get(&rig, RIG_MAPS "?watch=true&resourceVersion=12");
	CHECK_STR(
		rig_body(&rig, c),
		"{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
		"\"status\":\"Failure\",\"message\":\"too old resource version: 12 (100)\",\"reason\":"
		"\"Expired\",\"code\":410}}\n");
	CHECK_STR(rig_header(&rig, c, "Content-Type"), "application/json");
	CHECK_STR(rig_header(&rig, c, "Transfer-Encoding"), "chunked");
	c = rig_get(&rig, "/api/v1/pods?watch=true&allowWatchBookmarks=true");
	CHECK_STR(
		rig_body(&rig, c),
		"{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"
		"\"resourceVersion\":\"100\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}},"
		"\"spec\":{\"containers\":null},\"status\":{}}}\n");
	rig_release(&rig);
}

static void selectors_turn_changes_round(void)
{
	/* */
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_create(&rig, "o");
	size_t live = rig_get(&rig, RIG_MAPS "?watch=true&resourceVersion=101&labelSelector=x%3D2");
	CHECK_INT(rig_do(&rig, "PATCH", RIG_MAPS "/o", "{\"metadata\":{\"labels\":{\"x\":\"2\"}}}"),
		  200);
	rig_touch(&rig, "o", 1);
	CHECK_INT(rig_do(&rig, "PATCH", RIG_MAPS "/o",
			 "{\"metadata\":{\"labels\":{\"x\":\"3\"}},\"data\":{\"k\":\"9\"}}"),
		  200);
	CHECK_INT(rig_do(&rig, "PATCH", RIG_MAPS "/o", "{\"metadata\":{\"labels\":{\"x\":\"2\"}}}"),
		  200);
	CHECK_INT(rig_do(&rig, "DELETE", RIG_MAPS "/o", NULL), 200);
	CHECK_TEXT(rig_lines(&rig, live), "A102 M103 D104 A105 D106");
	/* The DELETED of 104 shows labels and data as of 103. */
	struct base_str body = rig_body(&rig, live);
	size_t at = base_str_find(body, BASE_STR("\"DELETED\""));
	REQUIRE_TRUE(at != SIZE_MAX);
	body = base_str_skip(body, at);
	CHECK_TRUE(base_str_find(body, BASE_STR("\"data\":{\"k\":\"1\"}")) <
		   base_str_find(body, BASE_STR("\"ADDED\"")));
	size_t replay =
		rig_get(&rig, RIG_MAPS "?watch=true&resourceVersion=101&labelSelector=x%3D2");
	CHECK_TEXT(rig_lines(&rig, replay), "A102 M103 D104 A105 D106");
	rig_release(&rig);
}

static void bookmarks_come_on_time(void)
{
	static const struct {
		const char *name, *query;
		int timeout;
		uint64_t at_ms[6]; /* of bookmarks; the revision moves each 500 ms */
	} rows[] = {
		{"from a version: 60 s",
		 "resourceVersion=103",
		 130,
		 {60000, 120000, 128000, 129000}},
		{"after the end bookmark: the next tick", "", 70, {1000, 61000, 68000, 69000}},
		{"two before the end", "resourceVersion=103", 8, {6000, 7000}},
		{"too short", "resourceVersion=103", 1, {0}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		char target[256];
		uint64_t seen[8] = {0};
		size_t count = 0, was = 0;
		CHECK_ROW("%s", rows[i].name);
		rig_init(&rig, NULL, NULL);
		rig_fill(&rig);
		snprintf(target, sizeof target,
			 RIG_MAPS "?watch=true&allowWatchBookmarks=true&timeoutSeconds=%d&"
				  "labelSelector=never&%s",
			 rows[i].timeout, rows[i].query);
		size_t c = rig_get(&rig, target);
		for (uint64_t ms = 0; ms <= (uint64_t)rows[i].timeout * 1000; ms += 250) {
			rig_advance(&rig, ms);
			const char *lines = rig_lines(&rig, c);
			size_t now = 0;
			for (const char *p = lines; *p != '\0'; p++)
				now += *p == 'B';
			if (now != was && count < 8)
				seen[count++] = ms;
			was = now;
			if (ms % 500 == 250)
				rig_touch(&rig, "a", (int)ms);
		}
		for (size_t j = 0; j < 6; j++)
			CHECK_U64(seen[j], rows[i].at_ms[j]);
		(void)rig_body(&rig, c);
		CHECK_TRUE(rig.conns[c].whole);
		CHECK_FALSE(rig.conns[c].closed);
		rig_release(&rig);
	}
}

static void an_idle_stream_costs_and_says_nothing(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	size_t c =
		rig_get(&rig, RIG_MAPS "?watch=true&allowWatchBookmarks=true&timeoutSeconds=3600");
	size_t steps = 0;
	while (fakeapi_next_ns(rig.f) <= 3600 * UINT64_C(1000) * RIG_MS) {
		fakeapi_advance(rig.f, fakeapi_next_ns(rig.f));
		steps++;
	}
	CHECK_TEXT(rig_lines(&rig, c), "A101 A102 A103 E103.");
	CHECK_TRUE(steps < 70);
	CHECK_U64(fakeapi_next_ns(rig.f), FAKEAPI_NEVER);
	rig_release(&rig);
}

static void bookmarks_carry_versions_of_others(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	size_t c =
		rig_get(&rig, RIG_MAPS "?watch=true&allowWatchBookmarks=true&resourceVersion=103");
	rig_advance(&rig, 30000);
	rig_other(&rig, "s");
	rig_advance(&rig, 60000);
	CHECK_TEXT(rig_lines(&rig, c), "B104");
	rig_advance(&rig, 120000);
	CHECK_TEXT(rig_lines(&rig, c), "B104 B104");
	rig_release(&rig);
}

static void three_ways_to_lose_history(void)
{
	enum way { COMPACT, FORGET, RESTART, RESTART_AFTER_OTHER };
	static const struct {
		const char *name;
		enum way way;
		const char *from_102, *from_104, *exact_103;
	} rows[] = {
		{"compact: watches do not notice", COMPACT, "A103 M104", "", "410"},
		{"forget: older watches get 410", FORGET, "X410.", "", "200"},
		{"restart: older watches get 410", RESTART, "X410.", "", "200"},
		{"restart after another resource moved", RESTART_AFTER_OTHER, "X410.", "X410.",
		 "200"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		struct base_error error = {0};
		char status[16];
		CHECK_ROW("%s", rows[i].name);
		rig_init(&rig, NULL, NULL);
		rig_fill(&rig);
		rig_touch(&rig, "a", 1);
		size_t open = rig_get(&rig, RIG_MAPS "?watch=true&resourceVersion=104");
		if (rows[i].way == RESTART_AFTER_OTHER)
			rig_other(&rig, "s");
		if (rows[i].way == COMPACT)
			CHECK_INT(fakeapi_compact(rig.f, 104, &error), BASE_OK);
		if (rows[i].way == FORGET)
			fakeapi_forget(rig.f, NULL);
		if (rows[i].way >= RESTART) {
			fakeapi_kill(rig.f);
			CHECK_FALSE(fakeapi_is_up(rig.f));
			CHECK_TRUE(rig.conns[open].closed);
			CHECK_TRUE(rig.conns[rig_connect(&rig)].closed);
			fakeapi_start(rig.f);
		}
		rig_advance(&rig, 15000);
		size_t c = rig_get(&rig, RIG_MAPS "?watch=true&resourceVersion=102");
		CHECK_TEXT(rig_lines(&rig, c), rows[i].from_102);
		c = rig_get(&rig, RIG_MAPS "?watch=true&resourceVersion=104");
		CHECK_TEXT(rig_lines(&rig, c), rows[i].from_104);
		c = rig_get(&rig, RIG_MAPS "?resourceVersion=103&resourceVersionMatch=Exact");
		snprintf(status, sizeof status, "%d", rig_status(&rig, c));
		CHECK_TEXT(status, rows[i].exact_103);
		rig_touch(&rig, "a", 2);
		CHECK_TEXT(rig_lines(&rig, open), rows[i].way >= RESTART ? "" : "M105");
		rig_release(&rig);
	}
}

static void the_window_slides_when_its_events_are_old(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_create(&rig, "a");
	size_t c = rig_get(&rig, RIG_MAPS "?watch=true&resourceVersion=100");
	rig_advance(&rig, 80000);
	for (int i = 0; i < 100; i++) /* 102 … 201: the first event is evicted */
		rig_touch(&rig, "a", i);
	c = rig_get(&rig, RIG_MAPS "?watch=true&resourceVersion=100");
	CHECK_TRUE(base_str_find(rig_body(&rig, c),
				 BASE_STR("too old resource version: 100 (101)")) != SIZE_MAX);
	for (int i = 0; i < 100; i++) /* young ones make it grow */
		rig_touch(&rig, "a", 1000 + i);
	c = rig_get(&rig, RIG_MAPS "?watch=true&resourceVersion=101&timeoutSeconds=-1");
	CHECK_TEXT(rig_lines(&rig, c), ".");
	c = rig_get(&rig, RIG_MAPS "?watch=true&resourceVersion=299");
	CHECK_TEXT(rig_lines(&rig, c), "M300 M301");
	rig_release(&rig);
}

static void a_stop_ends_watches_a_minute_later(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	size_t c = rig_get(&rig, RIG_MAPS "?watch=true&resourceVersion=103");
	fakeapi_stop(rig.f);
	CHECK_TRUE(rig.conns[rig_connect(&rig)].closed);
	rig_advance(&rig, 59999);
	rig_touch(&rig, "a", 1);
	CHECK_TEXT(rig_lines(&rig, c), "M104");
	CHECK_FALSE(rig.conns[c].closed);
	rig_advance(&rig, 60000);
	CHECK_TEXT(rig_lines(&rig, c), "M104.");
	CHECK_TRUE(rig.conns[c].closed);
	rig_touch(&rig, "a", 2); /* the store lives on */
	fakeapi_start(rig.f);
	c = rig_get(&rig, RIG_MAPS "?watch=true&resourceVersion=104");
	CHECK_TEXT(rig_lines(&rig, c), "X410.");
	rig_release(&rig);
}

static void a_lagging_cache_delays_and_refuses(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	size_t c = rig_get(&rig, RIG_MAPS "?watch=true&resourceVersion=103");
	CHECK_INT(fakeapi_set_lag(rig.f, NULL, 500 * RIG_MS), BASE_OK);
	rig_touch(&rig, "a", 1);
	rig_advance(&rig, 100);
	rig_touch(&rig, "a", 2);
	rig_advance(&rig, 499);
	CHECK_TEXT(rig_lines(&rig, c), "");
	rig_advance(&rig, 500);
	CHECK_TEXT(rig_lines(&rig, c), "M104");
	rig_advance(&rig, 600);
	CHECK_TEXT(rig_lines(&rig, c), "M104 M105");
	CHECK_INT(fakeapi_set_lag(rig.f, NULL, FAKEAPI_NEVER), BASE_OK);
	rig_touch(&rig, "a", 3);
	size_t list = rig_get(&rig,
			      RIG_MAPS "?watch=true&sendInitialEvents=true&resourceVersionMatch="
				       "NotOlderThan&allowWatchBookmarks=true");
	CHECK_INT(rig_status(&rig, list), 0);
	rig_advance(&rig, 3600);
	CHECK_TEXT(rig_lines(&rig, list), "X504.");
	CHECK_TRUE(base_str_find(rig_body(&rig, list),
				 BASE_STR("Too large resource version: 106, current: 105")) !=
		   SIZE_MAX);
	CHECK_INT(fakeapi_set_lag(rig.f, NULL, 0), BASE_OK);
	CHECK_TEXT(rig_lines(&rig, c), "M104 M105 M106");
	rig_release(&rig);
}

static void old_paths_still_watch(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	size_t all = rig_get(&rig, "/api/v1/watch/namespaces/default/configmaps");
	size_t one = rig_get(&rig, "/api/v1/watch/namespaces/default/configmaps/b");
	size_t clash = rig_get(
		&rig,
		"/api/v1/watch/namespaces/default/configmaps/b?fieldSelector=metadata.name%3Da");
	CHECK_TEXT(rig_lines(&rig, all), "A101 A102 A103");
	CHECK_TEXT(rig_lines(&rig, one), "A102");
	CHECK_INT(rig_status(&rig, clash), 400);
	rig_touch(&rig, "b", 1);
	rig_touch(&rig, "a", 1);
	CHECK_TEXT(rig_lines(&rig, one), "A102 M104");
	rig_release(&rig);
}

static CU_TestInfo tests[] = {
	{"where a watch starts", where_a_watch_starts},
	{"invalid combinations are 422", invalid_combinations_are_422},
	{"the whole 422 is as recorded", the_whole_422_is_as_recorded},
	{"lines are as recorded", lines_are_as_recorded},
	{"selectors turn changes round", selectors_turn_changes_round},
	{"bookmarks come on time", bookmarks_come_on_time},
	{"an idle stream costs and says nothing", an_idle_stream_costs_and_says_nothing},
	{"bookmarks carry versions of others", bookmarks_carry_versions_of_others},
	{"three ways to lose history", three_ways_to_lose_history},
	{"the window slides when its events are old", the_window_slides_when_its_events_are_old},
	{"a stop ends watches a minute later", a_stop_ends_watches_a_minute_later},
	{"a lagging cache delays and refuses", a_lagging_cache_delays_and_refuses},
	{"old paths still watch", old_paths_still_watch},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_watch_suite;
CU_SuiteInfo fakeapi_watch_suite = {"fakeapi/watch", NULL, NULL, NULL, NULL, tests};
