/* Built-in kinds: the table of checks, and what no table can say. */
#include "fakeapi/defaults.h"
#include "fakeapi/discovery.h"
#include "fakeapi/name.h"
#include "fakeapi/spec_diff.h"
#include "fakeapi/typed.h"
#include "fakeapi/validate.h"

#define DATA_MAX 1048576

static struct base_str below(struct fakeapi_causes *c, struct base_str path, const char *name)
{
	return fakeapi_tree_text(&c->tree, "%.*s%s%s", BASE_STR_ARG(path), path.len > 0 ? "." : "",
				 name);
}

/* ---- Single checks ---- */

static void check_number(struct fakeapi_causes *c, const struct fakeapi_check *check,
			 struct base_str field, const struct fakeapi_node *at)
{
	struct base_str low, high = base_str_cut(base_str(check->arg), '-', &low, &(bool){false});
	int64_t value = 0, bound = 0, top = INT64_MAX;

	if (at == NULL || at->kind != BASE_JSON_NUMBER || !base_str_i64(at->text, &value))
		return;
	(void)base_str_i64(low, &bound);
	(void)base_str_i64(high, &top);
	if (check->kind == FAKEAPI_CHECK_NOT_BELOW && value < bound)
		fakeapi_causes_invalid(c, field, at->text,
				       fakeapi_tree_text(&c->tree,
							 "must be greater than or equal to %s",
							 check->arg)
					       .ptr);
	else if (check->kind == FAKEAPI_CHECK_ABOVE && value <= bound)
		fakeapi_causes_invalid(
			c, field, at->text,
			fakeapi_tree_text(&c->tree, "must be greater than %s", check->arg).ptr);
	else if (check->kind == FAKEAPI_CHECK_BETWEEN && (value < bound || value > top))
		fakeapi_causes_invalid(c, field, at->text,
				       fakeapi_tree_text(&c->tree,
							 "must be between %.*s and %.*s, inclusive",
							 BASE_STR_ARG(low), BASE_STR_ARG(high))
					       .ptr);
}

bool fakeapi_word_is_among(struct base_str value, const char *names)
{
	struct base_str rest = base_str(names), one;
	bool more = true;

	while (more) {
		rest = base_str_cut(rest, ',', &one, &more);
		if (base_str_eq(one, value))
			return true;
	}
	return false;
}

static void check_unique(struct fakeapi_causes *c, struct base_str field,
			 const struct fakeapi_node *list, const char *key)
{
	size_t i = 0;

	for (const struct fakeapi_node *x = list != NULL ? list->first : NULL; x != NULL;
	     x = x->next, i++) {
		const struct fakeapi_node *value = fakeapi_node_get(x, base_str(key));

		for (const struct fakeapi_node *y = list->first; y != x; y = y->next) {
			if (fakeapi_node_void(value) ||
			    !fakeapi_node_equal(value, fakeapi_node_get(y, base_str(key))))
				continue;
			fakeapi_causes_duplicate(c,
						 fakeapi_tree_text(&c->tree, "%.*s[%zu].%s",
								   BASE_STR_ARG(field), i, key),
						 fakeapi_causes_value(c, value));
			break;
		}
	}
}

/* Templates are shown in the form that the servers hold them in. */
static struct base_str inner_value(struct fakeapi_causes *c, const struct fakeapi_check *check,
				   const struct fakeapi_node *at)
{
	const struct fakeapi_node *metadata = fakeapi_node_get(at, BASE_STR("metadata"));
	struct base_str spec, outer;

	if (strcmp(check->path, "spec.selector") == 0)
		return fakeapi_causes_selector(c, at);
	if (strcmp(check->path, "spec.template") != 0 || at == NULL || c->diff_minor == 0)
		return fakeapi_causes_value(c, at);
	spec = fakeapi_spec_inner(&c->tree, c->diff_minor, "PodSpec",
				  fakeapi_node_get(at, BASE_STR("spec")));
	outer = fakeapi_node_void(metadata) ? (struct base_str){0}
					    : fakeapi_node_json(&c->tree, metadata, false);
	if (outer.len < 2)
		return fakeapi_tree_text(&c->tree, "{\"Spec\":%.*s}", BASE_STR_ARG(spec));
	return fakeapi_tree_text(&c->tree, "%.*s,\"Spec\":%.*s}",
				 BASE_STR_ARG(base_str_take(outer, outer.len - 1)),
				 BASE_STR_ARG(spec));
}

