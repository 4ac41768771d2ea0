/* What a watch cache keeps, and whom it keeps: the window as it grows and is halved, and slow readers (3.8). */
#include "fakeapi/rig_test.h"

static void window_init(struct rig *rig, uint64_t size, size_t reader_bytes,
			const struct fakeapi_observer *observer)
{
	struct fakeapi_config config;
	struct base_error error = {0};
	memset(rig, 0, sizeof *rig);
	base_alloc_probe_init(&rig->probe);
	fakeapi_config_defaults(&config);
	config.alloc = &rig->probe.alloc;
	config.watch_cache_size = size;
	config.reader_bytes = reader_bytes;
	config.observer = observer;
	rig->f = fakeapi_new(&config, &error);
}

static int watch_from(struct rig *rig, uint64_t rv)
{
	char target[256];
	snprintf(target, sizeof target, RIG_MAPS "?watch=1&timeoutSeconds=1&resourceVersion=%llu",
		 (unsigned long long)rv);
	size_t i = rig_get(rig, target);
	int status = strncmp(rig_lines(rig, i), "X410", 4) == 0 ? 410 : rig_status(rig, i);
	if (rig->conns[i].conn != NULL)
		fakeapi_conn_close(rig->conns[i].conn);
	rig->conns[i].conn = NULL;
	return status;
}

/* The window holds 100 events at least; it grows while what it holds is younger than 75 s and shrinks when it
 * is not. */
static void the_window_grows_and_is_halved(void)
{
	static const struct {
		const char *name;
		uint64_t size, at_s;
		int writes;
		uint64_t low; /* the oldest version that works afterwards */
	} rows[] = {
		{"as it starts", 0, 0, 99, 100},
		{"a burst of young events", 0, 0, 49, 100},
		{"full to the brim", 0, 100, 51, 100},
		{"one more, the oldest is old", 0, 100, 1, 101},
		{"one more, all are old", 0, 300, 1, 202},
		{"not below a hundred", 0, 300, 1, 203},
		{"young again: grows", 0, 300, 150, 301},
		{"a size of its own", 50, 0, 60, 111},
		{"does not grow", 50, 1, 60, 171},
	};
	struct rig rig;
	bool open = false;
	uint64_t size = 0;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s", rows[i].name);
		if (!open || rows[i].size != size) {
			if (open)
				rig_release(&rig);
			window_init(&rig, size = rows[i].size, 4096, NULL);
			CHECK_INT(watch_from(&rig, 100), 200);
			rig_create(&rig, "a");
			open = true;
		}
		rig_advance(&rig, rows[i].at_s * 1000);
		for (int k = 0; k < rows[i].writes; k++)
			rig_touch(&rig, "a", k + (int)(i * 1000));
		CHECK_INT(watch_from(&rig, rows[i].low), 200);
		CHECK_INT(watch_from(&rig, rows[i].low - 1), 410);
	}
	rig_release(&rig);
}

struct ends {
	char words[64];
};

static void on_watch_end(void *self, const struct fakeapi_who *who, enum fakeapi_watch_end end)
{
	struct ends *ends = self;
	(void)who;
	snprintf(ends->words, sizeof ends->words, "%s", fakeapi_watch_end_word(end));
}

static void stall(struct rig *rig)
{
	struct fakeapi_fault fault;
	struct base_error error = {0};
	fakeapi_fault_defaults(&fault, FAKEAPI_TARGET_WATCH, FAKEAPI_FAULT_STALL);
	CHECK_INT(fakeapi_fault_add(rig->f, &fault, NULL, &error), BASE_OK);
}

