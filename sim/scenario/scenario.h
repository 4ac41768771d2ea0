/* A scenario as a tree: what stands in NAME.yaml after every name in it has been checked.
 *
 * scenario_load reads a file (and what it includes) and either hands out a scenario that can be run, or
 * says everything that is wrong with it. scenario_expand multiplies it by its dimensions. The runner
 * executes the variants, the judge compares what happened with them; neither reads YAML.
 *
 * Ownership: a scenario owns everything reachable from it, in one arena; variants own only themselves and
 * must not outlive their scenario. All base_str here have a NUL behind them. Nothing changes after the load.
 * Thread rule: a loaded scenario may be read from many threads.
 * Memory: sim_fatal when there is none. Times: virtual nanoseconds. `step 0` is the first one.
 *
 * The language is described by one table of keys (sim/scenario/keys.h), from which the loader's checks, the
 * JSON Schema (`relist schema`) and the reference in scenarios/README.md are made. */
#ifndef SIM_SCENARIO_SCENARIO_H
#define SIM_SCENARIO_SCENARIO_H

#include <stdio.h>

#include "fakeapi/fault.h"
#include "fakeapi/fakeapi.h"
#include "sim/subject.h"

/* The format version in `relist: 1`. */
#define SCENARIO_FORMAT_VERSION 1
#define SCENARIO_NEVER UINT64_MAX
/* "All informers", "no handler", "in every variant". */
#define SCENARIO_NONE SIZE_MAX

#define SCENARIO_FILE_BYTES_MAX ((size_t)64 << 20)
#define SCENARIO_DEPTH_MAX 64
#define SCENARIO_NODES_MAX 2000000
#define SCENARIO_RANGE_MAX 200000 /* names made by `default/p1..200000` */
#define SCENARIO_INCLUDES_MAX 32
#define SCENARIO_VARIANTS_MAX 256

/* Where something stands: index into scenario.files, line and column from 1; line 0: nowhere. */
struct scenario_pos {
	uint32_t file, line, column;
};

/* ---- Objects ---- */

/* An object by name: `pods/default/a`, `nodes/n1`. */
struct scenario_ref {
	struct scenario_pos pos;
	const struct fakeapi_resource
		*resource; /* of scenario.resources; find yours by group, version, plural */
	struct base_str namespace_; /* empty: cluster-scoped */
	struct base_str name;
	struct base_str key; /* "namespace/name" or "name" */
};

/* An object of the cluster, or the body of a create, update or patch. */
struct scenario_object {
	struct scenario_ref ref;
	/* A whole object as JSON: apiVersion, kind, metadata.name and namespace are filled in when the
	 * scenario left them out. For a patch only what the scenario wrote. */
	struct base_str json;
	bool from_file; /* came from a file: it may bring uid, creationTimestamp and status along */
};

/* ---- Informers ---- */

/* Ready-made transforms. DROP_MANAGED_FIELDS and DROP_DATA take a field away; FAIL_ON fails for `key`. */
enum scenario_transform_kind {
	SCENARIO_DROP_MANAGED_FIELDS,
	SCENARIO_DROP_DATA,
	SCENARIO_FAIL_ON,
};

struct scenario_transform {
	struct scenario_pos pos;
	enum scenario_transform_kind kind;
	struct base_str key; /* FAIL_ON: "default/a" */
};

struct scenario_handler {
	struct scenario_pos pos;
	struct base_str name;
	uint64_t resync_ns; /* SUBJECT_RESYNC_NONE: no period of its own; 0: never */
	uint64_t slow_ns;   /* 0: returns at once */
	bool late;          /* not there from the start: an addHandler step adds it */
};

