#include "fakeapi/fault_rig_test.h"

/* ---- Requests to come ---- */

struct list_row {
	enum fakeapi_fault_kind kind;
	uint64_t after_bytes, piece_bytes;
	const char *wire; /* before healing */
	const char *healed;
	uint64_t effect; /* before healing */
};

static void a_list_shows_each_fault_in_its_bytes(void)
{
	static const struct list_row rows[] = {
		{FAKEAPI_FAULT_REFUSE, 0, 0, "RST", "RST", 1},
		{FAKEAPI_FAULT_RESET, 0, 0, "RST", "RST", 1},
		{FAKEAPI_FAULT_EOF, 0, 0, "FIN", "FIN", 1},
		{FAKEAPI_FAULT_CLOSE, 0, 0, "H200 json|E", "H200 json|E", 1},
		{FAKEAPI_FAULT_CLOSE, 4, 0, "H200 json|[0123]E", "H200 json|[0123]E", 1},
		{FAKEAPI_FAULT_CUT, 0, 0, "H200 json len=10|FIN", "H200 json len=10|FIN", 1},
		{FAKEAPI_FAULT_CUT, 4, 0, "H200 json len=10|[0123]FIN",
		 "H200 json len=10|[0123]FIN", 1},
		{FAKEAPI_FAULT_CUT, 99, 0, "H200 json len=10|[0123456789]E",
		 "H200 json len=10|[0123456789]E", 0},
		{FAKEAPI_FAULT_STALL, 0, 0, "", "H200 json len=10|[0123456789]E", 12},
		{FAKEAPI_FAULT_STALL, 4, 0, "H200 json len=10|[0123]",
		 "H200 json len=10|[0123][456789]E", 7},
		{FAKEAPI_FAULT_HALF_OPEN, 0, 0, "", "", 1},
		{FAKEAPI_FAULT_HALF_OPEN, 4, 0, "H200 json len=10|[0123]",
		 "H200 json len=10|[0123]", 7},
		{FAKEAPI_FAULT_DRIP, 0, 4, "H200 json len=10|[0123]",
		 "H200 json len=10|[0123][456789]E", 1},
		{FAKEAPI_FAULT_SPLIT, 0, 4, "H200 json len=10|[0123][4567][89]E",
		 "H200 json len=10|[0123][4567][89]E", 3},
		{FAKEAPI_FAULT_TRUNCATE, 0, 0, "H200 json|[01234]E", "H200 json|[01234]E", 5},
		{FAKEAPI_FAULT_CONTENT_TYPE, 0, 0, "H200 text/html len=10|[0123456789]E",
		 "H200 text/html len=10|[0123456789]E", 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_fault fault = make(FAKEAPI_TARGET_LIST, rows[i].kind);
		struct fakeapi_fault_counts counts;
		struct rig rig;
		uint64_t id;

		CHECK_ROW("%s after %llu", fakeapi_fault_kind_word(rows[i].kind),
			  (unsigned long long)rows[i].after_bytes);
		rig_init(&rig, FAKEAPI_VERB_LIST);
		fault.after_bytes = rows[i].after_bytes;
		fault.piece_bytes = rows[i].piece_bytes;
		fault.content_type = BASE_STR("text/html");
		id = add(&rig, &fault);
		CHECK_INT(rig_begin(&rig), BASE_OK);
		if (rig.verdict == FAKEAPI_VERDICT_PASS)
			answer_list(&rig);
		CHECK_STR(base_buf_peek(&rig.wire), rows[i].wire);
		CHECK_U64(rig.effect, rows[i].effect);
		CHECK_INT(fakeapi_faults_counts(&rig.faults, id, &counts), BASE_OK);
		CHECK_U64(counts.hits, 1);
		CHECK_U64(counts.effect, rows[i].effect);
		(void)fakeapi_faults_heal(&rig.faults, (struct base_str){0});
		CHECK_STR(base_buf_peek(&rig.wire), rows[i].healed);
		rig_release(&rig);
	}
}

static void corrupt_puts_a_nul_into_the_body(void)
{
	struct fakeapi_fault fault = make(FAKEAPI_TARGET_LIST, FAKEAPI_FAULT_CORRUPT);
	static const char expected[] = "H200 json len=10|[01234\0006789]E";
	struct rig rig;

	rig_init(&rig, FAKEAPI_VERB_LIST);
	(void)add(&rig, &fault);
	CHECK_INT(rig_begin(&rig), BASE_OK);
	answer_list(&rig);
	CHECK_STR_EQ(base_buf_peek(&rig.wire), base_str_n(expected, sizeof(expected) - 1));
	CHECK_U64(rig.effect, 1);
	rig_release(&rig);
}

static void a_status_is_answered_in_each_form(void)
{
	static const struct {
		int status;
		int64_t retry;
		enum fakeapi_fault_body body;
		const char *message, *wire;
	} rows[] = {
		{503, FAKEAPI_NO_RETRY_AFTER, FAKEAPI_BODY_STATUS, "",
		 "H503 application/json len=149|[{\"kind\":\"Status\",\"apiVersion\":\"v1\","
		 "\"metadata\":{},\"status\":\"Failure\",\"message\":\"apiserver is shutting down\","
		 "\"reason\":\"ServiceUnavailable\",\"code\":503}\n]E"},
		{429, 2, FAKEAPI_BODY_STATUS, "slow",
		 "H429 application/json len=158 Retry-After=2|[{\"kind\":\"Status\",\"apiVersion\":\"v1\","
		 "\"metadata\":{},\"status\":\"Failure\",\"message\":\"slow\","
		 "\"reason\":\"TooManyRequests\",\"details\":{\"retryAfterSeconds\":2},\"code\":429}\n]E"},
		{429, 1, FAKEAPI_BODY_TEXT, "",
		 "H429 text/plain; charset=utf-8 len=43 X-Content-Type-Options=nosniff Retry-After=1|"
		 "[Too many requests, please try again later.\n]E"},
		{500, FAKEAPI_NO_RETRY_AFTER, FAKEAPI_BODY_NONE, "", "H500 len=0|E"},
		{410, FAKEAPI_NO_RETRY_AFTER, FAKEAPI_BODY_STATUS, "",
		 "H410 application/json len=165|[{\"kind\":\"Status\",\"apiVersion\":\"v1\","
		 "\"metadata\":{},\"status\":\"Failure\",\"message\":\"The resourceVersion for the "
		 "provided list is too old.\",\"reason\":\"Expired\",\"code\":410}\n]E"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_fault fault = make(FAKEAPI_TARGET_LIST, FAKEAPI_FAULT_STATUS);
		struct rig rig;

		CHECK_ROW("%d", rows[i].status);
		rig_init(&rig, FAKEAPI_VERB_LIST);
		fault.status = rows[i].status;
		fault.retry_after_s = rows[i].retry;
		fault.body = rows[i].body;
		fault.message = base_str(rows[i].message);
		(void)add(&rig, &fault);
		CHECK_INT(rig_begin(&rig), BASE_OK);
		CHECK_INT(rig.verdict, FAKEAPI_VERDICT_ANSWERED);
		CHECK_INT(rig.filter.answered, rows[i].status);
		CHECK_TRUE(rig.filter.over);
		CHECK_STR(base_buf_peek(&rig.wire), rows[i].wire);
		CHECK_U64(rig.effect, 1);
		rig_release(&rig);
	}
}

static void every_status_has_its_reason_and_causes(void)
{
	static const struct {
		int status;
		int64_t retry;
		const char *message, *part;
	} rows[] = {
		{400, FAKEAPI_NO_RETRY_AFTER, "", "\"reason\":\"BadRequest\",\"code\":400}"},
		{401, FAKEAPI_NO_RETRY_AFTER, "", "\"reason\":\"Unauthorized\",\"code\":401}"},
		{500, FAKEAPI_NO_RETRY_AFTER, "",
		 "\"details\":{\"causes\":[{\"message\":\"scripted fault\"}]},\"code\":500}"},
		{500, 3, "",
		 "\"details\":{\"causes\":[{\"message\":\"scripted fault\"}],\"retryAfterSeconds\":3}"},
		{504, 1, "slow", "\"details\":{\"retryAfterSeconds\":1},\"code\":504}"},
		{504, FAKEAPI_NO_RETRY_AFTER, "", "\"reason\":\"Timeout\",\"code\":504}"},
		{502, FAKEAPI_NO_RETRY_AFTER, "", "\"message\":\"scripted fault\",\"code\":502}"},
		{599, FAKEAPI_NO_RETRY_AFTER, "", "\"message\":\"scripted fault\",\"code\":599}"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int body = FAKEAPI_BODY_STATUS; body <= FAKEAPI_BODY_TEXT; body++) {
			struct fakeapi_fault fault =
				make(FAKEAPI_TARGET_LIST, FAKEAPI_FAULT_STATUS);
			struct rig rig;

			CHECK_ROW("%d", rows[i].status);
			rig_init(&rig, FAKEAPI_VERB_LIST);
			fault.status = rows[i].status;
			fault.retry_after_s = rows[i].retry;
			fault.body = (enum fakeapi_fault_body)body;
			fault.message = base_str(rows[i].message);
			(void)add(&rig, &fault);
			CHECK_INT(rig_begin(&rig), BASE_OK);
			if (body == FAKEAPI_BODY_STATUS)
				CHECK_CONTAINS(rig.wire.ptr, rows[i].part);
			CHECK_INT(rig.filter.answered, rows[i].status);
			rig_release(&rig);
		}
	}
}

static void the_fault_takes_what_it_is_meant_for(void)
{
	static const struct {
		enum fakeapi_fault_target target;
		const char *client, *resource, *namespace_;
		enum fakeapi_verb verb;
		bool initial_events, taken;
	} rows[] = {
		{FAKEAPI_TARGET_LIST, "", "", "", FAKEAPI_VERB_LIST, false, true},
		{FAKEAPI_TARGET_LIST, "", "", "", FAKEAPI_VERB_WATCH, false, false},
		{FAKEAPI_TARGET_WATCH_OPEN, "", "", "", FAKEAPI_VERB_WATCH, false, true},
		{FAKEAPI_TARGET_WATCH_OPEN, "", "", "", FAKEAPI_VERB_WATCH, true, true},
		{FAKEAPI_TARGET_WATCH_LIST, "", "", "", FAKEAPI_VERB_WATCH, false, false},
		{FAKEAPI_TARGET_WATCH_LIST, "", "", "", FAKEAPI_VERB_WATCH, true, true},
		{FAKEAPI_TARGET_GET, "", "", "", FAKEAPI_VERB_GET, false, true},
		{FAKEAPI_TARGET_WRITE, "", "", "", FAKEAPI_VERB_PATCH, false, true},
		{FAKEAPI_TARGET_WRITE, "", "", "", FAKEAPI_VERB_GET, false, false},
		{FAKEAPI_TARGET_ANY, "", "", "", FAKEAPI_VERB_OTHER, false, true},
		{FAKEAPI_TARGET_WATCH, "", "", "", FAKEAPI_VERB_WATCH, false, false},
		{FAKEAPI_TARGET_LIST, "i", "pods", "default", FAKEAPI_VERB_LIST, false, true},
		{FAKEAPI_TARGET_LIST, "j", "", "", FAKEAPI_VERB_LIST, false, false},
		{FAKEAPI_TARGET_LIST, "", "nodes", "", FAKEAPI_VERB_LIST, false, false},
		{FAKEAPI_TARGET_LIST, "", "pods.apps", "", FAKEAPI_VERB_LIST, false, false},
		{FAKEAPI_TARGET_LIST, "", "", "other", FAKEAPI_VERB_LIST, false, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_fault fault = make(rows[i].target, FAKEAPI_FAULT_RESET);
		struct rig rig;

		CHECK_ROW("row %zu", i);
		rig_init(&rig, rows[i].verb);
		rig.facts.initial_events = rows[i].initial_events;
		fault.client = base_str(rows[i].client);
		fault.resource = base_str(rows[i].resource);
		fault.namespace_ = base_str(rows[i].namespace_);
		(void)add(&rig, &fault);
		CHECK_INT(rig_begin(&rig), BASE_OK);
		CHECK_INT(rig.verdict,
			  rows[i].taken ? FAKEAPI_VERDICT_ENDED : FAKEAPI_VERDICT_PASS);
		rig_release(&rig);
	}
}

static void times_and_until_end_a_fault(void)
{
	struct fakeapi_fault fault = make(FAKEAPI_TARGET_ANY, FAKEAPI_FAULT_STATUS);
	struct fakeapi_fault_counts counts;
	struct rig rig;

	rig_init(&rig, FAKEAPI_VERB_LIST);
	fault.times = 2;
	(void)add(&rig, &fault);
	for (int i = 0; i < 3; i++) {
		CHECK_ROW("request %d", i);
		CHECK_INT(rig_begin(&rig), BASE_OK);
		CHECK_INT(rig.verdict, i < 2 ? FAKEAPI_VERDICT_ANSWERED : FAKEAPI_VERDICT_PASS);
		fakeapi_filter_release(&rig.filter);
	}
	CHECK_INT(fakeapi_faults_counts(&rig.faults, 1, &counts), BASE_OK);
	CHECK_FALSE(counts.active);
	fault.times = 0;
	fault.until_ns = 5 * SECOND;
	(void)add(&rig, &fault);
	CHECK_U64(fakeapi_faults_next_ns(&rig.faults), 5 * SECOND);
	fakeapi_faults_advance(&rig.faults, 5 * SECOND);
	CHECK_U64(fakeapi_faults_next_ns(&rig.faults), UINT64_MAX);
	CHECK_INT(rig_begin(&rig), BASE_OK);
	CHECK_INT(rig.verdict, FAKEAPI_VERDICT_PASS);
	CHECK_INT(fakeapi_faults_counts(&rig.faults, 3, &counts), BASE_ENOENT);
	CHECK_SIZE(fakeapi_faults_count(&rig.faults), 2);
	rig_release(&rig);
}

static void a_connection_is_refused_once(void)
{
	struct fakeapi_fault fault = make(FAKEAPI_TARGET_WATCH_OPEN, FAKEAPI_FAULT_REFUSE);
	struct rig rig;

	rig_init(&rig, FAKEAPI_VERB_LIST);
	(void)add(&rig, &fault);
	CHECK_FALSE(fakeapi_faults_refuses(&rig.faults, &rig.facts));
	rig.facts.verb = FAKEAPI_VERB_WATCH;
	CHECK_TRUE(fakeapi_faults_refuses(&rig.faults, &rig.facts));
	CHECK_FALSE(fakeapi_faults_refuses(&rig.faults, &rig.facts));
	CHECK_U64(rig.effect, 1);
	rig_release(&rig);
}

static void drip_sends_a_piece_at_a_time(void)
{
	struct fakeapi_fault fault = make(FAKEAPI_TARGET_LIST, FAKEAPI_FAULT_DRIP);
	struct rig rig;

	rig_init(&rig, FAKEAPI_VERB_LIST);
	fault.piece_bytes = 4;
	fault.every_ns = 2 * SECOND;
	(void)add(&rig, &fault);
	CHECK_INT(rig_begin(&rig), BASE_OK);
	answer_list(&rig);
	CHECK_U64(fakeapi_faults_next_ns(&rig.faults), 2 * SECOND);
	fakeapi_faults_advance(&rig.faults, 2 * SECOND);
	CHECK_STR(base_buf_peek(&rig.wire), "H200 json len=10|[0123][4567]");
	fakeapi_faults_advance(&rig.faults, 4 * SECOND);
	CHECK_STR(base_buf_peek(&rig.wire), "H200 json len=10|[0123][4567][89]");
	fakeapi_faults_advance(&rig.faults, 6 * SECOND);
	CHECK_STR(base_buf_peek(&rig.wire), "H200 json len=10|[0123][4567][89]E");
	CHECK_U64(fakeapi_faults_next_ns(&rig.faults), UINT64_MAX);
	rig_release(&rig);
}

/* ---- Streams ---- */

static void an_open_stream_is_touched_at_once(void)
{
	static const struct {
		enum fakeapi_fault_kind kind;
		uint64_t after_events, after_bytes;
		const char *wire; /* after one event, the fault, and two more events */
	} rows[] = {
		{FAKEAPI_FAULT_RESET, 0, 0, "H200|" ADDED("1") "RST"},
		{FAKEAPI_FAULT_EOF, 0, 0, "H200|" ADDED("1") "FIN"},
		{FAKEAPI_FAULT_CUT, 0, 0, "H200|" ADDED("1") "FIN"},
		{FAKEAPI_FAULT_CUT, 1, 0, "H200|" ADDED("1") ADDED("2") "FIN"},
		{FAKEAPI_FAULT_CUT, 0, 8, "H200|" ADDED("1") "[{\"type\":]FIN"},
		{FAKEAPI_FAULT_CLOSE, 0, 0, "H200|" ADDED("1") "E"},
		{FAKEAPI_FAULT_CLOSE, 2, 0, "H200|" ADDED("1") ADDED("2") ADDED("3") "E"},
		{FAKEAPI_FAULT_STALL, 0, 0, "H200|" ADDED("1")},
		{FAKEAPI_FAULT_HALF_OPEN, 0, 0, "H200|" ADDED("1")},
		{FAKEAPI_FAULT_TRUNCATE, 2, 0,
		 "H200|" ADDED("1") ADDED("2") "[{\"type\":\"ADDED\",\"object\":{\"meta]E"},
		{FAKEAPI_FAULT_STATUS, 0, 0,
		 "H200|" ADDED(
			 "1") "[{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":"
			      "\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"The "
			      "resourceVersion for the provided watch is too old.\",\"reason\":"
			      "\"Expired\",\"code\":410}}\n]E"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_fault fault = make(FAKEAPI_TARGET_WATCH, rows[i].kind);
		struct rig rig;

		CHECK_ROW("%s after %llu", fakeapi_fault_kind_word(rows[i].kind),
			  (unsigned long long)rows[i].after_events);
		rig_init(&rig, FAKEAPI_VERB_WATCH);
		CHECK_INT(rig_begin(&rig), BASE_OK);
		open_stream(&rig);
		event(&rig, "1");
		fault.status = 410;
		fault.after_events = rows[i].after_events;
		fault.after_bytes = rows[i].after_bytes;
		(void)add(&rig, &fault);
		event(&rig, "2");
		event(&rig, "3");
		CHECK_STR(base_buf_peek(&rig.wire), rows[i].wire);
		CHECK_TRUE(rig.effect > 0);
		rig_release(&rig);
	}
}

static void a_stalled_stream_flows_on_when_healed(void)
{
	struct fakeapi_fault fault = make(FAKEAPI_TARGET_WATCH, FAKEAPI_FAULT_STALL);
	struct rig rig;

	rig_init(&rig, FAKEAPI_VERB_WATCH);
	CHECK_INT(rig_begin(&rig), BASE_OK);
	open_stream(&rig);
	fault.name = BASE_STR("s");
	fault.until_ns = 9 * SECOND;
	(void)add(&rig, &fault);
	event(&rig, "2");
	CHECK_STR(base_buf_peek(&rig.wire), "H200|");
	CHECK_SIZE(fakeapi_faults_heal(&rig.faults, BASE_STR("other")), 0);
	CHECK_SIZE(fakeapi_faults_heal(&rig.faults, BASE_STR("s")), 1);
	CHECK_STR(base_buf_peek(&rig.wire), "H200|" ADDED("2"));
	event(&rig, "3");
	CHECK_STR(base_buf_peek(&rig.wire), "H200|" ADDED("2") ADDED("3"));
	CHECK_U64(fakeapi_faults_next_ns(&rig.faults), UINT64_MAX);
	rig_release(&rig);
}

static void a_half_open_stream_stays_dead(void)
{
	struct fakeapi_fault fault = make(FAKEAPI_TARGET_ANY, FAKEAPI_FAULT_HALF_OPEN);
	struct rig rig;

	rig_init(&rig, FAKEAPI_VERB_WATCH);
	CHECK_INT(rig_begin(&rig), BASE_OK);
	open_stream(&rig);
	(void)add(&rig, &fault);
	CHECK_TRUE(rig.filter.dead);
	event(&rig, "2");
	CHECK_SIZE(fakeapi_faults_heal(&rig.faults, (struct base_str){0}), 1);
	fakeapi_filter_end(&rig.filter);
	CHECK_STR(base_buf_peek(&rig.wire), "H200|");
	rig_release(&rig);
}

static void bookmarks_vanish_or_freeze(void)
{
	static const struct {
		enum fakeapi_fault_kind kind;
		const char *wire;
		uint64_t effect;
	} rows[] = {
		{FAKEAPI_FAULT_NO_END_BOOKMARK, "H200|" ADDED("1") BOOKMARK("3") BOOKMARK("4"), 1},
		{FAKEAPI_FAULT_NO_BOOKMARKS, "H200|" ADDED("1") BOOKMARK("2"), 2},
		{FAKEAPI_FAULT_FROZEN_BOOKMARKS,
		 "H200|" ADDED("1") BOOKMARK("2") BOOKMARK("3") BOOKMARK("3"), 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_fault fault = make(FAKEAPI_TARGET_WATCH_OPEN, rows[i].kind);
		struct rig rig;

		CHECK_ROW("%s", fakeapi_fault_kind_word(rows[i].kind));
		rig_init(&rig, FAKEAPI_VERB_WATCH);
		(void)add(&rig, &fault);
		CHECK_INT(rig_begin(&rig), BASE_OK);
		open_stream(&rig);
		event(&rig, "1");
		line(&rig, FAKEAPI_LINE_BOOKMARK, true, "", "2");
		line(&rig, FAKEAPI_LINE_BOOKMARK, false, "", "3");
		line(&rig, FAKEAPI_LINE_BOOKMARK, false, "", "4");
		CHECK_STR(base_buf_peek(&rig.wire), rows[i].wire);
		CHECK_U64(rig.effect, rows[i].effect);
		rig_release(&rig);
	}
}

static void the_named_object_cannot_be_decoded(void)
{
	struct fakeapi_fault fault = make(FAKEAPI_TARGET_ANY, FAKEAPI_FAULT_UNDECODABLE);
	struct base_str item;
	struct rig rig;

	rig_init(&rig, FAKEAPI_VERB_WATCH);
	fault.object = BASE_STR("default/a");
	(void)add(&rig, &fault);
	CHECK_INT(rig_begin(&rig), BASE_OK);
	open_stream(&rig);
	event(&rig, "1");
	line(&rig, FAKEAPI_LINE_ADDED, false, "default/b", "2");
	CHECK_STR(base_buf_peek(&rig.wire),
		  "H200|[{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":\"1\","
		  "\"labels\":7}}}\n]" ADDED("2"));
	CHECK_INT(fakeapi_filter_item(&rig.filter, BASE_STR("default/a"),
				      BASE_STR("{\"metadata\":{\"name\":\"a\"},\"x\":1}"), &item),
		  BASE_OK);
	CHECK_STR(item, "{\"metadata\":{\"name\":\"a\",\"labels\":7},\"x\":1}");
	CHECK_U64(rig.effect, 2);
	rig_release(&rig);
}

static void a_server_lies(void)
{
	static const struct {
		enum fakeapi_fault_kind kind;
		const char *object, *wire;
		uint64_t effect;
	} rows[] = {
		{FAKEAPI_FAULT_SKIP, "", "H200|" BOOKMARK("2"), 2},
		{FAKEAPI_FAULT_SKIP, "default/b", "H200|" ADDED("1") BOOKMARK("2"), 1},
		{FAKEAPI_FAULT_REPEAT, "",
		 "H200|" ADDED("1") ADDED("1") BOOKMARK("2") DELETED("3") DELETED("3"), 2},
		{FAKEAPI_FAULT_REPEAT, "default/b",
		 "H200|" ADDED("1") BOOKMARK("2") DELETED("3") DELETED("3"), 1},
		{FAKEAPI_FAULT_OLD_DELETE, "", "H200|" ADDED("1") BOOKMARK("2") DELETED("1"), 1},
		{FAKEAPI_FAULT_OLD_DELETE, "default/c",
		 "H200|" ADDED("1") BOOKMARK("2") DELETED("3"), 0},
		{FAKEAPI_FAULT_NO_VERSION, "", "H200|" ADDED("") BOOKMARK("2") DELETED(""), 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_fault fault = make(FAKEAPI_TARGET_WATCH_OPEN, rows[i].kind);
		struct rig rig;

		CHECK_ROW("%s %s", fakeapi_fault_kind_word(rows[i].kind), rows[i].object);
		rig_init(&rig, FAKEAPI_VERB_WATCH);
		fault.object = base_str(rows[i].object);
		(void)add(&rig, &fault);
		CHECK_INT(rig_begin(&rig), BASE_OK);
		open_stream(&rig);
		event(&rig, "1");
		line(&rig, FAKEAPI_LINE_BOOKMARK, false, "", "2");
		fakeapi_filter_line(
			&rig.filter,
			&(struct fakeapi_line){
				.type = FAKEAPI_LINE_DELETED,
				.key = BASE_STR("default/b"),
				.rv = BASE_STR("3"),
				.old_rv = BASE_STR("1"),
				.bytes = BASE_STR("{\"type\":\"DELETED\",\"object\":{\"metadata\":{"
						  "\"resourceVersion\":\"3\"}}}\n")});
		CHECK_STR(base_buf_peek(&rig.wire), rows[i].wire);
		CHECK_U64(rig.effect, rows[i].effect);
		rig_release(&rig);
	}
}

static void a_list_may_lack_its_version(void)
{
	struct fakeapi_fault fault = make(FAKEAPI_TARGET_LIST, FAKEAPI_FAULT_NO_VERSION);
	const struct fakeapi_head head = {.status = 200, .length = FAKEAPI_LENGTH_UNKNOWN};
	const char body[] = "{\"metadata\":{\"resourceVersion\":\"77\"},\"items\":[]}";
	struct rig rig;

	rig_init(&rig, FAKEAPI_VERB_LIST);
	(void)add(&rig, &fault);
	CHECK_INT(rig_begin(&rig), BASE_OK);
	fakeapi_filter_head(&rig.filter, &head);
	fakeapi_filter_body(&rig.filter, body, sizeof(body) - 1);
	fakeapi_filter_end(&rig.filter);
	CHECK_STR(base_buf_peek(&rig.wire),
		  "H200|[{\"metadata\":{\"resourceVersion\":\"\"},\"items\":[]}]E");
	rig_release(&rig);
}

static void nonsense_is_refused(void)
{
	static const struct {
		enum fakeapi_fault_target target;
		enum fakeapi_fault_kind kind;
	} rows[] = {
		{FAKEAPI_TARGET_LIST, FAKEAPI_FAULT_NO_BOOKMARKS},
		{FAKEAPI_TARGET_WATCH, FAKEAPI_FAULT_REFUSE},
		{FAKEAPI_TARGET_WATCH, FAKEAPI_FAULT_CONTENT_TYPE},
		{FAKEAPI_TARGET_WRITE, FAKEAPI_FAULT_UNDECODABLE},
		{FAKEAPI_TARGET_LIST, FAKEAPI_FAULT_SKIP},
		{FAKEAPI_TARGET_WATCH, FAKEAPI_FAULT_UNCHUNKED},
		{FAKEAPI_TARGET_WRITE, FAKEAPI_FAULT_NO_VERSION},
	};
	struct rig rig;

	rig_init(&rig, FAKEAPI_VERB_LIST);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_fault fault = make(rows[i].target, rows[i].kind);
		struct base_error error = {0};

		CHECK_ROW("row %zu", i);
		CHECK_INT(fakeapi_faults_add(&rig.faults, &fault, NULL, &error), BASE_EINVAL);
	}
	CHECK_SIZE(fakeapi_faults_count(&rig.faults), 0);
	rig_release(&rig);
}

static void words_are_found_again(void)
{
	enum fakeapi_fault_target target;
	enum fakeapi_fault_kind kind;

	for (int i = 0; i < FAKEAPI_FAULT_KIND_COUNT; i++) {
		CHECK_TRUE(fakeapi_fault_kind_of(
			base_str(fakeapi_fault_kind_word((enum fakeapi_fault_kind)i)), &kind));
		CHECK_INT(kind, i);
		CHECK_TRUE(fakeapi_fault_kind_counts(kind)[0] != '\0');
	}
	for (int i = 0; i < FAKEAPI_TARGET_COUNT; i++) {
		CHECK_TRUE(fakeapi_fault_target_of(
			base_str(fakeapi_fault_target_word((enum fakeapi_fault_target)i)),
			&target));
		CHECK_INT(target, i);
	}
	static const enum fakeapi_h2_code codes[] = {FAKEAPI_H2_NO_ERROR, FAKEAPI_H2_REFUSED_STREAM,
						     FAKEAPI_H2_ENHANCE_YOUR_CALM};
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		enum fakeapi_h2_code code = FAKEAPI_H2_CANCEL;

		CHECK_TRUE(fakeapi_h2_code_of(base_str(fakeapi_h2_code_word(codes[i])), &code));
		CHECK_INT(code, codes[i]);
	}
	CHECK_FALSE(fakeapi_fault_kind_of(BASE_STR("stal"), &kind));
	CHECK_FALSE(fakeapi_fault_target_of(BASE_STR(""), &target));
	CHECK_TEXT(fakeapi_verb_word(FAKEAPI_VERB_DELETE_COLLECTION), "DELETECOLLECTION");
}

/* Stall, drip, undecodable and status at once, each allocation failing in turn. */
static void every_allocation_may_fail(void)
{
	bool failed = true;

	for (uint64_t n = 1; failed && n < 200; n++) {
		static const enum fakeapi_fault_kind kinds[] = {FAKEAPI_FAULT_DRIP,
								FAKEAPI_FAULT_CORRUPT,
								FAKEAPI_FAULT_FROZEN_BOOKMARKS,
								FAKEAPI_FAULT_NO_VERSION};
		struct fakeapi_fault stall = make(FAKEAPI_TARGET_WATCH, FAKEAPI_FAULT_STALL);
		struct rig rig;

		rig_init(&rig, FAKEAPI_VERB_WATCH);
		rig.probe.fail_at = n;
		for (size_t i = 0; i < 4; i++) {
			struct fakeapi_fault fault = make(FAKEAPI_TARGET_WATCH_OPEN, kinds[i]);

			fault.until_ns = SECOND;
			(void)!fakeapi_faults_add(&rig.faults, &fault, NULL, NULL);
		}
		if (rig_begin(&rig) == BASE_OK) {
			open_stream(&rig);
			event(&rig, "1");
			(void)!fakeapi_faults_add(&rig.faults, &stall, NULL, NULL);
			line(&rig, FAKEAPI_LINE_BOOKMARK, false, "", "2");
			line(&rig, FAKEAPI_LINE_BOOKMARK, false, "", "3");
			fakeapi_faults_advance(&rig.faults, 2 * SECOND);
			(void)fakeapi_faults_heal(&rig.faults, (struct base_str){0});
			fakeapi_filter_end(&rig.filter);
			CHECK_TRUE(rig.filter.over);
		} else {
			rig.filter.faults = NULL;
		}
		failed = rig.probe.failed_count > 0;
		rig_release(&rig);
	}
	CHECK_FALSE(failed);
}

static CU_TestInfo tests[] = {
	{"a list shows each fault in its bytes", a_list_shows_each_fault_in_its_bytes},
	{"corrupt puts a NUL into the body", corrupt_puts_a_nul_into_the_body},
	{"a status is answered in each form", a_status_is_answered_in_each_form},
	{"every status has its reason and causes", every_status_has_its_reason_and_causes},
	{"the fault takes what it is meant for", the_fault_takes_what_it_is_meant_for},
	{"times and until end a fault", times_and_until_end_a_fault},
	{"a connection is refused once", a_connection_is_refused_once},
	{"drip sends a piece at a time", drip_sends_a_piece_at_a_time},
	{"an open stream is touched at once", an_open_stream_is_touched_at_once},
	{"a stalled stream flows on when healed", a_stalled_stream_flows_on_when_healed},
	{"a half-open stream stays dead", a_half_open_stream_stays_dead},
	{"bookmarks vanish or freeze", bookmarks_vanish_or_freeze},
	{"the named object cannot be decoded", the_named_object_cannot_be_decoded},
	{"a server lies", a_server_lies},
	{"a list may lack its version", a_list_may_lack_its_version},
	{"nonsense is refused", nonsense_is_refused},
	{"words are found again", words_are_found_again},
	{"every allocation may fail", every_allocation_may_fail},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_fault_suite;
CU_SuiteInfo fakeapi_fault_suite = {"fakeapi/fault", NULL, NULL, NULL, NULL, tests};
