/* The table of the language. */
#include "sim/scenario/keys.h"

#define TEXT SCENARIO_F_TEXT
#define INTEGER SCENARIO_F_INTEGER
#define BOOL SCENARIO_F_BOOL
#define DURATION SCENARIO_F_DURATION
#define SIZE SCENARIO_F_SIZE
#define RANGE SCENARIO_F_RANGE
#define WINDOW SCENARIO_F_WINDOW
#define WORD SCENARIO_F_WORD
#define EMPTY SCENARIO_F_EMPTY
#define LIST SCENARIO_F_LIST
#define SET SCENARIO_F_SET
#define MAP SCENARIO_F_MAP
#define NAMED SCENARIO_F_NAMED
#define ANY SCENARIO_F_ANY
#define NONE SCENARIO_SEC_NONE

#define GATE_WORD(id, word, on) word " "
#define GATE_WORDS SUBJECT_GATES(GATE_WORD)
#define FAULT_WORD(id, word, counts) word " "
#define FAULT_WORDS FAKEAPI_FAULT_KINDS(FAULT_WORD)
#define FLAVOURS "typed dynamic metadata"

/* Verbs may stand in a step and in an action: the rows are written once. */
#define VERB_ROWS(S)                                                                                                     \
	{S,    "start", TEXT | LIST,                                                                                     \
	 TEXT, NONE,    false,                                                                                           \
	 NULL, NULL,    "Start an informer by name, several, or `all`."},                                                \
		{S,    "stop", TEXT | LIST,                                                                              \
		 TEXT, NONE,   false,                                                                                    \
		 NULL, NULL,   "Stop an informer by name, several, or `all`."},                                          \
		{S,                                                                                                      \
		 "create",                                                                                               \
		 TEXT | LIST | NAMED,                                                                                    \
		 TEXT | NAMED | ANY,                                                                                     \
		 NONE,                                                                                                   \
		 false,                                                                                                  \
		 NULL,                                                                                                   \
		 NULL,                                                                                                   \
		 "Create an object: `pods/default/a`, several, `pods/default/p1..9`, or with content "                   \
		 "`{pods/default/a: {labels: {app: web}}}`."},                                                           \
		{S,                                                                                                      \
		 "update",                                                                                               \
		 NAMED | LIST,                                                                                           \
		 NAMED | ANY,                                                                                            \
		 NONE,                                                                                                   \
		 false,                                                                                                  \
		 NULL,                                                                                                   \
		 NULL,                                                                                                   \
		 "Replace an object (PUT): `{pods/default/a: {labels: {app: web}}}`."},                                  \
		{S,                                                                                                      \
		 "patch",                                                                                                \
		 NAMED | LIST,                                                                                           \
		 NAMED | ANY,                                                                                            \
		 NONE,                                                                                                   \
		 false,                                                                                                  \
		 NULL,                                                                                                   \
		 NULL,                                                                                                   \
		 "Change a part of an object (merge patch): `{pods/default/a: {labels: {app: null}}}`."},                \
		{S,    "delete", TEXT | LIST,                                                                            \
		 TEXT, NONE,     false,                                                                                  \
		 NULL, NULL,     "Delete an object or several."},                                                        \
		{S,    "touch", TEXT | LIST,                                                                             \
		 TEXT, NONE,    false,                                                                                   \
		 NULL, NULL,    "An update that moves the version and little else."},                                    \
		{S,                                                                                                      \
		 "compact",                                                                                              \
		 WORD | INTEGER,                                                                                         \
		 0,                                                                                                      \
		 NONE,                                                                                                   \
		 false,                                                                                                  \
		 "now",                                                                                                  \
		 NULL,                                                                                                   \
		 "The store forgets all revisions below the present one (or below that number)."},                       \
		{S,                                                                                                      \
		 "forget",                                                                                               \
		 WORD | TEXT | LIST | MAP,                                                                               \
		 TEXT,                                                                                                   \
		 SCENARIO_SEC_FORGET,                                                                                    \
		 false,                                                                                                  \
		 "all",                                                                                                  \
		 NULL,                                                                                                   \
		 "The watch cache of a resource (or of `all`) drops its window: older versions get 410."},               \
		{S,                                                                                                      \
		 "lag",                                                                                                  \
		 DURATION | WORD | MAP,                                                                                  \
		 0,                                                                                                      \
		 SCENARIO_SEC_LAG,                                                                                       \
		 false,                                                                                                  \
		 "off frozen",                                                                                           \
		 NULL,                                                                                                   \
		 "Watch caches see changes that much later from now on."},                                               \
		{S,                                                                                                      \
		 "stopServer",                                                                                           \
		 WORD | INTEGER | EMPTY,                                                                                 \
		 0,                                                                                                      \
		 NONE,                                                                                                   \
		 false,                                                                                                  \
		 "server",                                                                                               \
		 NULL,                                                                                                   \
		 "New connections are refused; open watches end cleanly 60 s later. A number: one of several servers."}, \
		{S,        "kill", WORD | INTEGER | EMPTY,                                                               \
		 0,        NONE,   false,                                                                                \
		 "server", NULL,   "All connections are cut; new ones are refused."},                                    \
		{S,                                                                                                      \
		 "startServer",                                                                                          \
		 WORD | INTEGER | EMPTY,                                                                                 \
		 0,                                                                                                      \
		 NONE,                                                                                                   \
		 false,                                                                                                  \
		 "server",                                                                                               \
		 NULL,                                                                                                   \
		 "Up again, with fresh watch caches at the store's present version."},                                   \
		{S,        "restart", WORD | INTEGER | EMPTY,                                                            \
		 0,        NONE,      false,                                                                             \
		 "server", NULL,      "`kill` and `startServer` in one instant."},                                       \
		{S,                                                                                                      \
		 "pauseStore",                                                                                           \
		 WORD | EMPTY,                                                                                           \
		 0,                                                                                                      \
		 NONE,                                                                                                   \
		 false,                                                                                                  \
		 "now",                                                                                                  \
		 NULL,                                                                                                   \
		 "The store answers no server: caches go on with what they know, the rest waits."},                      \
		{S,     "resumeStore", WORD | EMPTY,                                                                     \
		 0,     NONE,          false,                                                                            \
		 "now", NULL,          "The store answers again."},                                                      \
		{S,                                                                                                      \
		 "restore",                                                                                              \
		 INTEGER | MAP,                                                                                          \
		 0,                                                                                                      \
		 SCENARIO_SEC_RESTORE,                                                                                   \
		 false,                                                                                                  \
		 NULL,                                                                                                   \
		 NULL,                                                                                                   \
		 "The store goes back to its state at a revision, and the API servers start again."},                    \
		{S,                                                                                                      \
		 "route",                                                                                                \
		 MAP,                                                                                                    \
		 0,                                                                                                      \
		 SCENARIO_SEC_ROUTE,                                                                                     \
		 false,                                                                                                  \
		 NULL,                                                                                                   \
		 NULL,                                                                                                   \
		 "Move an informer's connections to one of several API servers; open ones end with their answer."},      \
		{S,                                                                                                      \
		 "fault",                                                                                                \
		 MAP | LIST,                                                                                             \
		 MAP,                                                                                                    \
		 SCENARIO_SEC_FAULT,                                                                                     \
		 false,                                                                                                  \
		 NULL,                                                                                                   \
		 NULL,                                                                                                   \
		 "Scripted trouble from now on."},                                                                       \
		{S, "heal", TEXT, 0, NONE, false, NULL, NULL, "End a fault by name, or `all`."},                         \
		{S,                                                                                                      \
		 "addHandler",                                                                                           \
		 TEXT | MAP,                                                                                             \
		 0,                                                                                                      \
		 SCENARIO_SEC_HANDLER_OF,                                                                                \
		 false,                                                                                                  \
		 NULL,                                                                                                   \
		 NULL,                                                                                                   \
		 "Add a handler to an informer."},                                                                       \
	{                                                                                                                \
		S, "removeHandler", TEXT | MAP, 0, SCENARIO_SEC_HANDLER_OF, false, NULL, NULL,                           \
			"Remove a handler from an informer."                                                             \
	}

