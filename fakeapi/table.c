/* Tables (2.6): columns of a kind, one row an object. Built-in kinds have their columns in
 * table_columns_*.c, custom resources in their definition; what has neither shows name and creation. */
#include "fakeapi/discovery.h"
#include "fakeapi/machine.h"

#include <stdio.h>

#include "fakeapi/object.h"
#include "fakeapi/table_cell.h"

static const struct fakeapi_column generic[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Created At", "date", "", FAKEAPI_SAYS_CREATED, .path = "metadata.creationTimestamp",
	 .fallback = "0001-01-01T00:00:00Z"},
};

static const struct fakeapi_column scale[] = {
	{"Name", "string", "name", FAKEAPI_SAYS_NAME, .path = "metadata.name"},
	{"Desired", "integer", "", "Number of desired replicas", .op = FAKEAPI_CELL_INT,
	 .path = "spec.replicas"},
	{"Available", "integer", "", "Number of actual replicas", .op = FAKEAPI_CELL_INT,
	 .path = "status.replicas"},
	{"Age", "date", "", FAKEAPI_SAYS_CREATED, .op = FAKEAPI_CELL_AGE,
	 .path = "metadata.creationTimestamp"},
};

static const struct fakeapi_table_kind scale_kind = {NULL, NULL, scale,
						     sizeof scale / sizeof scale[0]};

static const struct fakeapi_table_kind generic_kind = {NULL, NULL, generic,
						       sizeof generic / sizeof generic[0]};

static const struct fakeapi_table_kind *kind_of(const struct fakeapi_resource *resource)
{
	static const struct fakeapi_table_kind *const tables[] = {
		fakeapi_table_core, fakeapi_table_apps, fakeapi_table_net, fakeapi_table_rest};
	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
		for (const struct fakeapi_table_kind *kind = tables[i]; kind->plural != NULL;
		     kind++)
			if (strcmp(kind->plural, resource->plural) == 0 &&
			    strcmp(kind->group, resource->group) == 0)
				return kind;
	return &generic_kind;
}

bool fakeapi_table_null_rows(const struct fakeapi_resource *resource)
{
	return !resource->custom && kind_of(resource) == &generic_kind;
}

static bool is_scale(const struct fakeapi_exchange *exchange)
{
	return base_str_is(exchange->call.subresource, "scale");
}

static enum base_code column_write(const struct fakeapi_column *column, const char *words,
				   bool first, struct base_buf *out)
{
	static const char *const names[] = {"name", "type", "format", "description"};
	const char *const texts[] = {column->name, column->type, column->format, words};
	enum base_code code = first ? BASE_OK : base_buf_char(out, ',');
	for (size_t i = 0; i < 4 && code == BASE_OK; i++) {
		code = base_buf_printf(out, "%s\"%s\":", i == 0 ? "{" : ",", names[i]);
		if (code == BASE_OK)
			code = fakeapi_json_string(out, base_str(texts[i]));
	}
	return code == BASE_OK ? base_buf_printf(out, ",\"priority\":%d}", column->priority) : code;
}

enum base_code fakeapi_table_columns(struct fakeapi_exchange *exchange, struct base_buf *out)
{
	const struct fakeapi_resource *resource = exchange->call.resource;
	enum base_code code = base_buf_text(out, "\"columnDefinitions\":[");
	if (code == BASE_OK && resource->custom && !is_scale(exchange)) {
		code = column_write(&generic[0], generic[0].description, true, out);
		if (code == BASE_OK)
			code = fakeapi_custom_columns(exchange, out);
	} else if (code == BASE_OK) {
		const struct fakeapi_table_kind *kind = is_scale(exchange) ? &scale_kind
									   : kind_of(resource);
		for (size_t i = 0; i < kind->count && code == BASE_OK; i++)
			if (!kind->columns[i].hidden)
				code = column_write(
					&kind->columns[i],
					fakeapi_column_words(resource, &kind->columns[i],
							     fakeapi_minor(exchange->f)),
					i == 0, out);
	}
	return code == BASE_OK ? base_buf_char(out, ']') : code;
}

/* ---- Cells ---- */

static enum base_code cell_text(const struct fakeapi_column *column, struct base_str value,
				struct base_buf *out)
{
	if (value.len <= 2 && column->fallback != NULL)
		return fakeapi_cell_word(out, column->fallback);
	struct base_buf text;
	fakeapi_cell_begin(&text, out);
	return fakeapi_cell_end(&text, NULL, fakeapi_cell_put(&text, value), out);
}

