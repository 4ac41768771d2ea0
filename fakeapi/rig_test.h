/* A client for tests of the whole server: connections that keep what came, answers taken apart.
 * Cluster of rig_fill: ConfigMaps a, b, c in "default" at 101, 102, 103. */
#ifndef FAKEAPI_RIG_TEST_H
#define FAKEAPI_RIG_TEST_H

#include <stdio.h>
#include <stdlib.h>

#include "ci/unit/assert.h"
#include "base/json.h"
#include "fakeapi/fakeapi.h"

#define RIG_CONNS 64
#define RIG_MAPS "/api/v1/namespaces/default/configmaps"
#define RIG_MS UINT64_C(1000000)

struct rig_conn {
	struct fakeapi_conn *conn;
	struct base_buf wire; /* as it came */
	struct base_buf body; /* of rig_body: decoded */
	bool closed, whole;   /* closed by the server; the answer has ended as HTTP says */
	enum fakeapi_close how;
};

struct rig {
	struct base_alloc_probe probe;
	struct fakeapi *f;
	struct rig_conn conns[RIG_CONNS];
	size_t count;
};

static inline enum base_code rig_send(void *ctx, const char *ptr, size_t len)
{
	struct rig_conn *c = ctx;
	return base_buf_append(&c->wire, ptr, len);
}

static inline void rig_close(void *ctx, enum fakeapi_close how)
{
	struct rig_conn *c = ctx;
	c->closed = true;
	c->how = how;
	c->conn = NULL;
}

static const struct fakeapi_conn_ops rig_ops = {.send = rig_send, .close = rig_close};

static inline void rig_init(struct rig *rig, const char *profile,
			    const struct fakeapi_observer *observer)
{
	struct fakeapi_config config;
	struct base_error error = {0};
	memset(rig, 0, sizeof *rig);
	base_alloc_probe_init(&rig->probe);
	fakeapi_config_defaults(&config);
	config.alloc = &rig->probe.alloc;
	config.observer = observer;
	if (profile != NULL)
		config.profile = base_str(profile);
	rig->f = fakeapi_new(&config, &error);
}

/* As rig_init, but users have tokens: "root" (system:masters), "may" (cluster-admin, limits hold), "none". */
static inline void rig_init_users(struct rig *rig, const char *profile)
{
	static const struct fakeapi_user users[] = {
		{.token = {"root", 4},
		 .name = {"admin", 5},
		 .uid = {"1", 1},
		 .groups = {"system:masters", 14}},
		{.token = {"may", 3}, .name = {"user", 4}, .uid = {"3", 1}, .admin = true},
		{.token = {"none", 4}, .name = {"nobody", 6}, .uid = {"2", 1}},
	};
	struct fakeapi_config config;
	struct base_error error = {0};
	memset(rig, 0, sizeof *rig);
	base_alloc_probe_init(&rig->probe);
	fakeapi_config_defaults(&config);
	config.alloc = &rig->probe.alloc;
	config.users = users;
	config.user_count = sizeof users / sizeof users[0];
	if (profile != NULL)
		config.profile = base_str(profile);
	rig->f = fakeapi_new(&config, &error);
}

static inline void rig_release(struct rig *rig)
{
	fakeapi_free(rig->f);
	for (size_t i = 0; i < rig->count; i++) {
		base_buf_release(&rig->conns[i].wire);
		base_buf_release(&rig->conns[i].body);
	}
	CHECK_U64(rig->probe.live_count, 0);
}

/* A connection; its number. */
static inline size_t rig_connect(struct rig *rig)
{
	struct rig_conn *c = &rig->conns[rig->count];
	struct base_error error = {0};
	base_buf_init(&c->wire, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&c->body, NULL, BASE_BUF_MAX_DEFAULT);
	c->conn = fakeapi_connect(rig->f, &rig_ops, c, BASE_STR("inf"), &error);
	c->closed = c->conn == NULL;
	return rig->count++;
}

static inline void rig_write(struct rig *rig, size_t i, const char *bytes)
{
	if (rig->conns[i].conn != NULL)
		fakeapi_conn_recv(rig->conns[i].conn, bytes, strlen(bytes));
}

/* Any request on a connection of its own; headers end in CR LF each. */
static inline size_t rig_ask(struct rig *rig, const char *method, const char *target,
			     const char *headers, const char *body)
{
	char request[2048];
	size_t i = rig_connect(rig);
	snprintf(request, sizeof request,
		 "%s %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %zu\r\n\r\n%s", method, target,
		 headers, strlen(body), body);
	rig_write(rig, i, request);
	return i;
}

/* GET on a connection of its own; its number. */
static inline size_t rig_get(struct rig *rig, const char *target)
{
	char request[1024];
	size_t i = rig_connect(rig);
	snprintf(request, sizeof request,
		 "GET %s HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n", target);
	rig_write(rig, i, request);
	return i;
}

