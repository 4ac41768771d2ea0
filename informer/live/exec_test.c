#include "informer/live/exec.h"

#include <stdio.h>

#include "ci/unit/assert.h"
#include "informer/live/folder_rig.h"

#define V1 "client.authentication.k8s.io/v1"
#define SECRET "s3cr3t-t0ken"
#define SECOND_NS UINT64_C(1000000000)

struct bench {
	struct folder folder;
	struct base_loop loop;
	struct live_exec exec;
	struct live_cluster cluster;
	struct live_plugin_options options;
	bool over, good;
	struct base_error error;
	char token[64], certificate[64];
	int64_t expires;
};

static void on_done(void *self, const struct live_answer *answer, const struct base_error *error)
{
	struct bench *bench = self;

	bench->over = true;
	bench->good = answer != NULL;
	if (answer == NULL) {
		bench->error = *error;
		return;
	}
	snprintf(bench->token, sizeof bench->token, "%.*s", BASE_STR_ARG(answer->token));
	snprintf(bench->certificate, sizeof bench->certificate, "%.*s",
		 BASE_STR_ARG(answer->certificate_pem));
	bench->expires = answer->expires;
}

static char script_path[512];

/* What the plugin does, as a script of sh. */
static bool bench_init(struct bench *bench, const char *script)
{
	struct base_error error = {0};

	memset(bench, 0, sizeof *bench);
	if (!CHECK_TRUE(folder_init(&bench->folder)) ||
	    !CHECK_INT(base_loop_init(&bench->loop, NULL, 1, &error), BASE_OK))
		return false;
	folder_write(&bench->folder, "plugin", 0700, script);
	snprintf(script_path, sizeof script_path, "%s", folder_path(&bench->folder, "plugin"));
	bench->exec = (struct live_exec){.command = script_path,
					 .api_version = (char *)(uintptr_t)V1,
					 .interactive = LIVE_INTERACTIVE_NEVER,
					 .place = {.file = "config", .line = 7}};
	bench->cluster.server = (char *)(uintptr_t) "https://h";
	bench->options = (struct live_plugin_options){.loop = &bench->loop,
						      .exec = &bench->exec,
						      .cluster = &bench->cluster,
						      .timeout_ns = 10 * SECOND_NS,
						      .warn = folder_warn,
						      .warn_self = &bench->folder,
						      .done = on_done,
						      .self = bench};
	return true;
}

static void bench_release(struct bench *bench)
{
	base_loop_release(&bench->loop);
	folder_release(&bench->folder);
}

static enum base_code run(struct bench *bench)
{
	struct live_plugin *plugin = live_plugin_new(&bench->options, &bench->error);
	enum base_code code = BASE_ENOMEM;

	if (plugin != NULL)
		code = live_plugin_run(plugin, &bench->error);
	const uint64_t end_ns = base_loop_now_ns(&bench->loop) + 30 * SECOND_NS;
	while (code == BASE_OK && !bench->over && base_loop_now_ns(&bench->loop) < end_ns)
		if (!CHECK_INT(base_loop_turn(&bench->loop, end_ns), BASE_OK))
			break;
	live_plugin_free(plugin);
	return code;
}

#define ANSWER(status)                                                                             \
	"#!/bin/sh\ncat <<'END'\n{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1                \
	"\",\"status\":" status "}\nEND\n"

