/* The Accept header (2.6): its clauses in order of preference, and the first that can be served.
 *
 * Two instances look at it, as in the real server. The router knows a list of types for each route of a
 * built-in kind and refuses what names none of them. Then the clauses are tried in turn with their
 * parameters; a clause that cannot be served is passed over. */
#include "fakeapi/machine.h"

#include <stdio.h>

#define CLAUSES_MAX 64
#define Q_ONE 1000000

static const char *const media_types[] = {"application/json", "application/yaml",
					  "application/vnd.kubernetes.protobuf"};

/* ---- Clauses ---- */

struct clause {
	struct base_str type, subtype, params;
	int64_t q; /* millionths */
};

struct clauses {
	struct clause at[CLAUSES_MAX];
	size_t count;
};

static struct base_str trim_blanks(struct base_str s)
{
	while (s.len != 0 && s.ptr[0] == ' ')
		s = base_str_skip(s, 1);
	while (s.len != 0 && s.ptr[s.len - 1] == ' ')
		s.len--;
	return s;
}

/* "0.5" in millionths; what is no number is 0. */
static int64_t q_read(struct base_str text)
{
	int64_t value = 0, unit = Q_ONE;
	bool fraction = false;
	if (text.len == 0 || text.len > 16)
		return 0;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		if (c == '.' && !fraction) {
			fraction = true;
		} else if (c < '0' || c > '9') {
			return 0;
		} else if (fraction) {
			unit /= 10;
			value += unit * (c - '0');
		} else if (value < 1000 * (int64_t)Q_ONE) {
			value = value * 10 + (int64_t)(c - '0') * Q_ONE;
		}
	}
	return value;
}

/* The next parameter "name=value" of a clause; false at the end. Odd ones have an empty name. */
static bool param_next(struct base_str *params, struct base_str *name, struct base_str *value)
{
	bool found, more;
	struct base_str part, rest;
	if (params->len == 0)
		return false;
	*params = base_str_cut(*params, ';', &part, &more);
	*value = base_str_cut(part, '=', name, &found);
	(void)base_str_cut(*value, '=', &rest, &more);
	if (!found || value->len == 0 || (more && rest.len + 1 < value->len))
		*name = (struct base_str){0};
	*value = trim_blanks(rest);
	*name = trim_blanks(*name);
	return true;
}

/* False: not a media range. */
static bool clause_read(struct base_str part, struct clause *clause)
{
	struct base_str range, name, value;
	bool found, slash, second;
	part = trim_blanks(part);
	*clause = (struct clause){.q = Q_ONE};
	clause->params = base_str_cut(part, ';', &range, &found);
	struct base_str rest = base_str_cut(range, '/', &clause->type, &slash);
	clause->type = trim_blanks(clause->type);
	struct base_str tail = base_str_cut(rest, '/', &clause->subtype, &second);
	clause->subtype = trim_blanks(clause->subtype);
	if (rest.len == 0) {
		if (!base_str_is(clause->type, "*"))
			return false;
		clause->subtype = BASE_STR("*");
	}
	struct base_str params = clause->params;
	while (param_next(&params, &name, &value))
		if (base_str_is(name, "q"))
			clause->q = q_read(value);
	return tail.len == 0;
}

/* The server's own order: it is none, strictly (a wildcard always goes behind), so the way of sorting
 * matters. */
static bool before(const struct clause *a, const struct clause *b)
{
	return a->q > b->q || (!base_str_is(a->type, "*") && base_str_is(b->type, "*")) ||
	       (!base_str_is(a->subtype, "*") && base_str_is(b->subtype, "*"));
}

static void clauses_read(struct base_str header, struct clauses *out)
{
	bool more = header.len != 0;
	out->count = 0;
	while (more && out->count < CLAUSES_MAX) {
		struct base_str part;
		header = base_str_cut(header, ',', &part, &more);
		if (!clause_read(part, &out->at[out->count]))
			continue;
		for (size_t i = out->count++; i > 0 && before(&out->at[i], &out->at[i - 1]); i--) {
			struct clause moved = out->at[i];
			out->at[i] = out->at[i - 1];
			out->at[i - 1] = moved;
		}
	}
}

/* ---- One clause ---- */

/* What an endpoint allows. */
struct limits {
	bool transform; /* metadata and Tables */
	bool custom;    /* no protobuf for whole objects */
};

struct wish {
	struct base_str as, group, version, stream, server_version;
	bool convert, pretty;
};

