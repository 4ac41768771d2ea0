#include <inttypes.h>
#include <stdio.h>

#include "fakeapi/proto.h"
#include "fakeapi/size.h"

enum {
	STORE_MAX = 1536 * 1024, /* a write, in the store */
	SENT_MAX = 2048 * 1024,  /* a write, on the way there */
	SMALL = 512 * 1024,      /* JSON of that size is never too large */
	HEADER = 16,             /* the store puts the number of the request before it */
};

static size_t varint(size_t value)
{
	size_t size = 1;
	for (; value >= 128; value >>= 7)
		size++;
	return size;
}

/* A field with a length before it, its number below 16. */
static size_t field(size_t len)
{
	return 1 + varint(len) + len;
}

static size_t key_len(const struct fakeapi_write *w)
{
	const struct fakeapi_facts *facts = &w->call->facts;
	struct base_str name = fakeapi_draft_text(&w->draft, FAKEAPI_META_NAME);
	size_t len = sizeof "/registry/" - 1 + strlen(w->resource->plural) + 1 + name.len;
	if (facts->namespace_.len != 0)
		len += facts->namespace_.len + 1;
	if (w->resource->custom)
		len += strlen(w->resource->group) + 1;
	return len;
}

/* The bytes of "if that key is still at that revision, put this": create compares with 0. */
static size_t request_len(size_t key, size_t value, uint64_t old_rv)
{
	size_t compare = field(2 + field(key) + 1 + varint(old_rv));
	size_t put = field(field(field(key) + field(value)));
	size_t get = old_rv != 0 ? field(field(field(key))) : 0;
	return compare + put + get;
}

enum base_code fakeapi_size_check(struct fakeapi_write *w, struct base_str object)
{
	/* The version is not stored, but in the object here. */
	struct base_str rv = base_json_path(object, 2, "metadata", "resourceVersion");
	size_t unquoted = rv.len < 2 ? 0 : rv.len - 2, value = object.len + 1, len;
	struct base_buf bytes;
	enum base_code code = BASE_OK;
	char text[160];

	if (object.len < SMALL)
		return BASE_OK;
	base_buf_init(&bytes, w->alloc, BASE_BUF_MAX_DEFAULT);
	if (w->resource->custom) {
		value -= rv.len == 0 ? 0 : rv.len + sizeof "\"resourceVersion\":," - 1;
	} else {
		code = fakeapi_proto_write(object, &bytes);
		value = bytes.len - unquoted;
		if (code == BASE_EINVAL) { /* a kind without: as it is */
			value = object.len + 1;
			code = BASE_OK;
		}
	}
	base_buf_release(&bytes);
	if (code != BASE_OK)
		return code;
	len = request_len(key_len(w), value, w->old != NULL ? w->old->rv : 0);
	if (len > SENT_MAX)
		(void)snprintf(text, sizeof text,
			       "rpc error: code = ResourceExhausted desc = trying to send message "
			       "larger than max (%zu vs. %d)",
			       len, SENT_MAX);
	else if (field(len) + HEADER > STORE_MAX)
		(void)snprintf(text, sizeof text, "etcdserver: request is too large");
	else
		return BASE_OK;
	return fakeapi_reply_raw_error(w->reply, 500, base_str(text));
}
