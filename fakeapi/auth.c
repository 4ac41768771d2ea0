/* Users and their tokens, impersonation, 401 and 403 (4.2). */
#include "fakeapi/access.h"

#include <ctype.h>
#include <stdio.h>

#include "fakeapi/discovery.h"
#include "fakeapi/machine.h"
#include "fakeapi/name.h"

#define TEXT_MAX ((size_t)1 << 21)

void fakeapi_identity_release(struct fakeapi_identity *identity)
{
	base_buf_release(&identity->text);
}

bool fakeapi_identity_has(const struct fakeapi_identity *identity, struct base_str group)
{
	struct base_str rest = identity->groups, line;
	bool more = rest.len != 0;
	while (more) {
		rest = base_str_cut(rest, '\n', &line, &more);
		if (more && base_str_eq(line, group))
			return true;
	}
	return false;
}

const struct fakeapi_user *fakeapi_user_of_token(const struct fakeapi *f, struct base_str token)
{
	for (size_t i = 0; i < f->config.user_count; i++)
		if (base_str_eq(f->config.users[i].token, token))
			return &f->config.users[i];
	return NULL;
}

/* Sets the slices; the text has the groups and nothing else. */
static void identity_finish(struct fakeapi_identity *identity)
{
	identity->groups = base_buf_peek(&identity->text);
	identity->exempt = fakeapi_identity_has(identity, BASE_STR("system:masters"));
	identity->all = identity->all || identity->exempt;
}

static enum base_code group_add(struct fakeapi_identity *identity, struct base_str group)
{
	enum base_code code = base_buf_str(&identity->text, group);
	return code == BASE_OK ? base_buf_char(&identity->text, '\n') : code;
}

enum base_code fakeapi_identity_of_user(const struct fakeapi_user *user,
					struct fakeapi_identity *identity)
{
	struct base_str rest = user->groups, group;
	bool more = true;
	enum base_code code = BASE_OK;
	identity->name = user->name;
	identity->uid = user->uid;
	identity->all = user->admin;
	while (code == BASE_OK && more) {
		rest = base_str_cut(rest, ',', &group, &more);
		code = group_add(identity, group);
	}
	if (code == BASE_OK)
		code = group_add(identity, BASE_STR("system:authenticated"));
	identity_finish(identity);
	return code;
}

static enum base_code anonymous(struct fakeapi_identity *identity)
{
	identity->name = BASE_STR("system:anonymous");
	enum base_code code = group_add(identity, BASE_STR("system:unauthenticated"));
	identity_finish(identity);
	return code;
}

static bool is_bearer(struct base_str word)
{
	static const char want[] = "bearer";
	if (word.len != sizeof want - 1)
		return false;
	for (size_t i = 0; i < word.len; i++)
		if ((word.ptr[i] | 0x20) != want[i])
			return false;
	return true;
}

static enum base_code unauthorized(struct fakeapi_reply *reply)
{
	fakeapi_reply_clear(reply);
	reply->no_flow = true;
	return fakeapi_reply_status(reply,
				    &(struct fakeapi_status){.code = 401,
							     .message = BASE_STR("Unauthorized"),
							     .reason = BASE_STR("Unauthorized")});
}

static enum base_code identify(const struct fakeapi *f, struct base_str header,
			       struct fakeapi_identity *identity, struct fakeapi_reply *reply,
			       bool *known)
{
	struct base_str scheme, token, rest;
	bool found = false, more = false;
	*known = true;
	rest = base_str_cut(base_str_trim(header), ' ', &scheme, &found);
	rest = base_str_cut(rest, ' ', &token, &more);
	if (!found || !is_bearer(scheme))
		return anonymous(identity);
	if (token.len == 0) {
		enum base_code code = BASE_OK;
		if (more)
			code = base_buf_text(
				&reply->warnings,
				"299 - \"the provided Authorization header contains extra "
				"space before the bearer token, and is ignored\"\n");
		return code == BASE_OK ? anonymous(identity) : code;
	}
	const struct fakeapi_user *user = fakeapi_user_of_token(f, token);
	*known = user != NULL;
	return user != NULL ? fakeapi_identity_of_user(user, identity) : unauthorized(reply);
}

