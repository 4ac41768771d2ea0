/* Variables of a recording: texts that are made of them, and the values in answers that they are taken from. */
#ifndef SIM_REPLAY_TEMPLATE_H
#define SIM_REPLAY_TEMPLATE_H

#include "base/buf.h"
#include "base/map.h"

/* ${name}, ${name+100}, ${name-1}; vars holds C strings. False with *missing when one has no value. */
bool replay_expand(const struct base_map *vars, struct base_str text, struct base_buf *out,
		   struct base_str *missing);
/* The value at "metadata.resourceVersion" or "items[0].metadata.name" in proven JSON; empty: none. */
struct base_str replay_dig(struct base_str value, struct base_str path);

#endif
