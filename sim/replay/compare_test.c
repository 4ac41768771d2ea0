/* What may differ between two runs of one server is equal, everything else is different: each rule in both
 * directions. */
#include "sim/replay/replay.h"

#include <stdio.h>
#include <stdlib.h>

#include "ci/unit/assert.h"
#include "sim/fatal.h"
#include "sim/replay/replay_rig.h"

#define HEAD                                                                                       \
	"{\"recording\":\"list/x\",\"title\":\"t\",\"server\":{\"kube-apiserver\":\"v1.36.3\"}}\n"

static void parse(const char *text, struct replay_recording *out)
{
	struct base_error error = {0};

	REQUIRE_INT(replay_parse(base_str(text), out, &error), BASE_OK);
}

/* The paths of all differences, in order, with "; " between them; static. */
static const char *differences(const char *recorded, const char *got)
{
	static char paths[1024];
	struct replay_recording a, b;
	struct replay_played played;
	struct replay_result result;
	size_t len = 0;

	parse(recorded, &a);
	parse(got, &b);
	replay_rig_played(&a, &b, &played);
	replay_compare(&a, &played, &result);
	paths[0] = '\0';
	for (size_t i = 0; i < result.count && len < sizeof(paths); i++)
		len += (size_t)snprintf(paths + len, sizeof(paths) - len, "%s%s", i > 0 ? "; " : "",
					result.list[i].path);
	replay_result_release(&result);
	replay_played_release(&played);
	replay_recording_release(&a);
	replay_recording_release(&b);
	return paths;
}

static void quote(struct base_buf *out, const char *text)
{
	sim_must(base_buf_json_string(out, base_str(text)));
}

/* One exchange per body (up to the first NULL), all 200 and otherwise alike. */
static char *recording_of(const char *const *bodies, size_t count)
{
	struct base_buf out;
	size_t len;

	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_text(&out, HEAD));
	for (size_t i = 0; i < count && bodies[i] != NULL; i++) {
		sim_must(base_buf_printf(&out,
					 "{\"step\":\"s%zu\",\"at_ms\":%zu,\"request\":{\"method\":"
					 "\"GET\",\"target\":\"/x\",\"headers\":[],\"body\":"
					 "\"brought 2001-01-01T00:00:00Z "
					 "11111111-2222-3333-4444-555555555555\"},"
					 "\"response\":{\"after_ms\":1,\"status\":200,\"headers\":"
					 "[],\"body\":",
					 i + 1, i * 10));
		quote(&out, bodies[i]);
		sim_must(base_buf_text(&out, "}}\n"));
	}
	return base_buf_take(&out, &len);
}

#define BODIES 4

#define OBJ(rv) "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"" rv "\"}}"
#define LIST(rv) "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"" rv "\"},\"items\":[]}"
#define UID(u) "{\"metadata\":{\"uid\":\"" u "\"}}"
#define UID_A "aaaaaaaa-0000-4000-8000-000000000000"
#define UID_B "bbbbbbbb-0000-4000-8000-000000000000"
#define UID_C "cccccccc-0000-4000-8000-000000000000"
#define TIME(t) "{\"metadata\":{\"creationTimestamp\":\"" t "\"}}"
#define MESSAGE(m) "{\"message\":\"" m "\"}"
#define FIELDS(m) "{\"metadata\":{\"name\":\"a\",\"managedFields\":[" m "]}}"
#define MANAGER(n, t, f)                                                                           \
	"{\"manager\":\"" n "\",\"operation\":\"Update\",\"time\":\"" t "\",\"fieldsV1\":{" f "}}"
