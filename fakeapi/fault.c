#include "fakeapi/fault.h"

#include "fakeapi/fault_hook.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Words ---- */

static const struct {
	const char *word;
} target_rows[] = {
#define ROW(id, word) [id] = {word},
	FAKEAPI_FAULT_TARGETS(ROW)
#undef ROW
};

static const struct {
	const char *word, *counts;
} kind_rows[] = {
#define ROW(id, word, counts) [id] = {word, counts},
	FAKEAPI_FAULT_KINDS(ROW)
#undef ROW
};

const char *fakeapi_fault_target_word(enum fakeapi_fault_target target)
{
	return target_rows[target].word;
}

const char *fakeapi_fault_kind_word(enum fakeapi_fault_kind kind)
{
	return kind_rows[kind].word;
}

const char *fakeapi_fault_kind_counts(enum fakeapi_fault_kind kind)
{
	return kind_rows[kind].counts;
}

bool fakeapi_fault_target_of(struct base_str word, enum fakeapi_fault_target *target)
{
	for (size_t i = 0; i < COUNT(target_rows); i++) {
		if (base_str_is(word, target_rows[i].word)) {
			*target = (enum fakeapi_fault_target)i;
			return true;
		}
	}
	return false;
}

bool fakeapi_fault_kind_of(struct base_str word, enum fakeapi_fault_kind *kind)
{
	for (size_t i = 0; i < COUNT(kind_rows); i++) {
		if (base_str_is(word, kind_rows[i].word)) {
			*kind = (enum fakeapi_fault_kind)i;
			return true;
		}
	}
	return false;
}

static const struct {
	const char *word;
	enum fakeapi_h2_code code;
} code_rows[] = {
#define ROW(word, number) {#word, FAKEAPI_H2_##word},
	FAKEAPI_H2_CODES(ROW)
#undef ROW
};

const char *fakeapi_h2_code_word(enum fakeapi_h2_code code)
{
	for (size_t i = 0; i < COUNT(code_rows); i++) {
		if (code_rows[i].code == code)
			return code_rows[i].word;
	}
	return "";
}

bool fakeapi_h2_code_of(struct base_str word, enum fakeapi_h2_code *code)
{
	for (size_t i = 0; i < COUNT(code_rows); i++) {
		if (base_str_is(word, code_rows[i].word)) {
			*code = code_rows[i].code;
			return true;
		}
	}
	return false;
}

const char *fakeapi_verb_word(enum fakeapi_verb verb)
{
	static const char *const words[] = {
		[FAKEAPI_VERB_GET] = "GET",
		[FAKEAPI_VERB_LIST] = "LIST",
		[FAKEAPI_VERB_WATCH] = "WATCH",
		[FAKEAPI_VERB_CREATE] = "CREATE",
		[FAKEAPI_VERB_UPDATE] = "UPDATE",
		[FAKEAPI_VERB_PATCH] = "PATCH",
		[FAKEAPI_VERB_DELETE] = "DELETE",
		[FAKEAPI_VERB_DELETE_COLLECTION] = "DELETECOLLECTION",
		[FAKEAPI_VERB_OTHER] = "OTHER",
	};

	return words[verb];
}

const char *fakeapi_line_type_word(enum fakeapi_line_type type)
{
	static const char *const words[] = {
		[FAKEAPI_LINE_ADDED] = "ADDED",     [FAKEAPI_LINE_MODIFIED] = "MODIFIED",
		[FAKEAPI_LINE_DELETED] = "DELETED", [FAKEAPI_LINE_BOOKMARK] = "BOOKMARK",
		[FAKEAPI_LINE_ERROR] = "ERROR",
	};

	return words[type];
}

/* ---- What fits what ---- */

enum {
	ON_REQUEST = 1,  /* to come, of any verb */
	ON_STREAM = 2,   /* open, target watch */
	ON_OUTAGE = 4,   /* open, also target any */
	ONLY_WATCH = 8,  /* on requests: only watches */
	ONLY_READ = 16,  /* on requests: only those whose answers carry objects */
	IS_MODE = 32,    /* works from the beginning on and never ends by itself */
	IS_VERDICT = 64, /* on requests: there is no handling of the request */
};

