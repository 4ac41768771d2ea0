#include "fakeapi/defaults.h"

#include <stdlib.h>

/* ---- Values that are made ---- */

static struct fakeapi_node *text_node(struct fakeapi_tree *tree, const char *text)
{
	return fakeapi_tree_string(tree, base_str(text));
}

/* The tag behind the last colon that is no port's; a digest alone counts as a tag that is not latest. */
static struct fakeapi_node *make_pull_policy(struct fakeapi_tree *tree, struct fakeapi_node *object,
					     struct fakeapi_node *at,
					     const struct fakeapi_rule_facts *facts)
{
	(void)facts;
	struct base_str image = fakeapi_node_text(fakeapi_node_get(object, BASE_STR("image")));
	struct base_str name = image, tag = {0};
	bool digest;

	if (!fakeapi_node_void(at))
		return NULL;
	(void)base_str_cut(image, '@', &name, &digest);
	for (size_t i = name.len; i > 0 && name.ptr[i - 1] != '/'; i--) {
		if (name.ptr[i - 1] == ':') {
			tag = base_str_skip(name, i);
			break;
		}
	}
	if (image.len > 0 && (base_str_is(tag, "latest") || (tag.len == 0 && !digest)))
		return text_node(tree, "Always");
	return text_node(tree, "IfNotPresent");
}

static struct fakeapi_node *make_target_port(struct fakeapi_tree *tree, struct fakeapi_node *object,
					     struct fakeapi_node *at,
					     const struct fakeapi_rule_facts *facts)
{
	(void)facts;
	const struct fakeapi_node *port = fakeapi_node_get(object, BASE_STR("port"));

	if (!fakeapi_node_void(at) && !(at->kind == BASE_JSON_NUMBER && base_str_is(at->text, "0")))
		return NULL;
	return port != NULL ? fakeapi_tree_copy(tree, port) : fakeapi_tree_number(tree, 0);
}

static struct fakeapi_node *make_empty_dir(struct fakeapi_tree *tree, struct fakeapi_node *object,
					   struct fakeapi_node *at,
					   const struct fakeapi_rule_facts *facts)
{
	(void)facts;
	(void)at;
	return fakeapi_node_count(object) <= 1 &&
			       (object->first == NULL || base_str_is(object->first->key, "name"))
		       ? fakeapi_tree_object(tree)
		       : NULL;
}

/* The deprecated twin of serviceAccountName; whichever is set counts for both. */
static struct fakeapi_node *make_service_account(struct fakeapi_tree *tree,
						 struct fakeapi_node *object,
						 struct fakeapi_node *at,
						 const struct fakeapi_rule_facts *facts)
{
	(void)facts;
	struct base_str name =
		fakeapi_node_text(fakeapi_node_get(object, BASE_STR("serviceAccountName")));

	if (name.len > 0)
		return fakeapi_tree_string(tree, name);
	if (!fakeapi_node_void(at))
		fakeapi_node_set_text(tree, object, "serviceAccountName", fakeapi_node_text(at));
	return NULL;
}

static struct fakeapi_node *make_template_labels(struct fakeapi_tree *tree,
						 struct fakeapi_node *object,
						 struct fakeapi_node *at,
						 const struct fakeapi_rule_facts *facts)
{
	(void)facts;
	const struct fakeapi_node *labels =
		fakeapi_node_path(object, "spec.template.metadata.labels");

	return fakeapi_node_void(at) && !fakeapi_node_void(labels) ? fakeapi_tree_copy(tree, labels)
								   : NULL;
}

struct fakeapi_node *fakeapi_make_name_label(struct fakeapi_tree *tree, struct fakeapi_node *object,
					     struct fakeapi_node *at,
					     const struct fakeapi_rule_facts *facts)
{
	(void)facts;
	struct base_str name = fakeapi_node_text(fakeapi_node_path(object, "metadata.name"));

	if (!fakeapi_node_is_object(at))
		at = fakeapi_node_need(tree, fakeapi_node_need(tree, object, "metadata"), "labels");
	fakeapi_node_set_text(tree, at, "kubernetes.io/metadata.name", name);
	fakeapi_node_sort(tree, at);
	return NULL;
}

