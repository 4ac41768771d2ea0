/* Answers of random tapes: failures of every kind, bodies, streams. */
#include <stdio.h>

#include "sim/fatal.h"
#include "sim/tape/random_world.h"

/* ---- Failures ---- */

struct failure {
	int status;
	const char *reason, *message;
	const char *raw;     /* instead of a Status */
	const char *headers; /* members of "hdr"; NULL: none */
	const char *details; /* of the Status; NULL: none */
};

#define TEXT_PLAIN "\"Content-Type\":\"text/plain\""
#define AFTER(value) "\"Retry-After\":\"" value "\""
#define TOO_LARGE "Too large resource version"

static const struct failure failures[] = {
	{400, "BadRequest", "bad", NULL, NULL, NULL},
	{401, "Unauthorized", "Unauthorized", NULL, NULL, NULL},
	{401, "", "", "Unauthorized", TEXT_PLAIN, NULL},
	{403, "Forbidden", "configmaps is forbidden", NULL, NULL, NULL},
	{404, "", "", "404 page not found\n", TEXT_PLAIN, NULL},
	{404, "NotFound", "the server could not find it", NULL, NULL, NULL},
	{405, "", "", "", NULL, NULL},
	{406, "NotAcceptable", "only YAML", NULL, NULL, NULL},
	{409, "Conflict", "conflict", NULL, NULL, NULL},
	{410, "Expired", "too old resource version: 1 (2)", NULL, NULL, NULL},
	{410, "Expired", "the continue token is too old", NULL, NULL, NULL},
	{410, "Gone", "gone", NULL, NULL, NULL},
	{410, "", "no reason", NULL, NULL, NULL},
	{410, "", "", "gone", TEXT_PLAIN, NULL},
	{410, "Unheard", "a reason of its own", NULL, NULL, NULL},
	{500, "Expired", "expired with another code", NULL, NULL, NULL},
	{413, "RequestEntityTooLarge", "large", NULL, NULL, NULL},
	{415, "UnsupportedMediaType", "no", NULL, NULL, NULL},
	{422, "Invalid", "sendInitialEvents is forbidden", NULL, NULL, NULL},
	{429, "TooManyRequests", "slow down", NULL, NULL, NULL},
	{429, "TooManyRequests", "slow down", NULL, AFTER("1"), "{\"retryAfterSeconds\":1}"},
	{429, "TooManyRequests", "slow down", NULL, AFTER("0"), NULL},
	{429, "TooManyRequests", "slow down", NULL, AFTER("7"), NULL},
	{429, "TooManyRequests", "slow down", NULL, AFTER("soon"), NULL},
	{429, "TooManyRequests", "slow down", NULL, AFTER("-1"), NULL},
	{429, "TooManyRequests", "slow down", NULL, AFTER(" 2"), NULL},
	{429, "TooManyRequests", "slow down", NULL, AFTER("+1"), NULL},
	{429, "TooManyRequests", "slow down", NULL, AFTER("1.5"), NULL},
	{429, "TooManyRequests", "slow down", NULL, AFTER("Sat, 01 Jan 2000 00:00:05 GMT"), NULL},
	{429, "", "", "slow down", TEXT_PLAIN "," AFTER("1"), NULL},
	{429, "Unheard", "a reason of its own", NULL, NULL, NULL},
	{500, "InternalError", "boom", NULL, NULL, NULL},
	{500, "InternalError", "boom", NULL, AFTER("1"), NULL},
	{500, "", "", "<html>boom</html>", "\"Content-Type\":\"text/html\"", NULL},
	{500, "", "", "", NULL, NULL},
	{500, "TooManyRequests", "429 by its reason", NULL, NULL, NULL},
	{501, "", "", "not implemented", NULL, NULL},
	{502, "", "", "bad gateway", TEXT_PLAIN, NULL},
	{503, "", "", "upstream connect error", TEXT_PLAIN, NULL},
	{503, "ServiceUnavailable", "not now", NULL, AFTER("1"), NULL},
	{503, "", "", "{\"kind\":\"Status\"}", NULL, NULL},
	{503, "", "",
	 "{\"kind\":\"Status\",\"apiVersion\":\"w/v9\",\"status\":\"Failure\",\"code\":410,\"reason\":\"Expired\"}",
	 NULL, NULL},
	{503, "", "", "{\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":429}", NULL, NULL},
	{500, "", "",
	 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":\"410\"}",
	 NULL, NULL},
	{500, "", "",
	 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"Expired\",\"details\":7}",
	 NULL, NULL},
	{410, "", "",
	 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\",\"code\":200}", NULL,
	 NULL},
	{404, "", "",
	 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":410}",
	 TEXT_PLAIN, NULL},
	{500, "", "",
	 "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":410}", NULL,
	 NULL},
	{500, "", "",
	 "{\"kind\":\"Status\",\"apiVersion\":\"a/b/c\",\"status\":\"Failure\",\"code\":429}", NULL,
	 NULL},
	{429, "", "",
	 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":500,\"reason\":\"InternalError\"}",
	 NULL, NULL},
	{503, "", "", "nothing said of its type", "\"Content-Type\":\"\"", NULL},
	{410, "Expired", "a Status of another type", NULL, "\"Content-Type\":\"image/png\"", NULL},
	{504, "Timeout", "took too long", NULL, AFTER("1"), NULL},
	{504, "Timeout", TOO_LARGE ": 9, current: 1", NULL, NULL, NULL},
	{504, "Timeout", TOO_LARGE ": 9, current: 1", NULL, NULL, "{\"retryAfterSeconds\":1}"},
	{504, "Timeout", TOO_LARGE ": 9, current: 1", NULL, AFTER("1"),
	 "{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\",\"message\":\"" TOO_LARGE "\"}],"
	 "\"retryAfterSeconds\":1}"},
	{504, "Timeout", "only by its cause", NULL, NULL,
	 "{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\",\"message\":\"x\"}]}"},
	{504, "Timeout", "only by its cause's text", NULL, NULL,
	 "{\"causes\":[{\"message\":\"" TOO_LARGE "\"}]}"},
	{500, "InternalError", "a cause with another code", NULL, NULL,
	 "{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\",\"message\":\"x\"}]}"},
	{504, "", TOO_LARGE, NULL, NULL, "{}"},
	{504, "", "", TOO_LARGE, TEXT_PLAIN, NULL},
	{204, "", "", "", NULL, NULL},
	{301, "", "", "elsewhere", NULL, NULL},
	{304, "", "", "", NULL, NULL},
	{418, "", "", "teapot", NULL, NULL},
	{599, "", "", "who knows", NULL, NULL},
};