static const unsigned kind_flags[] = {
	[FAKEAPI_FAULT_STATUS] = ON_REQUEST | ON_STREAM | IS_VERDICT,
	[FAKEAPI_FAULT_REFUSE] = ON_REQUEST | IS_VERDICT,
	[FAKEAPI_FAULT_RESET] = ON_REQUEST | ON_STREAM | ON_OUTAGE | IS_VERDICT,
	[FAKEAPI_FAULT_EOF] = ON_REQUEST | ON_STREAM | ON_OUTAGE | IS_VERDICT,
	[FAKEAPI_FAULT_CLOSE] = ON_REQUEST | ON_STREAM | ON_OUTAGE,
	[FAKEAPI_FAULT_CUT] = ON_REQUEST | ON_STREAM | ON_OUTAGE,
	[FAKEAPI_FAULT_RST_STREAM] = ON_REQUEST | ON_STREAM | ON_OUTAGE,
	[FAKEAPI_FAULT_GOAWAY] = ON_REQUEST | ON_STREAM | ON_OUTAGE,
	[FAKEAPI_FAULT_STALL] = ON_REQUEST | ON_STREAM | ON_OUTAGE,
	[FAKEAPI_FAULT_HALF_OPEN] = ON_REQUEST | ON_STREAM | ON_OUTAGE,
	[FAKEAPI_FAULT_DRIP] = ON_REQUEST | ON_STREAM | ON_OUTAGE | IS_MODE,
	[FAKEAPI_FAULT_SPLIT] = ON_REQUEST | ON_STREAM | ON_OUTAGE | IS_MODE,
	[FAKEAPI_FAULT_TRUNCATE] = ON_REQUEST | ON_STREAM,
	[FAKEAPI_FAULT_CORRUPT] = ON_REQUEST | ON_STREAM,
	[FAKEAPI_FAULT_CONTENT_TYPE] = ON_REQUEST | IS_MODE,
	[FAKEAPI_FAULT_NO_END_BOOKMARK] = ON_REQUEST | ON_STREAM | ONLY_WATCH | IS_MODE,
	[FAKEAPI_FAULT_NO_BOOKMARKS] = ON_REQUEST | ON_STREAM | ONLY_WATCH | IS_MODE,
	[FAKEAPI_FAULT_FROZEN_BOOKMARKS] = ON_REQUEST | ON_STREAM | ONLY_WATCH | IS_MODE,
	[FAKEAPI_FAULT_SKIP] = ON_REQUEST | ON_STREAM | ONLY_WATCH | IS_MODE,
	[FAKEAPI_FAULT_REPEAT] = ON_REQUEST | ON_STREAM | ONLY_WATCH | IS_MODE,
	[FAKEAPI_FAULT_OLD_DELETE] = ON_REQUEST | ON_STREAM | ONLY_WATCH | IS_MODE,
	[FAKEAPI_FAULT_NO_VERSION] = ON_REQUEST | ON_STREAM | ONLY_READ | IS_MODE,
	[FAKEAPI_FAULT_UNCHUNKED] = ON_REQUEST | ONLY_WATCH | IS_MODE,
	[FAKEAPI_FAULT_UNDECODABLE] = ON_REQUEST | ON_STREAM | ON_OUTAGE | ONLY_READ | IS_MODE,
};

static bool has(enum fakeapi_fault_kind kind, unsigned flag)
{
	return (kind_flags[kind] & flag) != 0;
}

bool fakeapi_fault_makes_sense(enum fakeapi_fault_target target, enum fakeapi_fault_kind kind)
{
	switch (target) {
	case FAKEAPI_TARGET_WATCH: return has(kind, ON_STREAM);
	case FAKEAPI_TARGET_WATCH_OPEN:
	case FAKEAPI_TARGET_WATCH_LIST:
	case FAKEAPI_TARGET_ANY: return has(kind, ON_REQUEST);
	case FAKEAPI_TARGET_LIST:
	case FAKEAPI_TARGET_GET: return has(kind, ON_REQUEST) && !has(kind, ONLY_WATCH);
	case FAKEAPI_TARGET_WRITE:
		return has(kind, ON_REQUEST) && !has(kind, ONLY_WATCH | ONLY_READ);
	case FAKEAPI_TARGET_COUNT: break;
	}
	return false;
}

