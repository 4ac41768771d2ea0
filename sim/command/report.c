/* relist report: a history for people, as lines or as a page. */
#include "reports/report.h"

#include "sim/command/history.h"
#include "sim/fatal.h"
#include "sim/scenario/value.h"

#define PAGE_RECORDS_MAX 1000000

static const struct command_option options[] = {
	{"client", "TEXT", "only what is about actors whose name contains TEXT"},
	{"from", "TIME", "from there on, e.g. 90s"},
	{"to", "TIME", "up to there"},
	{"all", NULL, "also pieces of bodies, timers and what else is usually left out"},
	{"html", "FILE",
	 "write one page without anything outside: lanes over time, then the lines"},
};

struct showing {
	const char *client; /* NULL: all */
	uint64_t from_ns, to_ns;
	bool all;
	uint64_t shown;
	struct base_buf line;
	struct hist *hist; /* for a page; NULL: lines are printed */
};

static bool is_wanted(const struct showing *showing, const struct hist_record *record)
{
	if (record->t_ns < showing->from_ns || record->t_ns > showing->to_ns)
		return false;
	if (!showing->all && !hist_trace_shows(record))
		return false;
	return showing->client == NULL ||
	       base_str_find(record->actor, base_str(showing->client)) != SIZE_MAX;
}

static void show(void *self, const struct hist_record *record, size_t line)
{
	struct showing *showing = self;

	(void)line;
	if (!is_wanted(showing, record))
		return;
	showing->shown++;
	if (showing->hist != NULL) {
		if (hist_count(showing->hist) < PAGE_RECORDS_MAX)
			sim_must(hist_append(showing->hist, record));
		return;
	}
	base_buf_clear(&showing->line);
	sim_must(hist_trace_line(record, &showing->line));
	sim_must(base_buf_char(&showing->line, '\n'));
	fwrite(showing->line.ptr, 1, showing->line.len, stdout);
}

static int write_page(const struct showing *showing, const struct history_file *file,
		      const char *path)
{
	struct report_run run = {.file = base_str(file->path),
				 .title = base_str(file->begun ? file->title : file->path),
				 .hist = showing->hist};
	int code = COMMAND_HELD;
	struct base_buf page;

	base_buf_init(&page, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(report_html(&run, &page));
	if (!command_write_file(path, base_buf_peek(&page)))
		code = COMMAND_HARNESS;
	base_buf_release(&page);
	return code;
}

static bool read_time(const struct command_line *line, const char *name, uint64_t *out)
{
	struct base_str unit;

	if (command_value(line, name) == NULL ||
	    scenario_value_duration(base_str(command_value(line, name)), out, &unit))
		return true;
	command_usage("report: --%s %s: expected a time such as 90s", name,
		      command_value(line, name));
	return false;
}

static int run_report(const struct command_line *line)
{
	struct showing showing = {.client = command_value(line, "client"),
				  .to_ns = UINT64_MAX,
				  .all = command_flag(line, "all")};
	const char *page = command_value(line, "html");
	struct history_file file;
	int code;

	if (line->arg_count != 1)
		return command_usage("report: one HISTORY, for example journal.jsonl");
	if (!read_time(line, "from", &showing.from_ns) || !read_time(line, "to", &showing.to_ns))
		return COMMAND_USAGE;
	if (page != NULL) {
		showing.hist = hist_new(NULL);
		if (showing.hist == NULL)
			sim_fatal("out of memory");
	}
	base_buf_init(&showing.line, NULL, BASE_BUF_MAX_DEFAULT);
	code = history_read(&file, line->args[0], show, &showing);
	if (code == COMMAND_HELD && file.cut)
		fprintf(stderr, "relist: %s: line %zu ends in the middle and is left out\n",
			file.path, file.lines);
	if (code == COMMAND_HELD && page != NULL)
		code = write_page(&showing, &file, page);
	base_buf_release(&showing.line);
	hist_free(showing.hist);
	return code;
}

const struct command command_report = {
	.name = "report",
	.arguments = "HISTORY",
	.summary = "show a history, as lines or as a page",
	.text = "Prints a history (of serve, run or soak) as readable lines, in order of time, or writes a\n"
		"page of HTML: a lane for each client with its lists and watches, one for what handlers\n"
		"were told, one for changes in the cluster, one for faults, restarts and compactions.",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.run = run_report,
};