static void a_plugin_gives_a_token_or_a_certificate(void)
{
	static const struct {
		const char *script, *token, *certificate;
		int64_t expires;
	} rows[] = {
		{ANSWER("{\"token\":\"" SECRET "\"}"), SECRET, "", 0},
		{ANSWER("{\"token\":\"t\",\"expirationTimestamp\":\"2026-03-01T12:00:00Z\"}"), "t",
		 "", 1772366400},
		{ANSWER("{\"clientCertificateData\":\"c\\n\",\"clientKeyData\":\"k\"}"), "", "c\n",
		 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct bench bench;

		if (!bench_init(&bench, rows[i].script))
			return;
		CHECK_INT(run(&bench), BASE_OK);
		CHECK_TRUE(bench.good);
		CHECK_TEXT(bench.error.text, "");
		CHECK_TEXT(bench.token, rows[i].token);
		CHECK_TEXT(bench.certificate, rows[i].certificate);
		CHECK_INT(bench.expires, rows[i].expires);
		bench_release(&bench);
	}
}

static void what_a_plugin_does_wrong_is_told_without_what_it_printed(void)
{
	static const struct {
		const char *script, *says;
	} rows[] = {
		{"#!/bin/sh\necho " SECRET "\nexit 3\n", "failed with exit code 3"},
		{"#!/bin/sh\nkill -9 $$\n", "was ended by signal 9"},
		{"#!/bin/sh\necho " SECRET "\n", "it did not print a JSON object"},
		{"#!/bin/sh\n", "it did not print a JSON object"},
		{"#!/bin/sh\necho '{\"kind\":\"Pod\",\"x\":\"" SECRET "\"}'\n",
		 "its answer has to be of kind ExecCredential"},
		{"#!/bin/sh\necho '{\"kind\":\"ExecCredential\",\"apiVersion\":\"v1\"}'\n",
		 "its answer is not of apiVersion " V1},
		{ANSWER("null"), "its answer has no status"},
		{ANSWER("{}"), "neither a token nor a client certificate"},
		{ANSWER("{\"token\":7}"), "status.token is not a text"},
		{ANSWER("{\"token\":\"a\\nb\"}"), "status.token is not one line"},
		{ANSWER("{\"clientKeyData\":\"" SECRET "\"}"), "both are needed"},
		{ANSWER("{\"token\":\"" SECRET "\",\"expirationTimestamp\":\"soon\"}"),
		 "status.expirationTimestamp is no time"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct bench bench;

		CHECK_ROW("%s", rows[i].says);
		if (!bench_init(&bench, rows[i].script))
			return;
		CHECK_INT(run(&bench), BASE_OK);
		CHECK_TRUE(bench.over);
		CHECK_FALSE(bench.good);
		CHECK_CONTAINS(bench.error.text, rows[i].says);
		CHECK_CONTAINS(bench.error.text, "credential plugin \"");
		CHECK_TRUE(strstr(bench.error.text, SECRET) == NULL);
		bench_release(&bench);
	}
}

static void a_plugin_that_does_not_end_is_killed(void)
{
	struct bench bench;

	if (!bench_init(&bench, "#!/bin/sh\nexec sleep 1000\n"))
		return;
	bench.options.timeout_ns = SECOND_NS / 10;
	CHECK_INT(run(&bench), BASE_OK);
	CHECK_TRUE(bench.over);
	CHECK_CONTAINS(bench.error.text, "did not end in time");
	bench_release(&bench);
}

static void a_missing_one_is_told_with_its_hint(void)
{
	struct bench bench;

	if (!bench_init(&bench, "#!/bin/sh\n"))
		return;
	bench.exec.command = (char *)(uintptr_t) "relist-no-such-plugin";
	bench.exec.install_hint = (char *)(uintptr_t) "get it from example.org";
	CHECK_INT(run(&bench), BASE_EIO);
	CHECK_CONTAINS(bench.error.text, "\"relist-no-such-plugin\" cannot be run: No such file");
	CHECK_TEXT(bench.folder.warnings, "get it from example.org\n");
	bench_release(&bench);
}

static void without_a_terminal_always_is_refused(void)
{
	struct bench bench;

	if (!bench_init(&bench, ANSWER("{\"token\":\"t\"}")))
		return;
	bench.exec.interactive = LIVE_INTERACTIVE_ALWAYS;
	CHECK_INT(run(&bench), BASE_EIO);
	CHECK_CONTAINS(bench.error.text, "config:7: ");
	CHECK_CONTAINS(bench.error.text, "standard input is no terminal");
	bench_release(&bench);
}

/* It sees its own env over ours, its arguments, and what it asked to be told. */
static void a_plugin_is_told_what_the_protocol_says(void)
{
	struct bench bench;
	char *args[] = {(char *)(uintptr_t) "one two", (char *)(uintptr_t) "three"};
	struct live_pair env[] = {{(char *)(uintptr_t) "HOME", (char *)(uintptr_t) "nowhere"}};
	char told[2048] = "";

	if (!bench_init(&bench,
			"#!/bin/sh\n"
			"{ echo \"$HOME|$#|$1|$2\"; echo \"$KUBERNETES_EXEC_INFO\"; } > $F/told\n"
			"exit 1\n"))
		return;
	bench.exec.args = (struct live_texts){args, 2};
	bench.exec.env = (struct live_pairs){env, 1};
	bench.exec.provide_cluster_info = true;
	bench.cluster.server_name = (char *)(uintptr_t) "name";
	bench.cluster.authority_pem = BASE_STR("PEM!");
	bench.cluster.exec_config = (char *)(uintptr_t) "{\"a\":[1]}";
	CHECK_INT(run(&bench), BASE_OK);
	folder_write(&bench.folder, "unused", 0600, "");
	FILE *file = fopen(folder_path(&bench.folder, "told"), "rb");
	if (CHECK_TRUE(file != NULL)) {
		told[fread(told, 1, sizeof told - 1, file)] = '\0';
		fclose(file);
		remove(folder_path(&bench.folder, "told"));
	}
	CHECK_TEXT(told,
		   "nowhere|2|one two|three\n"
		   "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"spec\":{\"cluster\":{"
		   "\"tls-server-name\":\"name\",\"certificate-authority-data\":\"UEVNIQ==\","
		   "\"config\":{\"a\":[1]},\"server\":\"https://h\"},\"interactive\":false}}\n");
	bench_release(&bench);
}

static void times_are_read_as_rfc_3339(void)
{
	static const struct {
		const char *text;
		bool good;
		int64_t seconds;
	} rows[] = {
		{"1970-01-01T00:00:00Z", true, 0},
		{"2000-03-01T00:00:00Z", true, 951868800},
		{"2026-11-29T23:59:59.123456Z", true, 1795996799},
		{"1970-01-01T02:00:00+02:00", true, 0},
		{"1969-12-31T23:30:00-00:30", true, 0},
		{"1970-01-01", false, 0},
		{"1970-01-01T00:00:00", false, 0},
		{"1970-13-01T00:00:00Z", false, 0},
		{"1970-01-01 00:00:00Z", false, 0},
		{"", false, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t seconds = 0;

		CHECK_ROW("%s", rows[i].text);
		CHECK_INT(live_time_read(base_str(rows[i].text), &seconds), rows[i].good);
		if (rows[i].good)
			CHECK_INT(seconds, rows[i].seconds);
	}
}

static void out_of_memory_at_any_point_leaks_nothing(void)
{
	for (uint64_t at = 1;; at++) {
		struct base_alloc_probe probe;
		struct bench bench;

		if (!bench_init(&bench, ANSWER("{\"token\":\"t\"}")))
			return;
		base_alloc_probe_init(&probe);
		probe.fail_at = at;
		bench.options.alloc = &probe.alloc;
		const bool good_run = run(&bench) == BASE_OK && bench.good;

		CHECK_INT(good_run, probe.failed_count == 0);
		bench_release(&bench);
		if (!CHECK_U64(probe.live_count, 0) || probe.failed_count == 0)
			break;
	}
}

static CU_TestInfo tests[] = {
	{"a plugin gives a token or a certificate", a_plugin_gives_a_token_or_a_certificate},
	{"what a plugin does wrong is told without what it printed",
	 what_a_plugin_does_wrong_is_told_without_what_it_printed},
	{"a plugin that does not end is killed", a_plugin_that_does_not_end_is_killed},
	{"a missing one is told with its hint", a_missing_one_is_told_with_its_hint},
	{"without a terminal Always is refused", without_a_terminal_always_is_refused},
	{"a plugin is told what the protocol says", a_plugin_is_told_what_the_protocol_says},
	{"times are read as RFC 3339", times_are_read_as_rfc_3339},
	{"out of memory at any point leaks nothing", out_of_memory_at_any_point_leaks_nothing},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo informer_live_exec_suite;
CU_SuiteInfo informer_live_exec_suite = {.pName = "informer/live/exec", .pTests = tests};
