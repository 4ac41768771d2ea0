#include "base/prng.h"
#include "fakeapi/rig_test.h"

/* ---- Requests ---- */

static void a_request_may_come_byte_by_byte(void)
{
	struct rig rig;
	static const char request[] = "GET " RIG_MAPS " HTTP/1.1\r\nHost: x\r\n\r\n";
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	size_t c = rig_connect(&rig);
	for (size_t i = 0; i + 1 < sizeof request; i++) {
		CHECK_INT(rig_status(&rig, c), 0);
		fakeapi_conn_recv(rig.conns[c].conn, request + i, 1);
	}
	CHECK_INT(rig_status(&rig, c), 200);
	CHECK_STR(rig_header(&rig, c, "Date"), "Sat, 01 Jan 2000 00:00:00 GMT");
	rig_release(&rig);
}

static size_t heads(const struct rig *rig, size_t c)
{
	struct base_str rest = base_buf_peek(&rig->conns[c].wire);
	size_t at, count = 0;
	while ((at = base_str_find(rest, BASE_STR("HTTP/1.1 "))) != SIZE_MAX) {
		rest = base_str_skip(rest, at + 1);
		count++;
	}
	return count;
}

static void requests_on_one_connection_are_answered_in_order(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	size_t c = rig_connect(&rig);
	rig_write(&rig, c,
		  "GET /version HTTP/1.1\r\nHost: x\r\n\r\nGET " RIG_MAPS
		  "?watch=true&resourceVersion=103&timeoutSeconds=2 HTTP/1.1\r\nHost: x\r\n\r\n"
		  "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	CHECK_SIZE(heads(&rig, c), 2);
	rig_advance(&rig, 2000);
	CHECK_SIZE(heads(&rig, c), 3);
	CHECK_TRUE(rig.conns[c].closed);
	CHECK_INT(rig.conns[c].how, FAKEAPI_CLOSE_FIN);
	CHECK_TRUE(base_str_ends(base_buf_peek(&rig.conns[c].wire), BASE_STR("\r\n\r\nok")));
	rig_release(&rig);
}

static void paths_lead_to_the_right_refusal(void)
{
	static const struct {
		const char *method, *target;
		int status;
	} rows[] = {
		{"GET", "/nope", 404},
		{"GET", "/apis/nope.example.com/v1/foos", 404},
		{"GET", "/apis/apps/v9/deployments", 404},
		{"GET", "/api/v2/pods", 404},
		{"GET", "/api/v1//pods", 404},
		{"GET", "/api/v1/bogus", 404},
		{"GET", "/api/v1/namespaces/x/nodes", 404},
		{"GET", "/api/v1/namespaces/default/configmaps/", 200},
		{"GET", "/api/v1/namespaces/default/configmaps/zz", 404},
		{"GET", "/api/v1/namespaces/default/configmaps/a/bogus", 404},
		{"GET", "/api/v1/configmaps", 200},
		{"GET", "http://host/api/v1/configmaps", 200},
		{"GET", "/api/v1/namespaces/default/config%6daps/a", 200},
		{"GET", "/api/v1/namespaces", 200},
		{"PUT", "/api/v1/namespaces/default/configmaps", 405},
		{"POST", "/api/v1/namespaces/default/configmaps/a", 405},
		{"POST", "/api/v1/configmaps", 405},
		{"HEAD", "/api/v1/configmaps", 405},
		{"OPTIONS", "/api/v1/configmaps", 405},
		{"BREW", "/api/v1/configmaps", 405},
		{"GET", "/healthz", 200},
		{"POST", "/readyz", 200},
		{"POST", "/version", 405},
		{"GET", "/api/v1/namespaces/default/configmaps?timeout=abc", 400},
		{"GET", "/api/v1/namespaces/default/configmaps?timeout=1m0.5s", 200},
		{"GET", "/api/v1/namespaces/default/configmaps/a?resourceVersion=abc", 500},
		{"GET", "/api/v1/namespaces/default/configmaps/a?resourceVersion=101", 200},
		{"GET", "/api/v1/namespaces/default/configmaps?watch=0", 200},
		{"GET", "/api/v1/namespaces/default/configmaps?watch=FALSE&%zz=1", 200},
	};
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char request[512];
		CHECK_ROW("%s %s", rows[i].method, rows[i].target);
		size_t c = rig_connect(&rig);
		snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: x\r\n\r\n",
			 rows[i].method, rows[i].target);
		rig_write(&rig, c, request);
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		bool head = strcmp(rows[i].method, "HEAD") == 0;
		CHECK_INT(rig_body(&rig, c).len == 0, head);
		CHECK_INT(rig_header(&rig, c, "Content-Length").len != 0, 1);
	}
	rig_release(&rig);
}

