/* One request as the handlers see it, and what they answer: above HTTP framing, below the rules.
 *
 * exchange.c makes the call (path, query, body), the handlers (list.c, watch.c, write.c) fill the reply,
 * exchange.c sends it. fakeapi_do uses the same. */
#ifndef FAKEAPI_CALL_H
#define FAKEAPI_CALL_H

#include "fakeapi/fakeapi.h"
#include "fakeapi/profile.h"
#include "fakeapi/status.h"

struct fakeapi_discovery_row;
struct fakeapi_identity;

/* Query parameters, decoded (1.2). Only the first of a repeated one counts. */
struct fakeapi_param {
	bool given;
	struct base_str value;
};

struct fakeapi_query {
	struct base_buf text; /* the decoded bytes the slices point into */
	struct fakeapi_param watch, allow_bookmarks, initial_events;
	struct fakeapi_param resource_version, match, limit, token, timeout_seconds;
	struct fakeapi_param label_selector, field_selector, pretty, timeout;
	struct fakeapi_param field_validation, dry_run, field_manager, force, grace_period,
		propagation_policy, include_object, orphan_dependents, uid;
};
/* raw: the query without "?". BASE_ENOMEM; parts that do not decode are skipped. */
enum base_code fakeapi_query_parse(struct fakeapi_query *query, const struct base_alloc *alloc,
				   struct base_str raw) BASE_MUST_CHECK;
void fakeapi_query_release(struct fakeapi_query *query);
/* The next parameter of a raw query, decoded into scratch (cleared first); false at the end. Parts that do
 * not decode are skipped. */
bool fakeapi_query_next(struct base_str *rest, struct base_buf *scratch, struct base_str *name,
			struct base_str *value);
/* list.c: refuses what does not go together in the options of a list (the 422 table of 2.2): BASE_EINVAL. */
struct fakeapi_reply;
enum base_code fakeapi_list_options_check(const struct fakeapi_query *query,
					  struct fakeapi_reply *reply) BASE_MUST_CHECK;
/* Absent, "0" and "false" (any case) are false, everything else is true. */
bool fakeapi_param_bool(const struct fakeapi_param *param);

struct fakeapi_replica;
struct fakeapi_object;

struct fakeapi_call {
	struct fakeapi *f;
	struct fakeapi_replica *replica; /* which API server answers */
	struct fakeapi_facts facts;      /* verb, group, resource, namespace_, name */
	const struct fakeapi_resource *resource;
	struct base_str method, target;
	struct base_str subresource; /* "status", "finalize", … or empty */
	struct base_str below;       /* the path behind the subresource (proxies) */
	struct base_str raw_query;
	/* The built-in resource or subresource as discovery has it; NULL: custom, or none. */
	const struct fakeapi_discovery_row *row;
	const struct fakeapi_identity *identity;
	struct base_str audit_id; /* the client's own; may be empty */
	const char *body_error;   /* why the body could not be read; NULL: it could */
	bool body_too_large;
	bool stopping;     /* the API server it came to shuts down */
	bool legacy_watch; /* /watch/ in the path (U-9) */
	struct fakeapi_query query;
	struct base_str accept, content_type, user_agent, accept_encoding, if_none_match,
		if_modified_since;
	struct base_str body;
	bool no_wait; /* fakeapi_do */
};

/* Bytes that go out as they are, head and all; the connection stays, or ends after them. */
enum fakeapi_raw { FAKEAPI_RAW_NO, FAKEAPI_RAW, FAKEAPI_RAW_LAST };

/* Everything of an answer but its framing. */
struct fakeapi_reply {
	int status;
	struct base_buf body;     /* with its newline */
	const char *content_type; /* NULL: none; default application/json */
	struct base_str reason;   /* static text, of a Status */
	int64_t retry_after_s;    /* -1: no header */
	bool nosniff;
	struct base_buf warnings;  /* header lines' values, each ended by \n */
	struct base_buf headers;   /* "Name: value" lines, each ended by \n */
	const char *cache_control; /* NULL: "no-cache, private" */
	bool no_flow; /* refused before the flow control saw it: no X-Kubernetes-Pf-* */
	uint64_t
		after_ns; /* it comes that much later, and only if the store is still silent then */
	enum fakeapi_raw raw;
	bool sized;     /* Content-Length whatever the size */
	bool pretty;    /* indented, whatever the client says */
	bool converts;  /* a document that is shown as YAML where that is wanted */
	bool json;      /* JSON under another content type */
	bool is_status; /* the body is a Status */
	bool shaped;    /* the body is in the request's shape already */
	bool gzip;      /* as it goes out */
	bool packs;     /* is compressed where that is wanted, whatever it is */
	bool loose;     /* is never compressed */
	uint64_t rv;
	struct base_str object_key; /* when the body is one object: for fakeapi_filter_item */
};
void fakeapi_reply_init(struct fakeapi_reply *reply, const struct base_alloc *alloc);
void fakeapi_reply_release(struct fakeapi_reply *reply);
/* Empties it, so that another answer can be written. Warnings stay: errors carry them, too. */
void fakeapi_reply_clear(struct fakeapi_reply *reply);