#define FAILURE_COUNT (sizeof(failures) / sizeof(*failures))

static void put_status(struct world *w, const struct failure *failure)
{
	sim_must(base_buf_printf(
		&w->text,
		"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
		"\"Failure\",\"message\":\"%s\",\"reason\":\"%s\"",
		failure->message, failure->reason));
	if (failure->details != NULL)
		sim_must(base_buf_printf(&w->text, ",\"details\":%s", failure->details));
	sim_must(base_buf_printf(&w->text, ",\"code\":%d}", failure->status));
}

/* Expired, refused and 429 are what the reflector tells apart: they come more often than the rest. */
static const struct failure *some_failure(struct world *w)
{
	const struct failure *failure;
	size_t tries = 3;

	do
		failure = &failures[world_below(w, FAILURE_COUNT)];
	while (--tries > 0 && failure->status != 410 && failure->status != 429 &&
	       world_chance(w, 40));
	return failure;
}

void world_put_failure(struct world *w)
{
	static const char *const faults[] = {"refused", "refused", "refused",         "eof",
					     "reset",   "timeout", "connection-lost", "tls"};
	const struct failure *failure = some_failure(w);

	if (world_chance(w, 25)) {
		sim_must(base_buf_printf(w->out, "\"err\":\"%s\"", faults[world_below(w, 8)]));
		return;
	}
	base_buf_clear(&w->text);
	if (failure->raw != NULL)
		world_put(&w->text, failure->raw);
	else
		put_status(w, failure);
	sim_must(base_buf_printf(w->out, "\"status\":%d,\"body\":", failure->status));
	sim_must(base_buf_json_string(w->out, base_buf_peek(&w->text)));
	if (failure->headers != NULL)
		sim_must(base_buf_printf(w->out, ",\"hdr\":{%s}", failure->headers));
}

