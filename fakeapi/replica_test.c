/* Several API servers before one store: who answers, and what one of them knows that another does not. */
#include "fakeapi/rig_test.h"

/* Who answered each request: "0 1 2 ". */
struct answers {
	char text[256];
};

static void on_answer(void *self, const struct fakeapi_who *who, int status, struct base_str reason)
{
	struct answers *answers = self;
	size_t len = strlen(answers->text);
	(void)reason;
	if (who->conn != NULL)
		snprintf(answers->text + len, sizeof answers->text - len, "%zu%s ", who->replica,
			 status == 200 ? "" : "!");
}

static void on_moved(void *self, const struct fakeapi_moved *moved)
{
	struct answers *answers = self;
	size_t len = strlen(answers->text);
	if (moved->replica != FAKEAPI_ALL_REPLICAS)
		snprintf(answers->text + len, sizeof answers->text - len, "%s%zu ",
			 fakeapi_move_word(moved->move), moved->replica);
}

static void replicas_init(struct rig *rig, size_t count, enum fakeapi_balance balance,
			  struct answers *answers)
{
	struct fakeapi_config config;
	struct fakeapi_observer observer = {.self = answers, .answer = on_answer, .move = on_moved};
	struct base_error error = {0};
	memset(rig, 0, sizeof *rig);
	memset(answers, 0, sizeof *answers);
	base_alloc_probe_init(&rig->probe);
	fakeapi_config_defaults(&config);
	config.alloc = &rig->probe.alloc;
	config.replicas = count;
	config.balance = balance;
	config.observer = &observer;
	rig->f = fakeapi_new(&config, &error);
}

/* A GET of a collection on a new connection of that client; its number, or RIG_CONNS when refused. */
static size_t get_as(struct rig *rig, const char *client, const char *target)
{
	struct rig_conn *c = &rig->conns[rig->count];
	struct base_error error = {0};
	char request[512];
	base_buf_init(&c->wire, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&c->body, NULL, BASE_BUF_MAX_DEFAULT);
	c->conn = fakeapi_connect(rig->f, &rig_ops, c, base_str(client), &error);
	if (c->conn == NULL) {
		CHECK_INT(error.code, BASE_ESTATE);
		return RIG_CONNS;
	}
	snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", target);
	rig_write(rig, rig->count, request);
	return rig->count++;
}

static void each_text(void *ctx, struct base_str key, struct base_str uid, uint64_t rv,
		      struct base_str object)
{
	char *text = ctx;
	size_t len = strlen(text);
	(void)uid;
	(void)object;
	snprintf(text + len, 256 - len, "%s%.*s%llu", len != 0 ? " " : "",
		 BASE_STR_ARG(base_str_skip(key, sizeof "default/" - 1)), (unsigned long long)rv);
}

static void the_balancer_chooses(void)
{
	static const struct {
		const char *name;
		enum fakeapi_balance balance;
		const char *clients; /* one letter per connection; digits: kill that replica */
		const char *want;
	} rows[] = {
		{"in turn", FAKEAPI_BALANCE_ROUND, "aaaa", "0 1 2 0 "},
		{"in turn, past one that is down", FAKEAPI_BALANCE_ROUND, "a1aaa",
		 "0 kill1 2 0 2 "},
		{"always the same", FAKEAPI_BALANCE_STICKY, "abca", "0 0 0 0 "},
		{"the same until it is down", FAKEAPI_BALANCE_STICKY, "a0aa", "0 kill0 1 1 "},
		{"by client", FAKEAPI_BALANCE_CLIENT, "abacb", "0 1 0 2 1 "},
		{"by client, away while down", FAKEAPI_BALANCE_CLIENT, "ab1ba", "0 1 kill1 2 0 "},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		struct answers answers;
		CHECK_ROW("%s", rows[i].name);
		replicas_init(&rig, 3, rows[i].balance, &answers);
		for (const char *c = rows[i].clients; *c != '\0'; c++) {
			char client[2] = {*c, '\0'};
			if (*c >= '0' && *c <= '9')
				fakeapi_replica_kill(rig.f, (size_t)(*c - '0'));
			else
				get_as(&rig, client, RIG_MAPS);
		}
		CHECK_TEXT(answers.text, rows[i].want);
		rig_release(&rig);
	}
}

