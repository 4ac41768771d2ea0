/* A reflector on the rig, its script's words, and what it asks: shared by the reflector's test files. */
#ifndef INFORMER_REFLECTOR_RIG_H
#define INFORMER_REFLECTOR_RIG_H

#include "informer/host.h"
#include "informer/host_rig.h"

struct reflector_rig {
	struct rig host;
	struct inf_reflector *reflector;
	struct inf_reflector_options options; /* config maps, named "r" */
	bool stopped;
};

/* The one of this process; set up before and checked after each test. */
extern struct reflector_rig rr;

void rr_setup(void);
void rr_teardown(void);
void rr_start(bool watch_list);
/* Frees it: the next rr_start makes another. */
void rr_end(void);
void rr_stop(void);
void rr_on_stopped(void *self);
/* Moves to that many seconds after the first instant. */
void rr_at(double s);
void rr_state_is(const char *want);
/* Without watch-list, to an open watch from version 10. */
void rr_start_to_watch(void);

#define CM(name, rv)                                                                               \
	"{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name             \
	"\",\"namespace\":\"n\",\"resourceVersion\":\"" rv "\"}}"
#define EV(type, name, rv) "{\"type\":\"" type "\",\"object\":" CM(name, rv) "}\n"
#define BOOKMARK(rv)                                                                               \
	"{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","         \
	"\"metadata\":{\"resourceVersion\":\"" rv "\"}}}\n"
#define END_BOOKMARK(rv)                                                                           \
	"{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","         \
	"\"metadata\":{\"resourceVersion\":\"" rv                                                  \
	"\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n"
#define ERR(fields)                                                                                \
	"{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\"," fields "}}\n"
#define LIST(rv, more, items)                                                                       \
	"{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" rv \
	"\"" more "},\"items\":[" items "]}"
#define STATUS(code, reason)                                                                       \
	"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":" #code        \
	",\"reason\":\"" reason "\"}"
#define TOO_LARGE                                                                                    \
	"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":504,\"reason\":" \
	"\"Timeout\",\"details\":{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\"}]}}"

#define CMS "GET /api/v1/configmaps"
#define LIST_0 CMS "?limit=500&resourceVersion=0\n"
#define WATCH(rv)                                                                                  \
	CMS "?allowWatchBookmarks=true&resourceVersion=" rv                                        \
	    "&timeout=7m30s&timeoutSeconds=450&watch=true\n"
#define WATCH_NO_RV CMS "?allowWatchBookmarks=true&timeout=7m30s&timeoutSeconds=450&watch=true\n"
#define WATCH_LIST                                                                                 \
	CMS "?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true"   \
	    "&timeout=7m30s&timeoutSeconds=450&watch=true\n"
#define WATCH_LIST_RV(rv)                                                                                \
	CMS "?allowWatchBookmarks=true&resourceVersion=" rv                                              \
	    "&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeout=7m30s&timeoutSeconds=450" \
	    "&watch=true\n"

#endif
