/* What a definition's schema is refused for: it must be structural. */
#include "fakeapi/crd.h"

#include <stdio.h>

/* Where a schema stands: what its missing type is told as. */
enum level { LEVEL_ROOT, LEVEL_FIELD, LEVEL_ITEM };

struct lint {
	struct fakeapi_causes *causes;
	struct fakeapi_write *w; /* for warnings; NULL: none */
	enum base_code code;
};

static const struct fakeapi_node *at(const struct fakeapi_node *schema, const char *key)
{
	const struct fakeapi_node *value = fakeapi_node_get(schema, base_str(key));
	return value != NULL && value->kind != BASE_JSON_NULL ? value : NULL;
}

static bool flag(const struct fakeapi_node *schema, const char *key)
{
	return fakeapi_node_true(at(schema, key));
}

static struct base_str below(struct lint *l, struct base_str path, const char *key)
{
	return fakeapi_tree_text(&l->causes->tree, "%.*s.%s", BASE_STR_ARG(path), key);
}

static struct base_str quoted(struct lint *l, const struct fakeapi_node *value)
{
	return fakeapi_causes_quote(l->causes, fakeapi_node_text(value));
}

static void check_type(struct lint *l, const struct fakeapi_node *schema, struct base_str path,
		       enum level level)
{
	static const char *const why[] = {"must not be empty at the root",
					  "must not be empty for specified object fields",
					  "must not be empty for specified array items"};
	const struct fakeapi_node *type = at(schema, "type");
	struct base_str name = fakeapi_node_text(type), field = below(l, path, "type");
	bool open = flag(schema, "x-kubernetes-int-or-string") ||
		    flag(schema, "x-kubernetes-preserve-unknown-fields");
	if (name.len == 0) {
		if (level == LEVEL_ROOT || !open)
			fakeapi_causes_required(l->causes, field, why[level]);
		return;
	}
	if (!base_str_is(name, "array") && !base_str_is(name, "boolean") &&
	    !base_str_is(name, "integer") && !base_str_is(name, "number") &&
	    !base_str_is(name, "object") && !base_str_is(name, "string"))
		fakeapi_causes_unsupported(l->causes, field, name,
					   "array,boolean,integer,number,object,string");
	else if (level == LEVEL_ROOT && !base_str_is(name, "object"))
		fakeapi_causes_invalid(l->causes, field, quoted(l, type),
				       "must be object at the root");
	if (at(schema, "x-kubernetes-list-type") != NULL && !base_str_is(name, "array"))
		fakeapi_causes_invalid(l->causes, field, quoted(l, type),
				       "must be array if x-kubernetes-list-type is specified");
	if (base_str_is(name, "array") && at(schema, "items") == NULL)
		fakeapi_causes_required(l->causes, below(l, path, "items"), "must be specified");
}

/* The list's keys are fields that are always there. */
static void check_keys(struct lint *l, const struct fakeapi_node *schema, struct base_str path)
{
	const struct fakeapi_node *items = at(schema, "items");
	const struct fakeapi_node *keys = at(schema, "x-kubernetes-list-map-keys");
	struct base_str type = fakeapi_node_text(at(items, "type"));
	if (!fakeapi_node_is(at(schema, "x-kubernetes-list-type"), "map"))
		return;
	if (fakeapi_node_count(keys) == 0)
		fakeapi_causes_required(l->causes, below(l, path, "x-kubernetes-list-map-keys"),
					"must not be empty if x-kubernetes-list-type is map");
	if (!base_str_is(type, "object"))
		fakeapi_causes_invalid(
			l->causes, below(l, path, "items.type"), quoted(l, at(items, "type")),
			"must be object if parent array's x-kubernetes-list-type is map");
	for (const struct fakeapi_node *k = keys != NULL ? keys->first : NULL; k != NULL;
	     k = k->next) {
		const struct fakeapi_node *field =
			fakeapi_node_get(at(items, "properties"), k->text);
		bool needed = false;
		const struct fakeapi_node *required = at(items, "required");
		for (const struct fakeapi_node *r = required != NULL ? required->first : NULL;
		     r != NULL; r = r->next)
			needed = needed || base_str_eq(r->text, k->text);
		if (field != NULL && !needed && at(field, "default") == NULL)
			fakeapi_causes_required(
				l->causes,
				fakeapi_tree_text(&l->causes->tree,
						  "%.*s.items.properties[%.*s].default",
						  BASE_STR_ARG(path), BASE_STR_ARG(k->text)),
				"this property is in x-kubernetes-list-map-keys, so it must have "
				"a default or be a required property");
	}
}

static void check_forbidden(struct lint *l, const struct fakeapi_node *schema, struct base_str path)
{
	if (flag(schema, "uniqueItems"))
		fakeapi_causes_forbidden(l->causes, below(l, path, "uniqueItems"),
					 "uniqueItems cannot be set to true since the runtime "
					 "complexity becomes quadratic");
	if (fakeapi_node_text(at(schema, "$ref")).len != 0)
		fakeapi_causes_forbidden(l->causes, below(l, path, "$ref"),
					 "$ref is not supported");
	if (at(schema, "additionalProperties") != NULL &&
	    fakeapi_node_count(at(schema, "properties")) != 0 &&
	    at(schema, "additionalProperties")->kind != BASE_JSON_FALSE)
		fakeapi_causes_forbidden(l->causes, below(l, path, "additionalProperties"),
					 "additionalProperties and properties are mutual "
					 "exclusive");
}

