/* Numbers as Go reads and prints them: shortest digits that read back the same. */
#include "fakeapi/crd.h"

#include <stdio.h>
#include <stdlib.h>

double fakeapi_go_number(struct base_str text, bool *integer, int64_t *whole)
{
	char copy[64];
	*integer = base_json_i64(text, whole);
	if (*integer)
		return (double)*whole;
	snprintf(copy, sizeof copy, "%.*s", (int)(text.len < sizeof copy ? text.len : 63),
		 text.ptr != NULL ? text.ptr : "");
	return strtod(copy, NULL);
}

/* Digits without a point, and the place of the point: 0.DIGITS times 10^exponent. */
static int shortest(double value, char digits[24], int *exponent)
{
	char text[40];
	for (int precision = 0; precision < 17; precision++) {
		snprintf(text, sizeof text, "%.*e", precision, value);
		if (strtod(text, NULL) == value)
			break;
	}
	int n = 0;
	const char *at = text[0] == '-' ? text + 1 : text;
	for (; *at != 'e' && *at != '\0'; at++)
		if (*at != '.')
			digits[n++] = *at;
	*exponent = *at == 'e' ? atoi(at + 1) : 0;
	while (n > 1 && digits[n - 1] == '0')
		n--;
	digits[n] = '\0';
	return n;
}

void fakeapi_go_number_text(double value, bool json, char text[FAKEAPI_GO_NUMBER_MAX])
{
	char digits[24];
	int exponent, n = shortest(value, digits, &exponent);
	const char *sign = value < 0 ? "-" : "", *point = n > 1 ? "." : "";
	bool scientific = exponent >= (json ? 21 : 6) || exponent < (json ? -6 : -4);
	char way = exponent < 0 ? '-' : '+';
	int power = exponent < 0 ? -exponent : exponent;
	if (scientific && json)
		snprintf(text, FAKEAPI_GO_NUMBER_MAX, "%s%c%s%se%c%d", sign, digits[0], point,
			 digits + 1, way, power);
	else if (scientific)
		snprintf(text, FAKEAPI_GO_NUMBER_MAX, "%s%c%s%se%c%02d", sign, digits[0], point,
			 digits + 1, way, power);
	else if (exponent < 0)
		snprintf(text, FAKEAPI_GO_NUMBER_MAX, "%s0.%.*s%s", sign, power - 1, "00000000",
			 digits);
	else if (exponent >= n - 1)
		snprintf(text, FAKEAPI_GO_NUMBER_MAX, "%s%s%.*s", sign, digits, exponent - n + 1,
			 "0000000000000000000000");
	else
		snprintf(text, FAKEAPI_GO_NUMBER_MAX, "%s%.*s.%s", sign, exponent + 1, digits,
			 digits + exponent + 1);
}
