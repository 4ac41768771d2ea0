/* What a credential plugin printed. Nothing of it gets into an error text. */
#include "base/json.h"
#include "informer/live/exec.h"

static bool digits(struct base_str text, size_t at, size_t count, int64_t *out)
{
	*out = 0;
	if (at + count > text.len)
		return false;
	for (size_t i = at; i < at + count; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		*out = *out * 10 + (text.ptr[i] - '0');
	}
	return true;
}

/* Days since 1970 of a day of the Gregorian calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	year -= month <= 2;
	const int64_t era = (year >= 0 ? year : year - 399) / 400;
	const int64_t of_era = year - era * 400;
	const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

bool live_time_read(struct base_str text, int64_t *seconds)
{
	int64_t year, month, day, hour, minute, second, zone_hour, zone_minute;
	size_t at = 19;

	if (!digits(text, 0, 4, &year) || !digits(text, 5, 2, &month) ||
	    !digits(text, 8, 2, &day) || !digits(text, 11, 2, &hour) ||
	    !digits(text, 14, 2, &minute) || !digits(text, 17, 2, &second))
		return false;
	if (text.ptr[4] != '-' || text.ptr[7] != '-' || text.ptr[10] != 'T' ||
	    text.ptr[13] != ':' || text.ptr[16] != ':' || month < 1 || month > 12 || day < 1 ||
	    day > 31 || hour > 23 || minute > 59 || second > 60)
		return false;
	if (at < text.len && text.ptr[at] == '.')
		for (at++; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9';)
			at++;
	*seconds = days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
	if (at + 1 == text.len && text.ptr[at] == 'Z')
		return true;
	if (at + 6 != text.len || (text.ptr[at] != '+' && text.ptr[at] != '-') ||
	    text.ptr[at + 3] != ':' || !digits(text, at + 1, 2, &zone_hour) ||
	    !digits(text, at + 4, 2, &zone_minute))
		return false;
	const int64_t zone = zone_hour * 3600 + zone_minute * 60;
	*seconds += text.ptr[at] == '+' ? -zone : zone;
	return true;
}

/* A text of the status; absent and null: empty. */
static enum base_code member(struct base_str status, const char *name, struct base_buf *buf,
			     struct base_str *out, struct base_error *error)
{
	const struct base_str value = base_json_get(status, base_str(name));
	const enum base_json_kind kind = base_json_kind_of(value);

	*out = (struct base_str){0};
	if (kind == BASE_JSON_NONE || kind == BASE_JSON_NULL)
		return BASE_OK;
	if (kind != BASE_JSON_STRING)
		return base_fail(error, BASE_EINVAL, "status.%s is not a text", name);
	const enum base_code code = base_json_text(value, buf, out);
	return code == BASE_OK ? code : base_fail(error, code, "no memory for its answer");
}

static enum base_code check_head(struct base_str value, const char *api_version,
				 struct base_buf *buf, struct base_error *error)
{
	struct base_str text;
	enum base_code code = member(value, "kind", buf, &text, error);

	if (code == BASE_OK && !base_str_is(text, "ExecCredential"))
		code = base_fail(error, BASE_EINVAL, "its answer has to be of kind ExecCredential");
	if (code == BASE_OK)
		code = member(value, "apiVersion", buf, &text, error);
	if (code == BASE_OK && !base_str_is(text, api_version))
		code = base_fail(
			error, BASE_EINVAL,
			"its answer is not of apiVersion %s, which the kubeconfig asks for",
			api_version);
	return code;
}

static bool is_one_line(struct base_str token)
{
	for (size_t i = 0; i < token.len; i++)
		if ((unsigned char)token.ptr[i] < ' ' || token.ptr[i] == 0x7f)
			return false;
	return true;
}

enum base_code live_answer_read(struct base_str text, const char *api_version, struct base_buf *buf,
				struct live_answer *out, struct base_error *error)
{
	struct base_str value, expires;

	*out = (struct live_answer){0};
	/* Room for all the texts at once, so that slices into buf stay. */
	if (base_buf_reserve(buf, text.len * 3 + 16) != BASE_OK)
		return base_fail(error, BASE_ENOMEM, "no memory for its answer");
	if (base_json_check(text, &value, NULL, NULL) != BASE_OK ||
	    base_json_kind_of(value) != BASE_JSON_OBJECT)
		return base_fail(error, BASE_EINVAL, "it did not print a JSON object");
	enum base_code code = check_head(value, api_version, buf, error);
	if (code != BASE_OK)
		return code;
	const struct base_str status = base_json_get(value, BASE_STR("status"));
	if (base_json_kind_of(status) != BASE_JSON_OBJECT)
		return base_fail(error, BASE_EINVAL, "its answer has no status");
	code = member(status, "token", buf, &out->token, error);
	if (code == BASE_OK)
		code = member(status, "clientCertificateData", buf, &out->certificate_pem, error);
	if (code == BASE_OK)
		code = member(status, "clientKeyData", buf, &out->key_pem, error);
	if (code == BASE_OK)
		code = member(status, "expirationTimestamp", buf, &expires, error);
	if (code != BASE_OK)
		return code;
	if ((out->certificate_pem.len == 0) != (out->key_pem.len == 0))
		return base_fail(error, BASE_EINVAL,
				 "its answer has one of clientCertificateData and clientKeyData: "
				 "both are needed");
	if (out->token.len == 0 && out->certificate_pem.len == 0)
		return base_fail(error, BASE_EINVAL,
				 "its answer has neither a token nor a client certificate");
	if (!is_one_line(out->token))
		return base_fail(error, BASE_EINVAL, "status.token is not one line");
	if (expires.len != 0 && !live_time_read(expires, &out->expires))
		return base_fail(error, BASE_EINVAL,
				 "status.expirationTimestamp is no time as 2006-01-02T15:04:05Z");
	return BASE_OK;
}
