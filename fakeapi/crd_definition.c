/* What a definition is refused for. */
#include "fakeapi/crd.h"

#include <stdio.h>

#include "fakeapi/json_path.h"

struct lint {
	struct fakeapi_write *w;
	struct fakeapi_causes *causes;
	const struct fakeapi_node *object, *old, *spec;
	enum base_code code;
};

static struct fakeapi_tree *tree_of(struct lint *l)
{
	return &l->causes->tree;
}

static const struct fakeapi_node *at(const struct fakeapi_node *object, const char *key)
{
	const struct fakeapi_node *value = fakeapi_node_get(object, base_str(key));
	return value != NULL && value->kind != BASE_JSON_NULL ? value : NULL;
}

static struct base_str text_at(const struct fakeapi_node *object, const char *key)
{
	return fakeapi_node_text(at(object, key));
}

static struct base_str joined(struct lint *l, struct base_str path, const char *key)
{
	return fakeapi_tree_text(tree_of(l), "%.*s.%s", BASE_STR_ARG(path), key);
}

/* ---- Names ---- */

#define LABEL_WORDS                                                                                \
	"a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "  \
	"an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "    \
	"'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"

static bool is_label(struct base_str text, bool mixed)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool lower = (c >= 'a' && c <= 'z') || (mixed && c >= 'A' && c <= 'Z');
		bool digit = c >= '0' && c <= '9';
		if (!lower && (i == 0 || (!digit && (c != '-' || i + 1 == text.len))))
			return false;
	}
	return text.len != 0;
}

static void check_label(struct lint *l, struct base_str field, struct base_str text)
{
	if (!is_label(text, false))
		fakeapi_causes_invalid(l->causes, field, fakeapi_causes_quote(l->causes, text),
				       LABEL_WORDS);
}

static void check_names(struct lint *l)
{
	static const struct {
		const char *key, *field;
		bool mixed;
	} names[] = {{"plural", "spec.names.plural", false},
		     {"singular", "spec.names.singular", false},
		     {"kind", "spec.names.kind", true},
		     {"listKind", "spec.names.listKind", true}};
	const struct fakeapi_node *given = at(l->spec, "names"), *list;
	size_t n = 0;
	for (size_t i = 0; i < 4; i++) {
		struct base_str text = text_at(given, names[i].key);
		if (text.len == 0)
			fakeapi_causes_required(l->causes, base_str(names[i].field), "");
		else if (!names[i].mixed)
			check_label(l, base_str(names[i].field), text);
		else if (!is_label(text, true))
			fakeapi_causes_invalid(
				l->causes, base_str(names[i].field),
				fakeapi_causes_quote(l->causes, text),
				"may have mixed case, but should otherwise match: " LABEL_WORDS);
	}
	for (size_t k = 0; k < 2; k++) {
		const char *key = k == 0 ? "shortNames" : "categories";
		list = at(given, key);
		n = 0;
		for (const struct fakeapi_node *s = list != NULL ? list->first : NULL; s != NULL;
		     s = s->next)
			check_label(l,
				    fakeapi_tree_text(tree_of(l), "spec.names.%s[%zu]", key, n++),
				    s->text);
	}
	struct base_str kind = text_at(given, "kind");
	if (kind.len != 0 && base_str_eq(kind, text_at(given, "listKind")))
		fakeapi_causes_invalid(l->causes, BASE_STR("spec.names.listKind"),
				       fakeapi_causes_quote(l->causes, kind),
				       "kind and listKind may not be the same");
}

/* ---- Group, name, scope ---- */

static bool is_protected(struct base_str group)
{
	return base_str_is(group, "k8s.io") || base_str_is(group, "kubernetes.io") ||
	       base_str_ends(group, BASE_STR(".k8s.io")) ||
	       base_str_ends(group, BASE_STR(".kubernetes.io"));
}

