/* The loop with which API servers compact the store by themselves (3.8, L-16).
 *
 * Each round writes a key of its own, which takes a revision, and compacts to the revision that the round
 * before had seen. The first round after a start only looks. Several servers share one loop: who comes late
 * finds the key changed and does nothing. */
#include "fakeapi/machine.h"

static void round_fire(struct fakeapi *f, struct fakeapi_timer *timer)
{
	struct base_error error = {0};
	uint64_t seen = f->store_silent ? 0 : f->compactor_seen;
	if (!f->store_silent) {
		fakeapi_store_skip(&f->store);
		f->compactor_seen = f->store.revision;
	}
	/* Cannot fail: the revision has been there. */
	uint64_t notice = f->config.notice_ns != FAKEAPI_NEVER ? f->config.notice_ns
							       : FAKEAPI_NOTICE_NS;
	if (seen != 0 && fakeapi_compact_noticed(f, seen, notice, &error) != BASE_OK)
		f->compactor_seen = 0;
	/* Without memory for a timer the loop ends, as if that server had lost its turn. */
	if (fakeapi_timer_arm(f, timer, f->now_ns + f->config.compaction_ns) != BASE_OK)
		f->compactor_seen = 0;
}

void fakeapi_compactor_update(struct fakeapi *f)
{
	bool any = false;
	f->compactor_timer.fire = round_fire;
	for (size_t r = 0; r < f->replica_count; r++)
		any = any || f->replicas[r].up;
	if (f->config.compaction_ns == 0 || (any && base_heap_has(&f->compactor_timer.node)))
		return;
	fakeapi_timer_stop(f, &f->compactor_timer);
	f->compactor_seen = 0;
	if (any && fakeapi_timer_arm(f, &f->compactor_timer, f->now_ns + f->config.compaction_ns) !=
			   BASE_OK)
		f->compactor_seen = 0;
}

void fakeapi_set_compaction(struct fakeapi *f, uint64_t interval_ns)
{
	if (interval_ns == f->config.compaction_ns)
		return;
	f->config.compaction_ns = interval_ns;
	fakeapi_timer_stop(f, &f->compactor_timer);
	f->compactor_seen = 0;
	fakeapi_compactor_update(f);
}
