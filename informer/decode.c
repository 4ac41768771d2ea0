#include "informer/decode.h"

#include "informer/fields.h"
#include "informer/kinds.h"

/* ---- Lists ---- */

void inf_list_init(struct inf_list *list, const struct base_alloc *alloc)
{
	memset(list, 0, sizeof(*list));
	list->alloc = alloc;
	base_buf_init(&list->rv, alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&list->continue_token, alloc, BASE_BUF_MAX_DEFAULT);
}

static void drop_items(struct inf_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		inf_object_unref(list->items[i]);
	}
	base_free(list->alloc, list->items);
	list->items = NULL;
	list->count = 0;
	list->cap = 0;
}

void inf_list_release(struct inf_list *list)
{
	drop_items(list);
	base_buf_release(&list->rv);
	base_buf_release(&list->continue_token);
	list->is_table = false;
}

static enum base_code reserve_items(struct inf_list *list, size_t extra)
{
	size_t need = list->count + extra;
	if (need <= list->cap) {
		return BASE_OK;
	}
	size_t cap = list->cap < 16 ? 16 : list->cap * 2;
	if (cap < need) {
		cap = need;
	}
	struct inf_object **items =
		base_realloc(list->alloc, list->items, cap * sizeof(struct inf_object *));
	if (items == NULL) {
		return BASE_ENOMEM;
	}
	list->items = items;
	list->cap = cap;
	return BASE_OK;
}

enum base_code inf_list_move_items(struct inf_list *to, struct inf_list *from)
{
	enum base_code code = reserve_items(to, from->count);
	if (code != BASE_OK) {
		return code;
	}
	for (size_t i = 0; i < from->count; i++) {
		to->items[to->count++] = from->items[i];
	}
	from->count = 0;
	return BASE_OK;
}

/* kind and apiVersion as texts in one buffer; the slices live as long as it does. */
struct type_meta {
	struct base_buf kind_buf, version_buf;
	struct base_str kind, api_version;
	bool lacks_version; /* though it has a group */
};

static enum base_code value_text(struct base_str value, struct base_buf *buf, struct base_str *out)
{
	*out = (struct base_str){0};
	if (base_json_kind_of(value) != BASE_JSON_STRING) {
		return BASE_OK;
	}
	return base_json_text(value, buf, out);
}

static enum base_code member_text(struct base_str object, struct base_str name,
				  struct base_buf *buf, struct base_str *out)
{
	return value_text(base_json_get(object, name), buf, out);
}

static enum base_code type_meta_read(struct type_meta *meta, const struct base_alloc *alloc,
				     const struct inf_parts *object)
{
	base_buf_init(&meta->kind_buf, alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&meta->version_buf, alloc, BASE_BUF_MAX_DEFAULT);
	enum base_code code = value_text(object->kind, &meta->kind_buf, &meta->kind);
	if (code == BASE_OK) {
		code = value_text(object->api_version, &meta->version_buf, &meta->api_version);
	}
	/* "/v1" is the group "" and the version "v1", "g/" has no version. */
	if (base_str_starts(meta->api_version, BASE_STR("/"))) {
		meta->api_version = base_str_skip(meta->api_version, 1);
	} else if (base_str_ends(meta->api_version, BASE_STR("/"))) {
		meta->lacks_version = true;
	}
	return code;
}

static void type_meta_release(struct type_meta *meta)
{
	base_buf_release(&meta->kind_buf);
	base_buf_release(&meta->version_buf);
}

static bool is_meta_group(struct base_str api_version)
{
	return base_str_is(api_version, "meta.k8s.io/v1") ||
	       base_str_is(api_version, "meta.k8s.io/v1beta1");
}

/* What every client reads first: two texts, and at most one '/' in the version. */
static bool type_meta_is_bad(const struct type_meta *meta, const struct inf_parts *object)
{
	const enum base_json_kind kind = base_json_kind_of(object->kind);
	const enum base_json_kind version = base_json_kind_of(object->api_version);
	struct base_str group;
	bool found;
	if ((kind != BASE_JSON_STRING && kind != BASE_JSON_NULL && kind != BASE_JSON_NONE) ||
	    (version != BASE_JSON_STRING && version != BASE_JSON_NULL &&
	     version != BASE_JSON_NONE)) {
		return true;
	}
	struct base_str rest = base_str_cut(meta->api_version, '/', &group, &found);
	(void)base_str_cut(rest, '/', &group, &found);
	return found;
}

