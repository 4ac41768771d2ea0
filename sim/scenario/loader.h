/* The loader's parts, among themselves. The document has been checked against the table of keys before
 * any of these runs, and wrong shapes have been reported: they pass over what they cannot read, and report
 * only what the table cannot know (names, order, sense). */
#ifndef SIM_SCENARIO_LOADER_H
#define SIM_SCENARIO_LOADER_H

#include "base/map.h"
#include "sim/scenario/keys.h"
#include "sim/scenario/value.h"

enum scenario_life { SCENARIO_NEW, SCENARIO_RUNNING, SCENARIO_STOPPED };

/* An informer while it is read, and what is known of it at the present step. */
struct scenario_informer_build {
	struct scenario_informer informer;
	struct scenario_vec handlers; /* of struct scenario_handler_build */
	enum scenario_life life;
};

struct scenario_handler_build {
	struct scenario_handler handler;
	bool present;
};

struct scenario_fault_name {
	struct base_str name;
};

struct scenario_step_build {
	struct scenario_step step;
	const struct scenario_node *expect;
};

struct scenario_loader {
	struct scenario_reader reader;
	struct scenario_arena arena;
	struct scenario_sources sources;
	struct scenario *scenario;
	size_t include_count;
	struct scenario_vec covers, customs, objects, informers, dimensions, steps, breaks;
	struct scenario_vec faults; /* names given so far */
	size_t fault_count;
	uint64_t servers_up;   /* one bit for each replica */
	bool open_world;       /* objects and faults that are not in the text may be there */
	struct base_map alive; /* "pods./default/a" -> one of the scenario_alive_… below */
};

/* What is known of an object at the present step. HELD: it has or had finalizers, so whether it is there
 * after a delete only the run can tell. */
extern char scenario_alive_here, scenario_alive_gone, scenario_alive_held;
/* By what is written in its JSON: here or held. */
void *scenario_alive_of(const struct scenario_object *object);

#define LOADER_INFORMER(l, i) SCENARIO_AT(&(l)->informers, struct scenario_informer_build, i)
#define LOADER_HANDLER(b, i) SCENARIO_AT(&(b)->handlers, struct scenario_handler_build, i)

/* ---- Values of keys (sim/scenario/loader.c): false and untouched when absent or of another form ---- */
bool scenario_get_text(const struct scenario_node *map, const char *key, struct base_str *out);
bool scenario_get_u64(const struct scenario_node *map, const char *key, uint64_t *out);
bool scenario_get_bool(const struct scenario_node *map, const char *key, bool *out);
bool scenario_get_duration(const struct scenario_node *map, const char *key, uint64_t *out_ns);
bool scenario_get_size(const struct scenario_node *map, const char *key, uint64_t *out);
/* The elements of a list; a scalar or mapping counts as a list of one; NULL gives none. */
size_t scenario_many(const struct scenario_node *node, struct scenario_node *const **items,
		     struct scenario_node **single);
/* "a, b, c" for hints. */
struct base_str scenario_join(struct scenario_loader *l, const struct base_str *names,
			      size_t count);
/* An unknown name with its nearest known one. */
void scenario_unknown(struct scenario_loader *l, struct scenario_pos pos, uint32_t width,
		      const char *what, struct base_str name, const struct base_str *known,
		      size_t count);

/* ---- sim/scenario/load_world.c ---- */
void scenario_load_world(struct scenario_loader *l, const struct scenario_node *top);
void scenario_load_rest(struct scenario_loader *l, const struct scenario_node *top);

/* A profile of the fake server. */
void scenario_check_version(struct scenario_loader *l, const struct scenario_node *node);

/* ---- sim/scenario/load_object.c ---- */
/* NULL with an error added. */
const struct fakeapi_resource *scenario_resource(struct scenario_loader *l, struct base_str word,
						 struct scenario_pos pos, uint32_t width);
/* `pods/default/p1..9` inside a scalar: refs are pushed to out. */
bool scenario_refs(struct scenario_loader *l, const struct scenario_node *node,
		   struct scenario_vec *out);
void scenario_object_json(struct scenario_loader *l, struct scenario_object *object,
			  const struct scenario_node *body, bool patch);
void scenario_load_cluster(struct scenario_loader *l, const struct scenario_node *cluster);

/* ---- sim/scenario/load_file.c: objects from files ---- */
void scenario_load_objects_file(struct scenario_loader *l, const struct scenario_node *name);
/* Reads a whole file. error says why not: "cannot read NAME: …". */
enum base_code scenario_read_file(const char *path, struct base_buf *out, struct base_error *error);
/* Reads a whole file, named relative to the file that pos is in. False: an error was added. */
bool scenario_read_beside(struct scenario_loader *l, const struct scenario_node *name,
			  struct base_str *path, struct base_str *text);

/* ---- sim/scenario/load_informer.c ---- */
void scenario_load_informers(struct scenario_loader *l, const struct scenario_node *top);
void scenario_load_dimensions(struct scenario_loader *l, const struct scenario_node *dimensions);
/* SCENARIO_NONE with an error added. */
size_t scenario_informer_named(struct scenario_loader *l, struct base_str name,
			       struct scenario_pos pos, uint32_t width);
/* "h" or "informer/h". informer: SCENARIO_NONE = look in all. False: an error was added (none, several). */
bool scenario_handler_named(struct scenario_loader *l, struct base_str name, size_t in_informer,
			    struct scenario_pos pos, uint32_t width, size_t *informer,
			    size_t *handler);
/* Finds without saying anything: how many informers have a handler of that name; the last in *informer. */
size_t scenario_handler_find(struct scenario_loader *l, struct base_str name, size_t in_informer,
			     size_t *informer, size_t *handler);

/* ---- sim/scenario/load_step.c, load_action.c, load_fault.c ---- */
void scenario_load_steps(struct scenario_loader *l, const struct scenario_node *steps);
/* Reads verbs of a mapping in file order; keys that are no verbs are passed over. */
void scenario_load_actions(struct scenario_loader *l, const struct scenario_node *map,
			   struct scenario_vec *actions);
void scenario_load_fault(struct scenario_loader *l, const struct scenario_node *node,
			 struct scenario_vec *actions);

/* ---- sim/scenario/load_expect.c, load_call.c ---- */
void scenario_load_expect(struct scenario_loader *l, const struct scenario_node *node,
			  struct scenario_expect *expect);
bool scenario_load_request(struct scenario_loader *l, const struct scenario_node *node,
			   uint32_t group, struct scenario_vec *out);
bool scenario_load_call(struct scenario_loader *l, const struct scenario_node *node, uint32_t group,
			struct scenario_vec *out);

/* ---- sim/scenario/lint.c: warnings about a scenario that loads ---- */
void scenario_lint_loaded(struct scenario_loader *l);

#endif
