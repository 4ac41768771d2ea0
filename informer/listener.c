#include "informer/host.h"
#include "informer/processor.h"

static void release_notification(struct inf_notification *note)
{
	inf_object_unref(note->object);
	inf_object_unref(note->old_object);
	inf_payload_unref(note->payload);
	*note = (struct inf_notification){0};
}

static void drop_backlog(struct inf_listener *listener)
{
	while (listener->len > 0) {
		release_notification(&listener->slots[listener->head]);
		listener->head = (listener->head + 1) & (listener->cap - 1);
		listener->len--;
	}
}

void inf_listener_unref(struct inf_listener *listener)
{
	if (--listener->refs > 0)
		return;
	drop_backlog(listener);
	release_notification(&listener->current);
	base_free(listener->alloc, listener->slots);
	base_free(listener->alloc, listener);
}

void inf_listener_close(struct inf_listener *listener)
{
	inf_revoke(listener->processor->host, &listener->task);
	inf_signal_cancel(&listener->upstream);
	drop_backlog(listener);
}

void inf_listener_detach(struct inf_listener *listener)
{
	inf_listener_close(listener);
	inf_signal_release(&listener->tracker.synced);
	listener->processor = NULL;
}

enum base_code inf_listener_reserve(struct inf_listener *listener, size_t count)
{
	size_t cap = listener->cap > 0 ? listener->cap : INF_BACKLOG_FIRST, first;
	struct inf_notification *slots;

	if (listener->len + count <= listener->cap)
		return BASE_OK;
	while (cap < listener->len + count)
		cap *= 2;
	slots = base_malloc(listener->alloc, cap * sizeof(slots[0]));
	if (slots == NULL)
		return BASE_ENOMEM;
	first = listener->cap - listener->head;
	first = first < listener->len ? first : listener->len;
	if (first > 0)
		memcpy(slots, listener->slots + listener->head, first * sizeof(slots[0]));
	if (listener->len > first)
		memcpy(slots + first, listener->slots, (listener->len - first) * sizeof(slots[0]));
	base_free(listener->alloc, listener->slots);
	listener->slots = slots;
	listener->cap = cap;
	listener->head = 0;
	return BASE_OK;
}

void inf_listener_push(struct inf_listener *listener, const struct inf_notification *notification)
{
	struct inf_notification *slot =
		&listener->slots[(listener->head + listener->len) & (listener->cap - 1)];

	*slot = *notification;
	if (slot->object != NULL)
		inf_object_ref(slot->object);
	if (slot->old_object != NULL)
		inf_object_ref(slot->old_object);
	inf_payload_ref(slot->payload);
	listener->len++;
	if (slot->kind == INF_NOTE_ADD && slot->initial)
		inf_tracker_start(&listener->tracker, 1);
	if (!listener->running && !listener->calling)
		inf_post(listener->processor->host, &listener->task);
}

/* ---- Sync ---- */

static void tell_synced(struct inf_listener *listener)
{
	struct inf_processor *processor = listener->processor;

	/* A handler that is gone may still sync: the call that ran when it was removed was its last. */
	if (processor == NULL || listener->told_synced ||
	    !inf_tracker_has_synced(&listener->tracker))
		return;
	listener->told_synced = true;
	if (processor->on_synced != NULL)
		processor->on_synced(processor->self, listener->name);
}

static void upstream_task(struct inf_task *task)
{
	struct inf_listener *listener = task->owner;

	inf_tracker_upstream(&listener->tracker);
	tell_synced(listener);
}

void inf_listener_watch_sync(struct inf_listener *listener)
{
	listener->upstream.task.run = upstream_task;
	listener->upstream.task.owner = listener;
	inf_signal_wait(listener->processor->synced, &listener->upstream,
			&listener->processor->host->executor);
}

/* ---- Calls ---- */

static enum inf_end_of_call call(struct inf_listener *listener)
{
	const struct inf_handler *handler = &listener->handler;
	const struct inf_notification *note = &listener->current;

	switch (note->kind) {
	case INF_NOTE_ADD:
		return handler->add != NULL ? handler->add(handler->self, note->object,
							   note->initial, &listener->token)
					    : INF_DONE;
	case INF_NOTE_UPDATE:
		return handler->update != NULL ? handler->update(handler->self, note->old_object,
								 note->object, &listener->token)
					       : INF_DONE;
	case INF_NOTE_DELETE: {
		struct inf_deleted deleted = {.object = note->object, .tombstone = note->tombstone};

		deleted.key = note->payload != NULL ? note->payload->text
						    : inf_object_key(note->object);
		return handler->del != NULL
			       ? handler->del(handler->self, &deleted, &listener->token)
			       : INF_DONE;
	}
	}
	return INF_DONE;
}

/* The call has ended, at once or later. Drops the call's reference. */
static void call_ended(struct inf_listener *listener)
{
	struct inf_processor *processor = listener->processor;
	bool counts = listener->current.kind == INF_NOTE_ADD && listener->current.initial;

	release_notification(&listener->current);
	if (counts && inf_tracker_finished(&listener->tracker) == BASE_OK)
		tell_synced(listener);
	if (processor != NULL && listener->len > 0)
		inf_post(processor->host, &listener->task);
	if (processor != NULL)
		inf_processor_call_ended(processor, listener);
	inf_listener_unref(listener);
}

static void listener_task(struct inf_task *task)
{
	struct inf_listener *listener = task->owner;
	struct inf_processor *processor = listener->processor;

	if (listener->len == 0 || listener->running || listener->calling)
		return;
	listener->current = listener->slots[listener->head];
	listener->head = (listener->head + 1) & (listener->cap - 1);
	listener->len--;
	listener->token = (struct inf_token){.listener = listener};
	listener->refs++;
	processor->calls++;
	listener->calling = true;
	if (call(listener) == INF_LATER && !listener->token.done) {
		listener->calling = false;
		listener->running = true;
		return;
	}
	listener->calling = false;
	call_ended(listener);
}

void inf_token_done(struct inf_token *token)
{
	struct inf_listener *listener = token->listener;

	token->done = true;
	if (!listener->running)
		return; /* still inside the call: listener_task goes on */
	listener->running = false;
	call_ended(listener);
}

static void copy_name(struct inf_listener *listener, struct base_str name)
{
	char *to = (char *)(listener + 1);

	if (name.len > 0)
		memcpy(to, name.ptr, name.len);
	to[name.len] = '\0';
	listener->name = base_str_n(to, name.len);
}

struct inf_listener *inf_listener_new(struct inf_processor *processor,
				      const struct inf_handler *handler, struct base_str name)
{
	const struct base_alloc *alloc = processor->host->alloc;
	struct inf_listener *listener = base_calloc(alloc, 1, sizeof(*listener) + name.len + 1);

	if (listener == NULL)
		return NULL;
	listener->alloc = alloc;
	listener->processor = processor;
	listener->refs = 1;
	listener->id = ++processor->next_id;
	listener->handler = *handler;
	listener->syncing = true; /* I-18 */
	listener->task.run = listener_task;
	listener->task.owner = listener;
	copy_name(listener, name);
	return listener;
}
