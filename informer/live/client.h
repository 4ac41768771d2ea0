/* Everything of a live client in one: the transport with who we are, how fast we may ask, and what each request
 * says of itself, from a kubeconfig's target.
 *
 *   live_client_options_init(&options, &loop, live_kubeconfig_target(config));
 *   struct live_client *client = live_client_new(&options, &error);
 *   struct inf_host host = live_host_seams(&live, live_client_transport(client));
 *
 * Thread rule: the loop's thread. */
#ifndef INFORMER_LIVE_CLIENT_H
#define INFORMER_LIVE_CLIENT_H

#include "informer/export.h"
#include "informer/live/http.h"
#include "informer/live/kubeconfig.h"
#include "informer/live/policy.h"

#ifdef __cplusplus
extern "C" {
#endif

struct live_client_options {
	const struct base_alloc *alloc;
	struct base_loop *loop;
	const struct live_target *target; /* borrowed for the client's life */
	enum live_http_version version;   /* default LIVE_HTTP_1_1 */
	/* What each request says, unless it says it itself; borrowed; NULL or false: not sent. */
	const char *user_agent; /* default "libinformer" */
	const char *client_id;  /* X-Relist-Client */
	bool trace_parent;      /* traceparent with a random trace of this client */
	/* More lines; borrowed. */
	const struct live_decorator *decorators;
	struct live_policy policy; /* default: live_policy_defaults */
	unsigned connections_max;
	bool facts;    /* keep what connections turn out to be */
	bool terminal; /* somebody sits in front of standard input: plugins may ask */
	void (*warn)(void *self, const char *text); /* NULL: nobody; never a credential */
	void *warn_self;
	/* Seconds since 1970, for the expiry of credentials; NULL: the machine's. */
	int64_t (*wall)(void *self);
	void *wall_self;
};
INF_API void live_client_options_init(struct live_client_options *options, struct base_loop *loop,
				      const struct live_target *target);

struct live_client;

/* NULL with error: BASE_ENOMEM, BASE_EINVAL, BASE_EIO (a file of the user's is missing). */
INF_API struct live_client *live_client_new(const struct live_client_options *options,
					    struct base_error *error);
/* Drops what is in flight without a word. NULL is allowed. */
INF_API void live_client_free(struct live_client *client);
INF_API struct inf_transport live_client_transport(struct live_client *client);

struct live_client_figures {
	struct live_http_figures http;
	struct live_policed_figures policy;
};
INF_API struct live_client_figures live_client_figures(const struct live_client *client);
/* Of the connection of the last answer; zeroes without options.facts. */
INF_API struct live_facts live_client_facts(const struct live_client *client);
/* What it is and has, for people; no credential in it. */
INF_API enum base_code live_client_describe(const struct live_client *client, struct base_buf *out)
	BASE_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
