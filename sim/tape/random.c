#include "sim/tape/random.h"

#include <stdio.h>

#include "base/prng.h"
#include "sim/fatal.h"

#define SECOND_NS UINT64_C(1000000000)
#define NAMES_MAX 12

/* A world that moves on while answers are made. */
struct world {
	struct base_prng *random;
	struct base_buf *out;
	struct base_buf text; /* scratch for one body or line */
	uint64_t rv;
	uint64_t ticks; /* makes odd nanoseconds, so that no two instants meet by chance */
	bool exists[NAMES_MAX];
	uint64_t versions[NAMES_MAX];
};

static uint64_t below(struct world *w, uint64_t bound)
{
	return base_prng_below(w->random, bound);
}

static bool chance(struct world *w, uint64_t percent)
{
	return base_prng_chance(w->random, percent, 100);
}

static void put(struct base_buf *out, const char *text)
{
	sim_must(base_buf_text(out, text));
}

/* A time up to max_ms, off every grid. */
static uint64_t some_ns(struct world *w, uint64_t max_ms)
{
	w->ticks++;
	return below(w, max_ms + 1) * 1000000 + w->ticks * 2 + 1;
}

/* ---- Objects ---- */

static void put_object(struct world *w, const char *kind, size_t name, const char *rv)
{
	sim_must(base_buf_printf(
		&w->text,
		"{\"kind\":\"%s\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"cm-%02zu\","
		"\"namespace\":\"default\",\"uid\":\"uid-%02zu\"",
		kind, name, name));
	if (rv != NULL)
		sim_must(base_buf_printf(&w->text, ",\"resourceVersion\":\"%s\"", rv));
	put(&w->text, chance(w, 3) ? ",\"labels\":{\"a\":\"\\u00e9\",\"b\":null}" : "");
	put(&w->text, chance(w, 1) ? ",\"generation\":\"no number\"" : "");
	put(&w->text, ",\"creationTimestamp\":\"2000-01-01T00:00:00Z\"},\"data\":{\"k\":");
	if (chance(w, 1))
		put(&w->text, "5}}"); /* a typed client takes only strings */
	else
		sim_must(base_buf_printf(&w->text, "\"v%s\"}}", rv != NULL ? rv : ""));
}

static void put_version(char *out, size_t size, struct world *w, uint64_t version)
{
	if (chance(w, 2))
		snprintf(out, size, "%llu", (unsigned long long)(version > 5 ? version - 5 : 1));
	else if (chance(w, 1))
		snprintf(out, size, "%s", "");
	else
		snprintf(out, size, "%llu", (unsigned long long)version);
}

/* One change of the world; its name. */
static size_t change(struct world *w, const char **type)
{
	const size_t name = (size_t)below(w, NAMES_MAX);
	w->rv++;
	if (!w->exists[name]) {
		w->exists[name] = true;
		*type = "ADDED";
	} else if (chance(w, 40)) {
		w->exists[name] = false;
		*type = "DELETED";
	} else {
		*type = "MODIFIED";
	}
	w->versions[name] = w->rv;
	return name;
}

/* ---- Bodies ---- */

static void put_status(struct world *w, int code, const char *reason, const char *message)
{
	sim_must(base_buf_printf(
		&w->text,
		"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
		"\"Failure\",\"message\":\"%s\",\"reason\":\"%s\",\"code\":%d}",
		message, reason, code));
}

struct failure {
	int status;
	const char *reason, *message;
	const char *raw;  /* instead of a Status */
	bool retry_after; /* with Retry-After: 1 */
};

static const struct failure failures[] = {
	{400, "BadRequest", "bad", NULL, false},
	{401, "Unauthorized", "Unauthorized", NULL, false},
	{403, "Forbidden", "configmaps is forbidden", NULL, false},
	{404, "", "", "404 page not found\n", false},
	{410, "Expired", "too old resource version", NULL, false},
	{410, "", "", "gone", false},
	{410, "Gone", "gone", NULL, false},
	{422, "Invalid", "invalid", NULL, false},
	{429, "TooManyRequests", "slow down", NULL, false},
	{429, "TooManyRequests", "slow down", NULL, true},
	{500, "InternalError", "boom", NULL, false},
	{503, "", "", "upstream connect error", false},
	{503, "ServiceUnavailable", "not now", NULL, true},
	{504, "Timeout", "Too large resource version: 9, current: 1", NULL, false},
	{504, "Timeout", "took too long", NULL, true},
	{204, "", "", "", false},
	{418, "", "", "teapot", false},
};

