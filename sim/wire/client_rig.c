#include "sim/wire/client_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ci/unit/assert.h"

#define PATIENCE_NS UINT64_C(20000000000)

static const char small[] = "relist: 1\n"
			    "scenario: two pods\n"
			    "cluster: {pods: [default/a, default/b]}\n"
			    "informer: {resource: pods}\n"
			    "steps:\n"
			    "  - at: 0s\n"
			    "    start: informer\n";

/* ---- The server and a target that leads to it ---- */

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

char *client_rig_text(const char *text)
{
	return (char *)(uintptr_t)text;
}

bool client_rig_init_at(struct rig *rig, uint64_t speed)
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
	rig->user.entry.name = client_rig_text("u");
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

bool client_rig_init(struct rig *rig)
{
	return client_rig_init_at(rig, 1);
}

bool client_rig_connect(struct rig *rig)
{
	struct base_error error = {0};

	rig->client = live_client_new(&rig->options, &error);
	return CHECK_TRUE(rig->client != NULL);
}

void client_rig_release(struct rig *rig)
{
	live_client_free(rig->client);
	proxy_release(&rig->proxy);
	wire_host_release(&rig->host);
	scenario_variants_release(&rig->variants);
	scenario_free(rig->scenario);
	remove(rig->file);
	rmdir(rig->folder);
}

void client_rig_write(const struct rig *rig, const char *text)
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

void client_rig_asked(struct asked *asked)
{
	memset(asked, 0, sizeof(*asked));
	asked->exchange = (struct inf_exchange){
		.on_head = on_head, .on_body = on_body, .on_end = on_end, .owner = asked};
	base_buf_init(&asked->body, NULL, BASE_BUF_MAX_DEFAULT);
}

void client_rig_start(struct rig *rig, struct asked *asked, const char *path, const char *query)
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

	client_rig_asked(asked);
	CHECK_INT(transport.start(transport.self, &asked->exchange, &request, &error), BASE_OK);
}

void client_rig_wait(struct rig *rig, struct asked *asked)
{
	struct base_loop *loop = &rig->host.loop;
	const uint64_t end_ns = base_loop_now_ns(loop) + PATIENCE_NS * loop->speed;

	while (!asked->over && base_loop_now_ns(loop) < end_ns)
		if (!CHECK_INT(base_loop_turn(loop, end_ns), BASE_OK))
			return;
	CHECK_TRUE(asked->over);
}

/* The status, or minus what ended it. */
int client_rig_ask(struct rig *rig, struct asked *asked)
{
	client_rig_start(rig, asked, "/api/v1/namespaces/default/pods", "");
	client_rig_wait(rig, asked);
	base_buf_release(&asked->body);
	return asked->status != 0 ? asked->status : -(int)asked->end;
}
