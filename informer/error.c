/* Errors as values and the classes of section 3. */
#include "informer/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"

#define HTTP_BODY_TEXT_MAX 2048
#define TOO_LARGE_TEXT "Too large resource version"

static const char *const kind_words[] = {
#define KIND_WORD(kind, word) word,
	INF_ERROR_KINDS(KIND_WORD)
#undef KIND_WORD
};

/* The reasons the reference knows; any other lets the code decide. */
static const char *const known_reasons[] = {
	"Unauthorized",
	"Forbidden",
	"NotFound",
	"AlreadyExists",
	"Conflict",
	"Gone",
	"Invalid",
	"ServerTimeout",
	"Timeout",
	"TooManyRequests",
	"BadRequest",
	"MethodNotAllowed",
	"NotAcceptable",
	"InternalError",
	"Expired",
	"RequestEntityTooLarge",
	"ServiceUnavailable",
	"UnsupportedMediaType",
};

static void copy_text(char *to, size_t max, struct base_str from)
{
	size_t len = from.len < max - 1 ? from.len : max - 1;
	if (len > 0) {
		memcpy(to, from.ptr, len);
	}
	to[len] = '\0';
}

bool inf_error_reason_is_known(struct base_str reason)
{
	for (size_t i = 0; i < sizeof(known_reasons) / sizeof(known_reasons[0]); i++) {
		if (base_str_is(reason, known_reasons[i])) {
			return true;
		}
	}
	return false;
}

bool inf_error_is_set(const struct inf_error *error)
{
	return error->kind != INF_ERROR_NONE;
}

static bool has_reason(const struct inf_error *error, const char *reason)
{
	return error->kind == INF_ERROR_STATUS && strcmp(error->reason, reason) == 0;
}

/* The reason, or with an unknown reason the code. */
static bool is_reason_or_code(const struct inf_error *error, const char *reason, int code)
{
	if (error->kind != INF_ERROR_STATUS) {
		return false;
	}
	if (strcmp(error->reason, reason) == 0) {
		return true;
	}
	return error->code == code && !inf_error_reason_is_known(base_str(error->reason));
}

bool inf_error_is_resource_expired(const struct inf_error *error)
{
	return has_reason(error, "Expired");
}

bool inf_error_is_gone(const struct inf_error *error)
{
	return is_reason_or_code(error, "Gone", 410);
}

bool inf_error_is_expired(const struct inf_error *error)
{
	return inf_error_is_resource_expired(error) || inf_error_is_gone(error);
}

bool inf_error_is_too_many_requests(const struct inf_error *error)
{
	return has_reason(error, "TooManyRequests") ||
	       (error->kind == INF_ERROR_STATUS && error->code == 429);
}

bool inf_error_is_internal(const struct inf_error *error)
{
	return is_reason_or_code(error, "InternalError", 500);
}

bool inf_error_is_server_timeout(const struct inf_error *error)
{
	return is_reason_or_code(error, "Timeout", 504);
}

bool inf_error_is_too_large_version(const struct inf_error *error)
{
	if (error->kind != INF_ERROR_STATUS) {
		return false;
	}
	if (error->too_large_cause) {
		return true;
	}
	return inf_error_is_server_timeout(error) && !error->wrapped && error->too_large_text;
}

bool inf_error_is_connection_refused(const struct inf_error *error)
{
	return error->kind == INF_ERROR_REFUSED;
}

bool inf_error_is_retriable_watch(const struct inf_error *error)
{
	return inf_error_is_connection_refused(error) || inf_error_is_too_many_requests(error);
}

static bool has_text(const struct inf_error *error, const char *text)
{
	return strstr(error->text, text) != NULL;
}

bool inf_error_is_probable_eof(const struct inf_error *error)
{
	switch (error->kind) {
	case INF_ERROR_EOF:
	case INF_ERROR_UNEXPECTED_EOF:
	case INF_ERROR_RESET: return true;
	case INF_ERROR_TRANSPORT:
		return has_text(error, "http2: server sent GOAWAY and closed the connection") ||
		       has_text(error, "connection reset by peer") ||
		       has_text(error, "use of closed network connection") ||
		       strcmp(error->text, "http: can't write HTTP request on broken connection") ==
			       0;
	case INF_ERROR_NONE:
	case INF_ERROR_STATUS:
	case INF_ERROR_UNEXPECTED_OBJECT:
	case INF_ERROR_REFUSED:
	case INF_ERROR_NET_TIMEOUT:
	case INF_ERROR_TLS:
	case INF_ERROR_CONNECTION_LOST:
	case INF_ERROR_DECODE:
	case INF_ERROR_STORE:
	case INF_ERROR_VERY_SHORT_WATCH:
	case INF_ERROR_CANCELLED:
	case INF_ERROR_MEMORY:
	case INF_ERROR_OTHER: break;
	}
	return false;
}

