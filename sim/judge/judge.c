#include "sim/judge/judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/fatal.h"

uint64_t judge_plus(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

bool judge_in_time(const struct judge_span *span, bool has_window,
		   const struct scenario_window *window, uint64_t t_ns)
{
	if (!has_window)
		return t_ns >= span->from_ns && t_ns <= span->to_ns;
	return t_ns >= judge_plus(span->step_ns, window->from_ns) &&
	       t_ns <= judge_plus(judge_plus(span->step_ns, window->to_ns), span->slack_ns);
}

void judge_time_text(struct base_buf *out, uint64_t t_ns)
{
	char digits[32];
	uint64_t rest = t_ns % 1000000000ULL;
	int len = snprintf(digits, sizeof(digits), "%09llu", (unsigned long long)rest);
	while (len > 0 && digits[len - 1] == '0')
		len--;
	sim_must(base_buf_printf(out, "%llu%s%.*ss", (unsigned long long)(t_ns / 1000000000ULL),
				 len > 0 ? "." : "", len, digits));
}

void judge_list_path(struct base_buf *out, const struct fakeapi_resource *resource,
		     struct base_str namespace_)
{
	if (resource->group[0] == '\0')
		sim_must(base_buf_printf(out, "/api/%s", resource->version));
	else
		sim_must(base_buf_printf(out, "/apis/%s/%s", resource->group, resource->version));
	if (namespace_.len > 0)
		sim_must(base_buf_printf(out, "/namespaces/%.*s", BASE_STR_ARG(namespace_)));
	sim_must(base_buf_printf(out, "/%s", resource->plural));
}

static struct verdict_finding finding_at(const struct judge *judge, struct scenario_pos pos,
					 size_t record)
{
	struct verdict_finding finding = {.weight = VERDICT_FAILED,
					  .blame = VERDICT_CLIENT,
					  .record = record,
					  .t_ns = judge->facts.end_ns};
	if (pos.line > 0 && pos.file < judge->scenario->file_count) {
		finding.file = judge->scenario->files[pos.file];
		finding.line = pos.line;
		finding.column = pos.column;
	}
	if (record != VERDICT_NO_RECORD && record < hist_count(judge->hist))
		finding.t_ns = hist_at(judge->hist, record)->t_ns;
	return finding;
}

void judge_fail(struct judge *judge, struct scenario_pos pos, const char *rule,
		const char *guarantee, size_t record, struct base_str expected,
		struct base_str actual, const char *format, ...)
{
	char text[512];
	va_list args;
	struct verdict_finding finding = finding_at(judge, pos, record);

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	finding.rule = base_str(rule);
	finding.guarantee = base_str(guarantee);
	finding.expected = expected;
	finding.actual = actual;
	finding.text = base_str(text);
	verdict_add(judge->verdict, &finding);
}

/* ---- The harness and the effects of faults ---- */

static void judge_harness(struct judge *judge)
{
	bool finished = false;

	for (size_t i = 0; i < hist_count(judge->hist); i++) {
		const struct hist_record *record = hist_at(judge->hist, i);
		finished = finished || record->kind == HIST_FINISH;
		if (record->kind != HIST_FAILED)
			continue;
		struct verdict_finding finding = finding_at(judge, (struct scenario_pos){0}, i);
		finding.weight = VERDICT_VOID;
		finding.blame = VERDICT_HARNESS;
		finding.rule = BASE_STR("harness");
		finding.guarantee = BASE_STR("Every step of a scenario can be carried out.");
		finding.text = record->text;
		verdict_add(judge->verdict, &finding);
	}
	if (finished)
		return;
	struct verdict_finding finding =
		finding_at(judge, (struct scenario_pos){0}, VERDICT_NO_RECORD);
	finding.weight = VERDICT_VOID;
	finding.blame = VERDICT_HARNESS;
	finding.rule = BASE_STR("harness");
	finding.guarantee = BASE_STR("A history is judged when it is complete.");
	finding.text = BASE_STR("the history has no end");
	verdict_add(judge->verdict, &finding);
}

static void judge_fault(struct judge *judge, const struct scenario_action *action)
{
	uint64_t count = 0;
	struct base_str kind = base_str(fakeapi_fault_kind_word(action->fault.kind));

	for (size_t i = 0; i < hist_count(judge->hist); i++) {
		const struct hist_record *record = hist_at(judge->hist, i);
		if (record->kind == HIST_EFFECT && base_str_eq(record->handler, action->fault.name))
			count = record->number;
	}
	verdict_add_effect(judge->verdict, action->fault.name, kind, count);
	if (count > 0)
		return;
	struct verdict_finding finding = finding_at(judge, action->pos, VERDICT_NO_RECORD);
	finding.weight = VERDICT_VOID;
	finding.blame = VERDICT_SCENARIO;
	finding.rule = BASE_STR("effects");
	finding.guarantee = BASE_STR("A fault that touches nothing proves nothing.");
	finding.text = BASE_STR("this fault touched nothing");
	verdict_add(judge->verdict, &finding);
}

static void judge_effects(struct judge *judge)
{
	for (size_t s = 0; s < judge->scenario->step_count; s++) {
		const struct scenario_step *step = &judge->scenario->steps[s];
		for (size_t a = 0; a < step->action_count; a++)
			if (step->actions[a].verb == SCENARIO_FAULT)
				judge_fault(judge, &step->actions[a]);
		for (size_t a = 0; a < step->meanwhile_count; a++)
			if (step->meanwhile[a].verb == SCENARIO_FAULT)
				judge_fault(judge, &step->meanwhile[a]);
	}
}

/* ---- The budget ---- */

static void over(struct judge *judge, const char *what, uint64_t count, uint64_t max)
{
	if (count > max)
		judge_fail(judge, judge->scenario->budget.pos, "budget",
			   "The whole run stays within the scenario's budget.", VERDICT_NO_RECORD,
			   (struct base_str){0}, (struct base_str){0},
			   "%llu %s, the budget is %llu", (unsigned long long)count, what,
			   (unsigned long long)max);
}

/* Ended otherwise than an answer should. What the client gave up itself did not fail. */
static bool has_failed(const struct judge_request *request)
{
	return request->status != 200 || request->error_event || request->garbled ||
	       !(base_str_is(request->end, "eof") || base_str_is(request->end, "cancelled"));
}

/* The smallest time between the end of a failed request and the next one of the same informer. */
static uint64_t smallest_gap(const struct judge_facts *facts, size_t *record)
{
	uint64_t smallest = UINT64_MAX;
	for (size_t n = 2; n < facts->request_cap; n++) {
		if (facts->requests[n].record == VERDICT_NO_RECORD)
			continue;
		size_t p = n - 1;
		while (p > 0 && (facts->requests[p].record == VERDICT_NO_RECORD ||
				 facts->requests[p].informer != facts->requests[n].informer))
			p--;
		uint64_t now = hist_at(facts->hist, facts->requests[n].record)->t_ns;
		if (p == 0 || facts->requests[p].end_ns > now || !has_failed(&facts->requests[p]))
			continue;
		if (now - facts->requests[p].end_ns < smallest) {
			smallest = now - facts->requests[p].end_ns;
			*record = facts->requests[n].record;
		}
	}
	return smallest;
}

static void judge_budget(struct judge *judge)
{
	const struct scenario_budget *budget = &judge->scenario->budget;
	uint64_t requests = 0, lists = 0, watches = 0, bytes = 0;
	size_t record = VERDICT_NO_RECORD;

	if (budget->pos.line == 0)
		return;
	judge->verdict->expectation_count++;
	for (size_t r = 1; r < judge->facts.request_cap; r++) {
		const struct judge_request *request = &judge->facts.requests[r];
		if (request->record == VERDICT_NO_RECORD ||
		    hist_at(judge->hist, request->record)->t_ns > judge->scenario->end_ns)
			continue;
		requests++;
		lists += request->kind == JUDGE_LIST ? 1 : 0;
		watches += request->kind == JUDGE_WATCH || request->kind == JUDGE_WATCH_LIST ? 1
											     : 0;
	}
	for (size_t i = 0; i < hist_count(judge->hist); i++)
		if (hist_at(judge->hist, i)->kind == HIST_BODY)
			bytes += hist_at(judge->hist, i)->number;
	over(judge, "requests", requests, budget->requests);
	over(judge, "lists", lists, budget->lists);
	over(judge, "watches", watches, budget->watches);
	over(judge, "bytes of bodies", bytes, budget->bytes);
	uint64_t gap = smallest_gap(&judge->facts, &record);
	if (budget->gap_ns > 0 && gap < budget->gap_ns)
		judge_fail(judge, budget->pos, "budget", "Retries keep their distance.", record,
			   (struct base_str){0}, (struct base_str){0},
			   "a request followed the one before after %llu ns",
			   (unsigned long long)gap);
}

/* ---- Invariants ---- */

static const struct scenario_break *break_of(const struct scenario *scenario, const char *id)
{
	for (size_t i = 0; scenario != NULL && i < scenario->break_count; i++)
		if (base_str_is(scenario->breaks[i].id, id))
			return &scenario->breaks[i];
	return NULL;
}

static void tell_breaches(struct judge *judge, const struct judge_invariant *invariant,
			  const struct judge_check *check)
{
	for (size_t i = 0; i < check->breach_count && i < JUDGE_BREACHES_MAX; i++) {
		struct verdict_finding finding =
			finding_at(judge, (struct scenario_pos){0}, check->breaches[i].record);
		finding.blame = invariant->blame;
		finding.rule = base_str(invariant->id);
		finding.guarantee = base_str(invariant->sentence);
		finding.text = base_buf_peek(&check->breaches[i].text);
		verdict_add(judge->verdict, &finding);
	}
}

static void stale_break(struct judge *judge, const struct scenario_break *broken)
{
	struct verdict_finding finding = finding_at(judge, broken->pos, VERDICT_NO_RECORD);
	finding.blame = VERDICT_SCENARIO;
	finding.rule = BASE_STR("breaks");
	finding.guarantee = BASE_STR("What a scenario says will break does break.");
	finding.text = BASE_STR("the invariant held");
	verdict_add(judge->verdict, &finding);
}

static void judge_invariant(struct judge *judge, const struct judge_invariant *invariant,
			    bool healed)
{
	struct judge_check check = {.facts = &judge->facts, .healed = healed};
	const struct scenario_break *broken = break_of(judge->scenario, invariant->id);
	struct verdict_invariant row = {.id = invariant->id,
					.name = invariant->name,
					.sentence = invariant->sentence,
					.state = VERDICT_HELD};

	check.not_judged = judge->not_judged != NULL ? judge->not_judged(judge, invariant->id)
						     : NULL;
	if (check.not_judged == NULL && invariant->check != NULL)
		invariant->check(&check);
	else if (check.not_judged == NULL)
		check.not_judged = invariant->why;
	if (check.breach_count > 0) {
		row.state = broken != NULL ? VERDICT_BROKE_AS_SAID : VERDICT_BROKEN;
		if (broken != NULL)
			row.why = broken->reason;
		else
			tell_breaches(judge, invariant, &check);
	} else if (check.not_judged != NULL) {
		row.state = VERDICT_NOT_JUDGED;
		row.why = base_str(check.not_judged);
	}
	if (broken != NULL && check.breach_count == 0 && judge->not_judged == NULL)
		stale_break(judge, broken);
	verdict_add_invariant(judge->verdict, &row);
	for (size_t i = 0; i < check.breach_count && i < JUDGE_BREACHES_MAX; i++)
		base_buf_release(&check.breaches[i].text);
}

/* The run went on after the last step, with everything healed. */
static bool was_healed(const struct judge *judge)
{
	for (size_t i = hist_count(judge->hist); i-- > 0;)
		if (hist_at(judge->hist, i)->kind == HIST_STEP &&
		    base_str_is(hist_at(judge->hist, i)->text, "liveness"))
			return true;
	return false;
}

void judge_all_invariants(struct judge *judge)
{
	const bool healed = was_healed(judge);

	for (size_t i = 0; i < judge_invariant_count; i++)
		judge_invariant(judge, &judge_invariants[i], healed);
}

/* ---- All ---- */

struct specs {
	struct judge_informer_spec *informers;
	struct judge_handler_spec **handlers;
	struct base_buf *names;
};

static void specs_init(struct specs *specs, const struct scenario_variant *variant)
{
	size_t count = variant->informer_count;
	specs->informers = sim_calloc(count + 1, sizeof(*specs->informers));
	specs->handlers = sim_calloc(count + 1, sizeof(*specs->handlers));
	specs->names = sim_calloc(count + 1, sizeof(*specs->names));
	for (size_t i = 0; i < count; i++) {
		const struct scenario_informer *informer = &variant->informers[i];
		specs->handlers[i] =
			sim_calloc(informer->handler_count + 1, sizeof(**specs->handlers));
		for (size_t h = 0; h < informer->handler_count; h++) {
			const struct scenario_handler *handler = &informer->handlers[h];
			bool own = handler->resync_ns != SUBJECT_RESYNC_NONE;
			specs->handlers[i][h] = (struct judge_handler_spec){
				.name = handler->name,
				.slow_ns = handler->slow_ns,
				.resyncs = own ? handler->resync_ns > 0 : informer->resync_ns > 0,
				.from_start = !handler->late};
		}
		base_buf_init(&specs->names[i], NULL, BASE_BUF_MAX_DEFAULT);
		sim_must(fakeapi_resource_full_name(informer->resource, &specs->names[i]));
		specs->informers[i] =
			(struct judge_informer_spec){.name = informer->name,
						     .resource = base_buf_peek(&specs->names[i]),
						     .type = informer->resource,
						     .namespace_ = informer->namespace_,
						     .label_selector = informer->label_selector,
						     .field_selector = informer->field_selector,
						     .transform = informer->transform_count > 0,
						     .handlers = specs->handlers[i],
						     .handler_count = informer->handler_count};
	}
}

static void specs_release(struct specs *specs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(specs->handlers[i]);
		base_buf_release(&specs->names[i]);
	}
	free(specs->informers);
	free(specs->handlers);
	free(specs->names);
}

