/* Every invariant seen green on a history where it holds and red on one where it is broken.
 *
 * A history is written as lines "SECONDS SOURCE KIND [field=value…] [flag…]". */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>

#include "ci/unit/assert.h"
#include "sim/fatal.h"
#include "sim/judge/invariants.h"

static void set_field(struct hist_record *record, struct base_str name, struct base_str value)
{
	static const struct {
		const char *name;
		size_t offset;
	} fields[] = {
#define FIELD(f) {#f, offsetof(struct hist_record, f)}
		FIELD(actor), FIELD(handler), FIELD(key),    FIELD(uid),
		FIELD(rv),    FIELD(old_rv),  FIELD(seen),   FIELD(method),
		FIELD(path),  FIELD(query),   FIELD(reason), FIELD(text),
#undef FIELD
	};
	if (base_str_is(name, "request")) {
		(void)base_str_u64(value, &record->request);
		return;
	}
	if (base_str_is(name, "number")) {
		(void)base_str_u64(value, &record->number);
		return;
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (base_str_is(name, fields[i].name)) {
			memcpy((char *)record + fields[i].offset, &value, sizeof(value));
			return;
		}
	}
	sim_fatal("no field %.*s", BASE_STR_ARG(name));
}

static void set_word(struct hist_record *record, size_t place, struct base_str word)
{
	struct base_str name;
	bool is_field;
	struct base_str value = base_str_cut(word, '=', &name, &is_field);
	uint64_t seconds;

	if (place == 0 && base_str_u64(word, &seconds)) {
		record->t_ns = seconds * 1000000000ULL;
	} else if (place == 1) {
		for (int i = 0; i <= HIST_OBSERVER; i++)
			if (base_str_is(word, hist_source_word((enum hist_source)i)))
				record->source = (enum hist_source)i;
	} else if (place == 2) {
		if (!hist_kind_find(word, &record->kind))
			sim_fatal("no kind %.*s", BASE_STR_ARG(word));
	} else if (is_field) {
		set_field(record, name, value);
	} else if (base_str_is(word, "initial")) {
		record->flags |= HIST_INITIAL;
	} else if (base_str_is(word, "end")) {
		record->flags |= HIST_END_BOOKMARK;
	} else {
		sim_fatal("no flag %.*s", BASE_STR_ARG(word));
	}
}

static struct hist *history_of(const char *lines)
{
	struct hist *hist = hist_new(NULL);
	struct base_str rest = base_str(lines);

	while (rest.len > 0) {
		struct base_str line, word;
		bool found;
		struct hist_record record = {0};
		rest = base_str_cut(rest, '\n', &line, &found);
		for (size_t place = 0; line.len > 0; place++) {
			line = base_str_cut(line, ' ', &word, &found);
			set_word(&record, place, word);
		}
		if (record.source != HIST_SERVER && record.source != HIST_HARNESS)
			record.actor = BASE_STR("inf");
		sim_must(hist_append(hist, &record));
	}
	return hist;
}

static const struct judge_handler_spec handlers[] = {
	{.name = {.ptr = "h", .len = 1}, .resyncs = false, .from_start = true},
	{.name = {.ptr = "slow", .len = 4}, .slow_ns = 1000, .resyncs = false, .from_start = true},
};

/* The number of breaches, SIZE_MAX for "not judged". */
static size_t breaches(const char *id, const char *lines, bool healed)
{
	struct hist *hist = history_of(lines);
	struct judge_informer_spec spec = {.name = BASE_STR("inf"),
					   .resource = BASE_STR("pods"),
					   .handlers = handlers,
					   .handler_count = strcmp(id, "I13") == 0 ? 2 : 1};
	struct judge_facts facts;
	size_t count = SIZE_MAX - 1;

	judge_facts_init(&facts, hist, &spec, 1);
	for (size_t i = 0; i < judge_invariant_count; i++) {
		struct judge_check check = {.facts = &facts, .healed = healed};
		if (strcmp(judge_invariants[i].id, id) != 0)
			continue;
		judge_invariants[i].check(&check);
		count = check.not_judged != NULL ? SIZE_MAX : check.breach_count;
		for (size_t b = 0; b < check.breach_count && b < JUDGE_BREACHES_MAX; b++)
			base_buf_release(&check.breaches[b].text);
	}
	judge_facts_release(&facts);
	hist_free(hist);
	return count;
}