/* ---- Bodies ---- */

static void put_split(struct world *w)
{
	if (world_chance(w, w->splitting))
		sim_must(base_buf_printf(w->out, ",\"split\":%llu",
					 (unsigned long long)(1 + world_below(w, 40))));
}

void world_put_body(struct world *w)
{
	static const char *const odd[] = {
		"{",
		"",
		"null",
		"[]",
		"{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"7\"},\"rows\":[]}",
		"{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"7\"}}",
		"{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"items\":[]}",
		"{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":null,\"items\":{}}",
		"{\"items\":[]}",
		"{\"kind\":5,\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[]}",
		"{\"kind\":\"ConfigMapList\",\"apiVersion\":\"a/b/c\",\"metadata\":{},\"items\":[]}",
		"{\"kind\":\"ConfigMapList\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}",
		"{\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}",
		"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\",\"metadata\":{\"resourceVersion\":\"9\"}}",
		"{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1beta1\",\"metadata\":{},\"items\":[]}",
		"<html>",
	};

	base_buf_clear(&w->text);
	if (world_is_odd(w, 10))
		world_put(&w->text, odd[world_below(w, sizeof(odd) / sizeof(*odd))]);
	else if (world_is_odd(w, 25))
		put_status(w, some_failure(w));
	else
		world_put_list(w);
	world_put(w->out, "\"body\":");
	sim_must(base_buf_json_string(w->out, base_buf_peek(&w->text)));
	if (world_is_odd(w, 50))
		world_put(w->out, ",\"hdr\":{\"Content-Type\":\"application/json;charset=utf-8\"}");
	put_split(w);
}

/* ---- Lines ---- */

static void put_event(struct world *w, const char *type, const char *kind, size_t name,
		      uint64_t version)
{
	char text[32];

	world_version(w, version, text, sizeof(text));
	sim_must(base_buf_printf(&w->text, "{\"type\":\"%s\",\"object\":", type));
	world_put_object(w, kind, name, text);
	world_put(&w->text, "}");
}

static void put_bookmark(struct world *w, const char *end)
{
	char text[32];

	world_version(w, w->rv, text, sizeof(text));
	sim_must(base_buf_printf(
		&w->text,
		"{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"%s\",\"apiVersion\":\"%s\","
		"\"metadata\":{\"resourceVersion\":\"%s\",\"creationTimestamp\":null",
		world_is_odd(w, 40) ? "Secret" : w->kind, w->api_version, text));
	if (end != NULL)
		sim_must(base_buf_printf(
			&w->text, ",\"annotations\":{\"k8s.io/initial-events-end\":\"%s\"}", end));
	world_put(&w->text, "}}}");
}

static void put_error(struct world *w)
{
	const struct failure *failure = some_failure(w);

	if (failure->raw != NULL) {
		put_event(w, "ERROR", w->kind, 0, w->rv);
		return;
	}
	world_put(&w->text, "{\"type\":\"ERROR\",\"object\":");
	put_status(w, failure);
	world_put(&w->text, "}");
}