struct scenario_informer {
	struct scenario_pos pos;
	struct base_str name; /* "informer" for a single one without a name */
	const struct fakeapi_resource *resource;
	struct base_str namespace_; /* empty: all */
	struct base_str label_selector, field_selector;
	enum subject_flavour flavour;
	uint64_t resync_ns;             /* 0: none */
	uint64_t page_size;             /* 0: client-go's own choice */
	bool gates[SUBJECT_GATE_COUNT]; /* `watchList:` is SUBJECT_GATE_WATCH_LIST_CLIENT */
	const struct scenario_transform *transforms;
	size_t transform_count;
	const struct base_str *indexes; /* ready-made: "namespace" */
	size_t index_count;
	const struct scenario_handler *handlers; /* those of addHandler steps too, marked late */
	size_t handler_count;
};

/* ---- The world ---- */

enum scenario_jitter {
	SCENARIO_JITTER_FIXED,  /* every draw is jitter_permille */
	SCENARIO_JITTER_RANDOM, /* drawn from the seed */
};

/* Where client-go leaves an order to a map or to select. */
enum scenario_order { SCENARIO_ORDER_SORTED, SCENARIO_ORDER_SEEDED };

#define SCENARIO_REPLICAS_MAX 64

struct scenario_server {
	struct scenario_pos pos;
	struct base_str version;   /* "1.36" */
	uint64_t first_rv;         /* the revision before the first write: 100 */
	uint64_t bookmark_ns;      /* bookmark period; SCENARIO_NEVER: the server's own (60 s) */
	uint64_t watch_cache_size; /* events a watch cache keeps; 0: no bound of the scenario's */
	uint64_t lag_ns;           /* of the watch cache from the start */
	uint64_t progress_ns;      /* SCENARIO_NEVER: default */
	uint64_t notice_ns;        /* until a compaction is noticed; SCENARIO_NEVER: default */
	uint64_t watch_max_ns;     /* a watch is ended after that long at most; 0: no bound */
	uint64_t replicas; /* API servers before the one store: 1 to SCENARIO_REPLICAS_MAX */
	enum fakeapi_balance balance;
	uint64_t reader_bytes;  /* of a watch, until its reader is slow; SCENARIO_NEVER: default */
	uint64_t compaction_ns; /* the servers compact at these intervals; 0: not by themselves */
	bool watch_list; /* false: sendInitialEvents is refused (422), as with the gate off */
	bool types, managed_fields; /* as fakeapi_config's typed_writes and managed_fields */
};

/* ---- Steps ---- */

/* verb, word in the file */
#define SCENARIO_VERBS(X)                                                                          \
	X(SCENARIO_START, "start")                                                                 \
	X(SCENARIO_STOP, "stop")                                                                   \
	X(SCENARIO_CREATE, "create")                                                               \
	X(SCENARIO_UPDATE, "update")                                                               \
	X(SCENARIO_PATCH, "patch")                                                                 \
	X(SCENARIO_DELETE, "delete")                                                               \
	X(SCENARIO_TOUCH, "touch")                                                                 \
	X(SCENARIO_COMPACT, "compact")                                                             \
	X(SCENARIO_FORGET, "forget")                                                               \
	X(SCENARIO_LAG, "lag")                                                                     \
	X(SCENARIO_STOP_SERVER, "stopServer")                                                      \
	X(SCENARIO_KILL, "kill")                                                                   \
	X(SCENARIO_START_SERVER, "startServer")                                                    \
	X(SCENARIO_RESTART, "restart")                                                             \
	X(SCENARIO_RESTORE, "restore")                                                             \
	X(SCENARIO_PAUSE_STORE, "pauseStore")                                                      \
	X(SCENARIO_RESUME_STORE, "resumeStore")                                                    \
	X(SCENARIO_ROUTE, "route")                                                                 \
	X(SCENARIO_FAULT, "fault")                                                                 \
	X(SCENARIO_HEAL, "heal")                                                                   \
	X(SCENARIO_ADD_HANDLER, "addHandler")                                                      \
	X(SCENARIO_REMOVE_HANDLER, "removeHandler")

