#include "sim/scenario/value.h"

bool scenario_value_bool(struct base_str s, bool *out)
{
	static const char *const words[] = {"false", "true", "off", "on", "no", "yes"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!base_str_is(s, words[i]))
			continue;
		*out = i % 2 == 1;
		return true;
	}
	return false;
}

bool scenario_value_u64(struct base_str s, uint64_t *out)
{
	uint64_t value = 0;
	if (s.len == 0 || s.ptr[0] == '_' || s.ptr[s.len - 1] == '_')
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '_')
			continue;
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
		uint64_t digit = (uint64_t)(s.ptr[i] - '0');
		if (value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*out = value;
	return true;
}

struct unit {
	const char *word;
	uint64_t factor;
};

static const struct unit times[] = {
	{"ns", 1},         {"us", 1000},       {"ms", 1000000},
	{"s", 1000000000}, {"m", 60000000000}, {"h", 3600000000000},
};

static const struct unit sizes[] = {
	{"", 1},          {"B", 1},         {"kB", 1000},     {"MB", 1000000},
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
};

static bool factor_of(const struct unit *units, size_t count, struct base_str word,
		      uint64_t *factor)
{
	for (size_t i = 0; i < count; i++) {
		if (!base_str_is(word, units[i].word))
			continue;
		*factor = units[i].factor;
		return true;
	}
	return false;
}

/* A number with decimals from the front of *s, as value / scale. */
static bool number(struct base_str *s, uint64_t *value, uint64_t *scale)
{
	size_t at = 0, digits = 0;
	bool point = false;
	*value = 0;
	*scale = 1;
	for (; at < s->len; at++) {
		char c = s->ptr[at];
		if (c == '.' && !point && at > 0 && at + 1 < s->len && s->ptr[at + 1] != '.') {
			point = true;
			continue;
		}
		if (c < '0' || c > '9')
			break;
		if (++digits > 15)
			return false;
		*value = *value * 10 + (uint64_t)(c - '0');
		*scale *= point ? 10 : 1;
	}
	*s = base_str_skip(*s, at);
	return digits > 0;
}

bool scenario_value_duration(struct base_str s, uint64_t *out_ns, struct base_str *unit)
{
	uint64_t total = 0;
	*unit = BASE_STR("");
	if (base_str_is(s, "0")) {
		*out_ns = 0;
		return true;
	}
	if (s.len == 0)
		return false;
	while (s.len > 0) {
		uint64_t value = 0, scale = 1, factor = 0;
		if (!number(&s, &value, &scale))
			return false;
		size_t len = 0;
		while (len < s.len && (s.ptr[len] < '0' || s.ptr[len] > '9'))
			len++;
		*unit = base_str_take(s, len);
		s = base_str_skip(s, len);
		if (!factor_of(times, sizeof(times) / sizeof(times[0]), *unit, &factor))
			return false;
		if (value > UINT64_MAX / 4 / factor)
			return false;
		total += value * factor / scale;
	}
	*out_ns = total;
	return true;
}

bool scenario_value_size(struct base_str s, uint64_t *out)
{
	uint64_t value = 0, scale = 1, factor = 0;
	if (!number(&s, &value, &scale) ||
	    !factor_of(sizes, sizeof(sizes) / sizeof(sizes[0]), s, &factor) ||
	    value > UINT64_MAX / 4 / factor)
		return false;
	*out = value * factor / scale;
	return true;
}

static size_t find_dots(struct base_str s)
{
	return base_str_find(s, BASE_STR(".."));
}

bool scenario_value_range(struct base_str s, struct scenario_range *out)
{
	struct scenario_range range = {.min = 0, .max = UINT64_MAX};
	size_t dots = find_dots(s);
	if (dots == SIZE_MAX) {
		if (!scenario_value_u64(s, &range.min))
			return false;
		range.max = range.min;
		*out = range;
		return true;
	}
	struct base_str low = base_str_take(s, dots), high = base_str_skip(s, dots + 2);
	if (low.len + high.len == 0)
		return false;
	if (low.len > 0 && !scenario_value_u64(low, &range.min))
		return false;
	if (high.len > 0 && !scenario_value_u64(high, &range.max))
		return false;
	if (range.min > range.max)
		return false;
	*out = range;
	return true;
}

bool scenario_value_window(struct base_str s, struct scenario_window *out)
{
	struct scenario_window window = {.from_ns = 0, .to_ns = SCENARIO_NEVER};
	struct base_str unit;
	size_t dots = find_dots(s);
	if (dots == SIZE_MAX) {
		if (!scenario_value_duration(s, &window.from_ns, &unit))
			return false;
		window.to_ns = window.from_ns;
		*out = window;
		return true;
	}
	struct base_str low = base_str_take(s, dots), high = base_str_skip(s, dots + 2);
	if (low.len + high.len == 0)
		return false;
	if (low.len > 0 && !scenario_value_duration(low, &window.from_ns, &unit))
		return false;
	if (high.len > 0 && !scenario_value_duration(high, &window.to_ns, &unit))
		return false;
	if (window.from_ns > window.to_ns)
		return false;
	*out = window;
	return true;
}

bool scenario_value_names(struct base_str s, struct scenario_names *out)
{
	size_t dots = find_dots(s), start = dots;
	*out = (struct scenario_names){.before = s, .count = 1};
	if (dots == SIZE_MAX)
		return true;
	while (start > 0 && s.ptr[start - 1] >= '0' && s.ptr[start - 1] <= '9')
		start--;
	struct base_str first = base_str_n(s.ptr + start, dots - start);
	struct base_str last = base_str_skip(s, dots + 2);
	uint64_t from = 0, to = 0;
	if (!base_str_u64(first, &from) || !base_str_u64(last, &to) || from > to ||
	    to - from >= SCENARIO_RANGE_MAX)
		return false;
	*out = (struct scenario_names){
		.before = base_str_take(s, start),
		.first = from,
		.count = to - from + 1,
		.digits = first.len,
	};
	return true;
}