static void what_is_acceptable_is_sent(void)
{
	static const struct {
		const char *target, *accept;
		int status;
		const char *part;
	} rows[] = {
		{RIG_MAPS, "*/*", 200, "ConfigMapList"},
		{RIG_MAPS, "application/vnd.kubernetes.protobuf, application/json", 200,
		 "ConfigMapList"},
		{RIG_MAPS, "application/json;as=Table;g=meta.k8s.io;v=v1, application/json", 200,
		 "\"kind\":\"Table\""},
		{RIG_MAPS, "text/plain", 406, "406: Not Acceptable"},
		{RIG_MAPS, "application/json;as=Bogus", 406, "only the following media types"},
		{RIG_MAPS, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", 406,
		 "is a list (*core.ConfigMapList)"},
		{RIG_MAPS, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", 200,
		 "\"items\":[{\"kind\":\"PartialObjectMetadata\""},
		{RIG_MAPS "/a", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", 200,
		 "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{"
		 "\"name\":\"a\""},
		{RIG_MAPS "/a", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
		 406, "is not a list (*core.ConfigMap)"},
		{RIG_MAPS "/a", "text/html", 406, "Available representations"},
		{RIG_MAPS "?watch=1&allowWatchBookmarks=1",
		 "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", 200,
		 "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":"
		 "\"meta.k8s.io/v1\""},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		char request[512];
		CHECK_ROW("%s: %s", rows[i].target, rows[i].accept);
		rig_init(&rig, NULL, NULL);
		rig_fill(&rig);
		size_t c = rig_connect(&rig);
		snprintf(request, sizeof request,
			 "GET %s HTTP/1.1\r\nHost: x\r\nAccept: %s\r\n\r\n", rows[i].target,
			 rows[i].accept);
		rig_write(&rig, c, request);
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		CHECK_TRUE(base_str_find(rig_body(&rig, c), base_str(rows[i].part)) != SIZE_MAX);
		rig_release(&rig);
	}
}

