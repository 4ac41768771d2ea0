#include "sim/history/history.h"

#include <stdio.h>

#include "ci/unit/assert.h"

static const struct hist_record sample[] = {
	{.t_ns = 0,
	 .source = HIST_HARNESS,
	 .kind = HIST_BEGIN,
	 .text = {.ptr = "a title", .len = 7},
	 .number = 7},
	{.t_ns = 0,
	 .source = HIST_CLIENT,
	 .kind = HIST_REQUEST,
	 .request = 1,
	 .actor = {.ptr = "inf", .len = 3},
	 .method = {.ptr = "GET", .len = 3},
	 .path = {.ptr = "/api/v1/pods", .len = 12},
	 .query = {.ptr = "limit=500", .len = 9}},
	{.t_ns = 1000000000,
	 .source = HIST_CLIENT,
	 .kind = HIST_ADD,
	 .actor = {.ptr = "inf", .len = 3},
	 .handler = {.ptr = "h", .len = 1},
	 .key = {.ptr = "default/b", .len = 9},
	 .rv = {.ptr = "102", .len = 3},
	 .number = UINT64_MAX,
	 .flags = HIST_INITIAL},
	{.t_ns = 1000000000,
	 .source = HIST_CLIENT,
	 .kind = HIST_ADD,
	 .actor = {.ptr = "inf", .len = 3},
	 .handler = {.ptr = "h", .len = 1},
	 .key = {.ptr = "default/a", .len = 9},
	 .rv = {.ptr = "101", .len = 3},
	 .flags = HIST_INITIAL},
	{.t_ns = 1000000000, .source = HIST_HARNESS, .kind = HIST_STEP, .number = 1},
};
#define SAMPLE_COUNT (sizeof(sample) / sizeof(*sample))

static struct hist *filled(void)
{
	struct hist *hist = hist_new(NULL);

	for (size_t i = 0; hist != NULL && i < SAMPLE_COUNT; i++)
		CHECK_INT(hist_append(hist, &sample[i]), BASE_OK);
	return hist;
}

static void records_are_copied_and_numbered(void)
{
	char key[] = "default/a";
	struct hist_record record = {.kind = HIST_DELETE, .key = base_str(key)};
	struct hist *hist = hist_new(NULL);

	CHECK_INT(hist_append(hist, &record), BASE_OK);
	key[0] = 'X';
	CHECK_INT(hist_append(hist, &record), BASE_OK);
	CHECK_SIZE(hist_count(hist), 2);
	CHECK_STR(hist_at(hist, 0)->key, "default/a");
	CHECK_STR(hist_at(hist, 1)->key, "Xefault/a");
	CHECK_U64(hist_at(hist, 1)->seq, 2);
	hist_free(hist);
}

static void time_never_goes_back(void)
{
	struct hist *hist = hist_new(NULL);

	CHECK_INT(hist_append(hist, &(struct hist_record){.t_ns = 5}), BASE_OK);
	CHECK_INT(hist_append(hist, &(struct hist_record){.t_ns = 4}), BASE_EINVAL);
	CHECK_SIZE(hist_count(hist), 1);
	hist_free(hist);
}

static void the_digest_sees_every_field(void)
{
	static const struct hist_record changed[] = {
		{.t_ns = 1},         {.request = 1},        {.number = 1},
		{.flags = 1},        {.kind = HIST_ADD},    {.source = HIST_SERVER},
		{.actor = {"x", 1}}, {.handler = {"x", 1}}, {.key = {"x", 1}},
		{.uid = {"x", 1}},   {.rv = {"x", 1}},      {.old_rv = {"x", 1}},
		{.seen = {"x", 1}},  {.method = {"x", 1}},  {.path = {"x", 1}},
		{.query = {"x", 1}}, {.reason = {"x", 1}},  {.from = {"x", 1}},
		{.to = {"x", 1}},    {.text = {"x", 1}},
	};
	uint64_t digests[sizeof(changed) / sizeof(*changed)];

	for (size_t i = 0; i < sizeof(changed) / sizeof(*changed); i++) {
		struct hist *hist = hist_new(NULL);

		CHECK_ROW("%zu", i);
		CHECK_INT(hist_append(hist, &changed[i]), BASE_OK);
		digests[i] = hist_digest(hist);
		for (size_t k = 0; k < i; k++)
			CHECK_TRUE(digests[k] != digests[i]);
		hist_free(hist);
	}
	CHECK_ROW(NULL);
}

static void json_lines_come_back_the_same(void)
{
	struct hist *hist = filled(), *again = hist_new(NULL);
	struct base_error error = {0};
	struct base_buf text;

	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(hist_write_jsonl(hist, &text), BASE_OK);
	CHECK_INT(hist_read_jsonl(again, base_buf_peek(&text), &error), BASE_OK);
	CHECK_TEXT(error.text, "");
	CHECK_SIZE(hist_count(again), SAMPLE_COUNT);
	CHECK_U64(hist_digest(again), hist_digest(hist));
	base_buf_release(&text);
	hist_free(hist);
	hist_free(again);
}

#define HEAD "{\"relist\":1,\"history\":true}\n"
#define LATE "{\"t_ns\":5,\"source\":\"client\",\"kind\":\"timer\"}\n"
#define EARLY "{\"t_ns\":4,\"source\":\"client\",\"kind\":\"timer\"}\n"

