#include "sim/history/verdict.h"

#include <assert.h>

void verdict_init(struct verdict *verdict, const struct base_alloc *alloc)
{
	*verdict = (struct verdict){.alloc = alloc, .result = VERDICT_PASSED};
}

void verdict_release(struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->block_count; i++)
		base_free(verdict->alloc, verdict->blocks[i]);
	base_free(verdict->alloc, verdict->blocks);
	base_free(verdict->alloc, verdict->findings);
	base_free(verdict->alloc, verdict->invariants);
	base_free(verdict->alloc, verdict->effects);
	verdict_init(verdict, verdict->alloc);
}

/* Room for one more element; NULL (and failed_alloc) without memory. */
static void *grown(struct verdict *verdict, void *array, size_t count, size_t *cap, size_t size)
{
	if (count < *cap)
		return array;
	size_t more = *cap == 0 ? 8 : *cap * 2;
	void *block = base_realloc(verdict->alloc, array, more * size);
	if (block == NULL) {
		verdict->failed_alloc = true;
		verdict->result = VERDICT_VOID;
		return NULL;
	}
	*cap = more;
	return block;
}

static struct base_str keep(struct verdict *verdict, struct base_str s)
{
	if (s.len == 0)
		return (struct base_str){.ptr = "", .len = 0};
	void **blocks = grown(verdict, verdict->blocks, verdict->block_count, &verdict->block_cap,
			      sizeof(*blocks));
	if (blocks == NULL)
		return (struct base_str){.ptr = "", .len = 0};
	verdict->blocks = blocks;
	char *copy = base_strndup(verdict->alloc, s.ptr, s.len);
	if (copy == NULL) {
		verdict->failed_alloc = true;
		verdict->result = VERDICT_VOID;
		return (struct base_str){.ptr = "", .len = 0};
	}
	blocks[verdict->block_count++] = copy;
	return base_str_n(copy, s.len);
}

static void worsen(struct verdict *verdict, enum verdict_result weight)
{
	if (weight == VERDICT_FAILED || verdict->result == VERDICT_PASSED)
		verdict->result = weight;
}

void verdict_add(struct verdict *verdict, const struct verdict_finding *finding)
{
	assert(finding->weight != VERDICT_PASSED);
	worsen(verdict, finding->weight);
	struct verdict_finding *findings = grown(verdict, verdict->findings, verdict->finding_count,
						 &verdict->finding_cap, sizeof(*findings));
	if (findings == NULL)
		return;
	verdict->findings = findings;
	struct verdict_finding copy = *finding;
	copy.rule = keep(verdict, finding->rule);
	copy.guarantee = keep(verdict, finding->guarantee);
	copy.file = keep(verdict, finding->file);
	copy.expected = keep(verdict, finding->expected);
	copy.actual = keep(verdict, finding->actual);
	copy.text = keep(verdict, finding->text);
	findings[verdict->finding_count++] = copy;
}

void verdict_add_invariant(struct verdict *verdict, const struct verdict_invariant *invariant)
{
	struct verdict_invariant *invariants = grown(verdict, verdict->invariants,
						     verdict->invariant_count,
						     &verdict->invariant_cap, sizeof(*invariants));
	if (invariants == NULL)
		return;
	verdict->invariants = invariants;
	struct verdict_invariant copy = *invariant;
	copy.why = keep(verdict, invariant->why);
	invariants[verdict->invariant_count++] = copy;
}

void verdict_add_effect(struct verdict *verdict, struct base_str fault, struct base_str kind,
			uint64_t count)
{
	struct verdict_effect *effects = grown(verdict, verdict->effects, verdict->effect_count,
					       &verdict->effect_cap, sizeof(*effects));
	if (effects == NULL)
		return;
	verdict->effects = effects;
	struct verdict_effect effect = {
		.fault = keep(verdict, fault), .kind = keep(verdict, kind), .count = count};
	effects[verdict->effect_count++] = effect;
}

static const char *const result_words[] = {
	[VERDICT_PASSED] = "passed",
	[VERDICT_FAILED] = "failed",
	[VERDICT_VOID] = "void",
};

const char *verdict_result_word(enum verdict_result result)
{
	return result_words[result];
}

bool verdict_result_find(struct base_str word, enum verdict_result *result)
{
	for (size_t i = 0; i < sizeof(result_words) / sizeof(*result_words); i++) {
		if (base_str_is(word, result_words[i])) {
			*result = (enum verdict_result)i;
			return true;
		}
	}
	return false;
}

const char *verdict_blame_word(enum verdict_blame blame)
{
#define VERDICT_BLAME_WORD(id, word) [id] = word,
	static const char *const words[] = {VERDICT_BLAMES(VERDICT_BLAME_WORD)};
#undef VERDICT_BLAME_WORD
	return words[blame];
}

const char *verdict_state_word(enum verdict_state state)
{
	static const char *const words[] = {
		[VERDICT_HELD] = "held",
		[VERDICT_BROKEN] = "broken",
		[VERDICT_BROKE_AS_SAID] = "broke as said",
		[VERDICT_NOT_JUDGED] = "not judged",
	};
	return words[state];
}
