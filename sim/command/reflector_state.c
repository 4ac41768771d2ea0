#include "sim/command/reflector_state.h"

#include <stdio.h>

#include "informer/reflector.h"
#include "sim/fatal.h"

#define ACTORS_MAX 16

/* One informer: its last move before the instant, if there was one. */
struct actor {
	struct base_str name;
	const struct hist_record *before;
};

struct actors {
	struct actor list[ACTORS_MAX];
	size_t count;
};

static struct actor *find_actor(struct actors *actors, struct base_str name)
{
	for (size_t i = 0; i < actors->count; i++)
		if (base_str_eq(actors->list[i].name, name))
			return &actors->list[i];
	if (actors->count == ACTORS_MAX)
		return NULL;
	actors->list[actors->count] = (struct actor){.name = name};
	return &actors->list[actors->count++];
}

static void find_actors(const struct hist *hist, uint64_t t_ns, struct actors *actors)
{
	*actors = (struct actors){0};
	for (size_t i = 0; i < hist_count(hist) && hist_at(hist, i)->t_ns <= t_ns; i++) {
		const struct hist_record *r = hist_at(hist, i);
		struct actor *actor = r->kind == HIST_STATE ? find_actor(actors, r->actor) : NULL;

		if (actor != NULL && r->t_ns < t_ns)
			actor->before = r;
	}
}

static const char *rules_of(struct base_str state)
{
	char word[32];
	const char *rules;

	snprintf(word, sizeof(word), "%.*s", BASE_STR_ARG(state));
	rules = inf_reflector_state_rules(word);
	return rules != NULL ? rules : "";
}

/* What the move is for. */
static const char *rule_of_move(const struct hist_record *r)
{
	for (size_t i = 0; i < inf_reflector_edge_count(); i++) {
		const struct inf_reflector_edge edge = inf_reflector_edge(i);

		if (base_str_is(r->from, edge.from) && base_str_is(r->reason, edge.event) &&
		    base_str_is(r->to, edge.to))
			return edge.rule;
	}
	return "";
}

static bool is_move(const struct hist_record *r, struct base_str actor, uint64_t t_ns)
{
	return r->kind == HIST_STATE && r->t_ns == t_ns && base_str_eq(r->actor, actor);
}

void reflector_state_text(const struct hist *hist, uint64_t t_ns, struct base_buf *out)
{
	struct actors actors;

	find_actors(hist, t_ns, &actors);
	for (size_t a = 0; a < actors.count; a++) {
		const struct actor *actor = &actors.list[a];
		const struct base_str state = actor->before != NULL ? actor->before->to
								    : BASE_STR("NEW");

		sim_must(base_buf_printf(out, "  reflector %.*s: %.*s", BASE_STR_ARG(actor->name),
					 BASE_STR_ARG(state)));
		if (actor->before != NULL)
			sim_must(base_buf_printf(
				out, " since %llu.%09llu",
				(unsigned long long)(actor->before->t_ns / 1000000000U),
				(unsigned long long)(actor->before->t_ns % 1000000000U)));
		sim_must(base_buf_printf(out, " (%s)\n", rules_of(state)));
		for (size_t i = 0; i < hist_count(hist); i++) {
			const struct hist_record *r = hist_at(hist, i);

			if (is_move(r, actor->name, t_ns))
				sim_must(base_buf_printf(out, "    --%.*s--> %.*s (%s), %s\n",
							 BASE_STR_ARG(r->reason),
							 BASE_STR_ARG(r->to), rules_of(r->to),
							 rule_of_move(r)));
		}
	}
}

static void put_member(struct base_buf *out, const char *before, struct base_str value)
{
	sim_must(base_buf_text(out, before));
	sim_must(base_buf_json_string(out, value));
}

static void put_rules(struct base_buf *out, struct base_str state)
{
	struct base_str rest = base_str(rules_of(state)), rule;
	bool found, first = true;

	sim_must(base_buf_text(out, ",\"rules\":["));
	while (rest.len > 0) {
		rest = base_str_cut(rest, ' ', &rule, &found);
		put_member(out, first ? "" : ",", rule);
		first = false;
	}
	sim_must(base_buf_char(out, ']'));
}

void reflector_state_json(const struct hist *hist, uint64_t t_ns, struct base_buf *out)
{
	struct actors actors;

	find_actors(hist, t_ns, &actors);
	sim_must(base_buf_text(out, ",\"reflectors\":["));
	for (size_t a = 0; a < actors.count; a++) {
		const struct actor *actor = &actors.list[a];
		const struct base_str state = actor->before != NULL ? actor->before->to
								    : BASE_STR("NEW");
		bool first = true;

		put_member(out, a > 0 ? ",{\"informer\":" : "{\"informer\":", actor->name);
		put_member(out, ",\"state\":", state);
		put_rules(out, state);
		sim_must(base_buf_text(out, ",\"moves\":["));
		for (size_t i = 0; i < hist_count(hist); i++) {
			const struct hist_record *r = hist_at(hist, i);

			if (!is_move(r, actor->name, t_ns))
				continue;
			put_member(out, first ? "{\"event\":" : ",{\"event\":", r->reason);
			put_member(out, ",\"to\":", r->to);
			put_rules(out, r->to);
			sim_must(base_buf_char(out, '}'));
			first = false;
		}
		sim_must(base_buf_text(out, "]}"));
	}
	sim_must(base_buf_char(out, ']'));
}
