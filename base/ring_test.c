#include "base/ring.h"
#include "base/sweep_rig.h"

#include "ci/unit/assert.h"

static int values[100];

static void first_in_first_out_across_the_wrap(void)
{
	struct base_ring ring;
	size_t in = 0, out = 0;
	base_ring_init(&ring, NULL, 4);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 3; i++)
			CHECK_INT(base_ring_push(&ring, &values[in++ % 100]), BASE_OK);
		for (int i = 0; i < 2; i++)
			CHECK_PTR(base_ring_pop(&ring), &values[out++ % 100]);
	}
	CHECK_SIZE(base_ring_len(&ring), 20);
	for (size_t i = 0; i < 20; i++)
		CHECK_PTR(base_ring_at(&ring, i), &values[(out + i) % 100]);
	while (out < in)
		CHECK_PTR(base_ring_pop(&ring), &values[out++ % 100]);
	CHECK_PTR_NULL(base_ring_pop(&ring));
	base_ring_release(&ring);
}

static void growing_while_wrapped_keeps_the_order(void)
{
	for (size_t head = 0; head < 4; head++) {
		struct base_ring ring;
		base_ring_init(&ring, NULL, 4);
		CHECK_ROW("head %zu", head);
		for (size_t i = 0; i < 4; i++)
			CHECK_INT(base_ring_push(&ring, &values[i]), BASE_OK);
		for (size_t i = 0; i < head; i++)
			CHECK_PTR(base_ring_pop(&ring), &values[i]);
		for (size_t i = 4; i < 10; i++)
			CHECK_INT(base_ring_push(&ring, &values[i]), BASE_OK);
		for (size_t i = head; i < 10; i++)
			CHECK_PTR(base_ring_pop(&ring), &values[i]);
		base_ring_release(&ring);
	}
}

static void doubles_when_full_and_never_shrinks(void)
{
	struct base_ring ring;
	base_ring_init(&ring, NULL, 0);
	CHECK_SIZE(ring.cap, 0);
	for (int i = 0; i < 17; i++)
		CHECK_INT(base_ring_push(&ring, &values[i]), BASE_OK);
	CHECK_SIZE(ring.cap, 32);
	while (base_ring_pop(&ring) != NULL)
		continue;
	CHECK_SIZE(ring.cap, 32);
	base_ring_release(&ring);
}

static uint64_t fill(struct base_alloc_probe *probe)
{
	struct base_ring ring;
	size_t pushed = 0;
	base_ring_init(&ring, &probe->alloc, 2);
	for (size_t i = 0; i < 40; i++) {
		enum base_code code = base_ring_push(&ring, &values[pushed]);
		CHECK_TRUE(code == BASE_OK || code == BASE_ENOMEM);
		pushed += code == BASE_OK;
		CHECK_SIZE(base_ring_len(&ring), pushed);
	}
	for (size_t i = 0; i < pushed; i++)
		CHECK_PTR(base_ring_pop(&ring), &values[i]);
	base_ring_release(&ring);
	CHECK_U64(probe->live_count, 0);
	return probe->failed_count;
}

static void every_failed_allocation_leaves_it_whole(void)
{
	base_sweep(fill);
}

static CU_TestInfo tests[] = {
	{"first in first out across the wrap", first_in_first_out_across_the_wrap},
	{"growing while wrapped keeps the order", growing_while_wrapped_keeps_the_order},
	{"doubles when full and never shrinks", doubles_when_full_and_never_shrinks},
	{"every failed allocation leaves it whole", every_failed_allocation_leaves_it_whole},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo base_ring_suite;
CU_SuiteInfo base_ring_suite = {.pName = "base/ring", .pTests = tests};
