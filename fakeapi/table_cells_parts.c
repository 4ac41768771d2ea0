/* Cells that several kinds share: containers, selectors, counts, references. */
#include "fakeapi/table_cell.h"

#include "base/map.h"

#define CELL(name)                                                                                 \
	enum base_code fakeapi_cell_##name(const struct fakeapi_cell *cell,                        \
					   const struct fakeapi_column *column,                    \
					   struct base_buf *out)

static enum base_code container_texts(const struct fakeapi_cell *cell,
				      const struct fakeapi_column *column, const char *member,
				      struct base_buf *out)
{
	struct base_json_iter it;
	struct base_buf text;
	enum base_code code = BASE_OK;
	bool first = true;
	fakeapi_cell_begin(&text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, column->path));
	for (; code == BASE_OK && base_json_iter_next(&it); first = false) {
		if (!first)
			code = base_buf_char(&text, ',');
		if (code == BASE_OK)
			code = fakeapi_cell_put(&text, fakeapi_cell_at(it.value, member));
	}
	return fakeapi_cell_end(&text, NULL, code, out);
}

CELL(containers)
{
	return container_texts(cell, column, "name", out);
}

CELL(images)
{
	return container_texts(cell, column, "image", out);
}

/* path and fallback: two objects whose members count together. */
CELL(count_two)
{
	return base_buf_u64(
		out, fakeapi_cell_count(fakeapi_cell_at(cell->object, column->path)) +
			     fakeapi_cell_count(fakeapi_cell_at(cell->object, column->fallback)));
}

/* "path/fallback", two numbers. */
CELL(ratio)
{
	return base_buf_printf(
		out, "\"%lld/%lld\"",
		(long long)fakeapi_cell_number(fakeapi_cell_at(cell->object, column->path)),
		(long long)fakeapi_cell_number(fakeapi_cell_at(cell->object, column->fallback)));
}

/* A number or a string, shown as text. */
CELL(int_text)
{
	struct base_buf text;
	fakeapi_cell_begin(&text, out);
	enum base_code code = fakeapi_cell_put(&text, fakeapi_cell_at(cell->object, column->path));
	return fakeapi_cell_end(&text, column->fallback, code, out);
}

CELL(bool_word)
{
	struct base_str value = fakeapi_cell_at(cell->object, column->path);
	return fakeapi_cell_word(out, value.len == 0             ? "<unset>"
				      : fakeapi_cell_true(value) ? "True"
								 : "False");
}

CELL(join)
{
	struct base_json_iter it;
	struct base_buf text;
	enum base_code code = BASE_OK;
	fakeapi_cell_begin(&text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, column->path));
	while (code == BASE_OK && base_json_iter_next(&it))
		code = fakeapi_cell_append(&text, ",", it.value);
	return fakeapi_cell_end(&text, column->fallback, code, out);
}

/* The status of the condition of type `path`. */
CELL(condition)
{
	struct base_json_iter it;
	struct base_buf text;
	enum base_code code = BASE_OK;
	fakeapi_cell_begin(&text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, "status.conditions"));
	while (code == BASE_OK && text.len == 0 && base_json_iter_next(&it))
		if (fakeapi_cell_is(fakeapi_cell_at(it.value, "type"), column->path))
			code = fakeapi_cell_put(&text, fakeapi_cell_at(it.value, "status"));
	return fakeapi_cell_end(&text, column->fallback, code, out);
}

CELL(phase)
{
	struct base_buf text;
	(void)column;
	if (fakeapi_cell_at(cell->object, "metadata.deletionTimestamp").len != 0)
		return fakeapi_cell_word(out, "Terminating");
	fakeapi_cell_begin(&text, out);
	return fakeapi_cell_end(
		&text, NULL, fakeapi_cell_put(&text, fakeapi_cell_at(cell->object, "status.phase")),
		out);
}

/* The name, marked when the annotation `path` makes it the default. */
CELL(default_name)
{
	struct base_buf text;
	fakeapi_cell_begin(&text, out);
	enum base_code code =
		fakeapi_cell_put(&text, fakeapi_cell_at(cell->object, "metadata.name"));
	struct base_str mark = base_json_get(fakeapi_cell_at(cell->object, "metadata.annotations"),
					     base_str(column->path));
	if (code == BASE_OK && fakeapi_cell_is(mark, "true"))
		code = base_buf_text(&text, " (default)");
	return fakeapi_cell_end(&text, NULL, code, out);
}

/* ---- Labels and selectors ---- */

