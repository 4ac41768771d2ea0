/* A history without its scenario: what there is to know of its informers comes from the history itself. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/judge/judge.h"

bool judge_is_about_requests(const char *id)
{
	static const char *const ids[] = {"I2", "I9", "I11", "I16", "I19"};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		if (strcmp(ids[i], id) == 0)
			return true;
	return false;
}

/* ---- Informers, as their requests and calls show them ---- */

struct found {
	struct fakeapi_resource type;
	char *name, *resource, *plural, *group, *namespace_, *labels, *fields;
	struct judge_handler_spec *handlers;
	size_t handler_count;
	bool started;
};

struct all_found {
	struct found *items;
	size_t count;
	bool of_scenario;
	bool cut; /* it begins in the middle of a soak */
};

static struct found *found_of(struct all_found *all, struct base_str name)
{
	for (size_t i = 0; i < all->count; i++)
		if (base_str_is(name, all->items[i].name))
			return &all->items[i];
	all->items = sim_realloc(all->items, (all->count + 1) * sizeof(*all->items));
	all->items[all->count] = (struct found){.name = sim_strdup(name)};
	return &all->items[all->count++];
}

static char *parameter(const struct hist_record *record, const char *name)
{
	struct base_str value;
	struct base_buf buf;
	char *copy;

	if (!judge_query(record->query, name, &value))
		return NULL;
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	copy = sim_strdup(judge_decoded(value, &buf));
	base_buf_release(&buf);
	return copy;
}

static void learn_request(struct found *found, const struct hist_record *record)
{
	struct base_str namespace_;
	struct base_buf name;

	base_buf_init(&name, NULL, BASE_BUF_MAX_DEFAULT);
	if (judge_is_collection(record->path, &name, &namespace_)) {
		struct base_str plural;
		bool found_dot;
		const struct base_str group =
			base_str_cut(base_buf_peek(&name), '.', &plural, &found_dot);

		found->resource = sim_strdup(base_buf_peek(&name));
		found->plural = sim_strdup(plural);
		found->group = sim_strdup(group);
		found->namespace_ = sim_strdup(namespace_);
		found->labels = parameter(record, "labelSelector");
		found->fields = parameter(record, "fieldSelector");
		found->type = (struct fakeapi_resource){
			.group = found->group, .plural = found->plural, .kind = "", .version = ""};
	}
	base_buf_release(&name);
}

static struct judge_handler_spec *handler_of(struct found *found, struct base_str name)
{
	for (size_t i = 0; i < found->handler_count; i++)
		if (base_str_eq(found->handlers[i].name, name))
			return &found->handlers[i];
	found->handlers =
		sim_realloc(found->handlers, (found->handler_count + 1) * sizeof(*found->handlers));
	found->handlers[found->handler_count] =
		(struct judge_handler_spec){.name = name, .from_start = !found->started};
	return &found->handlers[found->handler_count++];
}

static void learn(struct all_found *all, const struct hist_record *record)
{
	struct found *found;

	if (record->kind == HIST_BEGIN) {
		all->of_scenario = record->reason.len == 0;
		all->cut = all->cut || base_str_is(record->reason, "soak-cut");
	}
	if (record->source != HIST_CLIENT)
		return;
	found = found_of(all, record->actor);
	if (record->kind == HIST_REQUEST && found->resource == NULL)
		learn_request(found, record);
	if (record->kind == HIST_HANDLER && base_str_is(record->reason, "added"))
		(void)handler_of(found, record->handler);
	if (record->kind == HIST_DONE)
		handler_of(found, record->handler)->slow_ns = 1;
	found->started = found->started || record->kind == HIST_REQUEST;
}

static void release(struct all_found *all)
{
	for (size_t i = 0; i < all->count; i++) {
		free(all->items[i].name);
		free(all->items[i].resource);
		free(all->items[i].plural);
		free(all->items[i].group);
		free(all->items[i].namespace_);
		free(all->items[i].labels);
		free(all->items[i].fields);
		free(all->items[i].handlers);
	}
	free(all->items);
}

/* ---- Judging ---- */

static struct base_str text_or_nothing(const char *text)
{
	return text != NULL ? base_str(text) : BASE_STR("");
}

static struct judge_informer_spec *specs_of(const struct all_found *all)
{
	struct judge_informer_spec *specs = sim_calloc(all->count + 1, sizeof(*specs));

	for (size_t i = 0; i < all->count; i++) {
		const struct found *found = &all->items[i];

		specs[i] = (struct judge_informer_spec){
			.name = base_str(found->name),
			.resource = text_or_nothing(found->resource),
			.type = &found->type,
			.namespace_ = text_or_nothing(found->namespace_),
			.label_selector = text_or_nothing(found->labels),
			.field_selector = text_or_nothing(found->fields),
			.handlers = found->handlers,
			.handler_count = found->handler_count};
	}
	return specs;
}

static const char *needs_the_scenario(const struct judge *judge, const char *id)
{
	static const char *const ids[] = {"I7", "I13", "I14", "I21", "I24"};

	(void)judge;
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		if (strcmp(ids[i], id) == 0)
			return "the scenario (--scenario FILE): transforms, slow handlers, resync periods";
	return NULL;
}

static const char *needs_the_beginning(const struct judge *judge, const char *id)
{
	(void)judge;
	return strcmp(id, "I9") == 0 || strcmp(id, "I16") == 0
		       ? NULL
		       : "the older part, which the journal has dropped";
}

void judge_history(const struct hist *hist, struct verdict *verdict)
{
	struct judge judge = {.hist = hist, .verdict = verdict};
	struct judge_informer_spec *specs;
	struct all_found all = {0};

	for (size_t i = 0; i < hist_count(hist); i++)
		learn(&all, hist_at(hist, i));
	if (all.of_scenario)
		judge.not_judged = needs_the_scenario;
	if (all.cut)
		judge.not_judged = needs_the_beginning;
	specs = specs_of(&all);
	judge_facts_init(&judge.facts, hist, specs, all.count);
	verdict->digest = hist_digest(hist);
	judge_all_invariants(&judge);
	judge_facts_release(&judge.facts);
	free(specs);
	release(&all);
}
