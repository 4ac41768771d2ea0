/* Reviews: may somebody do something, who is behind a token, who am I. */
#include "fakeapi/access.h"
#include "fakeapi/discovery.h"
#include "fakeapi/machine.h"
#include "fakeapi/virtual.h"

/* ---- What all of them begin with ---- */

/* Which fields the client sent, as managedFields names them: {".":{},"f:a":{}}. */
static enum base_code fields_write(struct base_str object, bool dot, struct base_buf *out)
{
	struct base_json_iter it;
	enum base_code code = base_buf_text(out, dot ? "{\".\":{}" : "{");
	bool any = dot;
	base_json_iter_init(&it, object);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		code = base_buf_printf(out, "%s\"f:%.*s\":", any ? "," : "", BASE_STR_ARG(it.key));
		any = true;
		if (code == BASE_OK)
			code = base_json_kind_of(it.value) == BASE_JSON_OBJECT
				       ? fields_write(it.value, true, out)
				       : base_buf_text(out, "{}");
	}
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

static enum base_code manager_write(const struct fakeapi_call *call, struct base_buf *out)
{
	if (call->query.field_manager.given && call->query.field_manager.value.len != 0)
		return base_buf_json_string(out, call->query.field_manager.value);
	size_t slash = base_str_find_char(call->user_agent, '/');
	return base_buf_json_string(out, slash != SIZE_MAX ? base_str_take(call->user_agent, slash)
							   : call->user_agent);
}

/* {"kind":…,"apiVersion":…,"metadata":{…},"spec":…,"status":{ */
static enum base_code head_write(const struct fakeapi_call *call, struct base_str body,
				 struct base_buf *out)
{
	const struct fakeapi_discovery_row *row = call->row;
	struct base_str spec = base_json_get(body, BASE_STR("spec"));
	char now[24];
	fakeapi_time_text(call->f, fakeapi_now_ns(call->f), now);
	enum base_code code =
		base_buf_printf(out, "{\"kind\":\"%s\",\"apiVersion\":\"%s/%s\",\"metadata\":{",
				row->kind, row->group, row->version);
	if (code == BASE_OK && call->facts.namespace_.len != 0)
		code = base_buf_printf(out, "\"namespace\":\"%.*s\",",
				       BASE_STR_ARG(call->facts.namespace_));
	if (code == BASE_OK && call->f->profile->bookmark_creation)
		code = base_buf_text(out, "\"creationTimestamp\":null,");
	if (code == BASE_OK)
		code = base_buf_text(out, "\"managedFields\":[{\"manager\":");
	if (code == BASE_OK)
		code = manager_write(call, out);
	if (code == BASE_OK)
		code = base_buf_printf(
			out,
			",\"operation\":\"Update\",\"apiVersion\":\"%s/%s\",\"time\":"
			"\"%s\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:spec\":",
			row->group, row->version, now);
	if (code == BASE_OK)
		code = fields_write(spec, false, out);
	if (code == BASE_OK)
		code = base_buf_printf(out, "}}]},\"spec\":%.*s,\"status\":{",
				       BASE_STR_ARG(spec.len != 0 ? spec : BASE_STR("{}")));
	return code;
}

static struct base_str text_at(struct base_str object, const char *name)
{
	struct base_str text = {0};
	(void)base_json_plain_text(base_json_get(object, base_str(name)), &text);
	return text;
}

/* ---- Access reviews ---- */

static enum base_code refuse_spec(const struct fakeapi_call *call, bool attributes, bool user,
				  struct fakeapi_reply *reply)
{
	struct fakeapi_cause causes[2];
	size_t count = 0;
	bool go = fakeapi_minor(call->f) <= 33;
	if (!attributes)
		causes[count++] = (struct fakeapi_cause){
			.reason = BASE_STR("FieldValueInvalid"),
			.message =
				go ? BASE_STR("Invalid value: \"null\": exactly one of "
					      "nonResourceAttributes or resourceAttributes must be "
					      "specified")
				   : BASE_STR("Invalid value: null: exactly one of "
					      "nonResourceAttributes or resourceAttributes must be "
					      "specified"),
			.field = fakeapi_minor(call->f) >= 37
					 ? BASE_STR("spec")
					 : BASE_STR("spec.resourceAttributes")};
	if (!user)
		causes[count++] = (struct fakeapi_cause){
			.reason = BASE_STR("FieldValueInvalid"),
			.message =
				BASE_STR("Invalid value: \"\": at least one of user or group must "
					 "be specified"),
			.field = BASE_STR("spec.user")};
	return fakeapi_reply_invalid(reply, (struct base_str){0}, base_str(call->row->group),
				     (struct base_str){0}, causes, count);
}

