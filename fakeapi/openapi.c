#include "fakeapi/openapi.h"

enum base_code fakeapi_openapi_answer(struct fakeapi_call *call, struct base_str path,
				      struct fakeapi_reply *reply)
{
	(void)call;
	(void)path;
	(void)reply;
	return BASE_OK;
}