static struct wish wish_read(struct base_str params)
{
	struct wish wish = {0};
	struct base_str name, value;
	while (param_next(&params, &name, &value)) {
		if (base_str_is(name, "as"))
			wish.as = value;
		else if (base_str_is(name, "g"))
			wish.group = value;
		else if (base_str_is(name, "v"))
			wish.version = value;
		else if (base_str_is(name, "stream"))
			wish.stream = value;
		else if (base_str_is(name, "sv"))
			wish.server_version = value;
		else if (base_str_is(name, "pretty"))
			wish.pretty = base_str_is(value, "1");
		wish.convert = wish.convert || base_str_is(name, "as") || base_str_is(name, "g") ||
			       base_str_is(name, "v");
	}
	return wish;
}

static bool shape_of(struct base_str as, enum fakeapi_shape *shape)
{
	static const struct {
		const char *as;
		enum fakeapi_shape shape;
	} rows[] = {{"Table", FAKEAPI_SHAPE_TABLE},
		    {"PartialObjectMetadata", FAKEAPI_SHAPE_METADATA},
		    {"PartialObjectMetadataList", FAKEAPI_SHAPE_METADATA_LIST}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (base_str_is(as, rows[i].as)) {
			*shape = rows[i].shape;
			return true;
		}
	return false;
}

/* Can this type be served with the clause's parameters? */
static bool serve(const struct limits *limits, enum fakeapi_media media, const struct wish *wish,
		  struct fakeapi_form *form, enum fakeapi_shape *shape)
{
	*form = (struct fakeapi_form){.media = media, .pretty = wish->pretty};
	*shape = FAKEAPI_SHAPE_FULL;
	if (wish->stream.len != 0 &&
	    (media == FAKEAPI_MEDIA_YAML || !base_str_is(wish->stream, "watch")))
		return false;
	if (wish->server_version.len != 0 &&
	    !(limits->transform && base_str_is(wish->server_version, "v1")))
		return false;
	if (!wish->convert)
		return !(limits->custom && media == FAKEAPI_MEDIA_PROTOBUF);
	form->beta = base_str_is(wish->version, "v1beta1");
	if (!limits->transform || !base_str_is(wish->group, "meta.k8s.io") ||
	    !(form->beta || base_str_is(wish->version, "v1")) || !shape_of(wish->as, shape))
		return false;
	return *shape != FAKEAPI_SHAPE_TABLE || media != FAKEAPI_MEDIA_PROTOBUF;
}

static bool choose(struct base_str header, const struct limits *limits, struct fakeapi_form *form,
		   enum fakeapi_shape *shape)
{
	struct clauses clauses;
	*form = (struct fakeapi_form){0};
	*shape = FAKEAPI_SHAPE_FULL;
	if (header.len == 0)
		return true;
	clauses_read(header, &clauses);
	for (size_t i = 0; i < clauses.count; i++) {
		const struct clause *clause = &clauses.at[i];
		struct wish wish = wish_read(clause->params);
		for (size_t m = 0; m < sizeof media_types / sizeof media_types[0]; m++) {
			struct base_str type;
			bool found;
			struct base_str sub =
				base_str_cut(base_str(media_types[m]), '/', &type, &found);
			bool any = base_str_is(clause->subtype, "*");
			bool match = (base_str_eq(clause->type, type) &&
				      (any || base_str_eq(clause->subtype, sub))) ||
				     (base_str_is(clause->type, "*") && any);
			if (match && serve(limits, (enum fakeapi_media)m, &wish, form, shape))
				return true;
		}
	}
	*form = (struct fakeapi_form){0};
	*shape = FAKEAPI_SHAPE_FULL;
	return false;
}

/* The router's look: is any of the types named, whatever its parameters? */
static bool route_knows(struct base_str header)
{
	bool more = true;
	while (more) {
		struct base_str part, type;
		bool found;
		header = base_str_cut(header, ',', &part, &more);
		(void)base_str_cut(part, ';', &type, &found);
		type = trim_blanks(type);
		if (base_str_is(type, "*/*"))
			return true;
		for (size_t i = 0; i < sizeof media_types / sizeof media_types[0]; i++)
			if (base_str_is(type, media_types[i]))
				return true;
	}
	return false;
}

/* ---- Refusals ---- */

static enum base_code refuse(struct fakeapi_exchange *exchange, int status, const char *reason,
			     struct base_str message, bool details)
{
	enum base_code code = fakeapi_reply_status(
		&exchange->reply, &(struct fakeapi_status){.code = status,
							   .message = message,
							   .details = details,
							   .reason = base_str(reason)});
	return code == BASE_OK ? BASE_EINVAL : code;
}

#define NOT_ACCEPTABLE "NotAcceptable"
#define AVAILABLE                                                                                  \
	"406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "   \
	"application/vnd.kubernetes.protobuf"

enum base_code fakeapi_negotiate(struct fakeapi_exchange *exchange, bool list)
{
	struct base_str header = exchange->call.accept;
	bool custom = exchange->call.resource != NULL && exchange->call.resource->custom;
	const struct limits limits = {.transform = true, .custom = custom};
	if (!custom && header.len != 0 && !route_knows(header)) { /* form (a): no handler saw it */
		base_buf_clear(&exchange->reply.warnings);
		return refuse(exchange, 406, NOT_ACCEPTABLE,
			      list ? BASE_STR(AVAILABLE
					      ", application/json;stream=watch, "
					      "application/vnd.kubernetes.protobuf;stream=watch")
				   : BASE_STR(AVAILABLE),
			      true);
	}
	if (choose(header, &limits, &exchange->form, &exchange->shape))
		return BASE_OK;
	return refuse(exchange, 406, NOT_ACCEPTABLE, /* form (b) */
		      BASE_STR("only the following media types are accepted: application/json, "
			       "application/yaml, application/vnd.kubernetes.protobuf"),
		      false);
}

bool fakeapi_negotiate_status(const struct fakeapi_exchange *exchange, struct fakeapi_form *form)
{
	const struct limits limits = {0};
	enum fakeapi_shape shape;
	return choose(exchange->call.accept, &limits, form, &shape);
}

static enum fakeapi_include include_of(const struct fakeapi_exchange *exchange)
{
	struct base_str value = exchange->call.query.include_object.value;
	if (value.len == 0 || base_str_is(value, "Metadata"))
		return FAKEAPI_INCLUDE_METADATA;
	if (base_str_is(value, "Object"))
		return FAKEAPI_INCLUDE_OBJECT;
	return base_str_is(value, "None") ? FAKEAPI_INCLUDE_NONE : FAKEAPI_INCLUDE_INVALID;
}

static enum base_code include_check(struct fakeapi_exchange *exchange)
{
	if (exchange->shape != FAKEAPI_SHAPE_TABLE)
		return BASE_OK;
	exchange->form.include = include_of(exchange);
	if (exchange->form.include != FAKEAPI_INCLUDE_INVALID)
		return BASE_OK;
	char message[256];
	struct base_str value = base_str_take(exchange->call.query.include_object.value, 100);
	snprintf(message, sizeof message,
		 "Unable to convert to Table as requested: includeObject: Invalid value: \"%.*s\": "
		 "must be 'Metadata', 'Object', 'None', or empty",
		 BASE_STR_ARG(value));
	return refuse(exchange, 400, "BadRequest", base_str(message), false);
}

enum base_code fakeapi_negotiate_stream(struct fakeapi_exchange *exchange)
{
	enum base_code code = include_check(exchange);
	if (code != BASE_OK || exchange->form.media != FAKEAPI_MEDIA_YAML)
		return code;
	return refuse(exchange, 406, NOT_ACCEPTABLE, /* form (c) */
		      BASE_STR("only the following media types are accepted: "
			       "application/json;stream=watch, "
			       "application/vnd.kubernetes.protobuf;stream=watch"),
		      false);
}

/* "core", "apps", "internalversion…": how Go names the type in forms (d) and (e). Custom resources have
 * one type for all. */
static void go_type(const struct fakeapi_resource *resource, bool list, char *text, size_t size)
{
	struct base_str group;
	bool found;
	if (resource->custom) {
		snprintf(text, size, "*unstructured.Unstructured%s", list ? "List" : "");
		return;
	}
	base_str_cut(base_str(resource->group), '.', &group, &found);
	if (group.len == 0)
		group = BASE_STR("core");
	snprintf(text, size, "*%.*s.%s", BASE_STR_ARG(group),
		 list ? resource->list_kind : resource->kind);
}

enum base_code fakeapi_form_check(struct fakeapi_exchange *exchange, bool list)
{
	char type[192], message[320];
	if (exchange->shape == FAKEAPI_SHAPE_TABLE)
		return include_check(exchange);
	bool wrong = list ? exchange->shape == FAKEAPI_SHAPE_METADATA
			  : exchange->shape == FAKEAPI_SHAPE_METADATA_LIST;
	if (!wrong)
		return BASE_OK;
	if (!list && exchange->call.resource->custom) {
		enum base_code code = fakeapi_reply_raw_error(&exchange->reply, 500,
							      BASE_STR("content is not a list"));
		return code == BASE_OK ? BASE_EINVAL : code;
	}
	go_type(exchange->call.resource, list, type, sizeof type);
	snprintf(
		message, sizeof message,
		list ? "you requested PartialObjectMetadata, but the requested object is a list (%s)"
		     : "you requested PartialObjectMetadataList, but the requested object is not a "
		       "list (%s)",
		type);
	return refuse(exchange, 406, NOT_ACCEPTABLE, base_str(message), false);
}
