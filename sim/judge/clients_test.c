/* Clients judged from the server's side. Each story is a few records; the row says what comes of it. */
#include "sim/judge/clients.h"

#include <stdio.h>
#include <stdlib.h>

#include "ci/unit/assert.h"
#include "sim/fatal.h"

#define S UINT64_C(1000000000)
#define PODS "/api/v1/pods"
#define STORY_MAX 16
#define ME "me/1 as you"

enum step_kind {
	NOTHING,
	ASK,
	HEAD,
	LIST,
	EVENT,
	MARK,
	ERROR_EVENT,
	OBJECT,
	END,
	CUT,
	GONE,
	FAULT
};

struct step {
	enum step_kind kind;
	uint64_t t_ns, request;
	const char *text;   /* ASK: the target; LIST: the token */
	const char *rv;     /* ASK: the connection */
	const char *client; /* NULL: ME */
};

static struct hist_record record_of(const struct step *step)
{
	struct hist_record record = {.t_ns = step->t_ns,
				     .request = step->request,
				     .source = HIST_NETWORK,
				     .actor = base_str(step->client != NULL ? step->client : ME)};
	bool found;

	switch (step->kind) {
	case ASK:
		record.kind = HIST_REQUEST;
		record.source = HIST_CLIENT;
		record.method = BASE_STR("GET");
		record.query = base_str_cut(base_str(step->text), '?', &record.path, &found);
		record.from = base_str(step->rv != NULL ? step->rv : "conn1");
		break;
	case HEAD:
		record.kind = HIST_HEAD;
		record.number = 200;
		break;
	case LIST:
		record.kind = HIST_LIST;
		record.rv = base_str(step->rv);
		record.text = base_str(step->text != NULL ? step->text : "");
		break;
	case EVENT:
	case MARK:
	case ERROR_EVENT:
		record.kind = HIST_EVENT;
		record.reason = step->kind == EVENT  ? BASE_STR("MODIFIED")
				: step->kind == MARK ? BASE_STR("BOOKMARK")
						     : BASE_STR("ERROR");
		record.flags = step->kind == MARK ? HIST_END_BOOKMARK : 0;
		record.rv = base_str(step->rv != NULL ? step->rv : "");
		break;
	case OBJECT:
		record.kind = HIST_OBJECT;
		record.rv = base_str(step->rv);
		break;
	case END:
	case CUT:
		record.kind = HIST_END;
		record.reason = step->kind == END ? BASE_STR("eof") : BASE_STR("cut");
		break;
	case GONE:
		record.kind = HIST_CANCEL;
		record.source = HIST_CLIENT;
		break;
	case FAULT:
		record.kind = HIST_EFFECT;
		record.source = HIST_SERVER;
		record.request = 0;
		record.handler = base_str(step->text);
		record.reason = BASE_STR("stall");
		record.number = step->request;
		break;
	case NOTHING: break;
	}
	return record;
}

/* "I2 held", "I9 broken: text", joined by "; ": what is not "not judged" of the client. */
static void put_verdict(const struct verdict *verdict, struct base_buf *out)
{
	for (size_t i = 0; i < verdict->invariant_count; i++) {
		const struct verdict_invariant *row = &verdict->invariants[i];

		if (row->state == VERDICT_NOT_JUDGED)
			continue;
		sim_must(base_buf_printf(out, "%s%s %s", out->len > 0 ? "; " : "", row->id,
					 row->state == VERDICT_HELD ? "held" : "broken"));
		for (size_t f = 0; f < verdict->finding_count; f++)
			if (base_str_is(verdict->findings[f].rule, row->id))
				sim_must(base_buf_printf(out, ": line %u: %.*s",
							 verdict->findings[f].line,
							 BASE_STR_ARG(verdict->findings[f].text)));
	}
}

#define WATCH_LIST PODS "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"

