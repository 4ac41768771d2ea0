#include "base/heap.h"
#include "base/prng.h"
#include "ci/unit/assert.h"

#define NODE_COUNT 300

static void equal_times_come_out_in_the_order_of_push(void)
{
	struct base_heap heap;
	struct base_heap_node nodes[50] = {0};
	base_heap_init(&heap, NULL);
	for (size_t i = 0; i < 50; i++)
		CHECK_INT(base_heap_push(&heap, &nodes[i], 10 - i / 10), BASE_OK);
	CHECK_INT(base_heap_push(&heap, &nodes[0], 1), BASE_ESTATE);
	for (size_t i = 0; i < 50; i++)
		CHECK_PTR(base_heap_pop(&heap), &nodes[40 - i / 10 * 10 + i % 10]);
	CHECK_PTR_NULL(base_heap_pop(&heap));
	CHECK_PTR_NULL(base_heap_peek(&heap));
	base_heap_release(&heap);
}

static void random_pushes_and_removals_stay_sorted(void)
{
	static struct base_heap_node nodes[NODE_COUNT];
	struct base_heap heap;
	struct base_prng prng;
	base_prng_seed(&prng, 2, BASE_STR("heap"));
	base_heap_init(&heap, NULL);
	for (int step = 0; step < 5000; step++) {
		struct base_heap_node *node = &nodes[base_prng_below(&prng, NODE_COUNT)];
		if (base_heap_has(node))
			base_heap_remove(&heap, node);
		else
			REQUIRE_INT(base_heap_push(&heap, node, base_prng_below(&prng, 50)),
				    BASE_OK);
		for (size_t i = 0; i < heap.len; i++)
			REQUIRE_TRUE(heap.nodes[i]->index == i + 1);
	}
	uint64_t at_ns = 0, seq = 0;
	for (struct base_heap_node *node; (node = base_heap_pop(&heap)) != NULL;) {
		CHECK_TRUE(node->at_ns > at_ns || (node->at_ns == at_ns && node->seq >= seq));
		CHECK_FALSE(base_heap_has(node));
		at_ns = node->at_ns;
		seq = node->seq;
	}
	base_heap_remove(&heap, &nodes[0]); /* not in: nothing happens */
	base_heap_release(&heap);
}

static void release_frees_the_nodes(void)
{
	struct base_heap heap;
	struct base_heap_node node = {0};
	base_heap_init(&heap, NULL);
	CHECK_INT(base_heap_push(&heap, &node, 5), BASE_OK);
	base_heap_release(&heap);
	CHECK_FALSE(base_heap_has(&node));
	CHECK_INT(base_heap_push(&heap, &node, 6), BASE_OK);
	CHECK_U64(base_heap_peek(&heap)->at_ns, 6);
	base_heap_release(&heap);
}

static void a_failed_push_changes_nothing(void)
{
	for (uint64_t n = 1; n < 5; n++) {
		struct base_alloc_probe probe;
		struct base_heap heap;
		struct base_heap_node nodes[40] = {0};
		size_t pushed = 0;
		base_alloc_probe_init(&probe);
		probe.fail_at = n;
		base_heap_init(&heap, &probe.alloc);
		for (size_t i = 0; i < 40; i++) {
			enum base_code code = base_heap_push(&heap, &nodes[i], 40 - i);
			CHECK_TRUE(base_heap_has(&nodes[i]) == (code == BASE_OK));
			pushed += code == BASE_OK;
		}
		CHECK_SIZE(heap.len, pushed);
		base_heap_release(&heap);
		CHECK_U64(probe.live_count, 0);
	}
}

static CU_TestInfo tests[] = {
	{"equal times come out in the order of push", equal_times_come_out_in_the_order_of_push},
	{"random pushes and removals stay sorted", random_pushes_and_removals_stay_sorted},
	{"release frees the nodes", release_frees_the_nodes},
	{"a failed push changes nothing", a_failed_push_changes_nothing},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo base_heap_suite;
CU_SuiteInfo base_heap_suite = {.pName = "base/heap", .pTests = tests};
