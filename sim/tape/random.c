#include "sim/tape/random.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/tape/random_world.h"

static void put_rule(struct world *w, const char *name, bool stream, bool initial)
{
	const uint64_t count = 2 + world_below(w, 6);
	uint64_t outage = 0; /* so many failures are still to come in a row */

	sim_must(base_buf_printf(w->out, "\"%s\":[", name));
	for (uint64_t i = 0; i < count; i++) {
		world_put(w->out, i > 0 ? ",{" : "{");
		/* The last answer repeats for ever: it had better be a good one, most times. */
		const bool last = i + 1 == count;
		if (outage == 0 && world_chance(w, w->failing / 10))
			outage = 2 + world_below(w, 4);
		if (last ? world_chance(w, 2) : outage > 0 || world_chance(w, w->failing))
			world_put_failure(w);
		else if (stream)
			world_put_stream(w, initial, last);
		else
			world_put_body(w);
		outage -= outage > 0;
		if (world_chance(w, 50))
			sim_must(base_buf_printf(w->out, ",\"delay\":%llu",
						 (unsigned long long)world_some_ns(
							 w, world_chance(w, 5) ? 90000 : 3000)));
		world_put(w->out, "}");
	}
	world_put(w->out, "]");
}

/* ---- Handlers and what is done later ---- */

static void put_handler(struct world *w)
{
	if (world_chance(w, 60))
		world_put(w->out, "{\"resync_ns\":null");
	else
		sim_must(base_buf_printf(
			w->out, "{\"resync_ns\":%llu",
			(unsigned long long)(world_below(w, 80) * (WORLD_SECOND_NS / 2))));
	sim_must(base_buf_printf(w->out, ",\"slow_ns\":%llu}",
				 (unsigned long long)(world_chance(w, 20) ? world_some_ns(w, 4000)
									  : 0)));
}

static int ascending(const void *a, const void *b)
{
	const uint64_t *ua = a, *ub = b;

	return (*ua > *ub) - (*ua < *ub);
}

#define ACTIONS_MAX 8

static void put_actions(struct world *w, uint64_t handler_count, uint64_t end_ns)
{
	uint64_t times[ACTIONS_MAX];
	uint64_t count = world_chance(w, 35) ? 1 + world_below(w, ACTIONS_MAX - 1) : 0;
	const bool stops = world_chance(w, 25);

	for (uint64_t i = 0; i < count; i++)
		times[i] = world_chance(w, 15)   ? 0
			   : world_chance(w, 40) ? world_some_ns(w, 10000)
						 : world_some_ns(w, end_ns / UINT64_C(1000000));
	if (count == 0 && stops)
		times[count++] =
			world_some_ns(w, world_chance(w, 50) ? 5000 : end_ns / UINT64_C(1000000));
	if (count == 0)
		return;
	qsort(times, count, sizeof(*times), ascending);
	world_put(w->out, "\"actions\":[");
	for (uint64_t i = 0; i < count; i++) {
		sim_must(base_buf_printf(w->out, "%s{\"at\":%llu,", i > 0 ? "," : "",
					 (unsigned long long)times[i]));
		if (stops && i + 1 == count) {
			world_put(w->out, "\"stop\":true");
		} else if (world_chance(w, 60)) {
			world_put(w->out, "\"add\":");
			put_handler(w);
			handler_count++;
		} else {
			sim_must(base_buf_printf(
				w->out, "\"remove\":\"h%llu\"",
				(unsigned long long)world_below(w, handler_count + 1)));
		}
		world_put(w->out, "}");
	}
	world_put(w->out, "],");
}

/* ---- The informer ---- */

static void put_draw(struct world *w, uint64_t seed)
{
	static const char *const fixed[] = {"0.5", "0", "0.25", "0.9999999999"};

	if (world_chance(w, 40))
		sim_must(base_buf_printf(w->out, "\"draw\":\"const:%s\",",
					 fixed[world_below(w, 4)]));
	else
		sim_must(base_buf_printf(w->out, "\"draw\":\"splitmix64:%llu\",",
					 (unsigned long long)seed));
}

