/* Where a cluster is and who we are there: kubeconfig files as kubectl reads them, or the service account of a
 * pod (section 21 of the behaviour: B-1 to B-15).
 *
 *   struct live_kubeconfig *config;
 *   if (live_kubeconfig_load(&options, &config, &error) != BASE_OK) …
 *   const struct live_target *target = live_kubeconfig_target(config);
 *   … live_client_new(target, …) …
 *   live_kubeconfig_free(config);
 *
 * Files: options.path alone; else those of KUBECONFIG, joined by colons; else ~/.kube/config; else, with nothing
 * in them, the pod's service account. Of two entries of one name the first file's is taken whole.
 *
 * All mistakes of all files are found at once. Each names the file, the line, the column and what would be right;
 * they and the warnings never show a credential.
 * Strings are NUL-terminated and the kubeconfig's own; NULL: not given. Everything secret is overwritten when the
 * kubeconfig is freed. Thread rule: one at a time. */
#ifndef INFORMER_LIVE_KUBECONFIG_H
#define INFORMER_LIVE_KUBECONFIG_H

#include "base/buf.h"
#include "informer/export.h"

#ifdef __cplusplus
extern "C" {
#endif

struct live_place {
	const char *file;      /* NULL: no file's (overrides, the pod's own) */
	unsigned line, column; /* 1-based */
};

struct live_texts {
	char **items;
	size_t count;
};

struct live_pair {
	char *name, *value;
};
struct live_pairs {
	struct live_pair *items;
	size_t count;
};

/* What clusters, users and contexts begin with. */
struct live_entry {
	struct live_entry *next;
	char *name;
	struct live_place place;
};

struct live_cluster {
	struct live_entry entry;
	char *server;
	char *server_name;             /* tls-server-name */
	char *authority_file;          /* certificate-authority */
	struct base_str authority_pem; /* certificate-authority-data; or read from the file */
	bool insecure;                 /* insecure-skip-tls-verify */
	char *proxy_url;
	bool disable_compression;
	char *exec_config; /* JSON of the extension client.authentication.k8s.io/exec */
};

enum live_interactive {
	LIVE_INTERACTIVE_UNSET,
	LIVE_INTERACTIVE_NEVER,
	LIVE_INTERACTIVE_IF_AVAILABLE,
	LIVE_INTERACTIVE_ALWAYS,
};

/* A plugin that prints credentials (B-12). */
struct live_exec {
	char *command; /* resolved against the file's folder when it has a slash */
	struct live_texts args;
	struct live_pairs env;
	char *api_version; /* client.authentication.k8s.io/v1 or /v1beta1 */
	char *install_hint;
	enum live_interactive interactive;
	char *interactive_word;
	bool provide_cluster_info;
	struct live_place place;
};

struct live_user {
	struct live_entry entry;
	char *certificate_file,
		*key_file; /* read at each connection's making: they may be rotated */
	struct base_str certificate_pem, key_pem; /* the -data forms */
	char *token;
	char *token_file; /* wins over token; read again while running */
	char *username, *password;
	char *as, *as_uid;
	struct live_texts as_groups;
	struct live_pairs as_extra; /* one pair for each value */
	struct live_exec *exec;
	char *auth_provider; /* its name: refused when it is chosen */
};

struct live_context {
	struct live_entry entry;
	char *cluster, *user, *namespace_name;
};

/* What one run talks to. */
struct live_target {
	const char *context;                /* NULL: none (in a pod, or an address given by hand) */
	const struct live_cluster *cluster; /* server is a whole URL without a slash at its end */
	const struct live_user *user;
	const char *namespace_name; /* never NULL: "default" when nothing says more */
	bool namespace_given;       /* by the context or an override */
	bool in_cluster;
	const char *proxy; /* proxy-url, or what the environment says for this server; NULL: none */
	bool proxy_from_env;
	bool http2_disabled; /* DISABLE_HTTP2 is set */
	/* KUBE_CLIENT_BACKOFF_BASE and KUBE_CLIENT_BACKOFF_DURATION, when both are whole numbers; 0: no backoff. */
	uint64_t backoff_base_s, backoff_max_s;
};

enum live_plugins { LIVE_PLUGINS_ALL, LIVE_PLUGINS_NONE, LIVE_PLUGINS_LISTED };

struct live_kubeconfig_options {
	const struct base_alloc *alloc;
	const char *path; /* --kubeconfig; NULL: the environment's */
	/* Overrides (B-5); NULL: as the files have it. */
	const char *context, *cluster, *user, *namespace_name;
	const char *server, *server_name, *authority_file, *token, *as;
	const char *const *as_groups;
	size_t as_group_count;
	bool insecure;
	/* Told of what is odd but no error: files that others can read, unknown keys, credentials that are
	 * not used. NULL: nobody. */
	void (*warn)(void *self, const char *text);
	void *warn_self;
	/* Told of every mistake, each with file, line and column; the error is the first, with the number of the
	 * others. NULL: nobody. */
	void (*mistake)(void *self, const char *text);
	void *mistake_self;
	/* Which credential plugins may run (B-14). */
	enum live_plugins plugins;
	const char *const *plugin_names; /* of LIVE_PLUGINS_LISTED: names or paths */
	size_t plugin_count;
	/* That policy as kubectl has it: from the file of KUBERC or ~/.kube/kuberc, when there is one. Over
	 * `plugins`, unless that is stricter than all. */
	bool kuberc;
	/* The environment; NULL: the process's. */
	const char *(*env)(void *self, const char *name);
	void *env_self;
	const char *pod_folder; /* NULL: /var/run/secrets/kubernetes.io/serviceaccount */
};

struct live_kubeconfig;

/* BASE_ENOENT: no configuration at all; BASE_EINVAL: a mistake in a file or none of that name; BASE_EIO: a file
 * that cannot be read; BASE_ENOMEM. *out is NULL then. Free with live_kubeconfig_free. */
INF_API enum base_code live_kubeconfig_load(const struct live_kubeconfig_options *options,
					    struct live_kubeconfig **out, struct base_error *error)
	BASE_MUST_CHECK;
INF_API void live_kubeconfig_free(struct live_kubeconfig *config); /* NULL is allowed */
INF_API const struct live_target *live_kubeconfig_target(const struct live_kubeconfig *config);
/* The merged entries (each begins a struct live_cluster, live_user, live_context), for those that show them. */
enum live_list { LIVE_CLUSTERS, LIVE_USERS, LIVE_CONTEXTS };
#define LIVE_LISTS 3
INF_API const struct live_entry *live_kubeconfig_list(const struct live_kubeconfig *config,
						      enum live_list list);

/* One line for people, appended: context, server, user, how it is proved; no credential in it. */
INF_API enum base_code live_target_describe(const struct live_target *target, struct base_buf *out)
	BASE_MUST_CHECK;

/* Whether NO_PROXY's list (hosts, .suffixes, addresses, networks, each with an optional port, "*") has the host
 * of a server. */
INF_API bool live_no_proxy_has(struct base_str list, struct base_str host, unsigned port);

#ifdef __cplusplus
}
#endif

#endif
