#include "sim/scenario/keys.h"

#include "sim/fatal.h"
#include "sim/scenario/value.h"

#define SECTION_TITLE(id, title, text) title,
#define SECTION_TEXT(id, title, text) text,

const char *scenario_section_title(enum scenario_section section)
{
	static const char *const titles[] = {SCENARIO_SECTIONS(SECTION_TITLE)};
	return titles[section];
}

const char *scenario_section_text(enum scenario_section section)
{
	static const char *const texts[] = {SCENARIO_SECTIONS(SECTION_TEXT)};
	return texts[section];
}

const struct scenario_key *scenario_key_find(enum scenario_section section, struct base_str name)
{
	size_t count = 0;
	const struct scenario_key *rows = scenario_keys(&count);
	for (size_t i = 0; i < count; i++) {
		if (rows[i].section == section && base_str_is(name, rows[i].name))
			return &rows[i];
	}
	return NULL;
}

static const struct {
	unsigned form;
	const char *text;
} form_texts[] = {
	{SCENARIO_F_BOOL, "true or false"},
	{SCENARIO_F_INTEGER, "a whole number"},
	{SCENARIO_F_DURATION, "a duration (500ms, 10s, 2m)"},
	{SCENARIO_F_SIZE, "a size (100, 64KiB)"},
	{SCENARIO_F_RANGE, "a count (3, 1..2, 2..)"},
	{SCENARIO_F_WINDOW, "a time window (0.8s..1.6s)"},
	{SCENARIO_F_TEXT, "a text"},
	{SCENARIO_F_LIST, "a list"},
	{SCENARIO_F_SET, "a set {a, b}"},
	{SCENARIO_F_MAP, "a mapping"},
	{SCENARIO_F_NAMED, "a mapping by name"},
	{SCENARIO_F_EMPTY, "nothing"},
};

struct base_str scenario_forms_text(struct scenario_arena *arena, unsigned forms, unsigned items,
				    const char *words)
{
	struct base_buf buf;
	base_buf_init(&buf, NULL, BASE_BUF_MAX_DEFAULT);
	const char *between = "";
	if ((forms & SCENARIO_F_WORD) != 0 && words != NULL) {
		struct base_str rest = base_str_trim(base_str(words)), word;
		bool found = true;
		while (found) {
			rest = base_str_cut(rest, ' ', &word, &found);
			sim_must(base_buf_printf(&buf, "%s`%.*s`", between, BASE_STR_ARG(word)));
			between = ", ";
		}
	}
	for (size_t i = 0; i < sizeof(form_texts) / sizeof(form_texts[0]); i++) {
		if ((forms & form_texts[i].form) == 0)
			continue;
		sim_must(base_buf_printf(&buf, "%s%s", between, form_texts[i].text));
		if (form_texts[i].form == SCENARIO_F_LIST && items == SCENARIO_F_TEXT)
			sim_must(base_buf_text(&buf, " of texts"));
		between = ", ";
	}
	struct base_str out = scenario_arena_str(arena, base_buf_peek(&buf));
	base_buf_release(&buf);
	return out;
}

/* ---- The check ---- */

struct check {
	struct scenario_reader *reader;
	const struct scenario_key *key; /* of the value at hand */
	bool part;                      /* an included file: nothing is required at its top */
	bool ok;
};

static bool is_word(const char *words, struct base_str s)
{
	struct base_str rest = base_str_trim(base_str(words)), word;
	bool found = true;
	while (found) {
		rest = base_str_cut(rest, ' ', &word, &found);
		if (base_str_eq(word, s))
			return true;
	}
	return false;
}

static struct base_str nearest_word(const char *words, struct base_str s)
{
	struct base_str list[64], rest = base_str_trim(base_str(words));
	size_t count = 0;
	bool found = true;
	while (found && count < 64)
		rest = base_str_cut(rest, ' ', &list[count++], &found);
	return scenario_nearest(s, list, count);
}

static bool scalar_fits(unsigned forms, const char *words, const struct scenario_node *node)
{
	struct base_str s = node->text, unit;
	bool flag;
	uint64_t number;
	struct scenario_range range;
	struct scenario_window window;
	if (scenario_node_is_null(node))
		return (forms & SCENARIO_F_EMPTY) != 0;
	return ((forms & SCENARIO_F_TEXT) != 0) ||
	       ((forms & SCENARIO_F_WORD) != 0 && is_word(words, s)) ||
	       ((forms & SCENARIO_F_BOOL) != 0 && scenario_value_bool(s, &flag)) ||
	       ((forms & SCENARIO_F_INTEGER) != 0 && scenario_value_u64(s, &number)) ||
	       ((forms & SCENARIO_F_DURATION) != 0 && scenario_value_duration(s, &number, &unit)) ||
	       ((forms & SCENARIO_F_SIZE) != 0 && scenario_value_size(s, &number)) ||
	       ((forms & SCENARIO_F_RANGE) != 0 && scenario_value_range(s, &range)) ||
	       ((forms & SCENARIO_F_WINDOW) != 0 && scenario_value_window(s, &window));
}

