#include "ci/unit/assert.h"
#include "sim/history/history.h"

/* "T WHO KIND WORDS": one record of the small language below. */
static void say(struct hist *hist, const char *line)
{
	struct base_str rest = base_str(line), word, words[8];
	struct hist_record r = {.source = HIST_CLIENT, .actor = BASE_STR("inf")};
	size_t count = 0;
	bool found;

	while (rest.len > 0 && count < 8) {
		rest = base_str_cut(rest, ' ', &word, &found);
		words[count++] = word;
	}
	CHECK_TRUE(count >= 3 && base_str_u64(words[0], &r.t_ns) &&
		   hist_kind_find(words[2], &r.kind));
	if (base_str_is(words[1], "net"))
		r.source = HIST_NETWORK;
	else if (base_str_is(words[1], "harness"))
		r = (struct hist_record){.source = HIST_HARNESS, .kind = r.kind, .t_ns = r.t_ns};
	else if (!base_str_is(words[1], "inf"))
		r.handler = words[1];
	for (size_t i = 3; i < count; i++) {
		const struct base_str name = base_str_take(words[i], 1);
		const struct base_str value = base_str_skip(words[i], 1);

		switch (name.ptr[0]) {
		case 'k': r.key = value; break;
		case '@': r.rv = value; break;
		case '<': r.old_rv = value; break;
		case '#': CHECK_TRUE(base_str_u64(value, &r.request)); break;
		case '?': r.query = value; break;
		case 'r': r.reason = value; break;
		case 't': r.text = value; break;
		case 'f': r.from = value; break;
		case '>': r.to = value; break;
		case 'I': r.flags |= HIST_INITIAL; break;
		case 'T': r.flags |= HIST_TOMBSTONE; break;
		case 'B': r.flags |= HIST_END_BOOKMARK; break;
		default: CHECK_FAIL("unknown word %.*s", BASE_STR_ARG(words[i])); break;
		}
	}
	CHECK_INT(hist_append(hist, &r), BASE_OK);
}

static struct hist *told(const char *const *lines)
{
	struct hist *hist = hist_new(NULL);

	for (; *lines != NULL; lines++)
		say(hist, *lines);
	return hist;
}

/* The text of the history; with `sorted` of that in key order. */
static void check_text(const char *const *lines, bool sorted, unsigned parts, const char *expected)
{
	struct hist *hist = told(lines), *other = NULL;
	struct base_buf text;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	if (sorted)
		CHECK_INT(hist_in_key_order(hist, &other), BASE_OK);
	CHECK_INT(hist_write_trace(sorted ? other : hist, parts, &text), BASE_OK);
	CHECK_STR(base_buf_peek(&text), expected);
	base_buf_release(&text);
	hist_free(hist);
	hist_free(other);
}

#define AT0 "[   0.000000000] "
#define AT1 "[   0.000000001] "

static void streams_of_one_instant_are_apart(void)
{
	static const char *const lines[] = {"0 h2 add ka @1",
					    "0 h add ka @1",
					    "0 h synced",
					    "0 inf synced",
					    "0 h add kb @2",
					    "0 inf last_rv @2",
					    "0 inf request #1",
					    "0 harness step",
					    "0 inf error rreset",
					    "1 inf request #2",
					    NULL};

	check_text(lines, false, 0,
		   AT0 "harness      step 0\n" AT0 "inf          request #1\n" AT0
		       "inf          error reset\n" AT0 "inf          last_rv @2\n" AT0
		       "inf          synced\n" AT0 "inf/h        add a @1\n" AT0
		       "inf/h        add b @2\n" AT0 "inf/h        synced\n" AT0
		       "inf/h2       add a @1\n" AT1 "inf          request #2\n");
}

static void what_a_client_tells_in_its_own_way_is_in_round_brackets(void)
{
	static const char *const lines[] = {"0 inf state fLIST rerror >IDLE",
					    "0 inf error rgone told", "0 inf resync", NULL};

	check_text(lines, false, HIST_TRACE_OWN,
		   "(   0.000000000) inf          state LIST --error--> IDLE\n" AT0
		   "inf          error gone\n"
		   "(   0.000000000) inf          error gone: old\n"
		   "(   0.000000000) inf          resync\n");
	check_text(lines, false, 0, AT0 "inf          error gone\n");
}

