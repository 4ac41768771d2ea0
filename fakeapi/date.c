/* Dates of virtual times, without libc's calendar (its zones would make runs differ). */
#include "fakeapi/date.h"

#include <stdio.h>

struct civil {
	int year, month, day, hour, minute, second, weekday; /* 0 = Sunday */
};

/* Days since 1970-01-01 to a date of the Gregorian calendar: years are counted from March, in eras of
 * 400 years. */
static struct civil civil_of(int64_t seconds)
{
	struct civil c = {0};
	int64_t days = seconds / 86400, rest = seconds % 86400;
	if (rest < 0) {
		rest += 86400;
		days--;
	}
	c.hour = (int)(rest / 3600);
	c.minute = (int)(rest / 60 % 60);
	c.second = (int)(rest % 60);
	c.weekday = (int)(((days + 4) % 7 + 7) % 7);
	int64_t shifted = days + 719468;
	int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
	int64_t day_of_era = shifted - era * 146097;
	int64_t year_of_era =
		(day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	int64_t day_of_year = day_of_era -
			      (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int64_t march_month = (5 * day_of_year + 2) / 153;
	c.day = (int)(day_of_year - (153 * march_month + 2) / 5 + 1);
	c.month = (int)(march_month < 10 ? march_month + 3 : march_month - 9);
	c.year = (int)(year_of_era + era * 400 + (c.month <= 2));
	return c;
}

void fakeapi_date_rfc3339(int64_t seconds, char text[FAKEAPI_DATE_MAX])
{
	struct civil c = civil_of(seconds);
	snprintf(text, FAKEAPI_DATE_MAX, "%04d-%02d-%02dT%02d:%02d:%02dZ", c.year, c.month, c.day,
		 c.hour, c.minute, c.second);
}

void fakeapi_date_http(int64_t seconds, char text[FAKEAPI_DATE_MAX])
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct civil c = civil_of(seconds);
	snprintf(text, FAKEAPI_DATE_MAX, "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT",
		 days + (size_t)c.weekday * 3, c.day, months + (size_t)(c.month - 1) * 3, c.year,
		 c.hour, c.minute, c.second);
}

static bool digits_at(struct base_str text, size_t at, size_t count, int *out)
{
	*out = 0;
	for (size_t i = at; i < at + count; i++) {
		if (i >= text.len || text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		*out = *out * 10 + (text.ptr[i] - '0');
	}
	return true;
}

/* Days since 1970-01-01 of a date; the inverse of civil_of. */
static int64_t days_of(int64_t year, int month, int day)
{
	year -= month <= 2;
	const int64_t era = (year >= 0 ? year : year - 399) / 400;
	const int64_t year_of_era = year - era * 400;
	const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 +
				   day_of_year;
	return era * 146097 + day_of_era - 719468;
}

bool fakeapi_date_parse(struct base_str text, int64_t *seconds, uint32_t *nanos)
{
	int year, month, day, hour, minute, second, digit;
	size_t at = 19;

	if (!digits_at(text, 0, 4, &year) || !digits_at(text, 5, 2, &month) ||
	    !digits_at(text, 8, 2, &day) || !digits_at(text, 11, 2, &hour) ||
	    !digits_at(text, 14, 2, &minute) || !digits_at(text, 17, 2, &second))
		return false;
	*seconds = days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
	*nanos = 0;
	if (at < text.len && text.ptr[at] == '.') {
		uint32_t unit = 100000000;

		for (at++; digits_at(text, at, 1, &digit); at++, unit /= 10)
			*nanos += (uint32_t)digit * unit;
	}
	return at + 1 == text.len && text.ptr[at] == 'Z';
}

bool fakeapi_date_parse_http(struct base_str text, int64_t *seconds)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char expected[FAKEAPI_DATE_MAX];
	uint64_t day, year, hour, minute, second;
	if (text.len != 29 || !base_str_u64(base_str_take(base_str_skip(text, 5), 2), &day) ||
	    !base_str_u64(base_str_take(base_str_skip(text, 12), 4), &year) ||
	    !base_str_u64(base_str_take(base_str_skip(text, 17), 2), &hour) ||
	    !base_str_u64(base_str_take(base_str_skip(text, 20), 2), &minute) ||
	    !base_str_u64(base_str_take(base_str_skip(text, 23), 2), &second))
		return false;
	size_t month = base_str_find(base_str(months), base_str_take(base_str_skip(text, 8), 3));
	if (month == SIZE_MAX || month % 3 != 0)
		return false;
	*seconds = days_of((int64_t)year, (int)month / 3 + 1, (int)day) * 86400 +
		   (int64_t)(hour * 3600 + minute * 60 + second);
	/* What is written otherwise, or no day of the calendar, is none. */
	fakeapi_date_http(*seconds, expected);
	return base_str_is(text, expected);
}
