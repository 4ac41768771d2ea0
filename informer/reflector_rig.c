#include "informer/reflector_rig.h"

#include "ci/unit/assert.h"

struct reflector_rig rr;

void rr_setup(void)
{
	memset(&rr, 0, sizeof(rr));
	rig_init(&rr.host);
	rr.options = (struct inf_reflector_options){.name = BASE_STR("r"),
						    .resource = rig_config_maps()};
}

void rr_end(void)
{
	inf_reflector_free(rr.reflector);
	rr.reflector = NULL;
	rr.stopped = false;
	base_buf_clear(&rr.host.log);
}

void rr_teardown(void)
{
	rr_end();
	rig_release(&rr.host);
}

void rr_on_stopped(void *self)
{
	(void)self;
	rr.stopped = true;
	rig_log(&rr.host, "stopped\n");
}

void rr_start(bool watch_list)
{
	struct base_error error = {0};
	rr.options.watch_list = watch_list;
	rr.reflector = inf_reflector_new(&rr.host.host, &rr.options, &rr.host.sink, &error);
	REQUIRE_PTR_NOT_NULL(rr.reflector);
	inf_reflector_start(rr.reflector);
	CHECK_LOG(&rr.host, "");
	rig_run(&rr.host);
}

void rr_stop(void)
{
	inf_reflector_stop(rr.reflector, rr_on_stopped, NULL);
	inf_reflector_stop(rr.reflector, NULL, NULL); /* a second one changes nothing */
	CHECK_FALSE(rr.stopped);
	rig_run(&rr.host);
}

void rr_at(double s)
{
	rig_advance(&rr.host, (uint64_t)(s * 1e9 + 0.5) - (rr.host.now_ns - INF_S));
}

void rr_state_is(const char *want)
{
	CHECK_TEXT(inf_reflector_state_name(rr.reflector), want);
}

void rr_start_to_watch(void)
{
	rr_start(false);
	rig_reply(&rr.host, 200, NULL, LIST("10", "", CM("a", "1")));
	rig_head(&rr.host, 200, NULL);
	base_buf_clear(&rr.host.log);
	rr_state_is("WATCH_STREAM");
}
