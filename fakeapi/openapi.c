/* OpenAPI over HTTP: which documents there are, their tags, what of a request they obey (1.4). What is in
 * them: openapi_document.c. */
#include "fakeapi/openapi.h"

#include <inttypes.h>
#include <stdio.h>

#include "fakeapi/crd.h"
#include "fakeapi/date.h"
#include "fakeapi/discovery.h"
#include "fakeapi/machine.h"
#include "fakeapi/digest.h"

#define ROOT "/openapi/v3"
#define YEAR_S (365 * 86400)

/* Tags of documents that are not made again to be named: the real one where it is known. */
static enum base_code tag_of(struct fakeapi *f, struct base_str name, char tag[129])
{
	struct base_buf text;
	struct base_str rest, group, version;
	const struct fakeapi_openapi_tag *row;
	bool found = false;
	for (size_t i = 0; (row = fakeapi_openapi_tag_at(i)) != NULL; i++) {
		if (row->minor != fakeapi_minor(f) || !base_str_is(name, row->name))
			continue;
		(void)snprintf(tag, 129, "%s", row->tag);
		return BASE_OK;
	}
	base_buf_init(&text, f->alloc, FAKEAPI_BODY_MAX);
	rest = base_str_cut(name, '/', &group, &found);
	version = base_str_cut(rest, '/', &group, &found);
	enum base_code code =
		fakeapi_discovery_custom(f, group, version)
			? fakeapi_openapi_document(f, true, name, group, version, &text)
			: base_buf_printf(&text, "%s %.*s", f->profile->git_version,
					  BASE_STR_ARG(name));
	if (code == BASE_OK)
		fakeapi_tag(text.ptr, text.len, tag);
	base_buf_release(&text);
	return code;
}

static enum base_code date_header(const char *name, int64_t at_s, struct fakeapi_reply *reply)
{
	char date[FAKEAPI_DATE_MAX];
	fakeapi_date_http(at_s, date);
	return base_buf_printf(&reply->headers, "%s: %s\n", name, date);
}

/* 304, 406, 301 and 404 have no body and no type. */
static enum base_code bare(struct fakeapi_reply *reply, int status)
{
	reply->status = status;
	reply->content_type = NULL;
	base_buf_clear(&reply->body);
	return BASE_OK;
}

static int64_t now_s(const struct fakeapi *f)
{
	return f->config.epoch_s + (int64_t)(f->now_ns / FAKEAPI_SECOND_NS);
}

/* Does the client have it already? A tag is worth more than a date. */
static bool is_known(const struct fakeapi_call *call, const char *tag, int64_t made_s)
{
	int64_t since;
	if (call->if_none_match.len != 0)
		return base_str_is(call->if_none_match, tag);
	return fakeapi_date_parse_http(call->if_modified_since, &since) && made_s <= since;
}

/* ---- The index ---- */

struct index {
	struct fakeapi *f;
	struct base_buf *out;
	struct base_str last, next; /* names, in the order of their bytes */
	struct base_buf scratch, best;
};

static enum base_code entry_write(struct index *index, struct base_str name)
{
	char tag[129];
	enum base_code code = tag_of(index->f, name, tag);
	if (code != BASE_OK)
		return code;
	return base_buf_printf(index->out,
			       "%s\"%.*s\":{\"serverRelativeURL\":\"" ROOT "/%.*s?hash=%s\"}",
			       index->out->ptr[index->out->len - 1] == '{' ? "" : ",",
			       BASE_STR_ARG(name), BASE_STR_ARG(name), tag);
}

static enum base_code consider(struct index *index, struct base_str name)
{
	struct base_str best = base_buf_peek(&index->best);
	if (base_str_cmp(name, index->last) <= 0 ||
	    (best.len != 0 && base_str_cmp(name, best) >= 0))
		return BASE_OK;
	base_buf_clear(&index->best);
	return base_buf_str(&index->best, name);
}

static enum base_code consider_version(void *ctx, struct base_str group, struct base_str version,
				       bool custom)
{
	struct index *index = ctx;
	enum base_code code = BASE_OK;
	for (int whole = 0; code == BASE_OK && whole < 2; whole++) {
		if (whole == 0 && custom)
			continue;
		base_buf_clear(&index->scratch);
		code = base_buf_printf(&index->scratch, "%s%s%.*s", group.len != 0 ? "apis" : "api",
				       group.len != 0 ? "/" : "", BASE_STR_ARG(group));
		if (code == BASE_OK && whole != 0)
			code = base_buf_printf(&index->scratch, "/%.*s", BASE_STR_ARG(version));
		if (code == BASE_OK)
			code = consider(index, base_buf_peek(&index->scratch));
	}
	return code;
}