#define SCENARIO_VERB_ENUM(id, word) id,
enum scenario_verb { SCENARIO_VERBS(SCENARIO_VERB_ENUM) SCENARIO_VERB_COUNT };
#undef SCENARIO_VERB_ENUM
const char *scenario_verb_word(enum scenario_verb verb);

/* One action has one target: `start: [a, b]` and `create: pods/default/p1..9` are many actions in order. */
struct scenario_action {
	struct scenario_pos pos;
	enum scenario_verb verb;
	size_t informer; /* START, STOP, ADD_HANDLER, REMOVE_HANDLER, ROUTE: index */
	size_t handler;  /* ADD_HANDLER, REMOVE_HANDLER: index within that informer */
	struct scenario_object
		object; /* CREATE, UPDATE, PATCH: all of it; DELETE, TOUCH: only ref */
	const struct fakeapi_resource *resource; /* FORGET, LAG: only that one; NULL: all */
	uint64_t revision;                       /* COMPACT: 0 = the present one; RESTORE: to */
	uint64_t as; /* RESTORE: the store's revision afterwards; 0: the same */
	/* FORGET, LAG, STOP_SERVER, KILL, START_SERVER, RESTART: SCENARIO_NONE = all of them. ROUTE: where to,
	 * SCENARIO_NONE = as the balancer wants. Counted from 0 (from 1 in the file). */
	size_t replica;
	uint64_t lag_ns; /* LAG: SCENARIO_NEVER = frozen, 0 = none */
	/* FAULT: until_ns is relative to the moment of the fault. The name is never empty: the scenario's,
	 * or "fault1", "fault2", … in file order. */
	struct fakeapi_fault fault;
	struct base_str heal; /* HEAL: a fault's name; empty: all */
};

/* ---- Expectations ---- */

/* A time window relative to the step's start. */
struct scenario_window {
	uint64_t from_ns, to_ns; /* inclusive; to_ns SCENARIO_NEVER: no bound */
};

/* How many. */
struct scenario_range {
	uint64_t min, max; /* max UINT64_MAX: no bound */
};

enum scenario_value_kind {
	SCENARIO_VALUE_TEXT, /* exactly this text */
	SCENARIO_VALUE_LIST, /* $list: version of the last list answer or end bookmark delivered before */
	SCENARIO_VALUE_LAST, /* $last: version last delivered to the informer (list, event, bookmark) */
	SCENARIO_VALUE_TOKEN, /* $continue: the token of the page before */
	SCENARIO_VALUE_ANY,   /* *: present, whatever it is */
	SCENARIO_VALUE_NONE,  /* -: the parameter is not there */
};

struct scenario_param {
	struct base_str name; /* "resourceVersion", as in the query */
	enum scenario_value_kind kind;
	struct base_str text;
};

enum scenario_method { SCENARIO_LIST, SCENARIO_WATCH, SCENARIO_WATCH_LIST, SCENARIO_GET };
const char *scenario_method_word(enum scenario_method method); /* "WATCHLIST" */

/* What is expected once: a request, or a handler call. `group`: neighbours with the same number may come
 * in any order among themselves, groups follow each other in order. */
enum scenario_call { SCENARIO_ADD, SCENARIO_UPDATE_CALL, SCENARIO_DELETE_CALL };

/* `LIST pods resourceVersion=0 limit=500 @1s..2s`. WATCHLIST is a watch with sendInitialEvents=true.
 * Parameters named must be so; others must not be there, but for those every request of that method has:
 * watch, allowWatchBookmarks, timeoutSeconds, and for WATCHLIST sendInitialEvents and
 * resourceVersionMatch. `rest_any` (a `*` behind the parameters): others may be there. */
