/* Reads along what reaches the client and writes it into the history: lists, items, watch events, as they
 * were delivered and not as they were sent. Shares no code with the informer. */
#ifndef SIM_DELIVERED_H
#define SIM_DELIVERED_H

#include "base/json.h"
#include "sim/subject.h"

/* One request's answer. */
struct sim_delivered {
	struct hist *hist;
	char *informer;
	uint64_t request;
	bool watch;
	bool typed;   /* metadata fields must have their types */
	bool objects; /* answers that are one object are told, too (OBJECT) */
	int status;
	uint64_t bytes;
	struct base_buf body; /* of a list: all; of a watch: the value that is not whole yet */
	struct base_json_scan *scan;
	bool garbled; /* the stream made no sense once: nothing behind it is read */
};

void sim_delivered_init(struct sim_delivered *d, struct hist *hist,
			const struct hist_record *request);
void sim_delivered_release(struct sim_delivered *d);
/* Appends the records for one delivery at now. */
void sim_delivered_take(struct sim_delivered *d, uint64_t now_ns,
			const struct subject_delivery *delivery);

#endif
