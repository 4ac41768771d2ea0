/* What is legal but surely not meant: warnings of `relist lint`. */
#include "sim/scenario/loader.h"

#define TITLE_COLUMNS 100

static void lint_title(struct scenario_loader *l)
{
	const struct scenario *s = l->scenario;
	if (s->title.len > TITLE_COLUMNS)
		scenario_warning(&l->reader, s->title_pos, 1,
				 BASE_STR("longer things go into `note:`"),
				 "the title has more than %d bytes", TITLE_COLUMNS);
	if (base_str_ends(s->title, BASE_STR(".")))
		scenario_warning(&l->reader, s->title_pos, 1, BASE_STR("leave it out"),
				 "the title ends with a full stop");
	if (s->cover_count == 0)
		scenario_warning(&l->reader, s->title_pos, 1,
				 BASE_STR("covers: [R-6, K02]: rules, catalogue cases, reports"),
				 "`covers` does not say what this is about");
}

static void lint_informers(struct scenario_loader *l)
{
	for (size_t i = 0; i < l->informers.count; i++) {
		const struct scenario_informer_build *build = LOADER_INFORMER(l, i);
		if (build->life == SCENARIO_NEW)
			scenario_warning(&l->reader, build->informer.pos, 1,
					 scenario_arena_text(&l->arena, "start: %s",
							     build->informer.name.ptr),
					 "%s is never started", build->informer.name.ptr);
	}
}

static bool expects_something(const struct scenario_expect *e)
{
	return e->requests_count + e->calls_count + e->synced_count + e->cache_count + e->rv_count +
			       e->errors_count + e->stopped_count >
		       0 ||
	       e->nothing_count > 0;
}

static bool has_when(const struct scenario_expect *e, const struct scenario_requests *like,
		     size_t value)
{
	for (size_t i = 0; i < e->requests_count; i++) {
		const struct scenario_requests *r = &e->requests[i];
		bool same = r->informer == like->informer && r->pos.line == like->pos.line &&
			    r->pos.column == like->pos.column;
		if (same && r->when.dimension == like->when.dimension && r->when.value == value)
			return true;
	}
	return false;
}

/* `requests: {watchList=on: …}` and not a word on the other values. */
static void lint_conditions(struct scenario_loader *l, const struct scenario_expect *e)
{
	const struct scenario_requests *last = NULL;
	for (size_t i = 0; i < e->requests_count; i++) {
		const struct scenario_requests *r = &e->requests[i];
		if (r->when.dimension == SCENARIO_NONE ||
		    (last != NULL && last->pos.line == r->pos.line &&
		     last->pos.column == r->pos.column))
			continue;
		last = r;
		const struct scenario_dimension *dim = &l->scenario->dimensions[r->when.dimension];
		for (size_t value = 0; value < dim->value_count; value++) {
			if (!has_when(e, r, value))
				scenario_warning(&l->reader, r->pos, 1,
						 BASE_STR("say it for every value"),
						 "nothing is expected for the value %s",
						 dim->values[value].text.ptr);
		}
	}
}

void scenario_lint_loaded(struct scenario_loader *l)
{
	const struct scenario *s = l->scenario;
	bool any = expects_something(&s->finally);
	lint_title(l);
	lint_informers(l);
	for (size_t i = 0; i < s->step_count; i++) {
		const struct scenario_expect *e = &s->steps[i].expect;
		any = any || expects_something(e);
		lint_conditions(l, e);
		if (e->pos.line != 0 && !expects_something(e))
			scenario_warning(&l->reader, e->pos, 1,
					 BASE_STR("requests, a handler, synced, …"),
					 "this expects nothing");
	}
	if (!any)
		scenario_warning(&l->reader, s->title_pos, 1,
				 BASE_STR("finally: {cache: equals cluster}"),
				 "nothing is expected anywhere: only the invariants judge this");
}
