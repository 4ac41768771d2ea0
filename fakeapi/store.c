#include "fakeapi/store.h"

#include "fakeapi/selector.h"

#define OBJECT_BYTES_MAX ((size_t)64 << 20)

void fakeapi_store_init(struct fakeapi_store *store, const struct base_alloc *alloc,
			uint64_t first_revision)
{
	*store = (struct fakeapi_store){
		.alloc = alloc, .revision = first_revision, .period_rv = first_revision};
}

static void events_drop(const struct base_alloc *alloc, struct fakeapi_log_event *events,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fakeapi_object_unref(alloc, events[i].object);
		fakeapi_object_unref(alloc, events[i].old);
	}
}

static void view_drop(const struct base_alloc *alloc, struct fakeapi_table *table)
{
	for (size_t i = 0; i < table->view_len; i++)
		fakeapi_object_unref(alloc, table->view[i]);
	base_free(alloc, table->view);
	table->view = NULL;
	table->view_len = 0;
}

static void table_free(const struct base_alloc *alloc, struct fakeapi_table *table)
{
	view_drop(alloc, table);
	for (size_t i = 0; i < table->object_len; i++)
		fakeapi_object_unref(alloc, table->objects[i]);
	events_drop(alloc, table->log, table->log_len);
	base_free(alloc, table->objects);
	base_free(alloc, table->log);
	base_free(alloc, table);
}

void fakeapi_store_release(struct fakeapi_store *store)
{
	for (size_t i = 0; i < store->table_len; i++)
		table_free(store->alloc, store->tables[i]);
	base_free(store->alloc, store->tables);
	store->tables = NULL;
	store->table_len = store->table_cap = 0;
}

/* Room for one more element. */
static bool grow(const struct base_alloc *alloc, void **array, size_t len, size_t *cap, size_t size)
{
	if (len < *cap)
		return true;
	size_t wanted = *cap == 0 ? 8 : *cap * 2;
	void *bigger = base_realloc(alloc, *array, wanted * size);
	if (bigger == NULL)
		return false;
	*array = bigger;
	*cap = wanted;
	return true;
}

static struct fakeapi_table *table_find(const struct fakeapi_store *store,
					const struct fakeapi_resource *resource)
{
	resource = fakeapi_resource_storage(resource);
	for (size_t i = 0; i < store->table_len; i++)
		if (store->tables[i]->resource == resource)
			return store->tables[i];
	return NULL;
}

struct fakeapi_table *fakeapi_store_table(struct fakeapi_store *store,
					  const struct fakeapi_resource *resource)
{
	struct fakeapi_table *table = table_find(store, resource);
	if (table != NULL)
		return table;
	void *tables = store->tables;
	if (!grow(store->alloc, &tables, store->table_len, &store->table_cap, sizeof(table)))
		return NULL;
	store->tables = tables;
	table = base_calloc(store->alloc, 1, sizeof *table);
	if (table == NULL)
		return NULL;
	table->resource = fakeapi_resource_storage(resource);
	/* Nothing happened to this resource so far, so its history is whole. */
	table->pruned_rv = 0;
	table->keep_rv = 0; /* until a watch cache says what it wants */
	store->tables[store->table_len++] = table;
	return table;
}

