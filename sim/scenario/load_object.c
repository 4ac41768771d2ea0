/* Objects by name and with content: references, short forms, whole objects. */
#include "sim/fatal.h"
#include "sim/scenario/loader.h"

const struct fakeapi_resource *scenario_resource(struct scenario_loader *l, struct base_str word,
						 struct scenario_pos pos, uint32_t width)
{
	const struct fakeapi_resource *found = fakeapi_resources_named(&l->scenario->resources,
								       word),
				      *r;
	struct scenario_vec names = {0};
	if (found != NULL)
		return found;
	for (size_t i = 0; (r = fakeapi_resources_at(&l->scenario->resources, i)) != NULL; i++)
		*SCENARIO_PUSH(&l->arena, &names, struct base_str) = base_str(r->plural);
	scenario_unknown(l, pos, width, "resource", word, names.items, names.count);
	return NULL;
}

static bool name_is_sound(struct base_str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool ok = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
			  c == '.' || c == ':' || (c >= 'A' && c <= 'Z') || c == '_';
		if (!ok)
			return false;
	}
	return name.len > 0;
}

/* One reference from `rest`, which is "default/a" or "n1" of a known resource. */
static bool push_refs(struct scenario_loader *l, const struct scenario_node *node,
		      const struct fakeapi_resource *resource, struct base_str rest,
		      struct scenario_vec *out)
{
	struct base_str space = BASE_STR(""), head, name = rest;
	bool slash = false;
	struct scenario_names names;
	struct base_str tail = base_str_cut(rest, '/', &head, &slash);
	if (slash) {
		space = scenario_arena_str(&l->arena, head);
		name = tail;
	}
	if (slash != resource->namespaced) {
		scenario_error(&l->reader, node->pos, node->width,
			       scenario_arena_text(&l->arena, "write %s%s",
						   resource->namespaced ? "namespace/name: default/"
									: "the name alone: ",
						   name.ptr),
			       "%s are %s", resource->plural,
			       resource->namespaced ? "namespaced: the namespace is missing"
						    : "not namespaced");
		return false;
	}
	if (!scenario_value_names(name, &names)) {
		scenario_error(&l->reader, node->pos, node->width, BASE_STR("p1..9 or p001..200"),
			       "the range in \"%s\" runs backwards or is too long", name.ptr);
		return false;
	}
	if (!name_is_sound(name) || (slash && !name_is_sound(space))) {
		scenario_error(&l->reader, node->pos, node->width, BASE_STR("default/a"),
			       "\"%s\" cannot be an object's name", rest.ptr);
		return false;
	}
	for (uint64_t i = 0; i < names.count; i++) {
		struct scenario_ref *ref = SCENARIO_PUSH(&l->arena, out, struct scenario_ref);
		ref->pos = node->pos;
		ref->resource = resource;
		ref->namespace_ = space;
		ref->name = names.digits == 0
				    ? scenario_arena_str(&l->arena, name)
				    : scenario_arena_text(&l->arena, "%.*s%0*llu",
							  BASE_STR_ARG(names.before),
							  (int)names.digits,
							  (unsigned long long)(names.first + i));
		ref->key = slash ? scenario_arena_text(&l->arena, "%s/%s", space.ptr, ref->name.ptr)
				 : ref->name;
	}
	return true;
}

bool scenario_refs(struct scenario_loader *l, const struct scenario_node *node,
		   struct scenario_vec *out)
{
	struct base_str word, rest;
	bool slash = false;
	if (node->kind != SCENARIO_SCALAR)
		return false;
	rest = base_str_cut(node->text, '/', &word, &slash);
	if (!slash) {
		scenario_error(&l->reader, node->pos, node->width,
			       BASE_STR("an object is resource/namespace/name: pods/default/a"),
			       "\"%s\" names no object", node->text.ptr);
		return false;
	}
	const struct fakeapi_resource *resource =
		scenario_resource(l, word, node->pos, (uint32_t)(word.len > 0 ? word.len : 1));
	return resource != NULL && push_refs(l, node, resource, rest, out);
}

/* ---- Content ---- */

static const char *const into_metadata[] = {"labels",          "annotations", "finalizers",
					    "ownerReferences", "generation",  "uid"};

