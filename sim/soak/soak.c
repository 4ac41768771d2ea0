#include "sim/soak/soak.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/fatal.h"
#include "sim/judge/invariants.h"

#define SECOND_NS UINT64_C(1000000000)
#define TICK_NS (SECOND_NS / 4)
#define READY_NS (30 * SECOND_NS)
#define SYNC_NS (8 * SECOND_NS)
#define STOP_NS (5 * SECOND_NS)

void soak_find(struct soak *soak, enum verdict_blame blame, const char *rule, const char *format,
	       ...)
{
	struct soak_finding *finding;
	char text[768];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (size_t i = 0; i < soak->finding_count; i++) {
		if (strcmp(soak->findings[i].text, text) != 0)
			continue;
		soak->findings[i].count++;
		return;
	}
	if (!soak->options.quiet)
		fprintf(stderr, "soak: %s is wrong: %s: %s\n", verdict_blame_word(blame), rule,
			text);
	if (soak->finding_count == SOAK_FINDINGS_MAX)
		return;
	finding = &soak->findings[soak->finding_count++];
	*finding = (struct soak_finding){.blame = blame,
					 .rule = sim_strdup(base_str(rule)),
					 .text = sim_strdup(base_str(text)),
					 .t_ns = base_loop_now_ns(soak->loop) - soak->begin_ns,
					 .count = 1};
}

/* ---- Life ---- */

void soak_init(struct soak *soak, struct base_loop *loop, struct pace *pace,
	       const struct soak_options *options, const bool *stop)
{
	struct base_buf head;

	memset(soak, 0, sizeof(*soak));
	soak->loop = loop;
	soak->pace = pace;
	soak->options = *options;
	soak->stop = stop;
	soak->stamp.loop = loop;
	soak->begin_ns = base_loop_now_ns(loop);
	soak->hist = hist_new(NULL);
	if (soak->hist == NULL)
		sim_fatal("out of memory");
	ask_init(&soak->ask, loop, pace_transport(pace), 1);
	soak->ask.gap_ns = 0; /* the pace sees to it */
	soak->ask.stop = stop;
	if (options->journal == NULL)
		return;
	soak->journal = fopen(options->journal, "w");
	if (soak->journal == NULL)
		return; /* the command looks */
	base_buf_init(&head, NULL, 4096);
	sim_must(hist_write_head(&head));
	fwrite(head.ptr, 1, head.len, soak->journal);
	base_buf_release(&head);
}

void soak_release(struct soak *soak)
{
	for (size_t i = 0; i < soak->resource_count; i++) {
		struct soak_resource *r = soak->resources[i];

		soak_compare_release(r);
		if (r->tap_made)
			tap_release(&r->tap);
		if (r->observer_made)
			observer_release(&r->observer);
		free(r);
	}
	for (size_t i = 0; i < soak->finding_count; i++) {
		free(soak->findings[i].rule);
		free(soak->findings[i].text);
	}
	if (soak->journal != NULL)
		fclose(soak->journal);
	hist_free(soak->hist);
}

enum base_code soak_add(struct soak *soak, const char *resource, const char *namespace_,
			struct base_error *error)
{
	struct soak_resource *r;
	struct doctor_resource what;

	if (soak->resource_count == SOAK_RESOURCES_MAX)
		return base_fail(error, BASE_ELIMIT, "at most %d resources", SOAK_RESOURCES_MAX);
	if (!doctor_lookup(&soak->ask, resource, namespace_, &what, error))
		return BASE_ENOENT;
	r = sim_calloc(1, sizeof(*r));
	r->soak = soak;
	r->what = what;
	snprintf(r->name, sizeof(r->name), "%s%s%s", what.plural, what.group[0] != '\0' ? "." : "",
		 what.group);
	ask_call_init(&r->list, &soak->ask);
	soak->resources[soak->resource_count++] = r;
	return BASE_OK;
}

/* ---- Running ---- */

void soak_turn(struct soak *soak, uint64_t until_ns)
{
	bool busy = false;

	sim_must(base_loop_turn(soak->loop, until_ns));
	for (size_t i = 0; i < soak->resource_count; i++) {
		struct tap *tap = &soak->resources[i]->tap;
		const bool own = soak->resources[i]->tap_made && tap_is_busy(tap);

		tap->drained = tap->drained || !own;
		busy = busy || own;
	}
	soak->stamp.frozen = busy;
}