/* ---- 403 ---- */

static enum base_code entity_write(struct base_str text, struct base_buf *out)
{
	enum base_code code = BASE_OK;
	for (size_t i = 0; code == BASE_OK && i < text.len; i++) {
		char c = text.ptr[i];
		if (c == '&')
			code = base_buf_text(out, "&amp;");
		else if (c == '<')
			code = base_buf_text(out, "&lt;");
		else if (c == '>')
			code = base_buf_text(out, "&gt;");
		else
			code = base_buf_char(out, c);
	}
	return code;
}

/* User "u" cannot get resource "pods/log" in API group "" in the namespace "ns" */
static enum base_code attributes_write(struct base_str user, struct base_str verb,
				       const struct fakeapi_access *access, struct base_buf *out)
{
	enum base_code code = base_buf_text(out, "User ");
	if (code == BASE_OK)
		code = fakeapi_go_quote(out, user);
	if (code == BASE_OK)
		code = base_buf_printf(out, " cannot %.*s ", BASE_STR_ARG(verb));
	if (code == BASE_OK && !access->resource) {
		code = base_buf_text(out, "path ");
		return code == BASE_OK ? fakeapi_go_quote(out, access->path) : code;
	}
	struct base_buf full;
	base_buf_init(&full, out->alloc, TEXT_MAX);
	if (code == BASE_OK)
		code = base_buf_printf(&full, "%.*s%s%.*s", BASE_STR_ARG(access->name_of_resource),
				       access->subresource.len != 0 ? "/" : "",
				       BASE_STR_ARG(access->subresource));
	if (code == BASE_OK)
		code = base_buf_text(out, "resource ");
	if (code == BASE_OK)
		code = fakeapi_go_quote(out, base_buf_peek(&full));
	base_buf_release(&full);
	if (code == BASE_OK)
		code = base_buf_text(out, " in API group ");
	if (code == BASE_OK)
		code = fakeapi_go_quote(out, access->group);
	if (code != BASE_OK || access->namespace_.len == 0)
		return code == BASE_OK ? base_buf_text(out, " at the cluster scope") : code;
	code = base_buf_text(out, " in the namespace ");
	return code == BASE_OK ? fakeapi_go_quote(out, access->namespace_) : code;
}

/* configmaps "a" is forbidden: …; forbidden: … when there is no resource. */
static enum base_code subject_write(const struct fakeapi_access *access, struct base_buf *out)
{
	if (!access->resource || access->name_of_resource.len == 0)
		return base_buf_text(out, "forbidden: ");
	enum base_code code =
		base_buf_printf(out, "%.*s%s%.*s", BASE_STR_ARG(access->name_of_resource),
				access->group.len != 0 ? "." : "", BASE_STR_ARG(access->group));
	if (code == BASE_OK && access->name.len != 0)
		code = base_buf_printf(out, " \"%.*s\"", BASE_STR_ARG(access->name));
	return code == BASE_OK ? base_buf_text(out, " is forbidden: ") : code;
}

