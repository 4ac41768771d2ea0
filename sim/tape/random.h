/* Random tapes from a seed: servers that answer as real ones do, mostly, and oddly now and then.
 *
 * Everything the behaviour of sections 3–6 depends on has a place here: lists whole, paged, empty, without
 * items, cut, of the wrong kind; errors of every class with and without Status bodies and Retry-After;
 * streams that end in every way, with unknown types, wrong kinds, versions that go back or are missing,
 * several values on a line and half ones; delays, bursts, slow handlers, resyncs, every gate. The same seed
 * gives the same bytes. Integers only. */
#ifndef SIM_TAPE_RANDOM_H
#define SIM_TAPE_RANDOM_H

#include "base/buf.h"

/* Appends the tape as JSON (see tape_parse). */
void tape_random(uint64_t seed, struct base_buf *out);

#endif
