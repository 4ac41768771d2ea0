/* A scenario times its dimensions. */
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/scenario/arena.h"
#include "sim/scenario/scenario.h"

#define DIM_WORD(id, word) word,

static const char *const words[] = {SCENARIO_DIMENSIONS(DIM_WORD)};

static void apply(struct scenario_variant *variant, struct scenario_informer *informers,
		  enum scenario_dimension_kind kind, const struct scenario_dimension_value *value)
{
	if (kind == SCENARIO_DIM_VERSION)
		variant->version = value->text;
	for (size_t i = 0; i < variant->informer_count; i++) {
		switch (kind) {
		case SCENARIO_DIM_WATCH_LIST:
			informers[i].gates[SUBJECT_GATE_WATCH_LIST_CLIENT] = value->on;
			break;
		case SCENARIO_DIM_GATES:
			for (size_t gate = 0; gate < SUBJECT_GATE_COUNT; gate++) {
				if (value->gates[gate] >= 0)
					informers[i].gates[gate] = value->gates[gate] != 0;
			}
			break;
		case SCENARIO_DIM_PAGE_SIZE: informers[i].page_size = value->number; break;
		case SCENARIO_DIM_FLAVOUR:
			informers[i].flavour = (enum subject_flavour)value->number;
			break;
		case SCENARIO_DIM_VERSION:
		case SCENARIO_DIM_COUNT: break;
		}
	}
}

static void make(struct scenario_arena *arena, const struct scenario *scenario, size_t number,
		 struct scenario_variant *variant)
{
	size_t *choice =
		scenario_arena_get(arena, (scenario->dimension_count + 1) * sizeof(*choice));
	struct scenario_informer *informers =
		scenario_arena_get(arena, (scenario->informer_count + 1) * sizeof(*informers));
	struct base_str name = BASE_STR("");
	for (size_t i = scenario->dimension_count; i-- > 0;) {
		choice[i] = number % scenario->dimensions[i].value_count;
		number /= scenario->dimensions[i].value_count;
	}
	if (scenario->informer_count > 0)
		memcpy(informers, scenario->informers,
		       scenario->informer_count * sizeof(*informers));
	*variant = (struct scenario_variant){
		.scenario = scenario,
		.choice = choice,
		.version = scenario->server.version,
		.informers = informers,
		.informer_count = scenario->informer_count,
	};
	for (size_t i = 0; i < scenario->dimension_count; i++) {
		const struct scenario_dimension *dim = &scenario->dimensions[i];
		const struct scenario_dimension_value *value = &dim->values[choice[i]];
		apply(variant, informers, dim->kind, value);
		name = scenario_arena_text(arena, "%.*s%s%s=%s", BASE_STR_ARG(name),
					   i > 0 ? "," : "", words[dim->kind], value->text.ptr);
	}
	variant->name = name;
}

void scenario_expand(const struct scenario *scenario, struct scenario_variants *variants)
{
	struct scenario_arena *arena = sim_calloc(1, sizeof(*arena));
	size_t count = 1;
	for (size_t i = 0; i < scenario->dimension_count; i++)
		count *= scenario->dimensions[i].value_count;
	struct scenario_variant *items = scenario_arena_get(arena, count * sizeof(*items));
	for (size_t i = 0; i < count; i++)
		make(arena, scenario, i, &items[i]);
	*variants = (struct scenario_variants){.items = items, .count = count, .private_ = arena};
}

void scenario_variants_release(struct scenario_variants *variants)
{
	if (variants->private_ != NULL)
		scenario_arena_release(variants->private_);
	free(variants->private_);
	*variants = (struct scenario_variants){0};
}

bool scenario_applies(const struct scenario_variant *variant, struct scenario_when when)
{
	return when.dimension == SCENARIO_NONE || variant->choice[when.dimension] == when.value;
}