struct scenario_request {
	struct scenario_pos pos;
	struct base_str text; /* as written, for messages */
	uint32_t group;
	enum scenario_method method;
	const struct fakeapi_resource *resource;
	bool any_namespace;         /* nothing was said of a namespace: that of the informer(s) */
	struct base_str namespace_; /* `namespace=default` */
	const struct scenario_param *params;
	size_t param_count;
	bool rest_any;
	uint64_t server; /* `server=2`: which replica must have answered; 0: any */
	bool has_window;
	struct scenario_window window;
};

/* `update default/a unchanged`: unchanged = old and new have the same version, otherwise they must
 * differ. `add default/a initial`, `delete default/b tombstone`: without the word the flag must be off. */
struct scenario_handler_call {
	struct scenario_pos pos;
	struct base_str text;
	uint32_t group;
	enum scenario_call call;
	struct base_str key;
	bool initial, unchanged, tombstone;
	struct base_str rv; /* `rv=105`; empty: any */
	bool has_window;
	struct scenario_window window;
};

/* When a list is only for some variants: `requests: {watchList=on: […], watchList=off: […]}`. */
struct scenario_when {
	size_t dimension; /* index into scenario.dimensions; SCENARIO_NONE: always */
	size_t value;     /* index into that dimension's values */
};

struct scenario_requests {
	struct scenario_pos pos;
	struct scenario_when when;
	size_t informer; /* SCENARIO_NONE: of all informers together */
	/* Only how many (`requests: 3`, `lists: 1..2`): items empty, count says. */
	bool is_count;
	struct scenario_range count;
	/* For counts: which ones. False for all: all of them. */
	bool only_lists, only_watches;
	const struct scenario_request *items; /* complete */
	size_t item_count;
};

struct scenario_calls {
	struct scenario_pos pos;
	struct scenario_when when;
	size_t informer, handler;
	bool is_count;
	struct scenario_range count;
	const struct scenario_handler_call *items; /* complete */
	size_t item_count;
};

struct scenario_synced {
	struct scenario_pos pos;
	size_t informer;
	size_t handler; /* SCENARIO_NONE: the informer itself */
	bool want; /* at the end of the expectation's window; false: at no moment up to there */
	bool has_window; /* it flips inside the step, then: `synced: 1s..2s` */
	struct scenario_window window;
};

enum scenario_cache_kind {
	SCENARIO_CACHE_EQUALS_CLUSTER, /* `cache: equals cluster`: keys, uids and versions, filtered */
	SCENARIO_CACHE_KEYS,           /* `cache: [default/a]`: exactly these */
	SCENARIO_CACHE_COUNT,          /* `cache: 3` */
};

/* At the end of the expectation's window. */
struct scenario_cache {
	struct scenario_pos pos;
	struct scenario_when when;
	size_t informer;
	enum scenario_cache_kind kind;
	const struct base_str *keys;
	size_t key_count;
	struct scenario_range count;
};

/* `rv: 105`, `rv: $list`: LastSyncResourceVersion at the end of the window. */
struct scenario_last_rv {
	struct scenario_pos pos;
	size_t informer;
	struct scenario_param value;
};

/* `errors: [Expired]`, `errors: 2`: calls of the watch error handler, by class (complete, in order). */
struct scenario_errors {
	struct scenario_pos pos;
	size_t informer;
	bool is_count;
	struct scenario_range count;
	const struct base_str *classes;
	size_t class_count;
};

struct scenario_stopped {
	struct scenario_pos pos;
	size_t informer;
	bool want;
};

/* No request and no handler call: from the step's time until a time counted from there; SCENARIO_NEVER: in
 * the whole window. */
struct scenario_nothing {
	struct scenario_pos pos;
	size_t informer; /* SCENARIO_NONE: of no informer */
	uint64_t until_ns;
};

