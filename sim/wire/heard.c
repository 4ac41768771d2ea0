#include "sim/wire/heard.h"

static void on_request(void *self, const struct fakeapi_who *who, const struct fakeapi_heard *said)
{
	struct wire_heard *heard = self;
	const bool watches = said->parsed == FAKEAPI_PARSED_WATCH ||
			     said->parsed == FAKEAPI_PARSED_WATCH_LIST;

	heard->lists += said->parsed == FAKEAPI_PARSED_LIST;
	heard->watches += watches;
	heard->others += said->parsed != FAKEAPI_PARSED_LIST && !watches;
	if (heard->next.request != NULL)
		heard->next.request(heard->next.self, who, said);
}

static void on_answer(void *self, const struct fakeapi_who *who, int status, struct base_str reason)
{
	struct wire_heard *heard = self;

	heard->failed += status >= 400;
	if (heard->next.answer != NULL)
		heard->next.answer(heard->next.self, who, status, reason);
}

/* The rest is passed on. */

static void on_list(void *self, const struct fakeapi_who *who, const struct fakeapi_listed *listed)
{
	const struct fakeapi_observer *next = &((const struct wire_heard *)self)->next;

	if (next->list != NULL)
		next->list(next->self, who, listed);
}

static void on_line(void *self, const struct fakeapi_who *who, const struct fakeapi_line *line)
{
	const struct fakeapi_observer *next = &((const struct wire_heard *)self)->next;

	if (next->line != NULL)
		next->line(next->self, who, line);
}

static void on_watch_end(void *self, const struct fakeapi_who *who, enum fakeapi_watch_end why)
{
	const struct fakeapi_observer *next = &((const struct wire_heard *)self)->next;

	if (next->watch_end != NULL)
		next->watch_end(next->self, who, why);
}

static void on_sent(void *self, const struct fakeapi_who *who, const struct fakeapi_sent *sent)
{
	const struct fakeapi_observer *next = &((const struct wire_heard *)self)->next;

	if (next->sent != NULL)
		next->sent(next->self, who, sent);
}

static void on_change(void *self, const struct fakeapi_change *change)
{
	const struct fakeapi_observer *next = &((const struct wire_heard *)self)->next;

	if (next->change != NULL)
		next->change(next->self, change);
}

static void on_move(void *self, const struct fakeapi_moved *moved)
{
	const struct fakeapi_observer *next = &((const struct wire_heard *)self)->next;

	if (next->move != NULL)
		next->move(next->self, moved);
}

static void on_effect(void *self, const struct fakeapi_fault_effect *effect)
{
	const struct fakeapi_observer *next = &((const struct wire_heard *)self)->next;

	if (next->effect != NULL)
		next->effect(next->self, effect);
}

void wire_heard_join(struct wire_heard *heard, struct fakeapi_config *config)
{
	if (config->observer != NULL)
		heard->next = *config->observer;
	heard->own = (struct fakeapi_observer){.self = heard,
					       .change = on_change,
					       .request = on_request,
					       .answer = on_answer,
					       .list = on_list,
					       .line = on_line,
					       .watch_end = on_watch_end,
					       .sent = heard->next.sent != NULL ? on_sent : NULL,
					       .move = on_move,
					       .effect = on_effect};
	config->observer = &heard->own;
}