static const struct {
	const char *title, *want;
	struct step steps[STORY_MAX];
} stories[] = {
	{"a list and a watch from its version",
	 "I2 held; I9 held; I16 held",
	 {{ASK, 1, 1, PODS "?limit=500", NULL, NULL},
	  {HEAD, 1, 1, NULL, NULL, NULL},
	  {LIST, 1, 1, NULL, "5", NULL},
	  {END, 1, 1, NULL, NULL, NULL},
	  {ASK, 2, 2, PODS "?watch=1&resourceVersion=5", NULL, NULL}}},
	{"a version that nobody gave out",
	 "I2 broken: line 1: request 1 has the resourceVersion 6, which the server never gave out; "
	 "I9 held; I16 held",
	 {{ASK, 2, 1, PODS "?watch=1&resourceVersion=6", NULL, NULL}}},
	{"version 0 is nobody's",
	 "I9 held; I16 held",
	 {{ASK, 2, 1, PODS "?resourceVersion=0", NULL, NULL}}},
	{"a version that another client got may be handed on",
	 "I2 held; I9 held; I16 held",
	 {{ASK, 1, 1, PODS, NULL, "other as you"},
	  {LIST, 1, 1, NULL, "5", "other as you"},
	  {ASK, 2, 2, PODS "?watch=1&resourceVersion=5", NULL, NULL}}},
	{"the version of a single object may be used",
	 "I2 held; I9 held; I16 held",
	 {{ASK, 1, 1, PODS "/a", NULL, NULL},
	  {OBJECT, 1, 1, NULL, "5", NULL},
	  {ASK, 2, 2, PODS "?watch=1&resourceVersion=5", NULL, NULL}}},
	{"a token passed on, encoded",
	 "I2 held; I9 held; I16 held",
	 {{ASK, 1, 1, PODS "?limit=1", NULL, NULL},
	  {LIST, 1, 1, "a+b=", "5", NULL},
	  {END, 1, 1, NULL, NULL, NULL},
	  {ASK, 2, 2, PODS "?limit=1&continue=a%2Bb%3D", NULL, NULL}}},
	{"a token made up",
	 "I2 broken: line 1: request 1 has the continue token abc, which the server never gave out; "
	 "I16 held",
	 {{ASK, 1, 1, PODS "?limit=1&continue=abc", NULL, NULL}}},
	{"initial events without a match",
	 "I9 held; I16 broken: line 1: request 1: sendInitialEvents without "
	 "resourceVersionMatch=NotOlderThan",
	 {{ASK, 1, 1, PODS "?watch=1&sendInitialEvents=true", NULL, NULL}}},
	{"no initial events, and said so",
	 "I9 held; I16 held",
	 {{ASK, 1, 1, PODS "?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan",
	   NULL, NULL}}},
	{"a watch that goes on where it ended",
	 "I2 held; I9 held; I16 held; I19 held",
	 {{ASK, 1, 1, WATCH_LIST, NULL, NULL},
	  {HEAD, 1, 1, NULL, NULL, NULL},
	  {MARK, 1, 1, NULL, "5", NULL},
	  {EVENT, 2 * S, 1, NULL, "7", NULL},
	  {END, 3 * S, 1, NULL, NULL, NULL},
	  {ASK, 4 * S, 2, PODS "?watch=1&resourceVersion=7", NULL, NULL}}},
	{"a watch that goes on elsewhere",
	 "I2 held; I9 held; I16 held; I19 broken: line 6: watch 1 ended cleanly at version 7, yet "
	 "request 2 asks for \"5\"",
	 {{ASK, 1, 1, WATCH_LIST, NULL, NULL},
	  {HEAD, 1, 1, NULL, NULL, NULL},
	  {MARK, 1, 1, NULL, "5", NULL},
	  {EVENT, 2 * S, 1, NULL, "7", NULL},
	  {END, 3 * S, 1, NULL, NULL, NULL},
	  {ASK, 4 * S, 2, PODS "?watch=1&resourceVersion=5", NULL, NULL}}},
	{"a list where a watch could have gone on",
	 "I9 held; I16 held; I19 broken: line 5: watch 1 ended cleanly, yet request 2 begins from "
	 "scratch",
	 {{ASK, 1, 1, WATCH_LIST, NULL, NULL},
	  {HEAD, 1, 1, NULL, NULL, NULL},
	  {MARK, 1, 1, NULL, "5", NULL},
	  {END, 3 * S, 1, NULL, NULL, NULL},
	  {ASK, 4 * S, 2, PODS, NULL, NULL}}},
	{"that list on a new connection may be another process",
	 "I9 held; I16 held",
	 {{ASK, 1, 1, WATCH_LIST, NULL, NULL},
	  {HEAD, 1, 1, NULL, NULL, NULL},
	  {MARK, 1, 1, NULL, "5", NULL},
	  {END, 3 * S, 1, NULL, NULL, NULL},
	  {ASK, 4 * S, 2, PODS, "conn2", NULL}}},
	{"and on one that was there before it is the same",
	 "I9 held; I16 held; I19 broken: line 6: watch 1 ended cleanly, yet request 3 begins from "
	 "scratch",
	 {{ASK, 1, 1, WATCH_LIST, NULL, NULL},
	  {HEAD, 1, 1, NULL, NULL, NULL},
	  {ASK, 2, 2, "/api/v1/nodes", "conn2", NULL},
	  {MARK, 2, 1, NULL, "5", NULL},
	  {END, 3 * S, 1, NULL, NULL, NULL},
	  {ASK, 4 * S, 3, PODS, "conn2", NULL}}},
	{"after an ERROR it lists",
	 "I9 held; I16 held",
	 {{ASK, 1, 1, PODS "?watch=1", NULL, NULL},
	  {HEAD, 1, 1, NULL, NULL, NULL},
	  {ERROR_EVENT, 2 * S, 1, NULL, NULL, NULL},
	  {END, 3 * S, 1, NULL, NULL, NULL},
	  {ASK, 4 * S, 2, PODS, NULL, NULL}}},
	{"after a cut it may list",
	 "I9 held; I16 held",
	 {{ASK, 1, 1, PODS "?watch=1", NULL, NULL},
	  {HEAD, 1, 1, NULL, NULL, NULL},
	  {EVENT, 2 * S, 1, NULL, "5", NULL},
	  {CUT, 3 * S, 1, NULL, NULL, NULL},
	  {ASK, 4 * S, 2, PODS, NULL, NULL}}},
	{"a very short watch is none",
	 "I9 held; I16 held",
	 {{ASK, 1, 1, PODS "?watch=1", NULL, NULL},
	  {HEAD, 1, 1, NULL, NULL, NULL},
	  {EVENT, 2, 1, NULL, "5", NULL},
	  {END, S, 1, NULL, NULL, NULL},
	  {ASK, 4 * S, 2, PODS, NULL, NULL}}},
	{"two informers side by side do not disturb each other",
	 "I2 held; I9 held; I16 held; I19 held",
	 {{ASK, 1, 1, WATCH_LIST, NULL, NULL},
	  {ASK, 1, 2, WATCH_LIST, "conn2", NULL},
	  {HEAD, 1, 1, NULL, NULL, NULL},
	  {HEAD, 1, 2, NULL, NULL, NULL},
	  {MARK, 1, 1, NULL, "5", NULL},
	  {MARK, 1, 2, NULL, "5", NULL},
	  {EVENT, 2 * S, 2, NULL, "6", NULL},
	  {END, 3 * S, 1, NULL, NULL, NULL},
	  {ASK, 4 * S, 3, PODS "?watch=1&resourceVersion=5", NULL, NULL},
	  {END, 5 * S, 2, NULL, NULL, NULL},
	  {ASK, 6 * S, 4, PODS "?watch=1&resourceVersion=6", "conn2", NULL}}},
	{"a watch waited for too long",
	 "I9 held; I11 broken: line 1: watch 1 asked for 10 s and was still waited for after 71 s; I16 "
	 "held",
	 {{ASK, 0, 1, PODS "?watch=1&timeoutSeconds=10", NULL, NULL},
	  {HEAD, 1, 1, NULL, NULL, NULL},
	  {GONE, 71 * S, 1, NULL, NULL, NULL}}},
	{"still open at the end",
	 "I9 held; I11 broken: line 1: watch 1 asked for 10 s and was still waited for after 80 s; I16 "
	 "held",
	 {{ASK, 0, 1, PODS "?watch=1&timeoutSeconds=10", NULL, NULL},
	  {FAULT, 80 * S, 3, "quiet", NULL, NULL}}},
	{"given up in time",
	 "I9 held; I11 held; I16 held",
	 {{ASK, 0, 1, PODS "?watch=1&timeoutSeconds=10", NULL, NULL},
	  {GONE, 70 * S, 1, NULL, NULL, NULL}}},
	{"single objects and other paths are only counted",
	 "",
	 {{ASK, 1, 1, PODS "/a?resourceVersion=77", NULL, NULL},
	  {ASK, 1, 2, "/api/v1/namespaces/default", NULL, NULL},
	  {ASK, 1, 3, "/healthz?watch=1&resourceVersion=77", NULL, NULL},
	  {ASK, 1, 4, "/apis/apps/v1", NULL, NULL},
	  {ASK, 1, 5, "/api/v1/namespaces/default/pods/a/status", NULL, NULL}}},
};

