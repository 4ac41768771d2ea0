/* Columns of custom resources: those that their definition asks for, each a path. */
#include "fakeapi/machine.h"

#include "fakeapi/crd.h"
#include "fakeapi/json_path.h"
#include "fakeapi/object.h"
#include "fakeapi/table_cell.h"

static struct base_str columns_of(struct fakeapi_exchange *exchange)
{
	struct base_str version = fakeapi_crd_version(exchange->f, exchange->call.resource);
	struct base_str list = base_json_get(version, BASE_STR("additionalPrinterColumns"));
	struct base_json_iter it;
	base_json_iter_init(&it, list);
	if (base_json_kind_of(list) == BASE_JSON_ARRAY && base_json_iter_next(&it))
		return list;
	return (struct base_str){0};
}

static enum base_code text_write(const char *key, struct base_str value, struct base_buf *out)
{
	enum base_code code = base_buf_printf(out, "\"%s\":", key);
	if (code != BASE_OK)
		return code;
	return value.len != 0 ? base_buf_str(out, value) : base_buf_text(out, "\"\"");
}

static enum base_code description_write(struct base_str column, struct base_buf *out)
{
	struct base_str own = base_json_get(column, BASE_STR("description"));
	struct base_str path = base_json_get(column, BASE_STR("jsonPath"));
	if (own.len > 2)
		return text_write("description", own, out);
	/* The path's own quotes and escapes go on behind the words. */
	return base_buf_printf(
		out,
		"\"description\":\"Custom resource definition column (in JSONPath format): %.*s",
		(int)(path.len != 0 ? path.len - 1 : 0), path.len != 0 ? path.ptr + 1 : "");
}

static enum base_code column_write(struct base_str column, struct base_buf *out)
{
	static const char *const keys[] = {"name", "type", "format"};
	enum base_code code = base_buf_char(out, ',');
	for (size_t i = 0; i < 3 && code == BASE_OK; i++) {
		code = base_buf_char(out, i == 0 ? '{' : ',');
		if (code == BASE_OK)
			code = text_write(keys[i], base_json_get(column, base_str(keys[i])), out);
	}
	if (code == BASE_OK)
		code = base_buf_char(out, ',');
	if (code == BASE_OK)
		code = description_write(column, out);
	int64_t priority = 0;
	(void)base_json_i64(base_json_get(column, BASE_STR("priority")), &priority);
	return code == BASE_OK ? base_buf_printf(out, ",\"priority\":%lld}", (long long)priority)
			       : code;
}

enum base_code fakeapi_custom_columns(struct fakeapi_exchange *exchange, struct base_buf *out)
{
	struct base_str columns = columns_of(exchange);
	enum base_code code = BASE_OK;
	struct base_json_iter it;
	if (columns.len == 0) {
		code = base_buf_text(out, ",{\"name\":\"Age\",\"type\":\"date\",\"format\":\"\","
					  "\"description\":");
		if (code == BASE_OK)
			code = fakeapi_json_string(out, BASE_STR(FAKEAPI_SAYS_CREATED));
		return code == BASE_OK ? base_buf_text(out, ",\"priority\":0}") : code;
	}
	base_json_iter_init(&it, columns);
	while (code == BASE_OK && base_json_iter_next(&it))
		code = column_write(it.value, out);
	return code;
}

/* ---- Cells ---- */

static enum base_code string_cell(struct base_str value, struct base_buf *out)
{
	char text[FAKEAPI_GO_NUMBER_MAX];
	bool integer;
	int64_t whole;
	switch (base_json_kind_of(value)) {
	case BASE_JSON_STRING: return base_buf_str(out, value);
	case BASE_JSON_NULL: return fakeapi_cell_word(out, "<no value>");
	case BASE_JSON_NUMBER: {
		double number = fakeapi_go_number(value, &integer, &whole);
		if (integer)
			break;
		fakeapi_go_number_text(number, false, text);
		return fakeapi_cell_word(out, text);
	}
	case BASE_JSON_OBJECT:
	case BASE_JSON_ARRAY:
	case BASE_JSON_TRUE:
	case BASE_JSON_FALSE:
	case BASE_JSON_NONE: break;
	}
	return fakeapi_json_string(out, value);
}

static enum base_code number_cell(struct base_str value, bool whole_only, struct base_buf *out)
{
	char text[FAKEAPI_GO_NUMBER_MAX];
	bool integer;
	int64_t whole;
	if (base_json_kind_of(value) != BASE_JSON_NUMBER)
		return base_buf_text(out, "null");
	double number = fakeapi_go_number(value, &integer, &whole);
	if (integer || whole_only)
		return base_buf_i64(out, integer ? whole : (int64_t)number);
	fakeapi_go_number_text(number, true, text);
	return base_buf_text(out, text);
}

static enum base_code date_cell(const struct fakeapi_cell *cell, struct base_str value,
				struct base_buf *out)
{
	struct base_buf text;
	int64_t at;
	if (base_json_kind_of(value) != BASE_JSON_STRING)
		return base_buf_text(out, "null");
	if (!fakeapi_cell_time(value, &at))
		return fakeapi_cell_word(out, "<invalid>");
	fakeapi_cell_begin(&text, out);
	return fakeapi_cell_end(&text, NULL, fakeapi_cell_age(&text, cell->now_s - at), out);
}

static enum base_code cell_write(const struct fakeapi_cell *cell, struct base_str column,
				 struct base_buf *out)
{
	struct base_str type = fakeapi_cell_plain(base_json_get(column, BASE_STR("type"))), value;
	struct base_str path = {0};
	struct base_buf plain;
	enum base_code code;
	base_buf_init(&plain, out->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_json_text(base_json_get(column, BASE_STR("jsonPath")), &plain, &path);
	bool found = code == BASE_OK && fakeapi_json_path(path, cell->object, &value);
	base_buf_release(&plain);
	if (code != BASE_OK)
		return code;
	if (!found)
		return base_buf_text(out, "null");
	if (base_str_is(type, "integer") || base_str_is(type, "number"))
		return number_cell(value, base_str_is(type, "integer"), out);
	if (base_str_is(type, "boolean"))
		return base_buf_text(out, base_str_is(value, "true")    ? "true"
					  : base_str_is(value, "false") ? "false"
									: "null");
	return base_str_is(type, "date") ? date_cell(cell, value, out) : string_cell(value, out);
}

enum base_code fakeapi_custom_cells(struct fakeapi_exchange *exchange,
				    const struct fakeapi_cell *cell, struct base_buf *out)
{
	const struct base_str age =
		BASE_STR("{\"type\":\"date\",\"jsonPath\":\".metadata.creationTimestamp\"}");
	struct base_str columns = columns_of(exchange);
	enum base_code code = BASE_OK;
	struct base_json_iter it;
	if (columns.len == 0) {
		code = base_buf_char(out, ',');
		return code == BASE_OK ? cell_write(cell, age, out) : code;
	}
	base_json_iter_init(&it, columns);
	while (code == BASE_OK && base_json_iter_next(&it)) {
		code = base_buf_char(out, ',');
		if (code == BASE_OK)
			code = cell_write(cell, it.value, out);
	}
	return code;
}
