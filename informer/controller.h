/* Drains the queue into the store, and drives the reflector that fills it (section 9.1).
 *
 * The reflector is behind a small table, so that the process loop can be tested without one. */
#ifndef INFORMER_CONTROLLER_H
#define INFORMER_CONTROLLER_H

#include "informer/deltas.h"
#include "informer/fifo.h"

/* A failed step that may be tried again waits this long (C-1: the loop around the loop). */
#define INF_PROCESS_RETRY_NS UINT64_C(1000000000)

/* What fills the queue. */
struct inf_source {
	void *self;
	void (*start)(void *self);
	/* stopped(stopped_self) comes later, once, from the executor. */
	void (*stop)(void *self, void (*stopped)(void *stopped_self), void *stopped_self);
};

struct inf_controller_options {
	struct inf_fifo_options fifo; /* wake, report and self are set here */
	bool batches;                 /* InOrderInformersBatchProcess */
	struct inf_deltas deltas;
	void (*report)(void *self, const char *level, struct base_str text); /* may be NULL */
	/* Reflector and process loop have ended. From the executor; may be NULL. */
	void (*on_ended)(void *self);
	void *self;
};

struct inf_controller {
	const struct inf_host *host;
	struct inf_controller_options options;
	struct inf_fifo fifo;
	struct inf_source source;
	struct inf_task task;
	struct inf_timer retry; /* after BASE_ENOMEM */
	bool running, waiting;
	uint64_t dropped; /* entries whose processing failed (C-2) */
};

enum base_code inf_controller_init(struct inf_controller *controller, const struct inf_host *host,
				   const struct inf_controller_options *options,
				   struct base_error *error) BASE_MUST_CHECK;
void inf_controller_release(struct inf_controller *controller);
void inf_controller_start(struct inf_controller *controller, const struct inf_source *source);
/* Closes the queue, ends the process loop at once (C-6) and asks the source to stop. */
void inf_controller_stop(struct inf_controller *controller);

#endif
