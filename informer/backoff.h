/* Jitter, the backoff step and the delay function with reset (sections 2.1 to 2.3). */
#ifndef INFORMER_BACKOFF_H
#define INFORMER_BACKOFF_H

#include "informer/reflector.h"

struct inf_backoff {
	struct inf_backoff_options initial;
	/* the running state */
	uint64_t duration_ns;
	int steps;
	uint64_t last_start_ns; /* when the state last returned to its initial value */
	bool resets;
};

/* P-1. The double formula of the reference, so that the same u gives the same nanosecond. */
uint64_t inf_jitter_ns(uint64_t d_ns, double factor, double u);
/* A draw of the host's random source as u in [0, 1). */
double inf_draw_u(const struct inf_host *host, const char *purpose);
/* P-3: the reset clock starts at now_ns. */
void inf_backoff_init(struct inf_backoff *backoff, const struct inf_backoff_options *options,
		      uint64_t now_ns);
/* One call of the delay function: P-3, then one step (P-2). Draws once ("jitter") unless there is no
 * jitter. */
uint64_t inf_backoff_next_ns(struct inf_backoff *backoff, const struct inf_host *host,
			     uint64_t now_ns);

#endif