static struct fakeapi_node *make_capacity(struct fakeapi_tree *tree, struct fakeapi_node *object,
					  struct fakeapi_node *at,
					  const struct fakeapi_rule_facts *facts)
{
	(void)facts;
	return at == NULL ? fakeapi_tree_copy(tree, fakeapi_node_get(object, BASE_STR("capacity")))
			  : NULL;
}

static void fill_missing(struct fakeapi_tree *tree, struct fakeapi_node *to,
			 const struct fakeapi_node *from)
{
	for (const struct fakeapi_node *c = from != NULL ? from->first : NULL; c != NULL;
	     c = c->next) {
		if (fakeapi_node_get(to, c->key) == NULL)
			fakeapi_node_set(tree, to, c->key, fakeapi_tree_copy(tree, c));
	}
}

/* Limits and requests that follow from the largest and smallest allowed. */
static struct fakeapi_node *make_limits(struct fakeapi_tree *tree, struct fakeapi_node *object,
					struct fakeapi_node *at,
					const struct fakeapi_rule_facts *facts)
{
	(void)facts;
	struct fakeapi_node *requests;

	at = fakeapi_node_need(tree, object, "default");
	requests = fakeapi_node_need(tree, object, "defaultRequest");
	fill_missing(tree, at, fakeapi_node_get(object, BASE_STR("max")));
	fill_missing(tree, requests, at);
	fill_missing(tree, requests, fakeapi_node_get(object, BASE_STR("min")));
	return NULL;
}

static struct fakeapi_node *make_requests(struct fakeapi_tree *tree, struct fakeapi_node *object,
					  struct fakeapi_node *at,
					  const struct fakeapi_rule_facts *facts)
{
	(void)facts;
	(void)object;
	for (struct fakeapi_node *c = at != NULL ? at->first : NULL; c != NULL; c = c->next) {
		struct fakeapi_node *resources = fakeapi_node_get(c, BASE_STR("resources"));
		struct fakeapi_node *limits = fakeapi_node_get(resources, BASE_STR("limits"));

		if (!fakeapi_node_void(limits))
			fill_missing(tree, fakeapi_node_need(tree, resources, "requests"), limits);
	}
	return NULL;
}

static struct fakeapi_node *make_host_ports(struct fakeapi_tree *tree, struct fakeapi_node *object,
					    struct fakeapi_node *at,
					    const struct fakeapi_rule_facts *facts)
{
	(void)facts;
	(void)object;
	for (struct fakeapi_node *c = at != NULL ? at->first : NULL; c != NULL; c = c->next) {
		struct fakeapi_node *ports = fakeapi_node_get(c, BASE_STR("ports"));

		for (struct fakeapi_node *p = ports != NULL ? ports->first : NULL; p != NULL;
		     p = p->next) {
			struct fakeapi_node *host = fakeapi_node_get(p, BASE_STR("hostPort"));
			struct fakeapi_node *port = fakeapi_node_get(p, BASE_STR("containerPort"));

			if (host == NULL && port != NULL)
				fakeapi_node_set(tree, p, BASE_STR("hostPort"),
						 fakeapi_tree_copy(tree, port));
		}
	}
	return NULL;
}

