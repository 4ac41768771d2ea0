#include "informer/live/policy.h"

#include "informer/live/limiter.h"

#include <inttypes.h>
#include <stdio.h>

#include "informer/live/held.h"
#include "informer/live/lines.h"

#define SECOND_NS UINT64_C(1000000000)
#define RETRY_AFTER_MAX UINT64_C(3600)

enum turn_state {
	TURN_QUEUED,   /* waits for the rate */
	TURN_SENT,     /* nothing of an answer was handed on */
	TURN_ANSWERED, /* the head was */
	TURN_WAITING,  /* between two tries */
	TURN_FAILING,  /* its end is known and told by the timer */
};

struct turn {
	struct live_policed *policed;
	struct inf_exchange *outer;
	struct inf_exchange inner;
	struct inf_timer timer;
	struct live_held held;
	enum turn_state state;
	uint32_t tries;
	uint64_t since_ns; /* of the queue; of the try */
	bool probe;        /* the one request an open breaker let through */
	char why[128];
	struct turn *prev, *next;
};

struct live_policed {
	struct live_policy policy;
	const struct base_alloc *alloc;
	struct inf_clock clock;
	struct inf_transport inner;
	struct live_limiter limiter;
	struct turn *first, *last; /* the oldest first: the queue's order too */
	uint32_t failures;         /* in a row */
	bool open, probing;
	uint64_t open_until_ns;
	uint64_t backoff_ns, backoff_at_ns; /* 0: none; when it was moved last */
	uint64_t next_id;
	struct live_policed_figures figures;
};

void live_policy_defaults(struct live_policy *policy)
{
	*policy = (struct live_policy){.retry_wait_ns = SECOND_NS,
				       .retry_wait_max_ns = 30 * SECOND_NS,
				       .retry_statuses = {429, 502, 503, 504},
				       .break_ns = 10 * SECOND_NS};
}

static uint64_t now_ns(const struct live_policed *p)
{
	return p->clock.now_ns(p->clock.self);
}

static void disarm(struct turn *turn)
{
	turn->policed->clock.cancel(turn->policed->clock.self, &turn->timer);
}

static void turn_free(struct turn *turn)
{
	struct live_policed *p = turn->policed;

	disarm(turn);
	if (turn->probe)
		p->probing = false;
	*(turn->prev != NULL ? &turn->prev->next : &p->first) = turn->next;
	*(turn->next != NULL ? &turn->next->prev : &p->last) = turn->prev;
	live_held_release(&turn->held, p->alloc);
	base_free(p->alloc, turn);
}

static void end_outer(struct turn *turn, enum inf_end end, struct base_str text)
{
	struct inf_exchange *outer = turn->outer;

	outer->transport_state = NULL;
	turn_free(turn);
	outer->on_end(outer, end, text);
}

static void end_with(struct turn *turn, enum inf_end end, const char *text)
{
	char copy[sizeof turn->why];

	snprintf(copy, sizeof copy, "%s", text);
	end_outer(turn, end, base_str(copy));
}

/* ---- The breaker ---- */

static void note_success(struct turn *turn)
{
	struct live_policed *p = turn->policed;

	p->failures = 0;
	p->open = p->probing = turn->probe = false;
}

static void note_failure(struct turn *turn)
{
	struct live_policed *p = turn->policed;

	if (p->policy.break_after == 0)
		return;
	p->failures++;
	if (turn->probe || (!p->open && p->failures >= p->policy.break_after)) {
		p->open = true;
		p->open_until_ns = now_ns(p) + p->policy.break_ns;
	}
	if (turn->probe)
		p->probing = turn->probe = false;
}

/* Whether the breaker lets it go; the first after the pause is the one that tries. */
static bool may_pass(struct turn *turn)
{
	struct live_policed *p = turn->policed;

	if (!p->open)
		return true;
	if (p->probing || now_ns(p) < p->open_until_ns)
		return false;
	p->probing = turn->probe = true;
	return true;
}

static void say_open(struct turn *turn)
{
	const struct live_policed *p = turn->policed;
	const uint64_t now = now_ns(p);
	const uint64_t left = p->open_until_ns > now ? p->open_until_ns - now : 0;

	snprintf(turn->why, sizeof turn->why,
		 "not asked: the server failed %" PRIu32 " times in a row, it is tried again in "
		 "%" PRIu64 ".%" PRIu64 " s",
		 p->failures, left / SECOND_NS, left % SECOND_NS / (SECOND_NS / 10));
}

/* ---- The backoff ---- */

static void note_outcome(struct live_policed *p, int status)
{
	const uint64_t base_ns = p->policy.backoff_base_ns, max_ns = p->policy.backoff_max_ns;
	const uint64_t now = now_ns(p);

	if (base_ns == 0)
		return;
	if (status != 429 && status < 500)
		p->backoff_ns = 0;
	else if (p->backoff_ns == 0 || now - p->backoff_at_ns > 2 * max_ns)
		p->backoff_ns = base_ns;
	else
		p->backoff_ns = p->backoff_ns * 2 < max_ns ? p->backoff_ns * 2 : max_ns;
	p->backoff_at_ns = now;
}