bool inf_error_is_net_timeout(const struct inf_error *error)
{
	return error->kind == INF_ERROR_NET_TIMEOUT;
}

const char *inf_error_class_name(const struct inf_error *error)
{
	static const struct {
		bool (*holds)(const struct inf_error *error);
		const char *name;
	} classes[] = {
		{inf_error_is_expired, "expired"},
		{inf_error_is_too_large_version, "too-large-version"},
		{inf_error_is_too_many_requests, "too-many-requests"},
		{inf_error_is_internal, "internal"},
		{inf_error_is_server_timeout, "server-timeout"},
	};
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (classes[i].holds(error)) {
			return classes[i].name;
		}
	}
	return kind_words[error->kind];
}

static void set_text(struct inf_error *error, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

static void set_text(struct inf_error *error, const char *format, va_list args)
{
	if (vsnprintf(error->text, sizeof(error->text), format, args) < 0) {
		error->text[0] = '\0';
	}
}

void inf_error_set(struct inf_error *error, enum inf_error_kind kind, const char *format, ...)
{
	va_list args;
	if (error == NULL) {
		return;
	}
	memset(error, 0, sizeof(*error));
	error->kind = kind;
	va_start(args, format);
	set_text(error, format, args);
	va_end(args);
}

void inf_error_wrap(struct inf_error *error, const char *format, ...)
{
	char old[INF_ERROR_TEXT_MAX];
	va_list args;
	memcpy(old, error->text, sizeof(old));
	va_start(args, format);
	set_text(error, format, args);
	va_end(args);
	size_t len = strlen(error->text);
	(void)snprintf(error->text + len, sizeof(error->text) - len, ": %s", old);
	error->wrapped = true;
}

void inf_error_add_previous(struct inf_error *error, const struct inf_error *previous)
{
	size_t len = strlen(error->text);
	(void)snprintf(error->text + len, sizeof(error->text) - len,
		       " - error from a previous attempt: %s", previous->text);
	error->wrapped = true;
}

void inf_error_from_end(struct inf_error *error, enum inf_end end, struct base_str text)
{
	static const struct {
		enum inf_error_kind kind;
		const char *text; /* when the transport says nothing */
	} ends[] = {
		[INF_END_EOF] = {INF_ERROR_NONE, ""},
		[INF_END_CUT] = {INF_ERROR_UNEXPECTED_EOF, "unexpected EOF"},
		[INF_END_EARLY_EOF] = {INF_ERROR_EOF, "EOF"},
		[INF_END_REFUSED] = {INF_ERROR_REFUSED, "connect: connection refused"},
		[INF_END_RESET] = {INF_ERROR_RESET, "read: connection reset by peer"},
		[INF_END_TIMEOUT] = {INF_ERROR_NET_TIMEOUT, "i/o timeout"},
		[INF_END_TLS] = {INF_ERROR_TLS, "tls: handshake failed"},
		[INF_END_CONNECTION_LOST] = {INF_ERROR_CONNECTION_LOST,
					     "http2: client connection lost"},
		[INF_END_OTHER] = {INF_ERROR_TRANSPORT, "transport failed"},
	};
	memset(error, 0, sizeof(*error));
	error->kind = ends[end].kind;
	copy_text(error->text, sizeof(error->text), text.len > 0 ? text : base_str(ends[end].text));
}

/* The text of a string member, cut to fit; "" when it is absent or no string. */
static void copy_member(char *to, size_t max, struct base_str object, const char *name)
{
	struct base_str value = base_json_get(object, base_str(name));
	struct base_str text;
	to[0] = '\0';
	if (base_json_kind_of(value) != BASE_JSON_STRING) {
		return;
	}
	if (base_json_plain_text(value, &text)) {
		copy_text(to, max, text);
		return;
	}
	/* Escapes: unescape what fits. No memory: the raw text is better than none. */
	struct base_buf buf;
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	if (base_json_text(value, &buf, &text) == BASE_OK) {
		copy_text(to, max, text);
	} else {
		copy_text(to, max, base_str_n(value.ptr + 1, value.len - 2));
	}
	base_buf_release(&buf);
}

static void read_causes(struct inf_error *error, struct base_str details)
{
	struct base_json_iter it;
	char text[INF_ERROR_REASON_MAX];
	base_json_iter_init(&it, base_json_get(details, BASE_STR("causes")));
	while (base_json_iter_next(&it)) {
		copy_member(text, sizeof(text), it.value, "reason");
		if (strcmp(text, "ResourceVersionTooLarge") == 0) {
			error->too_large_cause = true;
		} else if (strcmp(text, "UnexpectedServerResponse") == 0) {
			error->unexpected_response = true;
		}
		copy_member(text, sizeof(text), it.value, "message");
		if (strcmp(text, TOO_LARGE_TEXT) == 0) {
			error->too_large_text = true;
		}
	}
}

void inf_error_from_status(struct inf_error *error, struct base_str status)
{
	int64_t number;
	memset(error, 0, sizeof(*error));
	error->kind = INF_ERROR_STATUS;
	copy_member(error->text, sizeof(error->text), status, "message");
	copy_member(error->reason, sizeof(error->reason), status, "reason");
	if (base_json_i64(base_json_get(status, BASE_STR("code")), &number) &&
	    number >= INT32_MIN && number <= INT32_MAX) {
		error->code = (int)number;
	}
	struct base_str details = base_json_get(status, BASE_STR("details"));
	if (base_json_kind_of(details) != BASE_JSON_OBJECT) {
		return;
	}
	if (base_json_i64(base_json_get(details, BASE_STR("retryAfterSeconds")), &number)) {
		error->retry_after_s = number;
	}
	error->too_large_text = has_text(error, TOO_LARGE_TEXT);
	read_causes(error, details);
}

/* E-2: what the reference makes of a code alone. NULL: the reason stays unknown. */
static const char *reason_of_code(struct base_str method, int code)
{
	static const struct {
		int code;
		const char *reason;
	} reasons[] = {
		{400, "BadRequest"},      {401, "Unauthorized"},         {403, "Forbidden"},
		{404, "NotFound"},        {405, "MethodNotAllowed"},     {406, "NotAcceptable"},
		{409, "Conflict"},        {415, "UnsupportedMediaType"}, {422, "Invalid"},
		{429, "TooManyRequests"}, {503, "ServiceUnavailable"},   {504, "Timeout"},
	};
	if (code == 409 && base_str_is(method, "POST")) {
		return "AlreadyExists";
	}
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (reasons[i].code == code) {
			return reasons[i].reason;
		}
	}
	return code >= 500 ? "InternalError" : NULL;
}

void inf_error_from_http(struct inf_error *error, struct base_str method, int http_code,
			 struct base_str body, bool is_text, int64_t retry_after_s)
{
	struct base_str message = BASE_STR("unknown");
	if (is_text) {
		message = base_str_trim(base_str_take(body, HTTP_BODY_TEXT_MAX));
	}
	inf_error_set(error, INF_ERROR_STATUS, "the server answered %d: %.*s", http_code,
		      BASE_STR_ARG(message));
	const char *reason = reason_of_code(method, http_code);
	if (reason != NULL) {
		copy_text(error->reason, sizeof(error->reason), base_str(reason));
	}
	error->code = http_code;
	error->retry_after_s = retry_after_s;
	error->unexpected_response = true;
	error->too_large_text = base_str_is(message, TOO_LARGE_TEXT);
}

void inf_error_from_decoding(struct inf_error *error, const char *why)
{
	inf_error_set(error, INF_ERROR_STATUS,
		      "unable to decode an event from the watch stream: %s", why);
	copy_text(error->reason, sizeof(error->reason), BASE_STR("InternalError"));
	error->code = 500;
	error->unexpected_response = true;
}

bool inf_initial_events_end(struct base_str annotation_value)
{
	return base_str_is(annotation_value, "true");
}
