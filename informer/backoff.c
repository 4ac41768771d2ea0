#include "informer/backoff.h"

#include "informer/host.h"

const struct inf_backoff_options inf_backoff_default = {
	.duration_ns = 800 * INF_MS,
	.factor = 2.0,
	.jitter = 1.0,
	.cap_ns = 30 * INF_S,
	.steps = 38,
	.reset_ns = 120 * INF_S,
};

#define U_DIVISOR 9223372036854775808.0 /* 2^63 */

uint64_t inf_jitter_ns(uint64_t d_ns, double factor, double u)
{
	double f = factor > 0.0 ? factor : 1.0;
	return d_ns + (uint64_t)(int64_t)(u * f * (double)d_ns);
}

double inf_draw_u(const struct inf_host *host, const char *purpose)
{
	uint64_t v = host->random.draw_63(host->random.self, purpose);
	return (double)v / U_DIVISOR;
}

void inf_backoff_init(struct inf_backoff *backoff, const struct inf_backoff_options *options,
		      uint64_t now_ns)
{
	*backoff = (struct inf_backoff){.initial = *options, .last_start_ns = now_ns};
	if (options->reset_ns == 0) { /* P-4: constant */
		backoff->initial.steps = 0;
		backoff->initial.factor = 0.0;
	}
	backoff->resets = backoff->initial.factor > 0.0 && options->reset_ns > 0;
	backoff->duration_ns = backoff->initial.duration_ns;
	backoff->steps = backoff->initial.steps;
}

/* The table of 2.2: the state moves on, the delay is made from the old duration. */
static uint64_t backoff_step(struct inf_backoff *backoff)
{
	uint64_t duration_ns = backoff->duration_ns;
	double factor = backoff->initial.factor;
	if (backoff->steps < 1) {
		backoff->steps = 0;
		return duration_ns;
	}
	backoff->steps--;
	if (factor > 0.0 || factor < 0.0) {
		double next = (double)duration_ns * factor;
		uint64_t cap_ns = backoff->initial.cap_ns;
		backoff->duration_ns = next < 0.0 ? 0 : (uint64_t)next;
		if (cap_ns > 0 && backoff->duration_ns > cap_ns) {
			backoff->duration_ns = cap_ns;
			backoff->steps = 0;
		}
	}
	return duration_ns;
}

uint64_t inf_backoff_next_ns(struct inf_backoff *backoff, const struct inf_host *host,
			     uint64_t now_ns)
{
	if (backoff->resets && now_ns - backoff->last_start_ns > backoff->initial.reset_ns) {
		backoff->duration_ns = backoff->initial.duration_ns;
		backoff->steps = backoff->initial.steps;
		backoff->last_start_ns = now_ns;
	}
	uint64_t delay_ns = backoff_step(backoff);
	if (backoff->initial.jitter > 0.0) {
		delay_ns = inf_jitter_ns(delay_ns, backoff->initial.jitter,
					 inf_draw_u(host, "jitter"));
	}
	return delay_ns;
}
