/* What can go wrong between the core and an API server, as one value.
 *
 * An inf_error owns nothing: it may be copied, needs no memory and never has to be freed. Texts that
 * do not fit are cut. The questions below are the error classes of section 3 of the behaviour
 * specification; they look at `kind`, `code`, `reason` and the flags, never at the address.
 *
 * Thread rule: pure functions of their arguments. */
#ifndef INFORMER_ERROR_H
#define INFORMER_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "informer/export.h"
#include "informer/seams.h"

#ifdef __cplusplus
extern "C" {
#endif

#define INF_ERROR_TEXT_MAX 512
#define INF_ERROR_REASON_MAX 64

/* kind, word */
#define INF_ERROR_KINDS(X)                                                                         \
	X(INF_ERROR_NONE, "none")                                                                  \
	X(INF_ERROR_STATUS, "status")                       /* the server said so, or E-2 did */   \
	X(INF_ERROR_UNEXPECTED_OBJECT, "unexpected-object") /* an ERROR event without a Status */  \
	X(INF_ERROR_REFUSED, "refused")                                                            \
	X(INF_ERROR_EOF, "eof")                       /* before a response head */                 \
	X(INF_ERROR_UNEXPECTED_EOF, "unexpected-eof") /* in the middle of a body */                \
	X(INF_ERROR_RESET, "reset")                                                                \
	X(INF_ERROR_NET_TIMEOUT, "net-timeout")                                                    \
	X(INF_ERROR_TLS, "tls")                                                                    \
	X(INF_ERROR_CONNECTION_LOST, "connection-lost") /* http2: client connection lost */        \
	X(INF_ERROR_TRANSPORT, "transport")             /* anything else below HTTP */             \
	X(INF_ERROR_DECODE, "decode")                   /* an answer that makes no sense */        \
	X(INF_ERROR_STORE, "store")                     /* the target store refused */             \
	X(INF_ERROR_VERY_SHORT_WATCH, "very-short-watch")                                          \
	X(INF_ERROR_CANCELLED, "cancelled")                                                        \
	X(INF_ERROR_MEMORY, "memory")                                                              \
	X(INF_ERROR_OTHER, "other")

#define INF_ERROR_KIND_ENUM(kind, word) kind,
enum inf_error_kind { INF_ERROR_KINDS(INF_ERROR_KIND_ENUM) };
#undef INF_ERROR_KIND_ENUM

/* A zeroed inf_error is "no error". */
struct inf_error {
	enum inf_error_kind kind;
	int code;                          /* STATUS: the Status' code; 0 else */
	int64_t retry_after_s;             /* STATUS: details.retryAfterSeconds; 0 = absent */
	char reason[INF_ERROR_REASON_MAX]; /* STATUS: the Status' reason; NUL-terminated */
	char text[INF_ERROR_TEXT_MAX];     /* one line for people, NUL-terminated */
	bool wrapped;             /* context was put in front: "the error itself" differs */
	bool too_large_cause;     /* a cause of type ResourceVersionTooLarge */
	bool too_large_text;      /* details, and the old text in a cause or in the message */
	bool unexpected_response; /* a cause of type UnexpectedServerResponse */
};

/* ---- Classes (section 3) ---- */

INF_API bool inf_error_is_set(const struct inf_error *error);
INF_API bool inf_error_is_resource_expired(const struct inf_error *error); /* reason Expired */
INF_API bool inf_error_is_gone(const struct inf_error *error); /* reason Gone, or bare 410 */
/* Resource expired or gone: the reflector starts anew. */
INF_API bool inf_error_is_expired(const struct inf_error *error);
INF_API bool inf_error_is_too_many_requests(const struct inf_error *error);
INF_API bool inf_error_is_internal(const struct inf_error *error);
INF_API bool inf_error_is_server_timeout(const struct inf_error *error);
INF_API bool inf_error_is_too_large_version(const struct inf_error *error);
INF_API bool inf_error_is_connection_refused(const struct inf_error *error);
/* Connection refused or too many requests: the watch is opened again after a delay. */
INF_API bool inf_error_is_retriable_watch(const struct inf_error *error);
/* EOF, unexpected EOF, connection reset, a closed connection: the peer went away. */
INF_API bool inf_error_is_probable_eof(const struct inf_error *error);
INF_API bool inf_error_is_net_timeout(const struct inf_error *error);

/* One word for reports: the first that holds of expired, too-large-version, too-many-requests,
 * internal, server-timeout, the Status' reason family ("status"), else the kind's word. */
INF_API const char *inf_error_class_name(const struct inf_error *error);
/* Is this one of the reasons the reference knows? An unknown reason lets the code decide. */
INF_API bool inf_error_reason_is_known(struct base_str reason);

/* ---- Making errors ---- */

/* Sets kind and text; error may be NULL. */
INF_API void inf_error_set(struct inf_error *error, enum inf_error_kind kind, const char *format,
			   ...) BASE_PRINTF(3, 4);
/* Puts "context: " before the text and marks the error as wrapped. Classes stay. */
INF_API void inf_error_wrap(struct inf_error *error, const char *format, ...) BASE_PRINTF(2, 3);
/* H-4: puts the text of an error of an earlier try behind the text, and marks the error as wrapped. */
INF_API void inf_error_add_previous(struct inf_error *error, const struct inf_error *previous);
/* From how an exchange ended. INF_END_EOF gives INF_ERROR_NONE. */
INF_API void inf_error_from_end(struct inf_error *error, enum inf_end end, struct base_str text);
/* A Status object (proven JSON bytes) becomes a status error. */
INF_API void inf_error_from_status(struct inf_error *error, struct base_str status);
/* E-2: a non-2xx answer without a Status body. is_text: Content-Type is absent or text/...; the body
 * (cut at 2048 bytes, trimmed) then goes into the text. */
INF_API void inf_error_from_http(struct inf_error *error, struct base_str method, int http_code,
				 struct base_str body, bool is_text, int64_t retry_after_s);
/* An internal error (500) as W-2 makes it from a stream that cannot be decoded. */
INF_API void inf_error_from_decoding(struct inf_error *error, const char *why);

/* E-3: does this value of the annotation k8s.io/initial-events-end mark the end? */
INF_API bool inf_initial_events_end(struct base_str annotation_value);

#ifdef __cplusplus
}
#endif

#endif