/* Replaces whatever is there. status->reason must be static text. */
enum base_code fakeapi_reply_status(struct fakeapi_reply *reply,
				    const struct fakeapi_status *status) BASE_MUST_CHECK;
/* text/plain with nosniff. */
enum base_code fakeapi_reply_text(struct fakeapi_reply *reply, int status, const char *text)
	BASE_MUST_CHECK;
/* The usual ones of 4.2. */
enum base_code fakeapi_reply_bad_request(struct fakeapi_reply *reply, struct base_str message)
	BASE_MUST_CHECK; /* E-400 */
enum base_code fakeapi_reply_raw_error(struct fakeapi_reply *reply, int code,
				       struct base_str message) BASE_MUST_CHECK; /* E-500d */
enum base_code fakeapi_reply_not_found(struct fakeapi_reply *reply,
				       const struct fakeapi_resource *resource,
				       struct base_str name) BASE_MUST_CHECK;          /* E-404a */
enum base_code fakeapi_reply_unknown(struct fakeapi_reply *reply) BASE_MUST_CHECK;     /* E-404b */
enum base_code fakeapi_reply_no_page(struct fakeapi_reply *reply) BASE_MUST_CHECK;     /* E-404c */
enum base_code fakeapi_reply_not_allowed(struct fakeapi_reply *reply) BASE_MUST_CHECK; /* E-405a */
/* E-405b: "watch is not supported on resources of kind …"; verb may be empty. */
enum base_code fakeapi_reply_not_supported(struct fakeapi_reply *reply, const char *verb,
					   struct base_str resource, struct base_str group)
	BASE_MUST_CHECK;
/* E-422 (4.3): kind "ListOptions", group "meta.k8s.io", name "" … */
enum base_code fakeapi_reply_invalid(struct fakeapi_reply *reply, struct base_str kind,
				     struct base_str group, struct base_str name,
				     const struct fakeapi_cause *causes, size_t cause_count)
	BASE_MUST_CHECK;

/* ---- Implemented in write.c ---- */

/* GET of one object, create, PUT, PATCH, DELETE, delete of a collection: call->facts.verb says which;
 * resource is set, namespace_ and name come from the path. The clock is fakeapi_now_ns, the store is
 * fakeapi_store_of. BASE_ENOMEM: the reply is not to be used. A new version to wait for (GET with a
 * resourceVersion) has been waited for already. */
enum base_code fakeapi_write_handle(struct fakeapi_call *call, struct fakeapi_reply *reply)
	BASE_MUST_CHECK;
/* fakeapi_seed. */
enum base_code fakeapi_write_seed(struct fakeapi *f, struct base_str object,
				  struct base_error *error) BASE_MUST_CHECK;

/* ---- What write.c needs of the server ---- */

struct fakeapi_store *fakeapi_store_of(struct fakeapi *f);
const struct base_alloc *fakeapi_alloc_of(const struct fakeapi *f);
/* Config: are built-in kinds held to their types, are managedFields kept? */
bool fakeapi_is_typed(const struct fakeapi *f);
/* Whether what it writes is: requests of clients, and with typed_writes those of fakeapi_do. */
bool fakeapi_call_is_typed(const struct fakeapi_call *call);
bool fakeapi_keeps_managers(const struct fakeapi *f);
const struct fakeapi_profile *fakeapi_profile_of(const struct fakeapi *f);
/* The object as the watch cache of the answering server has it, which may be older than the store's; *object
 * is NULL when it has none, and borrowed. */
enum base_code fakeapi_cached_get(struct fakeapi_call *call, struct base_str key,
				  struct fakeapi_object **object) BASE_MUST_CHECK;
/* The resource's definition is gone: it is not found any more, and its watches end 1 s later (3.7). */
void fakeapi_resource_gone(struct fakeapi *f, const struct fakeapi_resource *resource);
/* False: the store is paused. */
bool fakeapi_store_answers(const struct fakeapi *f);
/* A v4-shaped uid from the seed, 36 bytes and a NUL. */
void fakeapi_next_uid(struct fakeapi *f, char uid[37]);
/* A draw for generateName: [0, bound). */
uint64_t fakeapi_draw(struct fakeapi *f, uint64_t bound);
/* "2000-01-01T00:00:00Z" of a virtual time, 20 bytes and a NUL (years up to 9999). */
void fakeapi_time_text(const struct fakeapi *f, uint64_t at_ns, char text[24]);

#endif