#define MADE "0 server change path=pods reason=ADDED key=d/a uid=u1 rv=101 text={}\n"
#define LISTING                                                                                    \
	"1 client request request=1 method=GET query=limit=500&resourceVersion=0\n"                \
	"1 network head request=1 number=200\n"                                                    \
	"1 network list request=1 rv=101\n"                                                        \
	"1 network listed request=1 key=d/a uid=u1 rv=101 number=7\n"                              \
	"1 network end request=1 reason=eof\n"
#define WATCHING(rv)                                                                               \
	"2 client request request=2 method=GET query=resourceVersion=" rv                          \
	"&timeoutSeconds=300&watch=true\n"                                                         \
	"2 network head request=2 number=200\n"
#define ADDED "1 client add handler=h key=d/a uid=u1 rv=101 seen=101 initial\n"
#define CHANGED "2 server change path=pods reason=MODIFIED key=d/a uid=u1 rv=102 text={}\n"
#define RESTORED "2 server move reason=restore number=101 rv=101\n"
#define STORED "9 client store number=1 rv=101\n9 client item key=d/a uid=u1 rv=101 number=7\n"

static const struct {
	const char *id, *what, *good, *bad;
} rows[] = {
	{"I1", "stale", MADE LISTING ADDED STORED,
	 MADE LISTING
	 "3 server change path=pods reason=MODIFIED key=d/a uid=u1 rv=102 text={}\n" STORED},
	{"I1", "ghost", MADE LISTING ADDED STORED,
	 MADE "3 server change path=pods reason=DELETED key=d/a uid=u1 rv=102 text={}\n" STORED},
	{"I1", "a handler that lacks one", MADE ADDED STORED, MADE STORED},
	{"I1", "a handler with an old state", MADE ADDED STORED,
	 MADE "1 client add handler=h key=d/a uid=u1 rv=100\n" STORED},
	{"I1", "a handler added again lacks one",
	 MADE ADDED "2 client handler handler=h reason=removed\n" STORED,
	 MADE ADDED "2 client handler handler=h reason=removed\n"
		    "3 client handler handler=h reason=added\n" STORED},
	{"I1", "missing", MADE LISTING ADDED STORED,
	 MADE "3 server change path=pods reason=ADDED key=d/b uid=u2 rv=102 text={}\n" STORED},
	{"I1", "another uid", MADE LISTING ADDED STORED,
	 MADE "9 client store number=1\n9 client item key=d/a uid=u9 rv=101\n"},
	{"I1", "the store was put back", MADE ADDED CHANGED RESTORED STORED,
	 MADE ADDED RESTORED CHANGED STORED},
	{"I1", "what was put back is there again",
	 MADE ADDED
	 "2 server change path=pods reason=DELETED key=d/a uid=u1 rv=102 text={}\n" RESTORED STORED,
	 MADE ADDED
	 "2 server change path=pods reason=DELETED key=d/a uid=u1 rv=101 text={}\n" RESTORED
		 STORED},
	{"I2", "version out of nowhere", LISTING WATCHING("101"), LISTING WATCHING("99")},
	{"I2", "token out of nowhere", LISTING,
	 LISTING "2 client request request=2 method=GET query=continue=made-up&limit=2\n"},
	{"I3", "back in time", ADDED "2 client update handler=h key=d/a rv=105 old_rv=101\n",
	 ADDED "2 client update handler=h key=d/a rv=105 old_rv=101\n"
	       "3 client update handler=h key=d/a rv=104 old_rv=105\n"},
	{"I3", "back in time after the store was",
	 ADDED "2 client update handler=h key=d/a rv=105 old_rv=101\n" RESTORED
	       "3 client update handler=h key=d/a rv=104 old_rv=105\n",
	 ADDED RESTORED "3 client update handler=h key=d/a rv=105 old_rv=101\n"
			"3 client update handler=h key=d/a rv=104 old_rv=105\n"},
	{"I4", "a state that never was", MADE ADDED,
	 MADE "1 client add handler=h key=d/a rv=102\n"},
	{"I5", "two adds", ADDED "2 client update handler=h key=d/a rv=101 old_rv=101\n",
	 ADDED ADDED},
	{"I5", "update first", ADDED, "1 client update handler=h key=d/a rv=101\n"},
	{"I5", "two deletes", ADDED "2 client delete handler=h key=d/a rv=102\n",
	 ADDED
	 "2 client delete handler=h key=d/a rv=102\n2 client delete handler=h key=d/a rv=102\n"},
	{"I5", "after removal",
	 "0 client handler handler=h reason=added\n" ADDED
	 "2 client handler handler=h reason=removed\n",
	 "0 client handler handler=h reason=added\n" ADDED
	 "2 client handler handler=h reason=removed\n"
	 "3 client update handler=h key=d/a rv=102\n3 client update handler=h key=d/a rv=103\n"},
	{"I5", "added again",
	 ADDED "2 client handler handler=h reason=removed\n"
	       "3 client handler handler=h reason=added\n3 client add handler=h key=d/a rv=101\n",
	 ADDED "3 client handler handler=h reason=added\n3 client add handler=h key=d/a rv=101\n"
	       "3 client add handler=h key=d/a rv=101\n"},
	{"I6", "gone while the handler was away",
	 ADDED "2 client handler handler=h reason=removed\n"
	       "3 client handler handler=h reason=added\n9 client store number=0\n",
	 ADDED "2 client handler handler=h reason=added\n3 client add handler=h key=d/a rv=101\n"
	       "9 client store number=0\n"},
	{"I6", "invented delete", ADDED "2 client delete handler=h key=d/a rv=102\n",
	 "2 client delete handler=h key=d/a rv=102\n"},
	{"I6", "lost delete", ADDED STORED, ADDED "9 client store number=0\n"},
	{"I7", "synced without a list", LISTING ADDED "1 client synced\n",
	 "1 client request request=1 method=GET query=limit=1\n1 network head request=1 number=500\n"
	 "1 client synced\n"},
	{"I7", "handler synced before it heard", LISTING ADDED "1 client synced handler=h\n",
	 LISTING "1 client synced handler=h\n"},
	{"I7", "synced between pages", LISTING "1 client synced\n",
	 "1 client request request=1 method=GET query=limit=1\n1 network head request=1 number=200\n"
	 "1 network list request=1 rv=101 text=more\n1 network listed request=1 key=d/a rv=101\n"
	 "1 network end request=1 reason=eof\n1 client synced\n"},
	{"I8", "never synced", LISTING "1 client synced\n", LISTING},
	{"I9", "hot loop", LISTING, "1 harness loop number=1000\n"},
	{"I10", "backlog left", "9 client pending reason=backlog\n",
	 "9 client pending reason=backlog number=3\n"},
	{"I11", "watch without end", WATCHING("101") "300 network end request=2 reason=eof\n",
	 WATCHING("101") "600 harness finish\n"},
	{"I12", "goes on after its end", "1 harness action reason=stop key=inf\n1 client stopped\n",
	 "1 harness action reason=stop key=inf\n1 client stopped\n" ADDED},
	{"I12", "does not stop", "1 harness action reason=stop key=inf\n5 client stopped\n",
	 "1 harness action reason=stop key=inf\n100 harness finish\n"},
	{"I13", "the slow one first",
	 "1 client add handler=slow key=d/a rv=101\n1 client add handler=h key=d/a rv=101\n",
	 "1 client add handler=slow key=d/a rv=101\n2 client add handler=h key=d/a rv=101\n"},
	{"I14", "an event nobody heard of",
	 WATCHING("101") "3 network event request=2 reason=ADDED key=d/b rv=102\n"
			 "3 client add handler=h key=d/b rv=102\n",
	 WATCHING("101") "3 network event request=2 reason=ADDED key=d/b rv=102\n"},
	{"I14", "a handler that was removed",
	 WATCHING("101") "2 client handler handler=h reason=removed\n"
			 "3 network event request=2 reason=ADDED key=d/b rv=102\n",
	 WATCHING("101") "2 client handler handler=h reason=removed\n"
			 "3 client handler handler=h reason=added\n"
			 "4 network event request=2 reason=ADDED key=d/b rv=102\n"},
	{"I14", "another informer was stopped",
	 WATCHING("101") "2 harness action reason=stop key=inf\n"
			 "3 network event request=2 reason=ADDED key=d/b rv=102\n",
	 WATCHING("101") "2 harness action reason=stop key=other\n"
			 "3 network event request=2 reason=ADDED key=d/b rv=102\n"},
	{"I15", "swallowed",
	 "1 server effect reason=undecodable number=1\n1 client report reason=error\n",
	 "1 server effect reason=undecodable number=1\n"},
	{"I16", "initial events without a match", LISTING,
	 "1 client request request=1 method=GET query=sendInitialEvents=true&watch=true\n"},
	{"I16", "match without version", LISTING,
	 "1 client request request=1 method=GET query=resourceVersionMatch=Exact\n"},
	{"I17", "not in the store yet", LISTING ADDED,
	 LISTING "1 client add handler=h key=d/a rv=101 initial\n"},
	{"I18", "an error kept quiet",
	 "1 client request request=1 method=GET query=limit=500\n1 network head request=1 number=500\n"
	 "1 network end request=1 reason=eof\n1 client error reason=internal\n"
	 "2 client request request=2 method=GET query=limit=1\n",
	 "1 client request request=1 method=GET query=limit=500\n1 network head request=1 number=500\n"
	 "1 network end request=1 reason=eof\n2 client request request=2 method=GET query=limit=1\n"},
	{"I19", "a list instead of a watch",
	 LISTING WATCHING(
		 "101") "5 network event request=2 reason=BOOKMARK rv=103\n"
			"9 network end request=2 reason=eof\n"
			"9 client request request=3 method=GET query=resourceVersion=103&watch=true\n",
	 LISTING WATCHING(
		 "101") "5 network event request=2 reason=BOOKMARK rv=103\n"
			"9 network end request=2 reason=eof\n"
			"9 client request request=3 method=GET query=resourceVersion=103\n"},
	{"I19", "an old version",
	 LISTING WATCHING(
		 "101") "5 network event request=2 reason=BOOKMARK rv=103\n"
			"9 network end request=2 reason=eof\n"
			"9 client request request=3 method=GET query=resourceVersion=103&watch=true\n",
	 LISTING WATCHING(
		 "101") "5 network event request=2 reason=BOOKMARK rv=103\n"
			"9 network end request=2 reason=eof\n"
			"9 client request request=3 method=GET query=resourceVersion=101&watch=true\n"},
	{"I20", "stuck", "9 client pending reason=timers number=1\n",
	 "9 client pending reason=timers\n"},
	{"I21", "a resync asks", "5 client resync\n6 client request request=1 method=GET\n",
	 "5 client resync\n5 client request request=1 method=GET\n"},
	{"I21", "heard by one without a period", "5 client resync\n",
	 "5 client resync\n5 client update handler=h key=d/a rv=101 old_rv=101\n"},
	{"I22", "older than what is told", ADDED,
	 "1 client update handler=h key=d/a rv=105 old_rv=101 seen=101\n"},
	{"I22", "a wrong index", STORED,
	 "9 client store number=1\n9 client item key=d/a reason=namespace\n"},
	{"I24", "changed in the store", LISTING STORED,
	 LISTING "9 client store number=1\n9 client item key=d/a uid=u1 rv=101 number=8\n"},
};

