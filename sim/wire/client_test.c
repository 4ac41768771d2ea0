/* A whole live client against the server on real ports: tokens, plugins, server names, proxies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ci/unit/assert.h"
#include "sim/wire/client_rig.h"

/* ---- Who we are ---- */

static void a_token_is_sent_over_every_version_of_http(void)
{
	static const struct {
		enum live_http_version version;
		const char *token;
		int status;
	} rows[] = {{LIVE_HTTP_1_1, GOOD, 200},
		    {LIVE_HTTP_2, GOOD, 200},
		    {LIVE_HTTP_1_1, "wrong", 401},
		    {LIVE_HTTP_2, "wrong", 401}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rig rig;
		struct asked asked;

		CHECK_ROW("%s, HTTP %d", rows[i].token, (int)rows[i].version);
		if (!client_rig_init(&rig))
			return;
		rig.user.token = client_rig_text(rows[i].token);
		rig.options.version = rows[i].version;
		rig.options.trace_parent = true;
		rig.options.client_id = "test";
		if (client_rig_connect(&rig))
			CHECK_INT(client_rig_ask(&rig, &asked), rows[i].status);
		client_rig_release(&rig);
	}
}

static void a_token_file_is_read_again_after_a_401(void)
{
	struct rig rig;
	struct asked asked;

	if (!client_rig_init(&rig))
		return;
	rig.user.token_file = rig.file;
	client_rig_write(&rig, "\n" GOOD "\n");
	if (client_rig_connect(&rig)) {
		CHECK_INT(client_rig_ask(&rig, &asked), 200);
		client_rig_write(&rig, "wrong");
		CHECK_INT(client_rig_ask(&rig, &asked), 200); /* within the minute */
		live_client_free(rig.client);
	}
	if (client_rig_connect(&rig)) {
		CHECK_INT(client_rig_ask(&rig, &asked), 401);
		client_rig_write(&rig, OTHER);
		CHECK_INT(client_rig_ask(&rig, &asked), 200);
		/* The last good one is used while the file cannot be read. */
		remove(rig.file);
		CHECK_INT(client_rig_ask(&rig, &asked), 200);
	}
	client_rig_release(&rig);
}

static void an_unusable_token_file_is_told_at_once(void)
{
	struct rig rig;
	struct base_error error = {0};

	if (!client_rig_init(&rig))
		return;
	rig.user.token_file = rig.file;
	rig.client = live_client_new(&rig.options, &error);
	CHECK_PTR_NULL(rig.client);
	CHECK_CONTAINS(error.text, "file: No such file");
	client_rig_write(&rig, " \n");
	rig.client = live_client_new(&rig.options, &error);
	CHECK_PTR_NULL(rig.client);
	CHECK_CONTAINS(error.text, "the token file is empty");
	client_rig_release(&rig);
}

static struct live_exec exec_of(struct rig *rig)
{
	return (struct live_exec){.command = rig->file,
				  .api_version = client_rig_text("client.authentication.k8s.io/v1"),
				  .interactive = LIVE_INTERACTIVE_NEVER,
				  .place = {.file = "config", .line = 1}};
}

#define SCRIPT(token)                                                                              \
	"#!/bin/sh\necho '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication."    \
	"k8s.io/v1\",\"status\":{\"token\":\"" token "\"}}'\n"

static void requests_wait_for_one_run_of_the_plugin_and_a_401_asks_it_again(void)
{
	struct rig rig;
	struct asked first, second;
	struct base_buf told;

	if (!client_rig_init(&rig))
		return;
	struct live_exec exec = exec_of(&rig);
	rig.user.exec = &exec;
	client_rig_write(&rig, SCRIPT(GOOD));
	base_buf_init(&told, NULL, BASE_BUF_MAX_DEFAULT);
	if (client_rig_connect(&rig)) {
		client_rig_start(&rig, &first, "/api/v1/pods", "");
		CHECK_INT(client_rig_ask(&rig, &second), 200);
		client_rig_wait(&rig, &first);
		CHECK_INT(first.status, 200);
		base_buf_release(&first.body);
		CHECK_INT(live_client_describe(rig.client, &told), BASE_OK);
		CHECK_CONTAINS(told.ptr, "ran 1 times");
		CHECK_TRUE(strstr(told.ptr, GOOD) == NULL);
		CHECK_CONTAINS(told.ptr, "token (10 bytes)");
	}
	live_client_free(rig.client);
	client_rig_write(&rig, SCRIPT("wrong"));
	if (client_rig_connect(&rig)) {
		CHECK_INT(client_rig_ask(&rig, &first), 401);
		client_rig_write(&rig, SCRIPT(OTHER));
		CHECK_INT(client_rig_ask(&rig, &first), 200);
		CHECK_INT(client_rig_ask(&rig, &first), 200);
		base_buf_clear(&told);
		CHECK_INT(live_client_describe(rig.client, &told), BASE_OK);
		CHECK_CONTAINS(told.ptr, "ran 2 times");
	}
	base_buf_release(&told);
	client_rig_release(&rig);
}

