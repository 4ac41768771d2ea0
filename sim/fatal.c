#include "sim/fatal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void sim_fatal(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("relist: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(3);
}

void sim_must(enum base_code code)
{
	if (code != BASE_OK)
		sim_fatal("%s", base_code_word(code));
}

void *sim_calloc(size_t count, size_t size)
{
	void *block = base_calloc(&base_alloc_libc, count > 0 ? count : 1, size);

	if (block == NULL)
		sim_fatal("out of memory");
	return block;
}

void *sim_realloc(void *block, size_t size)
{
	void *bigger = base_realloc(&base_alloc_libc, block, size);

	if (bigger == NULL)
		sim_fatal("out of memory");
	return bigger;
}

char *sim_strdup(struct base_str s)
{
	char *copy = base_strndup(&base_alloc_libc, s.ptr, s.len);

	if (copy == NULL)
		sim_fatal("out of memory");
	return copy;
}
