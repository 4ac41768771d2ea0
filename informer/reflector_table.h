/* States and events of the reflector, and the table that says where each event leads (4.3). */
#ifndef INFORMER_REFLECTOR_TABLE_H
#define INFORMER_REFLECTOR_TABLE_H

#include "informer/reflector.h"

/* state, name */
#define INF_REFLECTOR_STATES(X)                                                                    \
	X(INF_R_NEW, "NEW")               /* not started */                                        \
	X(INF_R_IDLE, "IDLE")             /* the delay between two list-and-watch calls */         \
	X(INF_R_WL_TOP, "WL_TOP")         /* top of the watch-list loop */                         \
	X(INF_R_WL_OPEN, "WL_OPEN")       /* asked, no head yet */                                 \
	X(INF_R_WL_STREAM, "WL_STREAM")   /* initial events arrive */                              \
	X(INF_R_WL_WAIT, "WL_WAIT")       /* a delay that ctx cannot interrupt */                  \
	X(INF_R_LIST, "LIST")             /* the first try of the list step */                     \
	X(INF_R_LIST_AGAIN, "LIST_AGAIN") /* the second, without a version */                      \
	X(INF_R_WATCH_TOP, "WATCH_TOP")   /* top of the watch loop */                              \
	X(INF_R_WATCH_OPEN, "WATCH_OPEN")                                                          \
	X(INF_R_WATCH_STREAM, "WATCH_STREAM")                                                      \
	X(INF_R_WATCH_WAIT, "WATCH_WAIT")                                                          \
	X(INF_R_STOP, "STOP")

/* event, name */
#define INF_REFLECTOR_EVENTS(X)                                                                    \
	X(INF_E_RUN_WATCH_LIST, "run-watch-list")                                                  \
	X(INF_E_RUN_LIST, "run-list")                                                              \
	X(INF_E_STOP, "stop")                                                                      \
	X(INF_E_ASK, "ask")                                                                        \
	X(INF_E_HAND_OVER, "hand-over")                                                            \
	X(INF_E_OPENED, "opened")                                                                  \
	X(INF_E_RETRIABLE, "retriable")                                                            \
	X(INF_E_EXPIRED, "expired")                                                                \
	X(INF_E_ERROR, "error")                                                                    \
	X(INF_E_CANCELLED, "cancelled")                                                            \
	X(INF_E_EVENT, "event")                                                                    \
	X(INF_E_END_BOOKMARK, "end-bookmark")                                                      \
	X(INF_E_REPLACE_FAILED, "replace-failed")                                                  \
	X(INF_E_VERY_SHORT, "very-short")                                                          \
	X(INF_E_CLOSED, "closed")                                                                  \
	X(INF_E_WAIT_OVER, "wait-over")                                                            \
	X(INF_E_LISTED, "listed")                                                                  \
	X(INF_E_BAD_LIST, "bad-list")                                                              \
	X(INF_E_INTERNAL_RETRY, "internal-retry")                                                  \
	X(INF_E_RESYNC_FAILED, "resync-failed")                                                    \
	X(INF_E_NO_TIMER, "no-timer")

#define INF_ENUM_MEMBER(name, word) name,
enum inf_reflector_state { INF_REFLECTOR_STATES(INF_ENUM_MEMBER) };
enum inf_reflector_event { INF_REFLECTOR_EVENTS(INF_ENUM_MEMBER) };
#undef INF_ENUM_MEMBER

/* Where the event leads from that state. False: the table has no such edge. */
bool inf_reflector_table_find(enum inf_reflector_state from, enum inf_reflector_event event,
			      enum inf_reflector_state *to);
const char *inf_reflector_state_word(enum inf_reflector_state state);
const char *inf_reflector_event_word(enum inf_reflector_event event);

#endif
