/* Files beside a scenario: includes, and objects as kubectl prints them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/fatal.h"
#include "sim/scenario/loader.h"

enum base_code scenario_read_file(const char *path, struct base_buf *out, struct base_error *error)
{
	char piece[16384];
	FILE *file = fopen(path, "rb");
	if (file == NULL)
		return base_fail(error, errno == ENOENT ? BASE_ENOENT : BASE_EIO,
				 "cannot open %s: %s", path, strerror(errno));
	size_t got;
	while ((got = fread(piece, 1, sizeof(piece), file)) > 0) {
		if (out->len + got > SCENARIO_FILE_BYTES_MAX) {
			fclose(file);
			return base_fail(error, BASE_ELIMIT, "%s is larger than 64 MiB", path);
		}
		sim_must(base_buf_append(out, piece, got));
	}
	bool failed = ferror(file) != 0;
	fclose(file);
	if (failed)
		return base_fail(error, BASE_EIO, "cannot read %s: %s", path, strerror(errno));
	return BASE_OK;
}

bool scenario_read_beside(struct scenario_loader *l, const struct scenario_node *name,
			  struct base_str *path, struct base_str *text)
{
	struct base_str from =
		SCENARIO_AT(&l->sources.vec, struct scenario_source, name->pos.file)->path;
	size_t folder = from.len;
	while (folder > 0 && from.ptr[folder - 1] != '/')
		folder--;
	bool absolute = name->text.len > 0 && name->text.ptr[0] == '/';
	*path = scenario_arena_text(&l->arena, "%.*s%s", absolute ? 0 : (int)folder, from.ptr,
				    name->text.ptr);
	struct base_buf buf;
	struct base_error error = {0};
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	bool ok = scenario_read_file(path->ptr, &buf, &error) == BASE_OK;
	if (ok)
		*text = scenario_arena_str(&l->arena, base_buf_peek(&buf));
	else
		scenario_error(&l->reader, name->pos, name->width,
			       BASE_STR("paths are relative to the file they stand in"), "%s",
			       error.text);
	base_buf_release(&buf);
	return ok;
}

/* ---- Objects ---- */

struct import {
	struct scenario_loader *l;
	struct scenario_pos pos; /* of the object in its file, or of the document */
	size_t count;
};

static struct base_str plain(struct import *import, struct base_str value)
{
	struct base_buf buf;
	struct base_str text = BASE_STR("");
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	if (base_json_kind_of(value) == BASE_JSON_STRING)
		sim_must(base_json_text(value, &buf, &text));
	text = scenario_arena_str(&import->l->arena, text);
	base_buf_release(&buf);
	return text;
}

/* Puts apiVersion and kind in front where a list's item has none. */
static struct base_str with_kind(struct import *import, struct base_str json,
				 struct base_str version, struct base_str kind, bool *whole)
{
	*whole = base_json_get(json, BASE_STR("kind")).len > 0;
	if (*whole)
		return json;
	bool empty = base_str_trim(base_str_skip(json, 1)).ptr[0] == '}';
	return scenario_arena_text(&import->l->arena,
				   "{\"apiVersion\":\"%s\",\"kind\":\"%s\"%s%.*s", version.ptr,
				   kind.ptr, empty ? "" : ",",
				   BASE_STR_ARG(base_str_skip(json, 1)));
}

static void import_object(struct import *import, struct base_str json, struct base_str list_version,
			  struct base_str item_kind)
{
	struct scenario_loader *l = import->l;
	bool whole = false;
	if (base_json_kind_of(json) != BASE_JSON_OBJECT) {
		scenario_error(&l->reader, import->pos, 1, BASE_STR("expected: an object"),
			       "this is no Kubernetes object");
		return;
	}
	json = with_kind(import, json, list_version, item_kind, &whole);
	struct base_str version = plain(import, base_json_get(json, BASE_STR("apiVersion")));
	struct base_str kind = plain(import, base_json_get(json, BASE_STR("kind")));
	struct base_str name = plain(import, base_json_path(json, 2, "metadata", "name"));
	struct base_str space = plain(import, base_json_path(json, 2, "metadata", "namespace"));
	const struct fakeapi_resource *resource =
		fakeapi_resources_of_object(&l->scenario->resources, version, kind);
	if (resource == NULL) {
		scenario_error(&l->reader, import->pos, 1,
			       BASE_STR("declare custom resources under cluster: resources:"),
			       "no resource is known for kind \"%s\" of \"%s\"", kind.ptr,
			       version.ptr);
		return;
	}
	if (name.len == 0 || (resource->namespaced && space.len == 0)) {
		scenario_error(&l->reader, import->pos, 1, BASE_STR(""), "a %s without metadata.%s",
			       kind.ptr, name.len == 0 ? "name" : "namespace");
		return;
	}
	struct scenario_object *object =
		SCENARIO_PUSH(&l->arena, &l->objects, struct scenario_object);
	object->ref = (struct scenario_ref){
		.pos = import->pos,
		.resource = resource,
		.namespace_ = resource->namespaced ? space : BASE_STR(""),
		.name = name,
		.key = resource->namespaced
			       ? scenario_arena_text(&l->arena, "%s/%s", space.ptr, name.ptr)
			       : name,
	};
	object->json = scenario_arena_str(&l->arena, json);
	object->from_file = true;
	import->count++;
}

