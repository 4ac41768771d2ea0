#include "fakeapi/server/bounds.h"

#include <string.h>

#include "ci/unit/assert.h"

static void what_does_not_fit_fails_and_leaves_the_rest(void)
{
	struct fakeapi_bounds bounds;

	fakeapi_bounds_init(&bounds, NULL, 100);
	char *a = base_malloc(&bounds.alloc, 60);
	REQUIRE_TRUE(a != NULL);
	memset(a, 'a', 60);
	CHECK_PTR_EQ(base_malloc(&bounds.alloc, 41), NULL);
	char *b = base_malloc(&bounds.alloc, 40);
	CHECK_TRUE(b != NULL);
	CHECK_SIZE(bounds.used, 100);
	CHECK_PTR_EQ(base_realloc(&bounds.alloc, a, 61), NULL);
	CHECK_INT(a[59], 'a');
	a = base_realloc(&bounds.alloc, a, 10);
	CHECK_SIZE(bounds.used, 50);
	a = base_realloc(&bounds.alloc, a, 50);
	REQUIRE_TRUE(a != NULL);
	CHECK_INT(a[9], 'a');
	base_free(&bounds.alloc, a);
	base_free(&bounds.alloc, b);
	CHECK_SIZE(bounds.used, 0);
	CHECK_SIZE(bounds.peak, 100);
	CHECK_U64(bounds.refused, 2);
	CHECK_PTR_EQ(base_malloc(&bounds.alloc, SIZE_MAX), NULL);
}

static void what_others_hold_counts_too(void)
{
	struct fakeapi_bounds bounds;

	fakeapi_bounds_init(&bounds, NULL, 100);
	CHECK_TRUE(fakeapi_bounds_take(&bounds, 70));
	CHECK_FALSE(fakeapi_bounds_take(&bounds, 31));
	CHECK_PTR_EQ(base_malloc(&bounds.alloc, 31), NULL);
	fakeapi_bounds_give(&bounds, 70);
	CHECK_SIZE(bounds.used, 0);
}

static void trouble_beneath_is_not_counted(void)
{
	struct base_alloc_probe probe;
	struct fakeapi_bounds bounds;

	base_alloc_probe_init(&probe);
	fakeapi_bounds_init(&bounds, &probe.alloc, 100);
	probe.fail_at = 1;
	CHECK_PTR_EQ(base_malloc(&bounds.alloc, 10), NULL);
	CHECK_SIZE(bounds.used, 0);
	void *block = base_malloc(&bounds.alloc, 10);
	CHECK_TRUE(block != NULL);
	base_free(&bounds.alloc, block);
	CHECK_U64(probe.live_count, 0);
}

static CU_TestInfo tests[] = {
	{"what does not fit fails and leaves the rest",
	 what_does_not_fit_fails_and_leaves_the_rest},
	{"what others hold counts, too", what_others_hold_counts_too},
	{"trouble beneath is not counted", trouble_beneath_is_not_counted},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_server_bounds_suite;
CU_SuiteInfo fakeapi_server_bounds_suite = {.pName = "fakeapi/server/bounds", .pTests = tests};
