/* Scalars with a syntax of their own: times, quantities, base64. */
#include <stdio.h>

#include "fakeapi/date.h"
#include "fakeapi/typed.h"

/* ---- Times ---- */

struct clock_text {
	struct base_str rest;
	int64_t parts[6]; /* year … second */
	int64_t micros, zone_s;
};

static bool digits(struct base_str *rest, size_t count, int64_t *value)
{
	*value = 0;
	if (rest->len < count)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (rest->ptr[i] < '0' || rest->ptr[i] > '9')
			return false;
		*value = *value * 10 + (rest->ptr[i] - '0');
	}
	*rest = base_str_skip(*rest, count);
	return true;
}

/* A dot and digits; more than six are cut. */
static bool fraction(struct base_str *rest, int64_t *micros)
{
	size_t i = 1;
	int64_t scale = 100000;

	*micros = 0;
	if (rest->len < 2 || rest->ptr[0] != '.' || rest->ptr[1] < '0' || rest->ptr[1] > '9')
		return false;
	for (; i < rest->len && rest->ptr[i] >= '0' && rest->ptr[i] <= '9'; i++, scale /= 10)
		*micros += (rest->ptr[i] - '0') * scale;
	*rest = base_str_skip(*rest, i);
	return true;
}

static bool zone(struct base_str *rest, int64_t *seconds)
{
	int64_t hours, minutes;
	bool west;

	*seconds = 0;
	if (rest->len > 0 && rest->ptr[0] == 'Z') {
		*rest = base_str_skip(*rest, 1);
		return true;
	}
	if (rest->len < 6 || (rest->ptr[0] != '+' && rest->ptr[0] != '-') || rest->ptr[3] != ':')
		return false;
	west = rest->ptr[0] == '-';
	*rest = base_str_skip(*rest, 1);
	if (!digits(rest, 2, &hours))
		return false;
	*rest = base_str_skip(*rest, 1);
	if (!digits(rest, 2, &minutes))
		return false;
	*seconds = (hours * 60 + minutes) * (west ? -60 : 60);
	return true;
}

/* NULL: fine; else the layout's element that did not fit. */
static const char *read_clock(struct clock_text *c, bool micro)
{
	static const struct {
		const char *element;
		size_t digits;
	} steps[] = {{"2006", 4}, {"-", 0}, {"01", 2}, {"-", 0}, {"02", 2}, {"T", 0},
		     {"15", 2},   {":", 0}, {"04", 2}, {":", 0}, {"05", 2}};
	struct base_str before;
	size_t part = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (steps[i].digits > 0) {
			if (!digits(&c->rest, steps[i].digits, &c->parts[part++]))
				return steps[i].element;
		} else if (c->rest.len == 0 || c->rest.ptr[0] != steps[i].element[0]) {
			return steps[i].element;
		} else {
			c->rest = base_str_skip(c->rest, 1);
		}
	}
	if (micro) {
		if (c->rest.len == 0 || c->rest.ptr[0] != '.')
			return ".000000";
		before = c->rest;
		c->rest = base_str_skip(c->rest, 1);
		if (!digits(&c->rest, 6, &c->micros)) {
			c->rest = before;
			return ".000000";
		}
	} else {
		(void)fraction(&c->rest, &c->micros);
	}
	return zone(&c->rest, &c->zone_s) ? NULL : "Z07:00";
}

static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

enum base_code fakeapi_value_time(struct fakeapi_tree *tree, struct base_str text, bool micro,
				  struct base_str *out, struct base_str *why)
{
	const char *layout = micro ? "2006-01-02T15:04:05.000000Z07:00"
				   : "2006-01-02T15:04:05Z07:00";
	struct clock_text c = {.rest = text};
	const char *element = read_clock(&c, micro);
	char date[FAKEAPI_DATE_MAX];
	const int64_t *p = c.parts;
	int64_t seconds;

