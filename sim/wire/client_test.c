/* A whole live client, from a kubeconfig's target, against the server on real ports: tokens, plugins, server
 * names, proxies. */
#include "informer/live/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ci/unit/assert.h"
#include "sim/wire/host.h"
#include "sim/wire/proxy_rig.h"

#define PATIENCE_NS UINT64_C(20000000000)
#define GOOD "g00d-token"
#define OTHER "0ther-token"

static const char small[] = "relist: 1\n"
			    "scenario: two pods\n"
			    "cluster: {pods: [default/a, default/b]}\n"
			    "informer: {resource: pods}\n"
			    "steps:\n"
			    "  - at: 0s\n"
			    "    start: informer\n";

/* ---- The server and a target that leads to it ---- */

struct rig {
	struct scenario *scenario;
	struct scenario_variants variants;
	struct sim_run_options run;
	struct wire_host host;
	struct live_cluster cluster;
	struct live_user user;
	struct live_target target;
	struct live_client_options options;
	struct live_client *client;
	struct proxy proxy;
	char url[64], proxy_url[64], folder[256], file[300], warnings[1024];
	int64_t wall;
};

static void configure(void *ctx, struct fakeapi_config *config)
{
	static struct fakeapi_user users[2];

	users[0] = (struct fakeapi_user){.token = BASE_STR(GOOD),
					 .name = BASE_STR("good"),
					 .groups = BASE_STR("system:masters")};
	users[1] = (struct fakeapi_user){.token = BASE_STR(OTHER),
					 .name = BASE_STR("other"),
					 .groups = BASE_STR("system:masters")};
	(void)ctx;
	config->users = users;
	config->user_count = 2;
}

static void on_warning(void *self, const char *text)
{
	struct rig *rig = self;
	const size_t len = strlen(rig->warnings);

	snprintf(rig->warnings + len, sizeof(rig->warnings) - len, "%s\n", text);
}

static char *writable(const char *text)
{
	return (char *)(uintptr_t)text;
}

static bool rig_init_at(struct rig *rig, uint64_t speed)
{
	struct scenario_diagnostics diags;
	struct wire_host_options options = {.run = &rig->run, .speed = speed};
	struct base_error error = {0};
	const char *base = getenv("TMPDIR");

	memset(rig, 0, sizeof(*rig));
	rig->run.configure = configure;
	scenario_diagnostics_init(&diags);
	const bool fine = CHECK_INT(
		scenario_load_text("small", base_str(small), &rig->scenario, &diags), BASE_OK);
	scenario_diagnostics_release(&diags);
	if (!fine)
		return false;
	scenario_expand(rig->scenario, &rig->variants);
	options.variant = &rig->variants.items[0];
	fakeapi_server_config_defaults(&options.server);
	if (!CHECK_TRUE(wire_host_init(&rig->host, &options, &error)))
		return false;
	snprintf(rig->url, sizeof(rig->url), "https://127.0.0.1:%d",
		 fakeapi_server_tls_port(rig->host.server));
	rig->cluster.server = rig->url;
	rig->cluster.authority_pem = fakeapi_server_authority_pem(rig->host.server);
	rig->user.entry.name = writable("u");
	rig->target = (struct live_target){
		.cluster = &rig->cluster, .user = &rig->user, .namespace_name = "default"};
	live_client_options_init(&rig->options, &rig->host.loop, &rig->target);
	rig->options.warn = on_warning;
	rig->options.warn_self = rig;
	snprintf(rig->folder, sizeof(rig->folder), "%s/relist-client.XXXXXX",
		 base != NULL ? base : "/tmp");
	if (!CHECK_TRUE(mkdtemp(rig->folder) != NULL))
		return false;
	snprintf(rig->file, sizeof(rig->file), "%s/file", rig->folder);
	return CHECK_TRUE(proxy_init(&rig->proxy, &rig->host.loop));
}

static bool rig_init(struct rig *rig)
{
	return rig_init_at(rig, 1);
}

static bool connect_client(struct rig *rig)
{
	struct base_error error = {0};

	rig->client = live_client_new(&rig->options, &error);
	return CHECK_TRUE(rig->client != NULL);
}

static void rig_release(struct rig *rig)
{
	live_client_free(rig->client);
	proxy_release(&rig->proxy);
	wire_host_release(&rig->host);
	scenario_variants_release(&rig->variants);
	scenario_free(rig->scenario);
	remove(rig->file);
	rmdir(rig->folder);
}

