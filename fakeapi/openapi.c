/* OpenAPI over HTTP: which documents there are, their tags, what of a request they obey (1.4). What is in
 * them: openapi_document.c. */
#include "fakeapi/openapi.h"

#include <stdio.h>

#include "fakeapi/date.h"
#include "fakeapi/discovery.h"
#include "fakeapi/machine.h"
#include "fakeapi/digest.h"

#define ROOT "/openapi/v3"
#define YEAR_S (365 * 86400)

/* A document's tag: the real one where it is known. Else it changes with what the document tells: for custom
 * resources with the definitions. */
static enum base_code tag_of(struct fakeapi *f, struct base_str name, char tag[129])
{
	struct base_buf text;
	const struct fakeapi_resource *r;
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
	enum base_code code =
		base_buf_printf(&text, "%s %.*s", f->profile->git_version, BASE_STR_ARG(name));
	rest = base_str_cut(name, '/', &group, &found);
	version = base_str_cut(rest, '/', &group, &found);
	for (size_t i = 0; code == BASE_OK && (r = fakeapi_resources_at(&f->resources, i)) != NULL;
	     i++)
		if (r->custom && !r->retired && base_str_is(group, r->group) &&
		    base_str_is(version, r->version))
			code = base_buf_printf(&text, " %s %s %zu", r->plural, r->kind, i);
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
	reply->status = 200;
	reply->sized = true;
	reply->content_type = "text/plain; charset=utf-8";
	enum base_code code = base_buf_text(&reply->headers, "Accept-Ranges: bytes\n");
	if (code == BASE_OK)
		code = date_header("Last-Modified", call->f->config.epoch_s, reply);
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

/* JSON is the only form; another one that is asked for alone is refused. */
static bool takes_json(struct base_str accept)
{
	static const char *const types[] = {"*/*", "application/*", "application/json"};
	bool more = accept.len != 0, any = !more;
	while (more && !any) {
		struct base_str clause, type;
		bool found;
		accept = base_str_cut(accept, ',', &clause, &more);
		(void)base_str_cut(clause, ';', &type, &found);
		for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
			any = any || base_str_is(base_str_trim(type), types[i]);
	}
	return any;
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

/* 304, 406, 301 and 404 have no body and no type. */
static enum base_code bare(struct fakeapi_reply *reply, int status)
{
	reply->status = status;
	reply->content_type = NULL;
	base_buf_clear(&reply->body);
	return BASE_OK;
}

static enum base_code moved(struct base_str name, const char *tag, struct fakeapi_reply *reply)
{
	reply->status = 301;
	return base_buf_printf(&reply->headers, "Location: " ROOT "/%.*s?hash=%s\n",
			       BASE_STR_ARG(name), tag);
}

static enum base_code document_answer(struct fakeapi_call *call, struct base_str name,
				      struct fakeapi_reply *reply)
{
	struct base_str group, version, asked = hash_asked(call);
	char tag[129], quoted[132];
	if (!document_find(call->f, name, &group, &version))
		return bare(reply, 404);
	enum base_code code = base_buf_text(&reply->headers, "Vary: Accept\n");
	if (code == BASE_OK && !takes_json(call->accept))
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
		code = date_header("Expires",
				   call->f->config.epoch_s + YEAR_S +
					   (int64_t)(call->f->now_ns / FAKEAPI_SECOND_NS),
				   reply);
	}
	if (code == BASE_OK && base_str_is(call->if_none_match, quoted))
		return bare(reply, 304);
	reply->status = 200;
	reply->sized = true;
	if (code == BASE_OK)
		code = base_buf_text(&reply->headers, "Accept-Ranges: bytes\n");
	if (code == BASE_OK)
		code = date_header("Last-Modified", call->f->config.epoch_s, reply);
	return code == BASE_OK
		       ? fakeapi_openapi_document(call->f, name, group, version, &reply->body)
		       : code;
}

/* ---- Version 2: small, since nobody needs it who can have version 3 ---- */

static enum base_code old_answer(struct fakeapi_call *call, struct fakeapi_reply *reply)
{
	char tag[129], quoted[132];
	enum base_code code =
		base_buf_text(&reply->headers, "Vary: Accept-Encoding\nVary: Accept\n");
	if (code == BASE_OK && !takes_json(call->accept))
		return bare(reply, 406);
	if (code == BASE_OK)
		code = tag_of(call->f, BASE_STR("v2"), tag);
	if (code != BASE_OK)
		return code;
	(void)snprintf(quoted, sizeof quoted, "\"%s\"", tag);
	code = base_buf_printf(&reply->headers, "Etag: %s\n", quoted);
	if (code == BASE_OK && base_str_is(call->if_none_match, quoted))
		return bare(reply, 304);
	reply->status = 200;
	reply->sized = true;
	if (code == BASE_OK)
		code = base_buf_text(&reply->headers, "Accept-Ranges: bytes\n");
	if (code == BASE_OK)
		code = date_header("Last-Modified", call->f->config.epoch_s, reply);
	if (code != BASE_OK)
		return code;
	return base_buf_printf(
		&reply->body,
		"{\"swagger\":\"2.0\",\"info\":{\"title\":\"Kubernetes\",\"version\":"
		"\"%s\"},\"paths\":{},\"definitions\":{}}",
		call->f->profile->git_version);
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