static enum base_code forbid(struct fakeapi_reply *reply, struct base_str user,
			     struct base_str verb, const struct fakeapi_access *access,
			     struct base_str reason)
{
	struct base_buf message, plain;
	base_buf_init(&message, reply->body.alloc, TEXT_MAX);
	base_buf_init(&plain, reply->body.alloc, TEXT_MAX);
	enum base_code code = subject_write(access, &message);
	if (code == BASE_OK)
		code = attributes_write(user, verb, access, &plain);
	if (code == BASE_OK)
		code = entity_write(base_buf_peek(&plain), &message);
	if (code == BASE_OK && reason.len != 0)
		code = base_buf_printf(&message, ": %.*s", BASE_STR_ARG(reason));
	struct fakeapi_status status = {
		.code = 403, .reason = BASE_STR("Forbidden"), .details = true};
	if (access->resource) {
		status.name = access->name;
		status.group = access->group;
		status.kind = access->name_of_resource;
	}
	struct base_buf warnings = reply->warnings;
	if (code == BASE_OK) {
		reply->warnings = (struct base_buf){0};
		base_buf_init(&reply->warnings, warnings.alloc, warnings.max);
		fakeapi_reply_clear(reply);
		reply->warnings = warnings;
		status.message = base_buf_peek(&message);
		code = fakeapi_reply_status(reply, &status);
	}
	reply->nosniff = true;
	reply->no_flow = fakeapi_access_long(access);
	base_buf_release(&plain);
	base_buf_release(&message);
	return code;
}

/* ---- Impersonation ---- */

struct wanted {
	struct base_str user, uid;
	bool group, extra;
	const struct fakeapi_http1_request *request;
};

static bool header_is(struct base_str name, const char *want, bool prefix)
{
	size_t len = strlen(want);
	if (prefix ? name.len <= len : name.len != len)
		return false;
	for (size_t i = 0; i < len; i++) {
		char a = name.ptr[i];
		a = (char)(a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a);
		if (a != want[i])
			return false;
	}
	return true;
}

static void wanted_read(const struct fakeapi_http1_request *request, struct wanted *wanted)
{
	*wanted = (struct wanted){.user = fakeapi_http1_header(request, "impersonate-user"),
				  .uid = fakeapi_http1_header(request, "impersonate-uid"),
				  .request = request};
	for (size_t i = 0; i < request->header_count; i++) {
		wanted->group = wanted->group ||
				header_is(request->headers[i].name, "impersonate-group", false);
		wanted->extra = wanted->extra ||
				header_is(request->headers[i].name, "impersonate-extra-", true);
	}
}

/* map[string][]string{"x":[]string{"7"}} */
static enum base_code extra_words(const struct wanted *wanted, struct base_buf *out)
{
	static const size_t prefix = sizeof "impersonate-extra-" - 1;
	enum base_code code = base_buf_text(out, "map[string][]string");
	bool any = false;
	for (size_t i = 0; code == BASE_OK && i < wanted->request->header_count; i++) {
		const struct fakeapi_header *header = &wanted->request->headers[i];
		char key[64];
		size_t len = header->name.len - prefix;
		if (!header_is(header->name, "impersonate-extra-", true) || len >= sizeof key)
			continue;
		for (size_t j = 0; j < len; j++) {
			char c = header->name.ptr[prefix + j];
			key[j] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
		}
		code = base_buf_text(out, any ? ", " : "{");
		if (code == BASE_OK)
			code = fakeapi_go_quote(out, base_str_n(key, len));
		if (code == BASE_OK)
			code = base_buf_text(out, ":[]string{");
		if (code == BASE_OK)
			code = fakeapi_go_quote(out, header->value);
		if (code == BASE_OK)
			code = base_buf_char(out, '}');
		any = true;
	}
	return code == BASE_OK ? base_buf_text(out, any ? "}" : "(nil)") : code;
}

static enum base_code group_words(const struct wanted *wanted, struct base_buf *out)
{
	enum base_code code = base_buf_text(out, "[]string");
	bool any = false;
	for (size_t i = 0; code == BASE_OK && i < wanted->request->header_count; i++) {
		if (!header_is(wanted->request->headers[i].name, "impersonate-group", false))
			continue;
		code = base_buf_text(out, any ? ", " : "{");
		if (code == BASE_OK)
			code = fakeapi_go_quote(out, wanted->request->headers[i].value);
		any = true;
	}
	return code == BASE_OK ? base_buf_text(out, any ? "}" : "(nil)") : code;
}