static void attributes_read(struct base_str spec, struct fakeapi_access *access)
{
	struct base_str of = base_json_get(spec, BASE_STR("resourceAttributes"));
	access->resource = of.len != 0;
	if (!access->resource) {
		of = base_json_get(spec, BASE_STR("nonResourceAttributes"));
		access->path = text_at(of, "path");
	}
	access->verb = text_at(of, "verb");
	access->group = text_at(of, "group");
	access->name_of_resource = text_at(of, "resource");
	access->subresource = text_at(of, "subresource");
	access->namespace_ = text_at(of, "namespace");
	access->name = text_at(of, "name");
}

/* The user that spec names. */
static enum base_code subject_read(struct base_str spec, struct fakeapi_identity *identity)
{
	struct base_json_iter it;
	struct base_str group;
	enum base_code code = BASE_OK;
	identity->name = text_at(spec, "user");
	identity->uid = text_at(spec, "uid");
	base_json_iter_init(&it, base_json_get(spec, BASE_STR("groups")));
	while (code == BASE_OK && base_json_iter_next(&it))
		if (base_json_plain_text(it.value, &group))
			code = base_buf_printf(&identity->text, "%.*s\n", BASE_STR_ARG(group));
	identity->groups = base_buf_peek(&identity->text);
	identity->all = fakeapi_identity_has(identity, BASE_STR("system:masters"));
	return code;
}

static enum base_code access_answer(struct fakeapi_call *call, struct base_str body, bool self,
				    struct fakeapi_reply *reply)
{
	struct base_str spec = base_json_get(body, BASE_STR("spec"));
	struct fakeapi_access access = {.resource = false};
	struct fakeapi_identity other = {.all = false};
	struct base_buf reason;
	bool allowed = false;
	bool one = (base_json_get(spec, BASE_STR("resourceAttributes")).len != 0) !=
		   (base_json_get(spec, BASE_STR("nonResourceAttributes")).len != 0);
	bool user = self || text_at(spec, "user").len != 0 ||
		    base_json_get(spec, BASE_STR("groups")).len != 0;
	if (!one || !user)
		return refuse_spec(call, one, user, reply);
	base_buf_init(&reason, call->f->alloc, FAKEAPI_BODY_MAX);
	base_buf_init(&other.text, call->f->alloc, FAKEAPI_BODY_MAX);
	attributes_read(spec, &access);
	enum base_code code = self ? BASE_OK : subject_read(spec, &other);
	const struct fakeapi_identity *who = self ? call->identity : &other;
	if (code == BASE_OK && call->f->config.user_count == 0)
		allowed = true;
	else if (code == BASE_OK)
		code = fakeapi_rbac_allows(call->f, who, &access, &allowed, &reason);
	reply->status = 201;
	if (code == BASE_OK)
		code = head_write(call, body, &reply->body);
	if (code == BASE_OK)
		code = base_buf_printf(&reply->body, "\"allowed\":%s", allowed ? "true" : "false");
	if (code == BASE_OK && reason.len != 0)
		code = base_buf_text(&reply->body, ",\"reason\":");
	if (code == BASE_OK && reason.len != 0)
		code = base_buf_json_string(&reply->body, base_buf_peek(&reason));
	if (code == BASE_OK)
		code = base_buf_text(&reply->body, "}}\n");
	base_buf_release(&reason);
	base_buf_release(&other.text);
	return code;
}

/* ---- Rules reviews ---- */

struct rules {
	struct base_buf *out;
	bool paths, any;
};

static enum base_code rule_write(void *ctx, struct base_str rule)
{
	static const char *const names[] = {"verbs", "apiGroups", "resources", "resourceNames",
					    "nonResourceURLs"};
	struct rules *rules = ctx;
	bool paths = base_json_get(rule, BASE_STR("nonResourceURLs")).len != 0, any = false;
	if (paths != rules->paths)
		return BASE_OK;
	enum base_code code = base_buf_text(rules->out, rules->any ? ",{" : "{");
	rules->any = true;
	for (size_t i = 0; code == BASE_OK && i < sizeof names / sizeof names[0]; i++) {
		struct base_str value = base_json_get(rule, base_str(names[i]));
		if (value.len == 0)
			continue;
		code = base_buf_printf(rules->out, "%s\"%s\":%.*s", any ? "," : "", names[i],
				       BASE_STR_ARG(value));
		any = true;
	}
	return code == BASE_OK ? base_buf_char(rules->out, '}') : code;
}