static void every_invariant_holds_and_breaks(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_ROW("%s %s", rows[i].id, rows[i].what);
		CHECK_SIZE(breaches(rows[i].id, rows[i].good, true), 0);
		size_t bad = breaches(rows[i].id, rows[i].bad, true);
		CHECK_TRUE(bad > 0 && bad < SIZE_MAX - 1);
	}
}

static void every_checked_invariant_has_a_row(void)
{
	for (size_t n = 0; n < judge_invariant_count; n++) {
		bool found = judge_invariants[n].check == NULL;
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
			found = found || strcmp(rows[i].id, judge_invariants[n].id) == 0;
		CHECK_ROW("%s", judge_invariants[n].id);
		CHECK_TRUE(found);
	}
}

static void every_forbidden_combination_of_parameters_is_seen(void)
{
	static const struct {
		const char *query;
		size_t breaches;
	} queries[] = {
		{"resourceVersion=0&limit=500", 0},
		{"watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", 0},
		{"continue=abc&limit=500", 0},
		{"sendInitialEvents=true", 1},
		{"watch=true&sendInitialEvents=true", 1},
		{"watch=true&resourceVersion=5&resourceVersionMatch=NotOlderThan", 1},
		{"resourceVersionMatch=Exact", 1},
		{"resourceVersion=0&resourceVersionMatch=Exact", 1},
		{"continue=abc&resourceVersion=0&resourceVersionMatch=NotOlderThan", 1},
		{"continue=abc&resourceVersion=5", 1},
		{"watch=true&limit=5", 1},
		{"watch=true&continue=abc", 1},
	};
	char line[200];

	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
		CHECK_ROW("%s", queries[i].query);
		(void)snprintf(line, sizeof(line),
			       "1 client request request=1 method=GET query=%s\n",
			       queries[i].query);
		CHECK_SIZE(breaches("I16", line, true), queries[i].breaches);
	}
}