static int64_t wall_of(void *self)
{
	const struct rig *rig = self;

	return rig->wall;
}

static void an_expired_credential_is_asked_for_again(void)
{
	static const struct {
		int64_t wall;
		const char *ran;
	} rows[] = {{1000, "ran 1 times"}, {1999, "ran 1 times"}, {2000, "ran 2 times"}};
	struct rig rig;
	struct asked asked;

	if (!client_rig_init(&rig))
		return;
	struct live_exec exec = exec_of(&rig);
	rig.user.exec = &exec;
	rig.options.wall = wall_of;
	rig.options.wall_self = &rig;
	client_rig_write(&rig, SCRIPT(GOOD "\",\"expirationTimestamp\":\"1970-01-01T00:33:20Z"));
	if (client_rig_connect(&rig))
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			struct base_buf told;

			CHECK_ROW("at %d", (int)rows[i].wall);
			rig.wall = rows[i].wall;
			CHECK_INT(client_rig_ask(&rig, &asked), 200);
			base_buf_init(&told, NULL, BASE_BUF_MAX_DEFAULT);
			CHECK_INT(live_client_describe(rig.client, &told), BASE_OK);
			CHECK_CONTAINS(told.ptr, rows[i].ran);
			base_buf_release(&told);
		}
	client_rig_release(&rig);
}

static void a_failing_plugin_fails_the_requests_with_its_reason(void)
{
	struct rig rig;
	struct asked asked;

	if (!client_rig_init(&rig))
		return;
	struct live_exec exec = exec_of(&rig);
	rig.user.exec = &exec;
	client_rig_write(&rig, "#!/bin/sh\nexit 4\n");
	if (client_rig_connect(&rig)) {
		CHECK_INT(client_rig_ask(&rig, &asked), -(int)INF_END_OTHER);
		CHECK_CONTAINS(asked.text, "failed with exit code 4");
		remove(rig.file);
		CHECK_INT(client_rig_ask(&rig, &asked), -(int)INF_END_OTHER);
		CHECK_CONTAINS(asked.text, "cannot be run: No such file");
		client_rig_start(&rig, &asked, "/x", ""); /* freed while it waits */
		base_buf_release(&asked.body);
	}
	client_rig_release(&rig);
}

/* ---- The way there ---- */

static void the_servers_name_is_checked(void)
{
	static const struct {
		const char *name;
		bool trusted, insecure;
		int status;
	} rows[] = {
		{NULL, true, false, 200},
		{"localhost", true, false, 200},
		{"kubernetes", true, false, 200},
		{"elsewhere.example", true, false, -(int)INF_END_TLS},
		{"elsewhere.example", true, true, 200},
		{NULL, false, false, -(int)INF_END_TLS},
		{NULL, false, true, 200},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int h2 = 0; h2 < 2; h2++) {
			struct rig rig;
			struct asked asked;

			CHECK_ROW("%s, %s, %s, HTTP/%d", rows[i].name != NULL ? rows[i].name : "-",
				  rows[i].trusted ? "trusted" : "not trusted",
				  rows[i].insecure ? "insecure" : "checked", h2 + 1);
			if (!client_rig_init(&rig))
				return;
			rig.user.token = client_rig_text(GOOD);
			rig.options.version = h2 ? LIVE_HTTP_2 : LIVE_HTTP_1_1;
			rig.cluster.server_name = client_rig_text(rows[i].name);
			rig.cluster.insecure = rows[i].insecure;
			if (!rows[i].trusted || rows[i].insecure)
				rig.cluster.authority_pem = (struct base_str){0};
			if (client_rig_connect(&rig))
				CHECK_INT(client_rig_ask(&rig, &asked), rows[i].status);
			client_rig_release(&rig);
		}
}