static bool is_one_of(struct base_str s, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (base_str_is(s, words[i]))
			return true;
	}
	return false;
}

static void member(struct scenario_loader *l, struct base_buf *out, const struct scenario_node *map,
		   size_t i)
{
	if (out->ptr[out->len - 1] != '{')
		sim_must(base_buf_char(out, ','));
	sim_must(base_buf_json_string(out, map->keys[i]->text));
	sim_must(base_buf_char(out, ':'));
	scenario_node_json(&l->reader, map->items[i], out);
}

static void write_metadata(struct scenario_loader *l, const struct scenario_ref *ref,
			   const struct scenario_node *body, bool patch, struct base_buf *out)
{
	static const char *const own[] = {"name", "namespace"};
	sim_must(base_buf_text(out, "\"metadata\":{"));
	if (!patch) {
		sim_must(base_buf_text(out, "\"name\":"));
		sim_must(base_buf_json_string(out, ref->name));
		if (ref->namespace_.len > 0) {
			sim_must(base_buf_text(out, ",\"namespace\":"));
			sim_must(base_buf_json_string(out, ref->namespace_));
		}
	}
	const struct scenario_node *metadata = scenario_node_get(body, "metadata");
	for (size_t i = 0;
	     metadata != NULL && metadata->kind == SCENARIO_MAPPING && i < metadata->count; i++) {
		if (!is_one_of(metadata->keys[i]->text, own, 2))
			member(l, out, metadata, i);
	}
	for (size_t i = 0; body != NULL && i < body->count; i++) {
		if (is_one_of(body->keys[i]->text, into_metadata,
			      sizeof(into_metadata) / sizeof(into_metadata[0])))
			member(l, out, body, i);
	}
	sim_must(base_buf_char(out, '}'));
}

void scenario_object_json(struct scenario_loader *l, struct scenario_object *object,
			  const struct scenario_node *body, bool patch)
{
	static const char *const done[] = {"apiVersion", "kind", "metadata", "name", "namespace"};
	const struct fakeapi_resource *resource = object->ref.resource;
	struct base_buf out;
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	if (body != NULL && body->kind != SCENARIO_MAPPING)
		body = NULL;
	sim_must(base_buf_char(&out, '{'));
	if (!patch) {
		sim_must(base_buf_text(&out, "\"apiVersion\":\""));
		sim_must(fakeapi_resource_api_version(resource, &out));
		sim_must(base_buf_printf(&out, "\",\"kind\":\"%s\",", resource->kind));
	}
	size_t before = out.len;
	write_metadata(l, &object->ref, body, patch, &out);
	if (base_str_is(base_str_skip(base_buf_peek(&out), before), "\"metadata\":{}")) {
		out.len = before;
		out.ptr[before] = '\0';
	}
	for (size_t i = 0; body != NULL && i < body->count; i++) {
		struct base_str key = body->keys[i]->text;
		if (!is_one_of(key, done, 5) &&
		    !is_one_of(key, into_metadata,
			       sizeof(into_metadata) / sizeof(into_metadata[0])))
			member(l, &out, body, i);
	}
	sim_must(base_buf_char(&out, '}'));
	object->json = scenario_arena_str(&l->arena, base_buf_peek(&out));
	base_buf_release(&out);
}

/* ---- cluster: ---- */

/* "default/a", or a mapping with `name: default/a` or metadata. */
static void load_short(struct scenario_loader *l, const struct fakeapi_resource *resource,
		       const struct scenario_node *node)
{
	struct scenario_vec refs = {0};
	const struct scenario_node *name = node, *metadata = NULL, *body = NULL;
	struct base_str rest = node->text, space;
	if (node->kind == SCENARIO_MAPPING) {
		body = node;
		metadata = scenario_node_get(node, "metadata");
		name = scenario_node_get(node, "name");
		if (name == NULL)
			name = scenario_node_get(metadata, "name");
		if (name == NULL || name->kind != SCENARIO_SCALAR) {
			scenario_error(&l->reader, node->pos, 1, BASE_STR("name: default/a"),
				       "an object without a name");
			return;
		}
		rest = name->text;
		bool short_name = base_str_find_char(rest, '/') == SIZE_MAX;
		if (!scenario_get_text(metadata, "namespace", &space) &&
		    !scenario_get_text(node, "namespace", &space))
			space = BASE_STR("default");
		if (short_name && resource->namespaced)
			rest = scenario_arena_text(&l->arena, "%s/%s", space.ptr, rest.ptr);
	}
	if (node->kind == SCENARIO_SEQUENCE || !push_refs(l, name, resource, rest, &refs))
		return;
	for (size_t i = 0; i < refs.count; i++) {
		struct scenario_object *object =
			SCENARIO_PUSH(&l->arena, &l->objects, struct scenario_object);
		object->ref = *SCENARIO_AT(&refs, struct scenario_ref, i);
		scenario_object_json(l, object, body, false);
	}
}

