/* The event loop of real time: file descriptors (epoll), timers and posted calls on one thread.
 *
 * It is the one place with a wall of its own: everything else gets its time from a caller. Its clock starts
 * at 0 when the loop is made and runs `speed` times as fast as the monotonic clock of the machine, so that
 * two loops of one process can be sped up together. The time stands still during one turn.
 *
 * Thread rule: all of it from one thread. A callback may add, change and remove anything, itself too.
 * Linux only (epoll, signalfd). */
#ifndef BASE_LOOP_LOOP_H
#define BASE_LOOP_LOOP_H

#include "base/heap.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BASE_LOOP_NEVER UINT64_MAX
#define BASE_LOOP_BATCH 64

enum { BASE_LOOP_READ = 1, BASE_LOOP_WRITE = 2 };

struct base_loop_fd {
	int fd;
	unsigned interest; /* BASE_LOOP_READ | BASE_LOOP_WRITE */
	/* ready: which of them; an error or a hang-up counts as both. */
	void (*ready)(struct base_loop_fd *watch, unsigned ready);
	void *owner;
	bool added; /* the loop's own */
};

struct base_loop_timer {
	struct base_heap_node node;
	void (*fire)(struct base_loop_timer *timer);
	void *owner;
};

/* A call of the next turn. */
struct base_loop_post {
	struct base_loop_post *next;
	bool queued;
	void (*run)(struct base_loop_post *post);
	void *owner;
};

struct base_loop {
	int epoll_fd;
	uint64_t zero_ns, speed, now_ns;
	struct base_heap timers;
	struct base_loop_post *posts, **posts_end;
	struct base_loop_fd
		*batch[BASE_LOOP_BATCH]; /* of the present turn; NULL: removed meanwhile */
	size_t batch_len, fd_count;
	bool stopped;
	bool manual; /* the time is what base_loop_set_time says */
};

/* speed: 1 is real time. From here on the process ignores SIGPIPE: a peer that has gone is an error of the
 * write. BASE_EIO: no descriptor left. */
enum base_code base_loop_init(struct base_loop *loop, const struct base_alloc *alloc,
			      uint64_t speed, struct base_error *error) BASE_MUST_CHECK;
void base_loop_release(struct base_loop *loop);
/* The loop's time; stands still during one turn. */
uint64_t base_loop_now_ns(const struct base_loop *loop);

/* The descriptor stays the caller's. */
enum base_code base_loop_add(struct base_loop *loop, struct base_loop_fd *watch,
			     struct base_error *error) BASE_MUST_CHECK;
enum base_code base_loop_change(struct base_loop *loop, struct base_loop_fd *watch,
				unsigned interest) BASE_MUST_CHECK;
void base_loop_remove(struct base_loop *loop, struct base_loop_fd *watch); /* not added: no-op */

/* At at_ns of the loop's time or as soon after as possible; moves an armed one. */
enum base_code base_loop_arm(struct base_loop *loop, struct base_loop_timer *timer, uint64_t at_ns)
	BASE_MUST_CHECK;
void base_loop_disarm(struct base_loop *loop, struct base_loop_timer *timer);
/* Runs in the next turn; posted again before that: once. */
void base_loop_post(struct base_loop *loop, struct base_loop_post *post);
void base_loop_revoke(struct base_loop *loop, struct base_loop_post *post);

/* One turn: waits for the next thing (at most until until_ns), runs what is due. BASE_EIO: epoll failed. */
enum base_code base_loop_turn(struct base_loop *loop, uint64_t until_ns) BASE_MUST_CHECK;
/* The monotonic clock of the machine. */
uint64_t base_loop_machine_ns(void);
/* The clock of the machine is not looked at any more: the loop's time is this one, never less than before, and
 * timers are due by it. Drive such a loop with base_loop_poll. */
void base_loop_set_time(struct base_loop *loop, uint64_t now_ns);
/* One turn that waits at most that many milliseconds of the machine. *moved: something was ready, due or posted. */
enum base_code base_loop_poll(struct base_loop *loop, int wait_ms, bool *moved) BASE_MUST_CHECK;
/* Turns until base_loop_stop. */
enum base_code base_loop_run(struct base_loop *loop) BASE_MUST_CHECK;
void base_loop_stop(struct base_loop *loop);

#ifdef __cplusplus
}
#endif

#endif
