#include "informer/reflector_table.h"

#include <string.h>

#define STATE_WORD(name, word, rules) [name] = word,
#define STATE_RULES(name, word, rules) [name] = rules,
#define EVENT_WORD(name, word) [name] = word,
static const char *const state_words[] = {INF_REFLECTOR_STATES(STATE_WORD)};
static const char *const state_rules[] = {INF_REFLECTOR_STATES(STATE_RULES)};
static const char *const event_words[] = {INF_REFLECTOR_EVENTS(EVENT_WORD)};
#undef STATE_WORD
#undef STATE_RULES
#undef EVENT_WORD

/* from, event, to, why */
#define EDGES(X)                                                                                   \
	X(NEW, RUN_WATCH_LIST, WL_TOP, "P-6: the first run is not delayed, not even by a stop")    \
	X(NEW, RUN_LIST, LIST, "P-6: the first run, watch-list off")                               \
	X(IDLE, RUN_WATCH_LIST, WL_TOP, "R-3: the delay is over")                                  \
	X(IDLE, RUN_LIST, LIST, "R-3: the delay is over, watch-list off")                          \
	X(IDLE, STOP, STOP, "4.13: the run loop's delay returns at once")                          \
	X(IDLE, NO_TIMER, STOP, "no memory for a delay, twice in a row")                           \
	X(WL_TOP, STOP, IDLE, "4.3: no watch, no error")                                           \
	X(WL_TOP, ASK, WL_OPEN, "R-10, R-13: a watch request with sendInitialEvents")              \
	X(WL_OPEN, OPENED, WL_STREAM, "the stream begins")                                         \
	X(WL_OPEN, RETRIABLE, WL_WAIT, "R-2: refused or 429")                                      \
	X(WL_OPEN, EXPIRED, WL_TOP, "R-10a: expired or too large; once more without a version")    \
	X(WL_OPEN, ERROR, LIST, "R-7: fall back to list")                                          \
	X(WL_OPEN, CANCELLED, LIST, "R-27: the open call fails with the stop")                     \
	X(WL_STREAM, EVENT, WL_STREAM, "R-24: applied to the temporary store")                     \
	X(WL_STREAM, END_BOOKMARK, WATCH_TOP, "4.3: Replace, the open watch is handed over")       \
	X(WL_STREAM, REPLACE_FAILED, LIST, "4.3: Replace failed, fall back to list")               \
	X(WL_STREAM, RETRIABLE, WL_WAIT, "R-2: 429 in the stream")                                 \
	X(WL_STREAM, EXPIRED, WL_TOP, "R-10a: expired or too large in the stream")                 \
	X(WL_STREAM, ERROR, LIST, "R-7: any other error in the stream")                            \
	X(WL_STREAM, VERY_SHORT, LIST, "R-17: closed within a second without an event")            \
	X(WL_STREAM, CLOSED, WL_TOP, "4.3: closed before the end bookmark; nothing is kept")       \
	X(WL_STREAM, STOP, IDLE, "4.13: the stream is dropped")                                    \
	X(WL_WAIT, WAIT_OVER, WL_TOP, "4.13: a stop is not noticed before")                        \
	X(LIST, LISTED, WATCH_TOP, "4.3: Replace in list order")                                   \
	X(LIST, EXPIRED, LIST_AGAIN, "R-10a: once more without a version, same page size")         \
	X(LIST, ERROR, IDLE, "R-8: the watch error handler hears of it")                           \
	X(LIST, BAD_LIST, IDLE, "4.3: a Table where a list was expected")                          \
	X(LIST, REPLACE_FAILED, IDLE, "4.3: Replace failed")                                       \
	X(LIST, STOP, IDLE, "4.13: the list is abandoned, the store untouched")                    \
	X(LIST_AGAIN, LISTED, WATCH_TOP, "4.3: Replace in list order")                             \
	X(LIST_AGAIN, ERROR, IDLE, "4.3: the second result is final")                              \
	X(LIST_AGAIN, BAD_LIST, IDLE, "4.3: a Table where a list was expected")                    \
	X(LIST_AGAIN, REPLACE_FAILED, IDLE, "4.3: Replace failed")                                 \
	X(LIST_AGAIN, STOP, IDLE, "4.13: the list is abandoned")                                   \
	X(WATCH_TOP, STOP, IDLE, "4.3: a handed-over watch is stopped")                            \
	X(WATCH_TOP, ASK, WATCH_OPEN, "R-10, R-13: a watch from the last version")                 \
	X(WATCH_TOP, HAND_OVER, WATCH_STREAM, "4.3: the watch-list's stream goes on")              \
	X(WATCH_OPEN, OPENED, WATCH_STREAM, "the stream begins")                                   \
	X(WATCH_OPEN, RETRIABLE, WATCH_WAIT, "R-2: refused or 429")                                \
	X(WATCH_OPEN, ERROR, IDLE, "R-8: the watch error handler hears of it")                     \
	X(WATCH_OPEN, CANCELLED, IDLE, "R-27: the open call fails with the stop")                  \
	X(WATCH_STREAM, EVENT, WATCH_STREAM, "4.7")                                                \
	X(WATCH_STREAM, VERY_SHORT, IDLE, "R-17: closed within a second without an event")         \
	X(WATCH_STREAM, CLOSED, WATCH_TOP, "4.3: opened again at once from the last version")      \
	X(WATCH_STREAM, EXPIRED, IDLE, "R-6: list again")                                          \
	X(WATCH_STREAM, RETRIABLE, WATCH_WAIT, "R-2: 429 in the stream")                           \
	X(WATCH_STREAM, INTERNAL_RETRY, WATCH_TOP, "R-20: an internal error within its time")      \
	X(WATCH_STREAM, ERROR, IDLE, "4.3: any other error in the stream")                         \
	X(WATCH_STREAM, RESYNC_FAILED, IDLE, "R-22: the store's resync failed")                    \
	X(WATCH_STREAM, STOP, IDLE, "4.13: the stream is dropped")                                 \
	X(WATCH_WAIT, WAIT_OVER, WATCH_TOP, "R-2: the delay is over")                              \
	X(WATCH_WAIT, STOP, IDLE, "4.13: returns at once")