/* Every client knows a Status, whatever its group version says. */
static bool is_status(const struct type_meta *meta)
{
	return base_str_is(meta->kind, "Status") && meta->api_version.len > 0 &&
	       !meta->lacks_version;
}

static bool is_table(const struct type_meta *meta)
{
	return base_str_is(meta->kind, "Table") && is_meta_group(meta->api_version);
}

/* A typed client decodes the whole object, content too, also of a kind that it will skip. */
static bool has_bad_content(const struct inf_decoder *decoder, struct base_str object,
			    struct base_str api_version, struct base_str kind)
{
	return decoder->resource->flavour == INF_TYPED && base_str_is(api_version, "v1") &&
	       inf_check_content(object, kind) != NULL;
}

static bool no_memory(struct inf_error *error)
{
	inf_error_set(error, INF_ERROR_MEMORY, "no memory to decode a list");
	return false;
}

/* What the body is, by its kind. */
enum list_shape { LIST_ITEMS, LIST_EMPTY, LIST_REFUSED };

static enum list_shape typed_list_shape(const struct inf_decoder *decoder,
					const struct type_meta *meta, struct inf_error *error)
{
	struct base_str kind = decoder->resource->kind;
	bool version_fits = meta->api_version.len == 0 ||
			    base_str_eq(meta->api_version, decoder->api_version);
	if (meta->kind.len == 0 && version_fits) {
		return LIST_ITEMS;
	}
	if (version_fits && meta->kind.len == kind.len + 4 && base_str_starts(meta->kind, kind) &&
	    base_str_ends(meta->kind, BASE_STR("List"))) {
		return LIST_ITEMS;
	}
	struct base_str version = meta->api_version.len > 0 ? meta->api_version
							    : decoder->api_version;
	if (inf_kind_is_registered(version, meta->kind)) {
		return LIST_EMPTY; /* decoded into an object of its own, which nobody looks at */
	}
	inf_error_set(error, INF_ERROR_DECODE,
		      "no kind \"%.*s\" is registered for version \"%.*s\"",
		      BASE_STR_ARG(meta->kind), BASE_STR_ARG(meta->api_version));
	return LIST_REFUSED;
}

/* Any kind that the metadata client does not know is taken for what it asked for. */
static enum list_shape metadata_list_shape(const struct type_meta *meta, struct inf_error *error)
{
	if (meta->api_version.len == 0) {
		inf_error_set(error, INF_ERROR_DECODE,
			      "Object 'apiVersion' is missing in the list");
		return LIST_REFUSED;
	}
	if (!inf_kind_is_metadata(meta->api_version, meta->kind) ||
	    (base_str_is(meta->kind, "PartialObjectMetadataList") &&
	     base_str_is(meta->api_version, "meta.k8s.io/v1"))) {
		return LIST_ITEMS;
	}
	inf_error_set(error, INF_ERROR_DECODE, "unexpected object: %.*s %.*s",
		      BASE_STR_ARG(meta->api_version), BASE_STR_ARG(meta->kind));
	return LIST_REFUSED;
}

/* A dynamic client decodes into its own list whatever comes, a Status too. */
static enum list_shape list_shape(const struct inf_decoder *decoder, const struct type_meta *meta,
				  struct base_str value, struct inf_error *error)
{
	const enum inf_flavour flavour = decoder->resource->flavour;
	struct type_meta as_given = *meta;
	if (as_given.api_version.len == 0 && flavour == INF_TYPED) {
		as_given.api_version = BASE_STR("v1");
	}
	if (flavour != INF_DYNAMIC && is_status(&as_given)) {
		struct base_str status = {0};
		(void)base_json_plain_text(base_json_get(value, BASE_STR("status")), &status);
		if (!base_str_is(status, "Success")) {
			inf_error_from_status(error, value);
			return LIST_REFUSED;
		}
		if (flavour == INF_TYPED) {
			return LIST_EMPTY;
		}
	}
	if (flavour != INF_DYNAMIC && meta->lacks_version) {
		inf_error_set(error, INF_ERROR_DECODE,
			      "Object 'apiVersion' is missing in the list");
		return LIST_REFUSED;
	}
	if (flavour == INF_TYPED) {
		return typed_list_shape(decoder, meta, error);
	}
	if (meta->kind.len == 0) {
		inf_error_set(error, INF_ERROR_DECODE, "Object 'Kind' is missing in the list");
		return LIST_REFUSED;
	}
	return flavour == INF_METADATA ? metadata_list_shape(meta, error) : LIST_ITEMS;
}

