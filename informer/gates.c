#include "informer/gates.h"

enum gate_id {
#define GATE_ID(member, name, on, locked) GATE_##member,
	INF_GATES(GATE_ID)
#undef GATE_ID
		GATE_COUNT
};

static const struct {
	const char *name;
	bool on, locked;
} gate_rules[GATE_COUNT] = {
#define GATE_RULE(member, name, on, locked) {name, on, locked},
	INF_GATES(GATE_RULE)
#undef GATE_RULE
};

static bool *gate_member(struct inf_gates *gates, size_t id)
{
	bool *const members[GATE_COUNT] = {
#define GATE_ADDRESS(member, name, on, locked) &gates->member,
		INF_GATES(GATE_ADDRESS)
#undef GATE_ADDRESS
	};

	return members[id];
}

struct inf_gates inf_gates_default(void)
{
	struct inf_gates gates;

	for (size_t i = 0; i < GATE_COUNT; i++)
		*gate_member(&gates, i) = gate_rules[i].on;
	return gates;
}

bool inf_gate_parse(struct base_str text, bool *value)
{
	static const struct {
		const char *word;
		bool value;
	} words[] = {{"1", true},    {"t", true},      {"T", true},      {"TRUE", true},
		     {"true", true}, {"True", true},   {"0", false},     {"f", false},
		     {"F", false},   {"FALSE", false}, {"false", false}, {"False", false}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (base_str_is(text, words[i].word)) {
			*value = words[i].value;
			return true;
		}
	}
	return false;
}

static size_t find(struct base_str name, struct base_error *error)
{
	for (size_t i = 0; i < GATE_COUNT; i++)
		if (base_str_is(name, gate_rules[i].name))
			return i;
	(void)base_fail(error, BASE_ENOENT, "feature gate \"%.*s\" is not known",
			BASE_STR_ARG(name));
	return GATE_COUNT;
}

enum base_code inf_gates_set(struct inf_gates *gates, struct base_str name, bool value,
			     struct base_error *error)
{
	size_t id = find(name, error);

	if (id == GATE_COUNT)
		return BASE_ENOENT;
	if (gate_rules[id].locked && value != gate_rules[id].on)
		return base_fail(error, BASE_EINVAL, "feature gate %s is locked to %s",
				 gate_rules[id].name, gate_rules[id].on ? "true" : "false");
	*gate_member(gates, id) = value;
	return BASE_OK;
}

enum base_code inf_gates_set_text(struct inf_gates *gates, struct base_str name, const char *text,
				  struct base_error *error)
{
	bool value;

	if (find(name, error) == GATE_COUNT)
		return BASE_ENOENT;
	if (text == NULL)
		return BASE_OK;
	if (!inf_gate_parse(base_str(text), &value))
		return base_fail(error, BASE_EINVAL,
				 "KUBE_FEATURE_%.*s: \"%s\" is neither true nor false",
				 BASE_STR_ARG(name), text);
	return inf_gates_set(gates, name, value, error);
}

enum base_code inf_gates_force(struct inf_gates *gates, struct base_str name, bool value,
			       struct base_error *error)
{
	size_t id = find(name, error);

	if (id == GATE_COUNT)
		return BASE_ENOENT;
	*gate_member(gates, id) = value;
	return BASE_OK;
}

enum base_code inf_gates_get(const struct inf_gates *gates, struct base_str name, bool *value,
			     struct base_error *error)
{
	struct inf_gates copy = *gates;
	size_t id = find(name, error);

	if (id == GATE_COUNT)
		return BASE_ENOENT;
	*value = *gate_member(&copy, id);
	return BASE_OK;
}
