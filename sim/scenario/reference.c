/* The reference of the language as Markdown, out of the table of keys. */
#include "sim/fatal.h"
#include "sim/scenario/keys.h"

/* A bar would end the table's cell. */
static void put_cell(struct base_buf *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '|')
			sim_must(base_buf_char(out, '\\'));
		sim_must(base_buf_char(out, *text));
	}
}

static void put_row(struct base_buf *out, struct scenario_arena *arena,
		    const struct scenario_key *key)
{
	struct base_str forms = scenario_forms_text(arena, key->forms, key->items, key->words);
	if (key->name[0] == '*')
		sim_must(base_buf_text(out, "| *a name* | "));
	else
		sim_must(base_buf_printf(out, "| `%s` | ", key->name));
	put_cell(out, forms.len > 0 ? forms.ptr : "part of an object");
	if (key->inner != SCENARIO_SEC_NONE)
		sim_must(base_buf_printf(out, " ([%s](#%s))", scenario_section_title(key->inner),
					 scenario_section_title(key->inner)));
	sim_must(base_buf_text(out, " | "));
	put_cell(out, key->required ? "*required*" : key->standard != NULL ? key->standard : "");
	sim_must(base_buf_text(out, " | "));
	put_cell(out, key->text);
	sim_must(base_buf_text(out, " |\n"));
}

void scenario_reference(struct base_buf *out)
{
	struct scenario_arena arena = {0};
	size_t count = 0;
	const struct scenario_key *rows = scenario_keys(&count);
	for (size_t section = SCENARIO_SEC_NONE + 1; section < SCENARIO_SEC_COUNT; section++) {
		sim_must(base_buf_printf(out,
					 "### %s\n\n%s\n\n| key | value | default | meaning |\n"
					 "|---|---|---|---|\n",
					 scenario_section_title((enum scenario_section)section),
					 scenario_section_text((enum scenario_section)section)));
		for (size_t i = 0; i < count; i++) {
			/* The verbs of a step are those of an action: once is enough. */
			bool twin = section == SCENARIO_SEC_STEP &&
				    scenario_key_find(SCENARIO_SEC_ACTION,
						      base_str(rows[i].name)) != NULL;
			if (rows[i].section == (enum scenario_section)section && !twin)
				put_row(out, &arena, &rows[i]);
		}
		sim_must(base_buf_char(out, '\n'));
	}
	scenario_arena_release(&arena);
}
