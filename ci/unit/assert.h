/* Checks that print both values. CUnit alone prints only the expression.
 *
 *   CHECK_INT(base_ring_len(&ring), 3);
 *   CHECK_STR(base_buf_peek(&buf), "text");
 *   REQUIRE_TRUE(list != NULL);          // leaves the test when it fails (longjmp: release in teardown)
 *
 * The order is always (actual, expected). In a table-driven test say CHECK_ROW("name") at the top of
 * the loop: failures carry it until the next CHECK_ROW or the end of the test. Every check returns
 * whether it held. */
#ifndef CI_UNIT_ASSERT_H
#define CI_UNIT_ASSERT_H

#include <CUnit/CUnit.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct unit_place {
	const char *file;
	unsigned line;
	bool fatal;
};

/* In ci/unit/runner.c. */
bool unit_check_true(struct unit_place at, bool actual, bool expected, const char *expression);
bool unit_check_int(struct unit_place at, long long actual, long long expected,
		    const char *expression);
bool unit_check_u64(struct unit_place at, uint64_t actual, uint64_t expected,
		    const char *expression);
bool unit_check_str(struct unit_place at, struct base_str actual, struct base_str expected,
		    const char *expression);
bool unit_check_contains(struct unit_place at, struct base_str actual, struct base_str part,
			 const char *expression);
bool unit_check_ptr(struct unit_place at, const void *actual, const void *expected,
		    const char *expression);
bool unit_check_not_null(struct unit_place at, const void *actual, const char *expression);
bool unit_fail(struct unit_place at, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Names the row of a table; copied, cut to fit. NULL: no row. */
void unit_row(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define UNIT_HERE ((struct unit_place){.file = __FILE__, .line = __LINE__, .fatal = false})
#define UNIT_HERE_FATAL ((struct unit_place){.file = __FILE__, .line = __LINE__, .fatal = true})

#define CHECK_ROW(...) unit_row(__VA_ARGS__)
#define CHECK_TRUE(a) unit_check_true(UNIT_HERE, (a), true, #a)
#define CHECK_FALSE(a) unit_check_true(UNIT_HERE, (a), false, #a)
#define CHECK_INT(a, b) unit_check_int(UNIT_HERE, (long long)(a), (long long)(b), #a " == " #b)
#define CHECK_U64(a, b) unit_check_u64(UNIT_HERE, (uint64_t)(a), (uint64_t)(b), #a " == " #b)
#define CHECK_SIZE(a, b) CHECK_U64(a, b)
/* a: struct base_str, b: C string. */
#define CHECK_STR(a, b) unit_check_str(UNIT_HERE, (a), base_str(b), #a " == " #b)
/* Both struct base_str. */
#define CHECK_STR_EQ(a, b) unit_check_str(UNIT_HERE, (a), (b), #a " == " #b)
/* Both C strings. */
#define CHECK_TEXT(a, b) unit_check_str(UNIT_HERE, base_str(a), base_str(b), #a " == " #b)
/* a: C string that contains the C string b. */
#define CHECK_CONTAINS(a, b) unit_check_contains(UNIT_HERE, base_str(a), base_str(b), #a " has " #b)
#define CHECK_PTR(a, b) unit_check_ptr(UNIT_HERE, (a), (b), #a " == " #b)
#define CHECK_PTR_EQ(a, b) CHECK_PTR(a, b)
#define CHECK_PTR_NULL(a) unit_check_ptr(UNIT_HERE, (a), NULL, #a " == NULL")
#define CHECK_PTR_NOT_NULL(a) unit_check_not_null(UNIT_HERE, (a), #a " != NULL")
#define CHECK_FAIL(...) unit_fail(UNIT_HERE, __VA_ARGS__)

#define REQUIRE_TRUE(a) unit_check_true(UNIT_HERE_FATAL, (a), true, #a)
#define REQUIRE_FALSE(a) unit_check_true(UNIT_HERE_FATAL, (a), false, #a)
#define REQUIRE_INT(a, b)                                                                          \
	unit_check_int(UNIT_HERE_FATAL, (long long)(a), (long long)(b), #a " == " #b)
#define REQUIRE_U64(a, b)                                                                          \
	unit_check_u64(UNIT_HERE_FATAL, (uint64_t)(a), (uint64_t)(b), #a " == " #b)
#define REQUIRE_SIZE(a, b) REQUIRE_U64(a, b)
#define REQUIRE_STR(a, b) unit_check_str(UNIT_HERE_FATAL, (a), base_str(b), #a " == " #b)
#define REQUIRE_TEXT(a, b) unit_check_str(UNIT_HERE_FATAL, base_str(a), base_str(b), #a " == " #b)
#define REQUIRE_PTR_NOT_NULL(a) unit_check_not_null(UNIT_HERE_FATAL, (a), #a " != NULL")
#define REQUIRE_FAIL(...) unit_fail(UNIT_HERE_FATAL, __VA_ARGS__)

#endif
