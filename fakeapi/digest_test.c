/* Sums against the examples of the standard, and at the edges of blocks. */
#include "fakeapi/digest.h"

#include <stdio.h>
#include <string.h>

#include "ci/unit/assert.h"

static void sums_are_those_of_the_standard(void)
{
	static const struct {
		const char *text, *sha256, *sha512;
	} rows[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		 "CF83E1357EEFB8BDF1542850D66D8007D620E4050B5715DC83F4A921D36CE9CE47D0D13C5D85F2B0FF8318D2877EEC2F"
		 "63B931BD47417A81A538327AF927DA3E"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		 "DDAF35A193617ABACC417349AE20413112E6FA4E89A97EA20A9EEEE64B55D39A2192992A274FC1A836BA3C23A3FEEBBD"
		 "454D4423643CE80E2A9AC94FA54CA49F"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		uint8_t sum[FAKEAPI_SHA256_SIZE];
		char hex[65], tag[129];
		CHECK_ROW("%s", rows[i].text);
		fakeapi_sha256(rows[i].text, strlen(rows[i].text), sum);
		for (size_t j = 0; j < sizeof sum; j++)
			(void)snprintf(hex + 2 * j, 3, "%02x", sum[j]);
		CHECK_TEXT(hex, rows[i].sha256);
		fakeapi_tag(rows[i].text, strlen(rows[i].text), tag);
		CHECK_TEXT(tag, rows[i].sha512);
	}
}

static void pieces_give_the_same_sum(void)
{
	static char text[300];
	memset(text, 'x', sizeof text);
	for (size_t len = 0; len < sizeof text; len += 13) {
		struct fakeapi_sha256 sum;
		uint8_t whole[FAKEAPI_SHA256_SIZE], pieces[FAKEAPI_SHA256_SIZE];
		CHECK_ROW("%zu bytes", len);
		fakeapi_sha256(text, len, whole);
		fakeapi_sha256_init(&sum);
		for (size_t i = 0; i < len; i += 7)
			fakeapi_sha256_update(&sum, text + i, len - i < 7 ? len - i : 7);
		fakeapi_sha256_final(&sum, pieces);
		CHECK_INT(memcmp(whole, pieces, sizeof whole), 0);
	}
}

static CU_TestInfo tests[] = {
	{"sums are those of the standard", sums_are_those_of_the_standard},
	{"pieces give the same sum", pieces_give_the_same_sum},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_digest_suite;
CU_SuiteInfo fakeapi_digest_suite = {"fakeapi/digest", NULL, NULL, NULL, NULL, tests};
