/* Rows of the schema with their Protobuf numbers. */
#include "fakeapi/proto.h"

#include <stdio.h>

static const struct fakeapi_schema_type *find_row(struct base_str name)
{
	for (size_t i = 0; i < fakeapi_proto_rows_count; i++)
		if (base_str_is(name, fakeapi_proto_rows[i].name))
			return &fakeapi_proto_rows[i];
	return fakeapi_schema_find(name);
}

static const char *find_numbers(struct base_str name)
{
	size_t low = 0, high = fakeapi_proto_numbers_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = base_str_cmp(base_str(fakeapi_proto_numbers[middle].row), name);

		if (order == 0)
			return fakeapi_proto_numbers[middle].numbers;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* "2.1" into {2, 1, 0}. */
static void read_path(struct base_str text, uint8_t path[FAKEAPI_PROTO_NESTED_MAX])
{
	struct base_str part;
	bool more = true;

	for (size_t i = 0; more && i < FAKEAPI_PROTO_NESTED_MAX; i++) {
		uint64_t number = 0;

		text = base_str_cut(text, '.', &part, &more);
		base_str_u64(part, &number);
		path[i] = (uint8_t)number;
	}
}

static void read_type(struct fakeapi_proto_row *row, size_t at)
{
	struct base_str type = row->fields[at].field.type;

	row->fields[at].pointer = type.ptr[0] == '*';
	type = fakeapi_schema_bare(type);
	row->fields[at].list = base_str_starts(type, BASE_STR("[]"));
	row->fields[at].map = base_str_starts(type, BASE_STR("{}"));
	if (row->fields[at].list || row->fields[at].map)
		type = fakeapi_schema_bare(base_str_skip(type, 2));
	const size_t colon = base_str_find_char(type, ':');
	row->fields[at].item = colon == SIZE_MAX ? type : base_str_take(type, colon);
}

bool fakeapi_proto_row_read(struct base_str name, struct fakeapi_proto_row *row)
{
	struct base_str rest, numbers, one;
	uint8_t next = 1;
	bool more = true;

	row->type = find_row(name);
	row->count = 0;
	if (row->type == NULL)
		return false;
	const char *own = find_numbers(name);
	numbers = base_str(own != NULL ? own : "");
	rest = base_str(row->type->fields);
	while (row->count < FAKEAPI_PROTO_FIELDS_MAX &&
	       fakeapi_schema_next(&rest, &row->fields[row->count].field)) {
		const size_t at = row->count++;
		const struct base_str field = row->fields[at].field.name;

		memset(row->fields[at].path, 0, sizeof row->fields[at].path);
		read_type(row, at);
		if (own != NULL) {
			numbers = base_str_cut(numbers, ' ', &one, &more);
			read_path(one, row->fields[at].path);
		} else if (at > 1 ||
			   (!base_str_is(field, "kind") && !base_str_is(field, "apiVersion")) ||
			   !base_str_starts(base_str(row->type->fields),
					    BASE_STR("kind string?;apiVersion string?;"))) {
			row->fields[at].path[0] = next++;
		}
	}
	return true;
}

void fakeapi_proto_row_name(struct base_str api_version, struct base_str kind, char *out,
			    size_t size)
{
	static const char *const shared[] = {"Status", "APIVersions", "APIGroup", "APIGroupList",
					     "APIResourceList"};
	struct base_str group = BASE_STR("core"), version = api_version, label;
	bool found = false;
	const size_t slash = base_str_find_char(api_version, '/');

	if (slash != SIZE_MAX) {
		version = base_str_skip(api_version, slash + 1);
		(void)base_str_cut(base_str_take(api_version, slash), '.', &label, &found);
		group = label;
	}
	for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++)
		if (base_str_is(kind, shared[i]))
			group = BASE_STR("meta");
	if (base_str_is(group, "meta") || base_str_is(kind, "DeleteOptions")) {
		group = BASE_STR("meta");
		version = BASE_STR("v1");
	}
	snprintf(out, size, "%.*s%.*s.%.*s", BASE_STR_ARG(group),
		 base_str_is(version, "v1") ? 0 : (int)(version.len > 0 ? version.len - 1 : 0),
		 version.len > 0 ? version.ptr + 1 : "", BASE_STR_ARG(kind));
}