static size_t feed(struct judge_clients *clients, const struct step *steps, bool again)
{
	size_t line = 0;

	for (size_t i = 0; i < STORY_MAX && steps[i].kind != NOTHING; i++) {
		const struct hist_record record = record_of(&steps[i]);

		line = i + 1;
		if (again)
			judge_clients_again(clients, &record, line);
		else
			judge_clients_take(clients, &record, line);
	}
	return line;
}

static size_t index_of(const struct judge_clients *clients, const char *name)
{
	size_t i = 0;

	while (i < judge_clients_count(clients) &&
	       !base_str_is(judge_clients_figures(clients, i).name, name))
		i++;
	return i;
}

static void clients_are_judged_by_what_they_ask(void)
{
	for (size_t s = 0; s < sizeof(stories) / sizeof(*stories); s++) {
		struct judge_clients *clients = judge_clients_new();
		struct verdict verdict;
		struct base_buf text;
		size_t me;

		CHECK_ROW("%s", stories[s].title);
		feed(clients, stories[s].steps, false);
		judge_clients_finish(clients);
		if (judge_clients_wants_again(clients))
			feed(clients, stories[s].steps, true);
		me = index_of(clients, ME);
		verdict_init(&verdict, NULL);
		base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
		judge_clients_verdict(clients, me, &verdict);
		put_verdict(&verdict, &text);
		CHECK_STR(base_buf_peek(&text), stories[s].want);
		CHECK_SIZE(verdict.invariant_count, 24);
		for (size_t f = 0; f < verdict.finding_count; f++) {
			const struct hist *shown = judge_clients_evidence(clients, me);

			CHECK_TRUE(shown != NULL && verdict.findings[f].record < hist_count(shown));
			CHECK_INT(hist_at(shown, verdict.findings[f].record)->kind, HIST_REQUEST);
		}
		base_buf_release(&text);
		verdict_release(&verdict);
		judge_clients_free(clients);
	}
	CHECK_ROW(NULL);
}

