#include "sim/subject_peer.h"

#include "ci/unit/assert.h"

#define HELLO "read l; echo '{\"hello\":{}}'; read l; "

static const struct subject_informer_spec pods = {.name = {.ptr = "inf", .len = 3},
						  .version = {.ptr = "v1", .len = 2},
						  .resource = {.ptr = "pods", .len = 4}};

/* What start, or else the first advance to 1000 ns, says; "" when both are fine. */
static void first_failure(const char *command, struct base_error *error, uint64_t *reports)
{
	const struct subject_peer_options options = {
		.name = "odd", .command = command, .step_ms = 300, .instant_outputs_max = 3};
	const struct subject_core_options core = {.draw_value = SUBJECT_DRAW_HALF};
	struct subject *subject = subject_peer_new(&options, &core);
	struct subject_outputs outputs = {0};
	struct base_error again = {0};
	enum base_code code;

	memset(error, 0, sizeof(*error));
	*reports = 0;
	code = subject->ops->start(subject, &pods, error);
	if (code == BASE_OK) {
		code = subject->ops->advance(subject, 1000, NULL, 0, &outputs, error);
		for (size_t i = 0; i < outputs.count; i++)
			*reports += outputs.records[i].kind == HIST_REPORT;
		if (code != BASE_OK)
			CHECK_INT(subject->ops->advance(subject, 1000, NULL, 0, &outputs, &again),
				  code);
		CHECK_TEXT(again.text, error->text);
	}
	CHECK_INT(error->code, code);
	subject->ops->release(subject);
}

