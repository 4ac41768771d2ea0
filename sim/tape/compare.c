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

struct tape_difference tape_compare(struct tape_trace *golden, struct tape_trace *actual)
{
	size_t g = 0, a = 0;

	qsort(golden->lines, golden->count, sizeof(*golden->lines), compare_lines);
	qsort(actual->lines, actual->count, sizeof(*actual->lines), compare_lines);
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
