/* Formats of strings. */
#include "fakeapi/crd.h"

typedef bool format_fn(struct base_str text);

static bool matches(const char *pattern, struct base_str text)
{
	return fakeapi_crd_matches(base_str(pattern), text);
}

static int64_t number(struct base_str text, size_t at, size_t len)
{
	int64_t value = 0;
	for (size_t i = 0; i < len; i++)
		value = value * 10 + (text.ptr[at + i] - '0');
	return value;
}

static bool is_date(struct base_str text)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	if (!matches("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", text))
		return false;
	int64_t year = number(text, 0, 4), month = number(text, 5, 2), day = number(text, 8, 2);
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	if (month < 1 || month > 12 || day < 1)
		return false;
	return day <= days[month - 1] + (month == 2 && leap);
}

static bool is_date_time(struct base_str text)
{
	if (text.len < 20 || !is_date(base_str_take(text, 10)))
		return false;
	return matches("^[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?"
		       "([Zz]|[-+]([01][0-9]|2[0-3]):[0-5][0-9])$",
		       base_str_skip(text, 10));
}

static bool is_duration(struct base_str text)
{
	return matches("^[-+]?(0|([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|\xc2\xb5s|ms|s|m|h)"
		       "(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|\xc2\xb5s|ms|s|m|h))*|"
		       "[0-9]+ *(d|days?|w|weeks?|hours?|minutes?|seconds?))$",
		       text);
}

static bool is_uuid(struct base_str text)
{
	return matches("^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?"
		       "[0-9a-fA-F]{12}$",
		       text);
}

static bool is_email(struct base_str text)
{
	return matches("^[^@ <>(),;:\"]+@[^@ <>(),;:\"]+$", text);
}

static bool is_ipv4(struct base_str text)
{
	return matches("^(0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])"
		       "(\\.(0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])){3}$",
		       text);
}

/* Groups of four digits, one gap, an IPv4 address at the end. */
static bool is_ipv6(struct base_str text)
{
	size_t groups = 0;
	bool gap = false, more = text.len != 0;
	struct base_str group;
	if (base_str_starts(text, BASE_STR("::"))) {
		gap = true;
		text = base_str_skip(text, 2);
		more = text.len != 0;
	}
	while (more) {
		text = base_str_cut(text, ':', &group, &more);
		if (!more && base_str_find_char(group, '.') != SIZE_MAX) {
			if (!is_ipv4(group))
				return false;
			groups += 2;
			break;
		}
		if (group.len == 0) {
			if (gap)
				return false;
			gap = true;
			more = text.len != 0;
			continue;
		}
		if (!matches("^[0-9a-fA-F]{1,4}$", group))
			return false;
		groups++;
	}
	return gap ? groups < 8 : groups == 8;
}

static bool is_cidr(struct base_str text)
{
	struct base_str address;
	uint64_t bits;
	bool slash;
	struct base_str rest = base_str_cut(text, '/', &address, &slash);
	if (!slash || !base_str_u64(rest, &bits))
		return false;
	return (is_ipv4(address) && bits <= 32) || (is_ipv6(address) && bits <= 128);
}

static bool is_byte(struct base_str text)
{
	return text.len % 4 == 0 && matches("^[A-Za-z0-9+/]*={0,2}$", text);
}

static bool is_hostname(struct base_str text)
{
	return text.len <= 255 &&
	       (matches("^[a-zA-Z0-9](-?[a-zA-Z0-9]){0,62}$", text) ||
		matches("^([a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?\\.)+[a-zA-Z]{2,63}$", text));
}

static bool is_uri(struct base_str text)
{
	return matches("^([A-Za-z][-+.A-Za-z0-9]*:|/)", text) &&
	       base_str_find_char(text, ' ') == SIZE_MAX;
}

static bool is_mac(struct base_str text)
{
	return matches("^([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$", text);
}

static bool is_hex_color(struct base_str text)
{
	return matches("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", text);
}

bool fakeapi_crd_format(struct base_str format, struct base_str text)
{
	static const struct {
		const char *name;
		format_fn *fn;
	} rows[] = {
		{"date", is_date},         {"date-time", is_date_time}, {"datetime", is_date_time},
		{"duration", is_duration}, {"uuid", is_uuid},           {"email", is_email},
		{"ipv4", is_ipv4},         {"ipv6", is_ipv6},           {"cidr", is_cidr},
		{"byte", is_byte},         {"hostname", is_hostname},   {"uri", is_uri},
		{"mac", is_mac},           {"hexcolor", is_hex_color},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (base_str_is(format, rows[i].name))
			return rows[i].fn(text);
	return true;
}
