#include "sim/executor.h"

#include "ci/unit/assert.h"

struct job {
	struct inf_task task;
	char name;
};

static char ran[64];
static size_t ran_len;

static void on_run(struct inf_task *task)
{
	const struct job *job = task->owner;

	ran[ran_len++] = job->name;
	ran[ran_len] = '\0';
}

static void post_all(struct sim_executor *executor, struct job *jobs, size_t count)
{
	const struct inf_executor seam = sim_executor_seam(executor);

	ran_len = 0;
	ran[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		jobs[i] = (struct job){.name = (char)('a' + (char)i)};
		jobs[i].task.run = on_run;
		jobs[i].task.owner = &jobs[i];
		seam.post(seam.self, &jobs[i].task);
	}
}

static void run_all(struct sim_executor *executor)
{
	while (sim_executor_step(executor))
		;
}

static void first_come_first_served(void)
{
	struct sim_executor executor;
	struct job jobs[4];

	sim_executor_init(&executor);
	post_all(&executor, jobs, 4);
	sim_executor_seam(&executor).post(&executor, &jobs[0].task);
	CHECK_SIZE(executor.ready_count, 4);
	run_all(&executor);
	CHECK_TEXT(ran, "abcd");
	CHECK_FALSE(sim_executor_step(&executor));
}

static void revoked_tasks_do_not_run(void)
{
	static const struct {
		const char *name;
		size_t revoke;
		const char *want;
	} rows[] = {{"first", 0, "bc"}, {"middle", 1, "ac"}, {"last", 2, "ab"}};

	for (size_t i = 0; i < 3; i++) {
		struct sim_executor executor;
		struct job jobs[3];

		CHECK_ROW("%s", rows[i].name);
		sim_executor_init(&executor);
		post_all(&executor, jobs, 3);
		sim_executor_seam(&executor).revoke(&executor, &jobs[rows[i].revoke].task);
		sim_executor_seam(&executor).revoke(&executor, &jobs[rows[i].revoke].task);
		run_all(&executor);
		CHECK_TEXT(ran, rows[i].want);
	}
}

static void a_revoked_last_task_leaves_the_list_usable(void)
{
	struct sim_executor executor;
	struct job jobs[2];

	sim_executor_init(&executor);
	post_all(&executor, jobs, 2);
	sim_executor_seam(&executor).revoke(&executor, &jobs[1].task);
	sim_executor_seam(&executor).post(&executor, &jobs[1].task);
	run_all(&executor);
	CHECK_TEXT(ran, "ab");
}

static void the_seed_decides_the_order(void)
{
	char orders[20][16];
	size_t different = 0;

	for (uint64_t seed = 0; seed < 20; seed++) {
		struct sim_executor executor;
		struct job jobs[8];

		for (int twice = 0; twice < 2; twice++) {
			sim_executor_init(&executor);
			sim_executor_seed(&executor, seed);
			post_all(&executor, jobs, 8);
			run_all(&executor);
			CHECK_SIZE(ran_len, 8);
			if (twice == 0)
				memcpy(orders[seed], ran, 9);
			else
				CHECK_TEXT(ran, orders[seed]);
		}
		different += seed > 0 && strcmp(orders[seed], orders[0]) != 0;
	}
	CHECK_TRUE(different > 15);
}

static CU_TestInfo tests[] = {
	{"first come first served", first_come_first_served},
	{"revoked tasks do not run", revoked_tasks_do_not_run},
	{"a revoked last task leaves the list usable", a_revoked_last_task_leaves_the_list_usable},
	{"the seed decides the order", the_seed_decides_the_order},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_executor_suite;
CU_SuiteInfo sim_executor_suite = {.pName = "sim/executor", .pTests = tests};