#define GEN(n) "{\"metadata\":{\"name\":\"" n "\",\"generateName\":\"g-\"}}"
#define NAMED(n) "{\"metadata\":{\"name\":\"" n "\"}}"
#define TOKEN(t) "{\"kind\":\"PodList\",\"metadata\":{\"continue\":\"" t "\"},\"items\":[]}"
#define CELL(c) "{\"kind\":\"Table\",\"rows\":[{\"cells\":[\"" c "\"]}]}"
#define IP(i) "{\"spec\":{\"clusterIP\":\"" i "\"}}"
static const struct {
	const char *what;
	const char *recorded[BODIES], *got[BODIES];
	const char *paths;
} body_rows[] = {
	/* structures */
	{"key order", {"{\"a\":1,\"b\":2}"}, {"{\"b\":2,\"a\":1}"}, ""},
	{"a value", {"{\"a\":1}"}, {"{\"a\":2}"}, "$.a"},
	{"a number's text", {"{\"a\":1}"}, {"{\"a\":1.0}"}, "$.a"},
	{"a type", {"{\"a\":\"1\"}"}, {"{\"a\":1}"}, "$.a"},
	{"absent", {"{\"a\":1}"}, {"{}"}, "$.a"},
	{"too much", {"{}"}, {"{\"a\":1}"}, "$.a"},
	{"null is not absent", {"{\"a\":null}"}, {"{}"}, "$.a"},
	{"order of items", {"[1,2]"}, {"[2,1]"}, "$[0]; $[1]"},
	{"fewer items", {"[1,2]"}, {"[1]"}, "$[1]"},
	{"a key with dots", {"{\"a.b\":1}"}, {"{\"a.b\":2}"}, "$['a.b']"},
	{"an indented body", {"{\n  \"a\": 1\n}"}, {"{\"a\":1}"}, "form"},
	{"the newline at the end", {"{\"a\":1}\n"}, {"{\"a\":1}"}, "form"},
	/* revisions */
	{"other numbers", {OBJ("5"), OBJ("7")}, {OBJ("101"), OBJ("102")}, ""},
	{"of another length", {OBJ("99"), OBJ("100")}, {OBJ("7"), OBJ("8")}, ""},
	{"another order",
	 {OBJ("5"), OBJ("7")},
	 {OBJ("102"), OBJ("101")},
	 "$.metadata.resourceVersion"},
	{"the same again", {OBJ("5"), OBJ("5")}, {OBJ("101"), OBJ("101")}, ""},
	{"one becomes two",
	 {OBJ("5"), OBJ("5")},
	 {OBJ("101"), OBJ("102")},
	 "$.metadata.resourceVersion"},
	{"two become one",
	 {OBJ("5"), OBJ("7")},
	 {OBJ("101"), OBJ("101")},
	 "$.metadata.resourceVersion"},
	{"a list as new as an object", {OBJ("5"), LIST("7")}, {OBJ("101"), LIST("101")}, ""},
	{"two lists that were apart", {LIST("5"), LIST("7")}, {LIST("9"), LIST("9")}, ""},
	{"a list between two objects must not join them",
	 {OBJ("5"), LIST("6"), OBJ("7")},
	 {OBJ("101"), LIST("101"), OBJ("101")},
	 "$.metadata.resourceVersion"},
	{"a list below its object",
	 {OBJ("5"), LIST("7")},
	 {OBJ("101"), LIST("100")},
	 "$.metadata.resourceVersion"},
	{"one list version becomes two",
	 {LIST("5"), LIST("5")},
	 {LIST("101"), LIST("102")},
	 "$.metadata.resourceVersion"},
	{"no number", {OBJ("abc")}, {OBJ("5")}, "$.metadata.resourceVersion"},
	{"outside metadata it is a text",
	 {"{\"resourceVersion\":\"5\"}"},
	 {"{\"resourceVersion\":\"6\"}"},
	 "$.resourceVersion"},
	/* uids */
	{"other uids", {UID(UID_A), UID(UID_B)}, {UID(UID_B), UID(UID_A)}, ""},
	{"one uid becomes two",
	 {UID(UID_A), UID(UID_A)},
	 {UID(UID_B), UID(UID_C)},
	 "$.metadata.uid"},
	{"two uids become one",
	 {UID(UID_A), UID(UID_B)},
	 {UID(UID_C), UID(UID_C)},
	 "$.metadata.uid"},
	{"a uid in a value", {UID("x_" UID_A), UID(UID_A)}, {UID("x_" UID_B), UID(UID_B)}, ""},
	{"another uid in a value",
	 {UID("x_" UID_A), UID("x_" UID_A)},
	 {UID("x_" UID_B), UID("x_" UID_C)},
	 "$.metadata.uid"},
	{"a value that is no uid", {UID("x_1")}, {UID("x_2")}, "$.metadata.uid"},
	{"no uid", {UID(UID_A)}, {UID("x")}, "$.metadata.uid"},
	{"a uid that the client brought",
	 {UID("11111111-2222-3333-4444-555555555555")},
	 {UID(UID_A)},
	 "$.metadata.uid"},
	/* times */
	{"another time", {TIME("2026-11-29T16:07:33Z")}, {TIME("2000-01-01T00:00:00Z")}, ""},
	{"another precision",
	 {TIME("2026-11-29T16:07:33Z")},
	 {TIME("2000-01-01T00:00:00.000000Z")},
	 "$.metadata.creationTimestamp"},
	{"no time",
	 {TIME("2026-11-29T16:07:33Z")},
	 {TIME("yesterday")},
	 "$.metadata.creationTimestamp"},
	{"a time that the client brought",
	 {TIME("2001-01-01T00:00:00Z")},
	 {TIME("2000-01-01T00:00:00Z")},
	 "$.metadata.creationTimestamp"},
	/* messages */
	{"versions in a message",
	 {LIST("100"), MESSAGE("too old: 100 (120)")},
	 {LIST("7"), MESSAGE("too old: 7 (9)")},
	 ""},
	{"versions in a message, another order",
	 {LIST("100"), LIST("110"), MESSAGE("too old: 105")},
	 {LIST("7"), LIST("9"), MESSAGE("too old: 12")},
	 "$.message"},
	{"another limit",
	 {MESSAGE("at most 63 bytes")},
	 {MESSAGE("at most 64 bytes")},
	 "$.message"},
	{"another limit, with versions about",
	 {LIST("100"), MESSAGE("at most 63 bytes")},
	 {LIST("7"), MESSAGE("at most 64 bytes")},
	 "$.message"},
	{"a number in a word",
	 {LIST("100"), MESSAGE("x200")},
	 {LIST("7"), MESSAGE("x300")},
	 "$.message"},
	{"other words", {MESSAGE("not found")}, {MESSAGE("not  found")}, "$.message"},
	{"a uid in a message",
	 {UID(UID_A), MESSAGE("UID: " UID_A ", now")},
	 {UID(UID_B), MESSAGE("UID: " UID_B ", now")},
	 ""},
	{"another object's uid in a message",
	 {UID(UID_A), MESSAGE("UID: " UID_A ", now")},
	 {UID(UID_B), MESSAGE("UID: " UID_C ", now")},
	 "$.message"},
	/* managed fields */
	{"managers in another order, other times",
	 {FIELDS(MANAGER("a", "2026-11-29T16:07:33Z", "") "," MANAGER("b", "2026-11-29T16:07:34Z",
								      "\"f:x\":{}"))},
	 {FIELDS(MANAGER("b", "2000-01-01T00:00:00Z",
			 "\"f:x\":{}") "," MANAGER("a", "2000-01-01T00:00:00Z", ""))},
	 ""},
	{"a manager is missing",
	 {FIELDS(MANAGER("a", "2026-11-29T16:07:33Z", ""))},
	 {FIELDS("")},
	 "$.metadata.managedFields[manager=a,Update]"},
	{"the server's own manager",
	 {FIELDS(MANAGER("kube-apiserver-1.36.3", "2026-11-29T16:07:33Z", ""))},
	 {FIELDS(MANAGER("kube-apiserver", "2000-01-01T00:00:00Z", ""))},
	 ""},
	{"other fields",
	 {FIELDS(MANAGER("a", "2026-11-29T16:07:33Z", "\"f:x\":{}"))},
	 {FIELDS(MANAGER("a", "2026-11-29T16:07:33Z", "\"f:y\":{}"))},
	 "$.metadata.managedFields[manager=a,Update].fieldsV1['f:x']; "
	 "$.metadata.managedFields[manager=a,Update].fieldsV1['f:y']"},
	/* drawn by the server */
	{"a generated name, and where it comes again",
	 {GEN("g-abcde"), NAMED("g-abcde"), MESSAGE("pods g-abcde not found")},
	 {GEN("g-vwxyz"), NAMED("g-vwxyz"), MESSAGE("pods g-vwxyz not found")},
	 ""},
	{"another generated name than before",
	 {GEN("g-abcde"), NAMED("g-abcde")},
	 {GEN("g-vwxyz"), NAMED("g-zzzzz")},
	 "$.metadata.name"},
	{"a generated name of another length",
	 {GEN("g-abcde")},
	 {GEN("g-abcdef")},
	 "$.metadata.name"},
	{"a name", {NAMED("g-abcde")}, {NAMED("g-vwxyz")}, "$.metadata.name"},
	{"an address of a service",
	 {IP("10.96.1.2"), IP("10.96.1.2")},
	 {IP("10.96.7.8"), IP("10.96.7.8")},
	 ""},
	{"two addresses become one",
	 {IP("10.96.1.2"), IP("10.96.1.3")},
	 {IP("10.96.7.8"), IP("10.96.7.8")},
	 "$.spec.clusterIP"},
	{"an address of another range", {IP("10.96.1.2")}, {IP("10.97.1.2")}, "$.spec.clusterIP"},
	/* {"v":"meta.k8s.io/v1","rv":5,"start":"/a\u0000"}, with 7; with -1; start /b */
	{"a token's version",
	 {TOKEN("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIvYVx1MDAwMCJ9")},
	 {TOKEN("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6Nywic3RhcnQiOiIvYVx1MDAwMCJ9")},
	 ""},
	{"a token without a version",
	 {TOKEN("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiL2FcdTAwMDAifQ")},
	 {TOKEN("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6Nywic3RhcnQiOiIvYVx1MDAwMCJ9")},
	 "$.metadata.continue"},
	{"a token's start",
	 {TOKEN("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIvYVx1MDAwMCJ9")},
	 {TOKEN("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIvYlx1MDAwMCJ9")},
	 "$.metadata.continue"},
	{"an age in a table", {CELL("0s")}, {CELL("1s")}, ""},
	{"an age in a table, minutes", {CELL("2m1s")}, {CELL("2m0s")}, ""},
	{"another age in a table", {CELL("0s")}, {CELL("5s")}, "$.rows[0].cells[0]"},
	{"another cell", {CELL("a")}, {CELL("b")}, "$.rows[0].cells[0]"},
	/* text, lines */
	{"a text", {"ok"}, {"ok\n"}, "body"},
	{"YAML with a version and a time",
	 {LIST("100"), "resourceVersion: \"100\"\ntime: \"2026-11-29T16:07:33Z\"\n"},
	 {LIST("7"), "resourceVersion: \"7\"\ntime: \"2000-01-01T00:00:00Z\"\n"},
	 ""},
	{"JSON and no JSON", {"{}"}, {"{"}, "body"},
	{"events as one body",
	 {"{\"type\":\"ADDED\",\"object\":{}}\n{\"type\":\"DELETED\",\"object\":{}}\n"},
	 {"{\"type\":\"ADDED\",\"object\":{}}\n{\"type\":\"MODIFIED\",\"object\":{}}\n"},
	 "line 2 $.type"},
	{"a bookmark of the timer in it",
	 {"{\"type\":\"ADDED\",\"object\":{}}\n{\"type\":\"BOOKMARK\",\"object\":{}}\n"},
	 {"{\"type\":\"ADDED\",\"object\":{}}\n"},
	 ""},
};

