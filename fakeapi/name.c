#include "fakeapi/name.h"

#define QUALIFIED_TEXT                                                                              \
	"must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " \
	"alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "      \
	"validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define VALUE_TEXT                                                                                  \
	"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or " \
	"'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "          \
	"'my_value',  or '12345', regex used for validation is "                                    \
	"'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
#define SUBDOMAIN_TEXT                                                                                \
	"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "  \
	"'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used " \
	"for validation is "                                                                          \
	"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define DNS_LABEL_TEXT                                                                               \
	"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and " \
	"must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "   \
	"used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"

#define LABEL_MAX 63
#define SUBDOMAIN_MAX 253

/* Collects reasons; the first failure to write wins. */
struct reasons {
	struct base_buf *out;
	const char *prefix;
	size_t count;
	enum base_code code;
};

static void add(struct reasons *r, const char *text)
{
	if (r->code != BASE_OK)
		return;
	if (r->count++ > 0)
		r->code = base_buf_text(r->out, "; ");
	if (r->code == BASE_OK)
		r->code = base_buf_text(r->out, r->prefix);
	if (r->code == BASE_OK)
		r->code = base_buf_text(r->out, text);
}

static enum base_code verdict(const struct reasons *r)
{
	if (r->code != BASE_OK)
		return r->code;
	return r->count > 0 ? BASE_EINVAL : BASE_OK;
}

static bool is_lower_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_alnum(char c)
{
	return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

/* ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9] */
static bool is_label_syntax(struct base_str s)
{
	if (s.len == 0 || !is_alnum(s.ptr[0]) || !is_alnum(s.ptr[s.len - 1]))
		return false;
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (!is_alnum(c) && c != '-' && c != '_' && c != '.')
			return false;
	}
	return true;
}

/* [a-z0-9]([-a-z0-9]*[a-z0-9])? */
static bool is_dns_label(struct base_str s)
{
	if (s.len == 0 || !is_lower_or_digit(s.ptr[0]) || !is_lower_or_digit(s.ptr[s.len - 1]))
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (!is_lower_or_digit(s.ptr[i]) && s.ptr[i] != '-')
			return false;
	}
	return true;
}

static bool is_subdomain(struct base_str s)
{
	struct base_str head;
	bool found = true;

	while (found) {
		s = base_str_cut(s, '.', &head, &found);
		if (!is_dns_label(head))
			return false;
	}
	return true;
}

static void subdomain(struct reasons *r, struct base_str name, const char *too_long)
{
	if (name.len > SUBDOMAIN_MAX)
		add(r, too_long);
	if (!is_subdomain(name))
		add(r, SUBDOMAIN_TEXT);
}

enum base_code fakeapi_name_qualified(struct base_str name, struct base_buf *why)
{
	struct reasons r = {.out = why, .prefix = ""};
	struct base_str prefix, local;
	bool has_prefix;

	local = base_str_cut(name, '/', &prefix, &has_prefix);
	if (!has_prefix) {
		local = name;
	} else if (base_str_find_char(local, '/') != SIZE_MAX) {
		add(&r,
		    "a valid label key " QUALIFIED_TEXT
		    " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
		return verdict(&r);
	} else if (prefix.len == 0) {
		add(&r, "prefix part must be non-empty");
	} else {
		r.prefix = "prefix part ";
		subdomain(&r, prefix, "must be no more than 253 bytes");
	}
	r.prefix = "name part ";
	if (local.len == 0)
		add(&r, "must be non-empty");
	else if (local.len > LABEL_MAX)
		add(&r, "must be no more than 63 bytes");
	if (!is_label_syntax(local))
		add(&r, QUALIFIED_TEXT);
	return verdict(&r);
}

static void reword(struct base_buf *why, const char *from, const char *to)
{
	const size_t from_len = strlen(from), to_len = strlen(to);
	const size_t at = base_str_find(base_buf_peek(why), base_str(from));

	/* Without memory the reason stays as it is: a text, still. */
	if (at == SIZE_MAX || base_buf_reserve(why, to_len) != BASE_OK)
		return;
	memmove(why->ptr + at + to_len, why->ptr + at + from_len, why->len - at - from_len + 1);
	memcpy(why->ptr + at, to, to_len);
	why->len = why->len - from_len + to_len;
}

void fakeapi_name_in_characters(struct base_buf *why)
{
	reword(why, " 63 bytes", " 63 characters");
	reword(why, " 253 bytes", " 253 characters");
	reword(why, "a valid label key", "a qualified name");
}

enum base_code fakeapi_name_label_value(struct base_str value, struct base_buf *why)
{
	struct reasons r = {.out = why, .prefix = ""};

	if (value.len > LABEL_MAX)
		add(&r, "must be no more than 63 bytes");
	if (value.len > 0 && !is_label_syntax(value))
		add(&r, VALUE_TEXT);
	return verdict(&r);
}

enum base_code fakeapi_name_subdomain(struct base_str name, struct base_buf *why)
{
	struct reasons r = {.out = why, .prefix = ""};

	subdomain(&r, name, "must be no more than 253 characters");
	return verdict(&r);
}

enum base_code fakeapi_name_dns_label(struct base_str name, struct base_buf *why)
{
	struct reasons r = {.out = why, .prefix = ""};

	if (name.len > LABEL_MAX)
		add(&r, "must be no more than 63 characters");
	if (!is_dns_label(name))
		add(&r, is_subdomain(name) ? "must not contain dots" : DNS_LABEL_TEXT);
	return verdict(&r);
}

enum base_code fakeapi_name_path_segment(struct base_str name, struct base_buf *why)
{
	struct reasons r = {.out = why, .prefix = ""};

	if (base_str_is(name, "."))
		add(&r, "may not be '.'");
	else if (base_str_is(name, ".."))
		add(&r, "may not be '..'");
	if (base_str_find_char(name, '/') != SIZE_MAX)
		add(&r, "may not contain '/'");
	if (base_str_find_char(name, '%') != SIZE_MAX)
		add(&r, "may not contain '%'");
	return verdict(&r);
}

static enum base_code quote_char(struct base_buf *out, char c)
{
	switch (c) {
	case '"': return base_buf_text(out, "\\\"");
	case '\\': return base_buf_text(out, "\\\\");
	case '\n': return base_buf_text(out, "\\n");
	case '\r': return base_buf_text(out, "\\r");
	case '\t': return base_buf_text(out, "\\t");
	default:
		if ((unsigned char)c < 0x20 || c == 0x7f)
			return base_buf_printf(out, "\\x%02x", (unsigned)(unsigned char)c);
		return base_buf_char(out, c);
	}
}

enum base_code fakeapi_go_quote(struct base_buf *out, struct base_str text)
{
	enum base_code code = base_buf_char(out, '"');

	for (size_t i = 0; i < text.len && code == BASE_OK; i++)
		code = quote_char(out, text.ptr[i]);
	return code == BASE_OK ? base_buf_char(out, '"') : code;
}
