/* The unit test runner: CUnit with our own result handlers.
 *
 * Every suite runs in a forked process with a time limit, so a crash or a hang costs one test: the
 * parent names it and forks again for the rest of the suite. The child tells what happens through a
 * pipe, one line per record:
 *
 *   S NAME            a test starts
 *   F FILE:LINE TEXT  a check of it failed
 *   D ASSERTS MICROS  it is done
 *   I TEXT            the suite could not be set up or torn down
 *
 * CUnit's own JUnit mode aborts on the first failure; the XML here is written by hand. */
#define _GNU_SOURCE
#include <CUnit/CUnit.h>
#include <CUnit/TestDB.h>
#include <CUnit/TestRun.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ci/unit/assert.h"

extern CU_SuiteInfo *const unit_suites[];

#ifdef RELIST_COVERAGE
void __gcov_dump(void);
#endif

#define TEXT_MAX_BYTES 2048

/* ---- Checks ---- */

static char row_text[128];

void unit_row(const char *format, ...)
{
	va_list args;

	row_text[0] = '\0';
	if (format == NULL)
		return;
	va_start(args, format);
	vsnprintf(row_text, sizeof(row_text), format, args);
	va_end(args);
}

static bool verdict(struct unit_place at, bool held, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static bool verdict(struct unit_place at, bool held, const char *format, ...)
{
	char text[TEXT_MAX_BYTES] = "";
	size_t len = 0;
	va_list args;

	if (!held) {
		if (row_text[0] != '\0')
			len = (size_t)snprintf(text, sizeof(text), "[%s] ", row_text);
		va_start(args, format);
		vsnprintf(text + len, sizeof(text) - len, format, args);
		va_end(args);
	}
	CU_assertImplementation(held ? CU_TRUE : CU_FALSE, at.line, text, at.file, "",
				at.fatal ? CU_TRUE : CU_FALSE);
	return held;
}

bool unit_check_true(struct unit_place at, bool actual, bool expected, const char *expression)
{
	return verdict(at, actual == expected, "%s is %s", expression, actual ? "true" : "false");
}

bool unit_check_int(struct unit_place at, long long actual, long long expected,
		    const char *expression)
{
	return verdict(at, actual == expected, "%s: is %lld, expected %lld", expression, actual,
		       expected);
}

bool unit_check_u64(struct unit_place at, uint64_t actual, uint64_t expected,
		    const char *expression)
{
	return verdict(at, actual == expected, "%s: is %llu, expected %llu", expression,
		       (unsigned long long)actual, (unsigned long long)expected);
}

bool unit_check_str(struct unit_place at, struct base_str actual, struct base_str expected,
		    const char *expression)
{
	return verdict(at,
		       base_str_eq(actual, expected) &&
			       (actual.ptr != NULL || expected.ptr == NULL || expected.len == 0),
		       "%s:\n      is       \"%.*s\"\n      expected \"%.*s\"", expression,
		       BASE_STR_ARG(actual), BASE_STR_ARG(expected));
}

bool unit_check_contains(struct unit_place at, struct base_str actual, struct base_str part,
			 const char *expression)
{
	bool held = part.len == 0 ||
		    (actual.len != 0 && memmem(actual.ptr, actual.len, part.ptr, part.len) != NULL);

	return verdict(at, held, "%s:\n      is      \"%.*s\"\n      without \"%.*s\"", expression,
		       BASE_STR_ARG(actual), BASE_STR_ARG(part));
}

bool unit_check_ptr(struct unit_place at, const void *actual, const void *expected,
		    const char *expression)
{
	return verdict(at, actual == expected, "%s: is %p, expected %p", expression, actual,
		       expected);
}

bool unit_check_not_null(struct unit_place at, const void *actual, const char *expression)
{
	return verdict(at, actual != NULL, "%s: is NULL", expression);
}

bool unit_fail(struct unit_place at, const char *format, ...)
{
	char text[TEXT_MAX_BYTES / 2];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return verdict(at, false, "%s", text);
}

/* ---- What is known about a test ---- */

enum state { WAITING, PASSED, FAILED };

struct result {
	const char *suite;
	const char *name;
	CU_TestFunc run;
	enum state state;
	char *text; /* failures, one or more lines; heap */
	uint64_t micros;
};

struct options {
	const char *suite, *test, *junit;
	unsigned long repeat, limit_s;
	uint64_t seed;
	bool shuffle, list, verbose;
};

static struct result *results;
static size_t result_len;
static unsigned suite_failures;

static void add_text(struct result *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add_text(struct result *r, const char *format, ...)
{
	char *more = NULL, *joined = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&more, format, args) < 0)
		abort();
	va_end(args);
	if (asprintf(&joined, "%s%s\n", r->text != NULL ? r->text : "", more) < 0)
		abort();
	free(more);
	free(r->text);
	r->text = joined;
}

