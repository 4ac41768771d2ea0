#include "sim/http_reply.h"

#include "sim/fatal.h"

#define REPLY_HEAD_MAX ((size_t)1 << 20)
#define REPLY_HEADERS_MAX 64

void sim_reply_init(struct sim_reply *reply)
{
	memset(reply, 0, sizeof(*reply));
	base_buf_init(&reply->head, NULL, REPLY_HEAD_MAX);
}

void sim_reply_release(struct sim_reply *reply)
{
	base_buf_release(&reply->head);
}

void sim_reply_reset(struct sim_reply *reply)
{
	base_buf_clear(&reply->head);
	reply->state = SIM_REPLY_HEAD;
	reply->body_left = 0;
	reply->closes = false;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_name(struct base_str a, const char *b)
{
	size_t i = 0;

	for (; i < a.len && b[i] != '\0'; i++)
		if (lower(a.ptr[i]) != lower(b[i]))
			return false;
	return i == a.len && b[i] == '\0';
}

/* Adds bytes up to and with the newline to the line buffer; true when the line is whole. */
static bool take_line(struct sim_reply *reply, struct base_str *bytes)
{
	const size_t at = base_str_find_char(*bytes, '\n');
	const size_t len = at == SIZE_MAX ? bytes->len : at + 1;

	if (base_buf_append(&reply->head, bytes->ptr, len) != BASE_OK) {
		reply->state = SIM_REPLY_BROKEN;
		return false;
	}
	*bytes = base_str_skip(*bytes, len);
	return at != SIZE_MAX;
}

static bool head_is_whole(const struct base_buf *head)
{
	const struct base_str text = base_buf_peek(head);

	return base_str_ends(text, BASE_STR("\r\n\r\n")) || base_str_ends(text, BASE_STR("\n\n")) ||
	       base_str_eq(text, BASE_STR("\r\n"));
}

static bool parse_status(struct base_str line, int *status)
{
	uint64_t code;

	if (!base_str_starts(line, BASE_STR("HTTP/1.")) || line.len < 12)
		return false;
	if (!base_str_u64(base_str_n(line.ptr + 9, 3), &code))
		return false;
	*status = (int)code;
	return true;
}

static void start_body(struct sim_reply *reply, int status, const struct subject_header *headers,
		       size_t count)
{
	bool framed = false;

	for (size_t i = 0; i < count; i++) {
		if (same_name(headers[i].name, "transfer-encoding")) {
			reply->state = SIM_REPLY_CHUNK_SIZE;
			return;
		}
		if (same_name(headers[i].name, "connection") &&
		    same_name(headers[i].value, "close"))
			reply->closes = true;
		if (same_name(headers[i].name, "content-length"))
			framed = base_str_u64(headers[i].value, &reply->body_left);
	}
	if (status == 204 || status == 304)
		framed = true;
	reply->closes = reply->closes || !framed;
	reply->state = framed ? SIM_REPLY_LENGTH : SIM_REPLY_UNTIL_CLOSE;
}

static void parse_head(struct sim_reply *reply, const struct sim_reply_ops *ops, void *ctx)
{
	struct subject_header headers[REPLY_HEADERS_MAX];
	struct base_str rest = base_buf_peek(&reply->head), line;
	size_t count = 0;
	bool found;
	int status;

	rest = base_str_cut(rest, '\n', &line, &found);
	if (!parse_status(line, &status)) {
		reply->state = SIM_REPLY_BROKEN;
		return;
	}
	while (rest.len > 0 && count < REPLY_HEADERS_MAX) {
		struct base_str name, value;

		rest = base_str_cut(rest, '\n', &line, &found);
		value = base_str_cut(line, ':', &name, &found);
		if (found)
			headers[count++] = (struct subject_header){.name = base_str_trim(name),
								   .value = base_str_trim(value)};
	}
	start_body(reply, status, headers, count);
	ops->head(ctx, status, headers, count);
	base_buf_clear(&reply->head);
}

static void parse_chunk_size(struct sim_reply *reply)
{
	const struct base_str line = base_str_trim(base_buf_peek(&reply->head));
	uint64_t size = 0;
	size_t i = 0;

	for (; i < line.len && line.ptr[i] != ';' && i < 15; i++) {
		const char c = lower(line.ptr[i]);

		if (c >= '0' && c <= '9')
			size = size * 16 + (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			size = size * 16 + (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	base_buf_clear(&reply->head);
	reply->body_left = size;
	if (i == 0)
		reply->state = SIM_REPLY_BROKEN;
	else
		reply->state = size > 0 ? SIM_REPLY_CHUNK_DATA : SIM_REPLY_TRAILER;
}

static void take_body(struct sim_reply *reply, struct base_str *bytes,
		      const struct sim_reply_ops *ops, void *ctx)
{
	const size_t len = bytes->len < reply->body_left ? bytes->len : (size_t)reply->body_left;

	if (len > 0)
		ops->body(ctx, base_str_take(*bytes, len));
	*bytes = base_str_skip(*bytes, len);
	reply->body_left -= len;
}

static void take_trailer(struct sim_reply *reply, const struct sim_reply_ops *ops, void *ctx)
{
	if (head_is_whole(&reply->head)) {
		base_buf_clear(&reply->head);
		reply->state = SIM_REPLY_DONE;
		ops->end(ctx);
	}
}

static void feed_line(struct sim_reply *reply, struct base_str *bytes,
		      const struct sim_reply_ops *ops, void *ctx)
{
	if (!take_line(reply, bytes))
		return;
	if (reply->state == SIM_REPLY_HEAD && head_is_whole(&reply->head)) {
		parse_head(reply, ops, ctx);
	} else if (reply->state == SIM_REPLY_CHUNK_SIZE) {
		parse_chunk_size(reply);
	} else if (reply->state == SIM_REPLY_CHUNK_END) {
		base_buf_clear(&reply->head);
		reply->state = SIM_REPLY_CHUNK_SIZE;
	} else if (reply->state == SIM_REPLY_TRAILER) {
		take_trailer(reply, ops, ctx);
	}
}

void sim_reply_feed(struct sim_reply *reply, struct base_str bytes, const struct sim_reply_ops *ops,
		    void *ctx)
{
	while (bytes.len > 0 || (reply->state == SIM_REPLY_LENGTH && reply->body_left == 0)) {
		switch (reply->state) {
		case SIM_REPLY_LENGTH:
			take_body(reply, &bytes, ops, ctx);
			if (reply->body_left == 0) {
				reply->state = SIM_REPLY_DONE;
				ops->end(ctx);
			}
			break;
		case SIM_REPLY_CHUNK_DATA:
			take_body(reply, &bytes, ops, ctx);
			if (reply->body_left == 0)
				reply->state = SIM_REPLY_CHUNK_END;
			break;
		case SIM_REPLY_UNTIL_CLOSE: ops->body(ctx, bytes); return;
		case SIM_REPLY_DONE: reply->state = SIM_REPLY_BROKEN; return;
		case SIM_REPLY_BROKEN: return;
		case SIM_REPLY_HEAD:
		case SIM_REPLY_CHUNK_SIZE:
		case SIM_REPLY_CHUNK_END:
		case SIM_REPLY_TRAILER: feed_line(reply, &bytes, ops, ctx); break;
		}
	}
}

enum subject_end sim_reply_cut_short(const struct sim_reply *reply, bool reset)
{
	if (reset)
		return SUBJECT_END_RESET;
	if (reply->state == SIM_REPLY_UNTIL_CLOSE)
		return SUBJECT_END_EOF;
	if (reply->state == SIM_REPLY_HEAD && reply->head.len == 0)
		return SUBJECT_END_EARLY_EOF;
	return SUBJECT_END_CUT;
}