static void check_group(struct lint *l)
{
	struct base_str group = text_at(l->spec, "group");
	struct base_str plural = fakeapi_node_text(fakeapi_node_path(l->spec, "names.plural"));
	struct base_str name = fakeapi_node_text(fakeapi_node_path(l->object, "metadata.name"));
	struct base_str right = fakeapi_tree_text(tree_of(l), "%.*s.%.*s", BASE_STR_ARG(plural),
						  BASE_STR_ARG(group));
	if (l->old == NULL && name.len != 0 && !base_str_eq(name, right))
		fakeapi_causes_invalid(l->causes, BASE_STR("metadata.name"),
				       fakeapi_causes_quote(l->causes, name),
				       "must be spec.names.plural+\".\"+spec.group");
	if (group.len == 0)
		fakeapi_causes_required(l->causes, BASE_STR("spec.group"), "");
	else if (base_str_find_char(group, '.') == SIZE_MAX)
		fakeapi_causes_invalid(l->causes, BASE_STR("spec.group"),
				       fakeapi_causes_quote(l->causes, group),
				       "should be a domain with at least one dot");
}

static void check_approval(struct lint *l)
{
	const struct fakeapi_node *notes = fakeapi_node_path(l->object, "metadata.annotations");
	if (is_protected(text_at(l->spec, "group")) &&
	    text_at(notes, "api-approved.kubernetes.io").len == 0)
		fakeapi_causes_required(
			l->causes, BASE_STR("metadata.annotations[api-approved.kubernetes.io]"),
			"protected groups must have approval annotation "
			"\"api-approved.kubernetes.io\", see "
			"https://github.com/kubernetes/enhancements/pull/1111");
}

static void check_scope(struct lint *l)
{
	struct base_str scope = text_at(l->spec, "scope");
	if (scope.len == 0)
		fakeapi_causes_required(l->causes, BASE_STR("spec.scope"), "");
	else if (!base_str_is(scope, "Cluster") && !base_str_is(scope, "Namespaced"))
		fakeapi_causes_unsupported(l->causes, BASE_STR("spec.scope"), scope,
					   "Cluster,Namespaced");
}

static void check_conversion(struct lint *l)
{
	const struct fakeapi_node *conversion = at(l->spec, "conversion");
	struct base_str strategy = text_at(conversion, "strategy");
	if (fakeapi_node_true(at(l->spec, "preserveUnknownFields")))
		fakeapi_causes_invalid(l->causes, BASE_STR("spec.preserveUnknownFields"),
				       BASE_STR("true"),
				       "cannot set to true, set "
				       "x-kubernetes-preserve-unknown-fields to true in "
				       "spec.versions[*].schema instead");
	if (strategy.len == 0 || base_str_is(strategy, "None"))
		return;
	if (!base_str_is(strategy, "Webhook")) {
		fakeapi_causes_unsupported(l->causes, BASE_STR("spec.conversion.strategy"),
					   strategy, "None,Webhook");
		return;
	}
	const struct fakeapi_node *hook = at(conversion, "webhook");
	if (at(hook, "clientConfig") == NULL)
		fakeapi_causes_required(l->causes, BASE_STR("spec.conversion.webhookClientConfig"),
					"required when strategy is set to Webhook");
	if (fakeapi_node_count(at(hook, "conversionReviewVersions")) == 0)
		fakeapi_causes_required(l->causes,
					BASE_STR("spec.conversion.conversionReviewVersions"), "");
}

/* ---- One version ---- */

static bool is_one_of(struct base_str text, const char *list)
{
	struct base_str rest = base_str(list), one;
	bool more = true;
	while (more) {
		rest = base_str_cut(rest, ',', &one, &more);
		if (base_str_eq(one, text))
			return true;
	}
	return false;
}

static void check_choice(struct lint *l, struct base_str field, struct base_str text,
			 const char *list)
{
	if (!is_one_of(text, list))
		fakeapi_causes_invalid(
			l->causes, field, fakeapi_causes_quote(l->causes, text),
			fakeapi_tree_text(tree_of(l), "must be one of %s", list).ptr);
}