static void wrong_value(struct check *check, const struct scenario_node *node, unsigned forms,
			unsigned items)
{
	struct scenario_arena *arena = check->reader->arena;
	const struct scenario_key *key = check->key;
	struct base_str name = base_str(key->name), unit = BASE_STR("");
	struct base_str want = scenario_forms_text(arena, forms, items, key->words);
	struct base_str hint = scenario_arena_text(arena, "expected: %s", want.ptr);
	struct base_str what = scenario_node_describe(arena, node);
	uint64_t number;
	check->ok = false;
	if (node->kind == SCENARIO_SCALAR && (forms & SCENARIO_F_DURATION) != 0 &&
	    !scenario_value_duration(node->text, &number, &unit) && node->text.len > 0 &&
	    node->text.ptr[0] >= '0' && node->text.ptr[0] <= '9') {
		struct base_str problem =
			unit.len == 0 ? scenario_arena_text(arena, "%s has no unit", what.ptr)
				      : scenario_arena_text(arena, "unknown unit \"%.*s\" in %s",
							    BASE_STR_ARG(unit), what.ptr);
		scenario_error(check->reader, node->pos, node->width,
			       BASE_STR("units are ns, us, ms, s, m, h: 500ms, 10s, 1m30s"),
			       "%s: %s", name.ptr, problem.ptr);
		return;
	}
	if (node->kind == SCENARIO_SCALAR && (forms & SCENARIO_F_WORD) != 0) {
		struct base_str near = nearest_word(key->words, node->text);
		if (near.len > 0)
			hint = scenario_arena_text(arena, "did you mean \"%.*s\"? %s",
						   BASE_STR_ARG(near), hint.ptr);
	}
	if (name.ptr[0] == '*')
		scenario_error(check->reader, node->pos, node->width, hint, "%s cannot stand here",
			       what.ptr);
	else
		scenario_error(check->reader, node->pos, node->width, hint, "%s cannot be %s",
			       name.ptr, what.ptr);
}

static void check_section(struct check *check, const struct scenario_node *node,
			  enum scenario_section section);

static void check_value(struct check *check, const struct scenario_node *node, unsigned forms,
			unsigned items)
{
	const struct scenario_key *key = check->key;
	if ((forms & SCENARIO_F_ANY) != 0 && node->kind == SCENARIO_MAPPING)
		return;
	if (node->kind == SCENARIO_SCALAR) {
		if (!scalar_fits(forms, key->words, node))
			wrong_value(check, node, forms, items);
		return;
	}
	if (node->kind == SCENARIO_MAPPING && (forms & SCENARIO_F_MAP) != 0) {
		check_section(check, node, key->inner);
		return;
	}
	if (node->kind == SCENARIO_MAPPING && (forms & SCENARIO_F_SET) != 0 &&
	    scenario_node_is_set(node))
		return;
	bool takes = node->kind == SCENARIO_SEQUENCE ? (forms & SCENARIO_F_LIST) != 0
						     : (forms & SCENARIO_F_NAMED) != 0;
	if (!takes) {
		wrong_value(check, node, forms, items);
		return;
	}
	for (size_t i = 0; i < node->count; i++)
		check_value(check, node->items[i], items, items);
}

static void unknown_key(struct check *check, const struct scenario_node *key,
			enum scenario_section section)
{
	size_t count = 0, names_count = 0;
	const struct scenario_key *rows = scenario_keys(&count);
	struct base_str *names = scenario_arena_get(check->reader->arena, count * sizeof(*names));
	struct base_buf all;
	base_buf_init(&all, NULL, BASE_BUF_MAX_DEFAULT);
	for (size_t i = 0; i < count; i++) {
		if (rows[i].section != section || rows[i].name[0] == '*')
			continue;
		sim_must(base_buf_printf(&all, "%s%s", names_count > 0 ? ", " : "", rows[i].name));
		names[names_count++] = base_str(rows[i].name);
	}
	struct base_str near = scenario_nearest(key->text, names, names_count);
	struct base_str hint =
		near.len > 0 ? scenario_arena_text(check->reader->arena, "did you mean \"%.*s\"?",
						   BASE_STR_ARG(near))
			     : scenario_arena_text(check->reader->arena, "known here: %s", all.ptr);
	base_buf_release(&all);
	check->ok = false;
	scenario_error(check->reader, key->pos, key->width, hint, "unknown key \"%s\" in %s",
		       key->text.ptr, scenario_section_title(section));
}

static void check_required(struct check *check, const struct scenario_node *node,
			   enum scenario_section section)
{
	size_t count = 0;
	const struct scenario_key *rows = scenario_keys(&count);
	if (check->part && section == SCENARIO_SEC_TOP)
		return;
	for (size_t i = 0; i < count; i++) {
		if (rows[i].section != section || !rows[i].required ||
		    scenario_node_get(node, rows[i].name) != NULL)
			continue;
		check->ok = false;
		scenario_error(check->reader, node->pos, 1, base_str(rows[i].text),
			       "\"%s\" is missing in %s", rows[i].name,
			       scenario_section_title(section));
	}
}

static void check_section(struct check *check, const struct scenario_node *node,
			  enum scenario_section section)
{
	const struct scenario_key *outer = check->key;
	for (size_t i = 0; i < node->count; i++) {
		const struct scenario_key *key = scenario_key_find(section, node->keys[i]->text);
		if (key == NULL)
			key = scenario_key_find(section, BASE_STR("*"));
		if (key == NULL) {
			unknown_key(check, node->keys[i], section);
			continue;
		}
		check->key = key;
		check_value(check, node->items[i], key->forms, key->items);
	}
	check_required(check, node, section);
	check->key = outer;
}

bool scenario_keys_check(struct scenario_reader *reader, const struct scenario_node *node,
			 enum scenario_section section, bool part)
{
	struct check check = {.reader = reader, .part = part, .ok = true};
	if (node->kind != SCENARIO_MAPPING) {
		scenario_error(reader, node->pos, node->width, BASE_STR("expected: a mapping"),
			       "%s cannot be %s", scenario_section_title(section),
			       scenario_node_describe(reader->arena, node).ptr);
		return false;
	}
	check_section(&check, node, section);
	return check.ok;
}