/* Go's words for a user without a name: 1.36 and later. */
static enum base_code nameless_new(const struct wanted *wanted, struct base_buf *text,
				   struct fakeapi_reply *reply)
{
	enum base_code code = base_buf_text(text, "requested &user.DefaultInfo{Name:\"\", UID:");
	if (code == BASE_OK)
		code = fakeapi_go_quote(text, wanted->uid);
	if (code == BASE_OK)
		code = base_buf_text(text, ", Groups:");
	if (code == BASE_OK)
		code = group_words(wanted, text);
	if (code == BASE_OK)
		code = base_buf_text(text, ", Extra:");
	if (code == BASE_OK)
		code = extra_words(wanted, text);
	if (code == BASE_OK)
		code = base_buf_text(text, "} without impersonating a user name");
	return code == BASE_OK ? fakeapi_reply_bad_request(reply, base_buf_peek(text)) : code;
}

/* Before: what is asked for as references, and a text. */
static enum base_code nameless_old(const struct fakeapi_call *call, const struct wanted *wanted,
				   struct base_buf *text, struct fakeapi_reply *reply)
{
	enum base_code code = base_buf_text(text, "Internal Server Error: ");
	bool any = false;
	if (code == BASE_OK)
		code = base_buf_json_string(text, call->target);
	if (code == BASE_OK)
		code = base_buf_text(text, ": requested [");
	for (size_t i = 0; code == BASE_OK && i < wanted->request->header_count; i++) {
		const struct fakeapi_header *header = &wanted->request->headers[i];
		if (!header_is(header->name, "impersonate-group", false))
			continue;
		code = base_buf_printf(text, "%s{Group  %.*s    }", any ? " " : "",
				       BASE_STR_ARG(header->value));
		any = true;
	}
	if (code == BASE_OK && wanted->uid.len != 0)
		code = base_buf_printf(text, "%s{UID  %.*s  authentication.k8s.io/v1  }",
				       any ? " " : "", BASE_STR_ARG(wanted->uid));
	any = any || wanted->uid.len != 0;
	for (size_t i = 0; code == BASE_OK && i < wanted->request->header_count; i++) {
		static const size_t prefix = sizeof "impersonate-extra-" - 1;
		const struct fakeapi_header *header = &wanted->request->headers[i];
		if (!header_is(header->name, "impersonate-extra-", true))
			continue;
		code = base_buf_printf(text, "%s{UserExtra  %.*s  authentication.k8s.io/v1  ",
				       any ? " " : "", BASE_STR_ARG(header->value));
		for (size_t j = prefix; code == BASE_OK && j < header->name.len; j++)
			code = base_buf_char(text,
					     (char)tolower((unsigned char)header->name.ptr[j]));
		if (code == BASE_OK)
			code = base_buf_char(text, '}');
		any = true;
	}
	if (code == BASE_OK)
		code = base_buf_text(text, "] without impersonating a user\n");
	return code == BASE_OK ? fakeapi_reply_text(reply, 500, text->ptr) : code;
}

static enum base_code nameless(const struct fakeapi_call *call, const struct wanted *wanted,
			       struct fakeapi_reply *reply)
{
	struct base_buf text;
	enum base_code code;
	base_buf_init(&text, reply->body.alloc, TEXT_MAX);
	fakeapi_reply_clear(reply);
	code = fakeapi_minor(call->f) >= 36 ? nameless_new(wanted, &text, reply)
					    : nameless_old(call, wanted, &text, reply);
	reply->nosniff = reply->no_flow = true;
	base_buf_release(&text);
	return code;
}

/* system:serviceaccount:NS:NAME */
static bool service_account(struct base_str name, struct base_str *ns, struct base_str *account)
{
	static const struct base_str prefix = {"system:serviceaccount:",
					       sizeof "system:serviceaccount:" - 1};
	bool found;
	if (!base_str_starts(name, prefix))
		return false;
	*account = base_str_cut(base_str_skip(name, prefix.len), ':', ns, &found);
	return found && ns->len != 0 && account->len != 0;
}