/* What an item is when it does not say so (W-5). */
static void item_type(const struct inf_decoder *decoder, const struct type_meta *meta,
		      struct base_str *api_version, struct base_str *kind)
{
	if (decoder->resource->flavour == INF_TYPED) {
		*api_version = decoder->api_version;
		*kind = decoder->resource->kind;
		return;
	}
	*api_version = meta->api_version;
	*kind = meta->kind;
	if (base_str_ends(*kind, BASE_STR("List"))) {
		kind->len -= 4;
	}
}

/* The value that the iterator stands on, which goes behind it: an object is walked once. */
static struct inf_parts take_item(struct base_json_iter *it)
{
	struct inf_parts parts;
	struct base_str rest;
	const struct base_str open = base_str_n(it->at, (size_t)(it->end - it->at));
	if (*it->at == '{' && inf_parts_open(open, &parts, &rest)) {
		it->at = rest.ptr;
		return parts;
	}
	base_json_iter_pass(it);
	return inf_parts_of(it->value);
}

static bool decode_item(struct inf_decoder *decoder, const struct type_meta *meta,
			struct inf_parts parts, struct inf_list *list, struct inf_error *error)
{
	struct base_str api_version, kind;
	enum base_json_kind json = base_json_kind_of(parts.raw);
	if (json == BASE_JSON_NULL) {
		parts = inf_parts_of(BASE_STR("{}"));
	} else if (json != BASE_JSON_OBJECT) {
		inf_error_set(error, INF_ERROR_DECODE, "an item of the list is no object");
		return false;
	}
	parts.is_map = decoder->resource->flavour == INF_DYNAMIC;
	if (!parts.is_map) {
		const char *bad = inf_check_object(&parts);
		if (bad == NULL && has_bad_content(decoder, parts.raw, decoder->api_version,
						   decoder->resource->kind)) {
			bad = "the content";
		}
		if (bad != NULL) {
			inf_error_set(error, INF_ERROR_DECODE,
				      "field \"%s\" of an item has the wrong type", bad);
			return false;
		}
	}
	item_type(decoder, meta, &api_version, &kind);
	struct inf_object *object;
	if (reserve_items(list, 1) != BASE_OK ||
	    inf_object_new_parts(decoder->alloc, &parts, api_version, kind, &object, NULL) !=
		    BASE_OK) {
		return no_memory(error);
	}
	list->items[list->count++] = object;
	return true;
}

static bool decode_items(struct inf_decoder *decoder, const struct type_meta *meta,
			 struct base_str items, struct inf_list *list, struct inf_error *error)
{
	struct base_json_iter it;
	enum base_json_kind kind = base_json_kind_of(items);
	if (kind == BASE_JSON_NONE || kind == BASE_JSON_NULL) {
		return true;
	}
	if (kind != BASE_JSON_ARRAY) {
		inf_error_set(error, INF_ERROR_DECODE, "the items of the list are no array");
		return false;
	}
	base_json_iter_open(&it, items.ptr, items.ptr + items.len);
	while (base_json_iter_member(&it)) {
		if (!decode_item(decoder, meta, take_item(&it), list, error)) {
			return false;
		}
	}
	return true;
}

static enum base_code copy_member(struct base_str object, struct base_str name,
				  struct base_buf *out)
{
	struct base_str text;
	base_buf_clear(out);
	enum base_code code = member_text(object, name, out, &text);
	if (code == BASE_OK && out->len == 0) {
		code = base_buf_str(out, text);
	}
	return code;
}

/* What a list of another kind holds is decoded too, then nobody looks at it. NULL: all is well. */
static const char *check_other_list(const struct inf_decoder *decoder, const struct type_meta *meta,
				    const struct inf_parts *list)
{
	struct base_json_iter it;
	const enum base_json_kind json = base_json_kind_of(list->items);
	const struct base_str kind = base_str_take(meta->kind, meta->kind.len - 4);
	const char *bad = inf_check_list(list);
	if (bad != NULL || json == BASE_JSON_NONE || json == BASE_JSON_NULL) {
		return bad;
	}
	if (json != BASE_JSON_ARRAY) {
		return "items";
	}
	base_json_iter_open(&it, list->items.ptr, list->items.ptr + list->items.len);
	while (bad == NULL && base_json_iter_member(&it)) {
		struct inf_parts parts = take_item(&it);
		const enum base_json_kind item = base_json_kind_of(parts.raw);
		if (item == BASE_JSON_NULL) {
			continue;
		}
		if (item != BASE_JSON_OBJECT) {
			return "items";
		}
		bad = inf_check_object(&parts);
		if (bad == NULL && has_bad_content(decoder, parts.raw, meta->api_version, kind)) {
			bad = "the content";
		}
	}
	return bad;
}