static void put_odd(struct world *w)
{
	static const char *const odd[] = {
		"{not json",
		"{'type':'ADDED'}",
		"{\"type\":\"ADDED\",}",
		"{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{}}}}",
		"{\"Type\":\"ADDED\",\"Object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\"}}",
		"{\"type\":\"ADDED\",\"type\":\"DELETED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"cm-01\",\"namespace\":\"default\"}}}",
		"{\"type\":\"ADDED\",\"object\":{},\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"cm-77\"}}}",
		"{\"type\":\"ADDED\",\"more\":1,\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"cm-78\"},\"data\":{\"k\":\"a\tb\"}}}",
		"{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"cm-79\"},\"data\":{\"k\":\"\\x\"}}}",
		"{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"cm-79\",\"generation\":01}}}",
		"{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"cm-79\"},\"data\":NaN}}",
		"\xef\xbb\xbf{\"type\":\"ADDED\"}",
		"// comment",
		"]",
		"\"ADDED\"",
		"{\"type\":\"ADDED\",\"object\":{\"apiVersion\":\"/v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"cm-80\",\"namespace\":\"default\"}}}",
		"{\"type\":\"ADDED\",\"object\":{\"apiVersion\":\"v1/\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"cm-80\"}}}",
		"{\"type\":\"ADDED\",\"object\":{\"apiVersion\":\"/\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"cm-80\"}}}",
		"{\"type\":\"ADDED\"}",
		"   ",
		"",
		"{\"type\":\"MODIFIED\",\"object\":null}",
		"{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\"}}",
		"{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\"}}",
		"{\"type\":\"ADDED\",\"object\":{\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}}",
		"{\"type\":\"ADDED\",\"object\":[]}",
		"{\"type\":\"ADDED\",\"object\":\"text\"}",
		"{\"type\":5,\"object\":{}}",
		"{\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}}",
		"{}",
		"null",
		"7",
		"{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\"}}",
		"{\"type\":\"ERROR\"}",
		"{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"w/v9\",\"code\":410}}",
		"{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"a/b/c\",\"metadata\":{}}}",
		"{\"type\":\"ADDED\",\"object\":{\"kind\":7,\"apiVersion\":\"v1\",\"metadata\":{}}}",
		"{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v2\",\"metadata\":{\"name\":\"a\"}}}",
		"{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[]}}",
		"{\"type\":\"ADDED\",\"object\":{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{}}}",
		"{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":410}}",
	};
	static const char *const types[] = {"ODD", "added", "", "SYNC"};
	static const char *const kinds[] = {"Secret", "NoSuchKind", "ConfigMapList", ""};

	if (world_chance(w, 30))
		put_event(w, types[world_below(w, 4)], w->kind, 1, w->rv);
	else if (world_chance(w, 40))
		put_event(w, "ADDED", kinds[world_below(w, 4)], 2, w->rv);
	else
		world_put(&w->text, odd[world_below(w, sizeof(odd) / sizeof(*odd))]);
}

static void put_line(struct world *w)
{
	const char *type;

	base_buf_clear(&w->text);
	if (world_is_odd(w, 8)) {
		put_odd(w);
	} else if (world_chance(w, w->failing / 5)) {
		put_error(w);
	} else if (world_chance(w, 15)) {
		put_bookmark(w, world_chance(w, 10)   ? "true"
				: world_is_odd(w, 10) ? "false"
						      : NULL);
	} else {
		for (uint64_t n = world_chance(w, 4) ? 3 : 1; n > 0; n--) {
			const size_t name = world_change(w, &type);

			put_event(w, type, w->kind, name, w->rv);
			if (n > 1 && world_chance(w, 50))
				world_put(&w->text, " ");
		}
	}
}

/* ---- Streams ---- */

static void put_bytes(struct world *w, bool *first, uint64_t at_ns, const char *member,
		      struct base_str bytes)
{
	sim_must(base_buf_printf(w->out, "%s{\"at\":%llu,\"%s\":", *first ? "" : ",",
				 (unsigned long long)at_ns, member));
	sim_must(base_buf_json_string(w->out, bytes));
	world_put(w->out, "}");
	*first = false;
}

