/* Schedules of cron jobs: five fields of lists of ranges, or a word with @. */
#include "fakeapi/validate.h"

struct bounds {
	int64_t low, high;
	const char *names; /* of the values from low on, joined by commas; NULL: numbers only */
};

static const struct bounds fields[] = {
	{0, 59, NULL},
	{0, 23, NULL},
	{1, 31, NULL},
	{1, 12, "jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec"},
	{0, 6, "sun,mon,tue,wed,thu,fri,sat"},
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static bool same_word(struct base_str a, struct base_str lower)
{
	bool same = a.len == lower.len;

	for (size_t i = 0; same && i < a.len; i++) {
		char ch = a.ptr[i];

		same = (ch >= 'A' && ch <= 'Z' ? (char)(ch - 'A' + 'a') : ch) == lower.ptr[i];
	}
	return same;
}

/* *why is empty when there is a number. */
static int64_t number(struct fakeapi_tree *tree, struct base_str text, const struct bounds *bounds,
		      struct base_str *why)
{
	struct base_str rest = base_str(bounds != NULL && bounds->names != NULL ? bounds->names
										: ""),
			name;
	int64_t value = bounds != NULL ? bounds->low : 0;
	bool more = rest.len > 0;

	for (; more; value++) {
		rest = base_str_cut(rest, ',', &name, &more);
		if (same_word(text, name))
			return value;
	}
	if (!base_str_i64(text, &value)) {
		*why = fakeapi_tree_text(tree,
					 "failed to parse int from %.*s: strconv.Atoi: parsing "
					 "\"%.*s\": invalid syntax",
					 BASE_STR_ARG(text), BASE_STR_ARG(text));
		return 0;
	}
	if (value < 0)
		*why = fakeapi_tree_text(tree, "negative number (%lld) not allowed: %.*s",
					 (long long)value, BASE_STR_ARG(text));
	return value;
}

static struct base_str check_bounds(struct fakeapi_tree *tree, struct base_str range, int64_t from,
				    int64_t to, int64_t step, const struct bounds *bounds)
{
	if (from < bounds->low)
		return fakeapi_tree_text(tree,
					 "beginning of range (%lld) below minimum (%lld): %.*s",
					 (long long)from, (long long)bounds->low,
					 BASE_STR_ARG(range));
	if (to > bounds->high)
		return fakeapi_tree_text(tree, "end of range (%lld) above maximum (%lld): %.*s",
					 (long long)to, (long long)bounds->high,
					 BASE_STR_ARG(range));
	if (from > to)
		return fakeapi_tree_text(
			tree, "beginning of range (%lld) beyond end of range (%lld): %.*s",
			(long long)from, (long long)to, BASE_STR_ARG(range));
	if (step == 0)
		return fakeapi_tree_text(tree, "step of range should be a positive number: %.*s",
					 BASE_STR_ARG(range));
	return (struct base_str){0};
}

/* "*", "3", "3-5", any of them with "/2" behind it. */
static struct base_str check_range(struct fakeapi_tree *tree, struct base_str range,
				   const struct bounds *bounds)
{
	struct base_str body, low, high, step, why = {0};
	bool has_step, has_high;
	int64_t from = bounds->low, to = bounds->high, by = 1;

	step = base_str_cut(range, '/', &body, &has_step);
	high = base_str_cut(body, '-', &low, &has_high);
	if (!base_str_is(low, "*") && !base_str_is(low, "?")) {
		from = to = number(tree, low, bounds, &why);
		if (why.len == 0 && has_high && base_str_find_char(high, '-') != SIZE_MAX)
			return fakeapi_tree_text(tree, "too many hyphens: %.*s",
						 BASE_STR_ARG(range));
		if (why.len == 0 && has_high)
			to = number(tree, high, bounds, &why);
		else if (has_step)
			to = bounds->high;
	}
	if (why.len == 0 && has_step && base_str_find_char(step, '/') != SIZE_MAX)
		return fakeapi_tree_text(tree, "too many slashes: %.*s", BASE_STR_ARG(range));
	if (why.len == 0 && has_step)
		by = number(tree, step, NULL, &why);
	return why.len > 0 ? why : check_bounds(tree, range, from, to, by, bounds);
}

static struct base_str check_field(struct fakeapi_tree *tree, struct base_str field,
				   const struct bounds *bounds)
{
	struct base_str one, why = {0};
	bool more = true;

	while (more && why.len == 0) {
		field = base_str_cut(field, ',', &one, &more);
		if (one.len > 0)
			why = check_range(tree, one, bounds);
	}
	return why;
}

static struct base_str check_word(struct fakeapi_tree *tree, struct base_str word)
{
	static const char *const words[] = {"@yearly", "@annually", "@monthly", "@weekly",
					    "@daily",  "@midnight", "@hourly"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (base_str_is(word, words[i]))
			return (struct base_str){0};
	if (base_str_starts(word, BASE_STR("@every ")))
		return (struct base_str){0};
	return fakeapi_tree_text(tree, "unrecognized descriptor: %.*s", BASE_STR_ARG(word));
}

struct base_str fakeapi_schedule_check(struct fakeapi_tree *tree, struct base_str schedule)
{
	struct base_str parts[FIELDS], shown = {0}, rest, one, why = {0};
	size_t count = 0;
	bool more = true;

	if (base_str_starts(schedule, BASE_STR("TZ=")) ||
	    base_str_starts(schedule, BASE_STR("CRON_TZ="))) {
		size_t space = base_str_find_char(schedule, ' ');

		schedule = base_str_trim(
			base_str_skip(schedule, space < schedule.len ? space : schedule.len));
	}
	if (base_str_starts(schedule, BASE_STR("@")))
		return check_word(tree, schedule);
	for (rest = schedule; more;) {
		rest = base_str_cut(rest, ' ', &one, &more);
		one = base_str_trim(one);
		if (one.len == 0)
			continue;
		if (count < FIELDS)
			parts[count] = one;
		shown = fakeapi_tree_text(tree, "%.*s%s%.*s", BASE_STR_ARG(shown),
					  count > 0 ? " " : "", BASE_STR_ARG(one));
		count++;
	}
	if (count != FIELDS)
		return fakeapi_tree_text(tree, "expected exactly 5 fields, found %zu: [%.*s]",
					 count, BASE_STR_ARG(shown));
	for (size_t i = 0; i < FIELDS && why.len == 0; i++)
		why = check_field(tree, parts[i], &fields[i]);
	return why;
}