static void put_gates(struct world *w)
{
	static const char *const names[] = {
#define GATE_NAME(id, word, on) word,
		SUBJECT_GATES(GATE_NAME)
#undef GATE_NAME
	};
	const bool all = world_chance(w, 25);

	/* InOrderInformers is locked: client-go itself refuses to turn it off. */
	sim_must(base_buf_printf(w->out, "\"gates\":{\"WatchListClient\":%s",
				 world_chance(w, 60) ? "true" : "false"));
	for (size_t i = 0; all && i < SUBJECT_GATE_COUNT; i++)
		if (i != SUBJECT_GATE_WATCH_LIST_CLIENT && i != SUBJECT_GATE_IN_ORDER_INFORMERS &&
		    world_chance(w, 50))
			sim_must(base_buf_printf(w->out, ",\"%s\":%s", names[i],
						 world_chance(w, 30) ? "true" : "false"));
	world_put(w->out, "},");
}

static void put_informer(struct world *w)
{
	static const char *const modes[] = {"typed", "dynamic", "metadata"};
	static const unsigned pages[] = {1, 2, 3, 10, 500};

	if (w->flavour != SUBJECT_TYPED)
		sim_must(base_buf_printf(w->out, "\"mode\":\"%s\",", modes[w->flavour]));
	if (world_chance(w, 15))
		sim_must(base_buf_printf(w->out, "\"page_size\":%u,", pages[world_below(w, 5)]));
	if (world_chance(w, 10))
		world_put(w->out, "\"namespace\":\"default\",");
	if (world_chance(w, 10))
		world_put(w->out, "\"label_selector\":\"a in (x,y),!b\",");
	if (world_chance(w, 10))
		world_put(w->out, "\"field_selector\":\"metadata.name=cm-01\",");
	if (w->flavour == SUBJECT_TYPED && world_chance(w, 10))
		world_put(w->out, "\"drop_data\":true,");
	if (world_chance(w, 10))
		world_put(w->out, "\"drop_managed_fields\":true,");
	if (world_chance(w, 6))
		sim_must(base_buf_printf(w->out, "\"fail_on\":\"default/cm-%02llu\",",
					 (unsigned long long)world_below(w, WORLD_NAMES_MAX)));
}

void tape_random(uint64_t seed, struct base_buf *out)
{
	struct base_prng random;
	struct world w;

	base_prng_seed(&random, seed, BASE_STR("tape"));
	world_init(&w, &random, out);
	sim_must(base_buf_printf(out, "{\"name\":\"seed-%llu\",", (unsigned long long)seed));
	put_draw(&w, seed);
	put_gates(&w);
	put_informer(&w);
	sim_must(base_buf_printf(
		out, "\"resync_ns\":%llu,",
		(unsigned long long)(world_chance(&w, 40)
					     ? (1 + world_below(&w, 60)) * WORLD_SECOND_NS
					     : 0)));
	world_put(out, "\"handlers\":[");
	const uint64_t handler_count = world_chance(&w, 5) ? 0 : 1 + world_below(&w, 3);
	for (uint64_t i = 0; i < handler_count; i++) {
		world_put(out, i > 0 ? "," : "");
		put_handler(&w);
	}
	world_put(out, "],");
	const uint64_t end_ns = (60 + world_below(&w, 600)) * WORLD_SECOND_NS;
	put_actions(&w, handler_count, end_ns);
	sim_must(base_buf_printf(out, "\"end_ns\":%llu,\"rules\":{", (unsigned long long)end_ns));
	put_rule(&w, "list", false, false);
	world_put(out, ",");
	put_rule(&w, "watch", true, false);
	world_put(out, ",");
	put_rule(&w, "watchlist", true, true);
	world_put(out, "}}\n");
	world_release(&w);
}