static void a_routed_client_goes_there_up_or_down(void)
{
	struct rig rig;
	struct answers answers;
	replicas_init(&rig, 2, FAKEAPI_BALANCE_STICKY, &answers);
	CHECK_INT(fakeapi_route_client(rig.f, BASE_STR("a"), 1), BASE_OK);
	CHECK_INT(fakeapi_route_client(rig.f, BASE_STR("a"), 2), BASE_EINVAL);
	get_as(&rig, "a", RIG_MAPS);
	get_as(&rig, "b", RIG_MAPS);
	fakeapi_replica_kill(rig.f, 1);
	CHECK_U64(get_as(&rig, "a", RIG_MAPS), RIG_CONNS);
	CHECK_INT(fakeapi_route_client(rig.f, BASE_STR("a"), FAKEAPI_ALL_REPLICAS), BASE_OK);
	get_as(&rig, "a", RIG_MAPS);
	CHECK_TEXT(answers.text, "1 0 kill1 0 ");
	rig_release(&rig);
}

/* One lags: it answers an old state, and its watch is silent; the other one does not. */
static void each_replica_has_its_own_lag(void)
{
	struct rig rig;
	struct answers answers;
	replicas_init(&rig, 2, FAKEAPI_BALANCE_CLIENT, &answers);
	rig_fill(&rig);
	size_t fresh = get_as(&rig, "a", RIG_MAPS "?watch=1&resourceVersion=103");
	size_t stale = get_as(&rig, "b", RIG_MAPS "?watch=1&resourceVersion=103");
	CHECK_INT(fakeapi_replica_lag(rig.f, 1, NULL, FAKEAPI_NEVER), BASE_OK);
	rig_touch(&rig, "a", 1);
	CHECK_TEXT(rig_lines(&rig, fresh), "M104");
	CHECK_TEXT(rig_lines(&rig, stale), "");
	size_t list = get_as(&rig, "b", RIG_MAPS "?resourceVersion=0");
	CHECK_TRUE(base_str_find(rig_body(&rig, list), BASE_STR("\"resourceVersion\":\"103\"},")) !=
		   SIZE_MAX);
	/* One object too: as the cache has it when a version is named, from the store otherwise. */
	size_t got = get_as(&rig, "b", RIG_MAPS "/a?resourceVersion=0");
	CHECK_TRUE(base_str_find(rig_body(&rig, got), BASE_STR("\"resourceVersion\":\"101\"")) !=
		   SIZE_MAX);
	got = get_as(&rig, "b", RIG_MAPS "/a");
	CHECK_TRUE(base_str_find(rig_body(&rig, got), BASE_STR("\"resourceVersion\":\"104\"")) !=
		   SIZE_MAX);
	got = get_as(&rig, "a", RIG_MAPS "/a?resourceVersion=0");
	CHECK_TRUE(base_str_find(rig_body(&rig, got), BASE_STR("\"resourceVersion\":\"104\"")) !=
		   SIZE_MAX);
	/* What it does not know yet it waits for, and says so after 3 s (L-6). */
	size_t ahead = get_as(&rig, "b", RIG_MAPS "?resourceVersion=104");
	CHECK_INT(rig_status(&rig, ahead), 0);
	rig_advance(&rig, 3000);
	CHECK_INT(rig_status(&rig, ahead), 504);
	CHECK_INT(fakeapi_replica_lag(rig.f, 1, NULL, 0), BASE_OK);
	CHECK_TEXT(rig_lines(&rig, stale), "M104");
	rig_release(&rig);
}

static void one_restart_empties_one_history(void)
{
	struct rig rig;
	struct answers answers;
	replicas_init(&rig, 2, FAKEAPI_BALANCE_CLIENT, &answers);
	rig_fill(&rig);
	size_t a = get_as(&rig, "a", RIG_MAPS "?watch=1&resourceVersion=103");
	size_t b = get_as(&rig, "b", RIG_MAPS "?watch=1&resourceVersion=103");
	fakeapi_replica_kill(rig.f, 1);
	CHECK_FALSE(rig.conns[a].closed);
	CHECK_TRUE(rig.conns[b].closed);
	rig_touch(&rig, "a", 1);
	fakeapi_replica_start(rig.f, 1);
	CHECK_TRUE(fakeapi_is_up(rig.f));
	CHECK_TEXT(rig_lines(&rig, a), "M104");
	b = get_as(&rig, "b", RIG_MAPS "?watch=1&resourceVersion=103");
	CHECK_TEXT(rig_lines(&rig, b), "X410.");
	b = get_as(&rig, "b", RIG_MAPS "?watch=1&resourceVersion=104");
	rig_touch(&rig, "a", 2);
	CHECK_TEXT(rig_lines(&rig, b), "M105");
	/* The other one still has it all. */
	a = get_as(&rig, "a", RIG_MAPS "?watch=1&resourceVersion=100");
	CHECK_TEXT(rig_lines(&rig, a), "A101 A102 A103 M104 M105");
	rig_release(&rig);
}