size_t fakeapi_table_from(struct fakeapi_object *const *objects, size_t count, struct base_str key)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (base_str_cmp(objects[middle]->key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t fakeapi_table_after(const struct fakeapi_table *table, uint64_t rv)
{
	size_t low = 0, high = table->log_len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (table->log[middle].rv <= rv)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool table_has(const struct fakeapi_table *table, struct base_str key, size_t *at)
{
	*at = fakeapi_table_from(table->objects, table->object_len, key);
	return *at < table->object_len && base_str_eq(table->objects[*at]->key, key);
}

struct fakeapi_object *fakeapi_store_get(const struct fakeapi_store *store,
					 const struct fakeapi_resource *resource,
					 struct base_str key)
{
	struct fakeapi_table *table = table_find(store, resource);
	size_t at;
	if (table == NULL || !table_has(table, key, &at))
		return NULL;
	return table->objects[at];
}

/* ---- Objects ---- */

struct fakeapi_object *fakeapi_object_ref(struct fakeapi_object *object)
{
	if (object != NULL)
		object->refs++;
	return object;
}

void fakeapi_object_unref(const struct base_alloc *alloc, struct fakeapi_object *object)
{
	if (object != NULL && --object->refs == 0)
		base_free(alloc, object);
}

static struct base_str text_member(struct base_str metadata, const char *name)
{
	struct base_str text = {0};
	base_json_plain_text(base_json_get(metadata, base_str(name)), &text);
	return text;
}

/* Behind {"kind":"X","apiVersion":"Y", when the bytes begin like that; else empty. */
static struct base_str tail_of(struct base_str bytes)
{
	struct base_json_iter it;
	base_json_iter_init(&it, bytes);
	if (!base_json_iter_next(&it) || !base_str_is(it.key, "kind") ||
	    !base_json_iter_next(&it) || !base_str_is(it.key, "apiVersion") ||
	    !base_json_iter_next(&it))
		return (struct base_str){0};
	const char *start = it.key.ptr - 1;
	return base_str_n(start, (size_t)(bytes.ptr + bytes.len - start));
}

/* One block: the struct, the JSON, the key. */
static struct fakeapi_object *object_new(const struct base_alloc *alloc, struct base_str bytes,
					 uint64_t rv, bool custom)
{
	struct base_str metadata = base_json_get(bytes, BASE_STR("metadata"));
	struct base_str name = text_member(metadata, "name");
	struct base_str namespace_ = text_member(metadata, "namespace");
	struct fakeapi_object *object =
		base_malloc(alloc, sizeof *object + bytes.len + name.len + namespace_.len + 3);
	if (object == NULL)
		return NULL;
	char *text = (char *)(object + 1);
	memcpy(text, bytes.ptr, bytes.len);
	text[bytes.len] = '\0';
	char *key = text + bytes.len + 1;
	size_t key_len = 0;
	if (namespace_.len != 0) {
		memcpy(key, namespace_.ptr, namespace_.len);
		key[namespace_.len] = '/';
		key_len = namespace_.len + 1;
	}
	memcpy(key + key_len, name.ptr, name.len);
	key_len += name.len;
	key[key_len] = '\0';
	*object =
		(struct fakeapi_object){.rv = rv, .refs = 1, .bytes = base_str_n(text, bytes.len)};
	object->key = base_str_n(key, key_len);
	object->namespace_ = base_str_n(key, namespace_.len);
	object->name = base_str_n(key + key_len - name.len, name.len);
	object->uid = text_member(base_json_get(object->bytes, BASE_STR("metadata")), "uid");
	object->tail = custom ? (struct base_str){0} : tail_of(object->bytes);
	return object;
}

struct fakeapi_object *fakeapi_object_like(const struct base_alloc *alloc,
					   const struct fakeapi_object *object,
					   struct base_str bytes)
{
	return object_new(alloc, bytes, object->rv, object->tail.len == 0);
}

static enum base_code object_stamped(struct fakeapi_store *store,
				     const struct fakeapi_resource *resource, struct base_str bytes,
				     struct fakeapi_object **out)
{
	struct base_str name = text_member(base_json_get(bytes, BASE_STR("metadata")), "name");
	if (name.len == 0)
		return BASE_EINVAL;
	struct base_buf stamped;
	base_buf_init(&stamped, store->alloc, OBJECT_BYTES_MAX);
	enum base_code code = fakeapi_object_with_rv(bytes, store->revision + 1, &stamped);
	if (code == BASE_OK) {
		*out = object_new(store->alloc, base_buf_peek(&stamped), store->revision + 1,
				  resource->custom);
		code = *out == NULL ? BASE_ENOMEM : BASE_OK;
	}
	base_buf_release(&stamped);
	return code;
}

/* ---- Writes ---- */

static void revision_take(struct fakeapi_store *store)
{
	uint64_t period = store->progress_ns != 0 ? store->now_ns / store->progress_ns : 0;
	if (period != store->period) {
		store->period = period;
		store->period_rv = store->revision;
	}
	store->revision++;
}

void fakeapi_store_skip(struct fakeapi_store *store)
{
	revision_take(store);
}

uint64_t fakeapi_store_progress(const struct fakeapi_store *store)
{
	if (store->progress_ns == 0)
		return 0;
	uint64_t period = store->now_ns / store->progress_ns;
	return period == store->period ? store->period_rv : store->revision;
}

/* Room in the log has been made. Takes over both references. */
static void log_event(struct fakeapi_store *store, struct fakeapi_table *table,
		      struct fakeapi_object *object, struct fakeapi_object *old)
{
	revision_take(store);
	struct fakeapi_log_event *event = &table->log[table->log_len++];
	*event = (struct fakeapi_log_event){
		.rv = store->revision, .at_ns = store->now_ns, .object = object, .old = old};
	if (store->written != NULL) {
		struct fakeapi_log_event copy = *event;
		store->written(store->ctx, table, &copy);
	}
}

static bool room_make(struct fakeapi_store *store, struct fakeapi_table *table)
{
	void *log = table->log;
	bool ok = grow(store->alloc, &log, table->log_len, &table->log_cap, sizeof *table->log);
	table->log = log;
	void *objects = table->objects;
	ok = ok && grow(store->alloc, &objects, table->object_len, &table->object_cap,
			sizeof *table->objects);
	table->objects = objects;
	return ok;
}

enum base_code fakeapi_store_put(struct fakeapi_store *store,
				 const struct fakeapi_resource *resource, struct base_str object,
				 struct fakeapi_object **stored)
{
	struct fakeapi_table *table = fakeapi_store_table(store, resource);
	if (table == NULL || !room_make(store, table))
		return BASE_ENOMEM;
	struct fakeapi_object *made = NULL;
	enum base_code code = object_stamped(store, resource, object, &made);
	if (code != BASE_OK)
		return code;
	struct fakeapi_object *old = NULL;
	size_t at;
	if (table_has(table, made->key, &at)) {
		old = table->objects[at]; /* the table's reference goes to the log */
	} else {
		memmove(table->objects + at + 1, table->objects + at,
			(table->object_len - at) * sizeof *table->objects);
		table->object_len++;
	}
	table->objects[at] = made;
	if (stored != NULL)
		*stored = made;
	log_event(store, table, fakeapi_object_ref(made), old);
	return BASE_OK;
}

enum base_code fakeapi_store_delete(struct fakeapi_store *store,
				    const struct fakeapi_resource *resource, struct base_str key,
				    uint64_t *rv)
{
	struct fakeapi_table *table = table_find(store, resource);
	size_t at;
	if (table == NULL || !table_has(table, key, &at))
		return BASE_ENOENT;
	if (!room_make(store, table))
		return BASE_ENOMEM;
	struct fakeapi_object *old = table->objects[at];
	table->object_len--;
	memmove(table->objects + at, table->objects + at + 1,
		(table->object_len - at) * sizeof *table->objects);
	log_event(store, table, NULL, old);
	if (rv != NULL)
		*rv = store->revision;
	return BASE_OK;
}

/* ---- History ---- */

void fakeapi_store_prune(struct fakeapi_store *store, struct fakeapi_table *table)
{
	uint64_t rv = store->compacted < table->keep_rv ? store->compacted : table->keep_rv;
	size_t count = fakeapi_table_after(table, rv);
	if (rv <= table->pruned_rv)
		return;
	table->pruned_rv = rv;
	if (table->view != NULL && table->view_rv < rv)
		view_drop(store->alloc, table);
	if (count == 0)
		return;
	events_drop(store->alloc, table->log, count);
	memmove(table->log, table->log + count, (table->log_len - count) * sizeof *table->log);
	table->log_len -= count;
}

enum base_code fakeapi_store_compact(struct fakeapi_store *store, uint64_t rv)
{
	if (rv > store->revision)
		return BASE_EINVAL;
	if (rv <= store->compacted)
		return BASE_OK;
	store->compacted = rv;
	for (size_t i = 0; i < store->table_len; i++)
		fakeapi_store_prune(store, store->tables[i]);
	return BASE_OK;
}

/* Takes one event back out of a state. The array has room for all that may come back. */
static void undo(struct fakeapi_object **objects, size_t *count,
		 const struct fakeapi_log_event *event)
{
	struct base_str key = event->object != NULL ? event->object->key : event->old->key;
	size_t at = fakeapi_table_from(objects, *count, key);
	if (event->object == NULL) {
		memmove(objects + at + 1, objects + at, (*count - at) * sizeof *objects);
		(*count)++;
	}
	if (event->old != NULL) {
		objects[at] = event->old;
		return;
	}
	(*count)--;
	memmove(objects + at, objects + at + 1, (*count - at) * sizeof *objects);
}

enum base_code fakeapi_table_at(const struct fakeapi_store *store,
				const struct fakeapi_table *table, uint64_t rv,
				struct fakeapi_object ***objects, size_t *count)
{
	if (rv < table->pruned_rv)
		return BASE_ENOENT;
	size_t from = fakeapi_table_after(table, rv), deleted = 0;
	for (size_t i = from; i < table->log_len; i++)
		deleted += table->log[i].object == NULL;
	struct fakeapi_object **state =
		base_calloc(store->alloc, table->object_len + deleted + 1, sizeof(*state));
	if (state == NULL)
		return BASE_ENOMEM;
	*count = table->object_len;
	if (*count != 0)
		memcpy(state, table->objects, *count * sizeof(*state));
	for (size_t i = table->log_len; i > from; i--)
		undo(state, count, &table->log[i - 1]);
	*objects = state;
	return BASE_OK;
}

void fakeapi_table_forget(const struct fakeapi_store *store, struct fakeapi_table *table)
{
	view_drop(store->alloc, table);
}

enum base_code fakeapi_table_state(const struct fakeapi_store *store, struct fakeapi_table *table,
				   uint64_t rv, struct fakeapi_object *const **objects,
				   size_t *count)
{
	if (rv < table->pruned_rv)
		return BASE_ENOENT;
	if (fakeapi_table_after(table, rv) == table->log_len) { /* the present one */
		*objects = table->objects;
		*count = table->object_len;
		return BASE_OK;
	}
	if (table->view == NULL || table->view_rv != rv) {
		struct fakeapi_object **state;
		size_t len;
		enum base_code code = fakeapi_table_at(store, table, rv, &state, &len);
		if (code != BASE_OK)
			return code;
		for (size_t i = 0; i < len; i++)
			fakeapi_object_ref(state[i]);
		view_drop(store->alloc, table);
		table->view = state;
		table->view_len = len;
		table->view_rv = rv;
	}
	*objects = table->view;
	*count = table->view_len;
	return BASE_OK;
}

size_t fakeapi_table_behind(struct fakeapi_object *const *objects, size_t count,
			    struct base_str prefix)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (base_str_cmp(base_str_take(objects[middle]->key, prefix.len), prefix) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
