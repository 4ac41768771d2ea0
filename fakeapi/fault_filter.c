/* The way of one answer through the faults at work on it. */
#include "base/json.h"
#include "fakeapi/fault_hook.h"

/* What a garbled or truncated line is made of when a stream is touched at once. */
static const char sample_line[] =
	"{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Bookmark\",\"apiVersion\":\"v1\","
	"\"metadata\":{\"resourceVersion\":\"1\"}}}\n";

#define DRIP_EVERY_DEFAULT_NS UINT64_C(1000000000)

/* ---- The last step: to the writer ---- */

static void leave_timer(struct fakeapi_filter *filter)
{
	if (base_heap_has(&filter->drip_timer))
		base_heap_remove(&filter->faults->drips, &filter->drip_timer);
}

void fakeapi_filter_abort(struct fakeapi_filter *filter, enum fakeapi_abort how)
{
	if (filter->over || filter->dead)
		return;
	filter->over = true;
	leave_timer(filter);
	filter->out.abort(filter->out.self, how);
}

static void put_end(struct fakeapi_filter *filter)
{
	filter->over = true;
	leave_timer(filter);
	if (filter->out.end(filter->out.self) != BASE_OK)
		filter->out.abort(filter->out.self, FAKEAPI_ABORT_RESET);
}

static void check(struct fakeapi_filter *filter, enum base_code code)
{
	if (code != BASE_OK)
		fakeapi_filter_abort(filter, FAKEAPI_ABORT_RESET);
}

static uint64_t piece_size(const struct fakeapi_hook *hook)
{
	return hook->entry->fault.piece_bytes > 0 ? hook->entry->fault.piece_bytes : 1;
}

static struct fakeapi_hook *find_mode(const struct fakeapi_filter *filter,
				      enum fakeapi_fault_kind kind)
{
	for (struct fakeapi_hook *h = filter->hooks; h != NULL; h = h->next) {
		if (h->entry->fault.kind == kind && !h->off && h->trigger == FAKEAPI_TRIGGER_DONE)
			return h;
	}
	return NULL;
}

/* Body bytes that nothing holds back any more. */
static void put_body(struct fakeapi_filter *filter, const char *ptr, size_t len)
{
	struct fakeapi_hook *split = find_mode(filter, FAKEAPI_FAULT_SPLIT);
	uint64_t pieces = 0;

	while (len > 0 && !filter->over) {
		size_t part = len;

		if (split != NULL && piece_size(split) < len)
			part = (size_t)piece_size(split);
		check(filter, filter->out.body(filter->out.self, ptr, part));
		ptr += part;
		len -= part;
		pieces++;
	}
	if (split != NULL && pieces > 1)
		fakeapi_fault_report(filter, split->entry, pieces);
}

/* ---- Holding back ---- */

static size_t held_len(const struct fakeapi_filter *filter)
{
	return filter->held.len - filter->held_from;
}

static bool must_wait(const struct fakeapi_filter *filter)
{
	return filter->stalls > 0 || filter->drip != NULL || held_len(filter) > 0 ||
	       filter->head_held != NULL;
}

static void take_held(struct fakeapi_filter *filter, size_t len)
{
	size_t from = filter->held_from;

	filter->held_from += len;
	put_body(filter, filter->held.ptr + from, len);
	if (held_len(filter) == 0) {
		base_buf_clear(&filter->held);
		filter->held_from = 0;
	}
}

/* One piece now, and the timer for the next one; the timer runs out when nothing waits. */
void fakeapi_filter_drip(struct fakeapi_filter *filter)
{
	const struct fakeapi_hook *hook = filter->drip;
	uint64_t every;
	size_t len;

	if (hook == NULL || filter->over || filter->dead || filter->stalls > 0)
		return;
	len = held_len(filter);
	if (len == 0) {
		if (filter->end_held)
			put_end(filter);
		return;
	}
	if (len > piece_size(hook))
		len = (size_t)piece_size(hook);
	take_held(filter, len);
	if (filter->over)
		return;
	every = hook->entry->fault.every_ns > 0 ? hook->entry->fault.every_ns
						: DRIP_EVERY_DEFAULT_NS;
	fakeapi_fault_report(filter, hook->entry, 1);
	check(filter, base_heap_push(&filter->faults->drips, &filter->drip_timer,
				     filter->faults->now_ns + every));
}

