#include "base/alloc.h"
#include "ci/unit/assert.h"

static void probe_counts_blocks_and_bytes(void)
{
	struct base_alloc_probe probe;
	base_alloc_probe_init(&probe);
	char *a = base_malloc(&probe.alloc, 10);
	char *b = base_calloc(&probe.alloc, 4, 5);
	REQUIRE_PTR_NOT_NULL(a);
	REQUIRE_PTR_NOT_NULL(b);
	CHECK_INT(b[19], 0);
	a = base_realloc(&probe.alloc, a, 100);
	CHECK_U64(probe.live_count, 2);
	CHECK_U64(probe.live_bytes, 120);
	base_free(&probe.alloc, a);
	base_free(&probe.alloc, b);
	base_free(&probe.alloc, NULL);
	CHECK_U64(probe.live_count, 0);
	CHECK_U64(probe.live_bytes, 0);
	CHECK_U64(probe.live_bytes_max, 120);
	CHECK_U64(probe.request_count, 3);
}

static void probe_fails_the_nth_request_once(void)
{
	struct base_alloc_probe probe;
	base_alloc_probe_init(&probe);
	probe.fail_at = 2;
	void *a = base_malloc(&probe.alloc, 1);
	CHECK_PTR_NULL(base_realloc(&probe.alloc, a, 50));
	a = base_realloc(&probe.alloc, a, 50);
	CHECK_PTR_NOT_NULL(a);
	CHECK_U64(probe.failed_count, 1);
	base_free(&probe.alloc, a);
	CHECK_U64(probe.live_count, 0);
}

static void probe_fails_for_good(void)
{
	struct base_alloc_probe probe;
	base_alloc_probe_init(&probe);
	probe.fail_at = 2;
	probe.fail_forever = true;
	void *a = base_malloc(&probe.alloc, 1);
	CHECK_PTR_NULL(base_malloc(&probe.alloc, 1));
	CHECK_PTR_NULL(base_malloc(&probe.alloc, 1));
	CHECK_U64(probe.failed_count, 2);
	base_free(&probe.alloc, a);
}

static void sizes_that_overflow_are_refused(void)
{
	CHECK_PTR_NULL(base_calloc(NULL, SIZE_MAX / 2, 3));
	CHECK_PTR_NULL(base_strndup(NULL, "", SIZE_MAX));
}

static void zero_bytes_give_a_block(void)
{
	void *block = base_malloc(NULL, 0);
	CHECK_PTR_NOT_NULL(block);
	base_free(NULL, block);
	char *copy = base_strndup(NULL, NULL, 0);
	CHECK_TEXT(copy, "");
	base_free(NULL, copy);
}

static CU_TestInfo tests[] = {
	{"probe counts blocks and bytes", probe_counts_blocks_and_bytes},
	{"probe fails the nth request once", probe_fails_the_nth_request_once},
	{"probe fails for good", probe_fails_for_good},
	{"sizes that overflow are refused", sizes_that_overflow_are_refused},
	{"zero bytes give a block", zero_bytes_give_a_block},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo base_alloc_suite;
CU_SuiteInfo base_alloc_suite = {.pName = "base/alloc", .pTests = tests};
