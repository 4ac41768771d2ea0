/* Cuts a byte stream into JSON values as the bytes come (W-4); builds no tree. */
#ifndef INFORMER_FRAMES_H
#define INFORMER_FRAMES_H

#include "base/json.h"

#define INF_FRAME_MAX ((size_t)16 << 20) /* bytes of one frame */

enum inf_frame_outcome {
	INF_FRAME,       /* a whole value */
	INF_FRAME_MORE,  /* wait for more bytes */
	INF_FRAME_END,   /* nothing is left, and no more will come */
	INF_FRAME_CUT,   /* the stream ended inside a value */
	INF_FRAME_ERROR, /* can never become a value, see inf_frames_reason */
};

struct inf_frames {
	struct base_buf buf;
	size_t start;   /* of the frame that is being cut */
	size_t scanned; /* bytes behind start the scanner has seen */
	bool closed;    /* no more bytes will come */
	bool whole;     /* the scanned bytes are a value, but it may be too early to say so */
	struct base_json_scan scan;
	struct base_json_outline outline; /* of the frame that is being cut */
	bool in_one_piece;                /* … which the scanner got at once: outline holds */
	struct base_json_odd odd;         /* of all frames so far */
	const char *reason;
};

void inf_frames_init(struct inf_frames *frames, const struct base_alloc *alloc);
void inf_frames_release(struct inf_frames *frames);
void inf_frames_reset(struct inf_frames *frames); /* a new stream */
enum base_code inf_frames_add(struct inf_frames *frames, struct base_str bytes) BASE_MUST_CHECK;
void inf_frames_close(struct inf_frames *frames);
/* The next value; *frame is valid until the next call of anything here. */
enum inf_frame_outcome inf_frames_next(struct inf_frames *frames, struct base_str *frame);
/* Of the frame just handed out, valid as long; NULL: there is none. */
const struct base_json_outline *inf_frames_outline(const struct inf_frames *frames);
const char *inf_frames_reason(const struct inf_frames *frames);

#endif
