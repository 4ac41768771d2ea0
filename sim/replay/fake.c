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

/* "5s" or "5m"; 0 for "0". */
static bool interval_of(struct base_str text, uint64_t *ns)
{
	const bool minutes = base_str_ends(text, BASE_STR("m"));
	uint64_t number = 0;

	if (minutes || base_str_ends(text, BASE_STR("s")))
		text.len--;
	else if (!base_str_is(text, "0"))
		return false;
	if (!base_str_u64(text, &number) || number > 86400)
		return false;
	*ns = number * (minutes ? UINT64_C(60000000000) : UINT64_C(1000000000));
	return true;
}

/* The flags that fakeapi knows: limits of requests instead of priority and fairness, and how often the
 * server compacts. */
bool replay_fake_flags(struct replay_fake *fake, const struct base_str *flags, size_t count)
{
	uint64_t reads = 0, writes = 0, compaction_ns = 0;
	bool known = true;

	for (size_t i = 0; i < count; i++) {
		struct base_str name;
		bool found;
		struct base_str value = base_str_cut(flags[i], '=', &name, &found);

		if (base_str_is(name, "--max-requests-inflight"))
			known = known && base_str_u64(value, &reads);
		else if (base_str_is(name, "--max-mutating-requests-inflight"))
			known = known && base_str_u64(value, &writes);
		else if (base_str_is(name, "--etcd-compaction-interval"))
			known = known && interval_of(value, &compaction_ns);
		else
			known = known && base_str_is(name, "--enable-priority-and-fairness") &&
				base_str_is(value, "false");
	}
	if (!known)
		return false;
	fakeapi_set_limits(fake->f, (unsigned)reads, (unsigned)writes);
	fakeapi_set_compaction(fake->f, compaction_ns);
	return true;
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
		if (!replay_fake_flags(self, admin->flags, admin->flag_count)) {
			*why = "fakeapi cannot be started with these flags";
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

	/* Who made the recordings; "user" was bound to cluster-admin where he may do anything. */
	static const struct fakeapi_user users[] = {
		{.token = {"rec-token", 9},
		 .name = {"admin", 5},
		 .uid = {"1", 1},
		 .groups = {"system:masters", 14}},
		{.token = {"user-token", 10}, .name = {"user", 4}, .uid = {"3", 1}, .admin = true},
		{.token = {"nobody-token", 12}, .name = {"nobody", 6}, .uid = {"2", 1}},
	};

	fakeapi_config_defaults(&config);
	config.profile = profile;
	/* As a real server on a fresh store: its caches begin near 1, and its own objects come after that. It
	 * does not notice what someone else compacts. */
	config.first_rv =
		fakeapi_profile_find(profile) != NULL ? fakeapi_profile_find(profile)->fresh_rv : 1;
	config.own_writes = config.bootstrap = true;
	config.notice_ns = FAKEAPI_NEVER;
	config.progress_ns = UINT64_C(600000000000); /* etcd's default */
	config.users = users;
	config.user_count = sizeof(users) / sizeof(*users);
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
