/* List options as query parameters, and paths (H-1, H-2). */
#ifndef INFORMER_QUERY_H
#define INFORMER_QUERY_H

#include "base/buf.h"
#include "informer/resource.h"

/* Empty, zero and false members are left out of the query. */
struct inf_list_options {
	struct base_str resource_version;
	struct base_str resource_version_match;
	struct base_str continue_token;
	int64_t limit;
	int64_t timeout_s;
	bool watch;
	bool allow_watch_bookmarks;
	bool send_initial_events;
};

/* Appends the query, keys sorted, encoded as Go's url.Values.Encode does. */
enum base_code inf_query_encode(const struct inf_resource *resource,
				const struct inf_list_options *options, struct base_buf *out)
	BASE_MUST_CHECK;
/* Appends "/api/v1/namespaces/ns/pods" or "/apis/group/version/…". */
enum base_code inf_path(const struct inf_resource *resource, struct base_buf *out) BASE_MUST_CHECK;
/* Appends a whole number of seconds as Go prints a duration: 21s, 7m30s, 1h0m0s. */
enum base_code inf_duration_text(int64_t seconds, struct base_buf *out) BASE_MUST_CHECK;
/* The Accept header of that client (H-12; only the JSON forms are asked for: nothing else is decoded). */
struct base_str inf_accept(enum inf_flavour flavour, bool watch);

#endif