static void bodies_are_compared_by_their_rules(void)
{
	for (size_t i = 0; i < sizeof(body_rows) / sizeof(*body_rows); i++) {
		char *recorded = recording_of(body_rows[i].recorded, BODIES);
		char *got = recording_of(body_rows[i].got, BODIES);

		CHECK_ROW("%s", body_rows[i].what);
		CHECK_TEXT(differences(recorded, got), body_rows[i].paths);
		free(recorded);
		free(got);
	}
}

static char *exchange_with(const char *response)
{
	struct base_buf out;
	size_t len;

	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(&out,
				 HEAD
				 "{\"step\":\"s1\",\"at_ms\":0,\"request\":{\"method\":\"GET\","
				 "\"target\":\"/x\",\"headers\":[]},\"response\":{%s}}\n",
				 response));
	return base_buf_take(&out, &len);
}

#define HEADERS(h) "\"after_ms\":1,\"status\":200,\"headers\":[" h "],\"body\":\"\""
#define YAML(text)                                                                                 \
	"\"after_ms\":1,\"status\":200,\"headers\":[[\"Content-Type\",\"application/yaml\"]],"     \
	"\"body\":\"" text "\""
#define ONE(n, v) "[\"" n "\",\"" v "\"]"
static const struct {
	const char *what, *recorded, *got, *paths;
} head_rows[] = {
	{"status", "\"status\":200", "\"status\":201", "status"},
	{"no answer at all", "\"error\":\"[Errno 111] Connection refused\"",
	 "\"error\":\"refused\"", ""},
	{"an answer instead of none", "\"error\":\"[Errno 111] Connection refused\"",
	 "\"status\":200", "status"},
	{"another kind of none", "\"error\":\"[Errno 111] Connection refused\"",
	 "\"error\":\"cut: eof in head: b''\"", "status"},
	{"YAML in another order", YAML("a: x\\nb: z\\n"), YAML("b: z\\na: x\\n"), "form"},
	{"YAML in other quotes", YAML("a: x\\n"), YAML("a: 'x'\\n"), "form"},
	{"YAML indented otherwise", YAML("a:\\n- b: x\\n"), YAML("a:\\n  - b: x\\n"), "form"},
	{"YAML with a line more", YAML("a: x\\n"), YAML("a: x\\n\\n"), "form"},
	{"YAML that says another thing", YAML("a: x\\n"), YAML("a: z\\n"), "$.a"},
	{"YAML that names another item", YAML("a:\\n- x\\n"), YAML("a:\\n- z\\n"), "$.a[0]"},
	{"YAML of another time",
	 YAML("metadata:\\n  creationTimestamp: \\\"2026-11-29T16:07:33Z\\\"\\n"),
	 YAML("metadata:\\n  creationTimestamp: \\\"2000-01-01T00:00:00Z\\\"\\n"), ""},
	{"a time without its quotes",
	 YAML("metadata:\\n  creationTimestamp: \\\"2026-11-29T16:07:33Z\\\"\\n"),
	 YAML("metadata:\\n  creationTimestamp: 2000-01-01T00:00:00Z\\n"), "form"},
	{"a content type", HEADERS(ONE("Content-Type", "application/json")),
	 HEADERS(ONE("Content-Type", "text/plain")), "header Content-Type"},
	{"names without regard to case", HEADERS(ONE("Content-Type", "a")),
	 HEADERS(ONE("content-type", "a")), ""},
	{"absent", HEADERS(ONE("Retry-After", "1")), HEADERS(""), "header Retry-After"},
	{"too much", HEADERS(""), HEADERS(ONE("Retry-After", "1")), "header Retry-After"},
	{"two warnings in another order",
	 HEADERS(ONE("Warning", "299 - a") "," ONE("Warning", "299 - b")),
	 HEADERS(ONE("Warning", "299 - b") "," ONE("Warning", "299 - a")), "header Warning"},
	{"any audit id", HEADERS(ONE("Audit-Id", "a")), HEADERS(ONE("Audit-Id", "b")), ""},
	{"no audit id", HEADERS(ONE("Audit-Id", "a")), HEADERS(""), "header Audit-Id"},
	{"a flow schema where none was", HEADERS(""),
	 HEADERS(ONE("X-Kubernetes-Pf-Flowschema-Uid", "b")),
	 "header X-Kubernetes-Pf-Flowschema-Uid"},
	{"any date", HEADERS(ONE("Date", "a")), HEADERS(ONE("Date", "b")), ""},
	{"any length", HEADERS(ONE("Content-Length", "1")), HEADERS(ONE("Content-Length", "2")),
	 ""},
	{"another framing", HEADERS(ONE("Content-Length", "1")),
	 HEADERS(ONE("Transfer-Encoding", "chunked")), "framing"},
	{"a header without a rule", HEADERS(ONE("Server", "a")), HEADERS(""), ""},
	{"an ETag", HEADERS(ONE("ETag", "a")), HEADERS(ONE("ETag", "b")), ""},
	{"no ETag", HEADERS(ONE("ETag", "a")), HEADERS(""), "header ETag"},
	{"a slow answer", "\"after_ms\":3000,\"status\":200", "\"after_ms\":3500,\"status\":200",
	 ""},
	{"a wait that was none", "\"after_ms\":1,\"status\":200",
	 "\"after_ms\":3000,\"status\":200", "time"},
	{"no wait", "\"after_ms\":3000,\"status\":200", "\"after_ms\":1,\"status\":200", "time"},
	{"a quick answer has no rule", "\"after_ms\":1,\"status\":200",
	 "\"after_ms\":240,\"status\":200", ""},
};

