/* JSON out of YAML nodes. Plain scalars are typed by the core schema of YAML 1.2. */
#include "sim/fatal.h"
#include "sim/scenario/node.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t digits(struct base_str s, size_t at)
{
	while (at < s.len && is_digit(s.ptr[at]))
		at++;
	return at;
}

/* [-+]? digits; JSON knows neither the plus nor leading zeros. */
static bool decimal(struct base_str s, struct base_buf *out)
{
	size_t start = s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+');
	if (start == s.len || digits(s, start) != s.len)
		return false;
	size_t first = start;
	while (first + 1 < s.len && s.ptr[first] == '0')
		first++;
	if (s.ptr[0] == '-')
		sim_must(base_buf_char(out, '-'));
	sim_must(base_buf_append(out, s.ptr + first, s.len - first));
	return true;
}

/* 0o17, 0x1f: up to 64 bits. */
static bool based(struct base_str s, struct base_buf *out)
{
	if (s.len < 3 || s.ptr[0] != '0' || (s.ptr[1] != 'o' && s.ptr[1] != 'x'))
		return false;
	uint64_t base = s.ptr[1] == 'o' ? 8 : 16, value = 0;
	for (size_t i = 2; i < s.len; i++) {
		char c = s.ptr[i];
		uint64_t digit = is_digit(c)            ? (uint64_t)(c - '0')
				 : c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a') + 10
				 : c >= 'A' && c <= 'F' ? (uint64_t)(c - 'A') + 10
							: 99;
		if (digit >= base || value > (UINT64_MAX - digit) / base)
			return false;
		value = value * base + digit;
	}
	sim_must(base_buf_u64(out, value));
	return true;
}

/* [-+]? ( . digits | digits ( . digits? )? ) ( [eE] [-+]? digits )? */
static bool fraction(struct base_str s, struct base_buf *out)
{
	size_t at = s.len > 0 && (s.ptr[0] == '-' || s.ptr[0] == '+');
	size_t whole = at, whole_end = digits(s, at);
	at = whole_end;
	size_t part = at, part_end = at;
	if (at < s.len && s.ptr[at] == '.') {
		part = at + 1;
		part_end = at = digits(s, at + 1);
	}
	if (whole == whole_end && part == part_end)
		return false;
	size_t exponent = at;
	if (at < s.len && (s.ptr[at] == 'e' || s.ptr[at] == 'E')) {
		at++;
		at += at < s.len && (s.ptr[at] == '-' || s.ptr[at] == '+');
		size_t end = digits(s, at);
		if (end == at)
			return false;
		at = end;
	}
	if (at != s.len)
		return false;
	while (whole + 1 < whole_end && s.ptr[whole] == '0')
		whole++;
	if (s.ptr[0] == '-')
		sim_must(base_buf_char(out, '-'));
	if (whole == whole_end)
		sim_must(base_buf_char(out, '0'));
	sim_must(base_buf_append(out, s.ptr + whole, whole_end - whole));
	if (part_end > part) {
		sim_must(base_buf_char(out, '.'));
		sim_must(base_buf_append(out, s.ptr + part, part_end - part));
	}
	sim_must(base_buf_append(out, s.ptr + exponent, s.len - exponent));
	return true;
}

static bool one_of(struct base_str s, const char *const *words)
{
	for (; *words != NULL; words++) {
		if (base_str_is(s, *words))
			return true;
	}
	return false;
}

static bool scalar_json(struct scenario_reader *reader, const struct scenario_node *node,
			struct base_buf *out)
{
	static const char *const trues[] = {"true", "True", "TRUE", NULL};
	static const char *const falses[] = {"false", "False", "FALSE", NULL};
	static const char *const odd[] = {".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf",
					  "+.INF", "-.inf", "-.Inf", "-.INF", ".nan",
					  ".NaN",  ".NAN",  NULL};
	struct base_str s = node->text;
	if (node->style == SCENARIO_PLAIN) {
		if (scenario_node_is_null(node)) {
			sim_must(base_buf_text(out, "null"));
			return true;
		}
		if (one_of(s, trues) || one_of(s, falses)) {
			sim_must(base_buf_text(out, one_of(s, trues) ? "true" : "false"));
			return true;
		}
		if (decimal(s, out) || based(s, out) || fraction(s, out))
			return true;
		if (one_of(s, odd)) {
			scenario_error(reader, node->pos, node->width,
				       BASE_STR("quotes make it a text"),
				       "JSON has no number like %s", s.ptr);
			return false;
		}
	}
	sim_must(base_buf_json_string(out, s));
	return true;
}

bool scenario_node_json(struct scenario_reader *reader, const struct scenario_node *node,
			struct base_buf *out)
{
	if (node->kind == SCENARIO_SCALAR)
		return scalar_json(reader, node, out);
	bool map = node->kind == SCENARIO_MAPPING, ok = true;
	sim_must(base_buf_char(out, map ? '{' : '['));
	for (size_t i = 0; i < node->count; i++) {
		if (i > 0)
			sim_must(base_buf_char(out, ','));
		if (map) {
			sim_must(base_buf_json_string(out, node->keys[i]->text));
			sim_must(base_buf_char(out, ':'));
		}
		ok = scenario_node_json(reader, node->items[i], out) && ok;
	}
	sim_must(base_buf_char(out, map ? '}' : ']'));
	return ok;
}