/* Forgetting and compaction: the log lives as long as one replica wants it. */
static void history_is_kept_for_the_replica_that_still_has_it(void)
{
	struct rig rig;
	struct answers answers;
	struct base_error error = {0};
	replicas_init(&rig, 2, FAKEAPI_BALANCE_CLIENT, &answers);
	rig_fill(&rig);
	fakeapi_replica_forget(rig.f, 0, NULL);
	get_as(&rig, "a", RIG_MAPS);
	get_as(&rig, "b", RIG_MAPS);
	fakeapi_replica_forget(rig.f, 0, NULL);
	CHECK_INT(fakeapi_compact(rig.f, 0, &error), BASE_OK);
	size_t a = get_as(&rig, "a", RIG_MAPS "?watch=1&resourceVersion=101");
	size_t b = get_as(&rig, "b", RIG_MAPS "?watch=1&resourceVersion=101");
	CHECK_TEXT(rig_lines(&rig, a), "X410.");
	CHECK_TEXT(rig_lines(&rig, b), "A102 A103");
	rig_advance(&rig, 15000);
	CHECK_TEXT(answers.text, "forget0 0 1 forget0 0 1 notice0 notice1 ");
	rig_release(&rig);
}

static void a_stop_lasts_a_minute_for_one(void)
{
	struct rig rig;
	struct answers answers;
	replicas_init(&rig, 2, FAKEAPI_BALANCE_STICKY, &answers);
	size_t a = get_as(&rig, "a", RIG_MAPS "?watch=1&resourceVersion=100");
	fakeapi_replica_stop(rig.f, 0);
	CHECK_FALSE(fakeapi_replica_is_up(rig.f, 0));
	size_t b = get_as(&rig, "a", RIG_MAPS "?watch=1&resourceVersion=100");
	rig_advance(&rig, 59999);
	CHECK_TEXT(rig_lines(&rig, a), "");
	rig_advance(&rig, 60000);
	CHECK_TEXT(rig_lines(&rig, a), ".");
	CHECK_TEXT(rig_lines(&rig, b), "");
	CHECK_TEXT(answers.text, "0 stop0 1 ");
	fakeapi_replica_start(rig.f, 7);
	rig_release(&rig);
}