#define FAULT_NUMBER_ROWS(S)                                                                        \
	{S,    "afterBytes", SIZE,                                                                  \
	 0,    NONE,         false,                                                                 \
	 NULL, "0",          "Let that many bytes of the body through first."},                     \
		{S,    "afterEvents", INTEGER,                                                      \
		 0,    NONE,          false,                                                        \
		 NULL, "0",           "Let that many lines of the watch through first."},           \
		{S, "bytes", SIZE, 0, NONE, false, NULL, "1", "drip, split: the size of a piece."}, \
	{                                                                                           \
		S, "every", DURATION, 0, NONE, false, NULL, "1s", "drip: the time between pieces."  \
	}

#define CODE_WORD(word, number) #word " "

#define FAULT_CODE_ROW(S)                                                                          \
	{                                                                                          \
		S, "code", WORD, 0, NONE, false, FAKEAPI_H2_CODES(CODE_WORD), NULL,                \
			"rstStream (INTERNAL_ERROR) and goaway (NO_ERROR): the code of the frame." \
	}

#define FAULT_STATUS_ROWS(S)                                                                       \
	{S,                                                                                        \
	 "retryAfter",                                                                             \
	 DURATION,                                                                                 \
	 0,                                                                                        \
	 NONE,                                                                                     \
	 false,                                                                                    \
	 NULL,                                                                                     \
	 NULL,                                                                                     \
	 "Of an answer with a status: the Retry-After header, in whole seconds."},                 \
		{S,                                                                                \
		 "body",                                                                           \
		 WORD,                                                                             \
		 0,                                                                                \
		 NONE,                                                                             \
		 false,                                                                            \
		 "status none text",                                                               \
		 "status",                                                                         \
		 "Of an answer with a status: a Status object, nothing, or plain text."},          \
	{                                                                                          \
		S, "message", TEXT, 0, NONE, false, NULL, NULL,                                    \
			"Of the Status, instead of the usual one."                                 \
	}