/* May he be that user? By the verb "impersonate" on each part. */
static enum base_code may_be(struct fakeapi *f, const struct fakeapi_identity *identity,
			     const struct wanted *wanted, bool *allowed, struct base_buf *why)
{
	struct base_str ns, account;
	struct fakeapi_access access = {.resource = true, .verb = BASE_STR("impersonate")};
	*allowed = identity->all;
	if (*allowed)
		return BASE_OK;
	if (service_account(wanted->user, &ns, &account)) {
		access.name_of_resource = BASE_STR("serviceaccounts");
		access.namespace_ = ns;
		access.name = account;
	} else {
		access.name_of_resource = BASE_STR("users");
		access.name = wanted->user;
	}
	enum base_code code = fakeapi_rbac_allows(f, identity, &access, allowed, why);
	for (size_t i = 0; code == BASE_OK && *allowed && i < wanted->request->header_count; i++) {
		if (!header_is(wanted->request->headers[i].name, "impersonate-group", false))
			continue;
		access = (struct fakeapi_access){.resource = true,
						 .verb = BASE_STR("impersonate"),
						 .name_of_resource = BASE_STR("groups"),
						 .name = wanted->request->headers[i].value};
		code = fakeapi_rbac_allows(f, identity, &access, allowed, why);
	}
	return code;
}

