/* getline is POSIX 2008, and stdio's. */
#include "sim/command/history.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/fatal.h"

static void note(struct history_file *file, const struct hist_record *record)
{
	file->records++;
	file->end_ns = record->t_ns;
	file->finished = record->kind == HIST_FINISH;
	if (record->kind == HIST_BEGIN && !file->begun) {
		file->begun = true;
		snprintf(file->title, sizeof(file->title), "%.*s", BASE_STR_ARG(record->text));
		snprintf(file->variant, sizeof(file->variant), "%.*s", BASE_STR_ARG(record->key));
	}
	if (record->source == HIST_CLIENT && record->kind != HIST_REQUEST &&
	    record->kind != HIST_CANCEL)
		file->of_clients = false;
}

static int complain(const struct hist_reader *reader, const char *path,
		    const struct base_error *error)
{
	fprintf(stderr, "relist: %s:%zu:%zu: %s\n", path, reader->line, reader->column,
		error->text);
	return COMMAND_USAGE;
}

static int read_all(struct history_file *file, FILE *stream, history_take_fn *take, void *self)
{
	struct hist_reader reader;
	struct base_error error = {0};
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int code = COMMAND_HELD;

	hist_reader_init(&reader, NULL);
	while (code == COMMAND_HELD && (len = getline(&line, &size, stream)) > 0) {
		const bool whole = line[len - 1] == '\n';
		const struct base_str text = base_str_n(line, (size_t)len - (whole ? 1 : 0));
		const struct hist_record *record;

		if (hist_reader_line(&reader, text, &record, &error) != BASE_OK) {
			file->cut = !whole && reader.cut && reader.line > 1;
			if (!file->cut)
				code = complain(&reader, file->path, &error);
			break;
		}
		file->blanks += record == NULL && reader.line > 1;
		if (record == NULL)
			continue;
		note(file, record);
		if (take != NULL)
			take(self, record, reader.line);
	}
	file->lines = reader.line;
	if (code == COMMAND_HELD && ferror(stream))
		code = command_usage("%s: %s", file->path, strerror(errno));
	else if (code == COMMAND_HELD && reader.line == 0)
		code = command_usage("%s:1:1: empty: a history begins with "
				     "{\"relist\":1,\"history\":true}",
				     file->path);
	free(line);
	hist_reader_release(&reader);
	return code;
}

int history_read(struct history_file *file, const char *path, history_take_fn *take, void *self)
{
	FILE *stream = fopen(path, "rb");
	int code;

	*file = (struct history_file){.path = path, .of_clients = true};
	if (stream == NULL || command_is_directory(path)) {
		code = command_usage("%s: %s", path,
				     stream == NULL ? strerror(errno) : strerror(EISDIR));
		if (stream != NULL)
			fclose(stream);
		return code;
	}
	code = read_all(file, stream, take, self);
	fclose(stream);
	return code;
}

static void append(void *self, const struct hist_record *record, size_t line)
{
	(void)line;
	sim_must(hist_append(self, record));
}

struct hist *history_load(const char *path)
{
	struct hist *hist = hist_new(NULL);
	struct history_file file;

	if (hist == NULL)
		sim_fatal("out of memory");
	if (history_read(&file, path, append, hist) == COMMAND_HELD)
		return hist;
	hist_free(hist);
	return NULL;
}