static void put_held_head(struct fakeapi_filter *filter)
{
	struct fakeapi_head *head = filter->head_held;

	if (head == NULL)
		return;
	filter->head_held = NULL;
	check(filter, filter->out.head(filter->out.self, head));
	base_free(filter->faults->alloc, head);
}

/* Something was healed: lets go of what may go. */
static void flush(struct fakeapi_filter *filter)
{
	if (filter->over || filter->dead || filter->stalls > 0)
		return;
	put_held_head(filter);
	if (filter->drip != NULL) {
		if (!base_heap_has(&filter->drip_timer))
			fakeapi_filter_drip(filter);
		return;
	}
	leave_timer(filter);
	if (!filter->over && held_len(filter) > 0)
		take_held(filter, held_len(filter));
	if (!filter->over && filter->end_held)
		put_end(filter);
}

static void report_mode(struct fakeapi_filter *filter, enum fakeapi_fault_kind kind, uint64_t count)
{
	struct fakeapi_hook *hook = find_mode(filter, kind);

	if (hook != NULL && count > 0)
		fakeapi_fault_report(filter, hook->entry, count);
}

/* Body bytes behind all triggers: out, or to those that wait. */
static void deliver(struct fakeapi_filter *filter, const char *ptr, size_t len)
{
	if (len == 0 || filter->over)
		return;
	if (filter->dead) {
		report_mode(filter, FAKEAPI_FAULT_HALF_OPEN, len);
		return;
	}
	if (!must_wait(filter)) {
		put_body(filter, ptr, len);
		return;
	}
	if (base_buf_append(&filter->held, ptr, len) != BASE_OK) {
		fakeapi_filter_abort(filter, FAKEAPI_ABORT_RESET);
		return;
	}
	if (filter->stalls > 0)
		report_mode(filter, FAKEAPI_FAULT_STALL, len);
	else if (filter->drip != NULL && !base_heap_has(&filter->drip_timer))
		fakeapi_filter_drip(filter);
}

/* ---- Triggers ---- */

static bool is_armed(const struct fakeapi_hook *hook, enum fakeapi_trigger trigger)
{
	return !hook->off && hook->trigger == trigger;
}

void fakeapi_filter_die(struct fakeapi_filter *filter, struct fakeapi_hook *hook)
{
	hook->trigger = FAKEAPI_TRIGGER_DONE;
	filter->dead = true;
	leave_timer(filter);
	fakeapi_fault_report(filter, hook->entry, 1);
}

static void end_early(struct fakeapi_filter *filter)
{
	if (!must_wait(filter)) {
		put_end(filter);
		return;
	}
	if (filter->stalls > 0 && !filter->end_held)
		report_mode(filter, FAKEAPI_FAULT_STALL, 1);
	filter->end_held = true;
}

static void send_error_line(struct fakeapi_filter *filter, struct fakeapi_hook *hook)
{
	base_buf_clear(&filter->scratch);
	if (fakeapi_fault_error_line(&hook->entry->fault, &filter->scratch) != BASE_OK) {
		fakeapi_filter_abort(filter, FAKEAPI_ABORT_RESET);
		return;
	}
	deliver(filter, filter->scratch.ptr, filter->scratch.len);
	fakeapi_fault_report(filter, hook->entry, 1);
	if (!filter->over)
		end_early(filter);
}

/* Half of a line or body, then a clean end. */
static void send_half(struct fakeapi_filter *filter, struct fakeapi_hook *hook,
		      struct base_str text)
{
	size_t half = text.len / 2;

	hook->trigger = FAKEAPI_TRIGGER_DONE;
	deliver(filter, text.ptr, half);
	fakeapi_fault_report(filter, hook->entry, text.len - half);
	if (!filter->over)
		end_early(filter);
}