static bool decode_list_value(struct inf_decoder *decoder, const struct inf_parts *parts,
			      struct inf_list *list, const struct type_meta *meta,
			      struct inf_error *error)
{
	enum list_shape shape = list_shape(decoder, meta, parts->raw, error);
	const char *bad = NULL;
	if (shape == LIST_REFUSED) {
		return false;
	}
	if (shape == LIST_EMPTY && base_str_ends(meta->kind, BASE_STR("List"))) {
		bad = check_other_list(decoder, meta, parts);
	} else if (shape == LIST_ITEMS && decoder->resource->flavour != INF_DYNAMIC) {
		bad = inf_check_list(parts);
	}
	if (bad != NULL) {
		inf_error_set(error, INF_ERROR_DECODE,
			      "field \"%s\" of the list has the wrong type", bad);
		return false;
	}
	if (shape == LIST_EMPTY) {
		return true;
	}
	if (copy_member(parts->metadata, BASE_STR("resourceVersion"), &list->rv) != BASE_OK ||
	    copy_member(parts->metadata, BASE_STR("continue"), &list->continue_token) != BASE_OK) {
		return no_memory(error);
	}
	list->is_table = decoder->resource->flavour == INF_DYNAMIC && is_table(meta);
	return decode_items(decoder, meta, parts->items, list, error);
}

static void count_odd(struct inf_decoder *decoder, const struct base_json_odd *odd)
{
	decoder->odd.invalid_utf8 += odd->invalid_utf8;
	decoder->odd.lone_surrogates += odd->lone_surrogates;
}

bool inf_decode_list(struct inf_decoder *decoder, struct base_str body, struct inf_list *list,
		     struct inf_error *error)
{
	struct base_str value;
	struct base_json_odd odd = {0};
	struct base_error why = {0};
	struct type_meta meta = {0};
	memset(error, 0, sizeof(*error));
	inf_list_release(list);
	if (base_json_check(body, &value, &odd, &why) != BASE_OK) {
		inf_error_set(error, INF_ERROR_DECODE, "the list is no JSON: %s", why.text);
		return false;
	}
	count_odd(decoder, &odd);
	if (base_json_kind_of(value) == BASE_JSON_NULL) {
		value = BASE_STR("{}");
	}
	if (base_json_kind_of(value) != BASE_JSON_OBJECT) {
		inf_error_set(error, INF_ERROR_DECODE, "the list is no JSON object");
		return false;
	}
	bool good;
	const struct inf_parts parts = inf_parts_of(value);
	if (type_meta_read(&meta, decoder->alloc, &parts) != BASE_OK) {
		good = no_memory(error);
	} else if (type_meta_is_bad(&meta, &parts)) {
		inf_error_set(error, INF_ERROR_DECODE, "couldn't get version/kind of the list");
		good = false;
	} else {
		good = decode_list_value(decoder, &parts, list, &meta, error);
	}
	type_meta_release(&meta);
	if (!good) {
		inf_list_release(list);
	}
	return good;
}

bool inf_decode_status(struct base_str body, const struct base_alloc *alloc,
		       struct base_str *status)
{
	struct base_json_odd odd = {0};
	struct type_meta meta = {0};
	struct base_str failure = {0};
	if (base_json_check(body, status, &odd, NULL) != BASE_OK ||
	    base_json_kind_of(*status) != BASE_JSON_OBJECT) {
		return false;
	}
	const struct inf_parts parts = inf_parts_of(*status);
	bool good = type_meta_read(&meta, alloc, &parts) == BASE_OK &&
		    !type_meta_is_bad(&meta, &parts) && base_str_is(meta.kind, "Status") &&
		    !meta.lacks_version && inf_check_status(*status) == NULL;
	(void)base_json_plain_text(base_json_get(*status, BASE_STR("status")), &failure);
	type_meta_release(&meta);
	return good && base_str_is(failure, "Failure");
}

/* ---- Watch events ---- */

void inf_event_release(struct inf_event *event)
{
	inf_object_unref(event->object);
	event->object = NULL;
}

