#include "fakeapi/server/queue.h"

#include "ci/unit/assert.h"

static void bytes_come_out_in_their_order(void)
{
	struct fakeapi_queue queue;
	unsigned in = 0, out = 0;

	fakeapi_queue_init(&queue, NULL, 1000);
	for (int turn = 0; turn < 500; turn++) {
		char piece[7];

		for (size_t i = 0; i < sizeof piece; i++)
			piece[i] = (char)(in++ % 251);
		CHECK_INT(fakeapi_queue_put(&queue, piece, sizeof piece), BASE_OK);
		const struct base_str waits = fakeapi_queue_peek(&queue);
		const size_t take = waits.len < 6 + (size_t)(turn % 3) ? waits.len
								       : 6 + (size_t)(turn % 3);
		for (size_t i = 0; i < take; i++)
			if ((unsigned char)waits.ptr[i] != out++ % 251)
				CHECK_TRUE(false);
		fakeapi_queue_drop(&queue, take);
		CHECK_SIZE(fakeapi_queue_len(&queue), in - out);
	}
	fakeapi_queue_release(&queue);
}

static void only_what_waits_counts_against_the_bound(void)
{
	struct fakeapi_queue queue;
	char piece[60] = {0};

	fakeapi_queue_init(&queue, NULL, 100);
	CHECK_INT(fakeapi_queue_put(&queue, piece, 60), BASE_OK);
	CHECK_INT(fakeapi_queue_put(&queue, piece, 60), BASE_ELIMIT);
	fakeapi_queue_drop(&queue, 20);
	CHECK_INT(fakeapi_queue_put(&queue, piece, 60), BASE_OK);
	CHECK_SIZE(fakeapi_queue_len(&queue), 100);
	CHECK_INT(fakeapi_queue_put(&queue, piece, 1), BASE_ELIMIT);
	fakeapi_queue_release(&queue);
}

static CU_TestInfo tests[] = {
	{"bytes come out in their order", bytes_come_out_in_their_order},
	{"only what waits counts against the bound", only_what_waits_counts_against_the_bound},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_server_queue_suite;
CU_SuiteInfo fakeapi_server_queue_suite = {.pName = "fakeapi/server/queue", .pTests = tests};