static struct base_str to_base64(struct fakeapi_tree *tree, struct base_str text)
{
	static const char set[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	struct base_str out = fakeapi_tree_text(tree, "%*s", (int)((text.len + 2) / 3 * 4), "");
	char *to = (char *)out.ptr;

	if (tree->code != BASE_OK)
		return (struct base_str){0};
	for (size_t i = 0; i < text.len; i += 3) {
		unsigned long bits = 0;

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (i + k < text.len ? (unsigned char)text.ptr[i + k] : 0u);
		for (size_t k = 0; k < 4; k++)
			*to++ = i + k > text.len ? '=' : set[bits >> (18 - 6 * k) & 63];
	}
	return out;
}

/* Text for the reader's comfort; it wins over data of the same name. */
static struct fakeapi_node *make_string_data(struct fakeapi_tree *tree, struct fakeapi_node *object,
					     struct fakeapi_node *at,
					     const struct fakeapi_rule_facts *facts)
{
	(void)facts;
	struct fakeapi_node *texts = fakeapi_node_get(object, BASE_STR("stringData"));

	if (!fakeapi_node_is_object(at))
		at = fakeapi_node_need(tree, object, "data");
	for (const struct fakeapi_node *c = texts->first; c != NULL; c = c->next)
		fakeapi_node_set(tree, at, c->key,
				 fakeapi_tree_string(tree, to_base64(tree, c->text)));
	fakeapi_node_sort(tree, at);
	fakeapi_node_remove(object, BASE_STR("stringData"));
	return NULL;
}

/* One address is a list of one. */
static struct fakeapi_node *make_pod_ips(struct fakeapi_tree *tree, struct fakeapi_node *object,
					 struct fakeapi_node *at,
					 const struct fakeapi_rule_facts *facts)
{
	struct fakeapi_node *list = fakeapi_tree_array(tree), *one = fakeapi_tree_object(tree);

	(void)at;
	(void)facts;
	fakeapi_node_set_text(tree, one, "ip",
			      fakeapi_node_text(fakeapi_node_get(object, BASE_STR("podIP"))));
	fakeapi_node_append(tree, list, one);
	return list;
}

/* Claims in a template show what they are. */
static struct fakeapi_node *make_claim_types(struct fakeapi_tree *tree, struct fakeapi_node *object,
					     struct fakeapi_node *at,
					     const struct fakeapi_rule_facts *facts)
{
	(void)facts;
	(void)object;
	for (struct fakeapi_node *c = at != NULL ? at->first : NULL; c != NULL; c = c->next) {
		fakeapi_node_set_text(tree, c, "kind", BASE_STR("PersistentVolumeClaim"));
		fakeapi_node_set_text(tree, c, "apiVersion", BASE_STR("v1"));
	}
	return NULL;
}

/* A field of an older version that lives on as an annotation. */
static struct fakeapi_node *make_template_generation(struct fakeapi_tree *tree,
						     struct fakeapi_node *object,
						     struct fakeapi_node *at,
						     const struct fakeapi_rule_facts *facts)
{
	(void)facts;
	if (!fakeapi_node_is_object(at))
		at = fakeapi_node_need(tree, fakeapi_node_need(tree, object, "metadata"),
				       "annotations");
	if (fakeapi_node_get(at, BASE_STR(FAKEAPI_TEMPLATE_GENERATION)) == NULL)
		fakeapi_node_set_text(tree, at, FAKEAPI_TEMPLATE_GENERATION, BASE_STR("0"));
	fakeapi_node_sort(tree, at);
	return NULL;
}

static struct fakeapi_node *make_list_kind(struct fakeapi_tree *tree, struct fakeapi_node *object,
					   struct fakeapi_node *at,
					   const struct fakeapi_rule_facts *facts)
{
	(void)facts;
	struct base_str kind = fakeapi_node_text(fakeapi_node_get(object, BASE_STR("kind")));

	if (!fakeapi_node_void(at))
		return NULL;
	return fakeapi_tree_string(tree, fakeapi_tree_text(tree, "%.*sList", BASE_STR_ARG(kind)));
}

static struct fakeapi_node *make_singular(struct fakeapi_tree *tree, struct fakeapi_node *object,
					  struct fakeapi_node *at,
					  const struct fakeapi_rule_facts *facts)
{
	(void)facts;
	struct base_str kind = fakeapi_node_text(fakeapi_node_get(object, BASE_STR("kind")));
	struct fakeapi_node *made;
	char *text;

	if (!fakeapi_node_void(at))
		return NULL;
	made = fakeapi_tree_string(tree, kind);
	text = (char *)made->text.ptr;
	for (size_t i = 0; i < made->text.len; i++)
		if (text[i] >= 'A' && text[i] <= 'Z')
			text[i] = (char)(text[i] - 'A' + 'a');
	return made;
}

static fakeapi_make_fn *maker(const char *name)
{
	static const struct {
		const char *name;
		fakeapi_make_fn *fn;
	} makers[] = {
		{"@capacity", make_capacity},
		{"@claimTypes", make_claim_types},
		{"@emptyDir", make_empty_dir},
		{"@hostPorts", make_host_ports},
		{"@limits", make_limits},
		{"@listKind", make_list_kind},
		{"@nameLabel", fakeapi_make_name_label},
		{"@podIPs", make_pod_ips},
		{"@pullPolicy", make_pull_policy},
		{"@requests", make_requests},
		{"@serviceAccount", make_service_account},
		{"@singular", make_singular},
		{"@stringData", make_string_data},
		{"@targetPort", make_target_port},
		{"@templateGeneration", make_template_generation},
		{"@templateLabels", make_template_labels},
	};

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		if (strcmp(makers[i].name, name) == 0)
			return makers[i].fn;
	}
	return NULL;
}

