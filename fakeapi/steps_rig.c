#include "fakeapi/steps_rig.h"

void steps_play(const struct step *steps, size_t count)
{
	struct fakeapi_config config;
	struct base_error error = {0};
	struct fakeapi *f;

	fakeapi_config_defaults(&config);
	f = fakeapi_new(&config, &error);
	REQUIRE_TRUE(f != NULL);
	for (size_t i = 0; i < count; i++) {
		const struct step *s = &steps[i];
		struct fakeapi_answer answer = {0};

		CHECK_ROW("%zu: %s %s", i, s->method, s->target);
		CHECK_INT(fakeapi_do(f, s->method, base_str(s->target), base_str(s->body), &answer),
			  BASE_OK);
		CHECK_INT(answer.status, s->status);
		CHECK_CONTAINS(answer.body.ptr, s->part);
		fakeapi_answer_release(&answer);
	}
	fakeapi_free(f);
}
