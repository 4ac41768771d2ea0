#include <stdlib.h>

#include "fakeapi/typed_rig.h"

static enum base_code keep(void *ctx, const char *ptr, size_t len)
{
	struct wire *wire = ctx;

	return base_buf_append(&wire->bytes, ptr, len);
}

static void closed(void *ctx, enum fakeapi_close how)
{
	struct wire *wire = ctx;

	(void)how;
	wire->conn = NULL;
}

static const struct fakeapi_conn_ops ops = {.send = keep, .close = closed};

struct fakeapi *typed_server(const struct base_alloc *alloc)
{
	struct fakeapi_config config;

	fakeapi_config_defaults(&config);
	config.alloc = alloc;
	config.typed = true;
	config.managed_fields = true;
	return fakeapi_new(&config, NULL);
}

void typed_ask(struct fakeapi *f, struct wire *wire, const struct step *s)
{
	struct base_error error = {0};
	struct base_buf request;

	base_buf_init(&request, NULL, 1 << 20);
	base_buf_clear(&wire->bytes);
	wire->conn = fakeapi_connect(f, &ops, wire, BASE_STR("t"), &error);
	if (wire->conn == NULL)
		return;
	CHECK_INT(base_buf_printf(
			  &request,
			  "%s %s HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n"
			  "User-Agent: tester/1.0\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
			  "\r\n%s",
			  s->method, s->target, s->type, strlen(s->body), s->body),
		  BASE_OK);
	fakeapi_conn_recv(wire->conn, request.ptr, request.len);
	base_buf_release(&request);
	fakeapi_advance(f, fakeapi_now_ns(f) + wire->settle_ns);
	if (wire->conn != NULL)
		fakeapi_conn_close(wire->conn);
}

int typed_status(const struct wire *wire)
{
	return wire->bytes.len > 12 ? (int)strtol(wire->bytes.ptr + 9, NULL, 10) : 0;
}

/* The steps one after another on a fresh server. */
static void play(const struct step *steps, size_t count, uint64_t settle_ns)
{
	struct fakeapi *f = typed_server(NULL);
	struct wire wire = {.settle_ns = settle_ns};

	REQUIRE_TRUE(f != NULL);
	base_buf_init(&wire.bytes, NULL, 1 << 20);
	for (size_t i = 0; i < count; i++) {
		CHECK_ROW("%zu: %s %s", i, steps[i].method, steps[i].target);
		typed_ask(f, &wire, &steps[i]);
		CHECK_INT(typed_status(&wire), steps[i].status);
		CHECK_CONTAINS(wire.bytes.ptr, steps[i].part);
	}
	base_buf_release(&wire.bytes);
	fakeapi_free(f);
}

/* Each step again and again, one allocation of it failing, until none does. */
static void sweep(const struct step *steps, size_t count, uint64_t settle_ns)
{
	struct base_alloc_probe probe;
	struct wire wire = {.settle_ns = settle_ns};
	struct fakeapi *f;

	base_alloc_probe_init(&probe);
	f = typed_server(&probe.alloc);
	REQUIRE_TRUE(f != NULL);
	base_buf_init(&wire.bytes, NULL, 1 << 20);
	for (size_t i = 0; i < count; i++) {
		bool failed = true;

		CHECK_ROW("%zu: %s %s", i, steps[i].method, steps[i].target);
		for (uint64_t n = 1; failed && n < 3000; n++) {
			uint64_t before = probe.failed_count;

			probe.fail_at = probe.request_count + n;
			typed_ask(f, &wire, &steps[i]);
			failed = probe.failed_count > before;
		}
		CHECK_FALSE(failed);
		probe.fail_at = 0;
	}
	base_buf_release(&wire.bytes);
	fakeapi_free(f);
	CHECK_U64(probe.live_count, 0);
}

void typed_both(const struct step *steps, size_t count, uint64_t settle_ns)
{
	play(steps, count, settle_ns);
	sweep(steps, count, settle_ns);
}
