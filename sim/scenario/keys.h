/* The language as a table: every key, where it may stand, what its value may be, and what it means.
 *
 * Four readers: the loader (unknown keys, wrong types, bad units, all from here), the JSON Schema, the
 * formatter (order of keys) and the reference. A key that is not here does not exist. */
#ifndef SIM_SCENARIO_KEYS_H
#define SIM_SCENARIO_KEYS_H

#include "sim/scenario/node.h"

/* id, title for the reference, what it is */
#define SCENARIO_SECTIONS(X)                                                                       \
	X(SCENARIO_SEC_NONE, "", "")                                                               \
	X(SCENARIO_SEC_TOP, "scenario", "The file itself.")                                        \
	X(SCENARIO_SEC_NETWORK, "network", "Between client and server.")                           \
	X(SCENARIO_SEC_SERVER, "server", "The fake API server.")                                   \
	X(SCENARIO_SEC_CLUSTER, "cluster", "What exists before time 0.")                           \
	X(SCENARIO_SEC_RESOURCE, "resource", "A custom resource.")                                 \
	X(SCENARIO_SEC_INFORMER, "informer", "An informer under test.")                            \
	X(SCENARIO_SEC_TRANSFORM, "transform", "A ready-made transform.")                          \
	X(SCENARIO_SEC_HANDLER, "handler", "An event handler of an informer.")                     \
	X(SCENARIO_SEC_DIMENSIONS, "dimensions", "Run every combination of these values.")         \
	X(SCENARIO_SEC_STEP, "step",                                                               \
	  "Something happens, and what must follow. All verbs of an "                              \
	  "action may stand here too.")                                                            \
	X(SCENARIO_SEC_ACTION, "action", "One verb. Verbs of one mapping happen in file order.")   \
	X(SCENARIO_SEC_REPEAT, "repeat", "Do the step's actions several times.")                   \
	X(SCENARIO_SEC_FAULT, "fault",                                                             \
	  "Scripted trouble: one target, what happens to it, numbers.")                            \
	X(SCENARIO_SEC_FAULT_KIND, "fault kind", "What goes wrong, with its numbers.")             \
	X(SCENARIO_SEC_FAULT_NUMBERS, "fault numbers", "Where and how.")                           \
	X(SCENARIO_SEC_LAG, "lag", "How far watch caches are behind the store.")                   \
	X(SCENARIO_SEC_FORGET, "forget", "Which watch caches drop their window.")                  \
	X(SCENARIO_SEC_RESTORE, "restore", "An older state of the store comes back.")              \
	X(SCENARIO_SEC_ROUTE, "route", "Which API server an informer talks to.")                   \
	X(SCENARIO_SEC_HANDLER_OF, "handler of", "A handler and its informer.")                    \
	X(SCENARIO_SEC_EXPECT, "expect", "What must be seen in the step's window.")                \
	X(SCENARIO_SEC_BUDGET, "budget", "Bounds for the whole run.")

#define SCENARIO_SECTION_ENUM(id, title, text) id,
enum scenario_section { SCENARIO_SECTIONS(SCENARIO_SECTION_ENUM) SCENARIO_SEC_COUNT };
#undef SCENARIO_SECTION_ENUM

/* What a value may be. */
enum scenario_form {
	SCENARIO_F_TEXT = 1 << 0,
	SCENARIO_F_INTEGER = 1 << 1,
	SCENARIO_F_BOOL = 1 << 2,
	SCENARIO_F_DURATION = 1 << 3,
	SCENARIO_F_SIZE = 1 << 4,
	SCENARIO_F_RANGE = 1 << 5,
	SCENARIO_F_WINDOW = 1 << 6,
	SCENARIO_F_WORD = 1 << 7,   /* one of `words` */
	SCENARIO_F_EMPTY = 1 << 8,  /* nothing */
	SCENARIO_F_LIST = 1 << 9,   /* of `items` */
	SCENARIO_F_SET = 1 << 10,   /* {a, b} */
	SCENARIO_F_MAP = 1 << 11,   /* the section `inner` */
	SCENARIO_F_NAMED = 1 << 12, /* free names, values are `items` */
	SCENARIO_F_ANY = 1 << 13,   /* part of an object: not looked at */
};

struct scenario_key {
	enum scenario_section section;
	const char *name; /* "*": a name of the scenario's own */
	unsigned forms;
	unsigned items;
	enum scenario_section inner;
	bool required;
	const char *words;    /* separated by blanks */
	const char *standard; /* the default; NULL: none */
	const char *text;     /* one sentence */
};

/* All rows; those of a section stand together, in the order the formatter uses. */
const struct scenario_key *scenario_keys(size_t *count);
const struct scenario_key *scenario_key_find(enum scenario_section section, struct base_str name);
const char *scenario_section_title(enum scenario_section section);
const char *scenario_section_text(enum scenario_section section);
/* "a duration (10s, 500ms) or off" */
struct base_str scenario_forms_text(struct scenario_arena *arena, unsigned forms, unsigned items,
				    const char *words);

/* Checks a mapping and all below it against the table. part: an included file, which needs no title and no
 * steps. False: errors were added. */
bool scenario_keys_check(struct scenario_reader *reader, const struct scenario_node *node,
			 enum scenario_section section, bool part);

#endif
