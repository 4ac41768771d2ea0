/* States and events of the reflector, and the table that says where each event leads (4.3). */
#ifndef INFORMER_REFLECTOR_TABLE_H
#define INFORMER_REFLECTOR_TABLE_H

#include "informer/reflector.h"

/* state, name, the rules that govern it */
#define INF_REFLECTOR_STATES(X)                                                                    \
	/* not started */                                                                          \
	X(INF_R_NEW, "NEW", "P-6 R-3")                                                             \
	/* the delay between two list-and-watch calls */                                           \
	X(INF_R_IDLE, "IDLE", "P-1 P-2 P-3 P-6 R-1 R-2 R-3")                                       \
	/* top of the watch-list loop */                                                           \
	X(INF_R_WL_TOP, "WL_TOP", "R-10 R-10a R-13")                                               \
	/* asked, no head yet */                                                                   \
	X(INF_R_WL_OPEN, "WL_OPEN", "R-2 R-7 R-10a R-27 H-8 H-9 H-10 H-11 E-2")                    \
	/* initial events arrive */                                                                \
	X(INF_R_WL_STREAM, "WL_STREAM",                                                            \
	  "R-2 R-7 R-10a R-14 R-17 R-19 R-23 R-24 R-25 W-2 W-3 W-4 W-6 W-7 E-1 E-3")               \
	/* a delay that ctx cannot interrupt */                                                    \
	X(INF_R_WL_WAIT, "WL_WAIT", "P-1 P-2 P-3 R-1 R-2 R-4")                                     \
	/* the first try of the list step */                                                       \
	X(INF_R_LIST, "LIST", "R-8 R-10 R-10a R-11 R-12 PG-1 PG-2 PG-3 H-4 H-5 H-6 W-5 E-2")       \
	/* the second, without a version */                                                        \
	X(INF_R_LIST_AGAIN, "LIST_AGAIN", "R-8 R-10 R-10a R-11 PG-1 H-4 H-6")                      \
	/* top of the watch loop */                                                                \
	X(INF_R_WATCH_TOP, "WATCH_TOP", "R-9 R-10 R-13 R-20")                                      \
	X(INF_R_WATCH_OPEN, "WATCH_OPEN", "R-2 R-8 R-15 R-27 H-8 H-9 H-10 H-11 E-2")               \
	X(INF_R_WATCH_STREAM, "WATCH_STREAM",                                                      \
	  "R-2 R-6 R-14 R-15 R-16 R-17 R-18 R-20 R-22 W-2 W-3 W-4 W-6 W-7 E-1")                    \
	X(INF_R_WATCH_WAIT, "WATCH_WAIT", "P-1 P-2 P-3 R-1 R-2 R-4")                               \
	X(INF_R_STOP, "STOP", "R-9 R-27 C-6")

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

#define INF_ENUM_MEMBER(name, ...) name,
enum inf_reflector_state { INF_REFLECTOR_STATES(INF_ENUM_MEMBER) };
enum inf_reflector_event { INF_REFLECTOR_EVENTS(INF_ENUM_MEMBER) };
#undef INF_ENUM_MEMBER

/* Where the event leads from that state. False: the table has no such edge. */
bool inf_reflector_table_find(enum inf_reflector_state from, enum inf_reflector_event event,
			      enum inf_reflector_state *to);
const char *inf_reflector_state_word(enum inf_reflector_state state);
const char *inf_reflector_event_word(enum inf_reflector_event event);

#endif
