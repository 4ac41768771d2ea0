/* Between the parts of the kubeconfig: reading one file, choosing a target. */
#ifndef INFORMER_LIVE_KUBECONFIG_PARTS_H
#define INFORMER_LIVE_KUBECONFIG_PARTS_H

#include "informer/live/kubeconfig.h"
#include "informer/live/pool.h"

struct live_kubeconfig {
	struct live_pool pool;
	const struct live_kubeconfig_options *options; /* only while it is loaded */
	struct live_entry *lists[LIVE_LISTS];
	char *files; /* those that were looked for, for messages */
	bool found;  /* at least one of them was there */
	size_t mistakes;
	struct live_texts plugin_names; /* of the policy, when it is a list */
	enum live_plugins plugins;
	char *current_context;
	struct live_place current_place;
	struct live_cluster chosen_cluster;
	struct live_user chosen_user;
	struct live_target target;
};

void live_kubeconfig_warn(const struct live_kubeconfig *config, const char *format, ...)
	BASE_PRINTF(2, 3);
/* One mistake: told, counted, and kept in error when it is the first. BASE_EINVAL. Format: "FILE:LINE:COLUMN: what",
 * without a credential. */
enum base_code live_kubeconfig_mistake(struct live_kubeconfig *config, struct base_error *error,
				       const char *format, ...) BASE_PRINTF(3, 4);
const char *live_kubeconfig_env(const struct live_kubeconfig *config, const char *name);

/* Adds what a file has to what is known; entries that are known stay as they are. BASE_ENOENT: no such file. */
enum base_code live_kubeconfig_read(struct live_kubeconfig *config, const char *path,
				    struct base_error *error) BASE_MUST_CHECK;

/* Which plugins may run: from the options, or from kubectl's file of preferences. BASE_EINVAL: a mistake in it. */
enum base_code live_kuberc_read(struct live_kubeconfig *config, struct base_error *error)
	BASE_MUST_CHECK;
/* NULL when that plugin may run, else why not (into room). */
const char *live_plugin_refused(const struct live_kubeconfig *config, const char *command,
				char *room, size_t size);

/* Fills config->target from the entries and the overrides, or from the pod. */
enum base_code live_kubeconfig_choose(struct live_kubeconfig *config, struct base_error *error)
	BASE_MUST_CHECK;
/* BASE_ENOENT: this is no pod. */
enum base_code live_kubeconfig_pod(struct live_kubeconfig *config, struct base_error *error)
	BASE_MUST_CHECK;
enum base_code live_kubeconfig_proxy(struct live_kubeconfig *config, struct base_error *error)
	BASE_MUST_CHECK;

#endif
