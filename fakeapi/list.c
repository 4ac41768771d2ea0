/* LIST: which state answers (2.3), which page of it (2.4), and the body (2.5). */
#include "fakeapi/machine.h"

#include "fakeapi/crd.h"
#include "fakeapi/object.h"

#include <inttypes.h>
#include <stdio.h>

/* One list in progress. */
struct fakeapi_listing {
	struct fakeapi_cache *cache;
	int64_t limit;
	bool exact;      /* state at rv, whatever C is */
	bool from_token; /* L-11: errors speak of the token */
	bool has_start;
	bool from_pages;             /* one key that is looked up where pages are */
	bool slash;                  /* tokens minted here begin with a slash */
	uint64_t rv;                 /* exact or not older than; 0: none */
	struct base_buf scope;       /* "ns/" or empty: the prefix of the keys listed */
	struct base_buf start;       /* the key to go on from, scope included */
	struct base_buf token_start; /* as it stood in the token */
};

void fakeapi_listing_free(struct fakeapi_exchange *exchange)
{
	struct fakeapi_listing *listing = exchange->listing;
	if (listing == NULL)
		return;
	base_buf_release(&listing->scope);
	base_buf_release(&listing->start);
	base_buf_release(&listing->token_start);
	base_free(exchange->f->alloc, listing);
	exchange->listing = NULL;
}

/* ---- Parameters ---- */

enum base_code fakeapi_int_param(const struct fakeapi_param *param, int64_t *value,
				 struct fakeapi_reply *reply)
{
	*value = 0;
	if (!param->given || base_str_i64(param->value, value))
		return BASE_OK;
	struct base_str digits = param->value;
	if (digits.len != 0 && (digits.ptr[0] == '-' || digits.ptr[0] == '+'))
		digits = base_str_skip(digits, 1);
	if (digits.len != param->value.len && param->value.ptr[0] == '+' &&
	    base_str_i64(digits, value))
		return BASE_OK;
	bool all = digits.len != 0;
	for (size_t i = 0; i < digits.len; i++)
		all = all && digits.ptr[i] >= '0' && digits.ptr[i] <= '9';
	char text[256];
	snprintf(text, sizeof text, "strconv.ParseInt: parsing \"%.*s\": %s",
		 (int)(param->value.len < 128 ? param->value.len : 128), param->value.ptr,
		 all ? "value out of range" : "invalid syntax");
	enum base_code code = fakeapi_reply_bad_request(reply, base_str(text));
	return code == BASE_OK ? BASE_EINVAL : code;
}

enum base_code fakeapi_rv_parse(struct base_str text, uint64_t *rv, struct base_buf *why)
{
	*rv = 0;
	if (text.len == 0 || base_str_u64(text, rv))
		return BASE_OK;
	bool digits = true;
	for (size_t i = 0; i < text.len; i++)
		digits = digits && text.ptr[i] >= '0' && text.ptr[i] <= '9';
	enum base_code code = base_buf_printf(
		why,
		"resourceVersion: Invalid value: \"%.*s\": strconv.ParseUint: parsing \"%.*s\": %s",
		BASE_STR_ARG(text), BASE_STR_ARG(text),
		digits ? "value out of range" : "invalid syntax");
	return code == BASE_OK ? BASE_EINVAL : code;
}

#define CAUSE(reason_text, message_text, field_text)                                               \
	((struct fakeapi_cause){BASE_STR(reason_text), BASE_STR(message_text),                     \
				BASE_STR(field_text)})

