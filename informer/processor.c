#include "informer/processor.h"

#include "informer/host.h"

#define LISTENERS_FIRST 4

void inf_processor_init(struct inf_processor *processor, const struct inf_host *host,
			struct inf_signal *synced)
{
	memset(processor, 0, sizeof(*processor));
	processor->host = host;
	processor->synced = synced;
}

void inf_processor_close(struct inf_processor *processor)
{
	for (size_t i = 0; i < processor->count; i++)
		inf_listener_close(processor->listeners[i]);
}

void inf_processor_release(struct inf_processor *processor)
{
	if (processor->host == NULL)
		return;
	for (size_t i = 0; i < processor->count; i++) {
		inf_listener_detach(processor->listeners[i]);
		inf_listener_unref(processor->listeners[i]);
	}
	base_free(processor->host->alloc, processor->listeners);
	memset(processor, 0, sizeof(*processor));
}

/* ---- Registrations ---- */

struct inf_listener *inf_processor_add(struct inf_processor *processor,
				       const struct inf_handler *handler, struct base_str name)
{
	struct inf_listener *listener;

	if (processor->count == processor->cap) {
		size_t cap = processor->cap > 0 ? processor->cap * 2 : LISTENERS_FIRST;
		struct inf_listener **listeners = base_realloc(
			processor->host->alloc, processor->listeners, cap * sizeof(listeners[0]));

		if (listeners == NULL)
			return NULL;
		processor->listeners = listeners;
		processor->cap = cap;
	}
	listener = inf_listener_new(processor, handler, name);
	if (listener != NULL)
		processor->listeners[processor->count++] = listener;
	return listener;
}

static void erase(struct inf_processor *processor, struct inf_listener *listener)
{
	size_t at = 0;

	while (processor->listeners[at] != listener)
		at++;
	processor->count--;
	memmove(processor->listeners + at, processor->listeners + at + 1,
		(processor->count - at) * sizeof(processor->listeners[0]));
	inf_listener_detach(listener);
	inf_listener_unref(listener);
}

void inf_processor_remove(struct inf_processor *processor, struct inf_listener *listener)
{
	listener->removed = true;
	inf_listener_close(listener);
	if (!listener->calling && !listener->running)
		erase(processor, listener);
}

void inf_processor_call_ended(struct inf_processor *processor, struct inf_listener *listener)
{
	processor->calls--;
	if (listener->removed)
		erase(processor, listener);
	if (processor->on_call_ended != NULL)
		processor->on_call_ended(processor->self);
}

struct inf_listener *inf_processor_find(const struct inf_processor *processor, uint64_t id)
{
	for (size_t i = 0; i < processor->count; i++)
		if (processor->listeners[i]->id == id && !processor->listeners[i]->removed)
			return processor->listeners[i];
	return NULL;
}

/* ---- Distribution (I-17 to I-19) ---- */

bool inf_is_sync(const struct inf_object *old_object, const struct inf_object *new_object)
{
	return inf_object_has_metadata(old_object) && inf_object_has_metadata(new_object) &&
	       base_str_eq(inf_object_rv(old_object), inf_object_rv(new_object));
}

static enum base_code changes_reserve(void *self, size_t count)
{
	struct inf_processor *processor = self;

	for (size_t i = 0; i < processor->count; i++) {
		struct inf_listener *listener = processor->listeners[i];

		if (!listener->removed && inf_listener_reserve(listener, count) != BASE_OK)
			return BASE_ENOMEM;
	}
	return BASE_OK;
}

static void distribute(struct inf_processor *processor, const struct inf_notification *note,
		       bool sync)
{
	for (size_t i = 0; i < processor->count; i++) {
		struct inf_listener *listener = processor->listeners[i];

		if (!listener->removed && (!sync || listener->syncing))
			inf_listener_push(listener, note);
	}
}

static void changes_add(void *self, struct inf_object *object, bool initial)
{
	const struct inf_notification note = {
		.kind = INF_NOTE_ADD, .object = object, .initial = initial};

	distribute(self, &note, false);
}

static void changes_update(void *self, struct inf_object *old_object, struct inf_object *new_object)
{
	const struct inf_notification note = {
		.kind = INF_NOTE_UPDATE, .object = new_object, .old_object = old_object};

	distribute(self, &note, inf_is_sync(old_object, new_object));
}

static void changes_delete(void *self, struct inf_object *object, bool tombstone,
			   struct inf_payload *payload)
{
	const struct inf_notification note = {.kind = INF_NOTE_DELETE,
					      .object = object,
					      .tombstone = tombstone,
					      .payload = payload};

	distribute(self, &note, false);
}

struct inf_changes inf_processor_changes(struct inf_processor *processor)
{
	return (struct inf_changes){.self = processor,
				    .reserve = changes_reserve,
				    .add = changes_add,
				    .update = changes_update,
				    .del = changes_delete};
}

/* ---- Resync ---- */

uint64_t inf_resync_effective(uint64_t desired_ns, uint64_t check_ns, bool *warn)
{
	*warn = false;
	if (desired_ns == 0)
		return 0;
	if (check_ns == 0 || desired_ns < check_ns) {
		*warn = true;
		return check_ns;
	}
	return desired_ns;
}

bool inf_processor_should_resync(struct inf_processor *processor, uint64_t now_ns)
{
	bool any = false;

	for (size_t i = 0; i < processor->count; i++) {
		struct inf_listener *listener = processor->listeners[i];
		bool due = listener->resync_ns != 0 && now_ns >= listener->next_resync_ns;

		if (listener->removed)
			continue;
		listener->syncing = due;
		if (due)
			listener->next_resync_ns = now_ns + listener->resync_ns;
		any = any || due;
	}
	return any;
}

size_t inf_processor_backlog(const struct inf_processor *processor)
{
	size_t backlog = 0;

	for (size_t i = 0; i < processor->count; i++)
		backlog += processor->listeners[i]->len;
	return backlog;
}
