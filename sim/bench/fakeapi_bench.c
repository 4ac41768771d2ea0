#include "sim/bench/fakeapi_bench.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fakeapi/fakeapi.h"
#include "sim/fatal.h"

#define SIZE_COUNT 2
#define PAGE "500"
#define MAPS "/api/v1/namespaces/bench/configmaps"

static const size_t object_counts[SIZE_COUNT] = {25000, 100000};
static const size_t watcher_counts[SIZE_COUNT] = {250, 1000};

struct figures {
	size_t objects, watchers;
	double create_s, list_s, pages_s, fan_out_s;
	size_t list_bytes, page_count, lines;
	size_t object_bytes, watcher_bytes; /* each */
};

/* ---- An allocator that knows what malloc really took ---- */

static size_t live_bytes;

static size_t taken(void *block)
{
	return block != NULL ? malloc_usable_size(block) + sizeof(size_t) : 0;
}

static void *counted_alloc(void *self, size_t size)
{
	void *block = malloc(size);

	(void)self;
	live_bytes += taken(block);
	return block;
}

static void *counted_realloc(void *self, void *block, size_t size)
{
	size_t before = taken(block);
	void *moved = realloc(block, size);

	(void)self;
	if (moved != NULL)
		live_bytes += taken(moved) - before;
	return moved;
}

static void counted_free(void *self, void *block)
{
	(void)self;
	live_bytes -= taken(block);
	free(block);
}

static const struct base_alloc counted = {
	.alloc = counted_alloc, .realloc = counted_realloc, .free = counted_free};