struct scenario_expect {
	struct scenario_pos pos; /* line 0: nothing is expected here */
	bool has_within;
	/* `within: a..b`: what is listed happens inside, and nothing of the same stream elsewhere in the
	 * step's window before b; without it the window is the step's own, [at, next at). */
	struct scenario_window within;
	const struct scenario_requests *requests;
	size_t requests_count;
	const struct scenario_calls *calls;
	size_t calls_count;
	const struct scenario_synced *synced;
	size_t synced_count;
	const struct scenario_cache *caches;
	size_t cache_count;
	const struct scenario_last_rv *rvs;
	size_t rv_count;
	const struct scenario_errors *errors;
	size_t errors_count;
	const struct scenario_stopped *stopped;
	size_t stopped_count;
	const struct scenario_nothing *nothings;
	size_t nothing_count;
};

struct scenario_step {
	struct scenario_pos pos;
	struct base_str note; /* `note:` a line for people, may be empty */
	uint64_t at_ns;       /* absolute; `after:` is counted from the step before */
	const struct scenario_action *actions;
	size_t action_count;
	const struct scenario_action
		*meanwhile; /* at once after the actions, before the client's next move */
	size_t meanwhile_count;
	uint64_t repeat_times;    /* 1: once. All actions, then meanwhile, each time */
	uint64_t repeat_every_ns; /* the i-th time is at at_ns + i * every */
	struct scenario_expect expect;
};

/* ---- The rest ---- */

/* At most (gap: at least). UINT64_MAX (gap: 0): not said. Over the whole run, all informers together. */
struct scenario_budget {
	struct scenario_pos pos;
	uint64_t requests, lists, watches;
	uint64_t bytes;  /* body bytes delivered */
	uint64_t gap_ns; /* between the end of a request and the next one of the same informer */
};

struct scenario_break {
	struct scenario_pos pos;
	struct base_str id; /* "I9" */
	struct base_str reason;
};

/* name, word in the file */
#define SCENARIO_DIMENSIONS(X)                                                                     \
	X(SCENARIO_DIM_WATCH_LIST, "watchList")                                                    \
	X(SCENARIO_DIM_GATES, "gates")                                                             \
	X(SCENARIO_DIM_PAGE_SIZE, "pageSize")                                                      \
	X(SCENARIO_DIM_VERSION, "version")                                                         \
	X(SCENARIO_DIM_FLAVOUR, "flavour")

#define SCENARIO_DIM_ENUM(id, word) id,
enum scenario_dimension_kind { SCENARIO_DIMENSIONS(SCENARIO_DIM_ENUM) SCENARIO_DIM_COUNT };
#undef SCENARIO_DIM_ENUM

struct scenario_dimension_value {
	struct scenario_pos pos;
	struct base_str text; /* "on", "AtomicFIFO=false", "2", "1.33" */
	bool on;              /* WATCH_LIST */
	uint64_t number;      /* PAGE_SIZE; FLAVOUR: enum subject_flavour */
	/* GATES: -1 not named, 0 off, 1 on */
	int8_t gates[SUBJECT_GATE_COUNT];
};

struct scenario_dimension {
	struct scenario_pos pos;
	enum scenario_dimension_kind kind;
	const struct scenario_dimension_value *values;
	size_t value_count;
};

struct scenario {
	const struct base_str
		*files; /* paths as given; 0 is the scenario itself, then included ones */
	size_t file_count;
	struct scenario_pos title_pos;
	struct base_str title;
	const struct base_str *covers;
	size_t cover_count;
	bool has_seed;
	uint64_t seed;
	enum scenario_jitter jitter;
	uint32_t jitter_permille; /* FIXED: 500 unless said otherwise */
	enum scenario_order order;
	uint64_t latency_ns; /* each way; default 1 ms */
	struct scenario_server server;
	/* Built-ins and what `cluster: resources:` declares; customs are in resources.custom[]. */
	struct fakeapi_resources resources;
	const struct fakeapi_custom *customs; /* in file order, for fakeapi_add_resource */
	size_t custom_count;
	const struct scenario_object *objects; /* the cluster before time 0, in file order */
	size_t object_count;
	const struct scenario_informer *informers;
	size_t informer_count;
	const struct scenario_dimension *dimensions;
	size_t dimension_count;
	const struct scenario_step *steps;
	size_t step_count;
	/* The run ends at end_ns: the last step (its repeats and its within) plus finally's within, or plus
	 * 90 s. Inclusive. */
	uint64_t end_ns;
	struct scenario_expect
		finally; /* its window is the last one of the run: [last step, end] */
	struct scenario_budget budget;
	const struct scenario_break *breaks;
	size_t break_count;
	void *private_; /* the arena */
};

