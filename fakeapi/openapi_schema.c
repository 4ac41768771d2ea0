/* Types as OpenAPI describes them, from the rows of the schema. Texts that explain are not there: rows have
 * none. */
#include <stdio.h>
#include <stdlib.h>

#include "fakeapi/machine.h"
#include "fakeapi/openapi.h"
#include "fakeapi/proto.h"

/* Types of one word. name: they stand on their own; version 3 says it otherwise where schema3 is there. */
static const struct {
	const char *word, *schema, *schema3, *zero, *name;
} plain[] = {
	{"string", "\"type\":\"string\"", NULL, "\"\"", NULL},
	{"bool", "\"type\":\"boolean\"", NULL, "false", NULL},
	{"int32", "\"type\":\"integer\",\"format\":\"int32\"", NULL, "0", NULL},
	{"int64", "\"type\":\"integer\",\"format\":\"int64\"", NULL, "0", NULL},
	{"float", "\"type\":\"number\",\"format\":\"double\"", NULL, "0", NULL},
	{"bytes", "\"type\":\"string\",\"format\":\"byte\"", NULL, NULL, NULL},
	{"duration", "\"type\":\"string\"", NULL, NULL, NULL},
	{"time", "\"type\":\"string\",\"format\":\"date-time\"", NULL, NULL,
	 "io.k8s.apimachinery.pkg.apis.meta.v1.Time"},
	{"micro", "\"type\":\"string\",\"format\":\"date-time\"", NULL, NULL,
	 "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"},
	{"quantity", "\"type\":\"string\"",
	 "\"oneOf\":[{\"type\":\"string\"},{\"type\":\"number\"}]", NULL,
	 "io.k8s.apimachinery.pkg.api.resource.Quantity"},
	{"intstr", "\"type\":\"string\",\"format\":\"int-or-string\"",
	 "\"format\":\"int-or-string\",\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]",
	 NULL, "io.k8s.apimachinery.pkg.util.intstr.IntOrString"},
	{"raw", "\"type\":\"object\"", NULL, NULL, "io.k8s.apimachinery.pkg.runtime.RawExtension"},
	{"fieldsv1", "\"type\":\"object\"", NULL, NULL,
	 "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1"},
	{"patch", "\"type\":\"object\"", NULL, NULL, "io.k8s.apimachinery.pkg.apis.meta.v1.Patch"},
	{"json", NULL, NULL, NULL, "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON"},
};
enum { PLAIN_COUNT = sizeof plain / sizeof plain[0] };

static size_t plain_find(struct base_str word)
{
	size_t i = 0;
	while (i < PLAIN_COUNT && !base_str_is(word, plain[i].word))
		i++;
	return i;
}