	if (element == NULL && c.rest.len > 0) {
		*why = fakeapi_tree_text(tree, "parsing time \"%.*s\": extra text: \"%.*s\"",
					 BASE_STR_ARG(text), BASE_STR_ARG(c.rest));
		return BASE_EINVAL;
	}
	if (element != NULL) {
		*why = fakeapi_tree_text(
			tree, "parsing time \"%.*s\" as \"%s\": cannot parse \"%.*s\" as \"%s\"",
			BASE_STR_ARG(text), layout, BASE_STR_ARG(c.rest), element);
		return BASE_EINVAL;
	}
	if (p[1] < 1 || p[1] > 12 || p[2] < 1 || p[2] > 31 || p[3] > 23 || p[4] > 59 || p[5] > 59) {
		*why = fakeapi_tree_text(tree, "parsing time \"%.*s\": %s out of range",
					 BASE_STR_ARG(text),
					 p[1] < 1 || p[1] > 12   ? "month"
					 : p[2] < 1 || p[2] > 31 ? "day"
					 : p[3] > 23             ? "hour"
					 : p[4] > 59             ? "minute"
								 : "second");
		return BASE_EINVAL;
	}
	seconds = days_of(p[0], p[1], p[2]) * 86400 + p[3] * 3600 + p[4] * 60 + p[5] - c.zone_s;
	fakeapi_date_rfc3339(seconds, date);
	if (micro)
		*out = fakeapi_tree_text(tree, "%.19s.%06lldZ", date, (long long)c.micros);
	else
		*out = fakeapi_tree_text(tree, "%s", date);
	return BASE_OK;
}

/* ---- Quantities ---- */

#define QUANTITY_NANO INT64_C(1000000000)

__extension__ typedef __int128 wide;

enum quantity_format { QUANTITY_DECIMAL, QUANTITY_BINARY, QUANTITY_EXPONENT };

struct quantity {
	wide nano;
	enum quantity_format format;
};

static bool too_big(wide value)
{
	return value > (wide)INT64_MAX * QUANTITY_NANO || value < -(wide)INT64_MAX * QUANTITY_NANO;
}

static bool scale_by(struct quantity *q, int64_t factor, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		q->nano *= factor;
		if (too_big(q->nano))
			return false;
	}
	return true;
}

static bool read_suffix(struct quantity *q, struct base_str suffix)
{
	static const char big[] = "kMGTPE", binary[] = "KMGTPE", small[] = "num";
	int64_t exponent;

	q->format = QUANTITY_DECIMAL;
	if (suffix.len == 0)
		return true;
	if (suffix.len == 1) {
		const char *at = strchr(big, suffix.ptr[0]);

		if (at != NULL)
			return scale_by(q, 1000, (unsigned)(at - big) + 1);
		at = strchr(small, suffix.ptr[0]);
		if (at == NULL)
			return false;
		for (unsigned i = (unsigned)(at - small); i < 3; i++)
			q->nano = (q->nano + (q->nano > 0 ? 999 : 0)) / 1000; /* up */
		return true;
	}
	if (suffix.len == 2 && suffix.ptr[1] == 'i' && strchr(binary, suffix.ptr[0]) != NULL) {
		q->format = QUANTITY_BINARY;
		return scale_by(q, 1024, (unsigned)(strchr(binary, suffix.ptr[0]) - binary) + 1);
	}
	q->format = QUANTITY_EXPONENT;
	if (suffix.ptr[0] != 'e' && suffix.ptr[0] != 'E')
		return false;
	suffix = base_str_skip(suffix, suffix.ptr[1] == '+' ? 2 : 1);
	if (!base_str_i64(suffix, &exponent) || exponent > 30 || exponent < -9)
		return false;
	for (; exponent < 0; exponent++)
		q->nano = (q->nano + (q->nano > 0 ? 9 : 0)) / 10;
	return scale_by(q, 10, (unsigned)exponent);
}