static void write_file(const struct rig *rig, const char *text)
{
	char next[320];

	snprintf(next, sizeof(next), "%s.new", rig->file);
	FILE *file = fopen(next, "wb");
	if (!CHECK_TRUE(file != NULL))
		return;
	fputs(text, file);
	fclose(file);
	chmod(next, 0700);
	CHECK_INT(rename(next, rig->file), 0);
}

/* ---- One request ---- */

struct asked {
	struct inf_exchange exchange;
	struct base_buf body;
	int status;
	enum inf_end end;
	bool over;
	char text[512];
};

static void on_head(struct inf_exchange *exchange, int status, const struct inf_header *headers,
		    size_t count)
{
	struct asked *asked = exchange->owner;

	(void)headers;
	(void)count;
	asked->status = status;
}

static void on_body(struct inf_exchange *exchange, struct base_str bytes)
{
	struct asked *asked = exchange->owner;

	CHECK_INT(base_buf_str(&asked->body, bytes), BASE_OK);
}

static void on_end(struct inf_exchange *exchange, enum inf_end end, struct base_str text)
{
	struct asked *asked = exchange->owner;

	asked->end = end;
	asked->over = true;
	snprintf(asked->text, sizeof(asked->text), "%.*s", BASE_STR_ARG(text));
}

static void start_ask(struct rig *rig, struct asked *asked, const char *path, const char *query)
{
	const struct inf_transport transport = live_client_transport(rig->client);
	const struct inf_header header = {BASE_STR("Accept"), BASE_STR("application/json")};
	const struct inf_http_request request = {.method = BASE_STR("GET"),
						 .path = base_str(path),
						 .query = base_str(query),
						 .headers = &header,
						 .header_count = 1,
						 .stream = query[0] != '\0'};
	struct base_error error = {0};

	memset(asked, 0, sizeof(*asked));
	asked->exchange = (struct inf_exchange){
		.on_head = on_head, .on_body = on_body, .on_end = on_end, .owner = asked};
	base_buf_init(&asked->body, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(transport.start(transport.self, &asked->exchange, &request, &error), BASE_OK);
}

static void wait_for(struct rig *rig, struct asked *asked)
{
	struct base_loop *loop = &rig->host.loop;
	const uint64_t end_ns = base_loop_now_ns(loop) + PATIENCE_NS * loop->speed;

	while (!asked->over && base_loop_now_ns(loop) < end_ns)
		if (!CHECK_INT(base_loop_turn(loop, end_ns), BASE_OK))
			return;
	CHECK_TRUE(asked->over);
}

/* The status, or minus what ended it. */
static int ask(struct rig *rig, struct asked *asked)
{
	start_ask(rig, asked, "/api/v1/namespaces/default/pods", "");
	wait_for(rig, asked);
	base_buf_release(&asked->body);
	return asked->status != 0 ? asked->status : -(int)asked->end;
}

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
		if (!rig_init(&rig))
			return;
		rig.user.token = writable(rows[i].token);
		rig.options.version = rows[i].version;
		rig.options.trace_parent = true;
		rig.options.client_id = "test";
		if (connect_client(&rig))
			CHECK_INT(ask(&rig, &asked), rows[i].status);
		rig_release(&rig);
	}
}

static void a_token_file_is_read_again_after_a_401(void)
{
	struct rig rig;
	struct asked asked;

	if (!rig_init(&rig))
		return;
	rig.user.token_file = rig.file;
	write_file(&rig, "\n" GOOD "\n");
	if (connect_client(&rig)) {
		CHECK_INT(ask(&rig, &asked), 200);
		write_file(&rig, "wrong");
		CHECK_INT(ask(&rig, &asked), 200); /* within the minute */
		live_client_free(rig.client);
	}
	if (connect_client(&rig)) {
		CHECK_INT(ask(&rig, &asked), 401);
		write_file(&rig, OTHER);
		CHECK_INT(ask(&rig, &asked), 200);
		/* The last good one is used while the file cannot be read. */
		remove(rig.file);
		CHECK_INT(ask(&rig, &asked), 200);
	}
	rig_release(&rig);
}

static void an_unusable_token_file_is_told_at_once(void)
{
	struct rig rig;
	struct base_error error = {0};

	if (!rig_init(&rig))
		return;
	rig.user.token_file = rig.file;
	rig.client = live_client_new(&rig.options, &error);
	CHECK_PTR_NULL(rig.client);
	CHECK_CONTAINS(error.text, "file: No such file");
	write_file(&rig, " \n");
	rig.client = live_client_new(&rig.options, &error);
	CHECK_PTR_NULL(rig.client);
	CHECK_CONTAINS(error.text, "the token file is empty");
	rig_release(&rig);
}