static bool is_over(const struct soak *soak)
{
	const uint64_t now_ns = base_loop_now_ns(soak->loop);

	return *soak->stop ||
	       (soak->options.for_ns != 0 && now_ns - soak->begin_ns >= soak->options.for_ns);
}

/* The observers first: what they have not seen they cannot judge. */
static void start_observers(struct soak *soak)
{
	const uint64_t until_ns = base_loop_now_ns(soak->loop) + READY_NS;
	bool ready = false;

	for (size_t i = 0; i < soak->resource_count; i++) {
		struct soak_resource *r = soak->resources[i];

		observer_init(&r->observer, soak->loop, &soak->stamp, pace_transport(soak->pace),
			      &soak->hist, r->name, r->what.path);
		r->observer_made = true;
	}
	while (!ready && !is_over(soak) && base_loop_now_ns(soak->loop) < until_ns) {
		soak_turn(soak, until_ns);
		ready = true;
		for (size_t i = 0; i < soak->resource_count; i++)
			ready = ready && observer_ready(&soak->resources[i]->observer);
	}
}

static void start_informers(struct soak *soak)
{
	soak->started_ns = base_loop_now_ns(soak->loop);
	for (size_t i = 0; i < soak->resource_count; i++) {
		struct soak_resource *r = soak->resources[i];
		const struct inf_resource resource = {.group = base_str(r->what.group),
						      .version = base_str(r->what.version),
						      .name = base_str(r->what.plural),
						      .kind = base_str(r->what.kind),
						      .namespace_ = base_str(r->what.namespace_),
						      .flavour = INF_DYNAMIC};
		struct base_error error = {0};

		r->tap_made = true;
		if (tap_init(&r->tap, soak->loop, &soak->stamp, pace_transport(soak->pace),
			     &soak->hist, &soak->next_request, r->name, &resource,
			     &error) != BASE_OK)
			sim_fatal("soak: %s: %s", r->name, error.text);
		r->tap.mutant = soak->options.mutant;
	}
}