void fakeapi_fault_defaults(struct fakeapi_fault *fault, enum fakeapi_fault_target target,
			    enum fakeapi_fault_kind kind)
{
	*fault = (struct fakeapi_fault){
		.target = target,
		.kind = kind,
		.retry_after_s = FAKEAPI_NO_RETRY_AFTER,
		.times = kind == FAKEAPI_FAULT_UNDECODABLE ? 0 : 1,
		.code = kind == FAKEAPI_FAULT_RST_STREAM ? FAKEAPI_H2_INTERNAL_ERROR
							 : FAKEAPI_H2_NO_ERROR,
	};
}

static bool target_takes(enum fakeapi_fault_target target, const struct fakeapi_facts *facts)
{
	enum fakeapi_verb verb = facts->verb;

	switch (target) {
	case FAKEAPI_TARGET_LIST: return verb == FAKEAPI_VERB_LIST;
	case FAKEAPI_TARGET_WATCH_OPEN: return verb == FAKEAPI_VERB_WATCH;
	case FAKEAPI_TARGET_WATCH_LIST: return verb == FAKEAPI_VERB_WATCH && facts->initial_events;
	case FAKEAPI_TARGET_GET: return verb == FAKEAPI_VERB_GET;
	case FAKEAPI_TARGET_WRITE:
		return verb >= FAKEAPI_VERB_CREATE && verb <= FAKEAPI_VERB_DELETE_COLLECTION;
	case FAKEAPI_TARGET_ANY: return true;
	case FAKEAPI_TARGET_WATCH:
	case FAKEAPI_TARGET_COUNT: break;
	}
	return false;
}

static bool kind_takes(enum fakeapi_fault_kind kind, const struct fakeapi_facts *facts)
{
	enum fakeapi_verb verb = facts->verb;

	if (has(kind, ONLY_WATCH))
		return verb == FAKEAPI_VERB_WATCH;
	if (has(kind, ONLY_READ))
		return verb == FAKEAPI_VERB_WATCH || verb == FAKEAPI_VERB_LIST ||
		       verb == FAKEAPI_VERB_GET;
	return true;
}

static bool resource_takes(struct base_str wanted, const struct fakeapi_facts *facts)
{
	struct base_str plural, group;
	bool has_group;

	group = base_str_cut(wanted, '.', &plural, &has_group);
	return base_str_eq(plural, facts->resource) &&
	       (!has_group || base_str_eq(group, facts->group));
}

static bool filters_take(const struct fakeapi_fault *fault, const struct fakeapi_facts *facts)
{
	return (fault->client.len == 0 || base_str_eq(fault->client, facts->client)) &&
	       (fault->namespace_.len == 0 || base_str_eq(fault->namespace_, facts->namespace_)) &&
	       (fault->resource.len == 0 || resource_takes(fault->resource, facts));
}

static bool is_used_up(const struct fakeapi_fault_entry *entry)
{
	return entry->fault.times > 0 && entry->hits >= entry->fault.times;
}

static bool entry_takes(const struct fakeapi_fault_entry *entry, const struct fakeapi_facts *facts)
{
	return entry->active && !is_used_up(entry) && target_takes(entry->fault.target, facts) &&
	       kind_takes(entry->fault.kind, facts) && filters_take(&entry->fault, facts);
}

/* ---- The set ---- */

void fakeapi_faults_init(struct fakeapi_faults *faults, const struct base_alloc *alloc,
			 void (*effect)(void *ctx, const struct fakeapi_fault_effect *effect),
			 void *ctx)
{
	*faults = (struct fakeapi_faults){.alloc = alloc, .effect = effect, .ctx = ctx};
	base_heap_init(&faults->untils, alloc);
	base_heap_init(&faults->drips, alloc);
}

static void entry_free(struct fakeapi_faults *faults, struct fakeapi_fault_entry *entry)
{
	if (entry == NULL)
		return;
	base_free(faults->alloc, entry->text);
	base_free(faults->alloc, entry);
}