static void a_cut_last_line_is_told_from_a_wrong_one(void)
{
	static const struct {
		const char *line;
		bool cut;
	} rows[] = {
		{"{\"t_ns\":5,\"sou", true}, {"{\"t_ns\":5", true},    {"{\"t_ns\":5,}", false},
		{"{\"t_ns\":\"5\"}", false}, {"{\"t_ns\":5,\"", true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct base_error error = {0};
		const struct hist_record *record;
		struct hist_reader reader;

		CHECK_ROW("%zu", i);
		hist_reader_init(&reader, NULL);
		CHECK_INT(hist_reader_line(&reader, BASE_STR("{\"relist\":1,\"history\":true}"),
					   &record, &error),
			  BASE_OK);
		CHECK_TRUE(record == NULL);
		CHECK_INT(hist_reader_line(&reader, base_str(rows[i].line), &record, &error),
			  BASE_EINVAL);
		CHECK_INT(reader.cut, rows[i].cut);
		CHECK_TRUE(record == NULL);
		hist_reader_release(&reader);
	}
	CHECK_ROW(NULL);
}

static void broken_json_lines_are_refused_with_their_line(void)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"", "line 1"},
		{"{}\n", "line 1, column 1: not a history: its first line would be {\"relist\":1"},
		{"{\"relist\":9,\"history\":true}\n", "line 1, column 1: format version 9"},
		{HEAD "{\"kind\":\"no\"}\n",
		 "line 2, column 2: there is no kind \"no\"; there are request, cancel"},
		{HEAD "{\"wat\":1}\n", "line 2, column 2: a record has no member \"wat\""},
		{HEAD "{\"key\":1}\n", "line 2, column 2: \"key\" must be a text in quotes"},
		{HEAD "{\"t_ns\":1,\"source\":\"us\"}\n",
		 "line 2, column 11: \"source\" must be client, server, network, harness or observer"},
		{HEAD "{\"t_ns\":-1}\n", "line 2, column 2: \"t_ns\" must be a whole number"},
		{HEAD "{\"source\":\"client\"}\n", "line 2, column 1: the record has no \"kind\""},
		{HEAD LATE EARLY, "line 3, column 1: the time goes back, from 5 ns to 4 ns"},
		{HEAD "[]\n", "line 2, column 1: not an object"},
		{HEAD "{\n", "line 2, column 2: the line ends in the middle of a record"},
		{HEAD "{} x\n", "line 2, column 3: something follows the record"},
		{HEAD "{\"key\":01}\n", "line 2, column "},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct hist *hist = hist_new(NULL);
		struct base_error error = {0};

		CHECK_ROW("%zu", i);
		CHECK_TRUE(hist_read_jsonl(hist, base_str(rows[i].text), &error) != BASE_OK);
		CHECK_CONTAINS(error.text, rows[i].error);
		hist_free(hist);
	}
	CHECK_ROW(NULL);
}

static void every_kind_and_source_has_a_word_and_a_line(void)
{
	for (int kind = 0; kind < HIST_KIND_COUNT; kind++) {
		enum hist_kind found = HIST_KIND_COUNT;
		struct hist_record record = {.kind = (enum hist_kind)kind,
					     .number = 3,
					     .request = 2,
					     .rv = BASE_STR("9"),
					     .reason = BASE_STR("why"),
					     .from = BASE_STR("A"),
					     .to = BASE_STR("B"),
					     .text = BASE_STR("text")};
		struct base_buf text;

		CHECK_ROW("kind %d", kind);
		CHECK_TRUE(hist_kind_find(base_str(hist_kind_word(record.kind)), &found));
		CHECK_INT(found, kind);
		for (int source = 0; source <= HIST_OBSERVER; source++) {
			record.source = (enum hist_source)source;
			base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
			CHECK_INT(hist_trace_line(&record, &text), BASE_OK);
			CHECK_CONTAINS(text.ptr, hist_kind_word(record.kind));
			CHECK_CONTAINS(text.ptr, hist_source_word(record.source));
			base_buf_release(&text);
		}
	}
	CHECK_ROW(NULL);
	CHECK_TEXT(hist_kind_word(HIST_KIND_COUNT), "?");
}

static void memory_trouble_leaves_the_history_as_it_was(void)
{
	size_t failures = 0;

	for (uint64_t n = 1; n < 50; n++) {
		struct base_alloc_probe probe;
		struct hist *hist;
		enum base_code code = BASE_OK;
		size_t i = 0;

		base_alloc_probe_init(&probe);
		probe.fail_at = n;
		hist = hist_new(&probe.alloc);
		for (; hist != NULL && code == BASE_OK && i < SAMPLE_COUNT; i++)
			code = hist_append(hist, &sample[i]);
		if (hist != NULL && code != BASE_OK) {
			CHECK_INT(code, BASE_ENOMEM);
			CHECK_SIZE(hist_count(hist), i - 1);
			CHECK_INT(hist_append(hist, &sample[i - 1]), BASE_OK);
		}
		failures += probe.failed_count;
		hist_free(hist);
		CHECK_U64(probe.live_count, 0);
	}
	CHECK_TRUE(failures >= 4);
}

static CU_TestInfo tests[] = {
	{"records are copied and numbered", records_are_copied_and_numbered},
	{"time never goes back", time_never_goes_back},
	{"the digest sees every field", the_digest_sees_every_field},
	{"JSON lines come back the same", json_lines_come_back_the_same},
	{"broken JSON lines are refused", broken_json_lines_are_refused_with_their_line},
	{"a cut last line", a_cut_last_line_is_told_from_a_wrong_one},
	{"every kind has a word and a line", every_kind_and_source_has_a_word_and_a_line},
	{"memory trouble", memory_trouble_leaves_the_history_as_it_was},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_history_history_suite;
CU_SuiteInfo sim_history_history_suite = {.pName = "sim/history/history", .pTests = tests};
