#include "fakeapi/openapi.h"

enum base_code fakeapi_openapi_schema(const struct fakeapi_resource *resource, struct base_buf *out)
{
	(void)resource;
	return base_buf_text(out, "\"type\":\"object\"");
}

enum base_code fakeapi_openapi_types(bool *any, struct fakeapi *f, struct base_str group,
				     struct base_str version, struct base_buf *out)
{
	(void)any;
	(void)f;
	(void)group;
	(void)version;
	(void)out;
	return BASE_OK;
}