/* One run of a scenario. */
struct scenario_variant {
	const struct scenario *scenario;
	struct base_str name; /* "" or "watchList=on,pageSize=2" */
	const size_t *choice; /* per dimension: index of its value */
	struct base_str version;
	const struct scenario_informer *informers; /* with the dimensions' values applied */
	size_t informer_count;
};

struct scenario_variants {
	const struct scenario_variant *items;
	size_t count;
	void *private_;
};

/* ---- Diagnostics ---- */

enum scenario_level { SCENARIO_ERROR, SCENARIO_WARNING };

struct scenario_diagnostic {
	enum scenario_level level;
	struct base_str path;
	uint32_t line, column;  /* 0: the whole file */
	uint32_t width;         /* columns under the caret */
	struct base_str text;   /* "unknown key \"handler\"" */
	struct base_str hint;   /* what would be right; may be empty */
	struct base_str source; /* the line itself */
};

struct scenario_diagnostics {
	const struct scenario_diagnostic *items; /* by file and place */
	size_t count, error_count;
	void *private_;
};

void scenario_diagnostics_init(struct scenario_diagnostics *diags);
void scenario_diagnostics_release(struct scenario_diagnostics *diags);
/* As a compiler writes them: "file:line:column: error: text", the line, a caret, "hint". */
void scenario_diagnostics_print(const struct scenario_diagnostics *diags, struct base_buf *out);

/* ---- Calls ---- */

/* Reads the file and everything it names. BASE_EINVAL: errors are in diags (appended), *out is NULL.
 * Warnings alone do not fail. Paths inside a file are relative to that file. */
enum base_code scenario_load(const char *path, struct scenario **out,
			     struct scenario_diagnostics *diags);
/* The same with the text at hand; path is for messages and relative names. */
enum base_code scenario_load_text(const char *path, struct base_str text, struct scenario **out,
				  struct scenario_diagnostics *diags);
/* The same for steps that are done to a cluster which lives already: objects and faults that the text does not
 * know of may be there. */
enum base_code scenario_load_open(const char *path, struct base_str text, struct scenario **out,
				  struct scenario_diagnostics *diags);
void scenario_free(struct scenario *scenario); /* NULL is allowed */
/* Loads and adds what is legal but surely not meant (expectations that cannot fire, names nobody uses). */
enum base_code scenario_lint(const char *path, struct scenario_diagnostics *diags);
/* All combinations of the dimensions, the last one moving fastest; one variant when there is none. */
void scenario_expand(const struct scenario *scenario, struct scenario_variants *variants);
void scenario_variants_release(struct scenario_variants *variants);
/* Whether something marked so counts in this variant. */
bool scenario_applies(const struct scenario_variant *variant, struct scenario_when when);

/* The file in the one form: two blanks of indentation, keys in the table's order, comments kept with what
 * they stand above or beside. BASE_EINVAL with diags when it is no YAML. */
enum base_code scenario_format(const char *path, struct base_str text, struct base_buf *out,
			       struct scenario_diagnostics *diags);
/* JSON Schema (2020-12) of scenario files. */
void scenario_schema(struct base_buf *out);
/* The reference of all keys as Markdown. */
void scenario_reference(struct base_buf *out);

/* Step windows: [at, next at), the last one up to and with end_ns. */
void scenario_step_window(const struct scenario *scenario, size_t step, uint64_t *from_ns,
			  uint64_t *to_ns);

#endif