/* ---- Rules ---- */

static struct fakeapi_node *at_path(const struct fakeapi_node *object, struct base_str path)
{
	struct base_str head;
	bool more = true;
	const struct fakeapi_node *at = object;

	while (more && at != NULL) {
		path = base_str_cut(path, '.', &head, &more);
		at = fakeapi_node_get(at, head);
	}
	return (struct fakeapi_node *)at;
}

static bool condition_holds(const struct fakeapi_node *object, struct base_str condition)
{
	struct base_str path, wanted;
	const struct fakeapi_node *at;
	bool negated = condition.ptr[0] == '!', compared, holds;

	wanted = base_str_cut(base_str_skip(condition, negated ? 1 : 0), '=', &path, &compared);
	at = at_path(object, path);
	if (compared)
		holds = base_str_eq(fakeapi_node_text(at), wanted);
	else
		holds = at != NULL && at->kind != BASE_JSON_FALSE &&
			!(at->kind == BASE_JSON_NUMBER && base_str_is(at->text, "0")) &&
			(at->kind == BASE_JSON_OBJECT || !fakeapi_node_void(at));
	return holds != negated;
}

bool fakeapi_default_applies(const char *when, const struct fakeapi_node *object)
{
	struct base_str rest, one;
	bool more = when != NULL;

	rest = more ? base_str(when) : (struct base_str){0};
	while (more) {
		rest = base_str_cut(rest, '&', &one, &more);
		if (!condition_holds(object, one))
			return false;
	}
	return true;
}

/* Is the field's zero value as good as nothing, since it is no pointer? */
static bool zero_is_absent(const struct fakeapi_schema_type *row, struct base_str path)
{
	struct fakeapi_schema_field field = {0};
	struct base_str head;
	bool more = true;

	while (more && row != NULL) {
		path = base_str_cut(path, '.', &head, &more);
		if (!fakeapi_schema_field(row, head, &field))
			return false;
		row = fakeapi_schema_row(field.type);
	}
	return field.type.len > 0 && field.type.ptr[0] != '*';
}

static bool is_absent(const struct fakeapi_node *at, bool zero_counts)
{
	if (at == NULL || at->kind == BASE_JSON_NULL)
		return true;
	if (!zero_counts)
		return false;
	return fakeapi_node_void(at) || at->kind == BASE_JSON_FALSE ||
	       (at->kind == BASE_JSON_NUMBER && base_str_is(at->text, "0"));
}

/* The object that holds the last name of the path; the ones between are made. */
static struct fakeapi_node *parent_of(struct fakeapi_tree *tree, struct fakeapi_node *object,
				      struct base_str path, struct base_str *last)
{
	bool more = true;

