/* CPU_COUNT is Linux's */
#define _GNU_SOURCE
#include "sim/child.h"

#include <sched.h>

#include "ci/unit/assert.h"

static int processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : -1;
}

static void a_child_shares_our_processor_while_it_lives(void)
{
	const int before = processors();
	struct base_error error = {0};
	struct base_str reply = {0};
	struct child *child = child_spawn("read l; nproc; read l; nproc", &error);
	struct child *second;

	REQUIRE_TRUE(child != NULL);
	CHECK_INT(processors(), 1);
	CHECK_INT(child_exchange(child, BASE_STR("go\n"), 5000, &reply, &error), BASE_OK);
	CHECK_STR(reply, "1");
	second = child_spawn("read l; nproc", &error);
	REQUIRE_TRUE(second != NULL);
	child_free(second, (struct base_str){0});
	CHECK_INT(processors(), 1);
	child_free(child, (struct base_str){0});
	CHECK_INT(processors(), before);
}

static void what_a_child_says_comes_in_pieces(void)
{
	struct base_error error = {0};
	struct base_str reply = {0};
	struct child *child = child_spawn("read l; printf 'a b'; printf 'c\\n'; read l; "
					  "head -c 3000000 /dev/zero | tr '\\0' x; echo; read l",
					  &error);

	REQUIRE_TRUE(child != NULL);
	CHECK_INT(child_exchange(child, BASE_STR("1\n"), 5000, &reply, &error), BASE_OK);
	CHECK_STR(reply, "a bc");
	CHECK_INT(child_exchange(child, BASE_STR("2\n"), 20000, &reply, &error), BASE_OK);
	CHECK_SIZE(reply.len, 3000000);
	child_free(child, (struct base_str){0});
}

static CU_TestInfo tests[] = {
	{"a child shares our processor while it lives",
	 a_child_shares_our_processor_while_it_lives},
	{"what a child says comes in pieces", what_a_child_says_comes_in_pieces},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_child_suite;
CU_SuiteInfo sim_child_suite = {.pName = "sim/child", .pTests = tests};