/* The 422 table of 2.2. */
enum base_code fakeapi_list_options_check(const struct fakeapi_query *query,
					  struct fakeapi_reply *reply)
{
	bool match = query->match.given && query->match.value.len != 0;
	struct base_str rv = query->resource_version.value;
	struct fakeapi_cause causes[6];
	size_t count = 0;
	char unsupported[256];
	if (match && rv.len == 0)
		causes[count++] = CAUSE("FieldValueForbidden",
					"Forbidden: resourceVersionMatch is forbidden unless "
					"resourceVersion is provided",
					"resourceVersionMatch");
	if (match && query->token.value.len != 0)
		causes[count++] =
			CAUSE("FieldValueForbidden",
			      "Forbidden: resourceVersionMatch is forbidden when continue is "
			      "provided",
			      "resourceVersionMatch");
	bool exact = base_str_is(query->match.value, "Exact");
	if (match && !exact && !base_str_is(query->match.value, "NotOlderThan")) {
		snprintf(
			unsupported, sizeof unsupported,
			"Unsupported value: \"%.*s\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
			(int)(query->match.value.len < 100 ? query->match.value.len : 100),
			query->match.value.ptr);
		causes[count++] = (struct fakeapi_cause){BASE_STR("FieldValueNotSupported"),
							 base_str(unsupported),
							 BASE_STR("resourceVersionMatch")};
	}
	if (exact && base_str_is(rv, "0"))
		causes[count++] =
			CAUSE("FieldValueForbidden",
			      "Forbidden: resourceVersionMatch \"exact\" is forbidden for "
			      "resourceVersion \"0\"",
			      "resourceVersionMatch");
	if (query->initial_events.given)
		causes[count++] = CAUSE("FieldValueForbidden",
					"Forbidden: sendInitialEvents is forbidden for list",
					"sendInitialEvents");
	if (count == 0)
		return BASE_OK;
	enum base_code code = fakeapi_reply_invalid(reply, BASE_STR("ListOptions"),
						    BASE_STR("meta.k8s.io"), (struct base_str){0},
						    causes, count);
	return code == BASE_OK ? BASE_EINVAL : code;
}

