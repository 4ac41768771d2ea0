/* Comments of a YAML file and what they belong to: libyaml throws them away, the formatter keeps them. */
#ifndef SIM_SCENARIO_COMMENTS_H
#define SIM_SCENARIO_COMMENTS_H

#include "sim/scenario/node.h"

struct scenario_comment {
	uint32_t line;
	bool beside;          /* behind something on its line */
	struct base_str text; /* from the # on */
	/* The key, or the list's element, that it stands above or beside; NULL: at the end of the file. */
	const struct scenario_node *owner;
};

/* In the order of the file. top: the document. */
void scenario_comments_find(struct scenario_reader *reader, uint32_t file,
			    const struct scenario_node *top, struct scenario_vec *comments);

#endif