static bool event_type(struct base_str text, enum inf_event_type *type)
{
	static const char *const words[] = {
		[INF_EVENT_ADDED] = "ADDED",     [INF_EVENT_MODIFIED] = "MODIFIED",
		[INF_EVENT_DELETED] = "DELETED", [INF_EVENT_BOOKMARK] = "BOOKMARK",
		[INF_EVENT_ERROR] = "ERROR",
	};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (base_str_is(text, words[i])) {
			*type = (enum inf_event_type)i;
			return true;
		}
	}
	return false;
}

/* Can this client decode the object at all? NULL: yes. */
static const char *check_event_object(const struct inf_decoder *decoder,
				      const struct type_meta *meta, struct inf_parts *object)
{
	bool expected = base_str_eq(meta->kind, decoder->resource->kind) &&
			base_str_eq(meta->api_version, decoder->api_version);
	if (type_meta_is_bad(meta, object)) {
		return "couldn't get version/kind";
	}
	if (meta->kind.len == 0) {
		return "Object 'Kind' is missing";
	}
	if (meta->api_version.len == 0 || meta->lacks_version) {
		return "Object 'apiVersion' is missing";
	}
	if (is_status(meta)) {
		return inf_check_status(object->raw) == NULL
			       ? NULL
			       : "a field of the Status has the wrong type";
	}
	switch (decoder->resource->flavour) {
	case INF_DYNAMIC: /* what its map holds in the end needs a kind too */
		return object->plain || base_json_kind_of(base_json_get(
						object->raw, BASE_STR("kind"))) == BASE_JSON_STRING
			       ? NULL
			       : "Object 'Kind' is missing";
	case INF_METADATA:
		if (!inf_kind_is_metadata(meta->api_version, meta->kind)) {
			return "the kind is not registered";
		}
		break;
	case INF_TYPED:
		if (!expected && !inf_kind_is_registered(meta->api_version, meta->kind)) {
			return "the kind is not registered";
		}
		break;
	}
	if (!expected && base_str_ends(meta->kind, BASE_STR("List"))) {
		return check_other_list(decoder, meta, object) == NULL
			       ? NULL
			       : "a field of the list has the wrong type";
	}
	if (inf_check_object(object) != NULL ||
	    has_bad_content(decoder, object->raw, meta->api_version, meta->kind)) {
		return "a field of the object has the wrong type";
	}
	return NULL;
}

static enum inf_event_use event_use(const struct inf_decoder *decoder, const struct type_meta *meta)
{
	bool expected = base_str_eq(meta->kind, decoder->resource->kind) &&
			base_str_eq(meta->api_version, decoder->api_version);
	switch (decoder->resource->flavour) {
	case INF_TYPED: return expected ? INF_EVENT_USE : INF_EVENT_SKIP_TYPE;
	case INF_METADATA:
		return base_str_is(meta->kind, "PartialObjectMetadata") ? INF_EVENT_USE
									: INF_EVENT_SKIP_TYPE;
	case INF_DYNAMIC: break;
	}
	if (is_status(meta)) {
		return INF_EVENT_SKIP_TYPE;
	}
	return is_table(meta) ? INF_EVENT_SKIP_TABLE : INF_EVENT_USE;
}

static void read_error_event(const struct type_meta *meta, struct base_str object,
			     struct inf_error *error)
{
	if (is_status(meta)) {
		inf_error_from_status(error, object);
		return;
	}
	inf_error_set(error, INF_ERROR_UNEXPECTED_OBJECT, "unexpected object: %.*s %.*s",
		      BASE_STR_ARG(meta->api_version), BASE_STR_ARG(meta->kind));
}

static enum base_code decode_object(struct inf_decoder *decoder, struct inf_parts *parts,
				    struct inf_event *event, const char **why)
{
	struct type_meta meta = {0};
	struct base_str object = parts->raw;
	enum base_code code = type_meta_read(&meta, decoder->alloc, parts);
	parts->is_map = decoder->resource->flavour == INF_DYNAMIC;
	if (code == BASE_OK) {
		*why = check_event_object(decoder, &meta, parts);
		code = *why == NULL ? BASE_OK : BASE_EINVAL;
	}
	if (code == BASE_OK && event->type == INF_EVENT_ERROR) {
		read_error_event(&meta, object, &event->error);
	} else if (code == BASE_OK) {
		event->use = event_use(decoder, &meta);
		code = inf_object_new_parts(decoder->alloc, parts, meta.api_version, meta.kind,
					    &event->object, NULL);
		if (code == BASE_OK && event->use == INF_EVENT_USE &&
		    !inf_object_has_metadata(event->object)) {
			event->use = INF_EVENT_SKIP_METADATA;
		}
	}
	type_meta_release(&meta);
	return code;
}

