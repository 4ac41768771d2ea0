#include "sim/check/check.h"

#include "ci/unit/assert.h"

/* An adapter without a client: it greets and lets time pass. */
#define GREETS                                                                                      \
	"while read -r l; do case $l in "                                                           \
	"*'\"start\"'*) echo '{\"hello\":{\"client\":\"none\",\"version\":\"1\","                   \
	"\"language\":\"sh\",\"timer_granularity_ns\":1,\"capabilities\":[\"typed\"]}}';; "         \
	"*'\"advance\"'*) t=${l#*to_ns\\\":}; echo \"{\\\"now_ns\\\":${t%%,*},\\\"out\\\":[]}\";; " \
	"*quit*) exit 0;; *) echo '{\"error\":\"no\"}';; esac; done"

static void checked(const char *command, const char *only, struct check_report *report)
{
	const struct subject_peer_options peer = {.name = "x", .command = command};
	const struct check_options options = {.peer = &peer, .limit_ms = 3000, .only = only};

	memset(report, 0, sizeof(*report));
	check_peer(&options, report);
}

static void every_probe_has_its_own_word(void)
{
	const char *name, *title, *other;
	size_t count = 0;

	for (; (name = check_probe_name(count, &title)) != NULL; count++) {
		CHECK_TRUE(title[0] != '\0');
		for (size_t i = 0; i < count; i++) {
			other = check_probe_name(i, &title);
			CHECK_TRUE(strcmp(name, other) != 0);
		}
	}
	CHECK_TRUE(count >= 30);
}

static void an_adapter_without_a_client_is_told_what_is_missing(void)
{
	struct check_report report;

	checked(GREETS, "hello", &report);
	CHECK_SIZE(report.counts[CHECK_PASSED], 1);
	CHECK_TEXT(report.client, "none 1 (sh)");
	check_report_release(&report);

	checked(GREETS, "request", &report);
	CHECK_SIZE(report.counts[CHECK_FAILED], 1);
	if (report.probes[0].finding_count == 1) {
		const struct check_finding *f = &report.probes[0].findings[0];

		CHECK_TEXT(f->field, "out");
		CHECK_TEXT(f->expected, "an output req after the start");
		CHECK_TEXT(f->got, "nothing of it from 0 ns to 120000000000 ns");
		CHECK_TEXT(f->section, "advance");
		CHECK_INT(f->answer, 2);
		CHECK_TEXT(f->request,
			   "{\"op\":\"advance\",\"to_ns\":120000000000,\"deliver\":[]}");
		CHECK_FALSE(f->note);
	}
	CHECK_SIZE(report.probes[0].finding_count, 1);
	check_report_release(&report);

	checked(GREETS, "modes", &report);
	CHECK_SIZE(report.counts[CHECK_SKIPPED], 1);
	CHECK_TEXT(report.probes[0].why, "the capability dynamic is not declared");
	check_report_release(&report);
}

static void one_that_cannot_be_started_is_asked_once(void)
{
	struct check_report report;

	checked("exec ./no-such-program 2>/dev/null", NULL, &report);
	CHECK_TRUE(report.not_started);
	CHECK_SIZE(report.probe_count, 1);
	CHECK_SIZE(report.counts[CHECK_FAILED], 1);
	CHECK_TRUE(report.client == NULL);
	check_report_release(&report);
}

static CU_TestInfo tests[] = {
	{"every probe has its own word", every_probe_has_its_own_word},
	{"an adapter without a client is told what is missing",
	 an_adapter_without_a_client_is_told_what_is_missing},
	{"one that cannot be started is asked once", one_that_cannot_be_started_is_asked_once},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_check_probes_suite;
CU_SuiteInfo sim_check_probes_suite = {.pName = "sim/check/probes", .pTests = tests};
