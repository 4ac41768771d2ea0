/* What the probes of several files share. */
#ifndef SIM_CHECK_PROBES_H
#define SIM_CHECK_PROBES_H

#include "sim/check/talk.h"

#define KEY_A "d/a"
#define KEY_B "d/b"
#define KEY_C "d/c"

/* An informer a that has listed and watches. False: noted why. */
bool probe_settled(struct talk *t);
/* A talk_condition that does not come: time runs to its limit. */
bool probe_never(const struct talk *t, const void *ctx);
/* That handler hears of both objects, from the given output on. */
void probe_expect_adds(struct talk *t, const char *informer, const char *handler, size_t from);
/* The line of an event reaches the open watch of a in pieces of n bytes; each in an advance of its own or
 * all in one. */
void probe_deliver_pieces(struct talk *t, struct base_str line, size_t n, bool one_each);

/* ---- Of what a client can do (sim/check/probes_client.c) ---- */

void probe_several(struct talk *t);
void probe_handlers(struct talk *t);
void probe_slow(struct talk *t);
void probe_resync(struct talk *t);
void probe_draws(struct talk *t);
void probe_scope(struct talk *t);
void probe_modes(struct talk *t);
void probe_gates(struct talk *t);
void probe_pages(struct talk *t);
void probe_transform(struct talk *t);
void probe_factory(struct talk *t);

#endif
