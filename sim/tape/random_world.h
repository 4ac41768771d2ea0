/* The world behind a random tape: objects that come and go while answers are made. Only for sim/tape/random*.c. */
#ifndef SIM_TAPE_RANDOM_WORLD_H
#define SIM_TAPE_RANDOM_WORLD_H

#include "base/buf.h"
#include "base/prng.h"
#include "sim/subject.h"

#define WORLD_NAMES_MAX 12
#define WORLD_SECOND_NS UINT64_C(1000000000)

struct world {
	struct base_prng *random;
	struct base_buf *out;
	struct base_buf text; /* scratch for one body or line */
	enum subject_flavour flavour;
	const char *kind, *api_version, *list_kind, *list_version;
	/* in per cent; each tape has its own, so that some are calm and some are not */
	uint64_t odd, failing, splitting;
	uint64_t rv;
	bool on_grid;   /* everything happens at tenths of seconds: many things at one instant */
	uint64_t ticks; /* else: odd nanoseconds, so that no two instants meet by chance */
	bool scattered; /* over namespaces, some in none */
	bool exists[WORLD_NAMES_MAX];
	uint64_t versions[WORLD_NAMES_MAX];
	unsigned lives[WORLD_NAMES_MAX]; /* each has its own uid */
};

/* Draws what the tape is like, and what exists in the beginning. */
void world_init(struct world *w, struct base_prng *random, struct base_buf *out);
void world_release(struct world *w);

uint64_t world_below(struct world *w, uint64_t bound);
bool world_chance(struct world *w, uint64_t percent);
/* Once in so many when the tape is as odd as can be; never when it is not odd. */
bool world_is_odd(struct world *w, uint64_t once_in);
void world_put(struct base_buf *out, const char *text);
/* A time up to max_ms. */
uint64_t world_some_ns(struct world *w, uint64_t max_ms);

/* One change of the world; its name. *type: what a watch says of it. */
size_t world_change(struct world *w, const char **type);
/* A version as a server would say it, or an older one, or none, or one that is no number. */
void world_version(struct world *w, uint64_t version, char *out, size_t size);
/* Into w->text. */
void world_put_object(struct world *w, const char *kind, size_t name, const char *rv);
/* "resourceVersion" and what else the metadata of a list has, with braces. */
void world_put_list(struct world *w);

/* ---- sim/tape/random_answer.c ---- */

/* The members of an answer, without braces. */
void world_put_stream(struct world *w, bool initial, bool last);
void world_put_body(struct world *w);
void world_put_failure(struct world *w);

#endif