static struct live_exec exec_of(struct rig *rig)
{
	return (struct live_exec){.command = rig->file,
				  .api_version = writable("client.authentication.k8s.io/v1"),
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

	if (!rig_init(&rig))
		return;
	struct live_exec exec = exec_of(&rig);
	rig.user.exec = &exec;
	write_file(&rig, SCRIPT(GOOD));
	base_buf_init(&told, NULL, BASE_BUF_MAX_DEFAULT);
	if (connect_client(&rig)) {
		start_ask(&rig, &first, "/api/v1/pods", "");
		CHECK_INT(ask(&rig, &second), 200);
		wait_for(&rig, &first);
		CHECK_INT(first.status, 200);
		base_buf_release(&first.body);
		CHECK_INT(live_client_describe(rig.client, &told), BASE_OK);
		CHECK_CONTAINS(told.ptr, "ran 1 times");
		CHECK_TRUE(strstr(told.ptr, GOOD) == NULL);
		CHECK_CONTAINS(told.ptr, "token (10 bytes)");
	}
	live_client_free(rig.client);
	write_file(&rig, SCRIPT("wrong"));
	if (connect_client(&rig)) {
		CHECK_INT(ask(&rig, &first), 401);
		write_file(&rig, SCRIPT(OTHER));
		CHECK_INT(ask(&rig, &first), 200);
		CHECK_INT(ask(&rig, &first), 200);
		base_buf_clear(&told);
		CHECK_INT(live_client_describe(rig.client, &told), BASE_OK);
		CHECK_CONTAINS(told.ptr, "ran 2 times");
	}
	base_buf_release(&told);
	rig_release(&rig);
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

	if (!rig_init(&rig))
		return;
	struct live_exec exec = exec_of(&rig);
	rig.user.exec = &exec;
	rig.options.wall = wall_of;
	rig.options.wall_self = &rig;
	write_file(&rig, SCRIPT(GOOD "\",\"expirationTimestamp\":\"1970-01-01T00:33:20Z"));
	if (connect_client(&rig))
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			struct base_buf told;

			CHECK_ROW("at %d", (int)rows[i].wall);
			rig.wall = rows[i].wall;
			CHECK_INT(ask(&rig, &asked), 200);
			base_buf_init(&told, NULL, BASE_BUF_MAX_DEFAULT);
			CHECK_INT(live_client_describe(rig.client, &told), BASE_OK);
			CHECK_CONTAINS(told.ptr, rows[i].ran);
			base_buf_release(&told);
		}
	rig_release(&rig);
}

static void a_failing_plugin_fails_the_requests_with_its_reason(void)
{
	struct rig rig;
	struct asked asked;

	if (!rig_init(&rig))
		return;
	struct live_exec exec = exec_of(&rig);
	rig.user.exec = &exec;
	write_file(&rig, "#!/bin/sh\nexit 4\n");
	if (connect_client(&rig)) {
		CHECK_INT(ask(&rig, &asked), -(int)INF_END_OTHER);
		CHECK_CONTAINS(asked.text, "failed with exit code 4");
		remove(rig.file);
		CHECK_INT(ask(&rig, &asked), -(int)INF_END_OTHER);
		CHECK_CONTAINS(asked.text, "cannot be run: No such file");
		start_ask(&rig, &asked, "/x", ""); /* freed while it waits */
		base_buf_release(&asked.body);
	}
	rig_release(&rig);
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
			if (!rig_init(&rig))
				return;
			rig.user.token = writable(GOOD);
			rig.options.version = h2 ? LIVE_HTTP_2 : LIVE_HTTP_1_1;
			rig.cluster.server_name = writable(rows[i].name);
			rig.cluster.insecure = rows[i].insecure;
			if (!rows[i].trusted || rows[i].insecure)
				rig.cluster.authority_pem = (struct base_str){0};
			if (connect_client(&rig))
				CHECK_INT(ask(&rig, &asked), rows[i].status);
			rig_release(&rig);
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
		if (!rig_init(&rig))
			return;
		snprintf(rig.url, sizeof(rig.url), "https://%s:%d", rows[i].host,
			 fakeapi_server_tls_port(rig.host.server));
		snprintf(rig.proxy_url, sizeof(rig.proxy_url), "%s127.0.0.1:%d", rows[i].scheme,
			 rig.proxy.port);
		rig.user.token = writable(GOOD);
		rig.target.proxy = rig.proxy_url;
		if (connect_client(&rig)) {
			CHECK_INT(ask(&rig, &asked), 200);
			CHECK_INT(rig.proxy.count, 1);
			CHECK_CONTAINS(rig.proxy.asked, rows[i].asked);
			CHECK_TEXT(rig.proxy.credential,
				   strstr(rows[i].scheme, "me:pw") != NULL ? "Basic bWU6cHc=" : "");
		}
		rig_release(&rig);
	}
}

