/* YAML as a tree of nodes with positions, from libyaml's events.
 *
 * Refused with a position: anchors, aliases, tags, merge keys, keys that are no scalars, twice the same
 * key, too deep, too large. A `.json` text is YAML too. Everything lives in the arena. */
#ifndef SIM_SCENARIO_NODE_H
#define SIM_SCENARIO_NODE_H

#include "sim/scenario/arena.h"
#include "sim/scenario/diag.h"

enum scenario_node_kind { SCENARIO_SCALAR, SCENARIO_SEQUENCE, SCENARIO_MAPPING };
enum scenario_style {
	SCENARIO_PLAIN,
	SCENARIO_SINGLE,
	SCENARIO_DOUBLE,
	SCENARIO_LITERAL,
	SCENARIO_FOLDED
};

struct scenario_node {
	enum scenario_node_kind kind;
	enum scenario_style style; /* of a scalar */
	bool flow;                 /* [a] or {a: b} instead of lines */
	struct scenario_pos pos;
	uint32_t end_line;    /* the line of its last byte */
	uint32_t width;       /* columns of a scalar on one line; 1 otherwise */
	struct base_str text; /* of a scalar, length counts */
	/* A sequence's elements; a mapping's values, with keys beside them. */
	struct scenario_node **items, **keys;
	size_t count;
};

/* A file that was read: for messages and positions. */
struct scenario_source {
	struct base_str path, text;
};

struct scenario_sources {
	struct scenario_vec vec; /* of struct scenario_source */
};

/* What parsing and loading need everywhere. */
struct scenario_reader {
	struct scenario_arena *arena;
	struct scenario_sources *sources;
	struct scenario_diagnostics *diags;
};

/* Registers the text (copied) and gives its index. */
uint32_t scenario_source_add(struct scenario_reader *reader, struct base_str path,
			     struct base_str text);
struct base_str scenario_source_line(const struct scenario_sources *sources, uint32_t file,
				     uint32_t line);

/* Documents of the text, in order; an empty document is left out. False: errors were added. */
bool scenario_parse(struct scenario_reader *reader, uint32_t file, struct scenario_vec *documents);

void scenario_error(struct scenario_reader *reader, struct scenario_pos pos, uint32_t width,
		    struct base_str hint, const char *format, ...) BASE_PRINTF(5, 6);
void scenario_warning(struct scenario_reader *reader, struct scenario_pos pos, uint32_t width,
		      struct base_str hint, const char *format, ...) BASE_PRINTF(5, 6);

/* The value of a key; NULL: none (or no mapping). */
struct scenario_node *scenario_node_get(const struct scenario_node *node, const char *key);
bool scenario_node_is_null(const struct scenario_node *node); /* empty, ~ or null, plain */
/* A mapping whose values are all empty: `{a, b}`. */
bool scenario_node_is_set(const struct scenario_node *node);
/* "a list", "a mapping", "the text \"x\"" for messages. */
struct base_str scenario_node_describe(struct scenario_arena *arena,
				       const struct scenario_node *node);
/* Where byte `offset` of a scalar stands in the file (exact for plain scalars on one line). */
struct scenario_pos scenario_node_inside(const struct scenario_node *node, size_t offset);

/* JSON bytes by the core schema of YAML 1.2; numbers keep their text where JSON can hold it. False: an
 * error was added (.inf, .nan). */
bool scenario_node_json(struct scenario_reader *reader, const struct scenario_node *node,
			struct base_buf *out);

#endif