/* One requirement's text by its key; several of one key keep their order. */
static enum base_code require(struct base_map *map, struct base_str key, struct base_str text)
{
	struct base_buf *all = base_map_get(map, key);
	enum base_code code = BASE_OK;
	if (all == NULL) {
		all = base_calloc(map->alloc, 1, sizeof *all);
		if (all == NULL)
			return BASE_ENOMEM;
		base_buf_init(all, map->alloc, BASE_BUF_MAX_DEFAULT);
		code = base_map_put(map, key, all, NULL);
		if (code != BASE_OK) {
			base_free(map->alloc, all);
			return code;
		}
	} else {
		code = base_buf_char(all, ',');
	}
	return code == BASE_OK ? base_buf_str(all, text) : code;
}

static enum base_code require_labels(struct base_map *map, struct base_str labels)
{
	struct base_json_iter it;
	struct base_buf key, text;
	enum base_code code = BASE_OK;
	base_buf_init(&key, map->alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&text, map->alloc, BASE_BUF_MAX_DEFAULT);
	base_json_iter_init(&it, labels);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		struct base_str name;
		base_buf_clear(&key);
		base_buf_clear(&text);
		code = base_json_key_text(&it, &key, &name);
		if (code == BASE_OK)
			code = base_buf_printf(&text, "%.*s=", BASE_STR_ARG(name));
		if (code == BASE_OK)
			code = fakeapi_cell_put(&text, it.value);
		if (code == BASE_OK)
			code = require(map, name, base_buf_peek(&text));
	}
	base_buf_release(&key);
	base_buf_release(&text);
	return code;
}

/* "(a,b)" in order. */
static enum base_code values_write(struct base_buf *text, struct base_str values)
{
	struct base_map sorted;
	struct base_json_iter it;
	const struct base_map_entry **order = NULL;
	static const char mark;
	base_map_init(&sorted, text->alloc);
	enum base_code code = BASE_OK;
	base_json_iter_init(&it, values);
	while (code == BASE_OK && base_json_iter_next(&it))
		code = base_map_put(&sorted, fakeapi_cell_plain(it.value), (void *)(uintptr_t)&mark,
				    NULL);
	if (code == BASE_OK)
		code = base_map_sorted(&sorted, &order);
	if (code == BASE_OK)
		code = base_buf_char(text, '(');
	for (size_t i = 0; code == BASE_OK && i < base_map_count(&sorted); i++) {
		if (i != 0)
			code = base_buf_char(text, ',');
		if (code == BASE_OK)
			code = base_buf_str(text, order[i]->key);
	}
	base_free(text->alloc, order);
	base_map_release(&sorted);
	return code == BASE_OK ? base_buf_char(text, ')') : code;
}

static enum base_code require_expression(struct base_map *map, struct base_str expression)
{
	struct base_str key = fakeapi_cell_plain(fakeapi_cell_at(expression, "key"));
	struct base_str op = fakeapi_cell_at(expression, "operator");
	struct base_buf text;
	base_buf_init(&text, map->alloc, BASE_BUF_MAX_DEFAULT);
	bool lists = fakeapi_cell_is(op, "In") || fakeapi_cell_is(op, "NotIn");
	enum base_code code = fakeapi_cell_is(op, "DoesNotExist") ? base_buf_char(&text, '!')
								  : BASE_OK;
	if (code == BASE_OK)
		code = base_buf_str(&text, key);
	if (code == BASE_OK && lists)
		code = base_buf_text(&text, fakeapi_cell_is(op, "In") ? " in " : " notin ");
	if (code == BASE_OK && lists)
		code = values_write(&text, fakeapi_cell_at(expression, "values"));
	if (code == BASE_OK)
		code = require(map, key, base_buf_peek(&text));
	base_buf_release(&text);
	return code;
}

/* All requirements in the order of their keys, joined by commas. */
static enum base_code requirements_end(struct base_map *map, const char *fallback,
				       enum base_code code, struct base_buf *out)
{
	const struct base_map_entry **order = NULL;
	struct base_buf text;
	fakeapi_cell_begin(&text, out);
	if (code == BASE_OK)
		code = base_map_sorted(map, &order);
	for (size_t i = 0; code == BASE_OK && i < base_map_count(map); i++) {
		if (i != 0)
			code = base_buf_char(&text, ',');
		if (code == BASE_OK)
			code = base_buf_str(&text, base_buf_peek(order[i]->value));
	}
	base_free(out->alloc, order);
	const struct base_map_entry *e;
	size_t at = 0;
	while ((e = base_map_next(map, &at)) != NULL) {
		base_buf_release(e->value);
		base_free(map->alloc, e->value);
	}
	base_map_release(map);
	return fakeapi_cell_end(&text, fallback, code, out);
}

CELL(labels)
{
	struct base_map map;
	base_map_init(&map, out->alloc);
	enum base_code code = require_labels(&map, fakeapi_cell_at(cell->object, column->path));
	/* A map that a zero object lacks altogether shows as none, too. */
	return requirements_end(&map, "<none>", code, out);
}