static enum base_code rules_answer(struct fakeapi_call *call, struct base_str body,
				   struct fakeapi_reply *reply)
{
	struct base_str ns = text_at(base_json_get(body, BASE_STR("spec")), "namespace");
	struct rules rules = {.out = &reply->body};
	reply->status = 201;
	enum base_code code = base_buf_text(
		&reply->body, "{\"kind\":\"SelfSubjectRulesReview\",\"apiVersion\":"
			      "\"authorization.k8s.io/v1\",\"metadata\":{},\"spec\":{},\"status\":{"
			      "\"resourceRules\":[");
	if (code == BASE_OK)
		code = fakeapi_rbac_rules(call->f, call->identity, ns, rule_write, &rules);
	if (code == BASE_OK)
		code = base_buf_text(&reply->body, "],\"nonResourceRules\":[");
	rules.paths = true;
	rules.any = false;
	if (code == BASE_OK)
		code = fakeapi_rbac_rules(call->f, call->identity, ns, rule_write, &rules);
	return code == BASE_OK ? base_buf_text(&reply->body, "],\"incomplete\":false}}\n") : code;
}

/* ---- Who ---- */

static enum base_code user_write(const struct fakeapi_identity *who, struct base_buf *out)
{
	struct base_str rest = who->groups, group;
	bool more = rest.len != 0, first = true;
	enum base_code code = base_buf_text(out, "{\"username\":");
	if (code == BASE_OK)
		code = base_buf_json_string(out, who->name);
	if (code == BASE_OK && who->uid.len != 0)
		code = base_buf_printf(out, ",\"uid\":\"%.*s\"", BASE_STR_ARG(who->uid));
	if (code == BASE_OK && more)
		code = base_buf_text(out, ",\"groups\":[");
	while (code == BASE_OK && more) {
		rest = base_str_cut(rest, '\n', &group, &more);
		if (!more)
			break;
		if (!first)
			code = base_buf_char(out, ',');
		if (code == BASE_OK)
			code = base_buf_json_string(out, group);
		first = false;
	}
	if (code == BASE_OK && who->groups.len != 0)
		code = base_buf_char(out, ']');
	if (code == BASE_OK && who->extra.len != 0)
		code = base_buf_printf(out, ",\"extra\":%.*s", BASE_STR_ARG(who->extra));
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

static enum base_code self_answer(struct fakeapi_call *call, struct fakeapi_reply *reply)
{
	char now[24];
	fakeapi_time_text(call->f, fakeapi_now_ns(call->f), now);
	reply->status = 201;
	enum base_code code = base_buf_printf(
		&reply->body,
		"{\"kind\":\"SelfSubjectReview\",\"apiVersion\":\"authentication.k8s.io/v1\","
		"\"metadata\":{\"creationTimestamp\":\"%s\"},\"status\":{\"userInfo\":",
		now);
	if (code == BASE_OK)
		code = user_write(call->identity, &reply->body);
	return code == BASE_OK ? base_buf_text(&reply->body, "}}\n") : code;
}

static enum base_code token_answer(struct fakeapi_call *call, struct base_str body,
				   struct fakeapi_reply *reply)
{
	struct base_str token = text_at(base_json_get(body, BASE_STR("spec")), "token");
	const struct fakeapi_user *user = fakeapi_user_of_token(call->f, token);
	struct fakeapi_identity who = {.all = false};
	base_buf_init(&who.text, call->f->alloc, FAKEAPI_BODY_MAX);
	reply->status = 201;
	enum base_code code = head_write(call, body, &reply->body);
	if (code == BASE_OK && user == NULL) {
		code = base_buf_text(&reply->body,
				     "\"user\":{},\"error\":\"invalid bearer token\"}}\n");
	} else if (code == BASE_OK) {
		code = fakeapi_identity_of_user(user, &who);
		if (code == BASE_OK)
			code = base_buf_text(&reply->body, "\"authenticated\":true,\"user\":");
		if (code == BASE_OK)
			code = user_write(&who, &reply->body);
		if (code == BASE_OK)
			code = base_buf_text(
				&reply->body,
				",\"audiences\":[\"https://kubernetes.default.svc\"]}}\n");
	}
	base_buf_release(&who.text);
	return code;
}

enum base_code fakeapi_review_answer(struct fakeapi_call *call, struct base_str body,
				     struct fakeapi_reply *reply)
{
	const char *name = call->row->name;
	if (strcmp(name, "selfsubjectreviews") == 0)
		return self_answer(call, reply);
	if (strcmp(name, "tokenreviews") == 0)
		return token_answer(call, body, reply);
	if (strcmp(name, "selfsubjectrulesreviews") == 0)
		return rules_answer(call, body, reply);
	return access_answer(call, body, strcmp(name, "selfsubjectaccessreviews") == 0, reply);
}
