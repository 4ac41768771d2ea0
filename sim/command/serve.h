/* What the parts of `relist serve` and `relist ctl` share. */
#ifndef SIM_COMMAND_SERVE_H
#define SIM_COMMAND_SERVE_H

#include <limits.h>
#include <stdio.h>

#include "fakeapi/server/control.h"
#include "sim/command/command.h"
#include "sim/wire/heard.h"
#include "sim/wire/host.h"

#define SERVE_USERS_MAX 16

struct serve {
	struct wire_host host;
	struct fakeapi_control *control;
	/* The first is the administrator; `--user` adds others. */
	struct serve_user {
		char name[64], groups[192], token[33];
	} users[SERVE_USERS_MAX];
	size_t user_count;
	/* Where the kubeconfig and the state file are; made for this run and removed with it unless the user
	 * named them. */
	char folder[PATH_MAX], kubeconfig[PATH_MAX], state[PATH_MAX], journal_path[PATH_MAX];
	struct wire_heard heard;
	FILE *journal;                     /* NULL: no history is kept */
	struct base_loop_timer keep_timer; /* writes the journal, looks whether all is idle */
	uint64_t idle_ns;                  /* --until-idle; 0: never */
	uint64_t busy_at_ns, busy_mark;    /* when bytes last moved, and how many had */
	int code;
};

/* The control port's answers (serve_control.c). */
fakeapi_control_fn serve_control;
/* Writes what the history holds to the journal and drops it. */
void serve_flush(struct serve *serve);

#endif