static void check_fixed(struct fakeapi_causes *c, const struct fakeapi_check *check,
			struct base_str field, const struct fakeapi_node *at,
			const struct fakeapi_node *before)
{
	if (fakeapi_node_equal(at, before) || (fakeapi_node_void(at) && fakeapi_node_void(before)))
		return;
	if (check->kind == FAKEAPI_CHECK_FIXED)
		fakeapi_causes_invalid(c, field,
				       at == NULL && before != NULL &&
						       before->kind == BASE_JSON_STRING &&
						       strcmp(check->path, "spec.controller") == 0
					       ? BASE_STR("\"\"")
					       : inner_value(c, check, at),
				       check->arg);
	else
		fakeapi_causes_forbidden(c, field, check->arg);
}

static void run_check(struct fakeapi_causes *c, const struct fakeapi_check *check,
		      struct base_str path, const struct fakeapi_node *object,
		      const struct fakeapi_node *old)
{
	struct base_str field = below(c, path, check->path);
	const struct fakeapi_node *at = fakeapi_node_path(object, check->path);

	if (!fakeapi_default_applies(check->when, object))
		return;
	switch (check->kind) {
	case FAKEAPI_CHECK_REQUIRED:
		if (fakeapi_node_void(at) ||
		    (at->kind == BASE_JSON_NUMBER && base_str_is(at->text, "0")))
			fakeapi_causes_required(c, field, check->arg);
		break;
	case FAKEAPI_CHECK_NOT_BELOW:
	case FAKEAPI_CHECK_ABOVE:
	case FAKEAPI_CHECK_BETWEEN: check_number(c, check, field, at); break;
	case FAKEAPI_CHECK_ONE_OF:
		if (!fakeapi_node_void(at) && !fakeapi_word_is_among(at->text, check->arg))
			fakeapi_causes_unsupported(c, field, at->text, check->arg);
		break;
	case FAKEAPI_CHECK_LABEL:
		if (!fakeapi_node_void(at))
			fakeapi_causes_check(c, field, at->text, fakeapi_name_dns_label);
		break;
	case FAKEAPI_CHECK_SUBDOMAIN:
		if (!fakeapi_node_void(at))
			fakeapi_causes_check(c, field, at->text, fakeapi_name_subdomain);
		break;
	case FAKEAPI_CHECK_LABELS: fakeapi_validate_labels(c, field, at); break;
	case FAKEAPI_CHECK_UNIQUE: check_unique(c, field, at, check->arg); break;
	case FAKEAPI_CHECK_FIXED:
	case FAKEAPI_CHECK_FIXED_WHOLE:
		if (old != NULL)
			check_fixed(c, check, field, at, fakeapi_node_path(old, check->path));
		break;
	}
}

/* ---- Checks of containers that need more than one field ---- */

/* What a container may ask for: a name of its own kind, or one with a domain. */
static void check_resource_name(struct fakeapi_causes *c, struct base_str field,
				struct base_str name)
{
	if (fakeapi_word_is_among(name, "cpu,memory,ephemeral-storage") ||
	    base_str_find_char(name, '/') != SIZE_MAX ||
	    base_str_starts(name, BASE_STR("hugepages-")))
		return;
	if (!fakeapi_word_is_among(name, "storage,pods,services,secrets,configmaps"))
		fakeapi_causes_invalid(c, field, fakeapi_causes_quote(c, name),
				       "must be a standard resource type or fully qualified");
	fakeapi_causes_invalid(c, field, fakeapi_causes_quote(c, name),
			       "must be a standard resource for containers");
}