static inline int rig_status(const struct rig *rig, size_t i)
{
	const struct base_buf *wire = &rig->conns[i].wire;
	return wire->len > 12 ? atoi(wire->ptr + 9) : 0;
}

/* The value of a header, or empty. */
static inline struct base_str rig_header(const struct rig *rig, size_t i, const char *name)
{
	struct base_str rest = base_buf_peek(&rig->conns[i].wire), line, head;
	bool found = true;
	while (found) {
		rest = base_str_cut(rest, '\n', &line, &found);
		struct base_str value = base_str_cut(line, ':', &head, &found);
		if (base_str_is(head, name))
			return base_str_trim(value);
		found = line.len > 1;
	}
	return (struct base_str){0};
}

/* The body so far, chunks joined; sets whole. */
static inline struct base_str rig_body(struct rig *rig, size_t i)
{
	struct rig_conn *c = &rig->conns[i];
	struct base_str rest = base_buf_peek(&c->wire), line;
	size_t head = base_str_find(rest, BASE_STR("\r\n\r\n"));
	c->whole = false;
	base_buf_clear(&c->body);
	if (head == SIZE_MAX)
		return (struct base_str){0};
	rest = base_str_skip(rest, head + 4);
	if (rig_header(rig, i, "Transfer-Encoding").len == 0) {
		c->whole = true;
		return rest;
	}
	while (rest.len != 0) {
		bool found;
		rest = base_str_cut(rest, '\n', &line, &found);
		size_t size = strtoul(line.ptr, NULL, 16);
		c->whole = size == 0;
		if (size > rest.len || base_buf_append(&c->body, rest.ptr, size) != BASE_OK)
			break;
		rest = base_str_skip(rest, size + 2);
	}
	return base_buf_peek(&c->body);
}

/* What a watch has seen so far, one letter and a version per line: "A101 M104 D105 B106 E110" (E: the end
 * bookmark; X410: an ERROR with that code), then "." when it ended cleanly. */
static inline const char *rig_lines(struct rig *rig, size_t i)
{
	static char out[4096];
	struct base_str rest = rig_body(rig, i), line;
	bool more = rest.len != 0;
	size_t len = 0;
	out[0] = '\0';
	while (more && len < sizeof out - 64) {
		rest = base_str_cut(rest, '\n', &line, &more);
		if (line.len == 0)
			continue;
		struct base_str type = {0}, rv = {0},
				object = base_json_get(line, BASE_STR("object"));
		(void)base_json_plain_text(base_json_get(line, BASE_STR("type")), &type);
		(void)base_json_plain_text(base_json_path(object, 2, "metadata", "resourceVersion"),
					   &rv);
		bool end = base_str_find(line, BASE_STR("initial-events-end")) != SIZE_MAX;
		bool error = base_str_is(type, "ERROR");
		if (error)
			rv = base_json_get(object, BASE_STR("code"));
		len += (size_t)snprintf(out + len, sizeof out - len, "%s%c%.*s",
					len != 0 ? " " : "",
					error ? 'X'
					: end ? 'E'
					      : type.ptr[0],
					BASE_STR_ARG(rv));
	}
	if (rig->conns[i].whole)
		snprintf(out + len, sizeof out - len, ".");
	return out;
}

static inline void rig_advance(struct rig *rig, uint64_t to_ms)
{
	fakeapi_advance(rig->f, to_ms * RIG_MS);
}

/* In process; the status. body NULL: none. */
static inline int rig_do(struct rig *rig, const char *method, const char *target, const char *body)
{
	struct fakeapi_answer answer;
	enum base_code code = fakeapi_do(rig->f, method, base_str(target), base_str(body), &answer);
	int status = code == BASE_OK ? answer.status : 0;
	fakeapi_answer_release(&answer);
	return status;
}

static inline void rig_create(struct rig *rig, const char *name)
{
	char body[256];
	snprintf(
		body, sizeof body,
		"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\",\"labels\":{"
		"\"x\":\"1\"}}}",
		name);
	CHECK_INT(rig_do(rig, "POST", RIG_MAPS, body), 201);
}

/* Another revision of a ConfigMap. */
static inline void rig_touch(struct rig *rig, const char *name, int value)
{
	char target[256], body[64];
	snprintf(target, sizeof target, RIG_MAPS "/%s", name);
	snprintf(body, sizeof body, "{\"data\":{\"k\":\"%d\"}}", value);
	CHECK_INT(rig_do(rig, "PATCH", target, body), 200);
}

/* A revision of another resource. */
static inline void rig_other(struct rig *rig, const char *name)
{
	char body[256];
	snprintf(body, sizeof body,
		 "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"%s\"}}",
		 name);
	CHECK_INT(rig_do(rig, "POST", "/api/v1/namespaces/default/secrets", body), 201);
}

static inline void rig_fill(struct rig *rig)
{
	rig_create(rig, "a");
	rig_create(rig, "b");
	rig_create(rig, "c");
}

#endif