CELL(selector)
{
	struct base_map map;
	struct base_json_iter it;
	struct base_str selector = fakeapi_cell_at(cell->object, column->path);
	base_map_init(&map, out->alloc);
	enum base_code code = require_labels(&map, fakeapi_cell_at(selector, "matchLabels"));
	base_json_iter_init(&it, fakeapi_cell_at(selector, "matchExpressions"));
	while (code == BASE_OK && base_json_iter_next(&it))
		code = require_expression(&map, it.value);
	return requirements_end(&map, column->fallback, code, out);
}

/* ---- References ---- */

static enum base_code pair_end(struct base_str a, const char *between, struct base_str b,
			       struct base_buf *out)
{
	struct base_buf text;
	fakeapi_cell_begin(&text, out);
	enum base_code code = fakeapi_cell_put(&text, a);
	if (code == BASE_OK)
		code = base_buf_text(&text, between);
	if (code == BASE_OK)
		code = fakeapi_cell_put(&text, b);
	return fakeapi_cell_end(&text, NULL, code, out);
}

CELL(role)
{
	struct base_str ref = fakeapi_cell_at(cell->object, "roleRef");
	(void)column;
	return pair_end(fakeapi_cell_at(ref, "kind"), "/", fakeapi_cell_at(ref, "name"), out);
}

CELL(scale_target)
{
	struct base_str ref = fakeapi_cell_at(cell->object, "spec.scaleTargetRef");
	(void)column;
	return pair_end(fakeapi_cell_at(ref, "kind"), "/", fakeapi_cell_at(ref, "name"), out);
}

CELL(param_kind)
{
	struct base_str kind = fakeapi_cell_at(cell->object, "spec.paramKind");
	(void)column;
	if (kind.len == 0)
		return fakeapi_cell_word(out, "<unset>");
	return pair_end(fakeapi_cell_at(kind, "apiVersion"), "/", fakeapi_cell_at(kind, "kind"),
			out);
}

CELL(param_ref)
{
	struct base_str ref = fakeapi_cell_at(cell->object, "spec.paramRef");
	struct base_str space = fakeapi_cell_at(ref, "namespace");
	(void)column;
	if (fakeapi_cell_at(ref, "name").len <= 2)
		return fakeapi_cell_word(out, "<unset>");
	return pair_end(space.len > 2 ? space : BASE_STR("\"*\""), "/",
			fakeapi_cell_at(ref, "name"), out);
}

CELL(subjects)
{
	struct base_json_iter it;
	struct base_buf text;
	enum base_code code = BASE_OK;
	fakeapi_cell_begin(&text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, "subjects"));
	while (code == BASE_OK && base_json_iter_next(&it)) {
		struct base_str space = fakeapi_cell_at(it.value, "namespace");
		if (!fakeapi_cell_is(fakeapi_cell_at(it.value, "kind"), column->path))
			continue;
		bool account = strcmp(column->path, "ServiceAccount") == 0 && space.len > 2;
		code = fakeapi_cell_append(&text, ", ",
					   account ? space : fakeapi_cell_at(it.value, "name"));
		if (code == BASE_OK && account)
			code = base_buf_char(&text, '/');
		if (code == BASE_OK && account)
			code = fakeapi_cell_put(&text, fakeapi_cell_at(it.value, "name"));
	}
	return fakeapi_cell_end(&text, NULL, code, out);
}

/* "statefulset.apps/name" of the owner that controls. */
CELL(controller)
{
	struct base_json_iter it;
	struct base_buf text;
	enum base_code code = BASE_OK;
	(void)column;
	fakeapi_cell_begin(&text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, "metadata.ownerReferences"));
	while (code == BASE_OK && text.len == 0 && base_json_iter_next(&it)) {
		struct base_str group,
			version = fakeapi_cell_plain(fakeapi_cell_at(it.value, "apiVersion"));
		bool grouped;
		if (!fakeapi_cell_true(fakeapi_cell_at(it.value, "controller")))
			continue;
		(void)base_str_cut(version, '/', &group, &grouped);
		code = fakeapi_cell_put(&text, fakeapi_cell_at(it.value, "kind"));
		if (code == BASE_OK && grouped)
			code = base_buf_printf(&text, ".%.*s", BASE_STR_ARG(group));
		for (size_t i = 0; i < text.len; i++)
			if (text.ptr[i] >= 'A' && text.ptr[i] <= 'Z')
				text.ptr[i] = (char)(text.ptr[i] - 'A' + 'a');
		if (code == BASE_OK)
			code = base_buf_char(&text, '/');
		if (code == BASE_OK)
			code = fakeapi_cell_put(&text, fakeapi_cell_at(it.value, "name"));
	}
	return fakeapi_cell_end(&text, "<none>", code, out);
}
