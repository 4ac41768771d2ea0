/* fakeapi as a wire: in process, on its virtual clock, without latency. */
#include <stdlib.h>

#include "fakeapi/fakeapi.h"
#include "fakeapi/profile.h"
#include "sim/fatal.h"
#include "sim/replay/replay.h"

struct replay_fake {
	struct fakeapi *f;
};

struct fake_conn {
	struct replay_call *call;
	struct fakeapi_conn *conn;
};

static enum base_code on_send(void *ctx, const char *ptr, size_t len)
{
	struct fake_conn *conn = ctx;

	replay_call_bytes(conn->call, base_str_n(ptr, len));
	return BASE_OK;
}

static void on_close(void *ctx, enum fakeapi_close how)
{
	struct fake_conn *conn = ctx;
	struct replay_call *call = conn->call;

	replay_call_set(call, NULL);
	free(conn);
	replay_call_closed(call, how == FAKEAPI_CLOSE_RESET);
}

static const struct fakeapi_conn_ops conn_ops = {.send = on_send, .close = on_close};

static uint64_t fake_now(void *self)
{
	return fakeapi_now_ns(((struct replay_fake *)self)->f);
}

static bool fake_open(void *self, struct replay_call *call, struct base_str request,
		      const char **why)
{
	struct replay_fake *fake = self;
	struct fake_conn *conn = sim_calloc(1, sizeof(*conn));
	struct base_error error = {0};

	conn->call = call;
	conn->conn = fakeapi_connect(fake->f, &conn_ops, conn, BASE_STR("replay"), &error);
	if (conn->conn == NULL) {
		free(conn);
		*why = "refused";
		return false;
	}
	replay_call_set(call, conn);
	fakeapi_conn_recv(conn->conn, request.ptr, request.len);
	return true;
}

static void fake_close(void *self, struct replay_call *call)
{
	struct fake_conn *conn = replay_call_mark(call);

	(void)self;
	if (conn == NULL)
		return;
	replay_call_set(call, NULL);
	fakeapi_conn_close(conn->conn);
	free(conn);
}

static void fake_step(void *self, uint64_t until_ns)
{
	struct replay_fake *fake = self;
	const uint64_t next = fakeapi_next_ns(fake->f);

	fakeapi_advance(fake->f, next < until_ns ? next : until_ns);
}

static enum replay_admin_result fake_admin(void *self, const struct replay_admin *admin,
					   const char **why)
{
	struct fakeapi *f = ((struct replay_fake *)self)->f;
	struct base_error error = {0};

	if (base_str_is(admin->verb, "compact")) {
		*why = "fakeapi could not compact at this revision";
		return fakeapi_compact(f, admin->revision, &error) == BASE_OK ? REPLAY_ADMIN_DONE
									      : REPLAY_ADMIN_FAILED;
	}
	if (base_str_is(admin->verb, "server-terminate")) {
		fakeapi_stop(f);
		return REPLAY_ADMIN_DONE;
	}
	if (base_str_is(admin->verb, "server-kill") || base_str_is(admin->verb, "server-restart")) {
		fakeapi_kill(f);
		return REPLAY_ADMIN_DONE;
	}
	if (base_str_is(admin->verb, "server-gone"))
		return REPLAY_ADMIN_DONE;
	if (base_str_is(admin->verb, "server-ready") || base_str_is(admin->verb, "server-start")) {
		if (admin->flag_count > 0) {
			*why = "fakeapi cannot be started with other flags";
			return REPLAY_ADMIN_CANNOT;
		}
		fakeapi_start(f);
		return REPLAY_ADMIN_DONE;
	}
	if (base_str_is(admin->verb, "etcd-pause") || base_str_is(admin->verb, "etcd-kill")) {
		*why = "no memory to pause the store";
		return fakeapi_pause_store(f) == BASE_OK ? REPLAY_ADMIN_DONE : REPLAY_ADMIN_FAILED;
	}
	if (base_str_is(admin->verb, "etcd-resume") || base_str_is(admin->verb, "etcd-start")) {
		fakeapi_resume_store(f);
		return REPLAY_ADMIN_DONE;
	}
	*why = "fakeapi has no such act";
	return REPLAY_ADMIN_CANNOT;
}

static const struct replay_wire_ops fake_ops = {.now_ns = fake_now,
						.open = fake_open,
						.close = fake_close,
						.step = fake_step,
						.admin = fake_admin};

struct replay_fake *replay_fake_new(struct base_str profile, struct base_error *error)
{
	struct replay_fake *fake = sim_calloc(1, sizeof(*fake));
	struct fakeapi_config config;

	fakeapi_config_defaults(&config);
	config.profile = profile;
	/* As a real server on a fresh store: its caches begin near 1, and its own objects come after that. It
	 * does not notice what someone else compacts. */
	config.first_rv =
		fakeapi_profile_find(profile) != NULL ? fakeapi_profile_find(profile)->fresh_rv : 1;
	config.own_writes = true;
	config.notice_ns = FAKEAPI_NEVER;
	config.typed = true;
	config.managed_fields = true;
	fake->f = fakeapi_new(&config, error);
	if (fake->f == NULL) {
		free(fake);
		return NULL;
	}
	return fake;
}

void replay_fake_free(struct replay_fake *fake)
{
	if (fake == NULL)
		return;
	fakeapi_free(fake->f);
	free(fake);
}

struct replay_wire replay_fake_wire(struct replay_fake *fake)
{
	return (struct replay_wire){.ops = &fake_ops,
				    .self = fake,
				    .virtual_time = true,
				    .host = BASE_STR("127.0.0.1:16443"),
				    .token = BASE_STR("rec-token")};
}