static enum base_code extra_write(const struct wanted *wanted, struct base_buf *out)
{
	static const size_t prefix = sizeof "impersonate-extra-" - 1;
	enum base_code code = BASE_OK;
	bool any = false;
	for (size_t i = 0; code == BASE_OK && i < wanted->request->header_count; i++) {
		struct base_str name = wanted->request->headers[i].name;
		if (!header_is(name, "impersonate-extra-", true))
			continue;
		code = base_buf_text(out, any ? ",\"" : "{\"");
		for (size_t j = prefix; code == BASE_OK && j < name.len; j++) {
			char c = name.ptr[j];
			code = base_buf_char(out, (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
		}
		if (code == BASE_OK)
			code = base_buf_text(out, "\":[");
		if (code == BASE_OK)
			code = base_buf_json_string(out, wanted->request->headers[i].value);
		if (code == BASE_OK)
			code = base_buf_char(out, ']');
		any = true;
	}
	return code == BASE_OK && any ? base_buf_char(out, '}') : code;
}

/* The identity becomes the one that was asked for. */
static enum base_code become(const struct wanted *wanted, struct fakeapi_identity *identity)
{
	struct base_str ns, account;
	bool account_user = service_account(wanted->user, &ns, &account);
	bool nobody = base_str_is(wanted->user, "system:anonymous");
	enum base_code code = BASE_OK;
	base_buf_clear(&identity->text);
	for (size_t i = 0; code == BASE_OK && i < wanted->request->header_count; i++)
		if (header_is(wanted->request->headers[i].name, "impersonate-group", false))
			code = group_add(identity, wanted->request->headers[i].value);
	if (code == BASE_OK && account_user && !wanted->group)
		code = base_buf_printf(&identity->text,
				       "system:serviceaccounts\nsystem:serviceaccounts:%.*s\n",
				       BASE_STR_ARG(ns));
	if (code == BASE_OK && !(nobody && wanted->group))
		code = group_add(identity, nobody ? BASE_STR("system:unauthenticated")
						  : BASE_STR("system:authenticated"));
	size_t groups = identity->text.len;
	if (code == BASE_OK)
		code = base_buf_str(&identity->text, wanted->user);
	if (code == BASE_OK)
		code = base_buf_str(&identity->text, wanted->uid);
	size_t extra = identity->text.len;
	if (code == BASE_OK)
		code = extra_write(wanted, &identity->text);
	if (code != BASE_OK)
		return code;
	struct base_str all = base_buf_peek(&identity->text);
	identity->all = false;
	identity_finish(identity);
	identity->groups = base_str_take(all, groups);
	identity->name = base_str_n(all.ptr + groups, wanted->user.len);
	identity->uid = base_str_n(all.ptr + groups + wanted->user.len, wanted->uid.len);
	identity->extra = base_str_skip(all, extra);
	return BASE_OK;
}

/* Since 1.36 the refusal names the request that was to be made in the other's name. */
static enum base_code impersonation_forbid(struct fakeapi_call *call, const struct wanted *wanted,
					   const struct fakeapi_identity *identity,
					   const struct fakeapi_access *access, struct base_str why,
					   struct fakeapi_reply *reply)
{
	struct base_str ns, account;
	bool account_user = service_account(wanted->user, &ns, &account);
	enum base_code code;
	if (fakeapi_minor(call->f) >= 36) {
		char verb[96];
		(void)snprintf(verb, sizeof verb, "impersonate-on:%s:%.*s",
			       account_user ? "serviceaccount" : "user-info",
			       (int)(access->verb.len < 32 ? access->verb.len : 32),
			       access->verb.len != 0 ? access->verb.ptr : "");
		code = forbid(reply, identity->name, base_str(verb), access, why);
	} else {
		struct fakeapi_access target = {.resource = true};
		target.name_of_resource = account_user ? BASE_STR("serviceaccounts")
						       : BASE_STR("users");
		target.name = account_user ? account : wanted->user;
		target.namespace_ = account_user ? ns : (struct base_str){0};
		code = forbid(reply, identity->name, BASE_STR("impersonate"), &target, why);
	}
	reply->no_flow = true;
	return code;
}

static enum base_code impersonate(struct fakeapi_call *call,
				  const struct fakeapi_http1_request *request,
				  const struct fakeapi_access *access,
				  struct fakeapi_identity *identity, struct fakeapi_reply *reply,
				  bool *refused)
{
	struct wanted wanted;
	struct base_buf why;
	bool allowed = false;
	wanted_read(request, &wanted);
	if (wanted.user.len == 0 && wanted.uid.len == 0 && !wanted.group && !wanted.extra)
		return BASE_OK;
	if (wanted.user.len == 0) {
		*refused = true;
		return nameless(call, &wanted, reply);
	}
	base_buf_init(&why, call->f->alloc, TEXT_MAX);
	enum base_code code = may_be(call->f, identity, &wanted, &allowed, &why);
	if (code == BASE_OK && !allowed) {
		*refused = true;
		code = impersonation_forbid(call, &wanted, identity, access, base_buf_peek(&why),
					    reply);
	} else if (code == BASE_OK) {
		code = become(&wanted, identity);
	}
	base_buf_release(&why);
	return code;
}

/* ---- All together ---- */

enum base_code fakeapi_auth_check(struct fakeapi_call *call, struct base_str path,
				  const struct fakeapi_http1_request *request,
				  struct fakeapi_identity *identity, struct fakeapi_reply *reply)
{
	struct fakeapi_access access;
	struct base_buf reason;
	bool known = true, allowed = true, refused = false;
	if (call->f->config.user_count == 0 || call->no_wait)
		return BASE_OK;
	fakeapi_access_read(call, path, &access);
	enum base_code code = identify(call->f, fakeapi_http1_header(request, "authorization"),
				       identity, reply, &known);
	if (code != BASE_OK || !known)
		return code;
	code = impersonate(call, request, &access, identity, reply, &refused);
	if (code != BASE_OK || refused || identity->all)
		return code;
	base_buf_init(&reason, call->f->alloc, TEXT_MAX);
	code = fakeapi_rbac_allows(call->f, identity, &access, &allowed, &reason);
	if (code == BASE_OK && !allowed)
		code = forbid(reply, identity->name, access.verb, &access, base_buf_peek(&reason));
	base_buf_release(&reason);
	return code;
}