static void people_get_indented_answers(void)
{
	static const struct {
		const char *query, *agent, *body;
	} rows[] = {
		{"pretty=true", "x",
		 "{\n  \"kind\": \"ConfigMapList\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n"
		 "    \"resourceVersion\": \"100\"\n  },\n  \"items\": []\n}"},
		{"", "curl/8.0",
		 "{\n  \"kind\": \"ConfigMapList\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n"
		 "    \"resourceVersion\": \"100\"\n  },\n  \"items\": []\n}"},
		{"pretty=false", "curl/8.0",
		 "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"
		 "\"100\"},\"items\":[]}\n"},
		{"pretty=1&limit=x", "x",
		 "{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {},\n"
		 "  \"status\": \"Failure\",\n  \"message\": \"strconv.ParseInt: parsing \\\"x\\\": "
		 "invalid syntax\",\n  \"reason\": \"BadRequest\",\n  \"code\": 400\n}"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		char request[512];
		CHECK_ROW("%s %s", rows[i].query, rows[i].agent);
		rig_init(&rig, NULL, NULL);
		size_t c = rig_connect(&rig);
		snprintf(request, sizeof request,
			 "GET " RIG_MAPS "?%s HTTP/1.1\r\nHost: x\r\nUser-Agent: %s\r\n\r\n",
			 rows[i].query, rows[i].agent);
		rig_write(&rig, c, request);
		CHECK_STR(rig_body(&rig, c), rows[i].body);
		rig_release(&rig);
	}
}

static void bad_bytes_get_a_4xx_and_the_end(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	size_t c = rig_connect(&rig);
	rig_write(&rig, c, "\x16\x03\x01 nonsense\r\n\r\n");
	CHECK_INT(rig_status(&rig, c), 400);
	CHECK_TRUE(rig.conns[c].closed);
	c = rig_connect(&rig);
	rig_write(
		&rig, c,
		"PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 99\r\n\r\n");
	CHECK_INT(rig_status(&rig, c), 100);
	rig_release(&rig);
}

static void memory_stays_bounded_whatever_a_client_sends(void)
{
	struct rig rig;
	rig_init(&rig, NULL, NULL);
	size_t endless = rig_connect(&rig), ahead = rig_connect(&rig);
	static char block[65536];
	memset(block, 'a', sizeof block);
	for (int i = 0; i < 17 && !rig.conns[endless].closed; i++)
		fakeapi_conn_recv(rig.conns[endless].conn, block, sizeof block);
	CHECK_TRUE(rig.conns[endless].closed);
	CHECK_INT(rig_status(&rig, endless), 431);
	/* More and more behind a watch that goes on: what is above the limit is not kept, and no other request
	 * follows on that connection. */
	rig_write(&rig, ahead,
		  "GET " RIG_MAPS "?watch=1&resourceVersion=100 HTTP/1.1\r\nHost: x\r\n\r\n");
	for (int i = 0; i < 100 && !rig.conns[ahead].closed; i++)
		fakeapi_conn_recv(rig.conns[ahead].conn, block, sizeof block);
	CHECK_FALSE(rig.conns[ahead].closed);
	CHECK_TRUE(rig.probe.live_bytes_max < (uint64_t)16 << 20);
	rig_release(&rig);
}

static void random_bytes_never_stop_the_server(void)
{
	static const char pieces[][80] = {"GET ",
					  RIG_MAPS,
					  "/api/v1/pods?watch=true&",
					  "resourceVersion=",
					  "102",
					  "&limit=1",
					  "&continue=eyJ2Ijoi",
					  "&labelSelector=a in (",
					  " HTTP/1.1\r\nHost: x\r\n\r\n",
					  "POST ",
					  " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
					  "&fieldSelector=metadata.name=",
					  "%00%ff",
					  "\r\n"};
	struct base_prng prng;
	struct rig rig;
	uint64_t answers = 0;
	base_prng_seed(&prng, 11, BASE_STR("server"));
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	for (int run = 0; run < 1500; run++) {
		rig.count = 0;
		size_t c = rig_connect(&rig);
		for (int i = 0; i < 12; i++) {
			char random[2] = {(char)(1 + base_prng_below(&prng, 255)), '\0'};
			rig_write(&rig, c,
				  base_prng_below(&prng, 10) != 0
					  ? pieces[base_prng_below(&prng, 14)]
					  : random);
		}
		rig_advance(&rig, (uint64_t)run * 100);
		answers += rig_status(&rig, c) != 0;
		if (rig.conns[c].conn != NULL)
			fakeapi_conn_close(rig.conns[c].conn);
		base_buf_release(&rig.conns[c].wire);
		base_buf_release(&rig.conns[c].body);
	}
	CHECK_TRUE(answers > 500);
	rig.count = 0;
	CHECK_INT(rig_status(&rig, rig_get(&rig, RIG_MAPS)), 200);
	rig_release(&rig);
}

/* ---- Observer ---- */

struct notes {
	struct base_buf text;
};

/* "word a", "word a and b", with what is not 0. */
static void note(struct notes *notes, const char *word, uint64_t a, const char *join, uint64_t b)
{
	CHECK_INT(base_buf_text(&notes->text, word), BASE_OK);
	if (a != 0)
		CHECK_INT(base_buf_u64(&notes->text, a), BASE_OK);
	CHECK_INT(base_buf_text(&notes->text, join), BASE_OK);
	if (b != 0)
		CHECK_INT(base_buf_u64(&notes->text, b), BASE_OK);
	CHECK_INT(base_buf_char(&notes->text, ' '), BASE_OK);
}

static void on_change(void *self, const struct fakeapi_change *change)
{
	note(self, "change", change->rv, "-", change->old_rv);
	CHECK_TRUE(base_str_is(change->key, "default/a"));
	CHECK_SIZE(change->uid.len, 36);
	CHECK_TRUE(base_str_starts(change->object, BASE_STR("{\"kind\":\"ConfigMap\"")));
}

static void on_request(void *self, const struct fakeapi_who *who, const struct fakeapi_heard *heard)
{
	CHECK_INT(base_buf_printf(&((struct notes *)self)->text, "%s%llu ",
				  fakeapi_parsed_word(heard->parsed),
				  (unsigned long long)who->request_id),
		  BASE_OK);
}

static void on_answer(void *self, const struct fakeapi_who *who, int status, struct base_str reason)
{
	(void)who;
	note(self, "answer", (uint64_t)status, reason.len != 0 ? "!" : "", 0);
}

static void on_list(void *self, const struct fakeapi_who *who, const struct fakeapi_listed *listed)
{
	(void)who;
	note(self, "listed", listed->count, "@", listed->rv);
}

static void on_line(void *self, const struct fakeapi_who *who, const struct fakeapi_line *line)
{
	(void)who;
	note(self,
	     line->initial_end                  ? "mark"
	     : line->type == FAKEAPI_LINE_ERROR ? "error"
						: "line",
	     0, "", 0);
}

static void on_end(void *self, const struct fakeapi_who *who, enum fakeapi_watch_end end)
{
	(void)who;
	CHECK_INT(base_buf_printf(&((struct notes *)self)->text, "end:%s ",
				  fakeapi_watch_end_word(end)),
		  BASE_OK);
}

static void on_move(void *self, const struct fakeapi_moved *moved)
{
	CHECK_INT(base_buf_printf(&((struct notes *)self)->text, "%s%llu ",
				  fakeapi_move_word(moved->move),
				  (unsigned long long)moved->number),
		  BASE_OK);
}

static void on_effect(void *self, const struct fakeapi_fault_effect *effect)
{
	note(self, "effect", effect->id, "x", effect->count);
}

static void on_sent(void *self, const struct fakeapi_who *who, const struct fakeapi_sent *sent)
{
	static const char *const words[] = {"head", "body", "end", "cut", "reset", "gone"};
	(void)who;
	if (sent->kind == FAKEAPI_SENT_BODY)
		return;
	note(self, words[sent->kind], (uint64_t)sent->status, sent->rv != 0 ? "@" : "", sent->rv);
}

static void the_observer_hears_how_answers_leave(void)
{
	static const struct {
		const char *target, *want;
		enum fakeapi_fault_kind fault;
		bool close;
	} rows[] = {
		{RIG_MAPS, "head200@103 end ", FAKEAPI_FAULT_STATUS, false},
		{RIG_MAPS "/a", "head200@101 end ", FAKEAPI_FAULT_STATUS, false},
		{RIG_MAPS "/none", "head404 end ", FAKEAPI_FAULT_STATUS, false},
		{RIG_MAPS, "head200@103 cut ", FAKEAPI_FAULT_CUT, false},
		{RIG_MAPS, "reset ", FAKEAPI_FAULT_RESET, false},
		{RIG_MAPS "?watch=1&resourceVersion=103", "head200 gone ", FAKEAPI_FAULT_STATUS,
		 true},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct notes notes;
		struct rig rig;
		struct base_error error = {0};
		struct fakeapi_fault fault;
		const struct fakeapi_observer observer = {.self = &notes, .sent = on_sent};
		base_buf_init(&notes.text, NULL, 65536);
		rig_init(&rig, NULL, &observer);
		rig_fill(&rig);
		base_buf_clear(&notes.text);
		if (rows[i].fault != FAKEAPI_FAULT_STATUS) {
			fakeapi_fault_defaults(&fault, FAKEAPI_TARGET_LIST, rows[i].fault);
			fault.after_bytes = 10;
			CHECK_INT(fakeapi_fault_add(rig.f, &fault, NULL, &error), BASE_OK);
		}
		size_t c = rig_get(&rig, rows[i].target);
		if (rows[i].close)
			fakeapi_conn_close(rig.conns[c].conn);
		CHECK_STR(base_buf_peek(&notes.text), rows[i].want);
		rig_release(&rig);
		base_buf_release(&notes.text);
	}
}

static void the_observer_hears_all_of_it(void)
{
	struct notes notes;
	struct rig rig;
	struct base_error error = {0};
	struct fakeapi_fault fault;
	base_buf_init(&notes.text, NULL, 65536);
	const struct fakeapi_observer observer = {&notes,    on_change, on_request, on_answer,
						  on_list,   on_line,   on_end,     on_move,
						  on_effect, NULL};
	rig_init(&rig, NULL, &observer);
	rig_create(&rig, "a");
	rig_get(&rig, RIG_MAPS);
	rig_get(&rig,
		RIG_MAPS "?watch=1&allowWatchBookmarks=1&timeoutSeconds=5&sendInitialEvents=1&"
			 "resourceVersionMatch=NotOlderThan");
	rig_touch(&rig, "a", 1);
	CHECK_INT(rig_do(&rig, "DELETE", RIG_MAPS "/a", NULL), 200);
	rig_get(&rig, RIG_MAPS "/a");
	rig_get(&rig, RIG_MAPS "?watch=1&resourceVersion=7");
	CHECK_STR(
		base_buf_peek(&notes.text),
		"write1 change101- answer201 list2 listed1@101 answer200 "
		"watchlist3 answer200 line mark write4 change102-101 line answer200 write5 change103-102 "
		"line answer200 get6 answer404! watch7 answer200 error end:error ");
	base_buf_clear(&notes.text);
	rig_advance(&rig, 5000);
	size_t c = rig_get(&rig, RIG_MAPS "?watch=1&resourceVersion=103");
	fakeapi_conn_close(rig.conns[c].conn);
	CHECK_INT(fakeapi_compact(rig.f, 102, &error), BASE_OK);
	fakeapi_forget(rig.f, NULL);
	CHECK_INT(fakeapi_set_lag(rig.f, NULL, 5), BASE_OK);
	fakeapi_fault_defaults(&fault, FAKEAPI_TARGET_LIST, FAKEAPI_FAULT_STATUS);
	fault.status = 503;
	CHECK_INT(fakeapi_fault_add(rig.f, &fault, NULL, &error), BASE_OK);
	rig_get(&rig, RIG_MAPS);
	rig_get(&rig, RIG_MAPS "?watch=1&resourceVersion=103");
	rig_advance(&rig, 15000);
	fakeapi_kill(rig.f);
	fakeapi_start(rig.f);
	fakeapi_stop(rig.f);
	CHECK_STR(
		base_buf_peek(&notes.text),
		"line line line end:timeout watch8 answer200 end:client compact102 forget103 lag5 "
		"list9 effect1x1 answer503 watch10 answer200 notice102 kill0 end:kill start103 stop0 ");
	rig_release(&rig);
	base_buf_release(&notes.text);
}

/* ---- Faults on real exchanges ---- */

static void faults_touch_the_wire(void)
{
	struct rig rig;
	struct base_error error = {0};
	struct fakeapi_fault fault;
	rig_init(&rig, NULL, NULL);
	rig_fill(&rig);
	size_t watch = rig_get(&rig, RIG_MAPS "?watch=1&resourceVersion=103");
	fakeapi_fault_defaults(&fault, FAKEAPI_TARGET_WATCH, FAKEAPI_FAULT_STATUS);
	fault.status = 410;
	CHECK_INT(fakeapi_fault_add(rig.f, &fault, NULL, &error), BASE_OK);
	CHECK_TEXT(rig_lines(&rig, watch), "X410.");
	fakeapi_fault_defaults(&fault, FAKEAPI_TARGET_LIST, FAKEAPI_FAULT_CUT);
	fault.after_bytes = 10;
	CHECK_INT(fakeapi_fault_add(rig.f, &fault, NULL, &error), BASE_OK);
	size_t list = rig_get(&rig, RIG_MAPS);
	CHECK_SIZE(rig_body(&rig, list).len, 10);
	CHECK_TRUE(rig.conns[list].closed);
	fakeapi_fault_defaults(&fault, FAKEAPI_TARGET_ANY, FAKEAPI_FAULT_REFUSE);
	CHECK_INT(fakeapi_fault_add(rig.f, &fault, NULL, &error), BASE_OK);
	CHECK_TRUE(fakeapi_refuses(rig.f, BASE_STR("inf"), BASE_STR("GET"), BASE_STR(RIG_MAPS)));
	CHECK_FALSE(fakeapi_refuses(rig.f, BASE_STR("inf"), BASE_STR("GET"), BASE_STR(RIG_MAPS)));
	fakeapi_fault_defaults(&fault, FAKEAPI_TARGET_WATCH_OPEN, FAKEAPI_FAULT_HALF_OPEN);
	CHECK_INT(fakeapi_fault_add(rig.f, &fault, NULL, &error), BASE_OK);
	watch = rig_get(&rig, RIG_MAPS "?watch=1&resourceVersion=103&timeoutSeconds=1");
	rig_advance(&rig, 5000);
	CHECK_INT(rig_status(&rig, watch), 0);
	CHECK_FALSE(rig.conns[watch].closed);
	fakeapi_fault_defaults(&fault, FAKEAPI_TARGET_LIST, FAKEAPI_FAULT_UNDECODABLE);
	fault.object = BASE_STR("default/b");
	CHECK_INT(fakeapi_fault_add(rig.f, &fault, NULL, &error), BASE_OK);
	list = rig_get(&rig, RIG_MAPS);
	CHECK_TRUE(base_str_find(rig_body(&rig, list), BASE_STR("\"labels\":7")) != SIZE_MAX);
	CHECK_SIZE(fakeapi_heal(rig.f, (struct base_str){0}) <= 5, 1);
	CHECK_SIZE(fakeapi_faults_count(fakeapi_faults(rig.f)), 5);
	rig_release(&rig);
}

/* ---- Whole life under failing memory ---- */

static void life(struct rig *rig)
{
	struct base_error error = {0};
	(void)rig_do(
		rig, "POST", RIG_MAPS,
		"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}");
	size_t watch = rig_get(rig, RIG_MAPS "?watch=1&allowWatchBookmarks=1&timeoutSeconds=9");
	(void)rig_do(rig, "PATCH", RIG_MAPS "/a", "{\"data\":{\"k\":\"1\"}}");
	size_t list = rig_get(rig, RIG_MAPS "?limit=1&labelSelector=!x");
	size_t late = rig_get(rig, RIG_MAPS "?resourceVersion=500");
	(void)!fakeapi_set_lag(rig->f, NULL, 100 * RIG_MS);
	(void)rig_do(rig, "DELETE", RIG_MAPS "/a", NULL);
	(void)rig_get(rig, RIG_MAPS "?watch=1&resourceVersion=3");
	(void)rig_get(rig, RIG_MAPS "?resourceVersion=x");
	rig_advance(rig, 4000);
	(void)!fakeapi_compact(rig->f, 0, &error);
	fakeapi_forget(rig->f, NULL);
	rig_advance(rig, 20000);
	fakeapi_kill(rig->f);
	fakeapi_start(rig->f);
	(void)watch;
	(void)list;
	(void)late;
}

static void every_allocation_may_fail(void)
{
	uint64_t at = 1;
	bool failed = true;
	for (; failed && at < 5000; at++) {
		struct rig rig;
		CHECK_ROW("allocation %llu", (unsigned long long)at);
		rig_init(&rig, NULL, NULL);
		REQUIRE_PTR_NOT_NULL(rig.f);
		rig.probe.fail_at = rig.probe.request_count + at;
		life(&rig);
		failed = rig.probe.failed_count != 0;
		rig.probe.fail_at = 0;
		/* It goes on. */
		CHECK_INT(rig_status(&rig, rig_get(&rig, RIG_MAPS)), 200);
		rig_release(&rig);
	}
	CHECK_TRUE(at > 100);
	CHECK_FALSE(failed);
}

static void a_server_needs_memory_and_a_known_profile(void)
{
	struct fakeapi_config config;
	struct base_alloc_probe probe;
	struct base_error error = {0};
	base_alloc_probe_init(&probe);
	fakeapi_config_defaults(&config);
	config.alloc = &probe.alloc;
	config.profile = BASE_STR("0.9");
	CHECK_PTR_NULL(fakeapi_new(&config, &error));
	CHECK_INT(error.code, BASE_EINVAL);
	config.profile = BASE_STR("1.37");
	probe.fail_at = 1;
	CHECK_PTR_NULL(fakeapi_new(&config, &error));
	CHECK_INT(error.code, BASE_ENOMEM);
	CHECK_U64(probe.live_count, 0);
}

/* ---- In process ---- */

static void count_object(void *ctx, struct base_str key, struct base_str uid, uint64_t rv,
			 struct base_str object)
{
	(void)key;
	(void)uid;
	(void)object;
	*(uint64_t *)ctx += rv;
}

static void the_cluster_can_be_driven_in_process(void)
{
	struct rig rig;
	struct fakeapi_answer answer;
	struct base_error error = {0};
	rig_init(&rig, NULL, NULL);
	CHECK_INT(
		fakeapi_seed(
			rig.f,
			BASE_STR(
				"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
				"\"a\",\"namespace\":\"default\"}}"),
			&error),
		BASE_OK);
	CHECK_INT(fakeapi_seed(rig.f, BASE_STR("{"), &error), BASE_EINVAL);
	CHECK_INT(fakeapi_do(rig.f, "GET", BASE_STR(RIG_MAPS "?watch=1"), BASE_STR(""), &answer),
		  BASE_EINVAL);
	fakeapi_answer_release(&answer);
	CHECK_INT(rig_do(&rig, "GET", RIG_MAPS "?resourceVersion=999", NULL), 504);
	CHECK_INT(fakeapi_do(rig.f, "GET", BASE_STR(RIG_MAPS "/zz"), BASE_STR(""), &answer),
		  BASE_OK);
	CHECK_STR(answer.reason, "NotFound");
	fakeapi_answer_release(&answer);
	fakeapi_kill(rig.f);
	CHECK_INT(fakeapi_do(rig.f, "GET", BASE_STR(RIG_MAPS), BASE_STR(""), &answer), BASE_ESTATE);
	fakeapi_answer_release(&answer);
	rig_touch(&rig, "a", 1);
	uint64_t sum = 0;
	fakeapi_each(rig.f,
		     fakeapi_resources_named(fakeapi_resources(rig.f), BASE_STR("configmaps")),
		     count_object, &sum);
	CHECK_U64(sum, 102);
	CHECK_U64(fakeapi_revision(rig.f), 102);
	CHECK_U64(fakeapi_compacted(rig.f), 0);
	CHECK_U64(fakeapi_now_ns(rig.f), 0);
	rig_release(&rig);
}

static void the_same_calls_give_the_same_bytes(void)
{
	struct rig a, b;
	rig_init(&a, NULL, NULL);
	rig_init(&b, NULL, NULL);
	life(&a);
	life(&b);
	CHECK_SIZE(a.count, b.count);
	for (size_t i = 0; i < a.count; i++)
		CHECK_STR_EQ(base_buf_peek(&a.conns[i].wire), base_buf_peek(&b.conns[i].wire));
	rig_release(&a);
	rig_release(&b);
}

static CU_TestInfo tests[] = {
	{"a request may come byte by byte", a_request_may_come_byte_by_byte},
	{"requests on one connection are answered in order",
	 requests_on_one_connection_are_answered_in_order},
	{"paths lead to the right refusal", paths_lead_to_the_right_refusal},
	{"what is acceptable is sent", what_is_acceptable_is_sent},
	{"people get indented answers", people_get_indented_answers},
	{"bad bytes get a 4xx and the end", bad_bytes_get_a_4xx_and_the_end},
	{"memory stays bounded whatever a client sends",
	 memory_stays_bounded_whatever_a_client_sends},
	{"random bytes never stop the server", random_bytes_never_stop_the_server},
	{"the observer hears all of it", the_observer_hears_all_of_it},
	{"the observer hears how answers leave", the_observer_hears_how_answers_leave},
	{"faults touch the wire", faults_touch_the_wire},
	{"every allocation may fail", every_allocation_may_fail},
	{"a server needs memory and a known profile", a_server_needs_memory_and_a_known_profile},
	{"the cluster can be driven in process", the_cluster_can_be_driven_in_process},
	{"the same calls give the same bytes", the_same_calls_give_the_same_bytes},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_server_suite;
CU_SuiteInfo fakeapi_server_suite = {"fakeapi/server", NULL, NULL, NULL, NULL, tests};
