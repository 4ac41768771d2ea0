/* Our own core as a lockstep peer: reads operations, answers each with one line. */
#ifndef SIM_PEER_SERVE_H
#define SIM_PEER_SERVE_H

#include "base/buf.h"

struct peer_serve;

struct peer_serve *peer_serve_new(void);
void peer_serve_free(struct peer_serve *serve);
/* Appends the answer with its newline to out (nothing for quit). False: no more lines are wanted; after a
 * line that is no operation, error says why. */
bool peer_serve_line(struct peer_serve *serve, struct base_str line, struct base_buf *out,
		     struct base_error *error);

#endif
