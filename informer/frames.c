#include "informer/frames.h"

void inf_frames_init(struct inf_frames *frames, const struct base_alloc *alloc)
{
	memset(frames, 0, sizeof(*frames));
	base_buf_init(&frames->buf, alloc, BASE_BUF_MAX_DEFAULT);
	base_json_scan_reset(&frames->scan);
}

void inf_frames_release(struct inf_frames *frames)
{
	base_buf_release(&frames->buf);
	inf_frames_reset(frames);
}

void inf_frames_reset(struct inf_frames *frames)
{
	base_buf_clear(&frames->buf);
	frames->start = 0;
	frames->scanned = 0;
	frames->whole = false;
	frames->closed = false;
	frames->reason = NULL;
	base_json_scan_reset(&frames->scan);
}

enum base_code inf_frames_add(struct inf_frames *frames, struct base_str bytes)
{
	if (frames->start > 0) { /* frames that were handed out already */
		base_buf_consume(&frames->buf, frames->start);
		frames->start = 0;
	}
	return base_buf_str(&frames->buf, bytes);
}

void inf_frames_close(struct inf_frames *frames)
{
	frames->closed = true;
}

static void take_frame(struct inf_frames *frames, struct base_str *frame)
{
	size_t blanks = (size_t)frames->scan.start;
	*frame = base_str_n(frames->buf.ptr + frames->start + blanks, frames->scanned - blanks);
	frames->odd.invalid_utf8 += frames->scan.odd.invalid_utf8;
	frames->odd.lone_surrogates += frames->scan.odd.lone_surrogates;
	frames->start += frames->scanned;
	frames->scanned = 0;
	frames->whole = false;
	base_json_scan_reset(&frames->scan);
}

/* Go sees the end of a bare text, number or word only at the byte behind it. */
static bool is_shut(const struct inf_frames *frames)
{
	const char first = frames->buf.ptr[frames->start + (size_t)frames->scan.start];
	return first == '{' || first == '[' || frames->closed ||
	       frames->start + frames->scanned < frames->buf.len;
}

enum inf_frame_outcome inf_frames_next(struct inf_frames *frames, struct base_str *frame)
{
	size_t at = frames->start + frames->scanned;
	enum base_json_outcome outcome = BASE_JSON_NEED_MORE;
	size_t used = 0;
	if (frames->reason != NULL) {
		return INF_FRAME_ERROR;
	}
	if (frames->whole) {
		outcome = BASE_JSON_DONE;
	} else if (at < frames->buf.len) {
		frames->in_one_piece = frames->scanned == 0;
		frames->outline.count = 0;
		frames->scan.outline = &frames->outline;
		outcome = base_json_scan_feed(&frames->scan, frames->buf.ptr + at,
					      frames->buf.len - at, &used);
		frames->scanned += used;
	}
	if (outcome == BASE_JSON_NEED_MORE && frames->closed) {
		outcome = base_json_scan_end(&frames->scan);
		if (outcome == BASE_JSON_NEED_MORE) {
			return frames->scan.start == frames->scan.offset ? INF_FRAME_END
									 : INF_FRAME_CUT;
		}
	}
	if (outcome == BASE_JSON_ERROR) {
		frames->reason = frames->scan.reason != NULL ? frames->scan.reason : "invalid JSON";
		return INF_FRAME_ERROR;
	}
	if (frames->scanned > INF_FRAME_MAX) {
		frames->reason = "object to decode was longer than maximum allowed size";
		return INF_FRAME_ERROR;
	}
	if (outcome == BASE_JSON_NEED_MORE) {
		return INF_FRAME_MORE;
	}
	frames->whole = true;
	if (!is_shut(frames)) {
		return INF_FRAME_MORE;
	}
	take_frame(frames, frame);
	return INF_FRAME;
}

const struct base_json_outline *inf_frames_outline(const struct inf_frames *frames)
{
	return frames->in_one_piece ? &frames->outline : NULL;
}

const char *inf_frames_reason(const struct inf_frames *frames)
{
	return frames->reason;
}