/* A copy with a NUL in the middle, in scratch. False: no memory, the exchange is over. */
static bool garble(struct fakeapi_filter *filter, struct fakeapi_hook *hook, struct base_str *text)
{
	struct base_buf copy = filter->scratch;
	size_t middle = text->len / 2;

	/* The text may lie in scratch already. */
	if (text->ptr != filter->scratch.ptr) {
		base_buf_clear(&filter->scratch);
		if (base_buf_append(&filter->scratch, text->ptr, text->len) != BASE_OK) {
			fakeapi_filter_abort(filter, FAKEAPI_ABORT_RESET);
			return false;
		}
		copy = filter->scratch;
	}
	copy.ptr[middle] = '\0';
	*text = base_str_n(copy.ptr, text->len);
	hook->trigger = FAKEAPI_TRIGGER_DONE;
	fakeapi_fault_report(filter, hook->entry, 1);
	return true;
}

/* RST_STREAM or GOAWAY. */
static void send_frame(struct fakeapi_filter *filter, struct fakeapi_hook *hook)
{
	const struct fakeapi_fault *fault = &hook->entry->fault;
	const bool goaway = fault->kind == FAKEAPI_FAULT_GOAWAY;
	const bool ends = !goaway || fault->code != FAKEAPI_H2_NO_ERROR;

	if (ends)
		fakeapi_fault_report(filter, hook->entry, 1);
	if (filter->out.frame == NULL) {
		if (ends)
			fakeapi_filter_abort(filter,
					     goaway ? FAKEAPI_ABORT_FIN : FAKEAPI_ABORT_RESET);
		return;
	}
	if (ends) {
		filter->over = true;
		leave_timer(filter);
	}
	if (filter->out.frame(filter->out.self,
			      goaway ? FAKEAPI_FRAME_GOAWAY : FAKEAPI_FRAME_RST_STREAM,
			      fault->code) &&
	    !ends)
		fakeapi_fault_report(filter, hook->entry, 1);
}

/* The hook's moment has come, between two bytes of the answer. */
void fakeapi_filter_act_now(struct fakeapi_filter *filter, struct fakeapi_hook *hook)
{
	struct base_str text = base_str_n(sample_line, sizeof(sample_line) - 1);

	hook->trigger = FAKEAPI_TRIGGER_DONE;
	switch (hook->entry->fault.kind) {
	case FAKEAPI_FAULT_STATUS: send_error_line(filter, hook); break;
	case FAKEAPI_FAULT_REFUSE:
	case FAKEAPI_FAULT_RESET:
	case FAKEAPI_FAULT_EOF:
	case FAKEAPI_FAULT_CUT:
		fakeapi_fault_report(filter, hook->entry, 1);
		fakeapi_filter_abort(filter,
				     hook->entry->fault.kind == FAKEAPI_FAULT_EOF ||
						     hook->entry->fault.kind == FAKEAPI_FAULT_CUT
					     ? FAKEAPI_ABORT_CONNECTION_FIN
					     : FAKEAPI_ABORT_CONNECTION_RESET);
		break;
	case FAKEAPI_FAULT_RST_STREAM:
	case FAKEAPI_FAULT_GOAWAY: send_frame(filter, hook); break;
	case FAKEAPI_FAULT_CLOSE:
		fakeapi_fault_report(filter, hook->entry, 1);
		end_early(filter);
		break;
	case FAKEAPI_FAULT_STALL:
		filter->stalls++;
		leave_timer(filter);
		break;
	case FAKEAPI_FAULT_HALF_OPEN: fakeapi_filter_die(filter, hook); break;
	case FAKEAPI_FAULT_DRIP:
		if (filter->drip == NULL)
			filter->drip = hook;
		break;
	case FAKEAPI_FAULT_TRUNCATE: send_half(filter, hook, text); break;
	case FAKEAPI_FAULT_CORRUPT:
		if (garble(filter, hook, &text))
			deliver(filter, text.ptr, text.len);
		break;
	case FAKEAPI_FAULT_SPLIT:
	case FAKEAPI_FAULT_CONTENT_TYPE:
	case FAKEAPI_FAULT_NO_END_BOOKMARK:
	case FAKEAPI_FAULT_NO_BOOKMARKS:
	case FAKEAPI_FAULT_FROZEN_BOOKMARKS:
	case FAKEAPI_FAULT_UNDECODABLE:
	case FAKEAPI_FAULT_SKIP:
	case FAKEAPI_FAULT_REPEAT:
	case FAKEAPI_FAULT_OLD_DELETE:
	case FAKEAPI_FAULT_NO_VERSION:
	case FAKEAPI_FAULT_UNCHUNKED:
	case FAKEAPI_FAULT_KIND_COUNT: break; /* modes: from now on */
	}
}