/* One document: an object, or a list of them ("List", "PodList"). */
static void import_document(struct import *import, struct base_str json)
{
	struct base_str kind = plain(import, base_json_get(json, BASE_STR("kind")));
	struct base_str version = plain(import, base_json_get(json, BASE_STR("apiVersion")));
	struct base_str items = base_json_get(json, BASE_STR("items"));
	if (!base_str_ends(kind, BASE_STR("List")) || base_json_kind_of(items) == BASE_JSON_NONE) {
		import_object(import, json, BASE_STR(""), BASE_STR(""));
		return;
	}
	struct base_str item_kind =
		scenario_arena_str(&import->l->arena, base_str_take(kind, kind.len - 4));
	struct base_json_iter it;
	base_json_iter_init(&it, items);
	while (base_json_iter_next(&it))
		import_object(import, it.value, version, item_kind);
}

static void place_of(struct base_str text, size_t offset, struct scenario_pos *pos)
{
	pos->line = 1;
	pos->column = 1;
	for (size_t i = 0; i < offset && i < text.len; i++) {
		pos->column++;
		if (text.ptr[i] != '\n')
			continue;
		pos->line++;
		pos->column = 1;
	}
}

/* JSON goes through our own scanner: numbers and escapes exactly as they are. */
static void import_json(struct import *import, struct base_str text)
{
	struct base_json_scan *scan = sim_calloc(1, sizeof(*scan));
	size_t base = 0;
	for (;;) {
		size_t used = 0;
		base_json_scan_reset(scan);
		enum base_json_outcome outcome =
			base_json_scan_feed(scan, text.ptr + base, text.len - base, &used);
		if (outcome == BASE_JSON_NEED_MORE)
			outcome = base_json_scan_end(scan);
		if (outcome == BASE_JSON_NEED_MORE && scan->start == scan->offset)
			break;
		place_of(text,
			 base + (size_t)(outcome == BASE_JSON_DONE ? scan->start : scan->offset),
			 &import->pos);
		if (outcome != BASE_JSON_DONE) {
			scenario_error(&import->l->reader, import->pos, 1, BASE_STR(""),
				       "no valid JSON: %s",
				       outcome == BASE_JSON_ERROR ? scan->reason
								  : "it ends too early");
			break;
		}
		import_document(import, base_str_n(text.ptr + base + scan->start,
						   (size_t)(scan->offset - scan->start)));
		base += used;
	}
	free(scan);
}

static void import_yaml(struct import *import, uint32_t file)
{
	struct scenario_vec documents = {0};
	if (!scenario_parse(&import->l->reader, file, &documents))
		return;
	for (size_t i = 0; i < documents.count; i++) {
		const struct scenario_node *node =
			*SCENARIO_AT(&documents, struct scenario_node *, i);
		struct base_buf json;
		base_buf_init(&json, NULL, BASE_BUF_MAX_DEFAULT);
		import->pos = node->pos;
		if (scenario_node_json(&import->l->reader, node, &json))
			import_document(import, base_buf_peek(&json));
		base_buf_release(&json);
	}
}

void scenario_load_objects_file(struct scenario_loader *l, const struct scenario_node *name)
{
	struct base_str path, text;
	if (name->kind != SCENARIO_SCALAR || !scenario_read_beside(l, name, &path, &text))
		return;
	struct import import = {.l = l};
	uint32_t file = scenario_source_add(&l->reader, path, text);
	size_t errors = l->reader.diags->error_count;
	import.pos.file = file;
	struct base_str start = base_str_trim(text);
	if (start.len > 0 && (start.ptr[0] == '{' || start.ptr[0] == '['))
		import_json(&import, text);
	else
		import_yaml(&import, file);
	if (import.count == 0 && errors == l->reader.diags->error_count)
		scenario_warning(&l->reader, name->pos, name->width, BASE_STR(""),
				 "there are no objects in %s", path.ptr);
}