static void heads_are_compared_by_their_rules(void)
{
	for (size_t i = 0; i < sizeof(head_rows) / sizeof(*head_rows); i++) {
		char *recorded = exchange_with(head_rows[i].recorded);
		char *got = exchange_with(head_rows[i].got);

		CHECK_ROW("%s", head_rows[i].what);
		CHECK_TEXT(differences(recorded, got), head_rows[i].paths);
		free(recorded);
		free(got);
	}
}

static char *stream_with(const char *query, const char *lines)
{
	struct base_buf out;
	size_t len;

	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(
		&out,
		HEAD "{\"step\":\"w\",\"at_ms\":1000,\"stream\":true,\"request\":{\"method\":"
		     "\"GET\",\"target\":\"/x?watch=true%s\",\"headers\":[]},\"response\":{"
		     "\"after_ms\":1,\"status\":200,\"headers\":[]}}\n%s",
		query, lines));
	return base_buf_take(&out, &len);
}

#define LINE(at, text) "{\"from\":\"w\",\"at_ms\":" at ",\"line\":\"" text "\"}\n"
#define END(at, how) "{\"from\":\"w\",\"at_ms\":" at ",\"end\":\"" how "\"}\n"
#define EVENT(t, rv)                                                                               \
	"{\\\"type\\\":\\\"" t "\\\",\\\"object\\\":{\\\"kind\\\":\\\"Pod\\\",\\\"metadata\\\":{"  \
	"\\\"resourceVersion\\\":\\\"" rv "\\\"}}}"