/* A 400 with prefix and why. */
static enum base_code refuse(struct fakeapi_exchange *exchange, const char *prefix,
			     struct base_str why)
{
	struct base_buf message;
	base_buf_init(&message, exchange->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = base_buf_printf(&message, "%s%.*s", prefix, BASE_STR_ARG(why));
	if (code == BASE_OK)
		code = fakeapi_reply_bad_request(&exchange->reply, base_buf_peek(&message));
	base_buf_release(&message);
	return code == BASE_OK ? BASE_EINVAL : code;
}

enum base_code fakeapi_selectors_read(struct fakeapi_exchange *exchange, bool labels)
{
	const struct fakeapi_query *query = &exchange->call.query;
	struct base_buf why;
	base_buf_init(&why, exchange->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code;
	exchange->selector.in_characters = exchange->f->profile->in_characters;
	if (labels) {
		code = fakeapi_selector_labels(&exchange->selector, query->label_selector.value,
					       &why);
		if (code == BASE_OK)
			code = fakeapi_selector_syntax(exchange->f->alloc,
						       query->field_selector.value, &why);
	} else {
		code = fakeapi_selector_fields(&exchange->selector, exchange->call.resource,
					       query->field_selector.value, &why);
	}
	if (code == BASE_EINVAL)
		code = refuse(exchange, "", base_buf_peek(&why));
	base_buf_release(&why);
	return code;
}

/* The scope of keys: from the path, or narrowed by metadata.namespace. */
enum base_code fakeapi_scope_read(struct fakeapi_exchange *exchange, struct base_buf *scope)
{
	struct base_str namespace_ = exchange->call.facts.namespace_;
	if (namespace_.len == 0 && exchange->call.resource->namespaced)
		fakeapi_selector_namespace(&exchange->selector, &namespace_);
	if (namespace_.len == 0)
		return BASE_OK;
	return base_buf_printf(scope, "%.*s/", BASE_STR_ARG(namespace_));
}

static enum base_code token_read(struct fakeapi_exchange *exchange, struct fakeapi_listing *listing)
{
	struct fakeapi *f = exchange->f;
	struct fakeapi_token token = {0};
	struct base_buf why;
	base_buf_init(&token.start, f->alloc, FAKEAPI_BODY_MAX);
	base_buf_init(&why, f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = fakeapi_token_read(exchange->call.query.token.value, &token, &why);
	if (code == BASE_EINVAL)
		code = refuse(exchange, "invalid continue token: ", base_buf_peek(&why));
	if (code == BASE_OK) {
		listing->has_start = true;
		listing->from_token = token.rv > 0;
		listing->exact = token.rv > 0;
		listing->rv = token.rv > 0 ? (uint64_t)token.rv : 0;
		code = base_buf_str(&listing->start, base_buf_peek(&listing->scope));
	}
	if (code == BASE_OK)
		code = base_buf_str(&listing->start, base_buf_peek(&token.start));
	if (code == BASE_OK)
		code = base_buf_str(&listing->token_start, base_buf_peek(&token.start));
	base_buf_release(&token.start);
	base_buf_release(&why);
	return code;
}

/* A selector that pins the name asks for one key, where the namespace is known. */
static bool is_pinned(const struct fakeapi_exchange *exchange)
{
	struct base_str name;
	return (exchange->listing->scope.len != 0 || !exchange->call.resource->namespaced) &&
	       fakeapi_selector_name(&exchange->selector, &name);
}

/* Of one key there are no pages: tokens and limits do not count, and what is not asked for exactly is at
 * least as new. */
static void version_pin(struct fakeapi_exchange *exchange, struct fakeapi_listing *listing)
{
	const struct fakeapi_query *query = &exchange->call.query;
	bool match = query->match.value.len != 0;
	listing->from_pages = query->token.value.len != 0 ||
			      (listing->limit > 0 && listing->rv != 0 && !match) ||
			      base_str_is(query->match.value, "Exact");
	listing->exact = base_str_is(query->match.value, "Exact");
	listing->limit = 0;
}

/* The storage's checks of version and token (2.2, second table) and the row of 2.3. */
static enum base_code version_read(struct fakeapi_exchange *exchange,
				   struct fakeapi_listing *listing)
{
	const struct fakeapi_query *query = &exchange->call.query;
	const struct fakeapi_profile *profile = exchange->f->profile;
	struct base_str rv = query->resource_version.value;
	bool pinned = is_pinned(exchange);
	bool token = query->token.value.len != 0 && !pinned;
	if (token && rv.len != 0 && !base_str_is(rv, "0"))
		return refuse(exchange, "",
			      BASE_STR("specifying resource version is not allowed when using "
				       "continue"));
	if (token) {
		listing->slash = profile->snapshots && !exchange->call.resource->uncached;
		return token_read(exchange, listing);
	}
	struct base_buf why;
	base_buf_init(&why, exchange->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = fakeapi_rv_parse(rv, &listing->rv, &why);
	bool paged = listing->limit > 0 || base_str_is(query->match.value, "Exact");
	if (code == BASE_EINVAL && profile->list_rv_500 && !paged) {
		code = fakeapi_reply_raw_error(&exchange->reply, 500, base_buf_peek(&why));
		code = code == BASE_OK ? BASE_EINVAL : code;
	} else if (code == BASE_EINVAL) {
		code = refuse(exchange, "invalid resource version: ", base_buf_peek(&why));
	}
	base_buf_release(&why);
	bool match = query->match.value.len != 0;
	listing->exact = base_str_is(query->match.value, "Exact") ||
			 (listing->rv != 0 && !match && listing->limit > 0); /* L-9 */
	bool zero = base_str_is(rv, "0");
	if (zero)
		listing->limit = exchange->call.resource->uncached ? listing->limit : 0; /* L-4 */
	bool first_page = rv.len == 0;
	listing->slash =
		!exchange->call.resource->uncached &&
		(listing->exact ? profile->snapshots : (!first_page || profile->slash_first_page));
	if (pinned)
		version_pin(exchange, listing);
	return code;
}

/* ---- The body ---- */

enum base_code fakeapi_object_write(struct fakeapi_exchange *exchange, struct base_str bytes,
				    struct base_str tail, bool item, struct base_buf *out)
{
	if (exchange->shape == FAKEAPI_SHAPE_TABLE && item)
		return fakeapi_table_row(exchange, bytes, out);
	if (exchange->shape == FAKEAPI_SHAPE_METADATA_LIST && item)
		return fakeapi_form_metadata(&exchange->form, bytes, out);
	if (exchange->shape != FAKEAPI_SHAPE_FULL)
		return fakeapi_form_object(exchange, bytes, out);
	if (!item || tail.len == 0)
		return base_buf_str(out, bytes);
	enum base_code code = base_buf_char(out, '{');
	return code == BASE_OK ? base_buf_str(out, tail) : code;
}

static enum base_code item_write(struct fakeapi_exchange *exchange,
				 const struct fakeapi_object *object, struct base_buf *out)
{
	size_t from = out->len;
	struct base_buf other;
	struct base_str bytes;
	base_buf_init(&other, exchange->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code =
		fakeapi_crd_as(exchange->call.resource, object->bytes, &other, &bytes);
	if (code == BASE_OK)
		code = fakeapi_object_write(exchange, bytes, object->tail, true, out);
	base_buf_release(&other);
	if (code != BASE_OK || !exchange->filtered || exchange->filter.hooks == NULL)
		return code;
	struct base_str item = base_str_n(out->ptr + from, out->len - from), broken;
	code = fakeapi_filter_item(&exchange->filter, object->key, item, &broken);
	if (code != BASE_OK || broken.ptr == item.ptr)
		return code;
	out->len = from;
	return base_buf_str(out, broken);
}

struct page {
	struct fakeapi_object *const *objects; /* of the table */
	size_t from, end; /* the keys of this list: from the start key to the end of the scope */
	size_t count;     /* items written */
	size_t next;      /* where the next page begins; == end: none */
	uint64_t rv;
	struct base_buf items, token;
};

/* Items until the limit is reached (2.4). */
static enum base_code page_fill(struct fakeapi_exchange *exchange, struct page *page)
{
	int64_t limit = exchange->listing->limit;
	enum base_code code = BASE_OK;
	size_t i = page->from;
	for (; code == BASE_OK && i < page->end; i++) {
		if (limit > 0 && page->count == (uint64_t)limit)
			break;
		if (!fakeapi_selector_matches(&exchange->selector, page->objects[i]->bytes))
			continue;
		if (page->count++ != 0)
			code = base_buf_char(&page->items, ',');
		if (code == BASE_OK)
			code = item_write(exchange, page->objects[i], &page->items);
	}
	page->next = i;
	return code;
}

static enum base_code token_make(struct fakeapi_exchange *exchange, struct page *page)
{
	struct fakeapi_listing *listing = exchange->listing;
	if (page->next >= page->end)
		return BASE_OK;
	struct base_str last = page->objects[page->next - 1]->key;
	return fakeapi_token_write((int64_t)page->rv, listing->slash,
				   base_str_skip(last, listing->scope.len), &page->token);
}

static bool remaining(const struct fakeapi_exchange *exchange, const struct page *page,
		      uint64_t *count)
{
	if (page->token.len == 0 || !fakeapi_selector_is_empty(&exchange->selector))
		return false;
	*count = page->end - page->from - (uint64_t)exchange->listing->limit;
	return true;
}

static enum base_code body_typed(struct fakeapi_exchange *exchange, const struct page *page,
				 const char *kind, const char *version, struct base_buf *out)
{
	uint64_t left;
	enum base_code code = base_buf_printf(
		out,
		"{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":{\"resourceVersion\":\"%" PRIu64
		"\"",
		kind, version, page->rv);
	if (code == BASE_OK && page->token.len != 0)
		code = base_buf_printf(out, ",\"continue\":\"%s\"", page->token.ptr);
	if (code == BASE_OK && remaining(exchange, page, &left))
		code = base_buf_printf(out, ",\"remainingItemCount\":%" PRIu64, left);
	bool table = exchange->shape == FAKEAPI_SHAPE_TABLE;
	/* An empty collection of metadata is null, and some of Tables (2.5). */
	bool null = page->count == 0 && (table ? fakeapi_table_null_rows(exchange->call.resource)
					       : exchange->shape == FAKEAPI_SHAPE_METADATA_LIST);
	if (code == BASE_OK)
		code = base_buf_text(out, table ? "}," : "}");
	if (code == BASE_OK && table)
		code = fakeapi_table_columns(exchange, out);
	if (code == BASE_OK)
		code = base_buf_printf(out, ",\"%s\":%s", table ? "rows" : "items",
				       null ? "null" : "[");
	if (code == BASE_OK)
		code = base_buf_str(out, base_buf_peek(&page->items));
	return code == BASE_OK ? base_buf_text(out, null ? "}\n" : "]}\n") : code;
}

static enum base_code body_custom(struct fakeapi_exchange *exchange, const struct page *page,
				  const char *kind, const char *version, struct base_buf *out)
{
	uint64_t left;
	enum base_code code = base_buf_printf(out, "{\"apiVersion\":\"%s\",\"items\":[", version);
	if (code == BASE_OK)
		code = base_buf_str(out, base_buf_peek(&page->items));
	if (code == BASE_OK)
		code = base_buf_printf(out,
				       "],\"kind\":\"%s\",\"metadata\":{\"continue\":\"%.*s\",",
				       kind, BASE_STR_ARG(base_buf_peek(&page->token)));
	if (code == BASE_OK && remaining(exchange, page, &left))
		code = base_buf_printf(out, "\"remainingItemCount\":%" PRIu64 ",", left);
	if (code == BASE_OK)
		code = base_buf_printf(out, "\"resourceVersion\":\"%" PRIu64 "\"}}\n", page->rv);
	return code;
}

static enum base_code body_write(struct fakeapi_exchange *exchange, const struct page *page)
{
	const struct fakeapi_resource *resource = exchange->call.resource;
	struct fakeapi_reply *reply = &exchange->reply;
	reply->status = 200;
	reply->rv = page->rv;
	reply->shaped = true;
	if (exchange->shape != FAKEAPI_SHAPE_FULL)
		return body_typed(exchange, page,
				  exchange->shape == FAKEAPI_SHAPE_TABLE
					  ? "Table"
					  : "PartialObjectMetadataList",
				  fakeapi_form_version(&exchange->form), &reply->body);
	struct base_buf version;
	base_buf_init(&version, exchange->f->alloc, 1024);
	enum base_code code = fakeapi_resource_api_version(resource, &version);
	if (code == BASE_OK)
		code = (resource->custom ? body_custom : body_typed)(
			exchange, page, resource->list_kind, version.ptr, &reply->body);
	base_buf_release(&version);
	return code;
}

/* ---- Which state ---- */

/* E-410a, or E-410b with a fresh token. */
static enum base_code expired(struct fakeapi_exchange *exchange)
{
	struct fakeapi_listing *listing = exchange->listing;
	struct fakeapi_status status = {
		.code = 410,
		.reason = BASE_STR("Expired"),
		.message = BASE_STR("The resourceVersion for the provided list is too old.")};
	struct base_buf token;
	base_buf_init(&token, exchange->f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = BASE_OK;
	if (listing->from_token) {
		status.message = BASE_STR(
			"The provided continue parameter is too old to display a consistent list result. "
			"You can start a new list without the continue parameter, or use the continue token "
			"in this response to retrieve the remainder of the results. Continuing with the "
			"provided token results in an inconsistent list - objects that were created, "
			"modified, or deleted between the time the first chunk was returned and now may "
			"show up in the list.");
		struct base_str start = base_buf_peek(&listing->token_start);
		if (start.len != 0 && start.ptr[start.len - 1] == '\0')
			start.len--;
		code = fakeapi_token_write(-1, false, start, &token);
		status.token = base_buf_peek(&token);
	}
	if (code == BASE_OK)
		code = fakeapi_reply_status(&exchange->reply, &status);
	base_buf_release(&token);
	return code;
}

/* The objects that this list is about, or BASE_ENOENT when that state is gone. */
static enum base_code state_take(struct fakeapi_exchange *exchange, bool from_store,
				 struct page *page, size_t *count)
{
	struct fakeapi_listing *listing = exchange->listing;
	struct fakeapi_cache *cache = listing->cache;
	struct fakeapi_store *store = &exchange->f->store;
	if (listing->exact) {
		page->rv = listing->rv;
		bool snapshot = !from_store && exchange->f->profile->snapshots &&
				listing->rv >= cache->snapshot_rv;
		if (!snapshot && listing->rv < store->compacted)
			return BASE_ENOENT;
		return fakeapi_table_state(store, cache->table, listing->rv, &page->objects, count);
	}
	if (from_store) {
		page->rv = store->revision;
		return fakeapi_table_state(store, cache->table, page->rv, &page->objects, count);
	}
	page->rv = fakeapi_cache_rv(cache);
	return fakeapi_cache_state(cache, &page->objects, count);
}

/* A selector that pins the name asks for one key: there is nothing behind it to go on with. */
static void page_pin(struct fakeapi_exchange *exchange, struct page *page, size_t count)
{
	const struct base_buf *scope = &exchange->listing->scope;
	struct base_str name = {0};
	struct base_buf key;
	if (!is_pinned(exchange))
		return;
	(void)fakeapi_selector_name(&exchange->selector, &name);
	base_buf_init(&key, exchange->f->alloc, FAKEAPI_BODY_MAX);
	/* Without memory the selector finds it, too. */
	if (base_buf_str(&key, base_buf_peek(scope)) == BASE_OK &&
	    base_buf_str(&key, name) == BASE_OK) {
		size_t at = fakeapi_table_from(page->objects, count, base_buf_peek(&key));
		bool found = at < page->end &&
			     base_str_eq(page->objects[at]->key, base_buf_peek(&key));
		page->end = found ? at + 1 : page->from;
		page->from = found && at > page->from ? at : page->from;
	}
	base_buf_release(&key);
}

static enum base_code list_answer(struct fakeapi_exchange *exchange, bool from_store)
{
	struct fakeapi_listing *listing = exchange->listing;
	struct page page = {0};
	size_t count = 0;
	enum base_code code = state_take(exchange, from_store, &page, &count);
	if (code == BASE_ENOENT)
		return expired(exchange);
	if (code == BASE_OK)
		code = fakeapi_form_check(exchange, true);
	if (code == BASE_EINVAL)
		return BASE_OK;
	if (code != BASE_OK)
		return code;
	base_buf_init(&page.items, exchange->f->alloc, FAKEAPI_BODY_MAX);
	base_buf_init(&page.token, exchange->f->alloc, FAKEAPI_BODY_MAX);
	struct base_str scope = base_buf_peek(&listing->scope);
	size_t first = fakeapi_table_from(page.objects, count, scope);
	page.end = fakeapi_table_behind(page.objects, count, scope);
	page.from = first;
	if (listing->has_start)
		page.from = fakeapi_table_from(page.objects, count, base_buf_peek(&listing->start));
	page.from = page.from < first ? first : page.from > page.end ? page.end : page.from;
	page_pin(exchange, &page, count);
	code = page_fill(exchange, &page);
	if (code == BASE_OK)
		code = token_make(exchange, &page);
	if (code == BASE_OK)
		code = body_write(exchange, &page);
	const struct fakeapi_observer *observer = &exchange->f->observer;
	if (code == BASE_OK && observer->list != NULL)
		observer->list(observer->self, &exchange->who,
			       &(struct fakeapi_listed){.rv = page.rv,
							.count = page.count,
							.token = base_buf_peek(&page.token),
							.resource = exchange->call.resource});
	base_buf_release(&page.items);
	base_buf_release(&page.token);
	return code;
}

static void list_resume(struct fakeapi_exchange *exchange, bool in_time)
{
	struct fakeapi_listing *listing = exchange->listing;
	enum base_code code;
	if (in_time || listing->rv == 0) /* L-1: after 3 s the store answers */
		code = list_answer(exchange, !in_time);
	else
		code = fakeapi_reply_too_large(&exchange->reply, listing->rv,
					       fakeapi_cache_rv(listing->cache), true);
	fakeapi_exchange_finish(exchange, code);
}

/* ---- Begin ---- */

static enum base_code list_parse(struct fakeapi_exchange *exchange, struct fakeapi_listing *listing)
{
	const struct fakeapi_query *query = &exchange->call.query;
	int64_t unused;
	enum base_code code = fakeapi_negotiate(exchange, true);
	if (code == BASE_OK)
		code = fakeapi_int_param(&query->limit, &listing->limit, &exchange->reply);
	if (code == BASE_OK)
		code = fakeapi_int_param(&query->timeout_seconds, &unused, &exchange->reply);
	if (code == BASE_OK)
		code = fakeapi_selectors_read(exchange, true);
	if (code == BASE_OK)
		code = fakeapi_list_options_check(&exchange->call.query, &exchange->reply);
	if (code == BASE_OK)
		code = fakeapi_selectors_read(exchange, false);
	if (code == BASE_OK)
		code = fakeapi_scope_read(exchange, &listing->scope);
	return code == BASE_OK ? version_read(exchange, listing) : code;
}

/* resourceVersion=0: whatever the cache has. */
static bool at_zero(const struct fakeapi_exchange *exchange)
{
	return exchange->call.query.token.value.len == 0 &&
	       exchange->call.query.resource_version.value.len != 0 && exchange->listing->rv == 0;
}

/* Is the store asked, if only for its revision? */
static bool needs_store(const struct fakeapi_exchange *exchange)
{
	const struct fakeapi_listing *listing = exchange->listing;
	if (exchange->call.resource->uncached || listing->rv == 0)
		return exchange->call.resource->uncached || !at_zero(exchange);
	return listing->exact &&
	       (!exchange->f->profile->snapshots || listing->rv < listing->cache->snapshot_rv);
}

/* Servers without snapshots read further pages from the store, some the first one too (D-7). */
static bool goes_to_store(const struct fakeapi_exchange *exchange)
{
	const struct fakeapi_profile *profile = exchange->f->profile;
	const struct fakeapi_query *query = &exchange->call.query;
	bool now = query->token.value.len == 0 && query->resource_version.value.len == 0;
	if (exchange->listing->from_pages)
		return true;
	if (profile->snapshots)
		return false;
	if (exchange->listing->exact)
		return true;
	if (now && !profile->list_from_cache) /* D-6 */
		return true;
	return query->token.value.len != 0 ||
	       (query->resource_version.value.len == 0 && exchange->listing->limit > 0 &&
		!profile->slash_first_page);
}

static void list_go(struct fakeapi_exchange *exchange)
{
	struct fakeapi *f = exchange->f;
	struct fakeapi_listing *listing = exchange->listing;
	if (listing->exact && listing->rv > f->store.revision && f->profile->exact_future_500)
		fakeapi_exchange_finish(
			exchange,
			fakeapi_reply_raw_error(&exchange->reply, 500,
						BASE_STR("etcdserver: mvcc: required revision is a "
							 "future revision")));
	else if (goes_to_store(exchange))
		fakeapi_exchange_finish(exchange, list_answer(exchange, true));
	else if (at_zero(exchange)) /* L-4: no wait */
		fakeapi_exchange_finish(exchange, list_answer(exchange, false));
	else if (exchange->call.resource->uncached && listing->rv > f->store.revision)
		fakeapi_exchange_finish(exchange,
					fakeapi_reply_too_large(&exchange->reply, listing->rv,
								f->store.revision, false));
	else
		fakeapi_exchange_wait(exchange, listing->cache,
				      listing->rv != 0 ? listing->rv : f->store.revision,
				      list_resume);
}

static void store_resume(struct fakeapi_exchange *exchange, bool in_time)
{
	if (in_time)
		list_go(exchange);
	else
		fakeapi_deadline_answer(exchange);
}

void fakeapi_list_begin(struct fakeapi_exchange *exchange)
{
	struct fakeapi *f = exchange->f;
	struct fakeapi_listing *listing = base_calloc(f->alloc, 1, sizeof *listing);
	if (listing == NULL) {
		fakeapi_exchange_fail(exchange);
		return;
	}
	exchange->listing = listing;
	base_buf_init(&listing->scope, f->alloc, FAKEAPI_BODY_MAX);
	base_buf_init(&listing->start, f->alloc, FAKEAPI_BODY_MAX);
	base_buf_init(&listing->token_start, f->alloc, FAKEAPI_BODY_MAX);
	listing->cache = fakeapi_cache_of(exchange->replica, exchange->call.resource);
	enum base_code code = listing->cache == NULL ? BASE_ENOMEM : list_parse(exchange, listing);
	if (code != BASE_OK) {
		fakeapi_exchange_finish(exchange, code == BASE_EINVAL ? BASE_OK : code);
		return;
	}
	if (!needs_store(exchange) ||
	    !fakeapi_exchange_hold(exchange, fakeapi_deadline_ns(exchange), store_resume))
		list_go(exchange);
}
