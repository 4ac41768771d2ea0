/* The client's side of HTTP/1.1: cuts a response into head, body bytes and end, whatever the pieces in
 * which it comes. */
#ifndef SIM_HTTP_REPLY_H
#define SIM_HTTP_REPLY_H

#include "sim/subject.h"

enum sim_reply_state {
	SIM_REPLY_HEAD,
	SIM_REPLY_LENGTH, /* body_left bytes are still to come */
	SIM_REPLY_UNTIL_CLOSE,
	SIM_REPLY_CHUNK_SIZE,
	SIM_REPLY_CHUNK_DATA,
	SIM_REPLY_CHUNK_END,
	SIM_REPLY_TRAILER,
	SIM_REPLY_DONE,
	SIM_REPLY_BROKEN, /* bytes that are no HTTP */
};

struct sim_reply {
	enum sim_reply_state state;
	struct base_buf head; /* the head, or the present line of a chunked body */
	uint64_t body_left;
	bool closes; /* Connection: close, or the body ends with the connection */
};

/* Called from inside feed; slices are valid during the call only. */
struct sim_reply_ops {
	void (*head)(void *ctx, int status, const struct subject_header *headers, size_t count);
	void (*body)(void *ctx, struct base_str bytes);
	void (*end)(void *ctx);
};

void sim_reply_init(struct sim_reply *reply);
void sim_reply_release(struct sim_reply *reply);
void sim_reply_reset(struct sim_reply *reply); /* ready for the next response */
/* Stops at the end of one response; what follows it makes the reply BROKEN. */
void sim_reply_feed(struct sim_reply *reply, struct base_str bytes, const struct sim_reply_ops *ops,
		    void *ctx);
/* How an exchange ends when the connection ends now. reset: it was reset, else closed. */
enum subject_end sim_reply_cut_short(const struct sim_reply *reply, bool reset);

#endif