static void put_list(struct world *w)
{
	char version[32];
	bool first = true;
	size_t from = 0;

	for (uint64_t n = below(w, 5); n > 0; n--) {
		const char *type;
		(void)change(w, &type);
	}
	put_version(version, sizeof(version), w, w->rv);
	sim_must(base_buf_printf(&w->text,
				 "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{"
				 "\"resourceVersion\":\"%s\"",
				 version));
	if (chance(w, 15))
		sim_must(base_buf_printf(&w->text, ",\"continue\":\"tok%llu\"",
					 (unsigned long long)w->rv));
	put(&w->text, "}");
	if (chance(w, 4)) {
		put(&w->text, chance(w, 50) ? ",\"items\":null}" : "}");
		return;
	}
	put(&w->text, ",\"items\":[");
	if (chance(w, 10))
		from = (size_t)below(w, NAMES_MAX);
	for (size_t i = from; i < NAMES_MAX; i++) {
		if (!w->exists[i])
			continue;
		put(&w->text, first ? "" : ",");
		first = false;
		snprintf(version, sizeof(version), "%llu", (unsigned long long)w->versions[i]);
		put_object(w, "ConfigMap", i, version);
		if (chance(w, 2)) { /* the same once more */
			put(&w->text, ",");
			put_object(w, "ConfigMap", i, version);
		}
	}
	put(&w->text, "]}");
}

/* ---- Lines ---- */

static void put_event(struct world *w, const char *type, const char *kind, size_t name,
		      uint64_t version)
{
	char text[32];
	put_version(text, sizeof(text), w, version);
	sim_must(base_buf_printf(&w->text, "{\"type\":\"%s\",\"object\":", type));
	put_object(w, kind, name, text);
	put(&w->text, "}");
}

static void put_bookmark(struct world *w, const char *end)
{
	sim_must(base_buf_printf(
		&w->text,
		"{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
		"\"metadata\":{\"resourceVersion\":\"%llu\",\"creationTimestamp\":null",
		(unsigned long long)w->rv));
	if (end != NULL)
		sim_must(base_buf_printf(
			&w->text, ",\"annotations\":{\"k8s.io/initial-events-end\":\"%s\"}", end));
	put(&w->text, "}}}");
}

static void put_error(struct world *w)
{
	const struct failure *failure = &failures[below(w, sizeof(failures) / sizeof(*failures))];
	if (failure->raw != NULL || chance(w, 10)) {
		put_event(w, "ERROR", "ConfigMap", 0, w->rv);
		return;
	}
	put(&w->text, "{\"type\":\"ERROR\",\"object\":");
	put_status(w, failure->status, failure->reason, failure->message);
	put(&w->text, "}");
}

static void put_odd(struct world *w)
{
	switch (below(w, 8)) {
	case 0: put(&w->text, "{not json"); break;
	case 1: put_event(w, "ODD", "ConfigMap", 1, w->rv); break;
	case 2: put_event(w, "ADDED", "Secret", 2, w->rv); break;
	case 3: put_event(w, "ADDED", "NoSuchKind", 3, w->rv); break;
	case 4: put(&w->text, "{\"type\":\"ADDED\"}"); break;
	case 5: put(&w->text, "   "); break;
	case 6: put(&w->text, "{\"type\":\"MODIFIED\",\"object\":null}"); break;
	default: put(&w->text, "{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\"}}"); break;
	}
}

static void put_line(struct world *w)
{
	const char *type;
	base_buf_clear(&w->text);
	if (chance(w, 4)) {
		put_odd(w);
	} else if (chance(w, 5)) {
		put_error(w);
	} else if (chance(w, 15)) {
		put_bookmark(w, chance(w, 3) ? "false" : NULL);
	} else {
		for (uint64_t n = chance(w, 4) ? 2 : 1; n > 0; n--) {
			const size_t name = change(w, &type);
			put_event(w, type, "ConfigMap", name, w->rv);
		}
	}
}

/* ---- Answers ---- */

static void put_step(struct world *w, bool *first, uint64_t at_ns)
{
	sim_must(base_buf_printf(w->out, "%s{\"at\":%llu,\"line\":", *first ? "" : ",",
				 (unsigned long long)at_ns));
	sim_must(base_buf_json_string(w->out, base_buf_peek(&w->text)));
	put(w->out, "}");
	*first = false;
}

static void put_initial(struct world *w, bool *first, uint64_t *at_ns)
{
	char version[32];
	for (size_t i = 0; i < NAMES_MAX; i++) {
		if (!w->exists[i])
			continue;
		base_buf_clear(&w->text);
		snprintf(version, sizeof(version), "%llu", (unsigned long long)w->versions[i]);
		put(&w->text, "{\"type\":\"ADDED\",\"object\":");
		put_object(w, "ConfigMap", i, version);
		put(&w->text, "}");
		*at_ns += chance(w, 20) ? some_ns(w, 500) : 0;
		put_step(w, first, *at_ns);
	}
	if (chance(w, 15))
		return;
	base_buf_clear(&w->text);
	put_bookmark(w, chance(w, 95) ? "true" : "True");
	*at_ns += chance(w, 30) ? some_ns(w, 30000) : 0;
	put_step(w, first, *at_ns);
}

