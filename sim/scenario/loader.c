/* From a path to a scenario: reading, including, putting the parts together. */
#include "sim/scenario/loader.h"

#include <stdlib.h>

#include "sim/fatal.h"

/* ---- Values of keys ---- */

static const struct scenario_node *scalar_of(const struct scenario_node *map, const char *key)
{
	const struct scenario_node *node = scenario_node_get(map, key);
	return node != NULL && node->kind == SCENARIO_SCALAR ? node : NULL;
}

bool scenario_get_text(const struct scenario_node *map, const char *key, struct base_str *out)
{
	const struct scenario_node *node = scalar_of(map, key);
	if (node == NULL || scenario_node_is_null(node))
		return false;
	*out = node->text;
	return true;
}

bool scenario_get_u64(const struct scenario_node *map, const char *key, uint64_t *out)
{
	const struct scenario_node *node = scalar_of(map, key);
	return node != NULL && scenario_value_u64(node->text, out);
}

bool scenario_get_bool(const struct scenario_node *map, const char *key, bool *out)
{
	const struct scenario_node *node = scalar_of(map, key);
	return node != NULL && scenario_value_bool(node->text, out);
}

bool scenario_get_duration(const struct scenario_node *map, const char *key, uint64_t *out_ns)
{
	const struct scenario_node *node = scalar_of(map, key);
	struct base_str unit;
	return node != NULL && scenario_value_duration(node->text, out_ns, &unit);
}

bool scenario_get_size(const struct scenario_node *map, const char *key, uint64_t *out)
{
	const struct scenario_node *node = scalar_of(map, key);
	return node != NULL && scenario_value_size(node->text, out);
}

size_t scenario_many(const struct scenario_node *node, struct scenario_node *const **items,
		     struct scenario_node **single)
{
	if (node == NULL)
		return 0;
	if (node->kind == SCENARIO_SEQUENCE) {
		*items = node->items;
		return node->count;
	}
	*single = (struct scenario_node *)(uintptr_t)node;
	*items = single;
	return 1;
}

struct base_str scenario_join(struct scenario_loader *l, const struct base_str *names, size_t count)
{
	struct base_buf buf;
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < count; i++)
		sim_must(
			base_buf_printf(&buf, "%s%.*s", i > 0 ? ", " : "", BASE_STR_ARG(names[i])));
	struct base_str out = scenario_arena_str(&l->arena, base_buf_peek(&buf));
	base_buf_release(&buf);
	return out;
}

#define KNOWN_SHOWN_MAX 12

void scenario_unknown(struct scenario_loader *l, struct scenario_pos pos, uint32_t width,
		      const char *what, struct base_str name, const struct base_str *known,
		      size_t count)
{
	struct base_str near = scenario_nearest(name, known, count), hint = BASE_STR("");
	size_t shown = count > KNOWN_SHOWN_MAX ? KNOWN_SHOWN_MAX : count;
	if (near.len > 0)
		hint = scenario_arena_text(&l->arena, "did you mean \"%.*s\"?", BASE_STR_ARG(near));
	else if (count == 0)
		hint = scenario_arena_text(&l->arena, "there is no %s here", what);
	else
		hint = scenario_arena_text(&l->arena, "known here: %s%s",
					   scenario_join(l, known, shown).ptr,
					   shown < count ? ", …" : "");
	scenario_error(&l->reader, pos, width, hint, "no %s is named \"%.*s\"", what,
		       BASE_STR_ARG(name));
}

/* ---- Files ---- */

static void load_top(struct scenario_loader *l, uint32_t file, bool part);

static void load_includes(struct scenario_loader *l, const struct scenario_node *top)
{
	struct scenario_node *const *items = NULL, *single = NULL;
	size_t count = scenario_many(scenario_node_get(top, "include"), &items, &single);
	for (size_t i = 0; i < count; i++) {
		struct base_str path, text;
		if (items[i]->kind != SCENARIO_SCALAR)
			continue;
		if (++l->include_count > SCENARIO_INCLUDES_MAX) {
			scenario_error(&l->reader, items[i]->pos, items[i]->width,
				       BASE_STR("does a file include itself?"),
				       "too many includes");
			return;
		}
		if (scenario_read_beside(l, items[i], &path, &text))
			load_top(l, scenario_source_add(&l->reader, path, text), true);
	}
}

static void refuse_in_parts(struct scenario_loader *l, const struct scenario_node *top)
{
	static const char *const keys[] = {"scenario", "steps", "finally"};
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct scenario_node *node = scenario_node_get(top, keys[i]);
		if (node != NULL)
			scenario_error(&l->reader, node->pos, node->width,
				       BASE_STR("it belongs into the file that includes this one"),
				       "an included file cannot have \"%s\"", keys[i]);
	}
}

static void load_top(struct scenario_loader *l, uint32_t file, bool part)
{
	struct scenario_vec documents = {0};
	struct scenario_pos start = {.file = file, .line = 1, .column = 1};
	bool parsed = scenario_parse(&l->reader, file, &documents);
	if (documents.count == 0) {
		if (parsed)
			scenario_error(&l->reader, start, 1,
				       BASE_STR("begin with: scenario: what is true"),
				       "the file is empty");
		return;
	}
	const struct scenario_node *top = *SCENARIO_AT(&documents, struct scenario_node *, 0);
	if (documents.count > 1)
		scenario_error(&l->reader,
			       (*SCENARIO_AT(&documents, struct scenario_node *, 1))->pos, 1,
			       BASE_STR("one scenario a file"), "a second document");
	scenario_keys_check(&l->reader, top, SCENARIO_SEC_TOP, part);
	if (top->kind != SCENARIO_MAPPING)
		return;
	if (part)
		refuse_in_parts(l, top);
	load_includes(l, top);
	scenario_load_world(l, top);
	if (!part)
		scenario_load_rest(l, top);
}