#define INITIAL_END                                                                                 \
	"{\\\"type\\\":\\\"BOOKMARK\\\",\\\"object\\\":{\\\"metadata\\\":{\\\"resourceVersion\\\":" \
	"\\\"5\\\",\\\"annotations\\\":{\\\"k8s.io/initial-events-end\\\":\\\"true\\\"}}}}"
#define MARKS "&allowWatchBookmarks=true"
#define MARKS_4S "&allowWatchBookmarks=true&timeoutSeconds=4"
static const struct {
	const char *what, *query, *recorded, *got, *paths;
} stream_rows[] = {
	{"the same", "", LINE("1100", EVENT("ADDED", "5")) END("3000", "eof"),
	 LINE("1100", EVENT("ADDED", "9")) END("3000", "eof"), ""},
	{"another event", "", LINE("1100", EVENT("ADDED", "5")) END("3000", "eof"),
	 LINE("1100", EVENT("MODIFIED", "9")) END("3000", "eof"), "line 1 $.type"},
	{"a line is missing", "", LINE("1100", EVENT("ADDED", "5")) END("3000", "eof"),
	 END("3000", "eof"), "line 1"},
	{"a line too many", "", END("3000", "eof"),
	 LINE("1100", EVENT("ADDED", "5")) END("3000", "eof"), "line 1"},
	{"events in another order", "",
	 LINE("1100", EVENT("ADDED", "5")) LINE("1100", EVENT("ADDED", "6")) END("3000", "eof"),
	 LINE("1100", EVENT("ADDED", "6")) LINE("1100", EVENT("ADDED", "5")) END("3000", "eof"),
	 "line 2 $.object.metadata.resourceVersion"},
	{"late", "", LINE("2000", EVENT("ADDED", "5")) END("3000", "eof"),
	 LINE("2900", EVENT("ADDED", "5")) END("3000", "eof"), "line 1 time"},
	{"a little late", "", LINE("2000", EVENT("ADDED", "5")) END("3000", "eof"),
	 LINE("2150", EVENT("ADDED", "5")) END("3000", "eof"), ""},
	{"cut instead of ended", "", END("3000", "eof"), END("3000", "cut: eof in body"), "end"},
	{"ended too early", "", END("6000", "eof"), END("3000", "eof"), "end time"},
	{"the client's own end has no time", "", END("6000", "client-closed"),
	 END("3000", "client-closed"), ""},
	{"bytes behind the last line", "",
	 "{\"from\":\"w\",\"at_ms\":2000,\"partial\":\"{\"}\n" END("3000", "eof"),
	 END("3000", "eof"), "partial"},
	{"just before the client closed", "", END("3000", "client-closed"),
	 LINE("2950", EVENT("ADDED", "5")) END("3000", "client-closed"), ""},
	{"long before the client closed", "", END("3000", "client-closed"),
	 LINE("2800", EVENT("ADDED", "5")) END("3000", "client-closed"), "line 1"},
	/* the timer's bookmarks */
	{"another number of bookmarks", MARKS_4S,
	 LINE("3000", EVENT("BOOKMARK", "5")) LINE("4000", EVENT("BOOKMARK", "5"))
		 END("5000", "eof"),
	 LINE("3500", EVENT("BOOKMARK", "5")) END("5000", "eof"), ""},
	{"no bookmark before the end", MARKS_4S,
	 LINE("3000", EVENT("BOOKMARK", "5")) END("5000", "eof"), END("5000", "eof"), "bookmark"},
	{"three bookmarks before the end", MARKS_4S, END("5000", "eof"),
	 LINE("3000", EVENT("BOOKMARK", "5")) LINE("3500", EVENT("BOOKMARK", "5"))
		 LINE("4000", EVENT("BOOKMARK", "5")) END("5000", "eof"),
	 "bookmark"},
	{"a bookmark at no time for one", MARKS, END("30000", "client-closed"),
	 LINE("11000", EVENT("BOOKMARK", "5")) END("30000", "client-closed"), "bookmark"},
	{"a bookmark after a minute", MARKS, END("90000", "client-closed"),
	 LINE("61500", EVENT("BOOKMARK", "5")) END("90000", "client-closed"), ""},
	{"a bookmark that nobody asked for", "", END("90000", "client-closed"),
	 LINE("61500", EVENT("BOOKMARK", "5")) END("90000", "client-closed"), "bookmark"},
	{"a bookmark below an event", MARKS_4S,
	 LINE("1100", EVENT("ADDED", "5")) LINE("4000", EVENT("BOOKMARK", "5")) END("5000", "eof"),
	 LINE("1100", EVENT("ADDED", "5")) LINE("4000", EVENT("BOOKMARK", "4")) END("5000", "eof"),
	 "bookmark"},
	{"a bookmark of another form", MARKS_4S,
	 LINE("3000", EVENT("BOOKMARK", "5")) END("5000", "eof"),
	 LINE("3000", "{\\\"type\\\":\\\"BOOKMARK\\\",\\\"object\\\":{\\\"metadata\\\":{"
		      "\\\"resourceVersion\\\":\\\"5\\\"}}}") END("5000", "eof"),
	 "bookmark $.object.kind"},
	{"the end of the initial events is an event", MARKS,
	 LINE("1100", INITIAL_END) END("3000", "client-closed"), END("3000", "client-closed"),
	 "line 1"},
	{"a bookmark at the first tick", MARKS,
	 LINE("1001", INITIAL_END) END("9000", "client-closed"),
	 LINE("1001", INITIAL_END) LINE("1900", EVENT("BOOKMARK", "6"))
		 END("9000", "client-closed"),
	 ""},
	{"a bookmark after the first tick", MARKS,
	 LINE("1001", INITIAL_END) END("9000", "client-closed"),
	 LINE("1001", INITIAL_END) LINE("2900", EVENT("BOOKMARK", "6"))
		 END("9000", "client-closed"),
	 "bookmark"},
};

