/* A credential plugin: a child process that prints an ExecCredential (B-12 to B-14), run on the event loop.
 * Thread rule: the loop's thread. */
#ifndef INFORMER_LIVE_EXEC_H
#define INFORMER_LIVE_EXEC_H

#include "base/loop/loop.h"
#include "informer/live/kubeconfig.h"

/* What a plugin gave; slices are valid during the call. */
struct live_answer {
	struct base_str token;                    /* may be empty */
	struct base_str certificate_pem, key_pem; /* both or none */
	int64_t expires;                          /* seconds since 1970; 0: never */
};

struct live_plugin_options {
	const struct base_alloc *alloc;
	struct base_loop *loop;
	const struct live_exec *exec;       /* borrowed */
	const struct live_cluster *cluster; /* borrowed; told to the plugin when it asks */
	bool terminal;
	uint64_t timeout_ns; /* 0: 60 s, for one that cannot ask a person; such have 10 minutes */
	void (*warn)(void *self, const char *text);
	void *warn_self;
	/* From the loop, once for each run. answer NULL: error says why, without anything the plugin
	 * printed to standard output. */
	void (*done)(void *self, const struct live_answer *answer, const struct base_error *error);
	void *self;
};

struct live_plugin;

struct live_plugin *live_plugin_new(const struct live_plugin_options *options,
				    struct base_error *error);
/* A running one is killed; done is not called. NULL is allowed. */
void live_plugin_free(struct live_plugin *plugin);
/* BASE_EIO: it cannot be started (with its install hint), or it needs a terminal and there is none; done is not
 * called then. Not while it runs. */
enum base_code live_plugin_run(struct live_plugin *plugin, struct base_error *error)
	BASE_MUST_CHECK;
bool live_plugin_runs(const struct live_plugin *plugin);
unsigned live_plugin_count(const struct live_plugin *plugin); /* runs so far */

/* ExecCredential of an apiVersion; slices into buf or text. Also what the tests use. */
enum base_code live_answer_read(struct base_str text, const char *api_version, struct base_buf *buf,
				struct live_answer *out, struct base_error *error) BASE_MUST_CHECK;

/* RFC 3339 to seconds since 1970. */
bool live_time_read(struct base_str text, int64_t *seconds);

#endif