/* {"type":"…","object":{…}} as API servers write it: the object is walked once, and its end found by that.
 * False: it is written in another way. */
static bool cut_usual_frame(struct base_str frame, const struct base_json_outline *outline,
			    struct base_str *type, struct inf_parts *object)
{
	const struct base_str head = BASE_STR("{\"type\":\""), middle = BASE_STR(",\"object\":");
	struct base_str rest = base_str_skip(frame, head.len);
	size_t quote;
	if (!base_str_starts(frame, head)) {
		return false;
	}
	quote = base_str_find_char(base_str_take(rest, 16), '"');
	if (quote == SIZE_MAX) {
		return false;
	}
	*type = base_str_n(rest.ptr - 1, quote + 2);
	rest = base_str_skip(rest, quote + 1);
	if (!base_str_starts(rest, middle)) {
		return false;
	}
	rest = base_str_skip(rest, middle.len);
	if (!base_str_starts(rest, BASE_STR("{"))) {
		return false;
	}
	struct base_str behind;
	if (outline != NULL && inf_parts_outlined(rest, outline, object, &behind) &&
	    base_str_is(base_str_trim(behind), "}")) {
		return true;
	}
	return inf_parts_open(rest, object, &behind) && base_str_is(base_str_trim(behind), "}");
}

/* Both members in one walk; the last of each counts. */
static void cut_frame(struct base_str frame, const struct base_json_outline *outline,
		      struct base_str *type, struct inf_parts *parts)
{
	struct base_json_iter it;
	struct base_str found = {0}, *object = &found;
	if (cut_usual_frame(frame, outline, type, parts)) {
		return;
	}
	bool escaped = false;
	*type = *object = (struct base_str){0};
	base_json_iter_init(&it, frame);
	while (base_json_iter_next(&it)) {
		escaped = escaped || it.key_escaped;
		if (base_str_eq(it.key, BASE_STR("type"))) {
			*type = it.value;
		} else if (base_str_eq(it.key, BASE_STR("object"))) {
			*object = it.value;
		}
	}
	if (escaped) {
		*type = base_json_get(frame, BASE_STR("type"));
		*object = base_json_get(frame, BASE_STR("object"));
	}
	*parts = inf_parts_of(found);
}

static enum base_code refuse(const char **why, const char *text)
{
	*why = text;
	return BASE_EINVAL;
}

enum base_code inf_decode_event(struct inf_decoder *decoder, struct base_str frame,
				struct inf_event *event, const char **why)
{
	return inf_decode_outlined(decoder, frame, NULL, event, why);
}

enum base_code inf_decode_outlined(struct inf_decoder *decoder, struct base_str frame,
				   const struct base_json_outline *outline, struct inf_event *event,
				   const char **why)
{
	struct base_buf buf;
	struct base_str text;
	memset(event, 0, sizeof(*event));
	*why = NULL;
	if (base_json_kind_of(frame) != BASE_JSON_OBJECT) {
		return refuse(why, "a watch event is no JSON object");
	}
	struct base_str type;
	struct inf_parts object;
	cut_frame(frame, outline, &type, &object);
	if (base_json_kind_of(type) != BASE_JSON_STRING) {
		return refuse(why, "got invalid watch event type");
	}
	base_buf_init(&buf, decoder->alloc, BASE_BUF_MAX_DEFAULT);
	enum base_code code = base_json_text(type, &buf, &text);
	bool known = code == BASE_OK && event_type(text, &event->type);
	base_buf_release(&buf);
	if (code != BASE_OK) {
		return code;
	}
	if (!known) {
		return refuse(why, "got invalid watch event type");
	}
	if (base_json_kind_of(object.raw) != BASE_JSON_OBJECT) {
		return refuse(why, "the object of a watch event is no JSON object");
	}
	return decode_object(decoder, &object, event, why);
}

bool inf_object_ends_initial_events(const struct inf_object *object, const struct base_alloc *alloc)
{
	struct base_buf buf;
	struct base_str text;
	base_buf_init(&buf, alloc, BASE_BUF_MAX_DEFAULT);
	bool ends = inf_object_annotation(object, BASE_STR("k8s.io/initial-events-end"), &buf,
					  &text) == BASE_OK &&
		    inf_initial_events_end(text);
	base_buf_release(&buf);
	return ends;
}