static void check_pattern(struct lint *l, const struct fakeapi_node *schema, struct base_str path)
{
	struct base_str pattern = fakeapi_node_text(at(schema, "pattern"));
	size_t open = base_str_find_char(pattern, '[');
	if (open == SIZE_MAX || base_str_find_char(base_str_skip(pattern, open), ']') != SIZE_MAX)
		return;
	struct base_str why = fakeapi_tree_text(
		&l->causes->tree,
		"must be a valid regular expression, but isn't: error parsing regexp: missing "
		"closing ]: `%.*s`",
		BASE_STR_ARG(base_str_skip(pattern, open)));
	fakeapi_causes_invalid(l->causes, below(l, path, "pattern"),
			       fakeapi_causes_quote(l->causes, pattern), why.ptr);
}

static void check_default(struct lint *l, const struct fakeapi_node *schema, struct base_str path)
{
	const struct fakeapi_node *value = at(schema, "default");
	struct fakeapi_crd_check check = {
		.causes = l->causes, .root = below(l, path, "default"), .whole = true};
	if (value != NULL)
		fakeapi_crd_check(&check, schema, value, NULL, (struct base_str){0});
}

static void check_format(struct lint *l, const struct fakeapi_node *schema)
{
	static const char known[] =
		",bsonobjectid,uri,email,hostname,ipv4,ipv6,cidr,mac,uuid,uuid3,uuid4,uuid5,isbn,"
		"isbn10,isbn13,creditcard,ssn,hexcolor,rgbcolor,byte,password,date,duration,"
		"date-time,datetime,int32,int64,float,double,k8s-short-name,k8s-long-name,";
	struct base_str format = fakeapi_node_text(at(schema, "format"));
	char word[64];
	if (format.len == 0 || format.len > 40 || l->w == NULL || l->code != BASE_OK)
		return;
	snprintf(word, sizeof word, ",%.*s,", BASE_STR_ARG(format));
	if (strstr(known, word) != NULL)
		return;
	snprintf(word, sizeof word, "unrecognized format \"%.*s\"", BASE_STR_ARG(format));
	l->code = fakeapi_write_warn(l->w, base_str(word));
}

static void check_root(struct lint *l, const struct fakeapi_node *schema, struct base_str path)
{
	static const char *const texts[] = {"apiVersion", "kind"};
	const struct fakeapi_node *fields = at(schema, "properties");
	const struct fakeapi_node *metadata = fakeapi_node_path(fields, "metadata.properties");
	for (size_t i = 0; i < 2; i++) {
		const struct fakeapi_node *field = at(fields, texts[i]);
		if (field == NULL || fakeapi_node_is(at(field, "type"), "string"))
			continue;
		fakeapi_causes_invalid(l->causes,
				       fakeapi_tree_text(&l->causes->tree,
							 "%.*s.properties[%s].type",
							 BASE_STR_ARG(path), texts[i]),
				       quoted(l, at(field, "type")), "must be string");
	}
	for (const struct fakeapi_node *m = metadata != NULL ? metadata->first : NULL; m != NULL;
	     m = m->next) {
		if (base_str_is(m->key, "name") || base_str_is(m->key, "generateName"))
			continue;
		fakeapi_causes_forbidden(l->causes, below(l, path, "properties[metadata]"),
					 "must not specify anything other than name and "
					 "generateName, but metadata is implicitly specified");
		break;
	}
}

static void lint(struct lint *l, const struct fakeapi_node *schema, struct base_str path,
		 enum level level)
{
	const struct fakeapi_node *fields = at(schema, "properties");
	const struct fakeapi_node *others = at(schema, "additionalProperties");
	const struct fakeapi_node *items = at(schema, "items");
	if (l->causes->tree.code != BASE_OK)
		return;
	check_forbidden(l, schema, path);
	if (fakeapi_node_text(at(schema, "$ref")).len == 0)
		check_type(l, schema, path, level);
	check_keys(l, schema, path);
	check_pattern(l, schema, path);
	check_default(l, schema, path);
	check_format(l, schema);
	if (level == LEVEL_ROOT)
		check_root(l, schema, path);
	for (const struct fakeapi_node *f = fields != NULL ? fields->first : NULL; f != NULL;
	     f = f->next)
		lint(l, f,
		     fakeapi_tree_text(&l->causes->tree, "%.*s.properties[%.*s]",
				       BASE_STR_ARG(path), BASE_STR_ARG(f->key)),
		     LEVEL_FIELD);
	if (fakeapi_node_is_object(others))
		lint(l, others, below(l, path, "additionalProperties"), LEVEL_FIELD);
	if (fakeapi_node_is_object(items))
		lint(l, items, below(l, path, "items"), LEVEL_ITEM);
}

enum base_code fakeapi_crd_check_schema(struct fakeapi_write *w, struct fakeapi_causes *causes,
					const struct fakeapi_node *schema, struct base_str path)
{
	struct lint l = {.causes = causes, .w = w};
	lint(&l, schema, path, LEVEL_ROOT);
	return l.code;
}
