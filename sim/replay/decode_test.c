#include "ci/unit/assert.h"
#include "sim/replay/map.h"

/* "hello" */
static const char packed[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00"
			     "\x86\xa6\x10\x36\x05\x00\x00\x00";

static void gzip_is_whole_or_refused(void)
{
	const size_t len = sizeof(packed) - 1;

	for (size_t i = 0; i <= len; i++) {
		struct base_buf out;

		CHECK_ROW("%zu bytes", i);
		base_buf_init(&out, NULL, 100);
		CHECK_INT(replay_gunzip(base_str_n(packed, i), &out), i == len);
		if (i == len)
			CHECK_STR(base_buf_peek(&out), "hello");
		base_buf_release(&out);
	}
	CHECK_ROW(NULL);
}

#define K8S "k8s\0"
#define UID_A "aaaaaaaa-0000-4000-8000-000000000000"
#define UID_B "bbbbbbbb-0000-4000-8000-000000000000"
#define BYTES(t)                                                                                   \
	{                                                                                          \
		t, sizeof(t) - 1                                                                   \
	}

static const struct {
	const char *what;
	struct base_str recorded, got;
	bool equal;
} rows[] = {
	{"the same",
	 BYTES(K8S "\x0a\x01"
		   "a"),
	 BYTES(K8S "\x0a\x01"
		   "a"),
	 true},
	{"another text",
	 BYTES(K8S "\x0a\x01"
		   "a"),
	 BYTES(K8S "\x0a\x01"
		   "b"),
	 false},
	{"another field",
	 BYTES(K8S "\x0a\x01"
		   "a"),
	 BYTES(K8S "\x12\x01"
		   "a"),
	 false},
	{"a field more",
	 BYTES(K8S "\x0a\x01"
		   "a"),
	 BYTES(K8S "\x0a\x01"
		   "a\x10\x01"),
	 false},
	{"another uid", BYTES(K8S "\x0a\x24" UID_A), BYTES(K8S "\x0a\x24" UID_B), true},
	{"another version, of another length",
	 BYTES(K8S "\x0a\x02"
		   "99"),
	 BYTES(K8S "\x0a\x03"
		   "101"),
	 true},
	{"versions in another order",
	 BYTES(K8S "\x0a\x02"
		   "12\x0a\x02"
		   "13"),
	 BYTES(K8S "\x0a\x02"
		   "18\x0a\x02"
		   "17"),
	 false},
	{"a message in it",
	 BYTES(K8S "\x0a\x04\x0a\x02"
		   "99"),
	 BYTES(K8S "\x0a\x05\x0a\x03"
		   "101"),
	 true},
	{"a small number", BYTES(K8S "\x08\x01"), BYTES(K8S "\x08\x02"), false},
	{"another time", BYTES(K8S "\x08\x80\xd2\x95\xce\x06"),
	 BYTES(K8S "\x08\x80\xe2\x95\xce\x06"), true},
	{"no protobuf behind the magic",
	 BYTES(K8S "\x0a\x09"
		   "a"),
	 BYTES(K8S "\x0a\x08"
		   "b"),
	 false},
};

static void protobuf_is_compared_field_by_field(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct replay_map map;
		struct replay_result result = {0};
		struct replay_place place = {.map = &map, .result = &result};

		CHECK_ROW("%s", rows[i].what);
		replay_map_init(&map);
		CHECK_TRUE(replay_is_protobuf(rows[i].recorded));
		replay_protobuf(&place, rows[i].recorded, rows[i].got);
		CHECK_INT(result.count == 0, rows[i].equal);
		replay_result_release(&result);
		replay_map_release(&map);
	}
}

static void protobuf_events_are_compared_frame_by_frame(void)
{
	static const struct {
		const char *what;
		struct base_str recorded, got;
		size_t count;
	} frames[] = {
		{"the same",
		 BYTES("\0\0\0\3\x0a\x01"
		       "a"),
		 BYTES("\0\0\0\3\x0a\x01"
		       "a"),
		 0},
		{"another",
		 BYTES("\0\0\0\3\x0a\x01"
		       "a"),
		 BYTES("\0\0\0\3\x0a\x01"
		       "b"),
		 1},
		{"one more", BYTES("\0\0\0\2\x08\1"), BYTES("\0\0\0\2\x08\1\0\0\0\2\x08\1"), 1},
		{"a version in an object",
		 BYTES("\0\0\0\x0a\x12\x08k8s\0\x0a\x02"
		       "99"),
		 BYTES("\0\0\0\x0b\x12\x09k8s\0\x0a\x03"
		       "101"),
		 0},
	};

	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
		struct replay_map map;
		struct replay_result result = {0};
		struct replay_place place = {.map = &map, .result = &result};

		CHECK_ROW("%s", frames[i].what);
		replay_map_init(&map);
		CHECK_TRUE(replay_is_protobuf_frames(frames[i].recorded));
		replay_protobuf_frames(&place, frames[i].recorded, frames[i].got);
		CHECK_SIZE(result.count, frames[i].count);
		replay_result_release(&result);
		replay_map_release(&map);
	}
	CHECK_FALSE(replay_is_protobuf_frames(BASE_STR("{\"type\":\"ADDED\"}")));
}

static CU_TestInfo tests[] = {
	{"gzip is whole or refused", gzip_is_whole_or_refused},
	{"protobuf events are compared frame by frame",
	 protobuf_events_are_compared_frame_by_frame},
	{"protobuf is compared field by field", protobuf_is_compared_field_by_field},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_replay_decode_suite;
CU_SuiteInfo sim_replay_decode_suite = {.pName = "sim/replay/decode", .pTests = tests};