static void check_resources(struct fakeapi_causes *c, struct base_str path,
			    const struct fakeapi_node *resources)
{
	static const char *const lists[] = {"limits", "requests"};
	const struct fakeapi_node *limits = fakeapi_node_get(resources, BASE_STR("limits"));

	for (size_t i = 0; i < 2; i++) {
		const struct fakeapi_node *list = fakeapi_node_get(resources, base_str(lists[i]));

		for (const struct fakeapi_node *r = list != NULL ? list->first : NULL; r != NULL;
		     r = r->next) {
			const struct fakeapi_node *limit = fakeapi_node_get(limits, r->key);
			int64_t value = 0, most = 0;

			check_resource_name(c,
					    fakeapi_tree_text(&c->tree, "%.*s.%s[%.*s]",
							      BASE_STR_ARG(path), lists[i],
							      BASE_STR_ARG(r->key)),
					    r->key);
			if (!fakeapi_value_milli(r->text, &value))
				continue;
			if (value < 0)
				fakeapi_causes_invalid(c,
						       fakeapi_tree_text(&c->tree, "%.*s.%s[%.*s]",
									 BASE_STR_ARG(path),
									 lists[i],
									 BASE_STR_ARG(r->key)),
						       fakeapi_causes_value(c, r),
						       "must be greater than or equal to 0");
			if (i == 1 && limit != NULL && fakeapi_value_milli(limit->text, &most) &&
			    value > most)
				fakeapi_causes_invalid(
					c, below(c, path, "requests"), fakeapi_causes_value(c, r),
					fakeapi_tree_text(
						&c->tree,
						"must be less than or equal to %.*s limit of %.*s",
						BASE_STR_ARG(r->key), BASE_STR_ARG(limit->text))
						.ptr);
		}
	}
}

static void check_probe(struct fakeapi_causes *c, struct base_str path,
			const struct fakeapi_node *probe, bool once)
{
	static const char *const handlers[] = {"exec", "httpGet", "tcpSocket", "grpc"};
	const struct fakeapi_node *success = fakeapi_node_get(probe, BASE_STR("successThreshold"));
	bool any = false;

	if (probe == NULL)
		return;
	for (size_t i = 0; i < 4; i++)
		any |= fakeapi_node_get(probe, base_str(handlers[i])) != NULL;
	if (!any)
		fakeapi_causes_required(c, path, "must specify a handler type");
	if (once && success != NULL && !base_str_is(success->text, "1"))
		fakeapi_causes_invalid(c, below(c, path, "successThreshold"), success->text,
				       "must be 1");
}

static void check_container(struct fakeapi_causes *c, struct base_str path,
			    const struct fakeapi_node *container)
{
	static const char *const probes[] = {"livenessProbe", "readinessProbe", "startupProbe"};
	const struct fakeapi_node *image = fakeapi_node_get(container, BASE_STR("image"));
	struct base_str text = fakeapi_node_text(image);

	if (base_str_trim(text).len != text.len)
		fakeapi_causes_invalid(c, below(c, path, "image"), fakeapi_causes_value(c, image),
				       "must not have leading or trailing whitespace");
	for (size_t i = 0; i < 3; i++)
		check_probe(c, below(c, path, probes[i]),
			    fakeapi_node_get(container, base_str(probes[i])), i != 1);
	check_resources(c, below(c, path, "resources"),
			fakeapi_node_get(container, BASE_STR("resources")));
}

static void check_mounts(struct fakeapi_causes *c, struct base_str path,
			 const struct fakeapi_node *spec, const char *list_name)
{
	const struct fakeapi_node *list = fakeapi_node_get(spec, base_str(list_name));
	const struct fakeapi_node *volumes = fakeapi_node_get(spec, BASE_STR("volumes"));
	size_t i = 0;

	for (const struct fakeapi_node *k = list != NULL ? list->first : NULL; k != NULL;
	     k = k->next, i++) {
		const struct fakeapi_node *mounts = fakeapi_node_get(k, BASE_STR("volumeMounts"));
		size_t n = 0;

		for (const struct fakeapi_node *m = mounts != NULL ? mounts->first : NULL;
		     m != NULL; m = m->next, n++) {
			const struct fakeapi_node *name = fakeapi_node_get(m, BASE_STR("name"));
			const struct fakeapi_node *v = volumes != NULL ? volumes->first : NULL;

			while (v != NULL &&
			       !fakeapi_node_equal(fakeapi_node_get(v, BASE_STR("name")), name))
				v = v->next;
			if (v == NULL)
				fakeapi_causes_add(
					c, "FieldValueNotFound",
					fakeapi_tree_text(&c->tree,
							  "%.*s.%s[%zu].volumeMounts[%zu].name",
							  BASE_STR_ARG(path), list_name, i, n),
					fakeapi_tree_text(
						&c->tree, "Not found: %.*s",
						BASE_STR_ARG(fakeapi_causes_value(c, name))));
		}
	}
}