static void check_path(struct lint *l, struct base_str field, struct base_str path)
{
	if (path.len == 0)
		fakeapi_causes_required(l->causes, field, "");
	else if (path.ptr[0] != '.')
		fakeapi_causes_invalid(l->causes, field, fakeapi_causes_quote(l->causes, path),
				       "must be a simple json path starting with .");
}

static void check_column(struct lint *l, const struct fakeapi_node *column, struct base_str field)
{
	struct base_str type = text_at(column, "type"), format = text_at(column, "format");
	if (text_at(column, "name").len == 0)
		fakeapi_causes_required(l->causes, joined(l, field, "name"), "");
	if (type.len == 0)
		fakeapi_causes_required(l->causes, joined(l, field, "type"),
					"must be one of boolean,date,integer,number,string");
	else
		check_choice(l, joined(l, field, "type"), type,
			     "boolean,date,integer,number,string");
	if (format.len != 0)
		check_choice(l, joined(l, field, "format"), format,
			     "byte,date,date-time,double,float,int32,int64,password");
	check_path(l, joined(l, field, "JSONPath"), text_at(column, "jsonPath"));
}

static void check_replicas(struct lint *l, const struct fakeapi_node *scale, struct base_str field,
			   const char *key, const char *half)
{
	struct base_str path = text_at(scale, key), name = joined(l, field, key);
	size_t before = l->causes->count;
	check_path(l, name, path);
	if (l->causes->count == before && !base_str_starts(path, base_str(half)))
		fakeapi_causes_invalid(l->causes, name, fakeapi_causes_quote(l->causes, path),
				       fakeapi_tree_text(tree_of(l),
							 "should be a json path under %.*s",
							 (int)strlen(half) - 1, half)
					       .ptr);
}

static void check_selectable(struct lint *l, const struct fakeapi_node *version,
			     const struct fakeapi_node *one, struct base_str field)
{
	const struct fakeapi_node *schema = fakeapi_node_path(version, "schema.openAPIV3Schema");
	struct base_str path = text_at(one, "jsonPath"), name = joined(l, field, "jsonPath");
	if (path.len == 0) {
		fakeapi_causes_required(l->causes, name, "");
		return;
	}
	if (path.ptr[0] != '.') {
		fakeapi_causes_invalid(
			l->causes, name, fakeapi_causes_quote(l->causes, path),
			fakeapi_tree_text(tree_of(l),
					  "is an invalid path: expected [ or . but got: %.*s",
					  BASE_STR_ARG(path))
				.ptr);
		return;
	}
	struct base_str rest = base_str_skip(path, 1), key;
	for (bool more = true; more && schema != NULL;) {
		rest = base_str_cut(rest, '.', &key, &more);
		schema = fakeapi_node_get(at(schema, "properties"), key);
	}
	if (schema == NULL)
		fakeapi_causes_invalid(l->causes, name, fakeapi_causes_quote(l->causes, path),
				       "is an invalid path: does not refer to a valid field");
}

typedef void each_fn(struct lint *l, const struct fakeapi_node *version,
		     const struct fakeapi_node *one, struct base_str field);

static void column_each(struct lint *l, const struct fakeapi_node *version,
			const struct fakeapi_node *one, struct base_str field)
{
	(void)version;
	check_column(l, one, field);
}

static void check_each(struct lint *l, const struct fakeapi_node *version, struct base_str prefix,
		       const char *key, each_fn *each)
{
	const struct fakeapi_node *list = at(version, key);
	size_t i = 0;
	for (const struct fakeapi_node *n = list != NULL ? list->first : NULL; n != NULL;
	     n = n->next)
		each(l, version, n,
		     fakeapi_tree_text(tree_of(l), "%.*s.%s[%zu]", BASE_STR_ARG(prefix), key, i++));
}