static void a_proxy_is_asked_for_the_server(void)
{
	static const struct {
		const char *scheme, *host, *asked;
	} rows[] = {
		{"http://", "127.0.0.1", "CONNECT 127.0.0.1:"},
		{"http://", "localhost", "CONNECT localhost:"},
		{"http://me:pw@", "127.0.0.1", "CONNECT 127.0.0.1:"},
		{"socks5://", "127.0.0.1", "socks5 127.0.0.1:"},
		/* resolved behind the proxy: this machine does not know the name */
		{"socks5://", "kubernetes", "socks5 kubernetes:"},
		{"http://", "kubernetes", "CONNECT kubernetes:"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rig rig;
		struct asked asked;

		CHECK_ROW("%s %s", rows[i].scheme, rows[i].host);
		if (!client_rig_init(&rig))
			return;
		snprintf(rig.url, sizeof(rig.url), "https://%s:%d", rows[i].host,
			 fakeapi_server_tls_port(rig.host.server));
		snprintf(rig.proxy_url, sizeof(rig.proxy_url), "%s127.0.0.1:%d", rows[i].scheme,
			 rig.proxy.port);
		rig.user.token = client_rig_text(GOOD);
		rig.target.proxy = rig.proxy_url;
		if (client_rig_connect(&rig)) {
			CHECK_INT(client_rig_ask(&rig, &asked), 200);
			CHECK_INT(rig.proxy.count, 1);
			CHECK_CONTAINS(rig.proxy.asked, rows[i].asked);
			CHECK_TEXT(rig.proxy.credential,
				   strstr(rows[i].scheme, "me:pw") != NULL ? "Basic bWU6cHc=" : "");
		}
		client_rig_release(&rig);
	}
}

static void a_client_certificate_goes_with_its_key_alone(void)
{
	struct rig rig;
	struct base_error error = {0};

	if (!client_rig_init(&rig))
		return;
	rig.user.certificate_pem = fakeapi_server_authority_pem(rig.host.server);
	rig.user.key_pem =
		BASE_STR("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
	rig.client = live_client_new(&rig.options, &error);
	CHECK_PTR_NULL(rig.client);
	CHECK_CONTAINS(error.text, "the client key is no PEM key");
	CHECK_TRUE(strstr(error.text, "AAAA") == NULL);
	client_rig_release(&rig);
}

/* It starts or says why not; once started it ends, well or not. */
static void ask_short_of_memory(struct rig *rig, const struct base_alloc_probe *probe)
{
	const struct inf_transport transport = live_client_transport(rig->client);
	const struct inf_http_request request = {.method = BASE_STR("GET"),
						 .path = BASE_STR("/api/v1/pods")};
	struct base_error error = {0};
	struct asked asked;

	client_rig_asked(&asked);
	if (transport.start(transport.self, &asked.exchange, &request, &error) == BASE_OK) {
		client_rig_wait(rig, &asked);
		if (probe->failed_count == 0)
			CHECK_INT(asked.status, 200);
	} else {
		CHECK_INT(error.code, BASE_ENOMEM);
		CHECK_TRUE(error.text[0] != '\0');
	}
	base_buf_release(&asked.body);
}

static void out_of_memory_at_any_point_leaks_nothing(void)
{
	for (uint64_t at = 1;; at++) {
		struct base_alloc_probe probe;
		struct rig rig;
		struct base_error error = {0};

		if (!client_rig_init(&rig))
			return;
		base_alloc_probe_init(&probe);
		probe.fail_at = at;
		rig.user.token = client_rig_text(GOOD);
		rig.cluster.server_name = client_rig_text("localhost");
		rig.options.alloc = &probe.alloc;
		rig.client = live_client_new(&rig.options, &error);
		if (rig.client == NULL)
			CHECK_INT(error.code, BASE_ENOMEM);
		else
			ask_short_of_memory(&rig, &probe);
		live_client_free(rig.client);
		rig.client = NULL;
		client_rig_release(&rig);
		if (!CHECK_U64(probe.live_count, 0) || probe.failed_count == 0)
			break;
	}
}

static CU_TestInfo tests[] = {
	{"a token is sent over every version of HTTP", a_token_is_sent_over_every_version_of_http},
	{"a token file is read again after a 401", a_token_file_is_read_again_after_a_401},
	{"an unusable token file is told at once", an_unusable_token_file_is_told_at_once},
	{"requests wait for one run of the plugin, and a 401 asks it again",
	 requests_wait_for_one_run_of_the_plugin_and_a_401_asks_it_again},
	{"an expired credential is asked for again", an_expired_credential_is_asked_for_again},
	{"a failing plugin fails the requests with its reason",
	 a_failing_plugin_fails_the_requests_with_its_reason},
	{"the server's name is checked", the_servers_name_is_checked},
	{"a proxy is asked for the server", a_proxy_is_asked_for_the_server},
	{"a client certificate goes with its key alone",
	 a_client_certificate_goes_with_its_key_alone},
	{"out of memory at any point leaks nothing", out_of_memory_at_any_point_leaks_nothing},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_wire_client_suite;
CU_SuiteInfo sim_wire_client_suite = {.pName = "sim/wire/client", .pTests = tests};
