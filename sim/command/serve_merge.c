#include "sim/command/serve_merge.h"

#include <stdlib.h>

#include "sim/fatal.h"

static void *keep(struct serve_merge *merge, void *block)
{
	if (merge->block_count == sizeof(merge->blocks) / sizeof(*merge->blocks))
		sim_fatal("too many scenarios");
	merge->blocks[merge->block_count++] = block;
	return block;
}

static bool is_same_object(const struct scenario_object *a, const struct scenario_object *b)
{
	return base_str_eq(a->ref.key, b->ref.key) &&
	       strcmp(a->ref.resource->plural, b->ref.resource->plural) == 0 &&
	       strcmp(a->ref.resource->group, b->ref.resource->group) == 0;
}

static void merge_objects(struct serve_merge *merge, struct scenario *const *scenarios,
			  size_t count)
{
	struct scenario_object *objects;
	size_t all = 0, used = 0;

	for (size_t i = 0; i < count; i++)
		all += scenarios[i]->object_count;
	objects = keep(merge, sim_calloc(all, sizeof(*objects)));
	for (size_t i = 0; i < count; i++) {
		const size_t others = used;

		for (size_t k = 0; k < scenarios[i]->object_count; k++) {
			bool known = false;

			for (size_t o = 0; o < others && !known; o++)
				known = is_same_object(&objects[o], &scenarios[i]->objects[k]);
			if (!known)
				objects[used++] = scenarios[i]->objects[k];
		}
	}
	merge->scenario.objects = objects;
	merge->scenario.object_count = used;
}

static void merge_customs(struct serve_merge *merge, struct scenario *const *scenarios,
			  size_t count)
{
	struct fakeapi_custom *customs;
	size_t all = 0, used = 0;

	for (size_t i = 0; i < count; i++)
		all += scenarios[i]->custom_count;
	customs = keep(merge, sim_calloc(all, sizeof(*customs)));
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < scenarios[i]->custom_count; k++) {
			const struct fakeapi_custom *custom = &scenarios[i]->customs[k];
			bool known = false;

			for (size_t o = 0; o < used; o++)
				known = known || (base_str_eq(customs[o].plural, custom->plural) &&
						  base_str_eq(customs[o].group, custom->group));
			if (!known)
				customs[used++] = *custom;
		}
	merge->scenario.customs = customs;
	merge->scenario.custom_count = used;
}

static bool is_of_informers(const struct scenario_action *action)
{
	return action->verb == SCENARIO_START || action->verb == SCENARIO_STOP ||
	       action->verb == SCENARIO_ADD_HANDLER || action->verb == SCENARIO_REMOVE_HANDLER ||
	       action->verb == SCENARIO_ROUTE;
}

/* The actions that are not of informers, in a block of its own at `to`. */
static size_t copy_actions(struct scenario_action *to, const struct scenario_action *from,
			   size_t count)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (!is_of_informers(&from[i]))
			to[used++] = from[i];
	return used;
}

static void merge_steps(struct serve_merge *merge, struct scenario *const *scenarios, size_t count)
{
	struct scenario_action *actions;
	struct scenario_step *steps;
	size_t step_count = 0, action_count = 0, used = 0;

	for (size_t i = 0; i < count; i++) {
		step_count += scenarios[i]->step_count;
		for (size_t k = 0; k < scenarios[i]->step_count; k++)
			action_count += scenarios[i]->steps[k].action_count +
					scenarios[i]->steps[k].meanwhile_count;
	}
	steps = keep(merge, sim_calloc(step_count, sizeof(*steps)));
	actions = keep(merge, sim_calloc(action_count, sizeof(*actions)));
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < scenarios[i]->step_count; k++) {
			struct scenario_step *step = &steps[used++];

			*step = scenarios[i]->steps[k];
			step->action_count =
				copy_actions(actions, step->actions, step->action_count);
			step->actions = actions;
			actions += step->action_count;
			step->meanwhile_count =
				copy_actions(actions, step->meanwhile, step->meanwhile_count);
			step->meanwhile = actions;
			actions += step->meanwhile_count;
		}
	merge->scenario.steps = steps;
	merge->scenario.step_count = step_count;
}

static void merge_title(struct serve_merge *merge, struct scenario *const *scenarios, size_t count)
{
	struct base_buf title;

	base_buf_init(&title, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < count; i++)
		sim_must(base_buf_printf(&title, "%s%.*s", i > 0 ? "; " : "",
					 BASE_STR_ARG(scenarios[i]->title)));
	merge->scenario.title = base_str(keep(merge, sim_strdup(base_buf_peek(&title))));
	base_buf_release(&title);
}

void serve_merge_init(struct serve_merge *merge, struct scenario *const *scenarios, size_t count)
{
	memset(merge, 0, sizeof(*merge));
	merge->scenario = *scenarios[0];
	merge_title(merge, scenarios, count);
	merge_customs(merge, scenarios, count);
	merge_objects(merge, scenarios, count);
	merge_steps(merge, scenarios, count);
	for (size_t i = 0; i < count; i++)
		if (scenarios[i]->end_ns > merge->scenario.end_ns)
			merge->scenario.end_ns = scenarios[i]->end_ns;
}

void serve_merge_release(struct serve_merge *merge)
{
	for (size_t i = 0; i < merge->block_count; i++)
		free(merge->blocks[i]);
	merge->block_count = 0;
}