static void streams_are_compared_by_their_rules(void)
{
	for (size_t i = 0; i < sizeof(stream_rows) / sizeof(*stream_rows); i++) {
		char *recorded = stream_with(stream_rows[i].query, stream_rows[i].recorded);
		char *got = stream_with(stream_rows[i].query, stream_rows[i].got);

		CHECK_ROW("%s", stream_rows[i].what);
		CHECK_TEXT(differences(recorded, got), stream_rows[i].paths);
		free(recorded);
		free(got);
	}
}

#define ROW(rv)                                                                                         \
	"{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Table\",\"metadata\":{\"resourceVersion\":\"" rv \
	"\"},\"rows\":[{\"object\":{\"metadata\":{\"resourceVersion\":\"" rv "\"}}}]}}"
#define AT(a) "{\"serverAddress\":\"" a "\"}"
#define JWKS(a) "{\"jwks_uri\":\"" a "\"}"

/* What a real server writes by itself may come between two lists, but changes no object. */
static void a_real_servers_own_writes_move_lists_only(void)
{
	static const struct {
		const char *recorded[BODIES], *got[BODIES];
		size_t count;
	} rows[] = {
		{{LIST("5"), LIST("5")}, {LIST("101"), LIST("103")}, 0},
		{{LIST("5"), LIST("5"), LIST("6")}, {LIST("101"), LIST("103"), LIST("102")}, 1},
		{{OBJ("5"), OBJ("5")}, {OBJ("101"), OBJ("103")}, 1},
		{{OBJ("5"), LIST("5"), OBJ("5")}, {OBJ("101"), LIST("103"), OBJ("101")}, 0},
		{{OBJ("5"), LIST("5"), OBJ("5")}, {OBJ("101"), LIST("103"), OBJ("102")}, 1},
		/* a bookmark in a table shows what no object has */
		{{OBJ("5"), ROW("5"), OBJ("5")}, {OBJ("101"), ROW("103"), OBJ("101")}, 0},
		/* where it listens */
		{{AT("127.0.0.1:16443"), AT("127.0.0.1:16443")},
		 {AT("10.0.0.1:6443"), AT("10.0.0.1:6443")},
		 0},
		{{AT("127.0.0.1:16443"), AT("127.0.0.1:16443")},
		 {AT("10.0.0.1:6443"), AT("10.0.0.1:6444")},
		 1},
		{{AT("127.0.0.1:16443")}, {AT("somewhere")}, 1},
		{{JWKS("https://127.0.0.1:16443/a")}, {JWKS("https://10.0.0.1:443/a")}, 0},
		{{JWKS("https://127.0.0.1:16443/a")}, {JWKS("https://10.0.0.1:443/b")}, 1},
		{{MESSAGE("127.0.0.1:16443")}, {MESSAGE("10.0.0.1:443")}, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *recorded = recording_of(rows[i].recorded, BODIES);
		char *got = recording_of(rows[i].got, BODIES);
		struct replay_recording a, b;
		struct replay_played played;
		struct replay_result result;

		CHECK_ROW("%zu", i);
		parse(recorded, &a);
		parse(got, &b);
		replay_rig_played(&a, &b, &played);
		played.virtual_time = false;
		replay_compare(&a, &played, &result);
		CHECK_SIZE(result.count, rows[i].count);
		replay_result_release(&result);
		replay_played_release(&played);
		replay_recording_release(&a);
		replay_recording_release(&b);
		free(recorded);
		free(got);
	}
}

/* Only the refusal tells the name that was drawn. */
static void a_refused_objects_drawn_name_is_mapped(void)
{
	static const struct {
		const char *recorded, *got, *paths;
	} rows[] = {
		{"g-abcde is bad", "g-vwxyz is bad", ""},
		{"g-abcde is bad", "g-vwxy is bad", "$.message"},
		{"g-abcde is bad", "h-vwxyz is bad", "$.message"},
		{"g-abcde is bad", "g-vwxyz is worse", "$.message"},
		/* what the refusal is about, by its name */
		{"g-abcde is bad\\\",\\\"details\\\":{\\\"name\\\":\\\"g-abcde\\\"},\\\"code\\\":\\\"1",
		 "g-vwxyz is bad\\\",\\\"details\\\":{\\\"name\\\":\\\"g-vwxyz\\\"},\\\"code\\\":\\\"1",
		 ""},
		{"no\\\",\\\"details\\\":{\\\"name\\\":\\\"o102\\\"},\\\"code\\\":\\\"1",
		 "no\\\",\\\"details\\\":{\\\"name\\\":\\\"o103\\\"},\\\"code\\\":\\\"1",
		 "$.details.name"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char recorded[512], got[512];
		static const char form[] = HEAD
			"{\"step\":\"s1\",\"at_ms\":0,\"request\":{\"method\":\"POST\","
			"\"target\":\"/x\",\"headers\":[],\"body\":"
			"\"{\\\"generateName\\\":\\\"g-\\\"}\"},\"response\":{\"status\":422,"
			"\"body\":\"{\\\"message\\\":\\\"%s\\\"}\"}}\n";

		CHECK_ROW("%s, %s", rows[i].recorded, rows[i].got);
		snprintf(recorded, sizeof(recorded), form, rows[i].recorded);
		snprintf(got, sizeof(got), form, rows[i].got);
		CHECK_TEXT(differences(recorded, got), rows[i].paths);
	}
}

static void exchanges_are_counted_by_verdict(void)
{
	static const char *const recorded[BODIES] = {"{\"a\":1}", "{\"a\":1}", "{\"a\":1}"};
	static const char *const got[BODIES] = {"{\"a\":1}", "{\"a\":2}", "{\"a\":1}"};
	char *left = recording_of(recorded, BODIES), *right = recording_of(got, BODIES);
	struct replay_recording a, b;
	struct replay_played played;
	struct replay_result result;

	parse(left, &a);
	parse(right, &b);
	replay_rig_played(&a, &b, &played);
	played.got[2].skipped = "the server cannot do this";
	replay_compare(&a, &played, &result);
	CHECK_SIZE(result.equal, 1);
	CHECK_SIZE(result.different, 1);
	CHECK_SIZE(result.not_compared, 1);
	CHECK_SIZE(result.known, 0);
	result.list[0].known = BASE_STR("a reason");
	replay_result_count(&a, &played, &result);
	CHECK_SIZE(result.different, 0);
	CHECK_SIZE(result.known, 1);
	CHECK_TEXT(result.list[0].expected, "1");
	CHECK_TEXT(result.list[0].actual, "2");
	replay_result_release(&result);
	replay_played_release(&played);
	replay_recording_release(&a);
	replay_recording_release(&b);
	free(left);
	free(right);
}

static CU_TestInfo tests[] = {
	{"bodies are compared by their rules", bodies_are_compared_by_their_rules},
	{"heads are compared by their rules", heads_are_compared_by_their_rules},
	{"streams are compared by their rules", streams_are_compared_by_their_rules},
	{"a real server's own writes move lists only", a_real_servers_own_writes_move_lists_only},
	{"a refused object's drawn name is mapped", a_refused_objects_drawn_name_is_mapped},
	{"exchanges are counted by verdict", exchanges_are_counted_by_verdict},
	CU_TEST_INFO_NULL,
};

extern CU_SuiteInfo sim_replay_compare_suite;
CU_SuiteInfo sim_replay_compare_suite = {.pName = "sim/replay/compare", .pTests = tests};