static void check_tolerations(struct fakeapi_causes *c, struct base_str path,
			      const struct fakeapi_node *list)
{
	size_t i = 0;

	for (const struct fakeapi_node *t = list != NULL ? list->first : NULL; t != NULL;
	     t = t->next, i++) {
		const struct fakeapi_node *operator= fakeapi_node_get(t, BASE_STR("operator"));
		struct base_str field = fakeapi_tree_text(
			&c->tree, "%.*s.tolerations[%zu].operator", BASE_STR_ARG(path), i);

		if (fakeapi_node_void(fakeapi_node_get(t, BASE_STR("key"))) &&
		    !fakeapi_node_is(operator, "Exists"))
			fakeapi_causes_invalid(
				c, field, fakeapi_causes_quote(c, fakeapi_node_text(operator)),
				"operator must be Exists when `key` is empty, which means \"match "
				"all values and all keys\"");
		if (!fakeapi_node_void(operator) &&
		    !fakeapi_word_is_among(operator->text, "Equal,Exists"))
			fakeapi_causes_unsupported(c, field, operator->text, "Equal,Exists");
	}
}

/* A token of a service account that the pod does not have. */
static void check_tokens(struct fakeapi_causes *c, struct base_str path,
			 const struct fakeapi_node *spec)
{
	const struct fakeapi_node *volumes = fakeapi_node_get(spec, BASE_STR("volumes"));
	size_t i = 0;

	if (!fakeapi_node_void(fakeapi_node_get(spec, BASE_STR("serviceAccountName"))))
		return;
	for (const struct fakeapi_node *v = volumes != NULL ? volumes->first : NULL; v != NULL;
	     v = v->next, i++) {
		const struct fakeapi_node *sources = fakeapi_node_path(v, "projected.sources");
		size_t n = 0;

		for (const struct fakeapi_node *s = sources != NULL ? sources->first : NULL;
		     s != NULL; s = s->next, n++) {
			if (fakeapi_node_get(s, BASE_STR("serviceAccountToken")) != NULL)
				fakeapi_causes_forbidden(
					c,
					fakeapi_tree_text(
						&c->tree,
						"%.*s.volumes[%zu].projected.sources[%zu]."
						"serviceAccountToken",
						BASE_STR_ARG(path), i, n),
					"must not be specified when serviceAccountName is not set");
		}
	}
}

static void check_type_itself(struct fakeapi_causes *c, const struct fakeapi_schema_type *row,
			      struct base_str path, const struct fakeapi_node *object)
{
	if (strcmp(row->name, "core.Container") == 0)
		check_container(c, path, object);
	if (strcmp(row->name, "core.PodSpec") != 0)
		return;
	check_tokens(c, path, object);
	check_mounts(c, path, object, "containers");
	check_mounts(c, path, object, "initContainers");
	check_tolerations(c, path, fakeapi_node_get(object, BASE_STR("tolerations")));
}

/* ---- All of an object ---- */

static bool is_fixed(const struct fakeapi_check *check)
{
	return check->kind == FAKEAPI_CHECK_FIXED || check->kind == FAKEAPI_CHECK_FIXED_WHOLE;
}

/* Both bounds are 0 where a check is as old as the servers, or still there. */
static bool in_minors(const struct fakeapi_check *check, unsigned minor)
{
	return minor >= check->since && (check->until == 0 || minor <= check->until);
}

struct run {
	struct fakeapi_causes *causes;
	unsigned minor; /* the server's */
};

