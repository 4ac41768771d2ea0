#include "informer/frames.h"

#include <stdlib.h>

#include "ci/unit/assert.h"

extern CU_SuiteInfo informer_frames_suite;

static const char stream[] =
	"{\"a\":[1,2,{\"b\":\"}\\\"\"}]}\n \n{\"c\":\"\\u00e9\xc3\xa9\"}{\"d\":null}\n";

static void take_all(struct inf_frames *frames, struct base_buf *out)
{
	struct base_str frame;
	enum inf_frame_outcome outcome;
	while ((outcome = inf_frames_next(frames, &frame)) == INF_FRAME) {
		CHECK_INT(base_buf_str(out, frame), BASE_OK);
		CHECK_INT(base_buf_char(out, '|'), BASE_OK);
	}
	if (outcome != INF_FRAME_MORE) {
		CHECK_INT(base_buf_text(out, outcome == INF_FRAME_END ? "end" : "cut or error"),
			  BASE_OK);
	}
}

static void values_are_cut_wherever_the_bytes_are_split(void)
{
	size_t len = sizeof(stream) - 1;
	for (size_t at = 0; at <= len; at++) {
		struct inf_frames frames;
		struct base_buf out;
		CHECK_ROW("split at %zu", at);
		base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
		inf_frames_init(&frames, NULL);
		CHECK_INT(inf_frames_add(&frames, base_str_n(stream, at)), BASE_OK);
		take_all(&frames, &out);
		CHECK_INT(inf_frames_add(&frames, base_str_n(stream + at, len - at)), BASE_OK);
		take_all(&frames, &out);
		inf_frames_close(&frames);
		take_all(&frames, &out);
		CHECK_STR(base_buf_peek(&out),
			  "{\"a\":[1,2,{\"b\":\"}\\\"\"}]}|{\"c\":\"\\u00e9\xc3\xa9\"}"
			  "|{\"d\":null}|end");
		inf_frames_release(&frames);
		base_buf_release(&out);
	}
}

static void values_are_cut_byte_by_byte(void)
{
	struct inf_frames frames;
	struct base_buf out;
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	inf_frames_init(&frames, NULL);
	for (size_t i = 0; i < sizeof(stream) - 1; i++) {
		CHECK_INT(inf_frames_add(&frames, base_str_n(stream + i, 1)), BASE_OK);
		take_all(&frames, &out);
	}
	CHECK_STR(base_buf_peek(&out),
		  "{\"a\":[1,2,{\"b\":\"}\\\"\"}]}|{\"c\":\"\\u00e9\xc3\xa9\"}|{\"d\":null}|");
	inf_frames_release(&frames);
	base_buf_release(&out);
}

static void ends_are_told_apart(void)
{
	static const struct {
		const char *bytes;
		enum inf_frame_outcome outcome;
	} cases[] = {
		{"", INF_FRAME_END},
		{" \n\t", INF_FRAME_END},
		{"{\"a\":", INF_FRAME_CUT},
		{"\"abc", INF_FRAME_CUT},
		{"{not json}", INF_FRAME_ERROR},
		{"]", INF_FRAME_ERROR},
		{"12", INF_FRAME},
		{"tru", INF_FRAME_CUT},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct inf_frames frames;
		struct base_str frame;
		CHECK_ROW("%s", cases[i].bytes);
		inf_frames_init(&frames, NULL);
		CHECK_INT(inf_frames_add(&frames, base_str(cases[i].bytes)), BASE_OK);
		inf_frames_close(&frames);
		CHECK_INT(inf_frames_next(&frames, &frame), cases[i].outcome);
		if (cases[i].outcome == INF_FRAME_ERROR) {
			CHECK_TRUE(inf_frames_reason(&frames) != NULL);
			CHECK_INT(inf_frames_next(&frames, &frame), INF_FRAME_ERROR);
		}
		inf_frames_release(&frames);
	}
}

static void garbage_is_told_before_the_stream_ends(void)
{
	struct inf_frames frames;
	struct base_str frame;
	inf_frames_init(&frames, NULL);
	CHECK_INT(inf_frames_add(&frames, BASE_STR("{}{n")), BASE_OK);
	CHECK_INT(inf_frames_next(&frames, &frame), INF_FRAME);
	CHECK_INT(inf_frames_next(&frames, &frame), INF_FRAME_ERROR);
	inf_frames_reset(&frames);
	CHECK_INT(inf_frames_next(&frames, &frame), INF_FRAME_MORE);
	inf_frames_release(&frames);
}

static void a_bare_value_ends_at_the_byte_behind_it(void)
{
	static const struct {
		const char *value;
		bool at_once;
	} cases[] = {{"{}", true},  {"[1]", true},   {"\"a\"", false}, {" \"a\"", false},
		     {"12", false}, {"true", false}, {"null", false},  {" {} ", true}};
	for (size_t i = 0; i < 2 * (sizeof(cases) / sizeof(cases[0])); i++) {
		const char *value = cases[i / 2].value;
		const bool closes = i % 2 == 1;
		struct inf_frames frames;
		struct base_str frame;
		CHECK_ROW("%s %s", value, closes ? "and the end" : "and a blank");
		inf_frames_init(&frames, NULL);
		CHECK_INT(inf_frames_add(&frames, base_str(value)), BASE_OK);
		if (!cases[i / 2].at_once) {
			CHECK_INT(inf_frames_next(&frames, &frame), INF_FRAME_MORE);
			CHECK_INT(inf_frames_next(&frames, &frame), INF_FRAME_MORE);
			if (closes) {
				inf_frames_close(&frames);
			} else {
				CHECK_INT(inf_frames_add(&frames, BASE_STR("\n")), BASE_OK);
			}
		}
		CHECK_INT(inf_frames_next(&frames, &frame), INF_FRAME);
		CHECK_TRUE(base_str_eq(frame, base_str_trim(base_str(value))));
		inf_frames_release(&frames);
	}
}

static void a_frame_may_be_as_long_as_the_limit_and_no_longer(void)
{
	for (size_t over = 0; over < 2; over++) {
		struct inf_frames frames;
		struct base_str frame;
		size_t len = INF_FRAME_MAX + over;
		char *bytes = malloc(len);
		REQUIRE_PTR_NOT_NULL(bytes);
		memset(bytes, 'x', len);
		bytes[0] = '"';
		bytes[len - 1] = '"';
		inf_frames_init(&frames, NULL);
		CHECK_INT(inf_frames_add(&frames, base_str_n(bytes, len)), BASE_OK);
		inf_frames_close(&frames);
		CHECK_INT(inf_frames_next(&frames, &frame),
			  over == 0 ? INF_FRAME : INF_FRAME_ERROR);
		inf_frames_release(&frames);
		free(bytes);
	}
}

static CU_TestInfo tests[] = {
	{"values_are_cut_wherever_the_bytes_are_split",
	 values_are_cut_wherever_the_bytes_are_split},
	{"values_are_cut_byte_by_byte", values_are_cut_byte_by_byte},
	{"ends_are_told_apart", ends_are_told_apart},
	{"garbage_is_told_before_the_stream_ends", garbage_is_told_before_the_stream_ends},
	{"a_bare_value_ends_at_the_byte_behind_it", a_bare_value_ends_at_the_byte_behind_it},
	{"a_frame_may_be_as_long_as_the_limit_and_no_longer",
	 a_frame_may_be_as_long_as_the_limit_and_no_longer},
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_frames_suite = {.pName = "informer/frames", .pTests = tests};
