#include "sim/bench/peer_bench.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "sim/fatal.h"
#include "sim/tape/tape.h"

#define SECOND_NS UINT64_C(1000000000)
#define STARTS 15
#define STEPS 20000
#define STEP_ROUNDS 5
/* A round that took longer is not played again. */
#define ROUND_LONG_NS (2 * SECOND_NS)
#define TAPE_ROUNDS 5
#define DAY_ROUNDS 3
#define DAY_HOURS 24
#define DAY_OBJECTS 100
#define DAY_EVENTS 733 /* in an hour, one each 4.9 s */
#define DAY_EVENT_GAP_NS (49 * SECOND_NS / 10)

struct figures {
	uint64_t start_ns, steps_per_second;
	uint64_t tapes_per_second, tapes, tapes_equal;
	uint64_t day_ns, day_calls;
	struct base_error error;
};

struct tape_text {
	char *tape, *trace;
};

struct bench {
	const struct sim_bench_client *client;
	const struct tape_text *texts;
	size_t text_count;
	struct tape *day;
	struct figures figures;
};

static uint64_t clock_ns(const struct bench *bench)
{
	struct timespec now;

	clock_gettime(bench->client->peer != NULL ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID,
		      &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static struct subject *supply(void *ctx, const struct subject_core_options *options)
{
	const struct sim_bench_client *client = ctx;

	return client->peer != NULL ? subject_peer_new(client->peer, options)
				    : subject_core_new(options);
}

/* ---- Start-up and steps ---- */

static struct subject *started(struct bench *bench)
{
	static const struct subject_handler_spec handler = {.name = {.ptr = "h", .len = 1},
							    .resync_ns = SUBJECT_RESYNC_NONE};
	struct subject_informer_spec spec = {.name = BASE_STR("inf"),
					     .version = BASE_STR("v1"),
					     .resource = BASE_STR("configmaps"),
					     .kind = BASE_STR("ConfigMap"),
					     .handlers = &handler,
					     .handler_count = 1};
	const struct subject_core_options options = {.draw_value = SUBJECT_DRAW_HALF};
	struct subject *subject = supply((void *)(uintptr_t)bench->client, &options);

	if (subject->ops->start(subject, &spec, &bench->figures.error) == BASE_OK)
		return subject;
	subject->ops->release(subject);
	return NULL;
}

static int compare_times(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Until the first answer; the median. */
static bool measure_start(struct bench *bench)
{
	uint64_t times[STARTS];

	for (size_t i = 0; i < STARTS; i++) {
		const uint64_t began_ns = clock_ns(bench);
		struct subject *subject = started(bench);

		if (subject == NULL)
			return false;
		times[i] = clock_ns(bench) - began_ns;
		subject->ops->release(subject);
	}
	qsort(times, STARTS, sizeof(*times), compare_times);
	bench->figures.start_ns = times[STARTS / 2];
	return true;
}

/* An informer that waits for its first answer, and a millisecond a step. */
static bool measure_steps(struct bench *bench)
{
	struct subject *subject = started(bench);
	struct subject_outputs outputs = {0};
	uint64_t best_ns = UINT64_MAX, to_ns = 0;
	bool fine = subject != NULL;

	for (int wave = 0; fine && wave < 10; wave++)
		fine = subject->ops->advance(subject, 0, NULL, 0, &outputs,
					     &bench->figures.error) == BASE_OK;
	for (int round = 0; fine && round < STEP_ROUNDS; round++) {
		const uint64_t began_ns = clock_ns(bench);

		for (int i = 0; fine && i < STEPS; i++)
			fine = subject->ops->advance(subject, to_ns += 1000000, NULL, 0, &outputs,
						     &bench->figures.error) == BASE_OK;
		const uint64_t took_ns = clock_ns(bench) - began_ns;
		best_ns = took_ns < best_ns ? took_ns : best_ns;
	}
	if (subject != NULL)
		subject->ops->release(subject);
	bench->figures.steps_per_second = STEPS * SECOND_NS / (best_ns > 0 ? best_ns : 1);
	return fine;
}

/* ---- Tapes ---- */

static char *read_file(const char *folder, const char *name, const char *suffix)
{
	char path[4096], piece[65536];
	struct base_buf text;
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix);
	file = fopen(path, "rb");
	if (file == NULL)
		return NULL;
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	while ((len = fread(piece, 1, sizeof(piece), file)) > 0)
		sim_must(base_buf_append(&text, piece, len));
	fclose(file);
	return base_buf_take(&text, &len);
}

static struct tape_text *read_tapes(const char *golden, size_t *count)
{
	char tapes[4096], traces[4096];
	struct dirent **entries = NULL;
	struct tape_text *texts;
	int found;

	*count = 0;
	snprintf(tapes, sizeof(tapes), "%s/tapes", golden);
	snprintf(traces, sizeof(traces), "%s/traces", golden);
	found = scandir(tapes, &entries, NULL, alphasort);
	texts = sim_calloc(found > 0 ? (size_t)found : 1, sizeof(*texts));
	for (int i = 0; i < found; i++) {
		char *name = entries[i]->d_name;
		char *dot = strrchr(name, '.');

		if (dot != NULL && dot != name && strcmp(dot, ".json") == 0) {
			*dot = '\0';
			texts[*count].tape = read_file(tapes, name, ".json");
			texts[*count].trace = read_file(traces, name, ".jsonl");
			*count += texts[*count].tape != NULL && texts[*count].trace != NULL;
		}
		free(entries[i]);
	}
	free(entries);
	return texts;
}

/* Read, played, compared. */
static bool play_one(struct bench *bench, const struct tape_text *text)
{
	struct tape_played played = {.supply = supply,
				     .supply_ctx = (void *)(uintptr_t)bench->client};
	struct base_error *error = &bench->figures.error;
	struct tape_trace golden = {0};
	struct tape *tape = NULL;
	enum base_code code = tape_parse(base_str(text->tape), &tape, error);

	if (code == BASE_OK)
		code = tape_trace_parse(base_str(text->trace), &golden, error);
	if (code == BASE_OK)
		code = tape_play(tape, &played, error);
	if (code == BASE_OK && tape_compare(&golden, &played.trace).equal)
		bench->figures.tapes_equal++;
	tape_free(tape);
	tape_trace_release(&golden);
	tape_played_release(&played);
	return code == BASE_OK;
}

static bool measure_tapes(struct bench *bench)
{
	uint64_t best_ns = UINT64_MAX;
	bool fine = true;

	for (int round = 0; fine && round < TAPE_ROUNDS && bench->text_count > 0; round++) {
		const uint64_t began_ns = clock_ns(bench);

		bench->figures.tapes_equal = 0;
		for (size_t i = 0; fine && i < bench->text_count; i++)
			fine = play_one(bench, &bench->texts[i]);
		const uint64_t took_ns = clock_ns(bench) - began_ns;
		best_ns = took_ns < best_ns ? took_ns : best_ns;
		if (took_ns > ROUND_LONG_NS)
			break;
	}
	bench->figures.tapes = bench->text_count;
	bench->figures.tapes_per_second = bench->text_count * SECOND_NS /
					  (best_ns > 0 ? best_ns : 1);
	return fine;
}

/* ---- A day ---- */

static void put_list(struct base_buf *out, int hour)
{
	struct base_buf body;

	base_buf_init(&body, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(&body,
				 "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\","
				 "\"metadata\":{\"resourceVersion\":\"%d\"},\"items\":[",
				 (hour + 1) * 1000));
	for (int i = 0; i < DAY_OBJECTS; i++)
		sim_must(base_buf_printf(&body,
					 "%s{\"metadata\":{\"name\":\"c%03d\",\"namespace\":\"d\","
					 "\"uid\":\"u%d\",\"resourceVersion\":\"%d\"},"
					 "\"data\":{\"text\":\"%064d\"}}",
					 i > 0 ? "," : "", i, i, (hour + 1) * 1000 - i, i));
	sim_must(base_buf_text(&body, "]}"));
	sim_must(base_buf_printf(out,
				 "%s{\"status\":200,\"hdr\":{\"Content-Type\":"
				 "\"application/json\"},\"body\":",
				 hour > 0 ? "," : ""));
	sim_must(base_buf_json_string(out, base_buf_peek(&body)));
	sim_must(base_buf_char(out, '}'));
	base_buf_release(&body);
}

static void put_step(struct base_buf *out, uint64_t at_ns, const char *line)
{
	sim_must(base_buf_printf(out, "{\"at\":%" PRIu64 ",\"line\":", at_ns));
	sim_must(base_buf_json_string(out, base_str(line)));
	sim_must(base_buf_char(out, '}'));
}

/* An event each 4.9 s; at the end of the hour the version has expired. */
static void put_watch(struct base_buf *out, int hour)
{
	char line[512];

	sim_must(base_buf_printf(out,
				 "%s{\"status\":200,\"hdr\":{\"Content-Type\":"
				 "\"application/json\"},\"stream\":[",
				 hour > 0 ? "," : ""));
	for (int i = 0; i < DAY_EVENTS; i++) {
		snprintf(line, sizeof(line),
			 "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"ConfigMap\","
			 "\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c%03d\","
			 "\"namespace\":\"d\",\"uid\":\"u%d\",\"resourceVersion\":\"%d\"},"
			 "\"data\":{\"text\":\"%064d\"}}}",
			 i % DAY_OBJECTS, i % DAY_OBJECTS, (hour + 1) * 1000 + i + 1, i);
		put_step(out, (uint64_t)(i + 1) * DAY_EVENT_GAP_NS, line);
		sim_must(base_buf_char(out, ','));
	}
	put_step(out, 3600 * SECOND_NS,
		 "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
		 "\"status\":\"Failure\",\"reason\":\"Expired\",\"code\":410}}");
	sim_must(base_buf_text(out, "]}"));
}

static struct tape *make_day(void)
{
	struct base_error error = {0};
	struct tape *tape = NULL;
	struct base_buf out;

	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(&out,
				 "{\"name\":\"day\",\"draw\":\"const:0.5\",\"gates\":"
				 "{\"WatchListClient\":false},\"resync_ns\":0,\"end_ns\":%" PRIu64
				 ",\"handlers\":[{\"resync_ns\":null,\"slow_ns\":0}],"
				 "\"rules\":{\"list\":[",
				 DAY_HOURS * 3600 * SECOND_NS));
	for (int hour = 0; hour < DAY_HOURS; hour++)
		put_list(&out, hour);
	sim_must(base_buf_text(&out, "],\"watch\":["));
	for (int hour = 0; hour < DAY_HOURS; hour++)
		put_watch(&out, hour);
	sim_must(base_buf_text(&out, "]}}"));
	if (tape_parse(base_buf_peek(&out), &tape, &error) != BASE_OK)
		sim_fatal("the day of the measurement: %s", error.text);
	base_buf_release(&out);
	return tape;
}

static bool measure_day(struct bench *bench)
{
	bool fine = true;

	bench->figures.day_ns = UINT64_MAX;
	for (int round = 0; fine && round < DAY_ROUNDS; round++) {
		struct tape_played played = {.supply = supply,
					     .supply_ctx = (void *)(uintptr_t)bench->client};
		const uint64_t began_ns = clock_ns(bench);
		uint64_t took_ns;

		fine = tape_play(bench->day, &played, &bench->figures.error) == BASE_OK;
		took_ns = clock_ns(bench) - began_ns;
		bench->figures.day_calls = 0;
		for (size_t i = 0; i < played.trace.count; i++)
			bench->figures.day_calls += played.trace.lines[i].event == TAPE_CALL;
		tape_played_release(&played);
		if (took_ns < bench->figures.day_ns)
			bench->figures.day_ns = took_ns > 0 ? took_ns : 1;
		if (took_ns > ROUND_LONG_NS)
			break;
	}
	return fine;
}

/* ---- Telling ---- */

static void print_figures(const struct bench *bench, FILE *table)
{
	const struct figures *f = &bench->figures;
	const char *name = bench->client->name;

	fprintf(table, "%-16s %-27s %12" PRIu64 " us\n", name, "start-up", f->start_ns / 1000);
	fprintf(table, "%-16s %-27s %12" PRIu64 " /s\n", name, "idle steps", f->steps_per_second);
	if (f->tapes > 0)
		fprintf(table,
			"%-16s %-27s %12" PRIu64 " /s    (%" PRIu64 " of %" PRIu64 " equal)\n",
			name, "tapes", f->tapes_per_second, f->tapes_equal, f->tapes);
	fprintf(table,
		"%-16s %-27s %12" PRIu64 " : 1   (%" PRIu64 " ms, %" PRIu64 " handler calls)\n",
		name, "a day with hourly relists", DAY_HOURS * 3600 * SECOND_NS / f->day_ns,
		f->day_ns / 1000000, f->day_calls);
}

static void put_figures(const struct bench *bench, struct base_buf *json)
{
	const struct figures *f = &bench->figures;

	sim_must(base_buf_printf(
		json,
		"{\"start_ns\":%" PRIu64 ",\"steps_per_second\":%" PRIu64
		",\"tapes_per_second\":%" PRIu64 ",\"tapes\":%" PRIu64 ",\"tapes_equal\":%" PRIu64
		",\"day_ns\":%" PRIu64 ",\"day_calls\":%" PRIu64 ",\"day_ratio\":%" PRIu64 "}",
		f->start_ns, f->steps_per_second, f->tapes_per_second, f->tapes, f->tapes_equal,
		f->day_ns, f->day_calls, DAY_HOURS * 3600 * SECOND_NS / f->day_ns));
}

static int measure(struct bench *bench, FILE *table, struct base_buf *json)
{
	const struct sim_bench_client *client = bench->client;
	const bool fine = !client->missing && measure_start(bench) && measure_steps(bench) &&
			  measure_tapes(bench) && measure_day(bench);

	if (client->missing && table != NULL)
		fprintf(table, "%-16s not built\n", client->name);
	else if (!fine && table != NULL)
		fprintf(table, "%-16s failed: %s\n", client->name, bench->figures.error.text);
	else if (table != NULL)
		print_figures(bench, table);
	if (json != NULL && fine)
		put_figures(bench, json);
	else if (json != NULL)
		sim_must(base_buf_text(json, "null"));
	return !client->missing && (!fine || bench->figures.tapes_equal != bench->figures.tapes);
}

int sim_bench_peers(const struct sim_bench_client *clients, size_t count, const char *golden,
		    FILE *table, struct base_buf *json)
{
	size_t text_count = 0;
	struct tape_text *texts = golden != NULL ? read_tapes(golden, &text_count) : NULL;
	struct tape *day = make_day();
	int failed = 0;

	for (size_t i = 0; i < count; i++) {
		struct bench bench = {.client = &clients[i],
				      .texts = texts,
				      .text_count = text_count,
				      .day = day};

		if (json != NULL)
			sim_must(base_buf_printf(json, "%s\"%s\":", i > 0 ? "," : "{",
						 clients[i].name));
		failed |= measure(&bench, table, json);
	}
	if (json != NULL)
		sim_must(base_buf_char(json, '}'));
	for (size_t i = 0; i < text_count; i++) {
		base_free(NULL, texts[i].tape);
		base_free(NULL, texts[i].trace);
	}
	free(texts);
	tape_free(day);
	return failed;
}