	for (;;) {
		struct base_str rest = base_str_cut(path, '.', last, &more);
		struct fakeapi_node *next;

		if (!more)
			return object;
		next = fakeapi_node_get(object, *last);
		if (!fakeapi_node_is_object(next)) {
			next = fakeapi_tree_object(tree);
			fakeapi_node_set(tree, object, *last, next);
		}
		object = next;
		path = rest;
	}
}

/* "+x": the text x is in the list at the path. */
static void add_to_list(struct fakeapi_tree *tree, struct fakeapi_node *object,
			struct base_str path, const char *text)
{
	struct fakeapi_node *at = at_path(object, path);
	struct base_str last;

	for (const struct fakeapi_node *c = at != NULL ? at->first : NULL; c != NULL; c = c->next)
		if (fakeapi_node_is(c, text))
			return;
	if (!fakeapi_node_is_array(at)) {
		at = fakeapi_tree_array(tree);
		fakeapi_node_set(tree, parent_of(tree, object, path, &last), last, at);
	}
	fakeapi_node_append(tree, at, fakeapi_tree_string(tree, base_str(text)));
}

static void run_rule(struct fakeapi_tree *tree, const struct fakeapi_rules *rules,
		     const struct fakeapi_schema_type *row, const struct fakeapi_default *rule,
		     struct fakeapi_node *object)
{
	struct base_str path = base_str(rule->path), last;
	struct fakeapi_node *at = at_path(object, path), *value;

	if (!fakeapi_default_applies(rule->when, object))
		return;
	if (rule->value[0] == '+') {
		add_to_list(tree, object, path, rule->value + 1);
		return;
	}
	if (rule->value[0] == '@')
		value = rules->maker(rule->value)(tree, object, at, rules->facts);
	else if (is_absent(at, zero_is_absent(row, path)))
		value = fakeapi_tree_parse(tree, base_str(rule->value));
	else
		return;
	if (value != NULL)
		fakeapi_node_set(tree, parent_of(tree, object, path, &last), last, value);
}

static size_t first_rule(const struct fakeapi_rules *rules, const char *type)
{
	size_t low = 0, high = rules->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(rules->rows[middle].type, type) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void apply_value(struct fakeapi_tree *tree, struct base_str type, struct fakeapi_node *node)
{
	const struct fakeapi_schema_type *row = fakeapi_schema_row(type);

	type = fakeapi_schema_bare(type);
	if (row != NULL) {
		if (node->kind == BASE_JSON_OBJECT)
			fakeapi_defaults_apply(tree, row, node);
		return;
	}
	if (base_str_find_char(type, '.') == SIZE_MAX)
		return;
	for (struct fakeapi_node *c = node->first; c != NULL; c = c->next)
		apply_value(tree, base_str_skip(type, 2), c);
}

void fakeapi_rules_run(struct fakeapi_tree *tree, const struct fakeapi_rules *rules,
		       const struct fakeapi_schema_type *type, struct fakeapi_node *object)
{
	for (size_t i = first_rule(rules, type->name);
	     i < rules->count && strcmp(rules->rows[i].type, type->name) == 0; i++)
		run_rule(tree, rules, type, &rules->rows[i], object);
}

void fakeapi_defaults_apply(struct fakeapi_tree *tree, const struct fakeapi_schema_type *type,
			    struct fakeapi_node *object)
{
	const struct fakeapi_rules rules = {
		.rows = fakeapi_defaults, .count = fakeapi_defaults_count, .maker = maker};
	struct base_str rest = base_str(type->fields);
	struct fakeapi_schema_field field;

	fakeapi_rules_run(tree, &rules, type, object);
	while (tree->code == BASE_OK && fakeapi_schema_next(&rest, &field)) {
		struct fakeapi_node *at = fakeapi_node_get(object, field.name);

		if (field.default_.len > 0 && is_absent(at, field.type.ptr[0] != '*')) {
			at = fakeapi_tree_parse(tree, field.default_);
			fakeapi_node_set(tree, object, field.name, at);
		}
		if (at != NULL)
			apply_value(tree, field.type, at);
	}
}