static const struct fakeapi_schema_type *search(const struct fakeapi_schema_type *rows,
						size_t count, struct base_str name)
{
	for (size_t i = 0; i < count; i++)
		if (base_str_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

static const struct fakeapi_schema_type *row_find(struct base_str name)
{
	const struct fakeapi_schema_type *row = fakeapi_schema_find(name);
	if (row == NULL)
		row = search(fakeapi_proto_rows, fakeapi_proto_rows_count, name);
	return row != NULL ? row : search(fakeapi_openapi_rows, fakeapi_openapi_rows_count, name);
}

/* ---- Names ---- */

static const struct {
	const char *group, *package;
} packages[] = {
	{"meta", "io.k8s.apimachinery.pkg.apis.meta"},
	{"version", "io.k8s.apimachinery.pkg.version"},
	{"apiextensions", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions"},
	{"apiregistration", "io.k8s.kube-aggregator.pkg.apis.apiregistration"},
};

/* group: its first label. */
static void name_write(struct base_str group, struct base_str version, struct base_str kind,
		       bool list, char name[192])
{
	const char *end = list ? "List" : "";
	if (base_str_is(group, "version"))
		(void)snprintf(name, 192, "%s.%.*s", packages[1].package, BASE_STR_ARG(kind));
	else
		(void)snprintf(name, 192, "io.k8s.api.%.*s.%.*s.%.*s%s", BASE_STR_ARG(group),
			       BASE_STR_ARG(version), BASE_STR_ARG(kind), end);
	for (size_t i = 0; i < sizeof packages / sizeof packages[0]; i++)
		if (i != 1 && base_str_is(group, packages[i].group))
			(void)snprintf(name, 192, "%s.%.*s.%.*s%s", packages[i].package,
				       BASE_STR_ARG(version), BASE_STR_ARG(kind), end);
}

/* Of "autoscaling2.MetricSpec": io.k8s.api.autoscaling.v2.MetricSpec. */
static void row_type(const struct fakeapi_schema_type *row, bool list,
		     struct fakeapi_openapi_type *type)
{
	struct base_str group, kind;
	bool found;
	char version[16] = "v1";
	size_t len = 0;
	*type = (struct fakeapi_openapi_type){.row = row, .list = list};
	kind = base_str_cut(base_str(row->name), '.', &group, &found);
	while (len < group.len && (group.ptr[len] < '0' || group.ptr[len] > '9'))
		len++;
	if (len < group.len)
		(void)snprintf(version, sizeof version, "v%.*s", (int)(group.len - len),
			       group.ptr + len);
	name_write(base_str_take(group, len), base_str(version), kind, list, type->name);
}

static struct base_str first_label(struct base_str group)
{
	struct base_str label;
	bool found;
	(void)base_str_cut(group, '.', &label, &found);
	return label.len != 0 ? label : BASE_STR("core");
}

static const struct fakeapi_schema_type *kind_row(struct base_str group, struct base_str version,
						  const char *kind)
{
	char name[160];
	bool first = base_str_is(version, "v1");
	(void)snprintf(name, sizeof name, "%.*s%.*s.%s", BASE_STR_ARG(first_label(group)),
		       first ? 0 : (int)version.len - 1, version.ptr + 1, kind);
	return row_find(base_str(name));
}

void fakeapi_openapi_kind_type(const struct fakeapi_openapi *d, struct base_str group,
			       struct base_str version, const char *kind, bool list,
			       struct fakeapi_openapi_type *type)
{
	const struct fakeapi_schema_type *row = kind_row(group, version, kind);
	if (row != NULL) {
		row_type(row, list, type);
		return;
	}
	*type = (struct fakeapi_openapi_type){.list = list};
	name_write(first_label(group), version, base_str(kind), list, type->name);
	const struct fakeapi_openapi_kind *kinds = (const void *)d->kinds.ptr;
	for (size_t i = 0; i < d->kinds.len / sizeof *kinds; i++)
		if (base_str_is(group, kinds[i].group) && base_str_is(version, kinds[i].version) &&
		    strcmp(kind, kinds[i].kind) == 0)
			type->kind = &kinds[i];
}

/* x.example.com, v1, Foo: com.example.x.v1.Foo */
void fakeapi_openapi_custom_type(const struct fakeapi_resource *resource, bool list,
				 struct fakeapi_openapi_type *type)
{
	struct base_str rest = base_str(resource->group);
	size_t len = 0;
	*type = (struct fakeapi_openapi_type){.custom = resource, .list = list};
	while (rest.len != 0) {
		size_t at = rest.len;
		while (at > 0 && rest.ptr[at - 1] != '.')
			at--;
		int n = snprintf(type->name + len, sizeof type->name - len, "%.*s.",
				 (int)(rest.len - at), rest.ptr + at);
		len += n > 0 && (size_t)n < sizeof type->name - len ? (size_t)n : 0;
		rest = base_str_take(rest, at > 0 ? at - 1 : 0);
	}
	(void)snprintf(type->name + len, sizeof type->name - len, "%s.%s", resource->version,
		       list ? resource->list_kind : resource->kind);
}

/* ---- References ---- */

static bool same(const struct fakeapi_openapi_type *a, const struct fakeapi_openapi_type *b)
{
	return a->row == b->row && a->kind == b->kind && a->custom == b->custom &&
	       a->fixed == b->fixed && a->list == b->list;
}

void fakeapi_openapi_refer(struct fakeapi_openapi *d, const struct fakeapi_openapi_type *type)
{
	const struct fakeapi_openapi_type *types = (const void *)d->types.ptr;
	size_t count = d->types.len / sizeof *types, i = 0;
	while (i < count && !same(&types[i], type))
		i++;
	if (i == count && d->code == BASE_OK)
		d->code = base_buf_append(&d->types, type, sizeof *type);
	fakeapi_openapi_put(d, "\"$ref\":\"#/%s/%s\"", d->v3 ? "components/schemas" : "definitions",
			    type->name);
}

void fakeapi_openapi_refer_row(struct fakeapi_openapi *d, const char *name)
{
	const struct fakeapi_schema_type *row = row_find(base_str(name));
	struct fakeapi_openapi_type type = {0};
	size_t i = plain_find(base_str(name));
	if (i < PLAIN_COUNT) {
		type.fixed = plain[i].word;
		(void)snprintf(type.name, sizeof type.name, "%s", plain[i].name);
	} else if (row != NULL) {
		row_type(row, false, &type);
	}
	fakeapi_openapi_refer(d, &type);
}

/* ---- Fields ---- */

static void words_put(struct fakeapi_openapi *d, struct base_str list)
{
	struct base_str word, name;
	bool more = true, found;
	fakeapi_openapi_put(d, "[");
	while (more) {
		list = base_str_cut(list, ',', &word, &more);
		(void)base_str_cut(word, '=', &name, &found);
		fakeapi_openapi_comma(d);
		fakeapi_openapi_put(d, "\"%.*s\"", BASE_STR_ARG(name));
	}
	fakeapi_openapi_put(d, "]");
}

/* How a type is said: alone, as a field's or as what a list or map holds. */
enum place { PLACE_FIELD, PLACE_ITEM };

/* value: what it is when nobody says (version 3); pointers have none. */
static void reference_put(struct fakeapi_openapi *d, const char *name, bool value, enum place place)
{
	bool wrapped = d->v3 && (value || place == PLACE_FIELD);
	if (d->v3 && value)
		fakeapi_openapi_put(d, "\"default\":{},");
	fakeapi_openapi_put(d, wrapped ? "\"allOf\":[{" : "");
	fakeapi_openapi_refer_row(d, name);
	fakeapi_openapi_put(d, wrapped ? "}]" : "");
}

static void word_put(struct fakeapi_openapi *d, struct base_str type, bool value, enum place place)
{
	struct base_str word, go_name;
	bool found;
	go_name = base_str_cut(type, ':', &word, &found);
	size_t i = plain_find(word);
	if (i == PLAIN_COUNT) {
		const struct fakeapi_schema_type *row = row_find(word);
		if (row != NULL)
			reference_put(d, row->name, value, place);
		else
			fakeapi_openapi_put(d, "\"type\":\"object\"");
		return;
	}
	if (plain[i].name != NULL) {
		reference_put(d, plain[i].word, false, place);
		return;
	}
	fakeapi_openapi_put(d, "%s", plain[i].schema);
	if (d->v3 && value && plain[i].zero != NULL)
		fakeapi_openapi_put(d, ",\"default\":%s", plain[i].zero);
	for (size_t k = 0; found && k < fakeapi_openapi_enums_count; k++)
		if (base_str_is(go_name, fakeapi_openapi_enums[k].type)) {
			fakeapi_openapi_put(d, ",\"enum\":");
			words_put(d, base_str(fakeapi_openapi_enums[k].values));
		}
}

/* Lists of lists and the like nest at most a few deep: rows are constant. */
static void type_put(struct fakeapi_openapi *d, struct base_str type, bool value, enum place place)
{
	bool pointer = type.ptr[0] == '*';
	type = fakeapi_schema_bare(type);
	bool list = base_str_starts(type, BASE_STR("[]")),
	     map = base_str_starts(type, BASE_STR("{}"));
	if (!list && !map) {
		word_put(d, type, value && !pointer, place);
		return;
	}
	fakeapi_openapi_put(d, list ? "\"type\":\"array\",\"items\":{"
				    : "\"type\":\"object\",\"additionalProperties\":{");
	type_put(d, base_str_skip(type, 2), true, PLACE_ITEM);
	fakeapi_openapi_put(d, "}");
}

/* How lists are merged. */
static void merge_put(struct fakeapi_openapi *d, const struct fakeapi_schema_field *field)
{
	bool list = base_str_starts(fakeapi_schema_bare(field->type), BASE_STR("[]"));
	if (list && field->by_keys) {
		fakeapi_openapi_put(d, ",\"x-kubernetes-list-map-keys\":");
		words_put(d, field->keys);
	}
	if (list)
		fakeapi_openapi_put(d, ",\"x-kubernetes-list-type\":\"%s\"",
				    field->by_keys ? "map"
				    : field->set   ? "set"
						   : "atomic");
	if (!list && field->atomic && base_str_starts(field->type, BASE_STR("{}")))
		fakeapi_openapi_put(d, ",\"x-kubernetes-map-type\":\"atomic\"");
	if (field->patch_key.len != 0)
		fakeapi_openapi_put(d, ",\"x-kubernetes-patch-merge-key\":\"%.*s\"",
				    BASE_STR_ARG(field->patch_key));
	if (field->patch_merge || field->retain_keys)
		fakeapi_openapi_put(d, ",\"x-kubernetes-patch-strategy\":\"%s%s%s\"",
				    field->patch_merge ? "merge" : "",
				    field->patch_merge && field->retain_keys ? "," : "",
				    field->retain_keys ? "retainKeys" : "");
}

static bool listed(const char *list, struct base_str name)
{
	struct base_str rest = base_str(list), word;
	bool more = rest.len != 0;
	while (more) {
		rest = base_str_cut(rest, ',', &word, &more);
		if (base_str_eq(word, name))
			return true;
	}
	return false;
}

static bool is_required(const struct fakeapi_openapi_required *except,
			const struct fakeapi_schema_field *field)
{
	if (except != NULL && listed(except->more, field->name))
		return true;
	return !field->omit_empty && !(except != NULL && listed(except->fewer, field->name));
}

static void required_put(struct fakeapi_openapi *d, const struct fakeapi_schema_type *row,
			 const struct fakeapi_openapi_required *except)
{
	struct base_str rest = base_str(row->fields);
	struct fakeapi_schema_field field;
	bool any = false;
	while (fakeapi_schema_next(&rest, &field)) {
		if (!is_required(except, &field))
			continue;
		fakeapi_openapi_put(d, any ? "," : ",\"required\":[");
		fakeapi_openapi_put(d, "\"%.*s\"", BASE_STR_ARG(field.name));
		any = true;
	}
	fakeapi_openapi_put(d, any ? "]" : "");
}

static int field_compare(const void *a, const void *b)
{
	const struct fakeapi_schema_field *x = a, *y = b;
	return base_str_cmp(x->name, y->name);
}

/* The value of a field that is left out is an empty object, though. */
static bool is_struct(struct base_str type)
{
	return row_find(fakeapi_schema_bare(type)) != NULL;
}

/* "type":"object","required":[…],"properties":{…} */
static void row_put(struct fakeapi_openapi *d, const struct fakeapi_schema_type *row)
{
	struct fakeapi_schema_field fields[FAKEAPI_PROTO_FIELDS_MAX];
	struct base_str rest = base_str(row->fields);
	const struct fakeapi_openapi_required *except = NULL;
	size_t count = 0;
	for (size_t i = 0; i < fakeapi_openapi_requireds_count; i++)
		if (strcmp(fakeapi_openapi_requireds[i].row, row->name) == 0)
			except = &fakeapi_openapi_requireds[i];
	while (count < FAKEAPI_PROTO_FIELDS_MAX && fakeapi_schema_next(&rest, &fields[count]))
		count++;
	qsort(fields, count, sizeof fields[0], field_compare);
	fakeapi_openapi_put(d, "\"type\":\"object\"");
	required_put(d, row, except);
	if (count != 0)
		fakeapi_openapi_put(d, ",\"properties\":{");
	for (size_t i = 0; i < count; i++) {
		const struct fakeapi_schema_field *field = &fields[i];
		fakeapi_openapi_comma(d);
		fakeapi_openapi_put(d, "\"%.*s\":{", BASE_STR_ARG(field->name));
		type_put(d, field->type,
			 field->default_.len == 0 && (!field->omit_empty || is_struct(field->type)),
			 PLACE_FIELD);
		if (d->v3 && field->default_.len != 0)
			fakeapi_openapi_put(d, ",\"default\":%.*s", BASE_STR_ARG(field->default_));
		merge_put(d, field);
		fakeapi_openapi_put(d, "}");
	}
	fakeapi_openapi_put(d, count != 0 ? "}" : "");
	if (row->atomic)
		fakeapi_openapi_put(d, ",\"x-kubernetes-map-type\":\"atomic\"");
}

/* ---- Kinds ---- */

enum base_code fakeapi_openapi_kinds(struct fakeapi_openapi *d)
{
	const struct fakeapi_discovery_row *row;
	unsigned minor = fakeapi_minor(d->f);
	enum base_code code = BASE_OK;
	for (size_t i = 0; code == BASE_OK && (row = fakeapi_discovery_at(i)) != NULL; i++) {
		if (row->since > minor || minor > row->until ||
		    base_str_ends(base_str(row->kind), BASE_STR("Options")))
			continue;
		bool other = row->of_version[0] != '\0';
		struct fakeapi_openapi_kind kind = {
			.group = other ? row->of_group : row->group,
			.version = other ? row->of_version : row->version,
			.kind = row->kind,
		};
		kind.row = kind_row(base_str(kind.group), base_str(kind.version), kind.kind);
		code = base_buf_append(&d->kinds, &kind, sizeof kind);
	}
	return code;
}

void fakeapi_openapi_kind_mark(struct fakeapi_openapi *d, const char *group, const char *version,
			       const char *kind, bool list)
{
	fakeapi_openapi_put(d,
			    ",\"x-kubernetes-group-version-kind\":[{\"group\":\"%s\",\"kind\":"
			    "\"%s%s\",\"version\":\"%s\"}]",
			    group, kind, list ? "List" : "", version);
}

struct shared {
	struct fakeapi_openapi *d;
	const char *kind;
};

static enum base_code version_put(void *ctx, struct base_str group, struct base_str version,
				  bool custom)
{
	const struct shared *shared = ctx;
	struct fakeapi_openapi *d = shared->d;
	if (custom || (d->v3 && !d->custom && group.len != 0 &&
		       (!base_str_eq(d->group, group) ||
			(d->version.len != 0 && !base_str_eq(d->version, version)))))
		return d->code;
	fakeapi_openapi_comma(d);
	fakeapi_openapi_put(d, "{\"group\":\"%.*s\",\"kind\":\"%s\",\"version\":\"%.*s\"}",
			    BASE_STR_ARG(group), shared->kind, BASE_STR_ARG(version));
	return d->code;
}

/* Kinds of no group, or of every group. */
static void shared_mark(struct fakeapi_openapi *d, const char *name)
{
	static const char *const one[] = {"meta.Status", "meta.APIGroup", "meta.APIGroupList",
					  "meta.APIResourceList", "meta.APIVersions"};
	struct shared shared = {.d = d, .kind = name + sizeof "meta"};
	for (size_t i = 0; i < sizeof one / sizeof one[0]; i++)
		if (strcmp(name, one[i]) == 0)
			fakeapi_openapi_kind_mark(d, "", "v1", shared.kind, false);
	if (strcmp(name, "meta.DeleteOptions") != 0 && strcmp(name, "meta.WatchEvent") != 0)
		return;
	fakeapi_openapi_put(d, ",\"x-kubernetes-group-version-kind\":[");
	if (d->code == BASE_OK)
		d->code = fakeapi_discovery_each(d->f, version_put, &shared);
	fakeapi_openapi_put(d, "]");
}

static void kind_marks(struct fakeapi_openapi *d, const struct fakeapi_openapi_type *type)
{
	const struct fakeapi_openapi_kind *kinds = (const void *)d->kinds.ptr;
	if (type->row != NULL && base_str_starts(base_str(type->row->name), BASE_STR("meta.")))
		shared_mark(d, type->row->name);
	for (size_t i = 0; i < d->kinds.len / sizeof *kinds; i++) {
		if (!(type->row != NULL ? kinds[i].row == type->row : &kinds[i] == type->kind))
			continue;
		fakeapi_openapi_kind_mark(d, kinds[i].group, kinds[i].version, kinds[i].kind,
					  type->list);
		return;
	}
}

/* ---- All of them ---- */

static void list_put(struct fakeapi_openapi *d, const struct fakeapi_openapi_type *type)
{
	struct fakeapi_openapi_type item = *type;
	fakeapi_openapi_put(d, "\"type\":\"object\",\"required\":[\"items\"],\"properties\":{"
			       "\"apiVersion\":{\"type\":\"string\"},\"items\":{\"type\":\"array\","
			       "\"items\":{");
	if (type->row != NULL) {
		reference_put(d, type->row->name, true, PLACE_ITEM);
	} else if (type->custom != NULL) {
		fakeapi_openapi_custom_type(type->custom, false, &item);
		fakeapi_openapi_refer(d, &item);
	} else if (type->kind != NULL) {
		fakeapi_openapi_kind_type(d, base_str(type->kind->group),
					  base_str(type->kind->version), type->kind->kind, false,
					  &item);
		fakeapi_openapi_refer(d, &item);
	}
	fakeapi_openapi_put(d, "}},\"kind\":{\"type\":\"string\"},\"metadata\":{");
	reference_put(d, "meta.ListMeta", type->custom == NULL, PLACE_FIELD);
	fakeapi_openapi_put(d, "}}");
}

static void type_text(struct fakeapi_openapi *d, const struct fakeapi_openapi_type *type)
{
	size_t i = type->fixed != NULL ? plain_find(base_str(type->fixed)) : PLAIN_COUNT;
	if (i < PLAIN_COUNT) {
		const char *text = d->v3 && plain[i].schema3 != NULL ? plain[i].schema3
								     : plain[i].schema;
		fakeapi_openapi_put(d, "%s", text != NULL ? text : "");
		return;
	}
	if (type->list)
		list_put(d, type);
	else if (type->row != NULL)
		row_put(d, type->row);
	else if (type->custom != NULL)
		fakeapi_openapi_custom(d, type->custom);
	else
		fakeapi_openapi_put(d, "\"type\":\"object\"");
	if (type->custom != NULL)
		fakeapi_openapi_put(d,
				    ",\"x-kubernetes-group-version-kind\":[{\"group\":\"%s\","
				    "\"kind\":\"%s\",\"version\":\"%s\"}]",
				    type->custom->group,
				    type->list ? type->custom->list_kind : type->custom->kind,
				    type->custom->version);
	else
		kind_marks(d, type);
}

static int type_compare(const void *a, const void *b)
{
	const struct fakeapi_openapi_type *x = a, *y = b;
	return strcmp(x->name, y->name);
}

void fakeapi_openapi_types(struct fakeapi_openapi *d)
{
	struct base_buf texts, *out = d->out;
	base_buf_init(&texts, d->f->alloc, FAKEAPI_BODY_MAX);
	d->out = &texts;
	/* A type's text may refer to more. */
	for (size_t i = 0; d->code == BASE_OK; i++) {
		struct fakeapi_openapi_type *types = (void *)d->types.ptr;
		if (i >= d->types.len / sizeof *types)
			break;
		struct fakeapi_openapi_type type = types[i];
		type.at = texts.len;
		fakeapi_openapi_put(d, "{");
		type_text(d, &type);
		fakeapi_openapi_put(d, "}");
		type.len = texts.len - type.at;
		types = (void *)d->types.ptr;
		types[i] = type;
	}
	d->out = out;
	struct fakeapi_openapi_type *types = (void *)d->types.ptr;
	size_t count = d->code == BASE_OK ? d->types.len / sizeof *types : 0;
	if (count != 0)
		qsort(types, count, sizeof *types, type_compare);
	for (size_t i = 0; i < count; i++) {
		fakeapi_openapi_comma(d);
		fakeapi_openapi_put(d, "\"%s\":", types[i].name);
		if (d->code == BASE_OK)
			d->code = base_buf_append(out, texts.ptr + types[i].at, types[i].len);
	}
	base_buf_release(&texts);
}
