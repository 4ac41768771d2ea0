#include "sim/executor.h"

static void executor_post(void *self, struct inf_task *task)
{
	struct sim_executor *executor = self;

	if (task->queued)
		return;
	task->queued = true;
	task->next = NULL;
	if (executor->tail != NULL)
		executor->tail->next = task;
	else
		executor->head = task;
	executor->tail = task;
	executor->ready_count++;
}

/* Takes the task behind `before` (NULL: the first) out of the list. */
static struct inf_task *executor_unlink(struct sim_executor *executor, struct inf_task *before)
{
	struct inf_task *task = before != NULL ? before->next : executor->head;

	if (before != NULL)
		before->next = task->next;
	else
		executor->head = task->next;
	if (executor->tail == task)
		executor->tail = before;
	task->next = NULL;
	task->queued = false;
	executor->ready_count--;
	return task;
}

static void executor_revoke(void *self, struct inf_task *task)
{
	struct sim_executor *executor = self;
	struct inf_task *before = NULL;

	if (!task->queued)
		return;
	for (struct inf_task *at = executor->head; at != task; at = at->next)
		before = at;
	executor_unlink(executor, before);
}

void sim_executor_init(struct sim_executor *executor)
{
	memset(executor, 0, sizeof(*executor));
}

void sim_executor_seed(struct sim_executor *executor, uint64_t seed)
{
	executor->seeded = true;
	base_prng_seed(&executor->prng, seed, BASE_STR("executor"));
}

struct inf_executor sim_executor_seam(struct sim_executor *executor)
{
	return (struct inf_executor){
		.self = executor, .post = executor_post, .revoke = executor_revoke};
}

bool sim_executor_step(struct sim_executor *executor)
{
	struct inf_task *before = NULL, *task;

	if (executor->head == NULL)
		return false;
	if (executor->seeded && executor->ready_count > 1) {
		uint64_t skip = base_prng_below(&executor->prng, executor->ready_count);

		for (; skip > 0; skip--)
			before = before != NULL ? before->next : executor->head;
	}
	task = executor_unlink(executor, before);
	executor->run_count++;
	task->run(task);
	return true;
}