/* How many events a reader that takes nothing is sent before it is let go. */
static void a_reader_that_takes_nothing_is_let_go(void)
{
	static const struct {
		const char *name;
		size_t reader_bytes;
		uint64_t at_ms;
		int writes;
		uint64_t ends_ms; /* after the last write; FAKEAPI_NEVER: it stays */
	} rows[] = {
		{"room enough", 1 << 20, 5000, 200, FAKEAPI_NEVER},
		{"queues are not full yet", 0, 5000, 20, FAKEAPI_NEVER},
		{"one event too many, with the whole budget", 0, 5000, 21, 100},
		{"half of the budget", 0, 1000, 21, 50},
		{"no budget yet", 0, 0, 21, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct ends ends = {{0}};
		struct fakeapi_observer observer = {.self = &ends, .watch_end = on_watch_end};
		struct rig rig;
		CHECK_ROW("%s", rows[i].name);
		window_init(&rig, 100, rows[i].reader_bytes, &observer);
		rig_create(&rig, "a");
		size_t watch = rig_get(&rig, RIG_MAPS "?watch=1&resourceVersion=101");
		rig_advance(&rig, rows[i].at_ms);
		stall(&rig);
		for (int k = 0; k < rows[i].writes; k++)
			rig_touch(&rig, "a", k);
		if (rows[i].ends_ms != FAKEAPI_NEVER) {
			if (rows[i].ends_ms > 0) {
				rig_advance(&rig, rows[i].at_ms + rows[i].ends_ms - 1);
				CHECK_TEXT(ends.words, "");
			}
			rig_advance(&rig, rows[i].at_ms + rows[i].ends_ms);
			CHECK_TEXT(ends.words, "slow");
			rig_touch(&rig, "a", 9999); /* nothing new comes */
		} else {
			rig_advance(&rig, rows[i].at_ms + 10000);
			CHECK_TEXT(ends.words, "");
		}
		/* It reads again: what was on its way comes, in order, then the clean end. */
		CHECK_U64(fakeapi_heal(rig.f, (struct base_str){0}), 1);
		char first[16], last[16];
		const char *lines = rig_lines(&rig, watch);
		snprintf(first, sizeof first, "M102 ");
		snprintf(last, sizeof last, "M%d%s", 101 + rows[i].writes,
			 rows[i].ends_ms != FAKEAPI_NEVER ? "." : "");
		CHECK_TRUE(strncmp(lines, first, strlen(first)) == 0);
		CHECK_TRUE(strlen(lines) > strlen(last) &&
			   strcmp(lines + strlen(lines) - strlen(last), last) == 0);
		rig_release(&rig);
	}
}

/* Who reads again within the budget stays. */
static void a_reader_that_comes_back_in_time_stays(void)
{
	struct ends ends = {{0}};
	struct fakeapi_observer observer = {.self = &ends, .watch_end = on_watch_end};
	struct rig rig;
	window_init(&rig, 100, 0, &observer);
	rig_create(&rig, "a");
	size_t watch = rig_get(&rig, RIG_MAPS "?watch=1&resourceVersion=101");
	rig_advance(&rig, 5000);
	stall(&rig);
	for (int k = 0; k < 21; k++)
		rig_touch(&rig, "a", k);
	rig_advance(&rig, 5050);
	(void)fakeapi_heal(rig.f, (struct base_str){0});
	rig_advance(&rig, 10000);
	rig_touch(&rig, "a", 100);
	CHECK_TEXT(ends.words, "");
	CHECK_TRUE(strstr(rig_lines(&rig, watch), "M123") != NULL);
	rig_release(&rig);
}

static size_t backlog;

static size_t rig_backlog(void *ctx)
{
	(void)ctx;
	return backlog;
}

/* A socket that does not drain counts like bytes held back. */
static void bytes_in_a_socket_count(void)
{
	static const struct fakeapi_conn_ops ops = {
		.send = rig_send, .close = rig_close, .backlog = rig_backlog};
	static const char request[] = "GET " RIG_MAPS "?watch=1&resourceVersion=101 HTTP/1.1\r\n"
				      "Host: x\r\n\r\n";
	struct ends ends = {{0}};
	struct fakeapi_observer observer = {.self = &ends, .watch_end = on_watch_end};
	struct base_error error = {0};
	struct rig rig;
	window_init(&rig, 100, 1000, &observer);
	rig_create(&rig, "a");
	struct rig_conn *c = &rig.conns[rig.count++];
	base_buf_init(&c->wire, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&c->body, NULL, BASE_BUF_MAX_DEFAULT);
	c->conn = fakeapi_connect(rig.f, &ops, c, BASE_STR("inf"), &error);
	fakeapi_conn_recv(c->conn, request, sizeof request - 1);
	backlog = 1000;
	for (int k = 0; k < 50; k++)
		rig_touch(&rig, "a", k);
	CHECK_TEXT(ends.words, "");
	backlog = 1001;
	for (int k = 0; k < 21; k++)
		rig_touch(&rig, "a", 100 + k);
	CHECK_TEXT(ends.words, "slow");
	rig_release(&rig);
}

static CU_TestInfo tests[] = {
	{"the window grows and is halved", the_window_grows_and_is_halved},
	{"a reader that takes nothing is let go", a_reader_that_takes_nothing_is_let_go},
	{"a reader that comes back in time stays", a_reader_that_comes_back_in_time_stays},
	{"bytes in a socket count", bytes_in_a_socket_count},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_reader_suite;
CU_SuiteInfo fakeapi_reader_suite = {"fakeapi/reader", NULL, NULL, NULL, NULL, tests};