/* ---- Going out ---- */

static enum base_code arm(struct turn *turn, uint64_t at_ns)
{
	return turn->policed->clock.arm(turn->policed->clock.self, &turn->timer, at_ns);
}

static uint64_t deadline_of(const struct turn *turn, bool head_came)
{
	const struct live_policy *policy = &turn->policed->policy;
	uint64_t wait_ns = head_came ? 0 : policy->head_timeout_ns;

	if (!turn->held.request.stream && policy->answer_timeout_ns != 0 &&
	    (wait_ns == 0 || policy->answer_timeout_ns < wait_ns))
		wait_ns = policy->answer_timeout_ns;
	return wait_ns == 0 ? UINT64_MAX : turn->since_ns + wait_ns;
}

/* An error leaves the turn as it was. */
static enum base_code go(struct turn *turn, struct base_error *error)
{
	struct live_policed *p = turn->policed;
	enum base_code code = BASE_OK;

	turn->since_ns = now_ns(p);
	const uint64_t deadline_ns = deadline_of(turn, false);
	if (deadline_ns != UINT64_MAX)
		code = arm(turn, deadline_ns);
	else
		disarm(turn);
	if (code != BASE_OK)
		return base_fail(error, code, "no memory for a timer");
	code = p->inner.start(p->inner.self, &turn->inner, &turn->held.request, error);
	if (code != BASE_OK) {
		disarm(turn);
		return code;
	}
	turn->state = TURN_SENT;
	p->figures.tries++;
	p->figures.retries += turn->tries++ != 0;
	return BASE_OK;
}

static bool is_limited(const struct turn *turn)
{
	return turn->policed->policy.limit_streams || !turn->held.request.stream ||
	       turn->tries != 0;
}

/* Its turn: it goes, or waits for the rate, or fails by the timer because the breaker is open. */
static enum base_code set_off(struct turn *turn, struct base_error *error)
{
	struct live_policed *p = turn->policed;
	const uint64_t now = now_ns(p);

	if (!may_pass(turn)) {
		p->figures.broken++;
		say_open(turn);
		turn->state = TURN_FAILING;
		return arm(turn, now);
	}
	if (!is_limited(turn))
		return go(turn, error);
	/* Behind the ones that wait already, each of which has its token by now. */
	const uint64_t ready_ns = live_limiter_ready_ns(&p->limiter, now);
	if (ready_ns > now) {
		const enum base_code code = arm(turn, ready_ns);

		if (code != BASE_OK)
			return base_fail(error, code, "no memory for a timer");
		p->figures.queued++;
		p->figures.waited_ns += ready_ns - now;
		turn->state = TURN_QUEUED;
		live_limiter_take(&p->limiter, now);
		return BASE_OK;
	}
	const enum base_code code = go(turn, error);
	if (code == BASE_OK)
		live_limiter_take(&p->limiter, now);
	return code;
}

/* ---- Trying again ---- */

static bool may_retry(const struct turn *turn)
{
	return turn->state == TURN_SENT && turn->tries <= turn->policed->policy.retries &&
	       base_str_is(turn->held.request.method, "GET") && !turn->probe;
}

/* False: there is no memory to wait. */
static bool try_again(struct turn *turn, uint64_t at_least_ns)
{
	const struct live_policy *policy = &turn->policed->policy;
	uint64_t wait_ns = policy->retry_wait_ns;

	for (uint32_t i = 1; i < turn->tries && wait_ns < policy->retry_wait_max_ns; i++)
		wait_ns *= 2;
	if (policy->retry_wait_max_ns != 0 && wait_ns > policy->retry_wait_max_ns)
		wait_ns = policy->retry_wait_max_ns;
	if (wait_ns < at_least_ns)
		wait_ns = at_least_ns;
	if (arm(turn, now_ns(turn->policed) + wait_ns) != BASE_OK)
		return false;
	turn->state = TURN_WAITING;
	return true;
}

static void on_timer(struct inf_timer *timer)
{
	struct turn *turn = timer->owner;
	struct live_policed *p = turn->policed;
	struct base_error error = {0};
	enum base_code code = BASE_OK;

	switch (turn->state) {
	case TURN_FAILING: end_with(turn, INF_END_OTHER, turn->why); return;
	case TURN_QUEUED: code = go(turn, &error); break;
	case TURN_WAITING: code = set_off(turn, &error); break;
	case TURN_SENT:
	case TURN_ANSWERED:
		p->figures.timeouts++;
		p->inner.cancel(p->inner.self, &turn->inner);
		if (turn->state == TURN_SENT)
			note_failure(turn);
		if (may_retry(turn) && try_again(turn, 0))
			return;
		end_with(turn, INF_END_TIMEOUT, "no answer came in time");
		return;
	}
	if (code != BASE_OK)
		end_with(turn, INF_END_OTHER, error.text);
}

/* ---- What comes back ---- */

