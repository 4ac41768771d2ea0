#include "informer/reflector_table.h"

#include "ci/unit/assert.h"
#include "informer/reflector_rig.h"

extern CU_SuiteInfo informer_reflector_table_suite;

static void do_word(char word)
{
	struct rig *rig = &rr.host;
	switch (word) {
	case 'W': rr_start(true); break;
	case 'L': rr_start(false); break;
	case 'T': rr.options.resource.flavour = INF_DYNAMIC; break;
	case 'N': rr.options.max_internal_error_retry_ns = 10 * INF_S; break;
	case 'H': rig_head(rig, 200, NULL); break;
	case 'o': rig_reply(rig, 200, NULL, LIST("10", "", CM("a", "1"))); break;
	case 't':
		rig_reply(rig, 200, NULL, "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\"}");
		break;
	case 'g': rig_reply(rig, 410, NULL, "gone"); break;
	case 'e': rig_reply(rig, 403, NULL, "no"); break;
	case 'r': rig_end(rig, INF_END_REFUSED); break;
	case 'A': rig_body(rig, EV("ADDED", "a", "11")); break;
	case 'B': rig_body(rig, END_BOOKMARK("12")); break;
	case 'M': rig_body(rig, ERR("\"code\":429")); break;
	case 'G': rig_body(rig, ERR("\"code\":410")); break;
	case 'I': rig_body(rig, ERR("\"code\":500")); break;
	case 'E': rig_body(rig, ERR("\"code\":403")); break;
	case 'C': rig_end(rig, INF_END_EOF); break;
	case '+': rig_advance_s(rig, 1.2); break;
	case 'f': rig->fail_replace = BASE_EINVAL; break;
	case 'a': rig->fail_arm = true; break;
	case 'R':
		rig->fail_resync = BASE_EINVAL;
		rig_advance_s(rig, 20);
		break;
	case 'S': rr_stop(); break;
	default: CHECK_FAIL("unknown word %c", word); break;
	}
}

struct walk {
	const char *words;
	const char *end; /* the state it ends in */
};

/* W L: start with or without watch-list; T: dynamic; N: internal errors are retried. H: a stream opens;
 * o t g e r: a list, a Table, 410, 403, refused. A B M G I E: an event, the end bookmark, ERROR 429, 410, 500,
 * 403. C: a clean close. +: one delay. f a R: replace, arm, resync fail. S: stop. */
static const struct walk walks[] = {
	{"WHABA", "WATCH_STREAM"}, /* the way it should be */
	{"LoHA", "WATCH_STREAM"},
	{"WS", "STOP"}, /* WL_OPEN cancelled, LIST stop, IDLE stop */
	{"WHS", "STOP"},
	{"WrS", "WL_WAIT"},
	{"WrS+", "STOP"}, /* WL_TOP stop */
	{"Wr+H", "WL_STREAM"},
	{"Wg", "WL_OPEN"},
	{"We", "LIST"},
	{"WHM", "WL_WAIT"},
	{"WHG", "WL_OPEN"},
	{"WHE", "LIST"},
	{"WHC", "LIST"},
	{"WHAC", "WL_OPEN"},
	{"WHfB", "LIST"},
	{"LS", "STOP"},
	{"Lg", "LIST_AGAIN"},
	{"LgS", "STOP"},
	{"Lgo", "WATCH_OPEN"},
	{"Lge", "IDLE"},
	{"Lgfo", "IDLE"},
	{"TLgt", "IDLE"},
	{"TLt", "IDLE"},
	{"Le+", "LIST"},
	{"We e+", "WL_OPEN"},
	{"Lfo", "IDLE"},

	{"Laee", "STOP"},
	{"LoS", "STOP"},
	{"Lor", "WATCH_WAIT"},
	{"LorS", "STOP"},
	{"Lor+", "WATCH_OPEN"},
	{"Loe", "IDLE"},
	{"LoHS", "STOP"},
	{"LoHC", "IDLE"},
	{"LoHAC", "WATCH_OPEN"},
	{"LoHG", "IDLE"},
	{"LoHM", "WATCH_WAIT"},
	{"LoHE", "IDLE"},
	{"LoHI", "IDLE"},
	{"NLoHI", "WATCH_OPEN"},
	{"LoHR", "LIST"},
};