static void load_of_resource(struct scenario_loader *l, const struct scenario_node *key,
			     const struct scenario_node *list)
{
	struct scenario_node *const *items = NULL, *single = NULL;
	const struct fakeapi_resource *resource =
		scenario_resource(l, key->text, key->pos, key->width);
	size_t count = scenario_many(list, &items, &single);
	for (size_t i = 0; resource != NULL && i < count; i++)
		load_short(l, resource, items[i]);
}

static void load_full(struct scenario_loader *l, const struct scenario_node *node)
{
	struct base_str version = BASE_STR(""), kind = BASE_STR("");
	scenario_get_text(node, "apiVersion", &version);
	scenario_get_text(node, "kind", &kind);
	const struct fakeapi_resource *resource =
		fakeapi_resources_of_object(&l->scenario->resources, version, kind);
	if (resource != NULL) {
		load_short(l, resource, node);
		return;
	}
	scenario_error(
		&l->reader, node->pos, 1,
		BASE_STR("an object in this list needs apiVersion and kind; custom resources are "
			 "declared under cluster: resources:"),
		"no resource is known for kind \"%s\" of \"%s\"", kind.ptr, version.ptr);
}

char scenario_alive_here, scenario_alive_gone, scenario_alive_held;

void *scenario_alive_of(const struct scenario_object *object)
{
	bool held = base_str_find(object->json, BASE_STR("\"finalizers\"")) != SIZE_MAX;
	return held ? &scenario_alive_held : &scenario_alive_here;
}

static void remember(struct scenario_loader *l, size_t from)
{
	for (size_t i = from; i < l->objects.count; i++) {
		struct scenario_object *object =
			SCENARIO_AT(&l->objects, struct scenario_object, i);
		struct base_str id =
			scenario_arena_text(&l->arena, "%s.%s/%s", object->ref.resource->plural,
					    object->ref.resource->group, object->ref.key.ptr);
		if (base_map_get(&l->alive, id) != NULL)
			scenario_error(&l->reader, object->ref.pos, 1,
				       BASE_STR("keep one of the two"),
				       "%s/%s stands in the cluster twice",
				       object->ref.resource->plural, object->ref.key.ptr);
		else
			sim_must(base_map_put(&l->alive, id, scenario_alive_of(object), NULL));
	}
}

void scenario_load_cluster(struct scenario_loader *l, const struct scenario_node *cluster)
{
	struct scenario_node *const *items = NULL, *single = NULL;
	size_t from = l->objects.count;
	const struct scenario_node *objects = scenario_node_get(cluster, "objects");
	size_t count = scenario_many(scenario_node_get(cluster, "files"), &items, &single);
	for (size_t i = 0; i < count; i++)
		scenario_load_objects_file(l, items[i]);
	for (size_t i = 0; objects != NULL && i < objects->count; i++) {
		if (objects->kind == SCENARIO_MAPPING)
			load_of_resource(l, objects->keys[i], objects->items[i]);
		else
			load_full(l, objects->items[i]);
	}
	for (size_t i = 0; cluster != NULL && i < cluster->count; i++) {
		if (cluster->kind == SCENARIO_MAPPING &&
		    scenario_key_find(SCENARIO_SEC_CLUSTER, cluster->keys[i]->text) == NULL)
			load_of_resource(l, cluster->keys[i], cluster->items[i]);
	}
	remember(l, from);
}
