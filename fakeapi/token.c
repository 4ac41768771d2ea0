/* Continue tokens: base64url without padding over a small JSON object (2.4). */
#include "fakeapi/machine.h"

#include <stdio.h>

#define TOKEN_VERSION "meta.k8s.io/v1"
#define TOKEN_MAX ((size_t)1 << 16)

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static enum base_code base64_write(struct base_str in, struct base_buf *out)
{
	enum base_code code = BASE_OK;
	for (size_t i = 0; code == BASE_OK && i < in.len; i += 3) {
		size_t n = in.len - i < 3 ? in.len - i : 3;
		uint32_t bits = 0;
		for (size_t j = 0; j < 3; j++)
			bits = bits << 8 | (j < n ? (unsigned char)in.ptr[i + j] : 0);
		for (size_t j = 0; code == BASE_OK && j <= n; j++)
			code = base_buf_char(out, alphabet[bits >> (18 - 6 * j) & 63]);
	}
	return code;
}

/* BASE_EINVAL: *bad is the offset Go complains about. */
static enum base_code base64_read(struct base_str in, struct base_buf *out, size_t *bad)
{
	uint32_t bits = 0;
	size_t held = 0;
	for (size_t i = 0; i < in.len; i++) {
		const char *at = in.ptr[i] != '\0' ? strchr(alphabet, in.ptr[i]) : NULL;
		*bad = i;
		if (at == NULL)
			return BASE_EINVAL;
		bits = bits << 6 | (uint32_t)(at - alphabet);
		if (++held == 4) {
			const char bytes[3] = {(char)(bits >> 16), (char)(bits >> 8), (char)bits};
			enum base_code code = base_buf_append(out, bytes, 3);
			if (code != BASE_OK)
				return code;
			held = 0;
			bits = 0;
		}
	}
	*bad = in.len;
	if (held == 1)
		return BASE_EINVAL;
	const char rest[2] = {(char)(held == 3 ? bits >> 10 : bits >> 4), (char)(bits >> 2)};
	return held == 0 ? BASE_OK : base_buf_append(out, rest, held - 1);
}

enum base_code fakeapi_token_write(int64_t rv, bool slash, struct base_str start,
				   struct base_buf *out)
{
	struct base_buf json;
	base_buf_init(&json, out->alloc, TOKEN_MAX);
	enum base_code code = base_buf_printf(&json,
					      "{\"v\":\"" TOKEN_VERSION
					      "\",\"rv\":%lld,\"start\":\"%s%.*s\\u0000\"}",
					      (long long)rv, slash ? "/" : "", BASE_STR_ARG(start));
	if (code == BASE_OK)
		code = base64_write(base_buf_peek(&json), out);
	base_buf_release(&json);
	return code;
}

static enum base_code refuse(struct base_buf *why, enum base_code code, const char *text)
{
	enum base_code wrote = base_buf_printf(why, "continue key is not valid: %s", text);
	return wrote == BASE_OK ? code : wrote;
}

static enum base_code not_json(struct base_str json, struct base_buf *why)
{
	unsigned char c = json.len != 0 ? (unsigned char)json.ptr[0] : 0;
	char text[80];
	if (json.len == 0)
		return refuse(why, BASE_EINVAL, "unexpected end of JSON input");
	if (c == '{')
		return refuse(why, BASE_EINVAL, "unexpected end of JSON input");
	if (c < 0x80)
		snprintf(text, sizeof text, "invalid character '%c' looking for beginning of value",
			 c);
	else /* the byte as a rune of its own */
		snprintf(text, sizeof text,
			 "invalid character '%c%c' looking for beginning of value",
			 (char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f)));
	return refuse(why, BASE_EINVAL, text);
}

static enum base_code start_check(struct base_str start, struct base_buf *why)
{
	/* A clean path: no ".", "..", no empty segment but the first. */
	struct base_str rest = base_str_skip(start, start.len != 0 && start.ptr[0] == '/' ? 1 : 0);
	bool found = true;
	while (found) {
		struct base_str part;
		rest = base_str_cut(rest, '/', &part, &found);
		if ((part.len == 0 && found) || base_str_is(part, ".") || base_str_is(part, "..")) {
			enum base_code code = base_buf_printf(
				why, "continue key is not valid: %.*s", BASE_STR_ARG(start));
			return code == BASE_OK ? BASE_EINVAL : code;
		}
	}
	return BASE_OK;
}

static enum base_code fields_read(struct base_str json, struct fakeapi_token *out,
				  struct base_buf *why)
{
	struct base_str version = {0}, start = {0};
	base_json_plain_text(base_json_get(json, BASE_STR("v")), &version);
	if (!base_str_is(version, TOKEN_VERSION)) {
		enum base_code code =
			base_buf_printf(why,
					"continue key is not valid: server does not recognize this "
					"encoded version %.*s",
					BASE_STR_ARG(version));
		return code == BASE_OK ? BASE_EINVAL : code;
	}
	out->rv = 0;
	base_json_i64(base_json_get(json, BASE_STR("rv")), &out->rv);
	if (out->rv == 0)
		return refuse(why, BASE_EINVAL,
			      "incorrect encoded start resourceVersion (version " TOKEN_VERSION
			      ")");
	struct base_buf text;
	base_buf_init(&text, out->start.alloc, TOKEN_MAX);
	enum base_code code = base_json_text(base_json_get(json, BASE_STR("start")), &text, &start);
	if (code == BASE_EINVAL || (code == BASE_OK && start.len == 0))
		code = refuse(why, BASE_EINVAL,
			      "encoded start key empty (version " TOKEN_VERSION ")");
	if (code == BASE_OK)
		code = start_check(start, why);
	if (code == BASE_OK)
		code = base_buf_str(&out->start, base_str_skip(start, start.ptr[0] == '/' ? 1 : 0));
	base_buf_release(&text);
	return code;
}

enum base_code fakeapi_token_read(struct base_str token, struct fakeapi_token *out,
				  struct base_buf *why)
{
	struct base_buf json;
	base_buf_init(&json, out->start.alloc, TOKEN_MAX);
	size_t bad = 0;
	enum base_code code = base64_read(token, &json, &bad);
	if (code == BASE_EINVAL) {
		char text[64];
		snprintf(text, sizeof text, "illegal base64 data at input byte %zu", bad);
		code = refuse(why, BASE_EINVAL, text);
	} else if (code == BASE_OK) {
		struct base_str value;
		struct base_error error = {0};
		code = base_json_check(base_buf_peek(&json), &value, NULL, &error);
		if (code == BASE_EINVAL ||
		    (code == BASE_OK && base_json_kind_of(value) != BASE_JSON_OBJECT))
			code = not_json(base_buf_peek(&json), why);
		else if (code == BASE_OK)
			code = fields_read(value, out, why);
	}
	base_buf_release(&json);
	return code;
}