static void of_an_instants_versions_the_last_new_one_counts(void)
{
	static const char *const lines[] = {"0 inf last_rv @1", "0 inf last_rv @2",
					    "1 inf last_rv @3", "1 inf last_rv @2",
					    "2 inf last_rv @4", NULL};

	check_text(lines, false, 0,
		   AT0 "inf          last_rv @2\n[   0.000000002] inf          last_rv @4\n");
}

static void requests_of_one_instant_are_numbered_by_informer(void)
{
	struct hist *hist = hist_new(NULL);
	static const struct {
		const char *actor;
		uint64_t request, t_ns;
	} asked[] = {{"two", 1, 0}, {"one", 2, 0}, {"two", 3, 1}};
	struct base_buf text;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		struct hist_record r = {.source = HIST_CLIENT,
					.kind = HIST_REQUEST,
					.actor = base_str(asked[i].actor),
					.request = asked[i].request,
					.t_ns = asked[i].t_ns};

		CHECK_INT(hist_append(hist, &r), BASE_OK);
	}
	CHECK_INT(hist_append(hist, &(struct hist_record){.source = HIST_NETWORK,
							  .kind = HIST_HEAD,
							  .actor = BASE_STR("two"),
							  .request = 1,
							  .number = 200,
							  .t_ns = 2}),
		  BASE_OK);
	CHECK_INT(hist_write_trace(hist, 0, &text), BASE_OK);
	CHECK_STR(base_buf_peek(&text),
		  AT0 "one          request #1\n" AT0 "two          request #2\n" AT1
		      "two          request #3\n[   0.000000002] two          head #2 200\n");
	base_buf_release(&text);
	hist_free(hist);
}

static void draws_and_stores_are_details(void)
{
	static const char *const lines[] = {"0 inf draw rjitter", "0 inf store @7",
					    "0 inf item ka @5", "0 inf pending rtimers", NULL};

	check_text(lines, false, 0, "");
	check_text(lines, false, HIST_TRACE_DETAIL,
		   AT0 "client       draw jitter 0\n" AT0 "inf          store @7 0\n" AT0
		       "inf          item a @5\n");
}

/* ---- What has no order ---- */

/* keys in order; a marked one has a ~ before */
static const struct {
	const char *lines[8];
	const char *marked, *sorted;
} orders[] = {
	{{"0 h add kb @2 I", "0 h add ka @1 I"}, "~b~a", "~a~b"},
	{{"0 h add kb @2", "0 h add ka @1"}, "ba", "ba"},
	{{"0 h delete kb @2 T", "0 h delete ka @1 T", "0 h delete k0 @1"}, "~b~a0", "~a~b0"},
	{{"0 h delete kb @2", "0 h delete ka @1"}, "ba", "ba"},
	{{"0 h update kb @2 <2", "0 h update ka @1 <1"}, "~b~a", "~a~b"},
	{{"0 h update kb @2 <1", "0 h update ka @2 <1"}, "ba", "ba"},
	/* the same key again: another resync */
	{{"0 h update kb @2 <2", "0 h update ka @1 <1", "1 h update kb @2 <2",
	  "1 h update ka @1 <1"},
	 "~b~a~b~a",
	 "~a~b~a~b"},
	/* another handler is another stream */
	{{"0 h add kb @2 I", "0 h2 add ka @1 I"}, "ba", "ba"},
	/* initial adds and what follows */
	{{"0 h add kb @2 I", "0 h add ka @1 I", "0 h add k0 @3"}, "~b~a0", "~a~b0"},
	/* what a watch-list brings before its end bookmark is handed over in any order */
	{{"0 inf request #4 ?sendInitialEvents=true", "0 net event #4 rADDED kb @2",
	  "0 net event #4 rADDED ka @5", "0 net event #4 rBOOKMARK B", "0 h add kb @2",
	  "0 h update ka @5 <1"},
	 "~b~a",
	 "~a~b"},
	{{"0 inf request #4 ?sendInitialEvents=true", "0 net event #4 rADDED kb @2",
	  "0 net event #4 rBOOKMARK B", "0 net event #4 rADDED ka @5", "0 h add kb @2",
	  "0 h update ka @5 <1"},
	 "ba",
	 "ba"},
	{{"0 inf request #4 ?watch=true", "0 net event #4 rADDED kb @2",
	  "0 net event #4 rADDED ka @5", "0 net event #4 rBOOKMARK B", "0 h add kb @2",
	  "0 h update ka @5 <1"},
	 "ba",
	 "ba"},
	{{"0 inf request #4 ?sendInitialEvents=true", "0 net event #4 rADDED kb @2",
	  "0 net event #4 rADDED ka @5", "0 net event #4 rBOOKMARK B", "0 h update kb @2 <2",
	  "0 h update ka @5 <1"},
	 "~b~a",
	 "~a~b"},
};

