/* Texts that live as long as their owner and are wiped when it goes: what a configuration was read into.
 * Thread rule: one at a time. */
#ifndef INFORMER_LIVE_POOL_H
#define INFORMER_LIVE_POOL_H

#include "base/buf.h"

struct live_pool_block;
struct live_pool {
	const struct base_alloc *alloc;
	struct live_pool_block *blocks;
};

void live_pool_init(struct live_pool *pool, const struct base_alloc *alloc);
/* Overwrites every block before it is freed. */
void live_pool_release(struct live_pool *pool);
/* Zeroed; NULL without memory. */
void *live_pool_get(struct live_pool *pool, size_t size);
/* A copy with a NUL behind it; NULL without memory. */
char *live_pool_text(struct live_pool *pool, struct base_str text);

/* A buffer's bytes are overwritten before it is freed. */
void live_wipe(struct base_buf *buf);

/* A whole file, appended. BASE_ENOENT, BASE_EIO, BASE_ELIMIT (over 4 MiB), BASE_ENOMEM; error names the file. */
enum base_code live_read_file(const char *path, struct base_buf *out, struct base_error *error)
	BASE_MUST_CHECK;
/* Base64 as kubeconfig has it: blanks and line ends are passed over. BASE_EINVAL: it is none. */
enum base_code live_base64(struct base_str text, struct base_buf *out) BASE_MUST_CHECK;

#endif