/* Broken text is made where the text is, not between bytes. */
static bool breaks_text(const struct fakeapi_hook *hook)
{
	return hook->entry->fault.kind == FAKEAPI_FAULT_TRUNCATE ||
	       hook->entry->fault.kind == FAKEAPI_FAULT_CORRUPT;
}

static struct fakeapi_hook *next_by_bytes(const struct fakeapi_filter *filter)
{
	struct fakeapi_hook *best = NULL;

	for (struct fakeapi_hook *h = filter->hooks; h != NULL; h = h->next) {
		if (is_armed(h, FAKEAPI_TRIGGER_BYTES) && !breaks_text(h) &&
		    (best == NULL || h->left < best->left))
			best = h;
	}
	return best;
}

static void count_bytes(struct fakeapi_filter *filter, size_t len)
{
	for (struct fakeapi_hook *h = filter->hooks; h != NULL; h = h->next) {
		if (is_armed(h, FAKEAPI_TRIGGER_BYTES) && !breaks_text(h))
			h->left -= len;
	}
}

/* Body bytes past the triggers that count bytes. */
static void pass(struct fakeapi_filter *filter, const char *ptr, size_t len)
{
	for (;;) {
		struct fakeapi_hook *hook = next_by_bytes(filter);
		size_t part = hook == NULL || hook->left > len ? len : (size_t)hook->left;

		deliver(filter, ptr, part);
		count_bytes(filter, part);
		ptr += part;
		len -= part;
		if (hook == NULL || hook->left > 0 || filter->over || filter->end_held)
			return;
		fakeapi_filter_act_now(filter, hook);
	}
}

/* ---- Head, body, end ---- */

/* A copy with everything it points to in one block. */
static struct fakeapi_head *copy_head(const struct base_alloc *alloc,
				      const struct fakeapi_head *head)
{
	size_t size = sizeof(*head) + head->header_count * sizeof(*head->headers) +
		      head->content_type.len;
	struct fakeapi_head *copy;
	struct fakeapi_header *headers;
	char *text;

	for (size_t i = 0; i < head->header_count; i++)
		size += head->headers[i].name.len + head->headers[i].value.len;
	copy = base_malloc(alloc, size);
	if (copy == NULL)
		return NULL;
	headers = (struct fakeapi_header *)(void *)(copy + 1);
	text = (char *)(headers + head->header_count);
	*copy = *head;
	copy->headers = headers;
#define COPY_SLICE(to, from)                                                                       \
	do {                                                                                       \
		(to) = base_str_n(text, (from).len);                                               \
		if ((from).len > 0)                                                                \
			memcpy(text, (from).ptr, (from).len);                                      \
		text += (from).len;                                                                \
	} while (0)
	COPY_SLICE(copy->content_type, head->content_type);
	for (size_t i = 0; i < head->header_count; i++) {
		COPY_SLICE(headers[i].name, head->headers[i].name);
		COPY_SLICE(headers[i].value, head->headers[i].value);
	}
#undef COPY_SLICE
	return copy;
}

static bool ends_early(const struct fakeapi_filter *filter)
{
	for (const struct fakeapi_hook *h = filter->hooks; h != NULL; h = h->next) {
		if (!h->off && h->trigger != FAKEAPI_TRIGGER_DONE &&
		    (h->entry->fault.kind == FAKEAPI_FAULT_CLOSE ||
		     h->entry->fault.kind == FAKEAPI_FAULT_TRUNCATE))
			return true;
	}
	return false;
}

void fakeapi_filter_head(struct fakeapi_filter *filter, const struct fakeapi_head *head)
{
	struct fakeapi_head changed = *head;
	struct fakeapi_hook *type = find_mode(filter, FAKEAPI_FAULT_CONTENT_TYPE);

	if (filter->over || filter->dead)
		return;
	filter->answered = head->status;
	filter->is_stream = filter->facts->verb == FAKEAPI_VERB_WATCH && head->status == 200;
	if (type != NULL) {
		changed.content_type = type->entry->fault.content_type;
		fakeapi_fault_report(filter, type->entry, 1);
	}
	type = find_mode(filter, FAKEAPI_FAULT_UNCHUNKED);
	if (type != NULL && filter->is_stream) {
		changed.unframed = true;
		fakeapi_fault_report(filter, type->entry, 1);
	}
	if (ends_early(filter) || find_mode(filter, FAKEAPI_FAULT_NO_VERSION) != NULL)
		changed.length = FAKEAPI_LENGTH_UNKNOWN;
	if (filter->stalls > 0) {
		filter->head_held = copy_head(filter->faults->alloc, &changed);
		report_mode(filter, FAKEAPI_FAULT_STALL, 1);
		check(filter, filter->head_held != NULL ? BASE_OK : BASE_ENOMEM);
	} else {
		check(filter, filter->out.head(filter->out.self, &changed));
	}
	pass(filter, NULL, 0);
}