void fakeapi_faults_release(struct fakeapi_faults *faults)
{
	/* The heaps first: their nodes lie in the entries. */
	base_heap_release(&faults->untils);
	base_heap_release(&faults->drips);
	for (size_t i = 0; i < faults->entry_len; i++)
		entry_free(faults, faults->entries[i]);
	base_free(faults->alloc, faults->entries);
	fakeapi_faults_init(faults, faults->alloc, faults->effect, faults->ctx);
}

void fakeapi_fault_report(struct fakeapi_filter *filter, struct fakeapi_fault_entry *entry,
			  uint64_t count)
{
	struct fakeapi_fault_effect effect = {
		.id = entry->id, .fault = &entry->fault, .facts = filter->facts, .count = count};

	entry->effect += count;
	if (filter->faults->effect != NULL)
		filter->faults->effect(filter->faults->ctx, &effect);
}

static struct fakeapi_fault_entry *entry_new(struct fakeapi_faults *faults,
					     const struct fakeapi_fault *fault)
{
	struct fakeapi_fault_entry *entry = base_calloc(faults->alloc, 1, sizeof(*entry));
	struct base_str *slices[6];
	size_t size = 0;
	char *at;

	if (entry == NULL)
		return NULL;
	entry->fault = *fault;
	slices[0] = &entry->fault.name;
	slices[1] = &entry->fault.client;
	slices[2] = &entry->fault.resource;
	slices[3] = &entry->fault.namespace_;
	slices[4] = &entry->fault.message;
	slices[5] = &entry->fault.content_type;
	for (size_t i = 0; i < COUNT(slices); i++)
		size += slices[i]->len;
	size += fault->object.len;
	at = entry->text = base_malloc(faults->alloc, size);
	if (at == NULL) {
		entry_free(faults, entry);
		return NULL;
	}
	for (size_t i = 0; i < COUNT(slices); i++) {
		if (slices[i]->len > 0)
			memcpy(at, slices[i]->ptr, slices[i]->len);
		slices[i]->ptr = at;
		at += slices[i]->len;
	}
	if (fault->object.len > 0)
		memcpy(at, fault->object.ptr, fault->object.len);
	entry->fault.object.ptr = at;
	entry->active = true;
	return entry;
}

static struct fakeapi_hook *hook_new(struct fakeapi_filter *filter,
				     struct fakeapi_fault_entry *entry)
{
	struct fakeapi_hook *hook = base_calloc(filter->faults->alloc, 1, sizeof(*hook));

	if (hook == NULL)
		return NULL;
	hook->entry = entry;
	hook->off = true; /* until the caller arms it */
	if (filter->hooks_last != NULL)
		filter->hooks_last->next = hook;
	else
		filter->hooks = hook;
	filter->hooks_last = hook;
	return hook;
}

/* ---- Adding: open streams ---- */

static bool stream_is_touched(const struct fakeapi_filter *filter,
			      const struct fakeapi_fault_entry *entry)
{
	const struct fakeapi_fault *fault = &entry->fault;

	if (!filter->is_stream || filter->over || filter->dead || filter->end_held)
		return false;
	if (fault->target != FAKEAPI_TARGET_WATCH &&
	    (fault->target != FAKEAPI_TARGET_ANY || !has(fault->kind, ON_OUTAGE)))
		return false;
	return filters_take(fault, filter->facts);
}

static void arm_on_stream(struct fakeapi_filter *filter, struct fakeapi_hook *hook)
{
	const struct fakeapi_fault *fault = &hook->entry->fault;
	bool breaks = fault->kind == FAKEAPI_FAULT_TRUNCATE || fault->kind == FAKEAPI_FAULT_CORRUPT;

	hook->off = false;
	if (fault->after_events > 0) {
		hook->trigger = FAKEAPI_TRIGGER_EVENTS;
		hook->left = breaks ? fault->after_events - 1 : fault->after_events;
	} else if (fault->after_bytes > 0 && !breaks) {
		hook->trigger = FAKEAPI_TRIGGER_BYTES;
		hook->left = fault->after_bytes;
	} else {
		fakeapi_filter_act_now(filter, hook);
	}
}

/* Hooks for all open streams it touches, so that nothing can fail once something has been done. */
static enum base_code hook_streams(struct fakeapi_faults *faults, struct fakeapi_fault_entry *entry)
{
	for (struct fakeapi_filter *f = faults->filters; f != NULL; f = f->next) {
		if (stream_is_touched(f, entry) && hook_new(f, entry) == NULL)
			return BASE_ENOMEM;
	}
	return BASE_OK;
}