static uint64_t now_micros(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

/* ---- The child: runs one suite, tells through the pipe ---- */

static FILE *tell;
static unsigned asserts_before;
static uint64_t started_micros;

static void tell_line(const char *kind, const char *file, unsigned line, const char *text)
{
	fprintf(tell, "%s %s:%u ", kind, file, line);
	for (; *text != '\0'; text++)
		fputc(*text == '\n' ? '\v' : *text, tell);
	fputc('\n', tell);
}

static void on_test_start(const CU_pTest test, const CU_pSuite suite)
{
	(void)suite;
	fprintf(tell, "S %s\n", test->pName);
	fflush(tell);
	unit_row(NULL);
	asserts_before = CU_get_number_of_asserts();
	started_micros = now_micros();
}

static void on_test_complete(const CU_pTest test, const CU_pSuite suite,
			     const CU_pFailureRecord first)
{
	(void)test;
	(void)suite;
	uint64_t micros = now_micros() - started_micros;

	for (CU_pFailureRecord f = first; f != NULL; f = f->pNext)
		tell_line("F", f->strFileName != NULL ? f->strFileName : "?", f->uiLineNumber,
			  f->strCondition != NULL ? f->strCondition : "");
	fprintf(tell, "D %u %llu\n", CU_get_number_of_asserts() - asserts_before,
		(unsigned long long)micros);
	fflush(tell);
}

static void on_init_failure(const CU_pSuite suite)
{
	fprintf(tell, "I the set-up of suite %s failed\n", suite->pName);
}

static void on_cleanup_failure(const CU_pSuite suite)
{
	fprintf(tell, "I the clean-up of suite %s failed\n", suite->pName);
}

static void on_abort(int signal_number)
{
#ifdef RELIST_COVERAGE
	__gcov_dump();
#endif
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static CU_ErrorCode register_suite(CU_SuiteInfo *info, const struct result *tests,
				   const size_t *order, size_t count)
{
	CU_pSuite suite = CU_add_suite_with_setup_and_teardown(info->pName, info->pInitFunc,
							       info->pCleanupFunc, info->pSetUpFunc,
							       info->pTearDownFunc);

	if (suite == NULL)
		return CU_get_error();
	for (size_t i = 0; i < count; i++) {
		const struct result *r = &tests[order[i]];
		if (CU_add_test(suite, r->name, r->run) == NULL || CU_get_error() != CUE_SUCCESS)
			return CU_get_error();
	}
	return CUE_SUCCESS;
}

static void child(CU_SuiteInfo *info, const struct result *tests, const size_t *order, size_t count,
		  int fd)
{
	tell = fdopen(fd, "w");
	if (tell == NULL)
		exit(3);
	signal(SIGABRT, on_abort);
	if (CU_initialize_registry() != CUE_SUCCESS ||
	    register_suite(info, tests, order, count) != CUE_SUCCESS) {
		fprintf(tell, "I %s cannot be registered: %s\n", info->pName, CU_get_error_msg());
		exit(3);
	}
	CU_set_test_start_handler(on_test_start);
	CU_set_test_complete_handler(on_test_complete);
	CU_set_suite_init_failure_handler(on_init_failure);
	CU_set_suite_cleanup_failure_handler(on_cleanup_failure);
	CU_run_all_tests();
	CU_cleanup_registry();
	fclose(tell);
	fflush(NULL);
	exit(0);
}

/* ---- The parent ---- */

struct watch {
	struct result *tests;
	const size_t *order;
	size_t count, seen; /* seen: tests started so far, in order */
	struct result *running;
	CU_SuiteInfo *info;
};

static void take_line(struct watch *w, char *line)
{
	unsigned long asserts;
	unsigned long long micros;

	for (char *c = line; *c != '\0'; c++) {
		if (*c == '\v')
			*c = '\n';
	}
	if (line[0] == 'S' && w->seen < w->count) {
		w->running = &w->tests[w->order[w->seen++]];
	} else if (line[0] == 'F' && w->running != NULL) {
		add_text(w->running, "    %s", line + 2);
	} else if (line[0] == 'D' && w->running != NULL &&
		   sscanf(line + 2, "%lu %llu", &asserts, &micros) == 2) {
		w->running->micros = micros;
		if (asserts == 0)
			add_text(w->running, "    the test checked nothing");
		w->running->state = w->running->text != NULL ? FAILED : PASSED;
		w->running = NULL;
	} else if (line[0] == 'I') {
		printf("FAIL %s: %s\n", w->info->pName, line + 2);
		suite_failures++;
	}
}

/* Reads records until the child closes the pipe or the time is up; false when it is up. */
static bool listen_to(struct watch *w, int fd, unsigned long limit_s)
{
	uint64_t end = now_micros() + limit_s * 1000000u;
	static char line[4 * TEXT_MAX_BYTES];
	size_t len = 0;

	for (;;) {
		uint64_t now = now_micros();
		struct pollfd p = {.fd = fd, .events = POLLIN};
		if (now >= end)
			return false;
		if (poll(&p, 1, (int)((end - now) / 1000u) + 1) <= 0)
			continue;
		ssize_t got = read(fd, line + len, sizeof(line) - 1 - len);
		if (got <= 0)
			return true;
		len += (size_t)got;
		for (char *nl; (nl = memchr(line, '\n', len)) != NULL;) {
			*nl = '\0';
			take_line(w, line);
			len -= (size_t)(nl + 1 - line);
			memmove(line, nl + 1, len);
		}
		if (len == sizeof(line) - 1)
			len = 0;
	}
}

static void blame(struct watch *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void blame(struct watch *w, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (w->running != NULL) {
		add_text(w->running, "    %s", text);
		w->running->state = FAILED;
		w->running = NULL;
		return;
	}
	printf("FAIL %s: outside its tests: %s\n", w->info->pName, text);
	suite_failures++;
}

/* One forked process; returns how many tests of the order were started. */
static size_t run_process(CU_SuiteInfo *info, struct result *tests, const size_t *order,
			  size_t count, unsigned long limit_s)
{
	struct watch w = {.tests = tests, .order = order, .count = count, .info = info};
	unsigned failures_before = suite_failures;
	int fds[2], status = 0;

	fflush(NULL);
	if (pipe(fds) != 0) {
		perror("pipe");
		exit(3);
	}
	pid_t pid = fork();
	if (pid < 0) {
		perror("fork");
		exit(3);
	}
	if (pid == 0) {
		setpgid(0, 0);
		close(fds[0]);
		child(info, tests, order, count, fds[1]);
	}
	close(fds[1]);
	bool in_time = listen_to(&w, fds[0], limit_s);
	if (!in_time)
		kill(-pid, SIGKILL);
	close(fds[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!in_time)
		blame(&w, "killed: the suite took longer than %lu s", limit_s);
	else if (WIFSIGNALED(status))
		blame(&w, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (w.running != NULL ||
		 (WEXITSTATUS(status) != 0 && suite_failures == failures_before))
		blame(&w, "the process left with exit code %d", WEXITSTATUS(status));
	return w.seen;
}

static void report(const struct result *r, bool verbose)
{
	if (r->state == PASSED && !verbose)
		return;
	printf("%s %s/%s (%llu.%03llu ms)\n%s", r->state == PASSED ? "ok  " : "FAIL", r->suite,
	       r->name, (unsigned long long)(r->micros / 1000u),
	       (unsigned long long)(r->micros % 1000u), r->text != NULL ? r->text : "");
}

/* splitmix64; not base's, so that the runner stands when base is broken. */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static void shuffle(size_t *order, size_t count, uint64_t seed)
{
	for (size_t i = count; i > 1; i--) {
		size_t j = (size_t)(draw(&seed) % i);
		size_t t = order[i - 1];
		order[i - 1] = order[j];
		order[j] = t;
	}
}

static size_t select_tests(CU_SuiteInfo *info, const struct options *o, struct result **tests)
{
	size_t count = 0, all = 0;

	while (info->pTests[all].pName != NULL)
		all++;
	*tests = calloc(all + 1, sizeof(**tests));
	if (*tests == NULL)
		abort();
	for (size_t i = 0; i < all; i++) {
		if (o->test != NULL && strcmp(o->test, info->pTests[i].pName) != 0)
			continue;
		(*tests)[count++] = (struct result){.suite = info->pName,
						    .name = info->pTests[i].pName,
						    .run = info->pTests[i].pTestFunc};
	}
	for (size_t i = 0; i < count; i++) {
		for (size_t j = i + 1; j < count; j++) {
			if (strcmp((*tests)[i].name, (*tests)[j].name) == 0)
				add_text(&(*tests)[j], "    two tests of the suite have this name");
		}
	}
	if (all == 0) {
		printf("FAIL %s: a suite without tests\n", info->pName);
		suite_failures++;
	}
	return count;
}

static void keep_results(struct result *tests, size_t count)
{
	results = realloc(results, (result_len + count + 1) * sizeof(*results));
	if (results == NULL)
		abort();
	memcpy(results + result_len, tests, count * sizeof(*tests));
	result_len += count;
}

static void run_suite(CU_SuiteInfo *info, const struct options *o, unsigned long round)
{
	struct result *tests;
	size_t count = select_tests(info, o, &tests), done = 0, passed = 0;
	size_t *order = calloc(count + 1, sizeof(*order));
	uint64_t micros = now_micros();

	if (order == NULL)
		abort();
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	if (o->shuffle)
		shuffle(order, count, o->seed + round);
	while (done < count) {
		size_t seen = run_process(info, tests, order + done, count - done, o->limit_s);
		if (seen == 0)
			break;
		done += seen;
	}
	for (size_t i = 0; i < count; i++) {
		if (tests[i].state == WAITING) {
			tests[i].state = FAILED;
			add_text(&tests[i], "    did not run");
		}
		passed += tests[i].state == PASSED;
		report(&tests[i], o->verbose);
	}
	if (count != 0) {
		micros = now_micros() - micros;
		printf("%s %s: %zu of %zu (%llu ms)\n", passed == count ? "ok  " : "FAIL",
		       info->pName, passed, count, (unsigned long long)(micros / 1000u));
	}
	keep_results(tests, count);
	free(order);
	free(tests);
}

/* ---- JUnit ---- */

static void xml_text(FILE *f, const char *s)
{
	for (; *s != '\0'; s++) {
		switch (*s) {
		case '<': fputs("&lt;", f); break;
		case '>': fputs("&gt;", f); break;
		case '&': fputs("&amp;", f); break;
		case '"': fputs("&quot;", f); break;
		default: fputc((unsigned char)*s < 0x20 && *s != '\n' && *s != '\t' ? '?' : *s, f);
		}
	}
}

static bool write_junit(const char *path, size_t failed)
{
	FILE *f = fopen(path, "w");

	if (f == NULL) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return false;
	}
	fprintf(f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites><testsuite name=\"unit\" tests=\"%zu\" failures=\"%zu\">\n",
		result_len, failed);
	for (size_t i = 0; i < result_len; i++) {
		const struct result *r = &results[i];
		fputs("<testcase classname=\"", f);
		xml_text(f, r->suite);
		fputs("\" name=\"", f);
		xml_text(f, r->name);
		fprintf(f, "\" time=\"%llu.%06llu\"", (unsigned long long)(r->micros / 1000000u),
			(unsigned long long)(r->micros % 1000000u));
		if (r->state == PASSED) {
			fputs("/>\n", f);
			continue;
		}
		fputs("><failure message=\"failed\">", f);
		xml_text(f, r->text != NULL ? r->text : "");
		fputs("</failure></testcase>\n", f);
	}
	fputs("</testsuite></testsuites>\n", f);
	return fclose(f) == 0;
}

/* ---- Command line ---- */

static const char usage[] =
	"usage: %s [--suite NAME] [--test NAME] [--list] [--repeat N] [--shuffle SEED] [--limit SECONDS]\n"
	"       [--junit FILE] [--verbose]\n";

static bool number(const char *text, uint64_t *value)
{
	char *end;

	if (text == NULL || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0';
}

static bool parse(int argc, char **argv, struct options *o)
{
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
		uint64_t n = 0;

		if (strcmp(a, "--list") == 0) {
			o->list = true;
			continue;
		}
		if (strcmp(a, "--verbose") == 0) {
			o->verbose = true;
			continue;
		}
		i++;
		if (strcmp(a, "--suite") == 0 && value != NULL)
			o->suite = value;
		else if (strcmp(a, "--test") == 0 && value != NULL)
			o->test = value;
		else if (strcmp(a, "--junit") == 0 && value != NULL)
			o->junit = value;
		else if (strcmp(a, "--repeat") == 0 && number(value, &n) && n > 0)
			o->repeat = n;
		else if (strcmp(a, "--limit") == 0 && number(value, &n) && n > 0)
			o->limit_s = n;
		else if (strcmp(a, "--shuffle") == 0 && number(value, &o->seed))
			o->shuffle = true;
		else
			return false;
	}
	return true;
}

static int list_tests(void)
{
	for (CU_SuiteInfo *const *s = unit_suites; *s != NULL; s++) {
		for (const CU_TestInfo *t = (*s)->pTests; t->pName != NULL; t++)
			printf("%s/%s\n", (*s)->pName, t->pName);
	}
	return 0;
}

static int finish(const struct options *o)
{
	size_t failed = 0, passed = 0;
	bool wrote = true;

	for (size_t i = 0; i < result_len; i++) {
		passed += results[i].state == PASSED;
		failed += results[i].state != PASSED;
	}
	if (result_len == 0 && suite_failures == 0) {
		printf("FAIL no test has that name\n");
		suite_failures++;
	}
	if (o->junit != NULL)
		wrote = write_junit(o->junit, failed);
	for (size_t i = 0; i < result_len; i++)
		free(results[i].text);
	free(results);
	printf("%zu passed, %zu failed\n", passed, failed + suite_failures);
	return wrote ? failed + suite_failures != 0 : 3;
}

int main(int argc, char **argv)
{
	struct options o = {.repeat = 1, .limit_s = 300};

	if (!parse(argc, argv, &o)) {
		fprintf(stderr, usage, argv[0]);
		return 2;
	}
	if (o.list)
		return list_tests();
	for (unsigned long round = 0; round < o.repeat; round++) {
		for (CU_SuiteInfo *const *s = unit_suites; *s != NULL; s++) {
			if (o.suite == NULL || strcmp(o.suite, (*s)->pName) == 0)
				run_suite(*s, &o, round);
		}
	}
	return finish(&o);
}