static void a_token_is_compared_decoded(void)
{
	static const char listed[] =
		"1 client request request=1 method=GET query=limit=1\n"
		"1 network list request=1 rv=101 text=a+b\n"
		"1 client request request=2 method=GET query=limit=1&continue=";
	char lines[300];

	(void)snprintf(lines, sizeof(lines), "%sa%%2Bb\n", listed);
	CHECK_SIZE(breaches("I2", lines, true), 0);
	(void)snprintf(lines, sizeof(lines), "%sa+b\n", listed);
	CHECK_SIZE(breaches("I2", lines, true), 1);
}

static void a_loop_without_time_breaks_the_bound(void)
{
	CHECK_SIZE(breaches("I9", "1 harness loop number=20001\n", true), 1);
}

static void missing_facts_are_not_judged(void)
{
	static const char *const ids[] = {"I1", "I8", "I2", "I4", "I7", "I14", "I24"};
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		CHECK_ROW("%s", ids[i]);
		CHECK_TRUE(breaches(ids[i], "1 client stopped\n", false) == SIZE_MAX);
	}
}

static void too_many_requests_break_the_bound(void)
{
	struct base_buf lines;
	base_buf_init(&lines, NULL, BASE_BUF_MAX_DEFAULT);
	for (int i = 1; i <= JUDGE_REQUESTS_PER_MINUTE_MAX + 1; i++) {
		if (i == JUDGE_REQUESTS_PER_MINUTE_MAX + 1)
			CHECK_SIZE(breaches("I9", lines.ptr, true), 0);
		sim_must(base_buf_printf(&lines,
					 "%d client request request=%d method=GET query=limit=%d\n",
					 i / 10, i, i));
	}
	CHECK_SIZE(breaches("I9", lines.ptr, true), 1);
	base_buf_release(&lines);
}