/* Does every version say the same there? Then the messages name no version. */
static bool is_common(const struct fakeapi_node *versions, const char *key)
{
	const struct fakeapi_node *first = at(versions->first, key);
	for (const struct fakeapi_node *v = versions->first; v != NULL; v = v->next) {
		const struct fakeapi_node *own = at(v, key);
		if ((own == NULL) != (first == NULL) ||
		    (own != NULL && !fakeapi_node_equal(own, first)))
			return false;
	}
	return true;
}

static struct base_str prefix_of(struct lint *l, const struct fakeapi_node *versions,
				 const char *key, size_t i)
{
	return is_common(versions, key) ? BASE_STR("spec")
					: fakeapi_tree_text(tree_of(l), "spec.versions[%zu]", i);
}

static void check_version(struct lint *l, const struct fakeapi_node *versions,
			  const struct fakeapi_node *version, size_t i)
{
	const struct fakeapi_node *schema = fakeapi_node_path(version, "schema.openAPIV3Schema");
	const struct fakeapi_node *scale = fakeapi_node_path(version, "subresources.scale");
	bool common = is_common(versions, "schema");
	struct base_str prefix;
	if (!common || i == 0) {
		prefix = common ? BASE_STR("spec.validation.openAPIV3Schema")
				: fakeapi_tree_text(tree_of(l),
						    "spec.versions[%zu].schema.openAPIV3Schema", i);
		if (schema == NULL)
			fakeapi_causes_required(
				l->causes,
				fakeapi_tree_text(tree_of(l),
						  "spec.versions[%zu].schema.openAPIV3Schema", i),
				"schemas are required");
		else if (l->code == BASE_OK)
			l->code = fakeapi_crd_check_schema(l->w, l->causes, schema, prefix);
	}
	if (i == 0 || !is_common(versions, "additionalPrinterColumns"))
		check_each(l, version, prefix_of(l, versions, "additionalPrinterColumns", i),
			   "additionalPrinterColumns", column_each);
	if (i == 0 || !is_common(versions, "selectableFields"))
		check_each(l, version, prefix_of(l, versions, "selectableFields", i),
			   "selectableFields", check_selectable);
	if (scale == NULL || (i != 0 && is_common(versions, "subresources")))
		return;
	prefix = joined(l, prefix_of(l, versions, "subresources", i), "subresources.scale");
	check_replicas(l, scale, prefix, "specReplicasPath", ".spec.");
	check_replicas(l, scale, prefix, "statusReplicasPath", ".status.");
}

/* ---- All versions ---- */

/* The list as the messages show it, in the names of Go's struct. */
static struct base_str versions_shown(struct lint *l, const struct fakeapi_node *versions)
{
	struct base_str all = {0};
	if (versions == NULL)
		return BASE_STR("null");
	for (const struct fakeapi_node *v = versions->first; v != NULL; v = v->next) {
		struct base_str name = fakeapi_causes_quote(l->causes, text_at(v, "name"));
		all = fakeapi_tree_text(
			tree_of(l),
			"%.*s%s{\"Name\":%.*s,\"Served\":%s,\"Storage\":%s,\"Deprecated\":%s,"
			"\"DeprecationWarning\":null,\"Schema\":null,\"Subresources\":null,"
			"\"AdditionalPrinterColumns\":null,\"SelectableFields\":null}",
			BASE_STR_ARG(all), all.len != 0 ? "," : "", BASE_STR_ARG(name),
			fakeapi_node_true(at(v, "served")) ? "true" : "false",
			fakeapi_node_true(at(v, "storage")) ? "true" : "false",
			fakeapi_node_true(at(v, "deprecated")) ? "true" : "false");
	}
	return fakeapi_tree_text(tree_of(l), "[%.*s]", BASE_STR_ARG(all));
}

static bool has_version(const struct fakeapi_node *versions, struct base_str name,
			const struct fakeapi_node *end)
{
	for (const struct fakeapi_node *v = versions != NULL ? versions->first : NULL;
	     v != NULL && v != end; v = v->next)
		if (base_str_eq(text_at(v, "name"), name))
			return true;
	return false;
}