/* What a run of which the harness failed shows of the client proves nothing, so this is for whole runs. */
static void judge_client(struct judge *judge)
{
	for (size_t s = 0; s < judge->scenario->step_count; s++)
		judge_expect(judge, &judge->scenario->steps[s].expect, s);
	if (judge->scenario->step_count > 0)
		judge_expect(judge, &judge->scenario->finally, judge->scenario->step_count - 1);
	judge_effects(judge);
	judge_budget(judge);
	judge_all_invariants(judge);
}

void judge_run(const struct scenario_variant *variant, const struct hist *hist,
	       struct verdict *verdict)
{
	judge_run_loose(variant, hist, 0, verdict);
}

static void judge_with(struct judge judge)
{
	const struct scenario_variant *variant = judge.variant;
	const struct hist *hist = judge.hist;
	struct verdict *verdict = judge.verdict;
	struct specs specs;

	specs_init(&specs, variant);
	base_buf_init(&judge.expected, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&judge.actual, NULL, BASE_BUF_MAX_DEFAULT);
	judge_facts_init(&judge.facts, hist, specs.informers, variant->informer_count);
	verdict->digest = hist_digest(hist);
	judge_harness(&judge);
	if (verdict->result == VERDICT_PASSED)
		judge_client(&judge);
	judge_facts_release(&judge.facts);
	base_buf_release(&judge.expected);
	base_buf_release(&judge.actual);
	specs_release(&specs, variant->informer_count);
}

void judge_run_loose(const struct scenario_variant *variant, const struct hist *hist,
		     uint64_t slack_ns, struct verdict *verdict)
{
	judge_with((struct judge){.variant = variant,
				  .slack_ns = slack_ns,
				  .scenario = variant->scenario,
				  .hist = hist,
				  .verdict = verdict});
}

static const char *needs_the_client(const struct judge *judge, const char *id)
{
	(void)judge;
	return judge_is_about_requests(id) ? NULL : "what the client did with what it got";
}

void judge_run_requests(const struct scenario_variant *variant, const struct hist *hist,
			uint64_t slack_ns, struct verdict *verdict)
{
	judge_with((struct judge){.variant = variant,
				  .slack_ns = slack_ns,
				  .scenario = variant->scenario,
				  .hist = hist,
				  .verdict = verdict,
				  .only_requests = true,
				  .not_judged = needs_the_client});
}