static enum base_code cell_age(const struct fakeapi_cell *cell, const struct fakeapi_column *column,
			       struct base_str value, struct base_buf *out)
{
	struct base_buf text;
	int64_t at;
	fakeapi_cell_begin(&text, out);
	enum base_code code = BASE_OK;
	if (fakeapi_cell_time(value, &at))
		code = fakeapi_cell_age(&text, cell->now_s - at);
	return fakeapi_cell_end(&text, column->fallback != NULL ? column->fallback : "<unknown>",
				code, out);
}

static enum base_code cell_write(const struct fakeapi_cell *cell,
				 const struct fakeapi_column *column, struct base_buf *out)
{
	struct base_str value = column->op != FAKEAPI_CELL_FUNC
					? fakeapi_cell_at(cell->object, column->path)
					: (struct base_str){0};
	switch (column->op) {
	case FAKEAPI_CELL_TEXT: return cell_text(column, value, out);
	case FAKEAPI_CELL_INT:
		if (value.len == 0 && column->fallback != NULL)
			return fakeapi_cell_word(out, column->fallback);
		return base_buf_i64(out, fakeapi_cell_number(value));
	case FAKEAPI_CELL_BOOL:
		if (value.len == 0)
			return base_buf_text(out,
					     column->fallback != NULL ? column->fallback : "false");
		return base_buf_text(out, fakeapi_cell_true(value) ? "true" : "false");
	case FAKEAPI_CELL_AGE: return cell_age(cell, column, value, out);
	case FAKEAPI_CELL_COUNT: return base_buf_u64(out, fakeapi_cell_count(value));
	case FAKEAPI_CELL_FUNC: break;
	}
	return column->fn(cell, column, out);
}

static enum base_code cells_write(struct fakeapi_exchange *exchange,
				  const struct fakeapi_cell *cell, struct base_buf *out)
{
	const struct fakeapi_resource *resource = exchange->call.resource;
	if (resource->custom && !is_scale(exchange)) {
		enum base_code code = cell_write(cell, &generic[0], out);
		return code == BASE_OK ? fakeapi_custom_cells(exchange, cell, out) : code;
	}
	const struct fakeapi_table_kind *kind = is_scale(exchange) ? &scale_kind
								   : kind_of(resource);
	enum base_code code = BASE_OK;
	for (size_t i = 0; i < kind->count && code == BASE_OK; i++) {
		if (i != 0)
			code = base_buf_char(out, ',');
		if (code == BASE_OK)
			code = cell_write(cell, &kind->columns[i], out);
	}
	return code;
}

/* Pods that have ended say so beside their cells. */
static enum base_code conditions_write(const struct fakeapi_exchange *exchange,
				       struct base_str object, struct base_buf *out)
{
	const struct fakeapi_resource *resource = exchange->call.resource;
	if (strcmp(resource->plural, "pods") != 0 || resource->group[0] != '\0')
		return BASE_OK;
	struct base_str phase = fakeapi_cell_at(object, "status.phase");
	bool done = fakeapi_cell_is(phase, "Succeeded");
	if (!done && !fakeapi_cell_is(phase, "Failed"))
		return BASE_OK;
	return base_buf_printf(out,
			       ",\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\","
			       "\"reason\":\"%s\",\"message\":\"%s\"}]",
			       done ? "Succeeded" : "Failed",
			       done ? "The pod has completed successfully." : "The pod failed.");
}

/* The mark of the end of initial events is shown even where no object is asked for. */
static bool is_end_mark(struct base_str object)
{
	struct base_str marks = fakeapi_cell_at(object, "metadata.annotations");
	return fakeapi_cell_is(base_json_get(marks, BASE_STR("k8s.io/initial-events-end")), "true");
}

static enum base_code row_object(const struct fakeapi_exchange *exchange, struct base_str object,
				 struct base_buf *out)
{
	const struct fakeapi_form *form = &exchange->form;
	if (form->include == FAKEAPI_INCLUDE_OBJECT)
		return base_buf_str(out, object);
	if (form->include == FAKEAPI_INCLUDE_NONE && !is_end_mark(object))
		return base_buf_text(out, "null");
	return fakeapi_form_metadata(form, object, out);
}

enum base_code fakeapi_table_row(struct fakeapi_exchange *exchange, struct base_str object,
				 struct base_buf *out)
{
	const struct fakeapi *f = exchange->f;
	const struct fakeapi_cell cell = {.object = object,
					  .now_s = f->config.epoch_s +
						   (int64_t)(f->now_ns / FAKEAPI_SECOND_NS)};
	enum base_code code = base_buf_text(out, "{\"cells\":[");
	if (code == BASE_OK)
		code = cells_write(exchange, &cell, out);
	if (code == BASE_OK)
		code = base_buf_char(out, ']');
	if (code == BASE_OK)
		code = conditions_write(exchange, object, out);
	if (code == BASE_OK)
		code = base_buf_text(out, ",\"object\":");
	if (code == BASE_OK)
		code = row_object(exchange, object, out);
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}