static void check_versions(struct lint *l)
{
	const struct fakeapi_node *versions = at(l->spec, "versions"), *v;
	size_t storages = 0, i = 0;
	bool twice = false;
	for (v = versions != NULL ? versions->first : NULL; v != NULL; v = v->next, i++) {
		struct base_str name = text_at(v, "name");
		storages += fakeapi_node_true(at(v, "storage"));
		twice = twice || has_version(versions, name, v);
		check_label(l, fakeapi_tree_text(tree_of(l), "spec.versions[%zu].name", i), name);
	}
	if (twice)
		fakeapi_causes_invalid(l->causes, BASE_STR("spec.versions"),
				       versions_shown(l, versions),
				       "must contain unique version names");
	if (storages != 1)
		fakeapi_causes_invalid(l->causes, BASE_STR("spec.versions"),
				       versions_shown(l, versions),
				       "must have exactly one version marked as storage version");
	if (versions != NULL && versions->first != NULL && l->old == NULL &&
	    !is_label(text_at(versions->first, "name"), false))
		check_label(l, BASE_STR("spec.version"), text_at(versions->first, "name"));
}

static void check_each_version(struct lint *l)
{
	const struct fakeapi_node *versions = at(l->spec, "versions");
	size_t i = 0;
	for (const struct fakeapi_node *v = versions != NULL ? versions->first : NULL; v != NULL;
	     v = v->next)
		check_version(l, versions, v, i++);
}

static void check_stored(struct lint *l)
{
	const struct fakeapi_node *list = fakeapi_node_path(l->object, "status.storedVersions");
	const struct fakeapi_node *versions = at(l->spec, "versions");
	size_t i = 0;
	if (fakeapi_node_count(list) == 0)
		fakeapi_causes_invalid(l->causes, BASE_STR("status.storedVersions"),
				       BASE_STR("null"), "must have at least one stored version");
	for (const struct fakeapi_node *s = list != NULL ? list->first : NULL; s != NULL;
	     s = s->next, i++) {
		if (has_version(versions, s->text, NULL))
			continue;
		struct base_str why = fakeapi_tree_text(
			tree_of(l),
			"missing from spec.versions; %.*s was previously a storage version, and "
			"must remain in spec.versions until a storage migration ensures no data "
			"remains persisted in %.*s and removes %.*s from status.storedVersions",
			BASE_STR_ARG(s->text), BASE_STR_ARG(s->text), BASE_STR_ARG(s->text));
		fakeapi_causes_invalid(
			l->causes, fakeapi_tree_text(tree_of(l), "status.storedVersions[%zu]", i),
			fakeapi_causes_quote(l->causes, s->text), why.ptr);
	}
}

/* What may not change once the names have been accepted. */
static void check_fixed(struct lint *l)
{
	static const char *const fields[] = {"spec.scope", "spec.names.kind", "spec.group",
					     "spec.names.plural"};
	for (size_t i = 0; i < 4; i++) {
		const struct fakeapi_node *now = fakeapi_node_path(l->object, fields[i]);
		const struct fakeapi_node *was = fakeapi_node_path(l->old, fields[i]);
		if (!base_str_eq(fakeapi_node_text(now), fakeapi_node_text(was)))
			fakeapi_causes_invalid(l->causes, base_str(fields[i]),
					       fakeapi_causes_quote(l->causes,
								    fakeapi_node_text(now)),
					       "field is immutable");
	}
}

enum base_code fakeapi_crd_check_definition(struct fakeapi_write *w, struct fakeapi_causes *causes,
					    const struct fakeapi_node *object,
					    const struct fakeapi_node *old)
{
	struct lint l = {
		.w = w, .causes = causes, .object = object, .old = old, .spec = at(object, "spec")};
	if (base_str_is(w->call->subresource, "status"))
		return BASE_OK;
	check_group(&l);
	check_scope(&l);
	check_versions(&l);
	check_conversion(&l);
	check_each_version(&l);
	check_names(&l);
	if (old != NULL)
		check_fixed(&l);
	check_approval(&l);
	check_stored(&l);
	return l.code;
}