static bool read_quantity(struct base_str text, struct quantity *q)
{
	bool minus = text.len > 0 && text.ptr[0] == '-', any = false, dot = false;
	wide unit = QUANTITY_NANO;
	size_t i = text.len > 0 && (minus || text.ptr[0] == '+') ? 1 : 0;

	q->nano = 0;
	for (; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '.' && !dot) {
			dot = true;
			continue;
		}
		if (c < '0' || c > '9')
			break;
		any = true;
		if (dot) {
			unit /= 10;
			q->nano += (c - '0') * unit;
		} else {
			q->nano = q->nano * 10 + (wide)(c - '0') * QUANTITY_NANO;
		}
		if (too_big(q->nano))
			return false;
	}
	if (minus)
		q->nano = -q->nano;
	return any && read_suffix(q, base_str_skip(text, i));
}

static struct base_str write_binary(struct fakeapi_tree *tree, int64_t whole)
{
	static const char *const names[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
	size_t i = 0;

	for (; whole != 0 && whole % 1024 == 0 && i < 6; i++)
		whole /= 1024;
	return fakeapi_tree_text(tree, "%lld%s", (long long)whole, names[i]);
}

static struct base_str write_decimal(struct fakeapi_tree *tree, wide nano, bool exponent)
{
	static const char *const names[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
	size_t i = 0;

	if (nano == 0)
		return BASE_STR("0");
	for (; nano % 1000 == 0 && i < 9; i++)
		nano /= 1000;
	if (exponent && i != 3)
		return fakeapi_tree_text(tree, "%llde%d", (long long)nano, ((int)i - 3) * 3);
	return fakeapi_tree_text(tree, "%lld%s", (long long)nano, names[i]);
}

enum base_code fakeapi_value_quantity(struct fakeapi_tree *tree, struct base_str text,
				      struct base_str *out, struct base_str *why)
{
	struct quantity q;
	wide whole;

	if (!read_quantity(text, &q)) {
		*why = BASE_STR("quantities must match the regular expression "
				"'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
		return BASE_EINVAL;
	}
	whole = q.nano / QUANTITY_NANO;
	if (q.format == QUANTITY_BINARY && q.nano % QUANTITY_NANO == 0 &&
	    (whole >= 1024 || whole <= -1024))
		*out = write_binary(tree, (int64_t)whole);
	else
		*out = write_decimal(tree, q.nano, q.format == QUANTITY_EXPONENT);
	return BASE_OK;
}

bool fakeapi_value_milli(struct base_str quantity, int64_t *milli)
{
	struct quantity q;
	wide value;

	if (!read_quantity(quantity, &q))
		return false;
	value = (q.nano + (q.nano > 0 ? 999999 : 0)) / 1000000;
	if (value > INT64_MAX || value < INT64_MIN)
		return false;
	*milli = (int64_t)value;
	return true;
}

/* ---- Base64 ---- */

static bool is_base64(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '+' || c == '/';
}

enum base_code fakeapi_value_base64(struct fakeapi_tree *tree, struct base_str text,
				    struct base_str *out, struct base_str *why)
{
	struct base_str kept = fakeapi_tree_keep(tree, text);
	char *to = (char *)kept.ptr;
	size_t len = 0, i = 0, pads = 0;

	if (tree->code != BASE_OK)
		return tree->code;
	for (; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '\n' || c == '\r')
			continue;
		if (is_base64(c) && pads == 0) {
			to[len++] = c;
		} else if (c == '=' && len % 4 >= 2 && pads < 2) {
			to[len++] = c;
			pads++;
			if (len % 4 == 0)
				pads = 2;
		} else {
			break;
		}
	}
	if (i < text.len || len % 4 != 0) {
		if (i == text.len)
			i -= i % 4 == 1 ? 1 : i % 4; /* the quantum that is not whole */
		*why = fakeapi_tree_text(tree, "illegal base64 data at input byte %zu", i);
		return BASE_EINVAL;
	}
	*out = base_str_n(kept.ptr, len);
	return BASE_OK;
}
