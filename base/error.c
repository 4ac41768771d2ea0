#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

const char *base_code_word(enum base_code code)
{
	switch (code) {
#define BASE_CODE_CASE(name, word)                                                                 \
	case name: return word;
		BASE_CODES(BASE_CODE_CASE)
#undef BASE_CODE_CASE
	}
	return "unknown";
}

enum base_code base_fail(struct base_error *error, enum base_code code, const char *format, ...)
{
	if (error == NULL)
		return code;
	char text[BASE_ERROR_TEXT_MAX]; /* the arguments may point into error->text */
	va_list args;
	va_start(args, format);
	if (vsnprintf(text, sizeof text, format, args) < 0)
		text[0] = '\0';
	va_end(args);
	error->code = code;
	memcpy(error->text, text, sizeof text);
	return code;
}

enum base_code base_wrap(struct base_error *error, const char *format, ...)
{
	if (error == NULL)
		return BASE_OK;
	char text[BASE_ERROR_TEXT_MAX];
	va_list args;
	va_start(args, format);
	int len = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (len < 0)
		return error->code;
	size_t head = (size_t)len < sizeof text - 1 ? (size_t)len : sizeof text - 1;
	size_t room = sizeof text - 1 - head;
	const char *separator = error->text[0] != '\0' ? ": " : "";
	size_t separator_len = strlen(separator);
	if (separator_len > room)
		separator_len = room;
	size_t tail = strlen(error->text);
	if (tail > room - separator_len)
		tail = room - separator_len;
	memcpy(text + head, separator, separator_len);
	memcpy(text + head + separator_len, error->text, tail);
	text[head + separator_len + tail] = '\0';
	memcpy(error->text, text, head + separator_len + tail + 1);
	return error->code;
}