/* count requests, gap_ns apart; how many breaches of I9. */
static uint64_t ask_often(const char *target, size_t count, uint64_t gap_ns, bool keep_open)
{
	struct judge_clients *clients = judge_clients_new();
	struct verdict verdict;
	uint64_t broken;

	for (size_t i = 0; i < count; i++) {
		const struct step asked = {ASK, i * gap_ns, i + 1, target, NULL, NULL};
		const struct step over = {END, i * gap_ns, i + 1, NULL, NULL, NULL};
		struct hist_record record = record_of(&asked);

		judge_clients_take(clients, &record, i + 1);
		record = record_of(&over);
		if (!keep_open)
			judge_clients_take(clients, &record, i + 1);
	}
	judge_clients_finish(clients);
	verdict_init(&verdict, NULL);
	judge_clients_verdict(clients, 0, &verdict);
	broken = verdict.finding_count;
	verdict_release(&verdict);
	judge_clients_free(clients);
	return broken;
}

static void loops_are_found_and_told_once(void)
{
	CHECK_U64(ask_often(PODS, 120, 1000, false), 0);
	CHECK_U64(ask_often(PODS, 121, 1000, false), 1);
	CHECK_U64(ask_often(PODS, 5000, 1000, false), 1);
	CHECK_U64(ask_often(PODS, 500, S / 2, false), 0);
	CHECK_U64(ask_often(PODS, 500, S / 3, false), 1);
	CHECK_U64(ask_often(PODS, 121, 1000, true), 1); /* all at once, on many streams */
	CHECK_U64(ask_often(PODS "?watch=1", 60, 1000, true), 0);
	CHECK_U64(ask_often(PODS "?watch=1", 121, 1000, false), 1);
	CHECK_U64(ask_often(PODS "/a", 5000, 1000, false), 0);
}