static void put_stream(struct world *w, bool initial)
{
	bool first = true;
	uint64_t at_ns = chance(w, 50) ? 0 : some_ns(w, 3000);

	put(w->out, "\"stream\":[");
	if (initial)
		put_initial(w, &first, &at_ns);
	for (uint64_t n = below(w, 8); n > 0; n--) {
		at_ns += chance(w, 30) ? 0 : some_ns(w, chance(w, 50) ? 2000 : 60000);
		put_line(w);
		put_step(w, &first, at_ns);
	}
	/* A stream that ends at once and for ever is a loop in zero time: give it a second most times. */
	at_ns += chance(w, 10) ? some_ns(w, 900) : SECOND_NS + some_ns(w, 90000);
	if (chance(w, 60))
		sim_must(base_buf_printf(w->out, "%s{\"at\":%llu,\"close\":\"%s\"}",
					 first ? "" : ",", (unsigned long long)at_ns,
					 chance(w, 70) ? "eof" : "reset"));
	put(w->out, chance(w, 60) ? "],\"timeout\":true" : "]");
}

static void put_failure(struct world *w)
{
	const struct failure *failure = &failures[below(w, sizeof(failures) / sizeof(*failures))];
	if (chance(w, 25)) {
		sim_must(base_buf_printf(w->out, "\"err\":\"%s\"",
					 chance(w, 60) ? "refused" : "eof"));
		return;
	}
	base_buf_clear(&w->text);
	if (failure->raw != NULL)
		put(&w->text, failure->raw);
	else
		put_status(w, failure->status, failure->reason, failure->message);
	sim_must(base_buf_printf(w->out, "\"status\":%d,\"body\":", failure->status));
	sim_must(base_buf_json_string(w->out, base_buf_peek(&w->text)));
	if (failure->retry_after)
		put(w->out, ",\"hdr\":{\"Retry-After\":\"1\"}");
}

static void put_body(struct world *w)
{
	base_buf_clear(&w->text);
	if (chance(w, 4))
		put(&w->text, "{");
	else if (chance(w, 3))
		put_status(w, 500, "InternalError", "in a 200");
	else
		put_list(w);
	put(w->out, "\"body\":");
	sim_must(base_buf_json_string(w->out, base_buf_peek(&w->text)));
}

static void put_rule(struct world *w, const char *name, bool stream, bool initial)
{
	const uint64_t count = 2 + below(w, 6);
	sim_must(base_buf_printf(w->out, "\"%s\":[", name));
	for (uint64_t i = 0; i < count; i++) {
		put(w->out, i > 0 ? ",{" : "{");
		/* The last answer repeats for ever: it had better be a good one. */
		if (i + 1 < count && chance(w, 35))
			put_failure(w);
		else if (stream)
			put_stream(w, initial);
		else
			put_body(w);
		if (chance(w, 50))
			sim_must(base_buf_printf(w->out, ",\"delay\":%llu",
						 (unsigned long long)some_ns(w, 3000)));
		put(w->out, "}");
	}
	put(w->out, "]");
}

static void put_handlers(struct world *w)
{
	put(w->out, "\"handlers\":[");
	for (uint64_t i = 0, count = 1 + below(w, 3); i < count; i++) {
		put(w->out, i > 0 ? ",{" : "{");
		if (chance(w, 60))
			put(w->out, "\"resync_ns\":null");
		else
			sim_must(base_buf_printf(
				w->out, "\"resync_ns\":%llu",
				(unsigned long long)(below(w, 80) * (SECOND_NS / 2))));
		sim_must(base_buf_printf(w->out, ",\"slow_ns\":%llu}",
					 (unsigned long long)(chance(w, 20) ? some_ns(w, 4000)
									    : 0)));
	}
	put(w->out, "]");
}

void tape_random(uint64_t seed, struct base_buf *out)
{
	struct base_prng random;
	struct world w = {.random = &random, .out = out, .rv = 100};

	base_prng_seed(&random, seed, BASE_STR("tape"));
	base_buf_init(&w.text, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < NAMES_MAX; i++) {
		w.exists[i] = chance(&w, 40);
		w.versions[i] = w.exists[i] ? ++w.rv : 0;
	}
	sim_must(base_buf_printf(out, "{\"name\":\"seed-%llu\",", (unsigned long long)seed));
	if (chance(&w, 50))
		put(out, "\"draw\":\"const:0.5\"");
	else
		sim_must(base_buf_printf(out, "\"draw\":\"splitmix64:%llu\"",
					 (unsigned long long)seed));
	sim_must(base_buf_printf(out, ",\"gates\":{\"WatchListClient\":%s}",
				 chance(&w, 60) ? "true" : "false"));
	sim_must(base_buf_printf(
		out, ",\"resync_ns\":%llu,",
		(unsigned long long)(chance(&w, 40) ? (1 + below(&w, 60)) * SECOND_NS : 0)));
	put_handlers(&w);
	sim_must(base_buf_printf(out, ",\"end_ns\":%llu,\"rules\":{",
				 (unsigned long long)((60 + below(&w, 600)) * SECOND_NS)));
	put_rule(&w, "list", false, false);
	put(out, ",");
	put_rule(&w, "watch", true, false);
	put(out, ",");
	put_rule(&w, "watchlist", true, true);
	put(out, "}}\n");
	base_buf_release(&w.text);
}
