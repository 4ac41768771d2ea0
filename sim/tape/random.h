/* Random tapes from a seed: servers that answer as real ones do, mostly, and oddly now and then.
 *
 * Everything the behaviour of sections 3-6 and 17 depends on has a place here: lists whole, paged, empty, without
 * items, cut, of the wrong kind; errors of every class with and without Status bodies, details and Retry-After;
 * connections that fail in every way; streams that end in every way, with unknown types, wrong kinds, versions
 * that go back or are missing, members that come twice or have the wrong type, several values on a line and half
 * ones, bytes cut anywhere; delays, bursts, outages; slow handlers, handlers that come and go, resyncs, stops;
 * typed, dynamic and metadata clients, page sizes, namespaces, selectors, transforms; every gate that can be
 * turned. How odd a server is and how often it fails differs from tape to tape, and some do everything at tenths
 * of seconds, so that many things meet at one instant. The same seed gives the same bytes. Integers only. */
#ifndef SIM_TAPE_RANDOM_H
#define SIM_TAPE_RANDOM_H

#include "base/buf.h"

/* Appends the tape as JSON (see tape_parse). */
void tape_random(uint64_t seed, struct base_buf *out);

#endif
