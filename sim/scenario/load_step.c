/* Steps: when, what, how often; and the windows they open. */
#include "sim/scenario/loader.h"

void scenario_step_window(const struct scenario *scenario, size_t step, uint64_t *from_ns,
			  uint64_t *to_ns)
{
	*from_ns = scenario->steps[step].at_ns;
	*to_ns = step + 1 < scenario->step_count ? scenario->steps[step + 1].at_ns
						 : scenario->end_ns;
}

static uint64_t last_repeat(const struct scenario_step *step)
{
	return step->at_ns + (step->repeat_times - 1) * step->repeat_every_ns;
}

static void load_time(struct scenario_loader *l, const struct scenario_node *node,
		      const struct scenario_step *before, struct scenario_step *step)
{
	uint64_t at_ns = 0;
	const struct scenario_node *at = scenario_node_get(node, "at");
	const struct scenario_node *after = scenario_node_get(node, "after");
	uint64_t before_ns = before != NULL ? before->at_ns : 0;
	step->at_ns = before_ns;
	if (at != NULL && after != NULL)
		scenario_error(&l->reader, after->pos, after->width,
			       BASE_STR("keep one of the two"),
			       "a step has `at` or `after`, not both");
	if (scenario_get_duration(node, "after", &at_ns))
		step->at_ns = before_ns + at_ns;
	if (scenario_get_duration(node, "at", &at_ns))
		step->at_ns = at_ns;
	if (step->at_ns < before_ns)
		scenario_error(&l->reader, at->pos, at->width,
			       scenario_arena_text(&l->arena,
						   "the step before, on line %u, is later",
						   before->pos.line),
			       "time runs backwards");
	else if (before != NULL && last_repeat(before) > step->at_ns)
		scenario_error(
			&l->reader,
			(at != NULL      ? at
			 : after != NULL ? after
					 : node)
				->pos,
			1,
			scenario_arena_text(&l->arena, "the step on line %u repeats until %llu ms",
					    before->pos.line,
					    (unsigned long long)(last_repeat(before) / 1000000)),
			"the step before still repeats");
}

static void load_repeat(struct scenario_loader *l, const struct scenario_node *node,
			struct scenario_step *step)
{
	const struct scenario_node *repeat = scenario_node_get(node, "repeat");
	step->repeat_times = 1;
	if (repeat == NULL)
		return;
	scenario_get_u64(repeat, "times", &step->repeat_times);
	scenario_get_duration(repeat, "every", &step->repeat_every_ns);
	if (step->repeat_times == 0) {
		scenario_error(&l->reader, repeat->pos, 1, BASE_STR("times: 1 or more"),
			       "a step that happens 0 times");
		step->repeat_times = 1;
	}
}

static void load_list(struct scenario_loader *l, const struct scenario_node *list,
		      struct scenario_vec *actions)
{
	for (size_t i = 0; list != NULL && list->kind == SCENARIO_SEQUENCE && i < list->count;
	     i++) {
		size_t before = actions->count;
		scenario_load_actions(l, list->items[i], actions);
		if (before == actions->count && list->items[i]->kind == SCENARIO_MAPPING &&
		    list->items[i]->count == 0)
			scenario_error(&l->reader, list->items[i]->pos, 1,
				       BASE_STR("delete: pods/default/a"),
				       "an action without a verb");
	}
}

static bool says_something(const struct scenario_node *node)
{
	for (size_t i = 0; i < node->count; i++) {
		if (scenario_key_find(SCENARIO_SEC_ACTION, node->keys[i]->text) != NULL)
			return true;
	}
	return scenario_node_get(node, "expect") != NULL ||
	       scenario_node_get(node, "actions") != NULL ||
	       scenario_node_get(node, "meanwhile") != NULL;
}

static void load_step(struct scenario_loader *l, const struct scenario_node *node)
{
	struct scenario_vec actions = {0}, meanwhile = {0};
	struct scenario_step step = {.pos = node->pos};
	const struct scenario_step *before =
		l->steps.count > 0
			? SCENARIO_AT(&l->steps, struct scenario_step, l->steps.count - 1)
			: NULL;
	if (node->kind != SCENARIO_MAPPING)
		return;
	load_time(l, node, before, &step);
	scenario_get_text(node, "note", &step.note);
	load_repeat(l, node, &step);
	scenario_load_actions(l, node, &actions);
	load_list(l, scenario_node_get(node, "actions"), &actions);
	load_list(l, scenario_node_get(node, "meanwhile"), &meanwhile);
	scenario_load_expect(l, scenario_node_get(node, "expect"), &step.expect);
	if (!says_something(node))
		scenario_error(&l->reader, node->pos, 1,
			       BASE_STR("a verb (create, fault, …) or expect"),
			       "a step that does nothing and expects nothing");
	step.actions = actions.items;
	step.action_count = actions.count;
	step.meanwhile = meanwhile.items;
	step.meanwhile_count = meanwhile.count;
	*SCENARIO_PUSH(&l->arena, &l->steps, struct scenario_step) = step;
}