static void versions_are_worked_out_from_what_was_delivered(void)
{
	struct hist *hist = history_of(LISTING WATCHING(
		"101") "3 network event request=2 reason=MODIFIED key=d/a rv=107\n"
		       "4 network event request=2 reason=ERROR number=410\n"
		       "4 network end request=2 reason=eof\n"
		       "5 client request request=3 method=GET query=resourceVersion=107\n");
	struct judge_informer_spec spec = {.name = BASE_STR("inf")};
	struct judge_facts facts;

	judge_facts_init(&facts, hist, &spec, 1);
	CHECK_STR(judge_request_of(&facts, 2)->list_rv, "101");
	CHECK_STR(judge_request_of(&facts, 3)->last_rv, "107");
	CHECK_STR(judge_request_of(&facts, 3)->list_rv, "101");
	CHECK_TRUE(judge_request_of(&facts, 2)->error_event);
	CHECK_INT(judge_request_of(&facts, 2)->kind, JUDGE_WATCH);
	CHECK_STR(judge_delivered_before(&facts, 0, 7).last_rv, "101");
	CHECK_STR(judge_delivered_before(&facts, 0, 9).last_rv, "107");
	judge_facts_release(&facts);
	hist_free(hist);
}

static void initial_events_do_not_count_as_versions(void)
{
	struct hist *hist = history_of(
		"1 client request request=1 method=GET query=sendInitialEvents=true&watch=true\n"
		"1 network event request=1 reason=ADDED key=d/a rv=101\n"
		"1 client request request=2 method=GET query=limit=1\n"
		"1 network event request=1 reason=BOOKMARK rv=105 end\n"
		"1 client request request=3 method=GET query=limit=1\n");
	struct judge_informer_spec spec = {.name = BASE_STR("inf")};
	struct judge_facts facts;

	judge_facts_init(&facts, hist, &spec, 1);
	CHECK_STR(judge_request_of(&facts, 2)->last_rv, "");
	CHECK_STR(judge_request_of(&facts, 3)->last_rv, "105");
	CHECK_STR(judge_request_of(&facts, 3)->list_rv, "105");
	judge_facts_release(&facts);
	hist_free(hist);
}

static CU_TestInfo tests[] = {
	{"every_invariant_holds_and_breaks", every_invariant_holds_and_breaks},
	{"every_checked_invariant_has_a_row", every_checked_invariant_has_a_row},
	{"every_forbidden_combination_of_parameters_is_seen",
	 every_forbidden_combination_of_parameters_is_seen},
	{"a_token_is_compared_decoded", a_token_is_compared_decoded},
	{"a_loop_without_time_breaks_the_bound", a_loop_without_time_breaks_the_bound},
	{"missing_facts_are_not_judged", missing_facts_are_not_judged},
	{"too_many_requests_break_the_bound", too_many_requests_break_the_bound},
	{"versions_are_worked_out_from_what_was_delivered",
	 versions_are_worked_out_from_what_was_delivered},
	{"initial_events_do_not_count_as_versions", initial_events_do_not_count_as_versions},
	CU_TEST_INFO_NULL,
};

extern CU_SuiteInfo sim_judge_invariants_suite;
CU_SuiteInfo sim_judge_invariants_suite = {.pName = "sim/judge/invariants", .pTests = tests};