struct edge {
	enum inf_reflector_state from;
	enum inf_reflector_event event;
	enum inf_reflector_state to;
	const char *rule;
};

#define EDGE(f, e, t, why) {INF_R_##f, INF_E_##e, INF_R_##t, why},
static const struct edge edges[] = {EDGES(EDGE)};
#undef EDGE

#define EDGE_COUNT (sizeof(edges) / sizeof(edges[0]))

bool inf_reflector_table_find(enum inf_reflector_state from, enum inf_reflector_event event,
			      enum inf_reflector_state *to)
{
	for (size_t i = 0; i < EDGE_COUNT; i++) {
		if (edges[i].from == from && edges[i].event == event) {
			*to = edges[i].to;
			return true;
		}
	}
	return false;
}

const char *inf_reflector_state_word(enum inf_reflector_state state)
{
	return state_words[state];
}

const char *inf_reflector_event_word(enum inf_reflector_event event)
{
	return event_words[event];
}

size_t inf_reflector_edge_count(void)
{
	return EDGE_COUNT;
}

struct inf_reflector_edge inf_reflector_edge(size_t i)
{
	return (struct inf_reflector_edge){
		.from = state_words[edges[i].from],
		.event = event_words[edges[i].event],
		.to = state_words[edges[i].to],
		.rule = edges[i].rule,
	};
}

const char *inf_reflector_state_rules(const char *state)
{
	for (size_t i = 0; i < sizeof(state_words) / sizeof(state_words[0]); i++) {
		if (strcmp(state_words[i], state) == 0) {
			return state_rules[i];
		}
	}
	return NULL;
}