/* The line, or its first half now and the rest a moment later. */
static void put_step(struct world *w, bool *first, uint64_t *at_ns)
{
	const struct base_str line = base_buf_peek(&w->text);

	if (line.len < 8 || !world_chance(w, w->splitting / 5)) {
		put_bytes(w, first, *at_ns, "line", line);
		return;
	}
	size_t half = 1 + (size_t)world_below(w, line.len - 1);
	while (half < line.len && ((unsigned char)line.ptr[half] & 0xc0) == 0x80)
		half++;
	put_bytes(w, first, *at_ns, "data", base_str_take(line, half));
	*at_ns += world_some_ns(w, 5000);
	put_bytes(w, first, *at_ns, "line", base_str_skip(line, half));
}

static void put_initial(struct world *w, bool *first, uint64_t *at_ns)
{
	static const char *const odd_ends[] = {"True", "false", "", "1"};
	char version[32];

	for (size_t i = 0; i < WORLD_NAMES_MAX; i++) {
		if (!w->exists[i])
			continue;
		base_buf_clear(&w->text);
		world_version(w, w->versions[i], version, sizeof(version));
		world_put(&w->text, "{\"type\":\"ADDED\",\"object\":");
		world_put_object(w, w->kind, i, version);
		world_put(&w->text, "}");
		*at_ns += world_chance(w, 20) ? world_some_ns(w, 500) : 0;
		put_step(w, first, at_ns);
		if (world_is_odd(w, 20)) {
			base_buf_clear(&w->text);
			put_odd(w);
			put_step(w, first, at_ns);
		}
	}
	for (uint64_t n = world_chance(w, 15) ? world_below(w, 4) : 0; n > 0; n--) {
		put_line(w);
		put_step(w, first, at_ns);
	}
	if (world_chance(w, 15))
		return;
	base_buf_clear(&w->text);
	put_bookmark(w, world_is_odd(w, 10) ? odd_ends[world_below(w, 4)] : "true");
	*at_ns += world_chance(w, 30) ? world_some_ns(w, 30000) : 0;
	put_step(w, first, at_ns);
}

void world_put_stream(struct world *w, bool initial, bool last)
{
	static const char *const closes[] = {"eof",
					     "eof",
					     "eof",
					     "eof",
					     "reset",
					     "timeout",
					     "connection-reset",
					     "connection-lost"};
	bool first = true;
	uint64_t at_ns = world_chance(w, 50) ? 0 : world_some_ns(w, 3000);

	world_put(w->out, "\"stream\":[");
	if (initial)
		put_initial(w, &first, &at_ns);
	const bool burst = world_chance(w, 15);
	for (uint64_t n = burst ? 10 + world_below(w, 20) : world_below(w, 8); n > 0; n--) {
		at_ns += burst || world_chance(w, 30)
				 ? 0
				 : world_some_ns(w, world_chance(w, 50) ? 2000 : 60000);
		put_line(w);
		put_step(w, &first, &at_ns);
	}
	if (world_is_odd(w, 15))
		put_bytes(w, &first, at_ns, "data", BASE_STR("{\"type\":\"ADDED\",\"obj"));
	/* The last stream repeats for ever; one that ends at once is a loop in zero time, seldom wanted. */
	at_ns += world_chance(w, last ? 3 : 15) ? world_some_ns(w, 900)
						: WORLD_SECOND_NS + world_some_ns(w, 90000);
	if (last ? world_chance(w, 2) : world_chance(w, 5))
		at_ns = 0;
	if (world_chance(w, 60))
		sim_must(base_buf_printf(w->out, "%s{\"at\":%llu,\"close\":\"%s\"}",
					 first ? "" : ",", (unsigned long long)at_ns,
					 closes[world_below(w, 8)]));
	world_put(w->out, world_chance(w, 60) ? "],\"timeout\":true" : "]");
	if (world_is_odd(w, 60))
		world_put(w->out, ",\"hdr\":{\"Content-Type\":\"application/json;stream=watch\"}");
	put_split(w);
}
