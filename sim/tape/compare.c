/* Comparing what a subject did with what the real client-go did. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/tape/tape.h"

static int src_rank(const char *src)
{
	static const char *const first[] = {"http", "reflector", "inf"};

	for (int i = 0; i < 3; i++)
		if (strcmp(src, first[i]) == 0)
			return i;
	return 3;
}

static int compare_lines(const void *a, const void *b)
{
	const struct tape_line *la = a, *lb = b;
	int order = (la->t_ns > lb->t_ns) - (la->t_ns < lb->t_ns);

	if (order == 0)
		order = src_rank(la->src) - src_rank(lb->src);
	if (order == 0)
		order = strcmp(la->src, lb->src);
	return order != 0 ? order : (la->seq > lb->seq) - (la->seq < lb->seq);
}

/* The next line from i on that is compared one by one. */
static size_t skip_cancels(const struct tape_trace *trace, size_t i)
{
	while (i < trace->count && trace->lines[i].event == TAPE_CANCEL)
		i++;
	return i;
}

static struct tape_difference differs(size_t golden_at, size_t actual_at, const char *text)
{
	struct tape_difference d = {.equal = false, .golden_at = golden_at, .actual_at = actual_at};

	snprintf(d.text, sizeof(d.text), "%s", text);
	return d;
}

/* A cancel must come no earlier than recorded and before the informer's next request. */
static bool cancel_fits(const struct tape_trace *actual, const struct tape_line *golden,
			uint64_t next_request_ns, size_t *at)
{
	*at = actual->count;
	for (size_t i = 0; i < actual->count; i++) {
		const struct tape_line *line = &actual->lines[i];

		if (line->event != TAPE_CANCEL || line->request != golden->request)
			continue;
		*at = i;
		return line->t_ns >= golden->t_ns && line->t_ns <= next_request_ns;
	}
	/* not seen: fine only when the tape ended inside the window */
	return next_request_ns == UINT64_MAX;
}

static struct tape_difference compare_cancels(const struct tape_trace *golden,
					      const struct tape_trace *actual)
{
	for (size_t i = 0; i < golden->count; i++) {
		const struct tape_line *line = &golden->lines[i];
		uint64_t next_request_ns = UINT64_MAX;
		size_t at;

		if (line->event != TAPE_CANCEL)
			continue;
		for (size_t k = 0; k < golden->count && next_request_ns == UINT64_MAX; k++)
			if (golden->lines[k].event == TAPE_REQ &&
			    golden->lines[k].request > line->request &&
			    golden->lines[k].t_ns >= line->t_ns)
				next_request_ns = golden->lines[k].t_ns;
		if (!cancel_fits(actual, line, next_request_ns, &at))
			return differs(
				i, at,
				"this request must be cancelled no earlier than recorded and "
				"before the next request");
	}
	return (struct tape_difference){.equal = true};
}

static void sort(struct tape_trace *trace)
{
	if (trace->count > 0)
		qsort(trace->lines, trace->count, sizeof(*trace->lines), compare_lines);
}

/* How many lines of that source the instant has; sorted. */
static size_t count_at(const struct tape_trace *trace, uint64_t t_ns, const char *src)
{
	size_t count = 0;

	for (size_t i = 0; i < trace->count && trace->lines[i].t_ns <= t_ns; i++)
		count += trace->lines[i].t_ns == t_ns && strcmp(trace->lines[i].src, src) == 0;
	return count;
}

/* Keeps, at the instant, as many lines of each source as the other has, and nothing behind it. */
static void cut_to(struct tape_trace *trace, uint64_t t_ns, const struct tape_trace *other)
{
	size_t kept = 0, in_source = 0, most = 0;
	const char *src = "";

	for (size_t i = 0; i < trace->count; i++) {
		struct tape_line *line = &trace->lines[i];

		if (line->t_ns == t_ns && strcmp(line->src, src) != 0) {
			src = line->src;
			most = count_at(other, t_ns, src);
			in_source = 0;
		}
		if (line->t_ns < t_ns || (line->t_ns == t_ns && in_source++ < most)) {
			const struct tape_line moved = trace->lines[kept];

			trace->lines[kept++] = *line;
			*line = moved;
		}
	}
	for (size_t i = kept; i < trace->count; i++) {
		free(trace->lines[i].src);
		free(trace->lines[i].text);
	}
	trace->count = kept;
}

bool tape_cut_loop(struct tape_trace *golden, struct tape_trace *actual, uint64_t loop_ns)
{
	size_t requests = 0;

	for (size_t i = 0; i < golden->count; i++)
		requests += golden->lines[i].t_ns == loop_ns && golden->lines[i].event == TAPE_REQ;
	if (requests < TAPE_INSTANT_REQUESTS_MAX)
		return false;
	sort(golden);
	sort(actual);
	cut_to(golden, loop_ns, actual);
	cut_to(actual, loop_ns, golden);
	return true;
}

struct tape_difference tape_compare(struct tape_trace *golden, struct tape_trace *actual)
{
	size_t g = 0, a = 0;

	sort(golden);
	sort(actual);
	for (;;) {
		const struct tape_line *lg, *la;

		g = skip_cancels(golden, g);
		a = skip_cancels(actual, a);
		if (g == golden->count && a == actual->count)
			return compare_cancels(golden, actual);
		if (g == golden->count)
			return differs(g, a, "the real client did nothing more");
		if (a == actual->count)
			return differs(g, a, "nothing more happened here");
		lg = &golden->lines[g++];
		la = &actual->lines[a++];
		if (lg->t_ns != la->t_ns)
			return differs(g - 1, a - 1, "another time");
		if (strcmp(lg->src, la->src) != 0)
			return differs(g - 1, a - 1, "another source");
		if (strcmp(lg->text, la->text) != 0)
			return differs(g - 1, a - 1, "another event");
	}
}
