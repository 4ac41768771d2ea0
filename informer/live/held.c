#include "informer/live/held.h"

#include <openssl/crypto.h>

static struct base_str put(char **at, struct base_str text)
{
	const struct base_str copy = base_str_n(*at, text.len);

	if (text.len != 0)
		memcpy(*at, text.ptr, text.len);
	*at += text.len;
	return copy;
}

enum base_code live_hold(struct live_held *held, const struct base_alloc *alloc,
			 const struct inf_http_request *request)
{
	const size_t table = request->header_count * sizeof(struct inf_header);
	size_t size = table + request->method.len + request->path.len + request->query.len +
		      request->body.len;

	for (size_t i = 0; i < request->header_count; i++)
		size += request->headers[i].name.len + request->headers[i].value.len;
	*held = (struct live_held){.block = base_malloc(alloc, size), .size = size};
	if (held->block == NULL)
		return BASE_ENOMEM;
	struct inf_header *headers = held->block;
	char *at = (char *)held->block + table;
	for (size_t i = 0; i < request->header_count; i++) {
		headers[i].name = put(&at, request->headers[i].name);
		headers[i].value = put(&at, request->headers[i].value);
	}
	held->request = *request;
	held->request.headers = headers;
	held->request.method = put(&at, request->method);
	held->request.path = put(&at, request->path);
	held->request.query = put(&at, request->query);
	held->request.body = put(&at, request->body);
	return BASE_OK;
}

void live_held_release(struct live_held *held, const struct base_alloc *alloc)
{
	if (held->block != NULL)
		OPENSSL_cleanse(held->block, held->size);
	base_free(alloc, held->block);
	*held = (struct live_held){0};
}