static void unhook_streams(struct fakeapi_faults *faults, const struct fakeapi_fault_entry *entry)
{
	for (struct fakeapi_filter *f = faults->filters; f != NULL; f = f->next) {
		struct fakeapi_hook *last = NULL;

		if (f->hooks_last == NULL || f->hooks_last->entry != entry)
			continue;
		for (struct fakeapi_hook *h = f->hooks; h != f->hooks_last; h = h->next)
			last = h;
		base_free(faults->alloc, f->hooks_last);
		f->hooks_last = last;
		if (last != NULL)
			last->next = NULL;
		else
			f->hooks = NULL;
	}
}

static void touch_streams(struct fakeapi_faults *faults, struct fakeapi_fault_entry *entry)
{
	for (struct fakeapi_filter *f = faults->filters; f != NULL; f = f->next) {
		struct fakeapi_hook *hook = f->hooks_last;

		if (hook == NULL || hook->entry != entry)
			continue;
		if (entry->fault.target == FAKEAPI_TARGET_ANY && is_used_up(entry))
			continue;
		entry->hits++;
		arm_on_stream(f, hook);
	}
}

static enum base_code register_entry(struct fakeapi_faults *faults,
				     struct fakeapi_fault_entry *entry)
{
	if (faults->entry_len == faults->entry_cap) {
		size_t cap = faults->entry_cap == 0 ? 8 : faults->entry_cap * 2;
		struct fakeapi_fault_entry **grown = base_realloc(
			faults->alloc, faults->entries, cap * sizeof(struct fakeapi_fault_entry *));

		if (grown == NULL)
			return BASE_ENOMEM;
		faults->entries = grown;
		faults->entry_cap = cap;
	}
	if (hook_streams(faults, entry) != BASE_OK)
		goto undo;
	if (entry->fault.until_ns > 0 &&
	    base_heap_push(&faults->untils, &entry->until, entry->fault.until_ns) != BASE_OK)
		goto undo;
	faults->entries[faults->entry_len++] = entry;
	entry->id = faults->entry_len;
	return BASE_OK;
undo:
	unhook_streams(faults, entry);
	return BASE_ENOMEM;
}

enum base_code fakeapi_faults_add(struct fakeapi_faults *faults, const struct fakeapi_fault *fault,
				  uint64_t *id, struct base_error *error)
{
	struct fakeapi_fault_entry *entry;

	if (!fakeapi_fault_makes_sense(fault->target, fault->kind))
		return base_fail(error, BASE_EINVAL, "%s cannot happen to %s",
				 fakeapi_fault_kind_word(fault->kind),
				 fakeapi_fault_target_word(fault->target));
	if (fault->kind == FAKEAPI_FAULT_STATUS && (fault->status < 100 || fault->status > 999))
		return base_fail(error, BASE_EINVAL, "%d is no HTTP status", fault->status);
	entry = entry_new(faults, fault);
	if (entry == NULL || register_entry(faults, entry) != BASE_OK) {
		entry_free(faults, entry);
		return base_fail(error, BASE_ENOMEM, "adding a fault");
	}
	if (id != NULL)
		*id = entry->id;
	touch_streams(faults, entry);
	if (fault->target == FAKEAPI_TARGET_WATCH)
		entry->fault.times = entry->hits > 0 ? entry->hits : 1;
	return BASE_OK;
}

static void heal_entry(struct fakeapi_faults *faults, struct fakeapi_fault_entry *entry)
{
	entry->active = false;
	if (base_heap_has(&entry->until))
		base_heap_remove(&faults->untils, &entry->until);
	for (struct fakeapi_filter *f = faults->filters; f != NULL; f = f->next)
		fakeapi_filter_heal(f, entry);
}

size_t fakeapi_faults_heal(struct fakeapi_faults *faults, struct base_str name)
{
	size_t count = 0;

	for (size_t i = 0; i < faults->entry_len; i++) {
		struct fakeapi_fault_entry *entry = faults->entries[i];

		if (!entry->active || (name.len > 0 && !base_str_eq(name, entry->fault.name)))
			continue;
		heal_entry(faults, entry);
		count++;
	}
	return count;
}