static void check_window(struct scenario_loader *l, struct scenario_pos pos,
			 struct scenario_window window, uint64_t end_ns)
{
	if (window.from_ns >= end_ns)
		scenario_error(&l->reader, pos, 1,
			       scenario_arena_text(&l->arena,
						   "the step's window ends after %llu ms",
						   (unsigned long long)(end_ns / 1000000)),
			       "this time lies behind the step's window, so this can never fire");
}

/* Single things with a time of their own; end_ns: of the step's window, from its start. */
static void check_item_windows(struct scenario_loader *l, const struct scenario_expect *expect,
			       uint64_t end_ns)
{
	for (size_t i = 0; i < expect->requests_count; i++)
		for (size_t k = 0; k < expect->requests[i].item_count; k++)
			if (expect->requests[i].items[k].has_window)
				check_window(l, expect->requests[i].items[k].pos,
					     expect->requests[i].items[k].window, end_ns);
	for (size_t i = 0; i < expect->calls_count; i++)
		for (size_t k = 0; k < expect->calls[i].item_count; k++)
			if (expect->calls[i].items[k].has_window)
				check_window(l, expect->calls[i].items[k].pos,
					     expect->calls[i].items[k].window, end_ns);
	for (size_t i = 0; i < expect->synced_count; i++)
		if (expect->synced[i].has_window)
			check_window(l, expect->synced[i].pos, expect->synced[i].window, end_ns);
}

static void check_nothing(struct scenario_loader *l, const struct scenario_nothing *nothing,
			  uint64_t len_ns)
{
	if (nothing->until_ns != SCENARIO_NEVER && nothing->until_ns > len_ns)
		scenario_error(&l->reader, nothing->pos, 1,
			       scenario_arena_text(&l->arena, "the next step is %llu ms later",
						   (unsigned long long)(len_ns / 1000000)),
			       "`nothing` reaches past the next step");
}

/* What only the next step's time can tell. */
static void check_windows(struct scenario_loader *l)
{
	struct scenario *s = l->scenario;
	for (size_t i = 0; i + 1 < s->step_count; i++) {
		const struct scenario_expect *expect = &s->steps[i].expect;
		uint64_t len = s->steps[i + 1].at_ns - s->steps[i].at_ns;
		if (expect->pos.line == 0)
			continue;
		if (len == 0)
			scenario_error(
				&l->reader, expect->pos, 1,
				BASE_STR("put the expectations into the last step of that time"),
				"the next step is at the same time, so this can never fire");
		else if (expect->has_within && expect->within.to_ns != SCENARIO_NEVER &&
			 expect->within.to_ns > len)
			scenario_error(&l->reader, expect->pos, 1,
				       scenario_arena_text(&l->arena,
							   "the next step is %llu ms later",
							   (unsigned long long)(len / 1000000)),
				       "the window reaches past the next step");
		else if (expect->has_within && expect->within.from_ns >= len)
			scenario_error(
				&l->reader, expect->pos, 1, BASE_STR(""),
				"the window begins after the next step, so this can never fire");
		else
			check_item_windows(l, expect,
					   expect->has_within && expect->within.to_ns < len
						   ? expect->within.to_ns + 1
						   : len);
		for (size_t n = 0; n < expect->nothing_count; n++)
			check_nothing(l, &expect->nothings[n], len);
	}
}

void scenario_load_steps(struct scenario_loader *l, const struct scenario_node *steps)
{
	struct scenario *s = l->scenario;
	for (size_t i = 0; steps != NULL && steps->kind == SCENARIO_SEQUENCE && i < steps->count;
	     i++)
		load_step(l, steps->items[i]);
	s->steps = l->steps.items;
	s->step_count = l->steps.count;
	if (steps != NULL && steps->kind == SCENARIO_SEQUENCE && steps->count == 0)
		scenario_error(&l->reader, steps->pos, 1, BASE_STR("- at: 0s"),
			       "there are no steps");
	if (s->step_count == 0)
		return;
	check_windows(l);
	const struct scenario_step *last = &s->steps[s->step_count - 1];
	s->end_ns = last_repeat(last);
	uint64_t reach = 0;
	if (last->expect.has_within && last->expect.within.to_ns != SCENARIO_NEVER)
		reach = last->expect.within.to_ns;
	for (size_t i = 0; i < last->expect.nothing_count; i++) {
		uint64_t until_ns = last->expect.nothings[i].until_ns;
		if (until_ns != SCENARIO_NEVER && until_ns > reach)
			reach = until_ns;
	}
	if (last->at_ns + reach > s->end_ns)
		s->end_ns = last->at_ns + reach;
}
