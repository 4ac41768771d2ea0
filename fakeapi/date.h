/* Dates of Unix times, as texts. */
#ifndef FAKEAPI_DATE_H
#define FAKEAPI_DATE_H

#include "base/str.h"

#define FAKEAPI_DATE_MAX 96

void fakeapi_date_rfc3339(int64_t seconds, char text[FAKEAPI_DATE_MAX]); /* 2000-01-01T00:00:00Z */
void fakeapi_date_http(int64_t seconds,
		       char text[FAKEAPI_DATE_MAX]); /* Sat, 01 Jan 2000 00:00:00 GMT */
/* The other way round. False: it is none. */
bool fakeapi_date_parse_http(struct base_str text, int64_t *seconds);
/* Of an RFC 3339 time in UTC, with a fraction or without. False: it is none. */
bool fakeapi_date_parse(struct base_str text, int64_t *seconds, uint32_t *nanos);

#endif