static enum base_code replace_and_stop(void *self, struct inf_object *const *objects, size_t count,
				       struct base_str rv, struct base_error *error)
{
	(void)self;
	(void)objects;
	(void)count;
	(void)rv;
	(void)error;
	inf_reflector_stop(rr.reflector, rr_on_stopped, NULL);
	return BASE_OK;
}

static void every_edge_of_the_table_can_be_walked(void)
{
	for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
		CHECK_ROW("%s", walks[i].words);
		rr_setup();
		rr.options.resync_period_ns = 15 * INF_S;
		for (const char *word = walks[i].words; *word != '\0'; word++) {
			if (*word != ' ') {
				do_word(*word);
			}
		}
		rr_state_is(walks[i].end);
		rr_teardown();
	}
	rr_setup();
	rr.host.sink.replace = replace_and_stop;
	rr_start(false);
	rig_reply(&rr.host, 200, NULL, LIST("10", "", ""));
	rr_state_is("STOP"); /* WATCH_TOP stop */
	rr_teardown();
	REQUIRE_TRUE(inf_reflector_edge_count() <= RIG_EDGES_MAX);
	for (size_t i = 0; i < inf_reflector_edge_count(); i++) {
		struct inf_reflector_edge edge = inf_reflector_edge(i);
		CHECK_ROW("%s %s %s (%s)", edge.from, edge.event, edge.to, edge.rule);
		CHECK_TRUE(rig_edges_seen[i]);
	}
}

static void an_event_leads_to_one_place(void)
{
	size_t count = inf_reflector_edge_count();
	for (size_t i = 0; i < count; i++) {
		struct inf_reflector_edge a = inf_reflector_edge(i);
		CHECK_TRUE(a.rule != NULL && a.rule[0] != '\0');
		for (size_t k = i + 1; k < count; k++) {
			struct inf_reflector_edge b = inf_reflector_edge(k);
			CHECK_FALSE(strcmp(a.from, b.from) == 0 && strcmp(a.event, b.event) == 0);
		}
	}
	enum inf_reflector_state to;
	CHECK_FALSE(inf_reflector_table_find(INF_R_STOP, INF_E_RUN_LIST, &to));
	CHECK_FALSE(inf_reflector_table_find(INF_R_WL_WAIT, INF_E_STOP, &to)); /* 4.13 */
}

/* The first rule id ("R-10a") from *at on; empty: none. Moves *at behind it. */
static struct base_str next_id(const char **at)
{
	for (; **at != '\0'; (*at)++) {
		size_t letters = strspn(*at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), digits;
		if (letters == 0 || (*at)[letters] != '-') {
			*at += letters > 0 ? letters - 1 : 0;
			continue;
		}
		digits = strspn(*at + letters + 1, "0123456789abc");
		if (digits > 0) {
			struct base_str id = base_str_n(*at, letters + 1 + digits);
			*at += id.len;
			return id;
		}
	}
	return (struct base_str){0};
}

static bool governs(const char *state, struct base_str id)
{
	const char *rules = inf_reflector_state_rules(state);
	struct base_str rule;
	while (rules != NULL && (rule = next_id(&rules)).len > 0) {
		if (base_str_eq(rule, id)) {
			return true;
		}
	}
	return false;
}

static void a_states_rules_name_those_of_its_edges(void)
{
	for (size_t i = 0; i < inf_reflector_edge_count(); i++) {
		struct inf_reflector_edge edge = inf_reflector_edge(i);
		const char *at = edge.rule;
		struct base_str id;
		while ((id = next_id(&at)).len > 0) {
			CHECK_ROW("%s %s: %.*s", edge.from, edge.event, BASE_STR_ARG(id));
			CHECK_TRUE(governs(edge.from, id) || governs(edge.to, id));
		}
		CHECK_TRUE(inf_reflector_state_rules(edge.to)[0] != '\0');
	}
	CHECK_ROW(NULL);
	CHECK_TRUE(inf_reflector_state_rules("NOWHERE") == NULL);
	CHECK_TRUE(governs("IDLE", BASE_STR("P-3")));
	CHECK_FALSE(governs("IDLE", BASE_STR("R-17")));
}

static CU_TestInfo tests[] = {
	{"a_states_rules_name_those_of_its_edges", a_states_rules_name_those_of_its_edges},
	{"every_edge_of_the_table_can_be_walked", every_edge_of_the_table_can_be_walked},
	{"an_event_leads_to_one_place", an_event_leads_to_one_place},
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_reflector_table_suite = {.pName = "informer/reflector_table",
					       .pTests = tests};