/* The first piece of a body that is no stream may be broken. */
static bool break_text(struct fakeapi_filter *filter, enum fakeapi_trigger trigger,
		       struct base_str *text)
{
	for (struct fakeapi_hook *h = filter->hooks; h != NULL; h = h->next) {
		if (!is_armed(h, trigger) || !breaks_text(h) || h->left > 0)
			continue;
		if (h->entry->fault.kind == FAKEAPI_FAULT_TRUNCATE) {
			send_half(filter, h, *text);
			return false;
		}
		if (!garble(filter, h, text))
			return false;
	}
	return true;
}

void fakeapi_filter_body(struct fakeapi_filter *filter, const char *ptr, size_t len)
{
	struct base_str text = base_str_n(ptr, len);

	if (filter->over || filter->end_held || len == 0)
		return;
	if (!filter->is_stream)
		check(filter, fakeapi_lie_body(filter, &text));
	if (filter->over ||
	    (!filter->is_stream && !break_text(filter, FAKEAPI_TRIGGER_BYTES, &text)))
		return;
	pass(filter, text.ptr, text.len);
}

void fakeapi_filter_end(struct fakeapi_filter *filter)
{
	if (!filter->over && !filter->dead)
		end_early(filter);
}

/* ---- Lines of a stream ---- */

static bool is_same_object(struct base_str wanted, struct base_str key)
{
	return key.len > 0 && base_str_eq(wanted, key);
}

/* ,"labels":7 at the end of the metadata: a type no client can decode. */
static enum base_code break_object(struct base_buf *out, struct base_str object,
				   struct base_str whole)
{
	struct base_str metadata = base_json_get(object, BASE_STR("metadata"));
	size_t at;
	enum base_code code;

	base_buf_clear(out);
	if (base_json_kind_of(metadata) != BASE_JSON_OBJECT || metadata.len <= 2)
		return base_buf_str(out, whole);
	at = (size_t)(metadata.ptr - whole.ptr) + metadata.len - 1;
	code = base_buf_append(out, whole.ptr, at);
	if (code == BASE_OK)
		code = base_buf_text(out, ",\"labels\":7");
	if (code == BASE_OK)
		code = base_buf_append(out, whole.ptr + at, whole.len - at);
	return code;
}

enum base_code fakeapi_filter_item(struct fakeapi_filter *filter, struct base_str key,
				   struct base_str item, struct base_str *out)
{
	*out = item;
	for (struct fakeapi_hook *h = filter->hooks; h != NULL; h = h->next) {
		enum base_code code;

		if (h->off || h->entry->fault.kind != FAKEAPI_FAULT_UNDECODABLE ||
		    !is_same_object(h->entry->fault.object, key))
			continue;
		code = break_object(&filter->scratch, item, item);
		if (code != BASE_OK)
			return code;
		*out = base_buf_peek(&filter->scratch);
		fakeapi_fault_report(filter, h->entry, 1);
		return BASE_OK;
	}
	return BASE_OK;
}

