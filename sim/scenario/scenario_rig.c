#include "sim/scenario/scenario_rig.h"

#include "sim/fatal.h"

void scenario_rig_load(struct scenario_rig *rig, const char *text)
{
	scenario_diagnostics_init(&rig->diags);
	base_buf_init(&rig->printed, NULL, BASE_BUF_MAX_DEFAULT);
	(void)scenario_load_text("t.yaml", base_str(text), &rig->scenario, &rig->diags);
	sim_must(base_buf_text(&rig->printed, ""));
	sim_must(base_buf_reserve(&rig->printed, 1));
	scenario_diagnostics_print(&rig->diags, &rig->printed);
}

void scenario_rig_steps(struct scenario_rig *rig, const char *steps)
{
	struct base_buf text;
	base_buf_init(&text, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(&text,
				 "scenario: t\n"
				 "cluster: {objects: {pods: [default/a, default/b]}}\n"
				 "informer: {resource: pods, handlers: [h]}\n"
				 "steps:\n%s",
				 steps));
	scenario_rig_load(rig, text.ptr);
	base_buf_release(&text);
}

void scenario_rig_release(struct scenario_rig *rig)
{
	scenario_free(rig->scenario);
	scenario_diagnostics_release(&rig->diags);
	base_buf_release(&rig->printed);
	*rig = (struct scenario_rig){0};
}
