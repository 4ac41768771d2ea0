#include "informer/live/client.h"

#include <stdio.h>
#include <sys/random.h>

#include "informer/live/credentials.h"
#include "informer/live/host.h"
#include "informer/live/lines.h"

/* A server has 60 s for an answer; one that says nothing for longer has gone, whatever TCP thinks. */
#define SECOND_NS UINT64_C(1000000000)
#define SILENCE_NS (65 * SECOND_NS)

struct live_client {
	struct live_client_options options;
	struct live_credentials *credentials;
	struct live_http *http;
	struct live_host host; /* the policy's clock */
	struct live_policed *policed;
	struct live_decorator says, proves;
	unsigned char trace[16];
};

void live_client_options_init(struct live_client_options *options, struct base_loop *loop,
			      const struct live_target *target)
{
	*options = (struct live_client_options){.loop = loop,
						.target = target,
						.version = LIVE_HTTP_1_1,
						.user_agent = "libinformer"};
	live_policy_defaults(&options->policy);
}

static bool says_itself(const struct inf_http_request *request, const char *name)
{
	for (size_t i = 0; i < request->header_count; i++)
		if (live_same_name(request->headers[i].name, base_str(name)))
			return true;
	return false;
}

static enum base_code put_trace(const struct live_client *client, struct base_buf *lines)
{
	unsigned char span[8];
	enum base_code code = base_buf_text(lines, "traceparent: 00-");

	if (getrandom(span, sizeof span, 0) != (ssize_t)sizeof span)
		memset(span, 1, sizeof span);
	for (size_t i = 0; code == BASE_OK && i < sizeof client->trace; i++)
		code = base_buf_printf(lines, "%02x", client->trace[i]);
	if (code == BASE_OK)
		code = base_buf_char(lines, '-');
	for (size_t i = 0; code == BASE_OK && i < sizeof span; i++)
		code = base_buf_printf(lines, "%02x", span[i]);
	return code == BASE_OK ? base_buf_text(lines, "-01\n") : code;
}

static enum base_code say(void *self, const struct inf_http_request *request,
			  struct base_buf *lines, struct base_error *error)
{
	const struct live_client *client = self;
	const struct live_client_options *options = &client->options;
	enum base_code code = BASE_OK;

	if (options->user_agent != NULL && !says_itself(request, "User-Agent"))
		code = live_put_line(lines, "User-Agent", base_str(options->user_agent));
	if (code == BASE_OK && options->client_id != NULL)
		code = live_put_line(lines, "X-Relist-Client", base_str(options->client_id));
	if (code == BASE_OK && options->trace_parent && !says_itself(request, "traceparent"))
		code = put_trace(client, lines);
	return code == BASE_OK ? BASE_OK : base_fail(error, code, "a header line cannot be made");
}

static enum base_code make_http(struct live_client *client, struct base_error *error)
{
	const struct live_client_options *options = &client->options;
	const struct live_target *target = options->target;
	struct live_http_config config;

	live_http_config_defaults(&config);
	config.alloc = options->alloc;
	config.loop = options->loop;
	config.server = target->cluster->server;
	config.authority_pem = target->cluster->authority_pem;
	config.server_name = target->cluster->server_name;
	config.insecure = target->cluster->insecure;
	config.proxy = target->proxy;
	config.version = target->http2_disabled ? LIVE_HTTP_1_1 : options->version;
	config.decorators = &client->says;
	config.connections_max = options->connections_max;
	config.facts = options->facts;
	config.answer_silence_ns = SILENCE_NS;
	live_credentials_identity(client->credentials, &config.certificate_pem, &config.key_pem);
	client->http = live_http_new(&config, error);
	if (client->http == NULL)
		return BASE_EINVAL;
	live_credentials_lead_to(client->credentials, client->http);
	const struct inf_host seams =
		live_host_seams(&client->host, live_credentials_transport(client->credentials));
	struct live_policy policy = options->policy;
	if (policy.backoff_base_ns == 0) {
		policy.backoff_base_ns = target->backoff_base_s * SECOND_NS;
		policy.backoff_max_ns = target->backoff_max_s * SECOND_NS;
	}
	client->policed = live_policed_new(&policy, options->alloc, &seams.clock, seams.transport);
	return client->policed != NULL ? BASE_OK
				       : base_fail(error, BASE_ENOMEM, "no memory for a client");
}

struct live_client *live_client_new(const struct live_client_options *options,
				    struct base_error *error)
{
	struct live_client *client = base_calloc(options->alloc, 1, sizeof *client);

	if (client == NULL) {
		base_fail(error, BASE_ENOMEM, "no memory for a client");
		return NULL;
	}
	client->options = *options;
	live_host_init(&client->host, options->loop, options->alloc);
	if (options->trace_parent &&
	    getrandom(client->trace, sizeof client->trace, 0) != (ssize_t)sizeof client->trace)
		memset(client->trace, 1, sizeof client->trace);
	client->credentials = live_credentials_new(
		&(struct live_credentials_options){.alloc = options->alloc,
						   .loop = options->loop,
						   .target = options->target,
						   .warn = options->warn,
						   .warn_self = options->warn_self,
						   .terminal = options->terminal,
						   .wall = options->wall,
						   .wall_self = options->wall_self},
		error);
	if (client->credentials != NULL) {
		client->proves = *live_credentials_decorator(client->credentials);
		client->proves.next = options->decorators;
		client->says = (struct live_decorator){
			.next = &client->proves, .decorate = say, .self = client};
	}
	if (client->credentials != NULL && make_http(client, error) == BASE_OK)
		return client;
	live_client_free(client);
	return NULL;
}

void live_client_free(struct live_client *client)
{
	if (client == NULL)
		return;
	live_policed_free(client->policed);
	live_credentials_free(client->credentials);
	live_http_free(client->http);
	live_host_release(&client->host);
	base_free(client->options.alloc, client);
}

struct inf_transport live_client_transport(struct live_client *client)
{
	return live_policed_transport(client->policed);
}

struct live_client_figures live_client_figures(const struct live_client *client)
{
	return (struct live_client_figures){.http = live_http_figures(client->http),
					    .policy = live_policed_figures(client->policed)};
}

struct live_facts live_client_facts(const struct live_client *client)
{
	return live_http_facts(client->http);
}

enum base_code live_client_describe(const struct live_client *client, struct base_buf *out)
{
	enum base_code code = live_target_describe(client->options.target, out);

	if (code == BASE_OK)
		code = base_buf_text(out, "\n");
	return code == BASE_OK ? live_credentials_describe(client->credentials, out) : code;
}
