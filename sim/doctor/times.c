/* Times as they stand in headers ("Sun, 29 Nov 2026 22:44:45 GMT") and objects (RFC 3339). */
#include "sim/doctor/doctor.h"

static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	/* Years begin in March, so that the leap day is the last. */
	const int64_t y = month <= 2 ? year - 1 : year;
	const int64_t era = y / 400, of_era = y - era * 400;
	const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool number(struct base_str text, size_t at, size_t len, int64_t *out)
{
	return text.len >= at + len && base_str_i64(base_str_n(text.ptr + at, len), out) &&
	       *out >= 0;
}

static bool clock_of(struct base_str text, size_t at, int64_t *seconds)
{
	int64_t h, m, s;

	if (!number(text, at, 2, &h) || !number(text, at + 3, 2, &m) ||
	    !number(text, at + 6, 2, &s))
		return false;
	*seconds = h * 3600 + m * 60 + s;
	return true;
}

bool doctor_http_date(struct base_str text, int64_t *ms)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	int64_t day, year, seconds, month = 0;

	if (!number(text, 5, 2, &day) || !number(text, 12, 4, &year) ||
	    !clock_of(text, 17, &seconds))
		return false;
	for (size_t i = 0; i < 12; i++)
		if (memcmp(months + i * 3, text.ptr + 8, 3) == 0)
			month = (int64_t)i + 1;
	*ms = (days_of(year, month, day) * 86400 + seconds) * 1000;
	return month != 0;
}

bool doctor_rfc3339(struct base_str text, int64_t *ms)
{
	int64_t year, month, day, seconds, part = 0, scale = 100;

	if (!number(text, 0, 4, &year) || !number(text, 5, 2, &month) ||
	    !number(text, 8, 2, &day) || !clock_of(text, 11, &seconds) ||
	    !base_str_ends(text, BASE_STR("Z")))
		return false;
	if (text.len > 20 && text.ptr[19] == '.')
		for (size_t i = 20; i < text.len - 1; i++, scale /= 10)
			part += (text.ptr[i] - '0') * scale;
	*ms = (days_of(year, month, day) * 86400 + seconds) * 1000 + part;
	return true;
}
