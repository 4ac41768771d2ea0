/* A file with a history, read line by line. */
#ifndef SIM_COMMAND_HISTORY_H
#define SIM_COMMAND_HISTORY_H

#include "sim/command/command.h"
#include "sim/history/history.h"

struct history_file {
	const char *path;
	uint64_t records;
	size_t lines, blanks; /* read; blank ones among them */
	bool cut;             /* the last line ends in the middle: the writer was killed */
	bool finished;        /* a FINISH record is there */
	bool of_clients; /* nothing but requests is told of clients: seen from the server's side */
	bool begun;      /* a BEGIN record is there */
	char title[256], variant[256];
	uint64_t end_ns;
};

typedef void history_take_fn(void *self, const struct hist_record *record, size_t line);

/* Reads it and hands on every record. COMMAND_HELD, or COMMAND_USAGE with "FILE:LINE:COLUMN: …" on stderr. A
 * last line that is cut off is left out and said in the figures. take may be NULL. */
int history_read(struct history_file *file, const char *path, history_take_fn *take, void *self);
/* All of it; NULL with a message. records_max more: NULL. */
struct hist *history_load(const char *path);

#endif