/* The keys of all handler calls in the text, marked ones with a ~. */
static void put_keys(struct base_str text, struct base_buf *out)
{
	while (text.len > 0) {
		struct base_str line, word;
		size_t at;
		bool found;

		text = base_str_cut(text, '\n', &line, &found);
		at = base_str_find(line, BASE_STR("inf/h"));
		if (at == SIZE_MAX)
			continue;
		/* after "inf/h        " comes "KIND KEY" */
		line = base_str_cut(base_str_skip(line, at + 13), ' ', &word, &found);
		if (base_str_ends(line, BASE_STR("~")))
			CHECK_INT(base_buf_char(out, '~'), BASE_OK);
		CHECK_INT(base_buf_char(out, line.ptr[0]), BASE_OK);
	}
}

static void check_keys(const struct hist *hist, const char *expected)
{
	struct base_buf text, keys;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&keys, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(hist_write_trace(hist, 0, &text), BASE_OK);
	put_keys(base_buf_peek(&text), &keys);
	CHECK_STR(base_buf_peek(&keys), expected);
	base_buf_release(&text);
	base_buf_release(&keys);
}

static void calls_in_a_maps_order_are_marked_and_sorted(void)
{
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		struct hist *hist = told(orders[i].lines), *sorted = NULL;

		CHECK_ROW("%zu", i);
		CHECK_INT(hist_in_key_order(hist, &sorted), BASE_OK);
		CHECK_SIZE(hist_count(sorted), hist_count(hist));
		check_keys(hist, orders[i].marked);
		check_keys(sorted, orders[i].sorted);
		hist_free(hist);
		hist_free(sorted);
	}
	CHECK_ROW(NULL);
}

static void a_slow_handlers_calls_keep_their_times_and_ends(void)
{
	static const char *const lines[] = {"0 h add kb @2 I", "1 h done kb", "1 h add ka @1 I",
					    "2 h done ka", NULL};

	check_text(lines, true, 0,
		   AT0 "inf/h        add a @1 initial ~\n" AT1 "inf/h        done a\n" AT1
		       "inf/h        add b @2 initial ~\n[   0.000000002] inf/h        done b\n");
}

static void in_key_order_twice_is_once(void)
{
	static const char *const lines[] = {"0 h add kb @2 I", "1 h done kb", "1 h add ka @1 I",
					    NULL};
	struct hist *hist = told(lines), *once, *twice;

	CHECK_INT(hist_in_key_order(hist, &once), BASE_OK);
	CHECK_INT(hist_in_key_order(once, &twice), BASE_OK);
	CHECK_U64(hist_digest(once), hist_digest(twice));
	CHECK_TRUE(hist_digest(once) != hist_digest(hist));
	hist_free(hist);
	hist_free(once);
	hist_free(twice);
}

static CU_TestInfo tests[] = {
	{"streams of one instant are apart", streams_of_one_instant_are_apart},
	{"a client's own words", what_a_client_tells_in_its_own_way_is_in_round_brackets},
	{"the instant's last version", of_an_instants_versions_the_last_new_one_counts},
	{"requests of one instant", requests_of_one_instant_are_numbered_by_informer},
	{"draws and stores are details", draws_and_stores_are_details},
	{"calls in a map's order", calls_in_a_maps_order_are_marked_and_sorted},
	{"a slow handler's calls", a_slow_handlers_calls_keep_their_times_and_ends},
	{"in key order twice", in_key_order_twice_is_once},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_history_normal_suite;
CU_SuiteInfo sim_history_normal_suite = {.pName = "sim/history/normal", .pTests = tests};