static uint64_t retry_after_ns(const struct inf_header *headers, size_t count)
{
	uint64_t seconds = 0;

	for (size_t i = 0; i < count; i++)
		if (live_same_name(headers[i].name, BASE_STR("Retry-After")) &&
		    base_str_u64(headers[i].value, &seconds))
			return (seconds < RETRY_AFTER_MAX ? seconds : RETRY_AFTER_MAX) * SECOND_NS;
	return 0;
}

static bool is_retried(const struct live_policy *policy, int status)
{
	for (size_t i = 0; i < LIVE_RETRY_STATUSES_MAX && policy->retry_statuses[i] != 0; i++)
		if (policy->retry_statuses[i] == status)
			return true;
	return false;
}

static void on_head(struct inf_exchange *inner, int status, const struct inf_header *headers,
		    size_t count)
{
	struct turn *turn = inner->owner;
	struct live_policed *p = turn->policed;

	note_outcome(p, status);
	if (status >= 500)
		note_failure(turn);
	else
		note_success(turn);
	if (is_retried(&p->policy, status) && may_retry(turn) &&
	    try_again(turn, retry_after_ns(headers, count))) {
		p->inner.cancel(p->inner.self, &turn->inner);
		return;
	}
	turn->state = TURN_ANSWERED;
	const uint64_t deadline_ns = deadline_of(turn, true);
	/* Moving an armed timer needs no memory; none armed is none wanted. */
	if (deadline_ns == UINT64_MAX)
		disarm(turn);
	else if (arm(turn, deadline_ns) != BASE_OK)
		disarm(turn);
	turn->outer->on_head(turn->outer, status, headers, count);
}

static void on_body(struct inf_exchange *inner, struct base_str bytes)
{
	struct turn *turn = inner->owner;

	turn->outer->on_body(turn->outer, bytes);
}

static void on_end(struct inf_exchange *inner, enum inf_end end, struct base_str text)
{
	struct turn *turn = inner->owner;
	const bool passing = end == INF_END_REFUSED || end == INF_END_RESET ||
			     end == INF_END_EARLY_EOF || end == INF_END_TIMEOUT ||
			     end == INF_END_CONNECTION_LOST;

	if (turn->state == TURN_SENT) {
		note_failure(turn);
		note_outcome(turn->policed, 0);
	}
	if (passing && may_retry(turn) && try_again(turn, 0))
		return;
	end_outer(turn, end, text);
}

/* ---- The transport ---- */

static enum base_code start(void *self, struct inf_exchange *exchange,
			    const struct inf_http_request *request, struct base_error *error)
{
	struct live_policed *p = self;
	struct turn *turn = base_calloc(p->alloc, 1, sizeof *turn);

	if (turn == NULL)
		return base_fail(error, BASE_ENOMEM, "no memory for a request");
	turn->policed = p;
	turn->outer = exchange;
	turn->inner = (struct inf_exchange){
		.on_head = on_head, .on_body = on_body, .on_end = on_end, .owner = turn};
	turn->timer = (struct inf_timer){.fire = on_timer, .owner = turn};
	turn->prev = p->last;
	*(p->last != NULL ? &p->last->next : &p->first) = turn;
	p->last = turn;
	enum base_code code = live_hold(&turn->held, p->alloc, request);
	if (code == BASE_OK && p->backoff_ns != 0) {
		turn->state = TURN_WAITING;
		code = arm(turn, now_ns(p) + p->backoff_ns);
	} else if (code == BASE_OK) {
		code = set_off(turn, error);
	}
	if (code != BASE_OK) {
		turn_free(turn);
		return error != NULL && error->code != BASE_OK
			       ? code
			       : base_fail(error, code, "no memory for a request");
	}
	exchange->transport_state = turn;
	exchange->id = ++p->next_id;
	p->figures.requests++;
	return BASE_OK;
}

static void cancel(void *self, struct inf_exchange *exchange)
{
	struct live_policed *p = self;
	struct turn *turn = exchange->transport_state;

	if (turn == NULL)
		return;
	exchange->transport_state = NULL;
	if (turn->state == TURN_SENT || turn->state == TURN_ANSWERED)
		p->inner.cancel(p->inner.self, &turn->inner);
	else if (turn->state == TURN_QUEUED)
		live_limiter_give_back(&p->limiter);
	turn_free(turn);
}

struct live_policed *live_policed_new(const struct live_policy *policy,
				      const struct base_alloc *alloc, const struct inf_clock *clock,
				      struct inf_transport inner)
{
	struct live_policed *p = base_calloc(alloc, 1, sizeof *p);

	if (p == NULL)
		return NULL;
	p->policy = *policy;
	p->alloc = alloc;
	p->clock = *clock;
	p->inner = inner;
	live_limiter_init(&p->limiter, policy->qps_milli, policy->burst);
	return p;
}

void live_policed_free(struct live_policed *p)
{
	if (p == NULL)
		return;
	while (p->first != NULL)
		cancel(p, p->first->outer);
	base_free(p->alloc, p);
}

struct inf_transport live_policed_transport(struct live_policed *p)
{
	return (struct inf_transport){.self = p, .start = start, .cancel = cancel};
}

struct live_policed_figures live_policed_figures(const struct live_policed *p)
{
	return p->figures;
}
