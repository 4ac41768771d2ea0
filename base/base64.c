#include "base/base64.h"

enum base_code base_base64_encode(struct base_str bytes, struct base_buf *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	BASE_TRY(base_buf_reserve(out, (bytes.len + 2) / 3 * 4));
	for (size_t i = 0; i < bytes.len; i += 3) {
		const size_t have = bytes.len - i < 3 ? bytes.len - i : 3;
		uint32_t bits = 0;

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (k < have ? (unsigned char)bytes.ptr[i + k] : 0u);
		for (size_t k = 0; k < 4; k++)
			BASE_TRY(base_buf_char(out, k <= have ? digits[bits >> (18 - 6 * k) & 63]
							      : '='));
	}
	return BASE_OK;
}

static int digit_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

enum base_code base_base64_decode(struct base_str text, struct base_buf *out)
{
	uint32_t bits = 0;
	unsigned have = 0, pads = 0;

	for (size_t i = 0; i < text.len; i++) {
		const char c = text.ptr[i];
		const int digit = digit_of(c);

		if (c == '\r' || c == '\n')
			continue;
		pads += c == '=';
		if (c == '=' && pads <= 2)
			continue;
		if (digit < 0 || pads != 0)
			return BASE_EINVAL;
		bits = bits << 6 | (uint32_t)digit;
		have += 6;
		if (have >= 8) {
			have -= 8;
			BASE_TRY(base_buf_char(out, (char)(bits >> have & 0xff)));
		}
	}
	return have == 6 ? BASE_EINVAL : BASE_OK;
}