/* Resident pages, in KiB. */
static long memory_kb(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	char text[128];
	struct base_str word, rest;
	uint64_t pages = 0;
	bool found;

	if (file == NULL || fgets(text, sizeof(text), file) == NULL)
		text[0] = '\0';
	if (file != NULL)
		fclose(file);
	rest = base_str_cut(base_str(text), ' ', &word, &found);
	(void)base_str_cut(rest, ' ', &word, &found);
	(void)base_str_u64(word, &pages);
	return (long)pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void sample_memory(struct soak *soak)
{
	soak->memory_kb = memory_kb();
	if (soak->memory_first_kb == 0)
		soak->memory_first_kb = soak->memory_kb;
	if (soak->memory_kb > soak->memory_most_kb)
		soak->memory_most_kb = soak->memory_kb;
}

static void say_progress(const struct soak *soak)
{
	const uint64_t s = (base_loop_now_ns(soak->loop) - soak->begin_ns) / SECOND_NS;
	uint64_t calls = 0, compared = 0;

	for (size_t i = 0; i < soak->resource_count; i++) {
		calls += soak->resources[i]->tap.calls;
		compared += soak->resources[i]->compared;
	}
	if (!soak->options.quiet)
		fprintf(stderr,
			"soak: %llu s, %llu handler calls, %llu comparisons, %zu findings, %ld MiB\n",
			(unsigned long long)s, (unsigned long long)calls,
			(unsigned long long)compared, soak->finding_count, soak->memory_kb / 1024);
}

/* The server can be listed, as the observer shows, and the informer still has nothing. */
static void look_at_sync(struct soak *soak)
{
	for (size_t i = 0; i < soak->resource_count; i++) {
		const struct soak_resource *r = soak->resources[i];

		if (inf_shared_informer_has_synced(r->tap.informer))
			soak_mark(soak, "I8", true);
		if (inf_shared_informer_has_synced(r->tap.informer) ||
		    !observer_ready(&r->observer) ||
		    base_loop_now_ns(soak->loop) - soak->started_ns < SYNC_NS)
			continue;
		if (tap_waits_for_end(&r->tap))
			soak_find(
				soak, VERDICT_SERVER, "sync",
				"%s does not sync: the watch with initial events is open, but the "
				"bookmark that ends them has not come",
				r->name);
		else
			soak_find(soak, VERDICT_SERVER, "sync",
				  "%s does not sync: no list and no watch with initial events came "
				  "to its end, though the observer's list did",
				  r->name);
	}
}

static void compare_all(struct soak *soak)
{
	look_at_sync(soak);
	for (size_t i = 0; i < soak->resource_count; i++)
		soak_compare(soak->resources[i]);
}

static void stop_informers(struct soak *soak)
{
	const uint64_t until_ns = base_loop_now_ns(soak->loop) + STOP_NS;
	bool stopped = false;

	for (size_t i = 0; i < soak->resource_count; i++)
		tap_stop(&soak->resources[i]->tap);
	while (!stopped && base_loop_now_ns(soak->loop) < until_ns) {
		soak_turn(soak, until_ns);
		stopped = true;
		for (size_t i = 0; i < soak->resource_count; i++)
			stopped = stopped && soak->resources[i]->tap.stopped;
	}
}

void soak_run(struct soak *soak)
{
	uint64_t tick_ns, compare_ns;

	soak_begin(soak);
	start_observers(soak);
	start_informers(soak);
	compare_ns = base_loop_now_ns(soak->loop) + soak->options.compare_ns;
	while (!is_over(soak)) {
		tick_ns = base_loop_now_ns(soak->loop) + TICK_NS;
		while (!is_over(soak) && base_loop_now_ns(soak->loop) < tick_ns)
			soak_turn(soak, tick_ns);
		soak_journal(soak);
		soak_roll(soak);
		if (base_loop_now_ns(soak->loop) < compare_ns)
			continue;
		compare_ns += soak->options.compare_ns;
		sample_memory(soak);
		say_progress(soak);
		compare_all(soak);
	}
	/* The last comparison, then the end; a second signal does not cut it short, its time does. */
	soak->ask.stop = NULL;
	soak_compare_settle(soak, 10 * SECOND_NS);
	compare_all(soak);
	soak_compare_settle(soak, 12 * SECOND_NS);
	sample_memory(soak);
	/* What was delivered last is handled first. */
	const uint64_t until_ns = base_loop_now_ns(soak->loop) + SECOND_NS;
	do
		soak_turn(soak, base_loop_now_ns(soak->loop));
	while (soak->stamp.frozen && base_loop_now_ns(soak->loop) < until_ns);
	for (size_t i = 0; i < soak->resource_count; i++)
		tap_tell_pending(&soak->resources[i]->tap);
	soak_judge(soak, true);
	stop_informers(soak);
	sim_must(hist_append(soak->hist, &(struct hist_record){.t_ns = stamp_now(&soak->stamp),
							       .source = HIST_HARNESS,
							       .kind = HIST_FINISH,
							       .text = BASE_STR("end")}));
	soak_journal(soak);
}

/* ---- What came of it ---- */

static uint64_t total_compared(const struct soak *soak)
{
	uint64_t compared = 0;

	for (size_t i = 0; i < soak->resource_count; i++)
		compared += soak->resources[i]->compared;
	return compared;
}

int soak_exit(const struct soak *soak)
{
	if (soak->finding_count > 0)
		return 1;
	return total_compared(soak) == 0 ? 3 : 0;
}

static void count_invariants(const struct soak *soak, size_t *held, size_t *broken,
			     size_t *not_judged)
{
	*held = *broken = *not_judged = 0;
	for (size_t i = 0; i < judge_invariant_count; i++) {
		if (!soak->judged[i])
			++*not_judged;
		else if (soak->held[i])
			++*held;
		else
			++*broken;
	}
}

void soak_write_text(const struct soak *soak, struct base_buf *out)
{
	size_t held, broken, not_judged;

	for (size_t i = 0; i < soak->resource_count; i++) {
		const struct soak_resource *r = soak->resources[i];

		sim_must(base_buf_printf(
			out,
			"%s: %zu objects, %llu handler calls, %llu requests, %llu errors told, "
			"%llu comparisons (%llu more put off: it had no watch), %llu differences; "
			"observer: %llu changes, %llu lists\n",
			r->name, inf_store_count(inf_shared_informer_store(r->tap.informer)),
			(unsigned long long)r->tap.calls, (unsigned long long)r->tap.requests,
			(unsigned long long)r->tap.errors, (unsigned long long)r->compared,
			(unsigned long long)r->postponed, (unsigned long long)r->different,
			(unsigned long long)r->observer.changes,
			(unsigned long long)r->observer.lists));
	}
	for (size_t i = 0; i < soak->finding_count; i++) {
		const struct soak_finding *f = &soak->findings[i];

		sim_must(base_buf_printf(out, "%s is wrong: %s at %llu s: %s",
					 verdict_blame_word(f->blame), f->rule,
					 (unsigned long long)(f->t_ns / SECOND_NS), f->text));
		if (f->count > 1)
			sim_must(base_buf_printf(out, " (%llu times)",
						 (unsigned long long)f->count));
		sim_must(base_buf_char(out, '\n'));
	}
	count_invariants(soak, &held, &broken, &not_judged);
	sim_must(base_buf_printf(
		out,
		"invariants: %zu held, %zu broken, %zu not judged; %llu windows of history, %llu "
		"records\n"
		"memory: %ld KiB at first, %ld at most, %ld now\n"
		"%zu findings, %llu comparisons (%llu more failed), %llu requests in %llu s\n",
		held, broken, not_judged, (unsigned long long)soak->windows,
		(unsigned long long)soak->records, soak->memory_first_kb, soak->memory_most_kb,
		soak->memory_kb, soak->finding_count, (unsigned long long)total_compared(soak),
		(unsigned long long)soak->compare_failures,
		(unsigned long long)soak->pace->requests,
		(unsigned long long)((base_loop_now_ns(soak->loop) - soak->begin_ns) / SECOND_NS)));
}

static void member(struct base_buf *out, const char *before, const char *name, const char *text)
{
	sim_must(base_buf_printf(out, "%s\"%s\":", before, name));
	sim_must(base_buf_json_string(out, base_str(text)));
}

static void write_invariants(const struct soak *soak, struct base_buf *out)
{
	for (size_t i = 0; i < judge_invariant_count; i++) {
		member(out, i > 0 ? ",{" : "{", "id", judge_invariants[i].id);
		member(out, ",", "state",
		       !soak->judged[i] ? "not judged"
		       : soak->held[i]  ? "held"
					: "broken");
		if (!soak->judged[i] && soak->why[i] != NULL)
			member(out, ",", "why", soak->why[i]);
		sim_must(base_buf_char(out, '}'));
	}
}

void soak_write_json(const struct soak *soak, struct base_buf *out)
{
	sim_must(base_buf_text(out, "{\"relist\":1,\"soak\":true,\"resources\":["));
	for (size_t i = 0; i < soak->resource_count; i++) {
		const struct soak_resource *r = soak->resources[i];

		member(out, i > 0 ? ",{" : "{", "resource", r->name);
		sim_must(base_buf_printf(
			out,
			",\"objects\":%zu,\"calls\":%llu,\"requests\":%llu,\"compared\":%llu,"
			"\"different\":%llu,\"observed\":%llu}",
			inf_store_count(inf_shared_informer_store(r->tap.informer)),
			(unsigned long long)r->tap.calls, (unsigned long long)r->tap.requests,
			(unsigned long long)r->compared, (unsigned long long)r->different,
			(unsigned long long)r->observer.changes));
	}
	sim_must(base_buf_text(out, "],\"findings\":["));
	for (size_t i = 0; i < soak->finding_count; i++) {
		const struct soak_finding *f = &soak->findings[i];

		member(out, i > 0 ? ",{" : "{", "wrong", verdict_blame_word(f->blame));
		member(out, ",", "rule", f->rule);
		member(out, ",", "text", f->text);
		sim_must(base_buf_printf(out, ",\"count\":%llu}", (unsigned long long)f->count));
	}
	sim_must(base_buf_text(out, "],\"invariants\":["));
	write_invariants(soak, out);
	sim_must(base_buf_printf(out,
				 "],\"requests\":%llu,\"windows\":%llu,\"records\":%llu,"
				 "\"memoryKiB\":{\"first\":%ld,\"most\":%ld,\"last\":%ld}}\n",
				 (unsigned long long)soak->pace->requests,
				 (unsigned long long)soak->windows,
				 (unsigned long long)soak->records, soak->memory_first_kb,
				 soak->memory_most_kb, soak->memory_kb));
}