static void a_version_that_may_be_forgotten_is_held_against_nobody(void)
{
	struct judge_clients *clients = judge_clients_new();
	struct verdict verdict;
	char rv[24];
	const struct step asked = {ASK, 0, 1, PODS "?watch=1", NULL, NULL};
	const struct step late = {ASK,          1, 2, PODS "?watch=1&resourceVersion=1", "conn1",
				  "late as you"};
	struct hist_record record = record_of(&asked);

	judge_clients_take(clients, &record, 1);
	for (size_t i = 1; i <= JUDGE_VERSIONS_MAX + 1; i++) {
		const struct step event = {EVENT, 0, 1, NULL, rv, NULL};

		snprintf(rv, sizeof(rv), "%zu", i);
		record = record_of(&event);
		judge_clients_take(clients, &record, 2);
	}
	record = record_of(&late);
	judge_clients_take(clients, &record, 3);
	judge_clients_finish(clients);
	verdict_init(&verdict, NULL);
	judge_clients_verdict(clients, index_of(clients, "late as you"), &verdict);
	CHECK_SIZE(verdict.finding_count, 0);
	CHECK_INT(verdict.invariants[1].state, VERDICT_NOT_JUDGED);
	CHECK_STR(verdict.invariants[1].why, "versions older than the last 131072");
	verdict_release(&verdict);
	judge_clients_free(clients);
}

static void more_clients_than_there_is_room_for_are_counted(void)
{
	struct judge_clients *clients = judge_clients_new();
	char name[32];

	for (size_t i = 0; i < JUDGE_CLIENTS_MAX + 5; i++) {
		const struct step asked = {ASK, 0, i + 1, PODS, NULL, name};
		struct hist_record record;

		snprintf(name, sizeof(name), "client %zu", i);
		record = record_of(&asked);
		judge_clients_take(clients, &record, i + 1);
	}
	judge_clients_finish(clients);
	CHECK_SIZE(judge_clients_count(clients), JUDGE_CLIENTS_MAX);
	CHECK_U64(judge_clients_unjudged(clients), 5);
	judge_clients_free(clients);
}

static void faults_and_failures_are_told_with_the_verdict(void)
{
	struct judge_clients *clients = judge_clients_new();
	struct verdict verdict;
	const struct step asked = {ASK, 0, 1, PODS, NULL, NULL};
	const struct step touched = {FAULT, 1, 7, "quiet", NULL, NULL};
	struct hist_record record = record_of(&asked);

	judge_clients_take(clients, &record, 1);
	record = record_of(&touched);
	judge_clients_take(clients, &record, 2);
	record = (struct hist_record){
		.t_ns = 2, .source = HIST_HARNESS, .kind = HIST_FAILED, .text = BASE_STR("no")};
	judge_clients_take(clients, &record, 3);
	judge_clients_finish(clients);
	verdict_init(&verdict, NULL);
	judge_clients_verdict(clients, 0, &verdict);
	CHECK_INT(verdict.result, VERDICT_VOID);
	CHECK_SIZE(verdict.effect_count, 1);
	CHECK_U64(verdict.effects[0].count, 7);
	verdict_release(&verdict);
	judge_clients_free(clients);
}

static CU_TestInfo tests[] = {
	{"clients are judged by what they ask", clients_are_judged_by_what_they_ask},
	{"loops are found and told once", loops_are_found_and_told_once},
	{"a version that may be forgotten", a_version_that_may_be_forgotten_is_held_against_nobody},
	{"more clients than there is room for", more_clients_than_there_is_room_for_are_counted},
	{"faults and failures", faults_and_failures_are_told_with_the_verdict},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_judge_clients_suite;
CU_SuiteInfo sim_judge_clients_suite = {.pName = "sim/judge/clients", .pTests = tests};
