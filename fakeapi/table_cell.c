#include "fakeapi/table_cell.h"

#include "fakeapi/object.h"

struct base_str fakeapi_cell_at(struct base_str value, const char *path)
{
	struct base_str rest = base_str(path);
	bool more = rest.len != 0;
	while (more && value.len != 0) {
		struct base_str name;
		rest = base_str_cut(rest, '.', &name, &more);
		value = base_json_get(value, name);
	}
	return base_json_kind_of(value) == BASE_JSON_NULL ? (struct base_str){0} : value;
}

struct base_str fakeapi_cell_plain(struct base_str value)
{
	struct base_str text;
	if (base_json_kind_of(value) != BASE_JSON_STRING || !base_json_plain_text(value, &text))
		return (struct base_str){0};
	return text;
}

bool fakeapi_cell_is(struct base_str value, const char *text)
{
	return value.len != 0 && base_str_is(fakeapi_cell_plain(value), text);
}

bool fakeapi_cell_true(struct base_str value)
{
	return base_json_kind_of(value) == BASE_JSON_TRUE;
}

int64_t fakeapi_cell_number(struct base_str value)
{
	int64_t number;
	return base_json_i64(value, &number) ? number : 0;
}

size_t fakeapi_cell_count(struct base_str value)
{
	struct base_json_iter it;
	size_t count = 0;
	base_json_iter_init(&it, value);
	while (base_json_iter_next(&it))
		count++;
	return count;
}

enum base_code fakeapi_cell_put(struct base_buf *text, struct base_str value)
{
	struct base_buf scratch;
	struct base_str plain;
	if (base_json_kind_of(value) != BASE_JSON_STRING)
		return base_buf_str(text, value);
	base_buf_init(&scratch, text->alloc, text->max);
	enum base_code code = base_json_text(value, &scratch, &plain);
	if (code == BASE_OK)
		code = base_buf_str(text, plain);
	base_buf_release(&scratch);
	return code;
}

enum base_code fakeapi_cell_append(struct base_buf *text, const char *separator,
				   struct base_str value)
{
	enum base_code code = text->len != 0 ? base_buf_text(text, separator) : BASE_OK;
	return code == BASE_OK ? fakeapi_cell_put(text, value) : code;
}

/* Two units at most; the second one only while it tells something. */
static enum base_code two_units(struct base_buf *text, int64_t big, const char *big_unit,
				int64_t small, const char *small_unit)
{
	if (small == 0)
		return base_buf_printf(text, "%lld%s", (long long)big, big_unit);
	return base_buf_printf(text, "%lld%s%lld%s", (long long)big, big_unit, (long long)small,
			       small_unit);
}

enum base_code fakeapi_cell_age(struct base_buf *text, int64_t seconds)
{
	int64_t minutes = seconds / 60, hours = seconds / 3600, days = hours / 24;
	if (seconds < -1)
		return base_buf_text(text, "<invalid>");
	if (seconds < 120)
		return base_buf_printf(text, "%llds", seconds < 0 ? 0LL : (long long)seconds);
	if (minutes < 10)
		return two_units(text, minutes, "m", seconds % 60, "s");
	if (minutes < 180)
		return two_units(text, minutes, "m", 0, "");
	if (hours < 8)
		return two_units(text, hours, "h", minutes % 60, "m");
	if (hours < 48)
		return two_units(text, hours, "h", 0, "");
	if (hours < 24 * 8)
		return two_units(text, days, "d", hours % 24, "h");
	if (days < 365 * 2)
		return two_units(text, days, "d", 0, "");
	return two_units(text, days / 365, "y", days < 365 * 8 ? days % 365 : 0, "d");
}

/* Exactly n digits from *at on. */
static bool digits(struct base_str text, size_t *at, size_t n, int64_t *value)
{
	*value = 0;
	if (text.len - *at < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = text.ptr[*at + i];
		if (c < '0' || c > '9')
			return false;
		*value = *value * 10 + (c - '0');
	}
	*at += n;
	return true;
}

static bool sign(struct base_str text, size_t *at, char c)
{
	if (*at >= text.len || text.ptr[*at] != c)
		return false;
	(*at)++;
	return true;
}

/* Days since 1970-01-01; the year is counted from March. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t of_era = y - era * 400;
	int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool zone(struct base_str text, size_t *at, int64_t *offset)
{
	int64_t hours, minutes;
	*offset = 0;
	if (sign(text, at, 'Z'))
		return true;
	bool west = sign(text, at, '-');
	if (!west && !sign(text, at, '+'))
		return false;
	if (!digits(text, at, 2, &hours) || !sign(text, at, ':') || !digits(text, at, 2, &minutes))
		return false;
	*offset = (hours * 60 + minutes) * (west ? -60 : 60);
	return true;
}

bool fakeapi_cell_time(struct base_str value, int64_t *seconds)
{
	struct base_str text = fakeapi_cell_plain(value);
	int64_t year, month, day, hour, minute, second, offset;
	size_t at = 0;
	if (!digits(text, &at, 4, &year) || !sign(text, &at, '-') ||
	    !digits(text, &at, 2, &month) || !sign(text, &at, '-') || !digits(text, &at, 2, &day) ||
	    !sign(text, &at, 'T') || !digits(text, &at, 2, &hour) || !sign(text, &at, ':') ||
	    !digits(text, &at, 2, &minute) || !sign(text, &at, ':') ||
	    !digits(text, &at, 2, &second))
		return false;
	if (sign(text, &at, '.'))
		while (at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9')
			at++;
	if (!zone(text, &at, &offset) || at != text.len || month < 1 || month > 12)
		return false;
	*seconds = days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
	return true;
}

void fakeapi_cell_begin(struct base_buf *text, const struct base_buf *out)
{
	base_buf_init(text, out->alloc, out->max);
}

enum base_code fakeapi_cell_end(struct base_buf *text, const char *fallback, enum base_code code,
				struct base_buf *out)
{
	if (code == BASE_OK)
		code = text->len != 0 || fallback == NULL
			       ? fakeapi_json_string(out, base_buf_peek(text))
			       : fakeapi_cell_word(out, fallback);
	base_buf_release(text);
	return code;
}

enum base_code fakeapi_cell_word(struct base_buf *out, const char *text)
{
	return fakeapi_json_string(out, base_str(text));
}