/* Nothing below HTTP notices a proxy that keeps its connections and passes nothing on. */
static void a_watch_on_a_silent_way_ends_a_grace_after_its_time(void)
{
	for (int h2 = 0; h2 < 2; h2++) {
		struct rig rig;
		struct asked asked;

		CHECK_ROW("HTTP/%d", h2 + 1);
		if (!rig_init_at(&rig, 60))
			return;
		snprintf(rig.proxy_url, sizeof(rig.proxy_url), "http://127.0.0.1:%d",
			 rig.proxy.port);
		rig.user.token = writable(GOOD);
		rig.target.proxy = rig.proxy_url;
		rig.options.version = h2 ? LIVE_HTTP_2 : LIVE_HTTP_1_1;
		if (connect_client(&rig)) {
			start_ask(&rig, &asked, "/api/v1/pods",
				  "resourceVersion=0&timeoutSeconds=10&watch=true");
			while (!asked.over && asked.body.len == 0 &&
			       base_loop_turn(&rig.host.loop, BASE_LOOP_NEVER) == BASE_OK)
				;
			const uint64_t start_ns = base_loop_now_ns(&rig.host.loop);
			rig.proxy.hold = true;
			wait_for(&rig, &asked);
			const uint64_t took_s = (base_loop_now_ns(&rig.host.loop) - start_ns) /
						1000000000;
			CHECK_INT(asked.end, INF_END_TIMEOUT);
			CHECK_TRUE(took_s >= 25 && took_s <= 50);
			base_buf_release(&asked.body);
		}
		rig_release(&rig);
	}
}