static void what_a_peer_does_wrong_is_named(void)
{
	static const struct {
		const char *name, *command, *error;
		uint64_t reports;
	} rows[] = {
		{"no such program", "exec ./no-such-program 2>/dev/null",
		 "peer odd died: exit code 127", 0},
		{"hangs at the start", "sleep 60", "peer odd hangs: no answer within 300 ms", 0},
		{"hangs and ignores signals", "trap '' TERM INT HUP; while :; do sleep 60; done",
		 "peer odd hangs", 0},
		{"hangs later", HELLO "sleep 60", "peer odd hangs: no answer within 300 ms", 0},
		{"hangs with half a line", HELLO "printf '{'; sleep 60", "peer odd hangs", 0},
		{"dies", HELLO "echo 'bad luck' >&2; exit 7",
		 "peer odd died: exit code 7; its stderr: bad luck", 1},
		{"is killed", HELLO "kill -9 $$", "peer odd died: signal 9", 0},
		{"closes its output", HELLO "exec >&-; sleep 60", "peer odd closed its output", 0},
		{"garbage", HELLO "echo hello", "peer odd says what is no answer (", 0},
		{"no object", HELLO "echo 7", "(not a JSON object): 7", 0},
		{"no time", HELLO "echo '{\"out\":[]}'", "(without now_ns): {\"out\":[]}", 0},
		{"too far", HELLO "echo '{\"now_ns\":1001,\"out\":[]}'",
		 "peer odd goes too far in time: to 1001 ns instead of 1000 ns", 0},
		{"unknown event", HELLO "echo '{\"now_ns\":0,\"out\":[{\"ev\":\"sneeze\"}]}'",
		 "(an unknown event): {\"ev\":\"sneeze\"}", 0},
		{"panic", HELLO "echo '{\"now_ns\":0,\"out\":[{\"ev\":\"panic\"}]}'",
		 "(it panicked)", 0},
		{"too much",
		 HELLO "echo '{\"now_ns\":0,\"out\":[{\"ev\":\"synced\"},{\"ev\":\"synced\"},"
		       "{\"ev\":\"synced\"},{\"ev\":\"synced\"}]}'; sleep 60",
		 "peer odd says more than 3 things at 0 ns", 0},
		{"refuses", "read l; echo '{\"error\":\"no pods here\"}'; read l",
		 "peer odd: no pods here", 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct base_error error;
		uint64_t reports;

		CHECK_ROW("%s", rows[i].name);
		first_failure(rows[i].command, &error, &reports);
		CHECK_TRUE(error.code != BASE_OK);
		CHECK_CONTAINS(error.text, rows[i].error);
		CHECK_U64(reports, rows[i].reports);
	}
	CHECK_ROW(NULL);
}

static struct subject *made(const char *command)
{
	const struct subject_peer_options options = {
		.name = "odd", .command = command, .step_ms = 5000};
	const struct subject_core_options core = {.draw_value = SUBJECT_DRAW_HALF};
	struct subject *subject = subject_peer_new(&options, &core);
	struct base_error error = {0};

	CHECK_INT(subject->ops->start(subject, &pods, &error), BASE_OK);
	CHECK_TEXT(error.text, "");
	return subject;
}

/* ---- Every operation, and every way not to answer it ---- */

static enum base_code ask(struct subject *subject, const char *op, struct base_error *error)
{
	const struct subject_handler_spec handler = {.name = BASE_STR("late"),
						     .resync_ns = SUBJECT_RESYNC_NONE};
	struct subject_informer_spec second = pods;
	struct subject_outputs outputs;
	struct subject_snapshot snapshot;

	second.name = BASE_STR("second");
	if (strcmp(op, "start") == 0)
		return subject->ops->start(subject, &second, error);
	if (strcmp(op, "advance") == 0)
		return subject->ops->advance(subject, 1000, NULL, 0, &outputs, error);
	if (strcmp(op, "snapshot") == 0)
		return subject->ops->snapshot(subject, pods.name, &snapshot, error);
	if (strcmp(op, "handler_add") == 0)
		return subject->ops->handler_add(subject, pods.name, &handler, error);
	if (strcmp(op, "handler_remove") == 0)
		return subject->ops->handler_remove(subject, pods.name, handler.name, error);
	return subject->ops->stop(subject, pods.name, error);
}

static void no_operation_can_hang_or_pass_unnoticed(void)
{
	static const char *const ops[] = {"start",       "advance",        "snapshot",
					  "handler_add", "handler_remove", "stop"};
	static const struct {
		const char *name, *command, *error;
		uint64_t step_ms;
	} rows[] = {
		{"hangs", "echo 'lost in thought' >&2; sleep 60",
		 "peer odd hangs: no answer within 250 ms; its stderr: lost in thought", 250},
		{"hangs in the middle of its answer", "printf '{\"now_ns\":1000,'; sleep 60",
		 "peer odd hangs: no answer within 150 ms", 150},
		{"dies", "echo 'no luck' >&2; exit 7",
		 "peer odd died: exit code 7; its stderr: no luck", 9000},
		{"dies in the middle of its answer", "printf '{\"ok\":tr'; exit 7",
		 "peer odd died: exit code 7", 9000},
		{"is killed", "kill -9 $$", "peer odd died: signal 9", 9000},
		{"closes its output", "exec >&-; sleep 60", "peer odd closed its output", 9000},
		{"says garbage", "echo 'goroutine 1 [running]'; echo 'told you' >&2; sleep 60",
		 "peer odd says what is no answer (", 9000},
		{"is talkative on stderr", "yes chatter >&2", "peer odd hangs", 150},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t k = 0; k < sizeof(ops) / sizeof(*ops); k++) {
			char command[256];
			const struct subject_peer_options options = {
				.name = "odd", .command = command, .step_ms = rows[i].step_ms};
			const struct subject_core_options core = {.draw_value = SUBJECT_DRAW_HALF};
			struct subject *subject;
			struct base_error error = {0}, again = {0};

			CHECK_ROW("%s at %s", rows[i].name, ops[k]);
			snprintf(command, sizeof(command), "%s%s", HELLO, rows[i].command);
			subject = subject_peer_new(&options, &core);
			CHECK_INT(subject->ops->start(subject, &pods, &error), BASE_OK);
			CHECK_TRUE(ask(subject, ops[k], &error) != BASE_OK);
			CHECK_CONTAINS(error.text, rows[i].error);
			/* It is not asked again, and says the same. */
			CHECK_TRUE(ask(subject, "stop", &again) != BASE_OK);
			CHECK_TEXT(again.text, error.text);
			subject->ops->release(subject);
		}
	CHECK_ROW(NULL);
}

static void a_loop_over_several_answers_is_named(void)
{
	const struct subject_peer_options options = {
		.name = "odd",
		.command = HELLO "while :; do echo '{\"now_ns\":5,\"out\":[{\"ev\":\"log\"}]}'; "
				 "read l; done",
		.instant_outputs_max = 40};
	const struct subject_core_options core = {.draw_value = SUBJECT_DRAW_HALF};
	struct subject *subject = subject_peer_new(&options, &core);
	struct subject_outputs outputs;
	struct base_error error = {0};
	size_t answers = 0;

	CHECK_INT(subject->ops->start(subject, &pods, &error), BASE_OK);
	while (answers < 100 &&
	       subject->ops->advance(subject, 1000, NULL, 0, &outputs, &error) == BASE_OK)
		answers++;
	CHECK_SIZE(answers, 40);
	CHECK_TEXT(error.text, "peer odd says more than 40 things at 5 ns");
	subject->ops->release(subject);
}

/* More than a pipe holds, to a peer that does not read: the write must not hang either. */
static void a_peer_that_does_not_read_is_named(void)
{
	static char body[1 << 20];
	const struct subject_peer_options options = {
		.name = "odd",
		.command = HELLO
		"echo '{\"now_ns\":0,\"out\":[{\"ev\":\"req\",\"id\":1}]}'; sleep 60",
		.step_ms = 300};
	const struct subject_core_options core = {.draw_value = SUBJECT_DRAW_HALF};
	const struct subject_delivery delivery = {
		.kind = SUBJECT_BODY, .request = 1, .bytes = {.ptr = body, .len = sizeof(body)}};
	struct subject *subject = subject_peer_new(&options, &core);
	struct subject_outputs outputs;
	struct base_error error = {0};

	memset(body, 'x', sizeof(body));
	CHECK_INT(subject->ops->start(subject, &pods, &error), BASE_OK);
	CHECK_INT(subject->ops->advance(subject, 0, NULL, 0, &outputs, &error), BASE_OK);
	CHECK_INT(subject->ops->advance(subject, 0, &delivery, 1, &outputs, &error), BASE_EIO);
	CHECK_TEXT(error.text, "peer odd hangs: no answer within 300 ms");
	subject->ops->release(subject);
}

static void a_clock_that_goes_back_is_named(void)
{
	struct subject *subject = made(HELLO "echo '{\"now_ns\":9,\"out\":[]}'; read l; "
					     "echo '{\"now_ns\":8,\"out\":[]}'; read l");
	struct subject_outputs outputs = {0};
	struct base_error error = {0};

	CHECK_INT(subject->ops->advance(subject, 9, NULL, 0, &outputs, &error), BASE_OK);
	CHECK_U64(outputs.now_ns, 9);
	CHECK_INT(subject->ops->advance(subject, 20, NULL, 0, &outputs, &error), BASE_EIO);
	CHECK_TEXT(error.text, "peer odd goes back in time: from 9 ns to 8 ns");
	subject->ops->release(subject);
}

static void a_line_too_many_is_named(void)
{
	struct subject *subject =
		made(HELLO "printf '{\"now_ns\":9,\"out\":[]}\\n{\"more\":1}\\n'; read l");
	struct subject_outputs outputs = {0};
	struct base_error error = {0};

	CHECK_INT(subject->ops->advance(subject, 9, NULL, 0, &outputs, &error), BASE_OK);
	CHECK_INT(subject->ops->advance(subject, 20, NULL, 0, &outputs, &error), BASE_EIO);
	CHECK_CONTAINS(error.text, "peer odd said a line that nobody asked for: {\"more\":1}");
	subject->ops->release(subject);
}

static void time_before_the_first_start_is_told(void)
{
	const struct subject_peer_options options = {
		.name = "late",
		.command = "read l; case $l in *'\"advance\",\"to_ns\":70,'*) ;; *) exit 1;; esac; "
			   "echo '{\"now_ns\":70,\"out\":[]}'; " HELLO
			   "echo '{\"now_ns\":80,\"out\":[]}'; read l"};
	const struct subject_core_options core = {.draw_value = SUBJECT_DRAW_HALF};
	struct subject *subject = subject_peer_new(&options, &core);
	struct subject_outputs outputs = {0};
	struct base_error error = {0};

	CHECK_INT(subject->ops->advance(subject, 70, NULL, 0, &outputs, &error), BASE_OK);
	CHECK_U64(outputs.now_ns, 70);
	CHECK_INT(subject->ops->start(subject, &pods, &error), BASE_OK);
	CHECK_INT(subject->ops->advance(subject, 80, NULL, 0, &outputs, &error), BASE_OK);
	CHECK_TEXT(error.text, "");
	CHECK_U64(outputs.now_ns, 80);
	subject->ops->release(subject);
}

static void requests_are_numbered_anew(void)
{
	struct subject *subject = made(
		HELLO "echo '{\"now_ns\":0,\"out\":[{\"ev\":\"req\",\"id\":70,\"method\":\"GET\","
		      "\"path\":\"/a\",\"headers\":{\"Accept\":\"x\"}}]}'; read l; "
		      "case $l in *'\"id\":70,\"data64\":\"/w==\"'*) ;; *) exit 1;; esac; "
		      "echo '{\"now_ns\":0,\"out\":[{\"ev\":\"cancel\",\"id\":70},"
		      "{\"ev\":\"cancel\",\"id\":70}]}'; read l");
	const struct subject_delivery deliveries[] = {
		{.kind = SUBJECT_BODY, .request = 1, .bytes = {.ptr = "\xff", .len = 1}},
		{.kind = SUBJECT_BODY, .request = 2, .bytes = {.ptr = "x", .len = 1}},
	};
	struct subject_outputs outputs = {0};
	struct base_error error = {0};

	CHECK_INT(subject->ops->advance(subject, 9, NULL, 0, &outputs, &error), BASE_OK);
	CHECK_SIZE(outputs.count, 1);
	if (outputs.count == 1) {
		CHECK_INT(outputs.records[0].kind, HIST_REQUEST);
		CHECK_U64(outputs.records[0].request, 1);
		CHECK_STR(outputs.records[0].actor, "inf");
		CHECK_STR(outputs.records[0].text, "Accept: x\n");
		CHECK_STR(outputs.records[0].reason, "typed");
	}
	CHECK_INT(subject->ops->advance(subject, 9, deliveries, 2, &outputs, &error), BASE_OK);
	CHECK_TEXT(error.text, "");
	CHECK_SIZE(outputs.count, 1); /* the second cancel is of a request that has ended */
	subject->ops->release(subject);
}

static void a_snapshot_without_pending_is_not_stuck(void)
{
	struct subject *subject =
		made(HELLO "echo '{\"store\":[{\"key\":\"a/b\",\"uid\":\"u\",\"rv\":\"5\"}],"
			   "\"last_rv\":\"7\",\"synced\":true}'; read l");
	struct subject_snapshot snapshot;
	struct base_error error = {0};

	CHECK_INT(subject->ops->snapshot(subject, BASE_STR("inf"), &snapshot, &error), BASE_OK);
	CHECK_SIZE(snapshot.count, 1);
	if (snapshot.count == 1) {
		CHECK_STR(snapshot.items[0].key, "a/b");
		CHECK_STR(snapshot.items[0].rv, "5");
	}
	CHECK_STR(snapshot.last_rv, "7");
	CHECK_TRUE(snapshot.synced);
	CHECK_U64(snapshot.timers_armed, 1);
	subject->ops->release(subject);
}

static CU_TestInfo tests[] = {
	{"what a peer does wrong is named", what_a_peer_does_wrong_is_named},
	{"no operation can hang or pass unnoticed", no_operation_can_hang_or_pass_unnoticed},
	{"a loop over several answers is named", a_loop_over_several_answers_is_named},
	{"a peer that does not read is named", a_peer_that_does_not_read_is_named},
	{"a clock that goes back is named", a_clock_that_goes_back_is_named},
	{"a line too many is named", a_line_too_many_is_named},
	{"time before the first start is told", time_before_the_first_start_is_told},
	{"requests are numbered anew", requests_are_numbered_anew},
	{"a snapshot without pending is not stuck", a_snapshot_without_pending_is_not_stuck},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_subject_peer_suite;
CU_SuiteInfo sim_subject_peer_suite = {.pName = "sim/subject_peer", .pTests = tests};