#define FAULT_TARGET(word, doc)                                                                    \
	{                                                                                          \
		SCENARIO_SEC_FAULT, word, INTEGER | WORD | MAP, 0, SCENARIO_SEC_FAULT_KIND, false, \
			FAULT_WORDS, NULL, doc                                                     \
	}

#define FAULT_KIND(word, doc)                                                                      \
	{                                                                                          \
		SCENARIO_SEC_FAULT_KIND, word, EMPTY | MAP, 0, SCENARIO_SEC_FAULT_NUMBERS, false,  \
			NULL, NULL, doc                                                            \
	}

static const struct scenario_key table[] = {
	{SCENARIO_SEC_TOP, "relist", INTEGER, 0, NONE, false, NULL, "1",
	 "Version of the scenario format."},
	{SCENARIO_SEC_TOP, "scenario", TEXT, 0, NONE, true, NULL, NULL,
	 "The guarantee in one line: what is true of a client that passes."},
	{SCENARIO_SEC_TOP, "note", TEXT, 0, NONE, false, NULL, NULL, "For people; not read."},
	{SCENARIO_SEC_TOP, "covers", TEXT | LIST, TEXT, NONE, false, NULL, NULL,
	 "Ids of rules, catalogue cases and reports that this file is about."},
	{SCENARIO_SEC_TOP, "include", TEXT | LIST, TEXT, NONE, false, NULL, NULL,
	 "Files with shared parts (everything but `scenario`, `steps` and `finally`), relative to this "
	 "one. What this file says itself wins; objects and informers add up."},
	{SCENARIO_SEC_TOP, "seed", INTEGER, 0, NONE, false, NULL, NULL,
	 "Seed of all random choices, unless the command line has one."},
	{SCENARIO_SEC_TOP, "jitter", WORD | TEXT, 0, NONE, false, "fixed random", "fixed",
	 "Every random draw of the client: `fixed` (0.5), a number from 0 to 0.999, or `random`."},
	{SCENARIO_SEC_TOP, "order", WORD, 0, NONE, false, "sorted seeded", "sorted",
	 "Where client-go leaves an order to chance: by key, or drawn from the seed."},
	{SCENARIO_SEC_TOP, "network", MAP, 0, SCENARIO_SEC_NETWORK, false, NULL, NULL,
	 "Between client and server."},
	{SCENARIO_SEC_TOP, "server", MAP, 0, SCENARIO_SEC_SERVER, false, NULL, NULL,
	 "What the server is like."},
	{SCENARIO_SEC_TOP, "cluster", MAP, 0, SCENARIO_SEC_CLUSTER, false, NULL, NULL,
	 "What exists before time 0."},
	{SCENARIO_SEC_TOP, "informer", MAP, 0, SCENARIO_SEC_INFORMER, false, NULL, NULL,
	 "The informer, when there is one; its name is `informer`."},
	{SCENARIO_SEC_TOP, "informers", NAMED, MAP, SCENARIO_SEC_INFORMER, false, NULL, NULL,
	 "Several informers by name."},
	{SCENARIO_SEC_TOP, "dimensions", MAP, 0, SCENARIO_SEC_DIMENSIONS, false, NULL, NULL,
	 "Run every combination of these values instead of writing copies."},
	{SCENARIO_SEC_TOP, "steps", LIST, MAP, SCENARIO_SEC_STEP, true, NULL, NULL,
	 "What happens when, and what must follow."},
	{SCENARIO_SEC_TOP, "finally", MAP, 0, SCENARIO_SEC_EXPECT, false, NULL, NULL,
	 "What must be true at the end; `within` says how long the run goes on after the last step."},
	{SCENARIO_SEC_TOP, "budget", MAP, 0, SCENARIO_SEC_BUDGET, false, NULL, NULL,
	 "Bounds for the whole run."},
	{SCENARIO_SEC_TOP, "breaks", NAMED, TEXT, NONE, false, NULL, NULL,
	 "Invariants that client-go itself breaks here, each with the reason and rule id: "
	 "`{I9: \"reason (R-5)\"}`. It must happen."},

	{SCENARIO_SEC_NETWORK, "latency", DURATION, 0, NONE, false, NULL, "1ms", "Each way."},

	{SCENARIO_SEC_SERVER, "version", TEXT, 0, NONE, false, NULL, "1.36",
	 "The Kubernetes minor whose behaviour is shown."},
	{SCENARIO_SEC_SERVER, "firstRevision", INTEGER, 0, NONE, false, NULL, "100",
	 "The store's revision before the first write."},
	{SCENARIO_SEC_SERVER, "bookmarkEvery", DURATION, 0, NONE, false, NULL, "60s",
	 "How often watches get a bookmark."},
	{SCENARIO_SEC_SERVER, "watchCacheSize", INTEGER, 0, NONE, false, NULL, NULL,
	 "Events a watch cache keeps; older versions get 410."},
	{SCENARIO_SEC_SERVER, "lag", DURATION | WORD, 0, NONE, false, "off frozen", "off",
	 "How far watch caches are behind the store from the start."},
	{SCENARIO_SEC_SERVER, "progress", DURATION | WORD, 0, NONE, false, "off", "5s",
	 "How often the cache of an idle resource learns the store's version."},
	{SCENARIO_SEC_SERVER, "compactionNoticed", DURATION, 0, NONE, false, NULL, "15s",
	 "How long until a server with snapshots notices that the store was compacted."},
	{SCENARIO_SEC_SERVER, "watchMax", DURATION, 0, NONE, false, NULL, NULL,
	 "Watches are ended after that long, whatever the client asked for."},
	{SCENARIO_SEC_SERVER, "readerBuffer", SIZE, 0, NONE, false, NULL, "4MiB",
	 "Bytes of a watch that wait unread before events queue up and its stream is ended."},
	{SCENARIO_SEC_SERVER, "replicas", INTEGER, 0, NONE, false, NULL, "1",
	 "How many API servers stand before the store, each with its own watch caches."},
	{SCENARIO_SEC_SERVER, "balance", WORD, 0, NONE, false, "round sticky client", "round",
	 "Which of them a new connection meets: in turn, always the same while it is up, or each "
	 "client its own."},
	{SCENARIO_SEC_SERVER, "compaction", DURATION | WORD, 0, NONE, false, "off", "off",
	 "How often the servers compact the store by themselves (real ones: 5m)."},
	{SCENARIO_SEC_SERVER, "watchList", BOOL, 0, NONE, false, NULL, "true",
	 "Whether `sendInitialEvents` is served."},
	{SCENARIO_SEC_SERVER, "types", BOOL, 0, NONE, false, NULL, "false",
	 "Built-in kinds are held to their types: defaults are set, unknown fields dropped, wrong "
	 "values refused. What the scenario writes must then be whole."},
	{SCENARIO_SEC_SERVER, "managedFields", BOOL, 0, NONE, false, NULL, "false",
	 "Objects carry `metadata.managedFields`."},

	{SCENARIO_SEC_CLUSTER, "resources", LIST, MAP, SCENARIO_SEC_RESOURCE, false, NULL, NULL,
	 "Custom resources."},
	{SCENARIO_SEC_CLUSTER, "objects", NAMED | LIST, LIST | TEXT | ANY, NONE, false, NULL, NULL,
	 "Objects by resource, short (`pods: [default/a, default/p1..9]`), with content "
	 "(`pods: [{name: default/a, labels: {app: web}}]`), or a list of full objects."},
	{SCENARIO_SEC_CLUSTER, "files", TEXT | LIST, TEXT, NONE, false, NULL, NULL,
	 "Files with objects as `kubectl get -o json` or `-o yaml` prints them."},
	{SCENARIO_SEC_CLUSTER, "*", LIST | TEXT, TEXT | ANY, NONE, false, NULL, NULL,
	 "A resource: the same as under `objects`."},

	{SCENARIO_SEC_RESOURCE, "group", TEXT, 0, NONE, true, NULL, NULL, "`example.com`"},
	{SCENARIO_SEC_RESOURCE, "version", TEXT, 0, NONE, false, NULL, "v1", "Its version."},
	{SCENARIO_SEC_RESOURCE, "resource", TEXT, 0, NONE, true, NULL, NULL,
	 "The plural: `widgets`."},
	{SCENARIO_SEC_RESOURCE, "kind", TEXT, 0, NONE, true, NULL, NULL, "`Widget`"},
	{SCENARIO_SEC_RESOURCE, "namespaced", BOOL, 0, NONE, false, NULL, "true",
	 "Whether its objects live in namespaces."},
	{SCENARIO_SEC_RESOURCE, "status", BOOL, 0, NONE, false, NULL, "false",
	 "Whether it has a status subresource."},
	{SCENARIO_SEC_RESOURCE, "selectableFields", TEXT | LIST, TEXT, NONE, false, NULL, NULL,
	 "Fields for field selectors: `spec.color`."},

	{SCENARIO_SEC_INFORMER, "resource", TEXT, 0, NONE, true, NULL, NULL,
	 "What it watches: `pods`, `deployments.apps`."},
	{SCENARIO_SEC_INFORMER, "namespace", TEXT, 0, NONE, false, NULL, NULL,
	 "Only that namespace; all without it."},
	{SCENARIO_SEC_INFORMER, "labelSelector", TEXT, 0, NONE, false, NULL, NULL, "`app=web`"},
	{SCENARIO_SEC_INFORMER, "fieldSelector", TEXT, 0, NONE, false, NULL, NULL,
	 "`spec.nodeName=n1`"},
	{SCENARIO_SEC_INFORMER, "flavour", WORD, 0, NONE, false, FLAVOURS, "typed",
	 "The kind of client below it."},
	{SCENARIO_SEC_INFORMER, "watchList", BOOL, 0, NONE, false, NULL, "true",
	 "Short for the gate WatchListClient."},
	{SCENARIO_SEC_INFORMER, "pageSize", INTEGER, 0, NONE, false, NULL, "0",
	 "WatchListPageSize; 0 leaves it to the client (500)."},
	{SCENARIO_SEC_INFORMER, "resync", DURATION, 0, NONE, false, NULL, "0",
	 "The default resync period; 0: none."},
	{SCENARIO_SEC_INFORMER, "gates", NAMED | LIST, BOOL | TEXT, NONE, false, NULL, NULL,
	 "Feature gates: `{AtomicFIFO: false}`."},
	{SCENARIO_SEC_INFORMER, "transform", WORD | MAP | LIST, WORD | MAP, SCENARIO_SEC_TRANSFORM,
	 false, "dropManagedFields dropData", NULL, "What is done to objects on their way in."},
	{SCENARIO_SEC_INFORMER, "indexes", WORD | LIST, WORD, NONE, false, "namespace", NULL,
	 "Ready-made indexes."},
	{SCENARIO_SEC_INFORMER, "handlers", LIST | TEXT, TEXT | MAP, SCENARIO_SEC_HANDLER, false,
	 NULL, NULL, "Handlers, added in this order before the start: `[h]`."},

	{SCENARIO_SEC_TRANSFORM, "failOn", TEXT, 0, NONE, false, NULL, NULL,
	 "The transform fails for the object of that key: `default/a`."},

	{SCENARIO_SEC_HANDLER, "name", TEXT, 0, NONE, true, NULL, NULL,
	 "How expectations call it."},
	{SCENARIO_SEC_HANDLER, "resync", DURATION, 0, NONE, false, NULL, NULL,
	 "Its own resync period; 0: never. Without it: the informer's."},
	{SCENARIO_SEC_HANDLER, "slow", DURATION, 0, NONE, false, NULL, "0",
	 "Each call takes that long."},

	{SCENARIO_SEC_DIMENSIONS, "watchList", LIST, BOOL, NONE, false, NULL, NULL,
	 "For all informers: `[on, off]`."},
	{SCENARIO_SEC_DIMENSIONS, "gates", LIST, NAMED | TEXT, NONE, false, NULL, NULL,
	 "For all informers: `[{}, {AtomicFIFO: false}]`."},
	{SCENARIO_SEC_DIMENSIONS, "pageSize", LIST, INTEGER, NONE, false, NULL, NULL,
	 "For all informers: `[0, 2]`."},
	{SCENARIO_SEC_DIMENSIONS, "version", LIST, TEXT, NONE, false, NULL, NULL,
	 "Of the server: `[\"1.33\", \"1.36\"]`."},
	{SCENARIO_SEC_DIMENSIONS, "flavour", LIST, WORD, NONE, false, FLAVOURS, NULL,
	 "For all informers."},

	{SCENARIO_SEC_STEP, "at", DURATION, 0, NONE, false, NULL, NULL,
	 "When, from the beginning. Without `at` and `after`: with the step before, at its time."},
	{SCENARIO_SEC_STEP, "after", DURATION, 0, NONE, false, NULL, NULL,
	 "When, from the step before."},
	{SCENARIO_SEC_STEP, "note", TEXT, 0, NONE, false, NULL, NULL, "For people; not read."},
	{SCENARIO_SEC_STEP, "actions", LIST, MAP, SCENARIO_SEC_ACTION, false, NULL, NULL,
	 "Several actions in order."},
	VERB_ROWS(SCENARIO_SEC_STEP),
	{SCENARIO_SEC_STEP, "meanwhile", LIST, MAP, SCENARIO_SEC_ACTION, false, NULL, NULL,
	 "Actions at once after those of the step, before the client can do anything."},
	{SCENARIO_SEC_STEP, "repeat", MAP, 0, SCENARIO_SEC_REPEAT, false, NULL, NULL,
	 "Do the actions several times."},
	{SCENARIO_SEC_STEP, "expect", MAP, 0, SCENARIO_SEC_EXPECT, false, NULL, NULL,
	 "What must be seen from this step to the next."},

	VERB_ROWS(SCENARIO_SEC_ACTION),

	{SCENARIO_SEC_REPEAT, "times", INTEGER, 0, NONE, true, NULL, NULL, "How often in all."},
	{SCENARIO_SEC_REPEAT, "every", DURATION, 0, NONE, true, NULL, NULL, "The time between."},

	FAULT_TARGET("list", "LIST requests to come."),
	FAULT_TARGET("watch",
		     "Watches that are open now; a status is an ERROR event in the stream."),
	FAULT_TARGET("watchOpen", "Watch requests to come."),
	FAULT_TARGET("watchlist", "Watch requests to come that ask for initial events."),
	FAULT_TARGET("get", "GETs of one object to come."),
	FAULT_TARGET("write", "Writes to come."),
	FAULT_TARGET("any", "Every request to come."),
	{SCENARIO_SEC_FAULT, "name", TEXT, 0, NONE, false, NULL, NULL, "For `heal`."},
	{SCENARIO_SEC_FAULT, "times", INTEGER | WORD, 0, NONE, false, "always", "1",
	 "How many requests it may touch."},
	{SCENARIO_SEC_FAULT, "for", DURATION, 0, NONE, false, NULL, NULL,
	 "Heals by itself after that long; it may then touch any number of requests."},
	{SCENARIO_SEC_FAULT, "informer", TEXT, 0, NONE, false, NULL, NULL, "Only that informer's."},
	{SCENARIO_SEC_FAULT, "resource", TEXT, 0, NONE, false, NULL, NULL,
	 "Only for that resource."},
	{SCENARIO_SEC_FAULT, "namespace", TEXT, 0, NONE, false, NULL, NULL,
	 "Only for that namespace in the path."},
	FAULT_STATUS_ROWS(SCENARIO_SEC_FAULT),
	FAULT_NUMBER_ROWS(SCENARIO_SEC_FAULT),
	FAULT_CODE_ROW(SCENARIO_SEC_FAULT),

	{SCENARIO_SEC_FAULT_KIND, "status", INTEGER, 0, NONE, false, NULL, NULL,
	 "An answer with that status (410, 429, 500, …) instead of the real one."},
	FAULT_STATUS_ROWS(SCENARIO_SEC_FAULT_KIND),
	FAULT_KIND("refuse", "Connection refused."),
	FAULT_KIND("reset", "The connection is reset."),
	FAULT_KIND("eof", "The connection is closed before a response head."),
	FAULT_KIND("close", "A clean end."),
	FAULT_KIND("cut", "The connection is closed in the middle."),
	FAULT_KIND(
		"rstStream",
		"RST_STREAM of HTTP/2: the answer ends with an error, the connection lives. A request that is "
		"refused (`code: REFUSED_STREAM`) is sent again by the client's transport. Over HTTP/1.1: "
		"`reset`."),
	FAULT_KIND(
		"goaway",
		"GOAWAY of HTTP/2: what is open goes on, what comes next takes a new connection (HTTP/1.1: "
		"`Connection: close`). With another code than NO_ERROR the connection ends at once."),
	FAULT_KIND("stall", "Nothing more flows until healed; the connection stays."),
	FAULT_KIND("halfOpen", "The peer is gone: nothing ever comes again, nothing is heard."),
	FAULT_KIND("drip", "A few bytes at a time."),
	FAULT_KIND("split", "All bytes at one instant, in small pieces."),
	FAULT_KIND("truncate", "Half a line, then a clean end."),
	FAULT_KIND("corrupt", "A byte is garbled."),
	{SCENARIO_SEC_FAULT_KIND, "contentType", TEXT, 0, NONE, false, NULL, NULL,
	 "Another Content-Type header."},
	FAULT_KIND("noEndBookmark", "The bookmark that ends initial events never comes."),
	FAULT_KIND("noBookmarks", "No bookmark ever comes."),
	FAULT_KIND("frozenBookmarks", "Every bookmark repeats the version of the first."),
	{SCENARIO_SEC_FAULT_KIND, "undecodable", TEXT, 0, NONE, false, NULL, NULL,
	 "The object of that key (`default/a`) cannot be decoded wherever it appears."},
	{SCENARIO_SEC_FAULT_KIND, "skip", EMPTY | TEXT, 0, NONE, false, NULL, NULL,
	 "Events (of the object of that key) never come, bookmarks do."},
	{SCENARIO_SEC_FAULT_KIND, "repeat", EMPTY | TEXT, 0, NONE, false, NULL, NULL,
	 "Events (of the object of that key) come twice."},
	{SCENARIO_SEC_FAULT_KIND, "oldDelete", EMPTY | TEXT, 0, NONE, false, NULL, NULL,
	 "A deletion shows the version of the last change instead of its own."},
	{SCENARIO_SEC_FAULT_KIND, "noVersion", EMPTY | TEXT, 0, NONE, false, NULL, NULL,
	 "The version of a list, or of events' objects, is empty."},
	FAULT_KIND("unchunked",
		   "The watch's answer has no framing; the end of the connection ends it."),
	FAULT_NUMBER_ROWS(SCENARIO_SEC_FAULT_KIND),
	FAULT_CODE_ROW(SCENARIO_SEC_FAULT_KIND),

	FAULT_NUMBER_ROWS(SCENARIO_SEC_FAULT_NUMBERS),
	FAULT_CODE_ROW(SCENARIO_SEC_FAULT_NUMBERS),

	{SCENARIO_SEC_LAG, "by", DURATION | WORD, 0, NONE, true, "off frozen", NULL, "How far."},
	{SCENARIO_SEC_LAG, "resource", TEXT, 0, NONE, false, NULL, NULL,
	 "Only that resource's cache."},
	{SCENARIO_SEC_LAG, "replica", INTEGER, 0, NONE, false, NULL, NULL,
	 "Only that one of several API servers."},

	{SCENARIO_SEC_FORGET, "resource", TEXT | LIST, TEXT, NONE, false, NULL, NULL,
	 "Only that resource's cache, or those."},
	{SCENARIO_SEC_FORGET, "replica", INTEGER, 0, NONE, false, NULL, NULL,
	 "Only that one of several API servers."},

	{SCENARIO_SEC_RESTORE, "to", INTEGER, 0, NONE, true, NULL, NULL,
	 "The revision whose state comes back; it must not be compacted."},
	{SCENARIO_SEC_RESTORE, "as", INTEGER, 0, NONE, false, NULL, NULL,
	 "The store's revision afterwards, ahead of the present one, and all before it is compacted. "
	 "Without it: `to`, so what came after never happened and its versions come again."},

	{SCENARIO_SEC_ROUTE, "informer", TEXT, 0, NONE, false, NULL, NULL,
	 "Whose connections, when there are several."},
	{SCENARIO_SEC_ROUTE, "to", INTEGER | WORD, 0, NONE, true, "balancer", NULL,
	 "Which API server, up or down; `balancer`: as it comes."},

	{SCENARIO_SEC_HANDLER_OF, "name", TEXT, 0, NONE, true, NULL, NULL, "The handler."},
	{SCENARIO_SEC_HANDLER_OF, "informer", TEXT, 0, NONE, false, NULL, NULL,
	 "Its informer, when there are several."},
	{SCENARIO_SEC_HANDLER_OF, "resync", DURATION, 0, NONE, false, NULL, NULL,
	 "addHandler: its own resync period."},
	{SCENARIO_SEC_HANDLER_OF, "slow", DURATION, 0, NONE, false, NULL, "0",
	 "addHandler: each call takes that long."},

	{SCENARIO_SEC_EXPECT, "within", WINDOW, 0, NONE, false, NULL, NULL,
	 "When, from the step's time: `0.8s..1.6s`. Without it: until the next step."},
	{SCENARIO_SEC_EXPECT, "nothing", BOOL | DURATION | TEXT, 0, NONE, false, NULL, NULL,
	 "No request and no handler call: `until 30s` (from the step's time), or `true`."},
	{SCENARIO_SEC_EXPECT, "requests", LIST | SET | RANGE | WORD | NAMED,
	 TEXT | LIST | SET | RANGE | WORD, NONE, false, "none", NULL,
	 "All requests in order (`LIST pods resourceVersion=0 limit=500`), a set `{…}`, or how many."},
	{SCENARIO_SEC_EXPECT, "lists", RANGE | WORD, 0, NONE, false, "none", NULL,
	 "How many LISTs."},
	{SCENARIO_SEC_EXPECT, "watches", RANGE | WORD, 0, NONE, false, "none", NULL,
	 "How many watches are opened."},
	{SCENARIO_SEC_EXPECT, "synced", BOOL | WINDOW | NAMED, BOOL | WINDOW, NONE, false, NULL,
	 NULL,
	 "HasSynced at the end of the window; a window says when it turns true; by name for several."},
	{SCENARIO_SEC_EXPECT, "cache", WORD | TEXT | RANGE | LIST | SET, TEXT, NONE, false, "empty",
	 NULL, "`equals cluster`, `empty`, how many, or exactly these keys, at the end."},
	{SCENARIO_SEC_EXPECT, "rv", TEXT, 0, NONE, false, NULL, NULL,
	 "LastSyncResourceVersion at the end: a version, `$list` or `$last`."},
	{SCENARIO_SEC_EXPECT, "errors", RANGE | WORD | LIST, TEXT, NONE, false, "none", NULL,
	 "Calls of the watch error handler: how many, or their classes in order."},
	{SCENARIO_SEC_EXPECT, "stopped", BOOL, 0, NONE, false, NULL, NULL,
	 "Whether everything of the informer has ended."},
	{SCENARIO_SEC_EXPECT, "*", LIST | SET | RANGE | WORD | NAMED | ANY,
	 TEXT | LIST | SET | RANGE | WORD, NONE, false, "none", NULL,
	 "A handler: all its calls in order (`add default/a initial`, `update default/a unchanged`, "
	 "`delete default/b tombstone`), a set `{…}`, or how many. An informer: its own `expect`."},

	{SCENARIO_SEC_BUDGET, "requests", INTEGER, 0, NONE, false, NULL, NULL, "At most."},
	{SCENARIO_SEC_BUDGET, "lists", INTEGER, 0, NONE, false, NULL, NULL, "At most."},
	{SCENARIO_SEC_BUDGET, "watches", INTEGER, 0, NONE, false, NULL, NULL, "At most."},
	{SCENARIO_SEC_BUDGET, "bytes", SIZE, 0, NONE, false, NULL, NULL,
	 "At most, of bodies delivered."},
	{SCENARIO_SEC_BUDGET, "gap", DURATION, 0, NONE, false, NULL, NULL,
	 "At least, from the end of a failed request to the next one of the same informer."},
};

const struct scenario_key *scenario_keys(size_t *count)
{
	*count = sizeof(table) / sizeof(table[0]);
	return table;
}