static size_t first_check(const char *type)
{
	size_t low = 0, high = fakeapi_checks_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(fakeapi_checks[middle].type, type) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void run_checks(struct run *run, const struct fakeapi_schema_type *row, struct base_str path,
		       const struct fakeapi_node *object, bool late)
{
	for (size_t i = first_check(row->name);
	     i < fakeapi_checks_count && strcmp(fakeapi_checks[i].type, row->name) == 0; i++) {
		const struct fakeapi_check *check = &fakeapi_checks[i];

		if (check->late == late && !is_fixed(check) && in_minors(check, run->minor))
			run_check(run->causes, check, path, object, NULL);
	}
}

static void walk_struct(struct run *run, const struct fakeapi_schema_type *row,
			struct base_str path, const struct fakeapi_node *object);

static void walk_value(struct run *run, struct base_str type, struct base_str path,
		       const struct fakeapi_node *value)
{
	const struct fakeapi_schema_type *row = fakeapi_schema_row(type);
	struct fakeapi_causes *c = run->causes;
	size_t i = 0;

	type = fakeapi_schema_bare(type);
	if (row != NULL) {
		if (value->kind == BASE_JSON_OBJECT)
			walk_struct(run, row, path, value);
		return;
	}
	if (base_str_find_char(type, '.') == SIZE_MAX)
		return;
	for (const struct fakeapi_node *x = value->first; x != NULL; x = x->next, i++)
		walk_value(run, base_str_skip(type, 2),
			   value->kind == BASE_JSON_ARRAY
				   ? fakeapi_tree_text(&c->tree, "%.*s[%zu]", BASE_STR_ARG(path), i)
				   : fakeapi_tree_text(&c->tree, "%.*s[%.*s]", BASE_STR_ARG(path),
						       BASE_STR_ARG(x->key)),
			   x);
}

static void walk_struct(struct run *run, const struct fakeapi_schema_type *row,
			struct base_str path, const struct fakeapi_node *object)
{
	struct base_str rest = base_str(row->fields);
	struct fakeapi_schema_field field;

	run_checks(run, row, path, object, false);
	while (run->causes->tree.code == BASE_OK && fakeapi_schema_next(&rest, &field)) {
		const struct fakeapi_node *value = fakeapi_node_get(object, field.name);

		/* The object's own metadata has been checked already. */
		if (value != NULL && !(path.len == 0 && base_str_is(field.name, "metadata")))
			walk_value(run, field.type,
				   fakeapi_tree_text(&run->causes->tree, "%.*s%s%.*s",
						     BASE_STR_ARG(path), path.len > 0 ? "." : "",
						     BASE_STR_ARG(field.name)),
				   value);
	}
	check_type_itself(run->causes, row, path, object);
	run_checks(run, row, path, object, true);
}

/* ---- ConfigMaps and Secrets ---- */

static enum base_code data_key(struct base_str key, struct base_buf *why)
{
	bool good = key.len > 0;
	enum base_code code;

	for (size_t i = 0; i < key.len; i++) {
		char ch = key.ptr[i];

		good &= (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
			(ch >= '0' && ch <= '9') || ch == '-' || ch == '_' || ch == '.';
	}
	if (key.len > 253)
		code = base_buf_text(why, "must be no more than 253 characters");
	else if (!good)
		code = base_buf_text(
			why, "a valid config key must consist of alphanumeric characters, '-', "
			     "'_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex "
			     "used for validation is '[-._a-zA-Z0-9]+')");
	else if (base_str_is(key, ".") || base_str_is(key, ".."))
		code = base_buf_printf(why, "must not be '%.*s'", BASE_STR_ARG(key));
	else if (base_str_starts(key, BASE_STR("..")))
		code = base_buf_text(why, "must not start with '..'");
	else
		return BASE_OK;
	return code == BASE_OK ? BASE_EINVAL : code;
}

static void check_data(struct fakeapi_causes *c, const struct fakeapi_node *object, bool secret)
{
	static const char *const maps[] = {"data", "binaryData"};
	size_t total = 0;

	for (size_t i = 0; i < 2; i++) {
		const struct fakeapi_node *map = fakeapi_node_get(object, base_str(maps[i]));
		const struct fakeapi_node *other = fakeapi_node_get(object, base_str(maps[1 - i]));

		for (const struct fakeapi_node *m = map != NULL ? map->first : NULL; m != NULL;
		     m = m->next) {
			struct base_str field = fakeapi_tree_text(&c->tree, "%s[%.*s]", maps[i],
								  BASE_STR_ARG(m->key));

			fakeapi_causes_check(c, field, m->key, data_key);
			if (i == 0 && fakeapi_node_get(other, m->key) != NULL)
				fakeapi_causes_invalid(c, field, fakeapi_causes_quote(c, m->key),
						       "duplicate of key present in binaryData");
			total += secret || i == 1 ? m->text.len / 4 * 3 : m->text.len;
		}
	}
	if (total > DATA_MAX)
		fakeapi_causes_add(c, "FieldValueTooLong",
				   secret ? BASE_STR("data") : BASE_STR("[]"),
				   BASE_STR("Too long: may not be more than 1048576 bytes"));
}

static void check_sealed(struct fakeapi_causes *c, const struct fakeapi_node *object,
			 const struct fakeapi_node *old)
{
	static const char *const maps[] = {"data", "binaryData"};
	static const char why[] = "field is immutable when `immutable` is set";

	if (!fakeapi_node_true(fakeapi_node_get(old, BASE_STR("immutable"))))
		return;
	if (!fakeapi_node_true(fakeapi_node_get(object, BASE_STR("immutable"))))
		fakeapi_causes_forbidden(c, BASE_STR("immutable"), why);
	for (size_t i = 0; i < 2; i++) {
		if (!fakeapi_node_equal(fakeapi_node_get(object, base_str(maps[i])),
					fakeapi_node_get(old, base_str(maps[i]))))
			fakeapi_causes_forbidden(c, base_str(maps[i]), why);
	}
}

static void check_secret_type(struct fakeapi_causes *c, const struct fakeapi_node *object)
{
	static const struct {
		const char *type, *keys;
	} needs[] = {
		{"kubernetes.io/dockercfg", ".dockercfg"},
		{"kubernetes.io/dockerconfigjson", ".dockerconfigjson"},
		{"kubernetes.io/ssh-auth", "ssh-privatekey"},
		{"kubernetes.io/tls", "tls.crt,tls.key"},
	};
	const struct fakeapi_node *data = fakeapi_node_get(object, BASE_STR("data"));

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		struct base_str rest = base_str(needs[i].keys), key;
		bool more =
			fakeapi_node_is(fakeapi_node_get(object, BASE_STR("type")), needs[i].type);

		while (more) {
			rest = base_str_cut(rest, ',', &key, &more);
			if (fakeapi_node_get(data, key) == NULL)
				fakeapi_causes_required(c,
							fakeapi_tree_text(&c->tree, "data[%.*s]",
									  BASE_STR_ARG(key)),
							"");
		}
	}
}

/* ---- Kinds with templates ---- */

/* Do the labels fit the selector's? Only equalities are looked at. */
static bool selects(const struct fakeapi_node *selector, const struct fakeapi_node *labels)
{
	const struct fakeapi_node *wanted = fakeapi_node_get(selector, BASE_STR("matchLabels"));

	if (selector == NULL || selector->kind == BASE_JSON_NULL)
		return false;
	for (const struct fakeapi_node *m = wanted != NULL ? wanted->first : NULL; m != NULL;
	     m = m->next) {
		const struct fakeapi_node *own = fakeapi_node_get(labels, m->key);

		if (!fakeapi_node_equal(own, m))
			return false;
	}
	return true;
}

static void check_selector(struct fakeapi_causes *c, const struct fakeapi_node *object,
			   const char *kind)
{
	const struct fakeapi_node *selector = fakeapi_node_path(object, "spec.selector");
	const struct fakeapi_node *labels =
		fakeapi_node_path(object, "spec.template.metadata.labels");
	bool missing = selector == NULL || selector->kind == BASE_JSON_NULL;

	if (missing && strcmp(kind, "daemonset") != 0)
		fakeapi_causes_required(c, BASE_STR("spec.selector"), "");
	else if (!missing && selector->first == NULL)
		fakeapi_causes_invalid(
			c, BASE_STR("spec.selector"), BASE_STR("{}"),
			fakeapi_tree_text(&c->tree, "empty selector is invalid for %s", kind).ptr);
	if (missing || (selector->first != NULL && !selects(selector, labels)))
		if (!selects(selector, labels))
			fakeapi_causes_invalid(c, BASE_STR("spec.template.metadata.labels"),
					       fakeapi_causes_labels(c, labels),
					       "`selector` does not match template `labels`");
}

static void check_job(struct fakeapi_causes *c, const struct fakeapi_node *object)
{
	const struct fakeapi_node *policy =
		fakeapi_node_path(object, "spec.template.spec.restartPolicy");

	if (fakeapi_node_is(policy, "Always"))
		fakeapi_causes_required(c, BASE_STR("spec.template.spec.restartPolicy"),
					"valid values: \"OnFailure\", \"Never\"");
}

/* The selector is made for a new job; a changed one has to bring it. */
static void check_job_selector(struct fakeapi_causes *c, const struct fakeapi_node *object)
{
	const struct fakeapi_node *selector = fakeapi_node_path(object, "spec.selector");
	const struct fakeapi_node *labels =
		fakeapi_node_path(object, "spec.template.metadata.labels");

	if (selector == NULL)
		fakeapi_causes_required(c, BASE_STR("spec.selector"), "");
	if (!selects(selector, labels))
		fakeapi_causes_invalid(c, BASE_STR("spec.template.metadata.labels"),
				       fakeapi_causes_labels(c, labels),
				       "`selector` does not match template `labels`");
}

static void check_replica_counts(struct fakeapi_causes *c, const struct fakeapi_node *object)
{
	static const char *const names[] = {"updatedReplicas", "readyReplicas",
					    "availableReplicas"};
	int64_t all = 0, number;

	(void)fakeapi_node_number(fakeapi_node_path(object, "status.replicas"), &all);
	for (size_t i = 0; i < 3; i++) {
		struct base_str path = fakeapi_tree_text(&c->tree, "status.%s", names[i]);

		number = 0;
		(void)fakeapi_node_number(fakeapi_node_path(object, path.ptr), &number);
		if (number > all)
			fakeapi_causes_invalid(
				c, path, fakeapi_tree_text(&c->tree, "%lld", (long long)number),
				"cannot be greater than status.replicas");
	}
}

static void check_namespace(struct fakeapi_causes *c, const struct fakeapi_node *object)
{
	const struct fakeapi_node *phase = fakeapi_node_path(object, "status.phase");
	bool going = fakeapi_node_path(object, "metadata.deletionTimestamp") != NULL;

	if (!fakeapi_node_is(phase, going ? "Terminating" : "Active"))
		fakeapi_causes_invalid(
			c, BASE_STR("status.Phase"), fakeapi_causes_value(c, phase),
			going ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
			      : "may only be 'Active' if `deletionTimestamp` is empty");
}

/* Only replication controllers are scaled without a group. */
static void check_scale_target(struct fakeapi_causes *c, const struct fakeapi_node *object)
{
	const struct fakeapi_node *target = fakeapi_node_path(object, "spec.scaleTargetRef");
	struct base_str version =
		fakeapi_node_text(fakeapi_node_get(target, BASE_STR("apiVersion")));

	if (base_str_find_char(version, '/') == SIZE_MAX &&
	    !fakeapi_node_is(fakeapi_node_get(target, BASE_STR("kind")), "ReplicationController"))
		fakeapi_causes_invalid(c, BASE_STR("spec.scaleTargetRef.apiVersion"),
				       fakeapi_causes_quote(c, version),
				       "apiVersion must specify API group");
}

static void check_kind_itself(struct fakeapi_causes *c, const char *type,
			      const struct fakeapi_node *object, const struct fakeapi_node *old)
{
	if (strcmp(type, "core.ConfigMap") == 0 || strcmp(type, "core.Secret") == 0) {
		check_sealed(c, object, old);
		check_data(c, object, type[5] == 'S');
	}
	if (strcmp(type, "core.Secret") == 0)
		check_secret_type(c, object);
	else if (strcmp(type, "core.Service") == 0)
		fakeapi_service_validate(c, object, old);
	else if (strcmp(type, "apps.Deployment") == 0)
		check_selector(c, object, "deployment");
	else if (strcmp(type, "apps.ReplicaSet") == 0)
		check_selector(c, object, "deployment");
	else if (strcmp(type, "apps.DaemonSet") == 0)
		check_selector(c, object, "daemonset");
	else if (strcmp(type, "apps.StatefulSet") == 0)
		check_selector(c, object, "statefulset");
	else if (strcmp(type, "batch.Job") == 0)
		check_job(c, object);
	else if (strcmp(type, "core.Namespace") == 0 && old != NULL)
		check_namespace(c, object);
	fakeapi_validate_spec(c, type, object);
}

/* What only follows from what is inside the object. */
static void check_kind_behind(struct fakeapi_write *w, struct fakeapi_causes *c, const char *type,
			      const struct fakeapi_node *object)
{
	fakeapi_validate_spec_behind(c, type, object);
	if (strcmp(type, "batch.Job") == 0)
		check_job_selector(c, object);
	else if (strcmp(type, "apps.Deployment") == 0)
		check_replica_counts(c, object);
	else if (strcmp(w->resource->kind, "HorizontalPodAutoscaler") == 0 &&
		 fakeapi_profile_of(w->call->f)->scale_target_group)
		check_scale_target(c, object);
}

static void check_fixed_fields(struct fakeapi_write *w, struct fakeapi_causes *c,
			       const struct fakeapi_schema_type *row,
			       const struct fakeapi_node *object, const struct fakeapi_node *old)
{
	for (size_t i = first_check(row->name);
	     i < fakeapi_checks_count && strcmp(fakeapi_checks[i].type, row->name) == 0; i++) {
		const struct fakeapi_check *check = &fakeapi_checks[i];

		if (is_fixed(check) && in_minors(check, fakeapi_minor(w->call->f)))
			run_check(c, check, (struct base_str){0}, object, old);
	}
}

/* Of these a change is only looked at for what may not change. */
static bool is_trusted(const char *type)
{
	static const char *const types[] = {"node.RuntimeClass", "scheduling.PriorityClass",
					    "storage.StorageClass"};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	return false;
}

/* A change of some kinds is looked at as if it were a new object, too. */
static unsigned times_checked(const struct fakeapi_write *w, const char *type)
{
	static const struct {
		const char *type;
		unsigned until; /* the last minor; 0: it is so still */
	} rows[] = {
		{"batch.Job", 0},
		{"core.PersistentVolumeClaim", 34},
		{"core.ReplicationController", 34},
		{"rbac.Role", 34},
		{"rbac.RoleBinding", 34},
		{"rbac.ClusterRole", 34},
		{"rbac.ClusterRoleBinding", 34},
		{"networking.NetworkPolicy", 35},
		{"apps.DaemonSet", 33},
		{"apps.ReplicaSet", 33},
	};
	unsigned minor = fakeapi_minor(w->call->f);

	if (w->call->subresource.len > 0)
		return 1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(type, rows[i].type) == 0 &&
		    (rows[i].until == 0 || minor <= rows[i].until))
			return 2;
	return 1;
}

void fakeapi_validate_kind(struct fakeapi_write *w, struct fakeapi_causes *causes,
			   const struct fakeapi_node *object, const struct fakeapi_node *old)
{
	const struct fakeapi_schema_type *row = fakeapi_schema_of(w->resource);
	struct run run = {.causes = causes, .minor = fakeapi_minor(w->call->f)};
	unsigned times = old == NULL ? 1 : times_checked(w, row->name);

	bool fixed_first = strcmp(row->name, "core.Secret") == 0 ||
			   strcmp(row->name, "networking.IngressClass") == 0;

	if (old != NULL && is_trusted(row->name))
		times = 0;
	if (old != NULL && fixed_first)
		check_fixed_fields(w, causes, row, object, old);
	while (times-- > 0) {
		check_kind_itself(causes, row->name, object, old);
		walk_struct(&run, row, (struct base_str){0}, object);
		check_kind_behind(w, causes, row->name, object);
	}
	if (old == NULL)
		return;
	if (!fixed_first)
		check_fixed_fields(w, causes, row, object, old);
	fakeapi_validate_change(causes, row->name, object, old);
}
