/* A host for unit tests: time moves when told to, tasks run in order, requests are answered by hand, and
 * everything the core does is a line of a log.
 *
 *   struct rig rig;
 *   rig_init(&rig);
 *   … start something on rig.host …
 *   rig_run(&rig);
 *   CHECK_LOG(&rig, "GET /api/v1/pods?limit=500\n");
 *   rig_reply(&rig, 200, NULL, "{…}");
 *   rig_advance_s(&rig, 1.2);
 *   rig_release(&rig);      // and CHECK that nothing leaks: rig.probe.live_count
 */
#ifndef INFORMER_HOST_RIG_H
#define INFORMER_HOST_RIG_H

#include "base/buf.h"
#include "informer/observer.h"
#include "informer/reflector.h"

#define RIG_EDGES_MAX 128

struct rig {
	struct base_alloc_probe probe;
	struct inf_host host;
	struct inf_observer observer;
	struct base_heap heap;
	uint64_t now_ns;
	struct inf_task *head, *tail;
	struct inf_exchange *exchange; /* the one that is open, or NULL */
	uint64_t request_count;
	uint64_t draw; /* what every draw gives; half of 2^63 at first */
	unsigned draw_count;
	bool log_draws, log_states, log_reports, log_headers;
	bool fail_arm;      /* every arm fails */
	unsigned steps_max; /* a run of more tasks than this fails the test */
	struct base_buf log;
	/* the sink */
	struct inf_sink sink;
	enum base_code fail_add, fail_replace, fail_resync, fail_bookmark;
	unsigned watch_errors;
	char last_class[64];
};

void rig_init(struct rig *rig);
void rig_release(struct rig *rig);
void rig_run(struct rig *rig);  /* until no task is ready */
bool rig_step(struct rig *rig); /* one task; false: none is ready */
void rig_advance(struct rig *rig, uint64_t ns);
void rig_advance_s(struct rig *rig, double s);

/* To the open exchange. header: "Name: value" or NULL. */
void rig_head(struct rig *rig, int status, const char *header);
void rig_body(struct rig *rig, const char *bytes);
void rig_body_n(struct rig *rig, const char *bytes, size_t len);
void rig_end(struct rig *rig, enum inf_end end);
void rig_reply(struct rig *rig, int status, const char *header, const char *body);

void rig_log(struct rig *rig, const char *format, ...) BASE_PRINTF(2, 3);
/* The log since the last call. */
#define CHECK_LOG(rig, want)                                                                       \
	(CHECK_STR(base_buf_peek(&(rig)->log), want), base_buf_clear(&(rig)->log))

/* Which edges of the reflector's table were walked in this process, by index. */
extern bool rig_edges_seen[RIG_EDGES_MAX];

/* The resource most tests use: config maps, typed. */
struct inf_resource rig_config_maps(void);

#endif