/* ---- Time ---- */

uint64_t fakeapi_faults_next_ns(const struct fakeapi_faults *faults)
{
	const struct base_heap_node *until = base_heap_peek(&faults->untils);
	const struct base_heap_node *drip = base_heap_peek(&faults->drips);
	uint64_t next = UINT64_MAX;

	if (until != NULL)
		next = until->at_ns;
	if (drip != NULL && drip->at_ns < next)
		next = drip->at_ns;
	return next;
}

void fakeapi_faults_advance(struct fakeapi_faults *faults, uint64_t now_ns)
{
	struct base_heap_node *node;

	faults->now_ns = now_ns;
	while ((node = base_heap_peek(&faults->untils)) != NULL && node->at_ns <= now_ns) {
		(void)base_heap_pop(&faults->untils);
		heal_entry(faults, BASE_CONTAINER(node, struct fakeapi_fault_entry, until));
	}
	while ((node = base_heap_peek(&faults->drips)) != NULL && node->at_ns <= now_ns) {
		(void)base_heap_pop(&faults->drips);
		fakeapi_filter_drip(BASE_CONTAINER(node, struct fakeapi_filter, drip_timer));
	}
}

enum base_code fakeapi_faults_counts(const struct fakeapi_faults *faults, uint64_t id,
				     struct fakeapi_fault_counts *counts)
{
	const struct fakeapi_fault_entry *entry;

	if (id == 0 || id > faults->entry_len)
		return BASE_ENOENT;
	entry = faults->entries[id - 1];
	*counts = (struct fakeapi_fault_counts){.hits = entry->hits,
						.effect = entry->effect,
						.active = entry->active && !is_used_up(entry)};
	return BASE_OK;
}

const struct fakeapi_fault *fakeapi_faults_peek(const struct fakeapi_faults *faults, uint64_t id)
{
	return id == 0 || id > faults->entry_len ? NULL : &faults->entries[id - 1]->fault;
}

size_t fakeapi_faults_count(const struct fakeapi_faults *faults)
{
	return faults->entry_len;
}

/* ---- Beginning an exchange ---- */

bool fakeapi_faults_refuses(struct fakeapi_faults *faults, const struct fakeapi_facts *facts)
{
	struct fakeapi_filter none = {.faults = faults, .facts = facts};

	for (size_t i = 0; i < faults->entry_len; i++) {
		struct fakeapi_fault_entry *entry = faults->entries[i];

		if (entry->fault.kind != FAKEAPI_FAULT_REFUSE || !entry_takes(entry, facts))
			continue;
		entry->hits++;
		fakeapi_fault_report(&none, entry, 1);
		return true;
	}
	return false;
}

static bool acts_later(const struct fakeapi_fault *fault)
{
	return fault->after_bytes > 0 || fault->after_events > 0;
}

static void arm_on_request(struct fakeapi_filter *filter, struct fakeapi_hook *hook)
{
	const struct fakeapi_fault *fault = &hook->entry->fault;
	bool breaks = fault->kind == FAKEAPI_FAULT_TRUNCATE || fault->kind == FAKEAPI_FAULT_CORRUPT;

	hook->off = false;
	if (has(fault->kind, IS_MODE)) {
		fakeapi_filter_act_now(filter, hook);
	} else if (fault->after_events > 0 ||
		   (breaks && filter->facts->verb == FAKEAPI_VERB_WATCH)) {
		hook->trigger = FAKEAPI_TRIGGER_EVENTS;
		hook->left = fault->after_events;
	} else if ((fault->kind == FAKEAPI_FAULT_STALL || fault->kind == FAKEAPI_FAULT_GOAWAY) &&
		   fault->after_bytes == 0) {
		fakeapi_filter_act_now(filter, hook); /* before the head */
	} else {
		hook->trigger = FAKEAPI_TRIGGER_BYTES;
		hook->left = breaks ? 0 : fault->after_bytes;
	}
}

static enum fakeapi_verdict give_verdict(struct fakeapi_filter *filter, struct fakeapi_hook *hook)
{
	const struct fakeapi_fault *fault = &hook->entry->fault;

