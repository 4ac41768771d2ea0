/* RST_STREAM and GOAWAY as faults. */
#include "fakeapi/fault_rig_test.h"

/* RST_STREAM and GOAWAY, and what is made of them where there are no frames. */
static void frames_are_sent_or_replaced(void)
{
	static const struct {
		enum fakeapi_fault_kind kind;
		enum fakeapi_h2_code code;
		uint64_t after_bytes;
		const char *frames, *without;
		uint64_t effect, effect_without;
	} rows[] = {
		{FAKEAPI_FAULT_RST_STREAM, FAKEAPI_H2_INTERNAL_ERROR, 0,
		 "RST_STREAM=INTERNAL_ERROR", "RST", 1, 1},
		{FAKEAPI_FAULT_RST_STREAM, FAKEAPI_H2_REFUSED_STREAM, 0,
		 "RST_STREAM=REFUSED_STREAM", "RST", 1, 1},
		{FAKEAPI_FAULT_RST_STREAM, FAKEAPI_H2_CANCEL, 4,
		 "H200 json len=10|[0123]RST_STREAM=CANCEL", "H200 json len=10|[0123]RST", 1, 1},
		{FAKEAPI_FAULT_RST_STREAM, FAKEAPI_H2_CANCEL, 99, "H200 json len=10|[0123456789]E",
		 "H200 json len=10|[0123456789]E", 0, 0},
		{FAKEAPI_FAULT_GOAWAY, FAKEAPI_H2_NO_ERROR, 0,
		 "GOAWAY=NO_ERRORH200 json len=10|[0123456789]E", "H200 json len=10|[0123456789]E",
		 1, 0},
		{FAKEAPI_FAULT_GOAWAY, FAKEAPI_H2_NO_ERROR, 4,
		 "H200 json len=10|[0123]GOAWAY=NO_ERROR[456789]E",
		 "H200 json len=10|[0123][456789]E", 1, 0},
		{FAKEAPI_FAULT_GOAWAY, FAKEAPI_H2_ENHANCE_YOUR_CALM, 0, "GOAWAY=ENHANCE_YOUR_CALM",
		 "FIN", 1, 1},
		{FAKEAPI_FAULT_GOAWAY, FAKEAPI_H2_INTERNAL_ERROR, 4,
		 "H200 json len=10|[0123]GOAWAY=INTERNAL_ERROR", "H200 json len=10|[0123]FIN", 1,
		 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) * 2; i++) {
		const size_t r = i / 2;
		struct fakeapi_fault fault = make(FAKEAPI_TARGET_LIST, rows[r].kind);
		struct rig rig;

		CHECK_ROW("%zu, %s frames", r, i % 2 == 0 ? "with" : "without");
		rig_init(&rig, FAKEAPI_VERB_LIST);
		rig.frames = i % 2 == 0;
		fault.code = rows[r].code;
		fault.after_bytes = rows[r].after_bytes;
		(void)add(&rig, &fault);
		CHECK_INT(rig_begin(&rig), BASE_OK);
		answer_list(&rig);
		CHECK_STR(base_buf_peek(&rig.wire), rig.frames ? rows[r].frames : rows[r].without);
		CHECK_U64(rig.effect, rig.frames ? rows[r].effect : rows[r].effect_without);
		rig_release(&rig);
	}
}

/* One GOAWAY for each connection: a second one has touched nothing. */
static void a_connection_is_told_to_go_once(void)
{
	struct fakeapi_fault fault = make(FAKEAPI_TARGET_WATCH, FAKEAPI_FAULT_GOAWAY);
	struct rig rig;

	CHECK_INT(fault.code, FAKEAPI_H2_NO_ERROR);
	rig_init(&rig, FAKEAPI_VERB_WATCH);
	rig.frames = rig.told = true;
	CHECK_INT(rig_begin(&rig), BASE_OK);
	open_stream(&rig);
	event(&rig, "1");
	(void)add(&rig, &fault);
	event(&rig, "2");
	CHECK_STR(base_buf_peek(&rig.wire), "H200|" ADDED("1") "GOAWAY=NO_ERROR" ADDED("2"));
	CHECK_U64(rig.effect, 0);
	rig_release(&rig);
}

static CU_TestInfo tests[] = {
	{"frames are sent or replaced", frames_are_sent_or_replaced},
	{"a connection is told to go once", a_connection_is_told_to_go_once},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_fault_frame_suite;
CU_SuiteInfo fakeapi_fault_frame_suite = {"fakeapi/fault_frame", NULL, NULL, NULL, NULL, tests};