static enum base_code index_write(struct fakeapi *f, struct base_buf *out)
{
	static const char *const fixed[] = {".well-known/openid-configuration", "apis",
					    "openid/v1/jwks", "version"};
	struct index index = {.f = f, .out = out};
	struct base_buf last;
	base_buf_init(&index.scratch, f->alloc, FAKEAPI_BODY_MAX);
	base_buf_init(&index.best, f->alloc, FAKEAPI_BODY_MAX);
	base_buf_init(&last, f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = base_buf_text(out, "{\"paths\":{");
	while (code == BASE_OK) {
		base_buf_clear(&index.best);
		for (size_t i = 0; code == BASE_OK && i < sizeof fixed / sizeof fixed[0]; i++)
			code = consider(&index, base_str(fixed[i]));
		if (code == BASE_OK)
			code = fakeapi_discovery_each(f, consider_version, &index);
		if (code != BASE_OK || index.best.len == 0)
			break;
		code = entry_write(&index, base_buf_peek(&index.best));
		base_buf_clear(&last);
		if (code == BASE_OK)
			code = base_buf_str(&last, base_buf_peek(&index.best));
		index.last = base_buf_peek(&last);
	}
	base_buf_release(&last);
	base_buf_release(&index.best);
	base_buf_release(&index.scratch);
	return code == BASE_OK ? base_buf_text(out, "}}") : code;
}

static enum base_code index_answer(struct fakeapi_call *call, struct fakeapi_reply *reply)
{
	enum base_code code = date_header("Last-Modified", now_s(call->f), reply);
	if (code == BASE_OK && call->if_none_match.len == 0 && is_known(call, "", now_s(call->f)))
		return bare(reply, 304);
	reply->status = 200;
	reply->sized = true;
	reply->content_type = "text/plain; charset=utf-8";
	if (code == BASE_OK)
		code = base_buf_text(&reply->headers, "Accept-Ranges: bytes\n");
	return code == BASE_OK ? index_write(call->f, &reply->body) : code;
}

/* ---- A document ---- */

/* Is there one? Its group and version, both empty for what is no group version. */
static bool document_find(struct fakeapi *f, struct base_str name, struct base_str *group,
			  struct base_str *version)
{
	static const char *const fixed[] = {".well-known/openid-configuration", "api", "apis",
					    "openid/v1/jwks", "version"};
	struct base_str first, rest;
	bool found, more;
	*group = *version = (struct base_str){0};
	for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
		if (base_str_is(name, fixed[i]))
			return true;
	rest = base_str_cut(name, '/', &first, &found);
	if (base_str_is(first, "api")) {
		*version = rest;
		return base_str_is(rest, "v1");
	}
	if (!base_str_is(first, "apis"))
		return false;
	*version = base_str_cut(rest, '/', group, &more);
	if (group->len == 0 || (more && version->len == 0))
		return false;
	return fakeapi_discovery_has(fakeapi_minor(f), *group, *version) ||
	       (more && fakeapi_discovery_custom(f, *group, *version));
}

/* ---- Forms ---- */

#define PROTO(v) "com.github.proto-openapi.spec.v" v ".v1.0+protobuf"
#define PROTO_AT(v) "com.github.proto-openapi.spec.v" v "@v1.0+protobuf"

enum form { FORM_NONE, FORM_JSON, FORM_PROTO };

/* What a clause of Accept can be given. */
static enum form clause_form(struct base_str type, bool v3)
{
	struct base_str first, second;
	bool found;
	second = base_str_cut(type, '/', &first, &found);
	if (!base_str_is(first, "application") && !base_str_is(first, "*"))
		return FORM_NONE;
	if (base_str_is(second, "json") || base_str_is(second, "*"))
		return FORM_JSON;
	return base_str_is(second, v3 ? PROTO("3") : PROTO("2")) ||
			       base_str_is(second, v3 ? PROTO_AT("3") : PROTO_AT("2"))
		       ? FORM_PROTO
		       : FORM_NONE;
}

/* "0.5" in thousandths; what is none is all. */
static unsigned weight(struct base_str parameters)
{
	struct base_str one, name, whole, rest = parameters;
	bool more = rest.len != 0, found;
	unsigned value = 1000;
	while (more) {
		rest = base_str_cut(rest, ';', &one, &more);
		struct base_str text = base_str_cut(base_str_trim(one), '=', &name, &found);
		if (!base_str_is(name, "q"))
			continue;
		struct base_str part = base_str_cut(text, '.', &whole, &found);
		value = base_str_is(whole, "0") ? 0 : 1000;
		for (unsigned i = 0, unit = 100; value < 1000 && i < 3 && i < part.len; i++) {
			if (part.ptr[i] >= '0' && part.ptr[i] <= '9')
				value += (unsigned)(part.ptr[i] - '0') * unit;
			unit /= 10;
		}
	}
	return value;
}

/* The clause of the most weight that can be answered; of several the first. */
static enum form form_of(struct base_str accept, bool v3)
{
	enum form best = accept.len == 0 ? FORM_JSON : FORM_NONE;
	unsigned most = 0;
	bool more = accept.len != 0;
	while (more) {
		struct base_str clause, type;
		bool found;
		accept = base_str_cut(accept, ',', &clause, &more);
		struct base_str parameters = base_str_cut(clause, ';', &type, &found);
		enum form form = clause_form(base_str_trim(type), v3);
		unsigned value = weight(parameters);
		if (form == FORM_NONE || (best != FORM_NONE && value <= most))
			continue;
		best = form;
		most = value;
	}
	return best;
}

static struct base_str hash_asked(const struct fakeapi_call *call)
{
	struct base_str rest = call->raw_query, pair, name;
	bool more = rest.len != 0, found;
	while (more) {
		rest = base_str_cut(rest, '&', &pair, &more);
		struct base_str value = base_str_cut(pair, '=', &name, &found);
		if (base_str_is(name, "hash"))
			return value;
	}
	return (struct base_str){0};
}

static enum base_code moved(struct base_str name, const char *tag, struct fakeapi_reply *reply)
{
	reply->status = 301;
	return base_buf_printf(&reply->headers, "Location: " ROOT "/%.*s?hash=%s\n",
			       BASE_STR_ARG(name), tag);
}

static enum base_code as_proto(struct fakeapi *f, struct fakeapi_reply *reply)
{
	struct base_buf out;
	base_buf_init(&out, f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code =
		fakeapi_openapi_proto(true, base_buf_peek(&reply->body), f->alloc, &out);
	base_buf_clear(&reply->body);
	if (code == BASE_OK)
		code = base_buf_str(&reply->body, base_buf_peek(&out));
	base_buf_release(&out);
	reply->content_type = "application/" PROTO("3");
	return code;
}

static enum base_code document_answer(struct fakeapi_call *call, struct base_str name,
				      struct fakeapi_reply *reply)
{
	struct base_str group, version, asked = hash_asked(call);
	char tag[129], quoted[132];
	if (!document_find(call->f, name, &group, &version))
		return bare(reply, 404);
	enum form form = form_of(call->accept, true);
	/* Documents of custom resources follow their definitions. */
	int64_t made_s = fakeapi_discovery_custom(call->f, group, version)
				 ? now_s(call->f)
				 : call->f->config.epoch_s;
	enum base_code code = base_buf_text(&reply->headers, "Vary: Accept\n");
	if (code == BASE_OK && form == FORM_NONE)
		return bare(reply, 406);
	if (code == BASE_OK)
		code = tag_of(call->f, name, tag);
	if (code != BASE_OK)
		return code;
	(void)snprintf(quoted, sizeof quoted, "\"%s\"", tag);
	code = base_buf_printf(&reply->headers, "Etag: %s\n", quoted);
	if (code == BASE_OK && asked.len != 0 && !base_str_is(asked, tag))
		return moved(name, tag, reply);
	if (code == BASE_OK && asked.len != 0) {
		reply->cache_control = "public, immutable";
		code = date_header("Expires", now_s(call->f) + YEAR_S, reply);
	}
	if (code == BASE_OK && is_known(call, quoted, made_s))
		return bare(reply, 304);
	reply->loose = true;
	reply->status = 200;
	reply->sized = true;
	if (code == BASE_OK)
		code = base_buf_text(&reply->headers, "Accept-Ranges: bytes\n");
	if (code == BASE_OK)
		code = date_header("Last-Modified", made_s, reply);
	if (code == BASE_OK)
		code = fakeapi_openapi_document(call->f, true, name, group, version, &reply->body);
	if (code == BASE_OK && form == FORM_PROTO)
		code = as_proto(call->f, reply);
	return code;
}

/* ---- Version 2: one large document, made when it is first asked for and kept until definitions change ---- */

struct fakeapi_openapi_kept {
	struct base_buf key; /* which definitions it tells of */
	struct base_buf json, proto;
	int64_t made_s;
	char tag[129];
};

void fakeapi_openapi_forget(struct fakeapi *f)
{
	struct fakeapi_openapi_kept *kept = f->openapi;
	if (kept == NULL)
		return;
	base_buf_release(&kept->key);
	base_buf_release(&kept->json);
	base_buf_release(&kept->proto);
	base_free(f->alloc, kept);
	f->openapi = NULL;
}

static enum base_code key_write(struct fakeapi *f, struct base_buf *key)
{
	const struct fakeapi_resource *r;
	enum base_code code = base_buf_char(key, '2');
	for (size_t i = 0; code == BASE_OK && (r = fakeapi_resources_at(&f->resources, i)) != NULL;
	     i++) {
		if (!r->custom || r->retired)
			continue;
		const struct fakeapi_object *definition = fakeapi_crd_object(f, r);
		code = base_buf_printf(key, " %zu %" PRIu64, i,
				       definition != NULL ? definition->rv : 0);
	}
	return code;
}

/* f->openapi is there and as it is to be. */
static enum base_code keep(struct fakeapi *f)
{
	struct base_buf key;
	base_buf_init(&key, f->alloc, FAKEAPI_BODY_MAX);
	enum base_code code = key_write(f, &key);
	if (code == BASE_OK && f->openapi != NULL &&
	    base_str_eq(base_buf_peek(&key), base_buf_peek(&f->openapi->key))) {
		base_buf_release(&key);
		return BASE_OK;
	}
	fakeapi_openapi_forget(f);
	f->openapi = code == BASE_OK ? base_calloc(f->alloc, 1, sizeof *f->openapi) : NULL;
	if (f->openapi == NULL) {
		base_buf_release(&key);
		return code == BASE_OK ? BASE_ENOMEM : code;
	}
	f->openapi->key = key;
	f->openapi->made_s = now_s(f);
	base_buf_init(&f->openapi->json, f->alloc, FAKEAPI_BODY_MAX);
	base_buf_init(&f->openapi->proto, f->alloc, FAKEAPI_BODY_MAX);
	const struct base_str none = {0};
	code = fakeapi_openapi_document(f, false, none, none, none, &f->openapi->json);
	if (code == BASE_OK)
		fakeapi_tag(f->openapi->json.ptr, f->openapi->json.len, f->openapi->tag);
	else
		fakeapi_openapi_forget(f);
	return code;
}

/* The kept document in that form, into the reply. */
static enum base_code kept_write(struct fakeapi *f, enum form form, struct fakeapi_reply *reply)
{
	struct fakeapi_openapi_kept *kept = f->openapi;
	enum base_code code = BASE_OK;
	if (form == FORM_JSON)
		return base_buf_str(&reply->body, base_buf_peek(&kept->json));
	if (kept->proto.len == 0)
		code = fakeapi_openapi_proto(false, base_buf_peek(&kept->json), f->alloc,
					     &kept->proto);
	if (code != BASE_OK)
		base_buf_clear(&kept->proto);
	reply->content_type = "application/" PROTO("2");
	return code == BASE_OK ? base_buf_str(&reply->body, base_buf_peek(&kept->proto)) : code;
}

static enum base_code old_answer(struct fakeapi_call *call, struct fakeapi_reply *reply)
{
	char quoted[132];
	enum form form = form_of(call->accept, false);
	enum base_code code =
		base_buf_text(&reply->headers, "Vary: Accept-Encoding\nVary: Accept\n");
	if (code == BASE_OK && form == FORM_NONE)
		return bare(reply, 406);
	if (code == BASE_OK)
		code = keep(call->f);
	if (code != BASE_OK)
		return code;
	(void)snprintf(quoted, sizeof quoted, "\"%s\"", call->f->openapi->tag);
	code = base_buf_printf(&reply->headers, "Etag: %s\n", quoted);
	if (code == BASE_OK && is_known(call, quoted, call->f->openapi->made_s))
		return bare(reply, 304);
	reply->packs = true;
	reply->status = 200;
	reply->sized = true;
	if (code == BASE_OK)
		code = base_buf_text(&reply->headers, "Accept-Ranges: bytes\n");
	if (code == BASE_OK)
		code = date_header("Last-Modified", call->f->openapi->made_s, reply);
	return code == BASE_OK ? kept_write(call->f, form, reply) : code;
}

enum base_code fakeapi_openapi_answer(struct fakeapi_call *call, struct base_str path,
				      struct fakeapi_reply *reply)
{
	if (base_str_is(path, ROOT))
		return index_answer(call, reply);
	if (base_str_is(path, "/openapi/v2"))
		return old_answer(call, reply);
	if (base_str_starts(path, BASE_STR(ROOT "/")))
		return document_answer(call, base_str_skip(path, sizeof ROOT), reply);
	return BASE_OK;
}