static void the_store_goes_back(void)
{
	static const struct {
		const char *name;
		uint64_t to, as;
		const char *refused;   /* why not */
		const char *objects;   /* keys and versions afterwards */
		const char *next;      /* version of the next write */
		const char *old_watch; /* from 105, with one write after it */
		const char *new_watch; /* from the version after the restore */
	} rows[] = {
		{"back", 103, 0, NULL, "a101 b102 c103", "a104", "", "M104"},
		{"back to where it is", 105, 0, NULL, "a104 c103", "a106", "M106", "M106"},
		{"ahead", 103, 1000, NULL, "a101 b102 c103", "a1001", "X410.", "M1001"},
		{"to the future", 106, 0, "the store is at 105", "a104 c103", "a106", "M106",
		 "M106"},
		{"to what is compacted", 101, 0, "compacted away", "a104 c103", "a106", "M106",
		 "M106"},
		{"below the present", 103, 104, "the store is at 105", "a104 c103", "a106", "M106",
		 "M106"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct rig rig;
		struct answers answers;
		struct base_error error = {0};
		char text[256] = "", target[256];
		CHECK_ROW("%s", rows[i].name);
		replicas_init(&rig, 2, FAKEAPI_BALANCE_CLIENT, &answers);
		rig_fill(&rig);
		rig_touch(&rig, "a", 1);
		CHECK_INT(rig_do(&rig, "DELETE", RIG_MAPS "/b", NULL), 200);
		CHECK_INT(fakeapi_compact(rig.f, 102, &error), BASE_OK);
		size_t open = get_as(&rig, "b", RIG_MAPS "?watch=1&resourceVersion=105");
		enum base_code code = fakeapi_restore(rig.f, rows[i].to, rows[i].as, &error);
		CHECK_INT(code, rows[i].refused != NULL ? BASE_EINVAL : BASE_OK);
		if (rows[i].refused != NULL)
			CHECK_CONTAINS(error.text, rows[i].refused);
		CHECK_INT(rig.conns[open].closed, rows[i].refused == NULL);
		const struct fakeapi_resource *maps =
			fakeapi_resources_find(fakeapi_resources(rig.f), BASE_STR(""),
					       BASE_STR("v1"), BASE_STR("configmaps"));
		uint64_t now = fakeapi_revision(rig.f);
		fakeapi_each(rig.f, maps, each_text, text);
		CHECK_TEXT(text, rows[i].objects);
		size_t old = get_as(&rig, "a", RIG_MAPS "?watch=1&resourceVersion=105");
		snprintf(target, sizeof target, RIG_MAPS "?watch=1&resourceVersion=%llu",
			 (unsigned long long)now);
		size_t fresh = get_as(&rig, "a", target);
		rig_touch(&rig, "a", 2);
		text[0] = '\0';
		fakeapi_each(rig.f, maps, each_text, text);
		CHECK_TRUE(strncmp(text, rows[i].next, strlen(rows[i].next)) == 0);
		CHECK_TEXT(rig_lines(&rig, old), rows[i].old_watch);
		CHECK_TEXT(rig_lines(&rig, fresh), rows[i].new_watch);
		rig_release(&rig);
	}
}

static void no_allocation_that_fails_leaks(void)
{
	for (uint64_t nth = 1; nth < 2000; nth++) {
		struct rig rig;
		struct fakeapi_config config;
		struct base_error error = {0};
		memset(&rig, 0, sizeof rig);
		base_alloc_probe_init(&rig.probe);
		fakeapi_config_defaults(&config);
		config.alloc = &rig.probe.alloc;
		config.replicas = 3;
		config.balance = FAKEAPI_BALANCE_CLIENT;
		rig.probe.fail_at = nth;
		rig.probe.fail_forever = true;
		rig.f = fakeapi_new(&config, &error);
		if (rig.f != NULL) {
			rig_do(&rig, "POST", RIG_MAPS,
			       "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
			       "\"name\":\"a\"}}");
			if (fakeapi_route_client(rig.f, BASE_STR("c"), 2) != BASE_OK)
				CHECK_TRUE(rig.probe.failed_count != 0);
			if (fakeapi_replica_lag(rig.f, 1, NULL, 5) != BASE_OK)
				CHECK_TRUE(rig.probe.failed_count != 0);
			for (size_t i = 0; i < 3; i++) {
				struct rig_conn *c = &rig.conns[rig.count++];
				const char *names[] = {"a", "b", "c"};
				base_buf_init(&c->wire, NULL, BASE_BUF_MAX_DEFAULT);
				base_buf_init(&c->body, NULL, BASE_BUF_MAX_DEFAULT);
				c->conn = fakeapi_connect(rig.f, &rig_ops, c, base_str(names[i]),
							  &error);
				rig_write(&rig, i, "GET " RIG_MAPS " HTTP/1.1\r\nHost: x\r\n\r\n");
			}
			fakeapi_replica_kill(rig.f, 1);
			fakeapi_replica_start(rig.f, 1);
			fakeapi_replica_stop(rig.f, 2);
			fakeapi_replica_start(rig.f, 2);
			rig_do(&rig, "DELETE", RIG_MAPS "/a", NULL);
			if (fakeapi_restore(rig.f, 101, 0, &error) != BASE_OK)
				CHECK_TRUE(rig.probe.failed_count != 0);
		}
		bool failed = rig.probe.failed_count != 0;
		rig_release(&rig);
		if (!failed)
			return;
	}
	CHECK_FAIL("it never came to an end");
}

static CU_TestInfo tests[] = {
	{"the balancer chooses", the_balancer_chooses},
	{"a routed client goes there, up or down", a_routed_client_goes_there_up_or_down},
	{"each replica has its own lag", each_replica_has_its_own_lag},
	{"one restart empties one history", one_restart_empties_one_history},
	{"history is kept for the replica that still has it",
	 history_is_kept_for_the_replica_that_still_has_it},
	{"a stop lasts a minute, for one", a_stop_lasts_a_minute_for_one},
	{"the store goes back", the_store_goes_back},
	{"no allocation that fails leaks", no_allocation_that_fails_leaks},
	CU_TEST_INFO_NULL,
};

extern CU_SuiteInfo fakeapi_replica_suite;
CU_SuiteInfo fakeapi_replica_suite = {"fakeapi/replica", NULL, NULL, NULL, NULL, tests};