/* The line with the version of the first bookmark in place of its own. */
static enum base_code freeze(struct fakeapi_filter *filter, struct fakeapi_hook *hook,
			     const struct fakeapi_line *line, struct base_str *text)
{
	struct base_str object = base_json_get(*text, BASE_STR("object"));
	struct base_str rv = base_json_path(object, 2, "metadata", "resourceVersion");
	size_t at;
	enum base_code code;

	if (filter->frozen_rv.len == 0)
		return base_buf_str(&filter->frozen_rv, line->rv);
	if (base_str_eq(base_buf_peek(&filter->frozen_rv), line->rv) || rv.len < 2)
		return BASE_OK;
	at = (size_t)(rv.ptr - text->ptr) + 1;
	base_buf_clear(&filter->scratch);
	code = base_buf_append(&filter->scratch, text->ptr, at);
	if (code == BASE_OK)
		code = base_buf_str(&filter->scratch, base_buf_peek(&filter->frozen_rv));
	if (code == BASE_OK)
		code = base_buf_append(&filter->scratch, text->ptr + at + rv.len - 2,
				       text->len - at - (rv.len - 2));
	if (code != BASE_OK)
		return code;
	*text = base_buf_peek(&filter->scratch);
	fakeapi_fault_report(filter, hook->entry, 1);
	return BASE_OK;
}

/* What one mode does to one line; false: the line is withheld. */
static bool change_line(struct fakeapi_filter *filter, struct fakeapi_hook *hook,
			const struct fakeapi_line *line, struct base_str *text)
{
	const struct fakeapi_fault *fault = &hook->entry->fault;
	bool is_bookmark = line->type == FAKEAPI_LINE_BOOKMARK;
	bool withheld =
		(fault->kind == FAKEAPI_FAULT_NO_END_BOOKMARK && line->initial_end) ||
		(fault->kind == FAKEAPI_FAULT_NO_BOOKMARKS && is_bookmark && !line->initial_end);

	if (fakeapi_lie_withholds(filter, hook, line))
		return false;
	check(filter, fakeapi_lie_changes(filter, hook, line, text));
	if (withheld) {
		fakeapi_fault_report(filter, hook->entry, 1);
		return false;
	}
	if (fault->kind == FAKEAPI_FAULT_FROZEN_BOOKMARKS && is_bookmark && !line->initial_end) {
		check(filter, freeze(filter, hook, line, text));
	} else if (fault->kind == FAKEAPI_FAULT_UNDECODABLE &&
		   is_same_object(fault->object, line->key) && text->ptr == line->bytes.ptr) {
		check(filter, break_object(&filter->scratch,
					   base_json_get(*text, BASE_STR("object")), *text));
		*text = base_buf_peek(&filter->scratch);
		fakeapi_fault_report(filter, hook->entry, 1);
	}
	return true;
}

static bool change_by_modes(struct fakeapi_filter *filter, const struct fakeapi_line *line,
			    struct base_str *text)
{
	for (struct fakeapi_hook *h = filter->hooks; h != NULL; h = h->next) {
		if (!h->off && h->trigger == FAKEAPI_TRIGGER_DONE &&
		    !change_line(filter, h, line, text))
			return false;
	}
	return !filter->over;
}

/* After a line: hooks that wait for lines come nearer, and may act. */
static void count_line(struct fakeapi_filter *filter)
{
	for (struct fakeapi_hook *h = filter->hooks; h != NULL; h = h->next) {
		if (!is_armed(h, FAKEAPI_TRIGGER_EVENTS) || filter->over || filter->end_held)
			continue;
		if (h->left > 0)
			h->left--;
		if (h->left == 0 && !breaks_text(h))
			fakeapi_filter_act_now(filter, h);
	}
}

void fakeapi_filter_line(struct fakeapi_filter *filter, const struct fakeapi_line *line)
{
	struct base_str text = line->bytes;

	if (filter->over || filter->end_held)
		return;
	if (!change_by_modes(filter, line, &text))
		return;
	if (!break_text(filter, FAKEAPI_TRIGGER_EVENTS, &text))
		return;
	for (size_t n = fakeapi_lie_times(filter, line); n > 0 && !filter->over; n--)
		pass(filter, text.ptr, text.len);
	count_line(filter);
}

/* ---- Healing ---- */

void fakeapi_filter_heal(struct fakeapi_filter *filter, const struct fakeapi_fault_entry *entry)
{
	bool changed = false;

	for (struct fakeapi_hook *h = filter->hooks; h != NULL; h = h->next) {
		if (h->entry != entry || h->off)
			continue;
		h->off = true;
		changed = true;
		if (entry->fault.kind == FAKEAPI_FAULT_STALL && h->trigger == FAKEAPI_TRIGGER_DONE)
			filter->stalls--;
		if (filter->drip == h)
			filter->drip = NULL;
	}
	if (changed)
		flush(filter);
}