/* Certificate and key in one file, as both PEM readers accept it. */
static void write_identity(struct rig *rig, struct fakeapi_server *from)
{
	struct base_buf certificate, key;
	struct base_error error = {0};

	base_buf_init(&certificate, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&key, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(fakeapi_server_issue(from, "jane", NULL, &certificate, &key, &error), BASE_OK);
	CHECK_INT(base_buf_str(&certificate, base_buf_peek(&key)), BASE_OK);
	write_file(rig, certificate.ptr);
	base_buf_release(&certificate);
	base_buf_release(&key);
}

static void pass(struct rig *rig, uint64_t ns)
{
	struct base_loop *loop = &rig->host.loop;
	const uint64_t end_ns = base_loop_now_ns(loop) + ns;

	while (base_loop_now_ns(loop) < end_ns && CHECK_INT(base_loop_turn(loop, end_ns), BASE_OK))
		;
}

/* The server refuses the certificate of another authority, so that it is seen which one was sent. */
static void a_client_certificate_is_sent_and_another_after_its_file_changed(void)
{
	for (int h2 = 0; h2 < 2; h2++) {
		struct rig rig, foreign;
		struct asked asked;

		CHECK_ROW("HTTP/%d", h2 + 1);
		if (!rig_init_at(&rig, 20) || !rig_init(&foreign))
			return;
		rig.user.token = writable(GOOD);
		rig.user.certificate_file = rig.user.key_file = rig.file;
		rig.options.version = h2 ? LIVE_HTTP_2 : LIVE_HTTP_1_1;
		write_identity(&rig, foreign.host.server);
		if (connect_client(&rig)) {
			CHECK_TRUE(ask(&rig, &asked) < 0);
			write_identity(&rig, rig.host.server);
			pass(&rig, UINT64_C(1100000000));
			CHECK_INT(ask(&rig, &asked), 200);
			/* A pair that does not match is not taken. */
			write_file(&rig, "-----BEGIN CERTIFICATE-----\n");
			pass(&rig, UINT64_C(1100000000));
			CHECK_INT(ask(&rig, &asked), 200);
			CHECK_CONTAINS(rig.warnings,
				       "the client certificate is no PEM certificate");
			write_identity(&rig, foreign.host.server);
			pass(&rig, UINT64_C(1100000000));
			CHECK_TRUE(ask(&rig, &asked) < 0);
		}
		rig_release(&foreign);
		rig_release(&rig);
	}
}

static void another_authority_is_trusted_after_its_file_changed(void)
{
	struct rig rig, foreign;
	struct asked asked;
	char pem[8192];

	if (!rig_init_at(&rig, 20) || !rig_init(&foreign))
		return;
	rig.user.token = writable(GOOD);
	rig.cluster.authority_file = rig.file;
	rig.cluster.authority_pem = fakeapi_server_authority_pem(foreign.host.server);
	snprintf(pem, sizeof(pem), "%.*s", BASE_STR_ARG(rig.cluster.authority_pem));
	write_file(&rig, pem);
	if (connect_client(&rig)) {
		CHECK_INT(ask(&rig, &asked), -(int)INF_END_TLS);
		write_file(&rig, "nothing of that kind");
		pass(&rig, UINT64_C(1100000000));
		CHECK_INT(ask(&rig, &asked), -(int)INF_END_TLS);
		CHECK_CONTAINS(rig.warnings, "there is no PEM certificate in it");
		snprintf(pem, sizeof(pem), "%.*s",
			 BASE_STR_ARG(fakeapi_server_authority_pem(rig.host.server)));
		write_file(&rig, pem);
		pass(&rig, UINT64_C(1100000000));
		CHECK_INT(ask(&rig, &asked), 200);
	}
	rig_release(&foreign);
	rig_release(&rig);
}

static void a_client_certificate_goes_with_its_key_alone(void)
{
	struct rig rig;
	struct base_error error = {0};

	if (!rig_init(&rig))
		return;
	rig.user.certificate_pem = fakeapi_server_authority_pem(rig.host.server);
	rig.user.key_pem =
		BASE_STR("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
	rig.client = live_client_new(&rig.options, &error);
	CHECK_PTR_NULL(rig.client);
	CHECK_CONTAINS(error.text, "the client key is no PEM key");
	CHECK_TRUE(strstr(error.text, "AAAA") == NULL);
	rig_release(&rig);
}

/* It starts or says why not; once started it ends, well or not. */
static void ask_short_of_memory(struct rig *rig, const struct base_alloc_probe *probe)
{
	const struct inf_transport transport = live_client_transport(rig->client);
	const struct inf_http_request request = {.method = BASE_STR("GET"),
						 .path = BASE_STR("/api/v1/pods")};
	struct base_error error = {0};
	struct asked asked = {0};

	asked.exchange = (struct inf_exchange){
		.on_head = on_head, .on_body = on_body, .on_end = on_end, .owner = &asked};
	base_buf_init(&asked.body, NULL, BASE_BUF_MAX_DEFAULT);
	if (transport.start(transport.self, &asked.exchange, &request, &error) == BASE_OK) {
		wait_for(rig, &asked);
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

		if (!rig_init(&rig))
			return;
		base_alloc_probe_init(&probe);
		probe.fail_at = at;
		rig.user.token = writable(GOOD);
		rig.cluster.server_name = writable("localhost");
		rig.options.alloc = &probe.alloc;
		rig.client = live_client_new(&rig.options, &error);
		if (rig.client == NULL)
			CHECK_INT(error.code, BASE_ENOMEM);
		else
			ask_short_of_memory(&rig, &probe);
		live_client_free(rig.client);
		rig.client = NULL;
		rig_release(&rig);
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
	{"a watch on a silent way ends a grace after its time",
	 a_watch_on_a_silent_way_ends_a_grace_after_its_time},
	{"a client certificate is sent, and another after its file changed",
	 a_client_certificate_is_sent_and_another_after_its_file_changed},
	{"a failing plugin fails the requests with its reason",
	 a_failing_plugin_fails_the_requests_with_its_reason},
	{"the server's name is checked", the_servers_name_is_checked},
	{"a proxy is asked for the server", a_proxy_is_asked_for_the_server},
	{"another authority is trusted after its file changed",
	 another_authority_is_trusted_after_its_file_changed},
	{"a client certificate goes with its key alone",
	 a_client_certificate_goes_with_its_key_alone},
	{"out of memory at any point leaks nothing", out_of_memory_at_any_point_leaks_nothing},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_wire_client_suite;
CU_SuiteInfo sim_wire_client_suite = {.pName = "sim/wire/client", .pTests = tests};
