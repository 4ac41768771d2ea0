#include "sim/command/judge_scenario.h"

#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/judge/judge.h"

bool judge_scenario_load(struct judge_scenario *scenario, const char *path)
{
	struct scenario_diagnostics diags;
	struct base_buf text;
	bool loaded;

	*scenario = (struct judge_scenario){.path = path};
	scenario_diagnostics_init(&diags);
	loaded = scenario_load(path, &scenario->scenario, &diags) == BASE_OK;
	if (!loaded) {
		base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
		scenario_diagnostics_print(&diags, &text);
		fputs(text.ptr != NULL ? text.ptr : "", stderr);
		base_buf_release(&text);
	}
	scenario_diagnostics_release(&diags);
	if (!loaded) {
		scenario_free(scenario->scenario);
		return false;
	}
	scenario_expand(scenario->scenario, &scenario->variants);
	base_buf_init(&scenario->source, NULL, BASE_BUF_MAX_DEFAULT);
	(void)command_read_file(path, &scenario->source);
	return true;
}

void judge_scenario_release(struct judge_scenario *scenario)
{
	scenario_variants_release(&scenario->variants);
	scenario_free(scenario->scenario);
	base_buf_release(&scenario->source);
}

const struct scenario_variant *judge_scenario_variant(const struct judge_scenario *scenario,
						      const char *name)
{
	for (size_t i = 0; i < scenario->variants.count; i++)
		if (*name == '\0' || base_str_is(scenario->variants.items[i].name, name))
			return &scenario->variants.items[i];
	command_usage("judge: --scenario %s has no variant [%s], which the history is of",
		      scenario->path, name);
	return NULL;
}

struct base_str judge_scenario_source(const struct judge_scenario *scenario)
{
	return base_buf_peek(&scenario->source);
}

/* ---- One client's requests as those of the scenario's informers ---- */

struct picking {
	const struct scenario_variant *variant;
	struct base_str client;
	struct hist *hist;
	struct base_map informers; /* request → its informer */
};

static bool parameter_is(struct base_str query, const char *name, struct base_str want,
			 struct base_buf *buf)
{
	struct base_str value = {0};

	(void)judge_query(query, name, &value);
	return base_str_eq(judge_decoded(value, buf), want);
}

static const struct scenario_informer *informer_of(const struct picking *picking,
						   const struct hist_record *record)
{
	const struct scenario_informer *found = NULL;
	struct base_buf path, buf;

	base_buf_init(&path, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; found == NULL && i < picking->variant->informer_count; i++) {
		const struct scenario_informer *informer = &picking->variant->informers[i];

		base_buf_clear(&path);
		judge_list_path(&path, informer->resource, informer->namespace_);
		if (base_str_eq(base_buf_peek(&path), record->path) &&
		    parameter_is(record->query, "labelSelector", informer->label_selector, &buf) &&
		    parameter_is(record->query, "fieldSelector", informer->field_selector, &buf))
			found = informer;
	}
	base_buf_release(&path);
	base_buf_release(&buf);
	return found;
}

static void pick(void *self, const struct hist_record *record, size_t line)
{
	struct picking *picking = self;
	const struct base_str key =
		base_str_n((const char *)&record->request, sizeof(record->request));
	struct hist_record copy = *record;
	const struct scenario_informer *informer;

	(void)line;
	if (record->source == HIST_SERVER || record->source == HIST_HARNESS) {
		sim_must(hist_append(picking->hist, &copy));
		return;
	}
	if (!base_str_eq(record->actor, picking->client))
		return;
	if (record->kind == HIST_REQUEST) {
		informer = informer_of(picking, record);
		if (informer != NULL)
			sim_must(base_map_put(&picking->informers, key, (void *)informer, NULL));
	}
	informer = base_map_get(&picking->informers, key);
	if (informer == NULL)
		return;
	copy.actor = informer->name;
	sim_must(hist_append(picking->hist, &copy));
}

/* The line of the scenario and what was expected there stay; the invariants are those of the client. */
static void take_findings(const struct verdict *from, struct verdict *to)
{
	for (size_t i = 0; i < from->finding_count; i++) {
		struct verdict_finding finding = from->findings[i];

		if (finding.line == 0)
			continue;
		finding.record = VERDICT_NO_RECORD;
		verdict_add(to, &finding);
	}
	to->expectation_count += from->expectation_count;
}

void judge_scenario_requests(const struct judge_scenario *scenario, const struct history_file *file,
			     struct base_str client, uint64_t slack_ns, struct verdict *verdict)
{
	struct picking picking = {.variant = judge_scenario_variant(scenario, file->variant),
				  .client = client,
				  .hist = hist_new(NULL)};
	struct history_file again;
	struct verdict own;

	if (picking.hist == NULL)
		sim_fatal("out of memory");
	base_map_init(&picking.informers, NULL);
	verdict_init(&own, NULL);
	if (picking.variant != NULL &&
	    history_read(&again, file->path, pick, &picking) == COMMAND_HELD) {
		/* That the server was killed is said, and no reason to judge nothing. */
		if (!file->finished)
			sim_must(hist_append(picking.hist,
					     &(struct hist_record){.source = HIST_HARNESS,
								   .kind = HIST_FINISH,
								   .t_ns = file->end_ns}));
		judge_run_requests(picking.variant, picking.hist, slack_ns, &own);
		take_findings(&own, verdict);
	}
	verdict_release(&own);
	base_map_release(&picking.informers);
	hist_free(picking.hist);
}