static double seconds(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- A client that counts what comes ---- */

struct client {
	struct fakeapi_conn *conn;
	size_t bytes, lines;
	bool keeps;
	struct base_buf kept;
};

static enum base_code on_send(void *ctx, const char *ptr, size_t len)
{
	struct client *client = ctx;

	client->bytes += len;
	for (const char *at = ptr; (at = memchr(at, '\n', len - (size_t)(at - ptr))) != NULL; at++)
		client->lines += at > ptr && at[-1] == '}';
	return client->keeps ? base_buf_append(&client->kept, ptr, len) : BASE_OK;
}

static void on_close(void *ctx, enum fakeapi_close how)
{
	(void)how;
	((struct client *)ctx)->conn = NULL;
}

static const struct fakeapi_conn_ops ops = {.send = on_send, .close = on_close};

static bool ask(struct fakeapi *f, struct client *client, struct base_str target)
{
	struct base_buf request;
	struct base_error error = {0};

	base_buf_init(&request, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(&request, "GET %.*s HTTP/1.1\r\nHost: x\r\n\r\n",
				 BASE_STR_ARG(target)));
	client->bytes = client->lines = 0;
	if (client->conn == NULL)
		client->conn = fakeapi_connect(f, &ops, client, BASE_STR("bench"), &error);
	if (client->conn != NULL)
		fakeapi_conn_recv(client->conn, request.ptr, request.len);
	base_buf_release(&request);
	return client->conn != NULL && client->bytes > 0;
}

/* ---- The measurements ---- */

/* Names come in no order, as a cluster's do. */
static unsigned name_of(size_t i)
{
	return (unsigned)(i * 2654435761U);
}

static bool create(struct fakeapi *f, size_t i)
{
	struct fakeapi_answer answer = {0};
	struct base_buf body;
	bool made;

	base_buf_init(&body, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(
		&body,
		"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"map-%08x\","
		"\"labels\":{\"app\":\"bench\",\"shard\":\"%zu\"}},\"data\":{\"key\":"
		"\"a value of a few dozen bytes, as they are in many clusters\"}}",
		name_of(i), i % 16));
	made = fakeapi_do(f, "POST", BASE_STR(MAPS), base_buf_peek(&body), &answer) == BASE_OK &&
	       answer.status == 201;
	fakeapi_answer_release(&answer);
	base_buf_release(&body);
	return made;
}

static bool measure_objects(struct fakeapi *f, struct figures *figures)
{
	const size_t before = live_bytes;
	const double start = seconds();
	bool good = true;

	for (size_t i = 0; good && i < figures->objects; i++)
		good = create(f, i);
	figures->create_s = seconds() - start;
	figures->object_bytes = (live_bytes - before) / figures->objects;
	return good;
}

/* The token of the page in client->kept goes to next; false: it was the last one. */
static bool next_page(const struct client *client, struct base_buf *next)
{
	static const char mark[] = "\"continue\":\"";
	struct base_str kept = base_buf_peek(&client->kept), token;
	const size_t at = base_str_find(kept, BASE_STR("\"continue\":\""));
	bool found;

	base_buf_clear(next);
	if (at == SIZE_MAX)
		return false;
	(void)base_str_cut(base_str_skip(kept, at + sizeof(mark) - 1), '"', &token, &found);
	sim_must(base_buf_printf(next, MAPS "?limit=" PAGE "&continue=%.*s", BASE_STR_ARG(token)));
	return token.len > 0;
}

static bool measure_lists(struct fakeapi *f, struct figures *figures)
{
	struct client client = {0};
	struct base_buf target;
	double start = seconds();
	bool good, more = true;

	base_buf_init(&target, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&client.kept, NULL, (size_t)1 << 30);
	good = ask(f, &client, BASE_STR(MAPS));
	figures->list_s = seconds() - start;
	figures->list_bytes = client.bytes;
	client.keeps = true;
	start = seconds();
	sim_must(base_buf_text(&target, MAPS "?limit=" PAGE));
	while (good && more) {
		base_buf_clear(&client.kept);
		good = ask(f, &client, base_buf_peek(&target));
		figures->page_count++;
		more = next_page(&client, &target);
	}
	figures->pages_s = seconds() - start;
	if (client.conn != NULL)
		fakeapi_conn_close(client.conn);
	base_buf_release(&client.kept);
	base_buf_release(&target);
	return good && figures->page_count == figures->objects / 500;
}

static bool touch(struct fakeapi *f, size_t i)
{
	struct fakeapi_answer answer = {0};
	struct base_buf target, body;
	bool done;

	base_buf_init(&target, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&body, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(&target, MAPS "/map-%08x", name_of(i)));
	sim_must(base_buf_printf(&body, "{\"data\":{\"touched\":\"%zu\"}}", i));
	done = fakeapi_do(f, "PATCH", base_buf_peek(&target), base_buf_peek(&body), &answer) ==
		       BASE_OK &&
	       answer.status == 200;
	fakeapi_answer_release(&answer);
	base_buf_release(&target);
	base_buf_release(&body);
	return done;
}

static bool measure_watchers(struct fakeapi *f, struct figures *figures)
{
	struct client *clients = sim_calloc(figures->watchers, sizeof(*clients));
	const size_t before = live_bytes;
	struct base_buf target;
	bool good = true;
	double start;

	base_buf_init(&target, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(&target,
				 MAPS "?watch=1&allowWatchBookmarks=true&resourceVersion=%llu",
				 (unsigned long long)fakeapi_revision(f)));
	for (size_t i = 0; good && i < figures->watchers; i++)
		good = ask(f, &clients[i], base_buf_peek(&target));
	figures->watcher_bytes = (live_bytes - before) / figures->watchers;
	start = seconds();
	for (size_t i = 0; good && i < figures->watchers; i++)
		good = touch(f, i);
	figures->fan_out_s = seconds() - start;
	for (size_t i = 0; i < figures->watchers; i++) {
		figures->lines += clients[i].lines;
		if (clients[i].conn != NULL)
			fakeapi_conn_close(clients[i].conn);
	}
	base_buf_release(&target);
	free(clients);
	return good && figures->lines == figures->watchers * figures->watchers;
}

static bool measure(struct figures *figures)
{
	struct fakeapi_config config;
	struct base_error error = {0};
	bool good;

	fakeapi_config_defaults(&config);
	config.alloc = &counted;
	struct fakeapi *f = fakeapi_new(&config, &error);
	if (f == NULL)
		return false;
	good = measure_objects(f, figures) && measure_lists(f, figures) &&
	       measure_watchers(f, figures);
	fakeapi_free(f);
	return good && live_bytes == 0;
}

/* ---- The report ---- */

static double rate(size_t count, double s)
{
	return s > 0 ? (double)count / s : 0;
}

static void print_table(FILE *table, const struct figures *figures)
{
	fprintf(table, "fakeapi   %20s %12s %12s\n", "", "small", "large");
#define ROW(label, format, expression)                                                             \
	do {                                                                                       \
		fprintf(table, "  %-28s", label);                                                  \
		for (size_t i = 0; i < SIZE_COUNT; i++) {                                          \
			const struct figures *at = &figures[i];                                    \
			fprintf(table, " " format, expression);                                    \
		}                                                                                  \
		fputc('\n', table);                                                                \
	} while (0)
	ROW("objects", "%12zu", at->objects);
	ROW("creates per second", "%12.0f", rate(at->objects, at->create_s));
	ROW("bytes per object", "%12zu", at->object_bytes);
	ROW("list, objects per second", "%12.0f", rate(at->objects, at->list_s));
	ROW("list, MB per second", "%12.0f", rate(at->list_bytes, at->list_s) / 1e6);
	ROW("pages of " PAGE ", objects per s", "%12.0f", rate(at->objects, at->pages_s));
	ROW("watchers", "%12zu", at->watchers);
	ROW("bytes per watcher", "%12zu", at->watcher_bytes);
	ROW("one write each, lines per s", "%12.0f", rate(at->lines, at->fan_out_s));
#undef ROW
}

static void print_json(struct base_buf *json, const struct figures *figures)
{
	sim_must(base_buf_char(json, '['));
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		const struct figures *at = &figures[i];

		sim_must(base_buf_printf(
			json,
			"%s{\"objects\":%zu,\"creates_per_s\":%.0f,\"bytes_per_object\":%zu,"
			"\"list_objects_per_s\":%.0f,\"list_bytes\":%zu,\"page_objects_per_s\":%.0f,"
			"\"watchers\":%zu,\"bytes_per_watcher\":%zu,\"fan_out_lines\":%zu,"
			"\"fan_out_lines_per_s\":%.0f}",
			i > 0 ? "," : "", at->objects, rate(at->objects, at->create_s),
			at->object_bytes, rate(at->objects, at->list_s), at->list_bytes,
			rate(at->objects, at->pages_s), at->watchers, at->watcher_bytes, at->lines,
			rate(at->lines, at->fan_out_s)));
	}
	sim_must(base_buf_char(json, ']'));
}

int sim_bench_fakeapi(FILE *table, struct base_buf *json)
{
	struct figures figures[SIZE_COUNT] = {0};

	for (size_t i = 0; i < SIZE_COUNT; i++) {
		figures[i].objects = object_counts[i];
		figures[i].watchers = watcher_counts[i];
		if (!measure(&figures[i])) {
			if (table != NULL)
				fprintf(table,
					"fakeapi: the server did not do what it was asked\n");
			if (json != NULL)
				sim_must(base_buf_text(json, "null"));
			return 1;
		}
	}
	if (table != NULL)
		print_table(table, figures);
	if (json != NULL)
		print_json(json, figures);
	return 0;
}
