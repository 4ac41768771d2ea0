/* The one way out when the harness itself cannot go on (no memory): a line on stderr and exit 3. */
#ifndef SIM_FATAL_H
#define SIM_FATAL_H

#include "base/error.h"

_Noreturn void sim_fatal(const char *format, ...) BASE_PRINTF(1, 2);
/* Does nothing for BASE_OK; else sim_fatal with the code's word. */
void sim_must(enum base_code code);
/* As base_calloc/realloc over libc, but never NULL. */
void *sim_calloc(size_t count, size_t size);
void *sim_realloc(void *block, size_t size);
/* A copy with a NUL behind it. Free with free(). */
char *sim_strdup(struct base_str s);

#endif
