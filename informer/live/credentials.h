/* Who we are, request by request: one transport wrapped round live_http that sees to tokens, certificates and
 * plugins, and the decorator that writes the Authorization and Impersonate lines.
 *
 * A token file is read again once a minute and after a 401; while that fails the last good token is used.
 * Files of certificates and of the authority are looked at once a second at most, and once a minute while only
 * watches run, and handed on when they changed: with another certificate all connections are closed; a pair that does not match and a file that is no authority are told and not taken. A plugin runs when
 * there is no credential yet, when it has expired and after a 401; requests wait for it meanwhile, and fail with
 * what it said when it fails (B-13).
 *
 * No credential ever gets into an error text, a warning or live_credentials_describe.
 * Thread rule: the loop's thread. */
#ifndef INFORMER_LIVE_CREDENTIALS_H
#define INFORMER_LIVE_CREDENTIALS_H

#include "informer/live/http.h"
#include "informer/live/kubeconfig.h"

struct live_credentials_options {
	const struct base_alloc *alloc;
	struct base_loop *loop;
	const struct live_target *target; /* borrowed */
	void (*warn)(void *self, const char *text);
	void *warn_self;
	bool terminal; /* somebody sits in front of standard input */
	/* Seconds since 1970; NULL: the machine's. For expiry only. */
	int64_t (*wall)(void *self);
	void *wall_self;
};

struct live_credentials;

/* BASE_ENOMEM; BASE_EIO, BASE_EINVAL: a file is missing or empty. */
struct live_credentials *live_credentials_new(const struct live_credentials_options *options,
					      struct base_error *error);
/* Drops what waits without a word. NULL is allowed. Before the live_http it leads to. */
void live_credentials_free(struct live_credentials *credentials);
/* To be put into live_http's chain; lives as long as the credentials. */
const struct live_decorator *live_credentials_decorator(struct live_credentials *credentials);
/* The certificates to begin with; valid until the loop runs. */
void live_credentials_identity(const struct live_credentials *credentials,
			       struct base_str *certificate_pem, struct base_str *key_pem);
/* Requests go on to http; it gets other certificates when they change. Once, before the first request. */
void live_credentials_lead_to(struct live_credentials *credentials, struct live_http *http);
struct inf_transport live_credentials_transport(struct live_credentials *credentials);

/* What there is, for people who look for a mistake: kinds, sources, ages; secrets as "(N bytes)". */
enum base_code live_credentials_describe(const struct live_credentials *credentials,
					 struct base_buf *out) BASE_MUST_CHECK;

#endif
