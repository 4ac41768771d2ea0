/* The smallest tape that still shows something: answers, steps and handlers are taken away while it does. */
#ifndef SIM_TAPE_SHRINK_H
#define SIM_TAPE_SHRINK_H

#include "base/buf.h"

/* Does this tape (JSON) still show it? */
typedef bool tape_shows_fn(void *ctx, struct base_str tape);

/* json: a tape that shows it; out gets a smaller one that does too. Returns how many candidates were tried. */
size_t tape_shrink(struct base_str json, tape_shows_fn *shows, void *ctx, struct base_buf *out);

#endif