	if (fault->kind == FAKEAPI_FAULT_HALF_OPEN) {
		fakeapi_filter_die(filter, hook);
		return FAKEAPI_VERDICT_DEAD;
	}
	if (fault->kind == FAKEAPI_FAULT_STATUS) {
		hook->trigger = FAKEAPI_TRIGGER_DONE;
		fakeapi_fault_report(filter, hook->entry, 1);
		fakeapi_fault_answer(filter, fault);
		return FAKEAPI_VERDICT_ANSWERED;
	}
	fakeapi_filter_act_now(filter, hook);
	return FAKEAPI_VERDICT_ENDED;
}

static bool is_verdict(const struct fakeapi_fault *fault)
{
	const bool ends =
		fault->kind == FAKEAPI_FAULT_HALF_OPEN || fault->kind == FAKEAPI_FAULT_RST_STREAM ||
		(fault->kind == FAKEAPI_FAULT_GOAWAY && fault->code != FAKEAPI_H2_NO_ERROR);

	return has(fault->kind, IS_VERDICT) || (ends && !acts_later(fault));
}

static void join(struct fakeapi_filter *filter)
{
	struct fakeapi_faults *faults = filter->faults;

	filter->prev = faults->filters_last;
	if (faults->filters_last != NULL)
		faults->filters_last->next = filter;
	else
		faults->filters = filter;
	faults->filters_last = filter;
}

static void free_hooks(struct fakeapi_filter *filter)
{
	while (filter->hooks != NULL) {
		struct fakeapi_hook *next = filter->hooks->next;

		base_free(filter->faults->alloc, filter->hooks);
		filter->hooks = next;
	}
	filter->hooks_last = NULL;
}

/* Hooks for all faults that want the request, up to the first that gives a verdict. */
static enum base_code hook_request(struct fakeapi_filter *filter)
{
	struct fakeapi_faults *faults = filter->faults;

	for (size_t i = 0; i < faults->entry_len; i++) {
		struct fakeapi_fault_entry *entry = faults->entries[i];

		if (!entry_takes(entry, filter->facts))
			continue;
		if (hook_new(filter, entry) == NULL)
			return BASE_ENOMEM;
		if (is_verdict(&entry->fault))
			break;
	}
	return BASE_OK;
}

enum base_code fakeapi_filter_begin(struct fakeapi_filter *filter, struct fakeapi_faults *faults,
				    const struct fakeapi_facts *facts,
				    const struct fakeapi_out *out, enum fakeapi_verdict *verdict)
{
	struct fakeapi_hook *deciding = NULL;

	*filter = (struct fakeapi_filter){.faults = faults, .facts = facts, .out = *out};
	base_buf_init(&filter->held, faults->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&filter->scratch, faults->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&filter->frozen_rv, faults->alloc, BASE_BUF_MAX_DEFAULT);
	if (hook_request(filter) != BASE_OK) {
		free_hooks(filter);
		return BASE_ENOMEM;
	}
	join(filter);
	*verdict = FAKEAPI_VERDICT_PASS;
	for (struct fakeapi_hook *h = filter->hooks; h != NULL; h = h->next) {
		h->entry->hits++;
		if (is_verdict(&h->entry->fault)) {
			h->off = false;
			deciding = h;
		} else {
			arm_on_request(filter, h);
		}
	}
	if (deciding != NULL)
		*verdict = give_verdict(filter, deciding);
	return BASE_OK;
}

void fakeapi_filter_release(struct fakeapi_filter *filter)
{
	struct fakeapi_faults *faults = filter->faults;

	if (faults == NULL)
		return;
	if (base_heap_has(&filter->drip_timer))
		base_heap_remove(&faults->drips, &filter->drip_timer);
	if (filter->prev != NULL)
		filter->prev->next = filter->next;
	else
		faults->filters = filter->next;
	if (filter->next != NULL)
		filter->next->prev = filter->prev;
	else
		faults->filters_last = filter->prev;
	free_hooks(filter);
	base_free(faults->alloc, filter->head_held);
	base_buf_release(&filter->held);
	base_buf_release(&filter->scratch);
	base_buf_release(&filter->frozen_rv);
	filter->faults = NULL;
	filter->over = true;
}