/* ---- The result ---- */

static void set_defaults(struct scenario *s)
{
	s->jitter_permille = 500;
	s->latency_ns = 1000000;
	s->server = (struct scenario_server){
		.version = BASE_STR("1.36"),
		.first_rv = 100,
		.bookmark_ns = SCENARIO_NEVER,
		.progress_ns = SCENARIO_NEVER,
		.notice_ns = SCENARIO_NEVER,
		.replicas = 1,
		.reader_bytes = SCENARIO_NEVER,
		.watch_list = true,
	};
	s->budget = (struct scenario_budget){
		.requests = UINT64_MAX,
		.lists = UINT64_MAX,
		.watches = UINT64_MAX,
		.bytes = UINT64_MAX,
	};
	fakeapi_resources_init(&s->resources, NULL);
}

static void finish(struct scenario_loader *l)
{
	struct scenario *s = l->scenario;
	struct base_str *files =
		scenario_arena_get(&l->arena, l->sources.vec.count * sizeof(*files));
	for (size_t i = 0; i < l->sources.vec.count; i++)
		files[i] = SCENARIO_AT(&l->sources.vec, struct scenario_source, i)->path;
	s->files = files;
	s->file_count = l->sources.vec.count;
	s->covers = l->covers.items;
	s->cover_count = l->covers.count;
	s->customs = l->customs.items;
	s->custom_count = l->customs.count;
	s->objects = l->objects.items;
	s->object_count = l->objects.count;
	s->dimensions = l->dimensions.items;
	s->dimension_count = l->dimensions.count;
	s->breaks = l->breaks.items;
	s->break_count = l->breaks.count;
	struct scenario_informer *informers =
		scenario_arena_get(&l->arena, (l->informers.count + 1) * sizeof(*informers));
	for (size_t i = 0; i < l->informers.count; i++) {
		struct scenario_informer_build *build = LOADER_INFORMER(l, i);
		struct scenario_handler *handlers = scenario_arena_get(
			&l->arena, (build->handlers.count + 1) * sizeof(*handlers));
		for (size_t j = 0; j < build->handlers.count; j++)
			handlers[j] = LOADER_HANDLER(build, j)->handler;
		informers[i] = build->informer;
		informers[i].handlers = handlers;
		informers[i].handler_count = build->handlers.count;
	}
	s->informers = informers;
	s->informer_count = l->informers.count;
}

enum how { PLAIN, LINT, OPEN_WORLD };

static enum base_code load(const char *path, struct base_str text, enum how how,
			   struct scenario **out, struct scenario_diagnostics *diags)
{
	struct scenario_loader l = {.servers_up = 1, .open_world = how == OPEN_WORLD};
	size_t errors_before = diags->error_count;
	*out = NULL;
	l.reader =
		(struct scenario_reader){.arena = &l.arena, .sources = &l.sources, .diags = diags};
	l.scenario = scenario_arena_get(&l.arena, sizeof(*l.scenario));
	base_map_init(&l.alive, NULL);
	set_defaults(l.scenario);
	load_top(&l, scenario_source_add(&l.reader, base_str(path), text), false);
	finish(&l);
	if (how == LINT && diags->error_count == errors_before)
		scenario_lint_loaded(&l);
	base_map_release(&l.alive);
	scenario_diag_sort(diags);
	struct scenario_arena *arena = sim_calloc(1, sizeof(*arena));
	*arena = l.arena;
	l.scenario->private_ = arena;
	if (diags->error_count == errors_before)
		*out = l.scenario;
	else
		scenario_free(l.scenario);
	return *out != NULL ? BASE_OK : BASE_EINVAL;
}

enum base_code scenario_load_text(const char *path, struct base_str text, struct scenario **out,
				  struct scenario_diagnostics *diags)
{
	return load(path, text, PLAIN, out, diags);
}

enum base_code scenario_load_open(const char *path, struct base_str text, struct scenario **out,
				  struct scenario_diagnostics *diags)
{
	return load(path, text, OPEN_WORLD, out, diags);
}

static enum base_code load_path(const char *path, enum how how, struct scenario **out,
				struct scenario_diagnostics *diags)
{
	struct base_buf text;
	struct base_error error = {0};
	*out = NULL;
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	enum base_code code = scenario_read_file(path, &text, &error);
	if (code == BASE_OK)
		code = load(path, base_buf_peek(&text), how, out, diags);
	else
		scenario_diag_add(diags, SCENARIO_ERROR, base_str(path), 0, 0, 1, BASE_STR(""),
				  base_str(error.text), BASE_STR(""));
	base_buf_release(&text);
	return code;
}

enum base_code scenario_load(const char *path, struct scenario **out,
			     struct scenario_diagnostics *diags)
{
	return load_path(path, PLAIN, out, diags);
}

enum base_code scenario_lint(const char *path, struct scenario_diagnostics *diags)
{
	struct scenario *scenario = NULL;
	enum base_code code = load_path(path, LINT, &scenario, diags);
	scenario_free(scenario);
	return code;
}

void scenario_free(struct scenario *scenario)
{
	if (scenario == NULL)
		return;
	struct scenario_arena *arena = scenario->private_;
	fakeapi_resources_release(&scenario->resources);
	/* The scenario itself lies in the arena. */
	scenario_arena_release(arena);
	free(arena);
}
