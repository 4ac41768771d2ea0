/* Which cluster, which user: the context, the overrides, the checks; or the pod's service account. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "informer/live/kubeconfig_parts.h"

#define POD_FOLDER "/var/run/secrets/kubernetes.io/serviceaccount"

static enum base_code out_of_memory(struct base_error *error)
{
	return base_fail(error, BASE_ENOMEM, "no memory for the configuration");
}

static char *copy(struct live_kubeconfig *config, const char *text)
{
	return live_pool_text(&config->pool, base_str(text));
}

static const struct live_entry *find(const struct live_kubeconfig *config, enum live_list list,
				     const char *name)
{
	for (const struct live_entry *e = config->lists[list]; e != NULL; e = e->next)
		if (strcmp(e->name, name) == 0)
			return e;
	return NULL;
}

/* "FILE:LINE:COLUMN" of an entry; without one the files that were read. */
static const char *where(const struct live_kubeconfig *config, struct live_place place, char *room,
			 size_t size)
{
	if (place.file != NULL)
		snprintf(room, size, "%s:%u:%u", place.file, place.line, place.column);
	else
		snprintf(room, size, "%s", config->files != NULL ? config->files : "no file");
	return room;
}

static void known_names(const struct live_kubeconfig *config, enum live_list list, char *room,
			size_t size)
{
	size_t len = 0;

	room[0] = '\0';
	for (const struct live_entry *e = config->lists[list]; e != NULL && len + 1 < size;
	     e = e->next)
		len += (size_t)snprintf(room + len, size - len, "%s%s", len != 0 ? ", " : "",
					e->name);
	if (len == 0)
		snprintf(room, size, "none");
}

static enum base_code unknown(struct live_kubeconfig *config, enum live_list list,
			      struct live_place place, const char *name, struct base_error *error)
{
	static const char *const words[] = {"cluster", "user", "context"};
	char names[160], at[200];

	known_names(config, list, names, sizeof names);
	return live_kubeconfig_mistake(config, error, "%s: there is no %s \"%.80s\"; there are: %s",
				       where(config, place, at, sizeof at), words[list], name,
				       names);
}

/* ---- Overrides (B-5) ---- */

static enum base_code take(struct live_kubeconfig *config, const char *from, char **to)
{
	if (from == NULL)
		return BASE_OK;
	*to = copy(config, from);
	return *to != NULL ? BASE_OK : BASE_ENOMEM;
}

static enum base_code take_groups(struct live_kubeconfig *config, struct live_texts *to)
{
	const struct live_kubeconfig_options *options = config->options;
	enum base_code code = BASE_OK;

	if (options->as_group_count == 0)
		return BASE_OK;
	to->count = 0;
	to->items = live_pool_get(&config->pool, options->as_group_count * sizeof *to->items);
	if (to->items == NULL)
		return BASE_ENOMEM;
	for (size_t i = 0; code == BASE_OK && i < options->as_group_count; i++)
		code = take(config, options->as_groups[i], &to->items[to->count++]);
	return code;
}

static enum base_code override(struct live_kubeconfig *config)
{
	const struct live_kubeconfig_options *options = config->options;
	struct live_cluster *cluster = &config->chosen_cluster;
	struct live_user *user = &config->chosen_user;

	if (options->server != NULL)
		cluster->server_name = NULL;
	if (options->insecure || options->authority_file != NULL) {
		cluster->insecure = options->insecure;
		cluster->authority_file = NULL;
		cluster->authority_pem = (struct base_str){0};
	}
	if (options->token != NULL)
		user->token_file = NULL;
	enum base_code code = take(config, options->server, &cluster->server);
	if (code == BASE_OK)
		code = take(config, options->server_name, &cluster->server_name);
	if (code == BASE_OK)
		code = take(config, options->authority_file, &cluster->authority_file);
	if (code == BASE_OK)
		code = take(config, options->token, &user->token);
	if (code == BASE_OK)
		code = take(config, options->as, &user->as);
	return code == BASE_OK ? take_groups(config, &user->as_groups) : code;
}

/* ---- Checks (B-6, B-10) ---- */

/* Scheme in front, no slash at the end. */
static enum base_code normal_server(struct live_kubeconfig *config, struct base_error *error)
{
	struct live_cluster *cluster = &config->chosen_cluster;
	struct base_str url = base_str_trim(base_str(cluster->server));
	const bool has_scheme = base_str_find(url, BASE_STR("://")) != SIZE_MAX;
	char at[200];

	while (url.len != 0 && url.ptr[url.len - 1] == '/')
		url.len--;
	if (url.len == 0)
		return live_kubeconfig_mistake(
			config, error,
			"%s: cluster \"%s\" has no server: it has to be a URL as "
			"https://10.0.0.1:6443",
			where(config, cluster->entry.place, at, sizeof at),
			cluster->entry.name != NULL ? cluster->entry.name : "");
	if (has_scheme && !base_str_starts(url, BASE_STR("https://")) &&
	    !base_str_starts(url, BASE_STR("http://")))
		return live_kubeconfig_mistake(
			config, error, "%s: server \"%.*s\" has to begin with https:// or http://",
			where(config, cluster->entry.place, at, sizeof at), BASE_STR_ARG(url));
	if (base_str_find_char(url, '@') != SIZE_MAX || base_str_find_char(url, '?') != SIZE_MAX ||
	    base_str_find_char(url, '#') != SIZE_MAX)
		return live_kubeconfig_mistake(
			config, error,
			"%s: a server is scheme, host, port and path, without user, "
			"query or fragment",
			where(config, cluster->entry.place, at, sizeof at));
	char *normal = live_pool_get(&config->pool, url.len + sizeof "http://");
	if (normal == NULL)
		return out_of_memory(error);
	snprintf(normal, url.len + sizeof "http://", "%s%.*s", has_scheme ? "" : "http://",
		 BASE_STR_ARG(url));
	cluster->server = normal;
	return BASE_OK;
}

/* Without https nothing is sent that proves who we are, and nothing of TLS counts (B-6). */
static void strip_for_plain(struct live_kubeconfig *config)
{
	struct live_cluster *cluster = &config->chosen_cluster;
	struct live_user *user = &config->chosen_user;

	if (user->token != NULL || user->token_file != NULL || user->exec != NULL ||
	    user->password != NULL || user->certificate_file != NULL ||
	    user->certificate_pem.len != 0)
		live_kubeconfig_warn(config,
				     "server %s is not https: the credentials of user \"%s\" are "
				     "not sent",
				     cluster->server,
				     user->entry.name != NULL ? user->entry.name : "");
	const struct live_user plain = {.entry = user->entry,
					.as = user->as,
					.as_uid = user->as_uid,
					.as_groups = user->as_groups,
					.as_extra = user->as_extra};
	*user = plain;
	cluster->authority_file = NULL;
	cluster->authority_pem = (struct base_str){0};
	cluster->insecure = false;
	cluster->server_name = NULL;
}

static void check_cluster(struct live_kubeconfig *config, struct base_error *error)
{
	struct live_cluster *cluster = &config->chosen_cluster;
	const char *name = cluster->entry.name != NULL ? cluster->entry.name : "";
	char at[200];

	where(config, cluster->entry.place, at, sizeof at);
	if (cluster->authority_file != NULL && cluster->authority_pem.len != 0)
		live_kubeconfig_mistake(config, error,
					"%s: cluster \"%s\" has both certificate-authority and "
					"certificate-authority-data: one of them has to go",
					at, name);
	if (cluster->insecure &&
	    (cluster->authority_file != NULL || cluster->authority_pem.len != 0))
		live_kubeconfig_mistake(config, error,
					"%s: cluster \"%s\" has an authority and "
					"insecure-skip-tls-verify: one of them has to go",
					at, name);
}

static enum base_code load_authority(struct live_kubeconfig *config, struct base_error *error)
{
	struct live_cluster *cluster = &config->chosen_cluster;
	struct base_error own = {0};
	struct base_buf pem;
	char at[200];

	if (cluster->authority_file == NULL)
		return BASE_OK;
	base_buf_init(&pem, config->pool.alloc, (size_t)8 << 20);
	enum base_code code = live_read_file(cluster->authority_file, &pem, &own);
	if (code == BASE_OK &&
	    base_str_find(base_buf_peek(&pem), BASE_STR("-----BEGIN")) == SIZE_MAX)
		code = base_fail(&own, BASE_EINVAL, "%s: there is no PEM certificate in it",
				 cluster->authority_file);
	if (code == BASE_OK) {
		cluster->authority_pem.ptr = live_pool_text(&config->pool, base_buf_peek(&pem));
		cluster->authority_pem.len = pem.len;
		if (cluster->authority_pem.ptr == NULL)
			code = BASE_ENOMEM;
	} else if (code != BASE_ENOMEM) {
		code = live_kubeconfig_mistake(
			config, error, "%s: certificate-authority of cluster \"%s\": %s",
			where(config, cluster->entry.place, at, sizeof at),
			cluster->entry.name != NULL ? cluster->entry.name : "", own.text);
	}
	base_buf_release(&pem);
	return code == BASE_ENOMEM ? out_of_memory(error) : code;
}

/* Told of the user, one after the other. */
static void told(struct live_kubeconfig *config, struct live_place place, bool wrong,
		 const char *what, struct base_error *error)
{
	const struct live_user *user = &config->chosen_user;
	char at[200];

	if (wrong)
		live_kubeconfig_mistake(config, error, "%s: user \"%s\" %s",
					where(config, place, at, sizeof at),
					user->entry.name != NULL ? user->entry.name : "", what);
}

static void check_proofs(struct live_kubeconfig *config, struct base_error *error)
{
	const struct live_user *user = &config->chosen_user;
	const bool certificate = user->certificate_file != NULL || user->certificate_pem.len != 0;
	const bool key = user->key_file != NULL || user->key_pem.len != 0;
	const struct {
		bool wrong;
		const char *what;
	} rows[] = {
		{user->certificate_file != NULL && user->certificate_pem.len != 0,
		 "has both client-certificate and client-certificate-data: one of them has to go"},
		{user->key_file != NULL && user->key_pem.len != 0,
		 "has both client-key and client-key-data: one of them has to go"},
		{certificate && !key,
		 "has a client certificate and no key: client-key or client-key-data is needed"},
		{key && !certificate, "has a client key and no certificate: client-certificate or "
				      "client-certificate-data is needed"},
		{(user->username != NULL || user->password != NULL) &&
			 (user->token != NULL || user->token_file != NULL),
		 "has a password and a token: one of them has to go"},
		{(user->username == NULL) != (user->password == NULL),
		 "has one of username and password: both are needed"},
		{user->auth_provider != NULL,
		 "has an auth-provider: client-go dropped these in 1.26, an exec plugin takes its "
		 "place"},
		{user->as == NULL && (user->as_uid != NULL || user->as_groups.count != 0 ||
				      user->as_extra.count != 0),
		 "has as-uid, as-groups or as-user-extra without as: the user to act as is needed"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		told(config, user->entry.place, rows[i].wrong, rows[i].what, error);
}

static bool is_empty(const char *text)
{
	return text == NULL || text[0] == '\0';
}

static void read_interactive(struct live_exec *exec)
{
	static const char *const words[] = {
		[LIVE_INTERACTIVE_NEVER] = "Never",
		[LIVE_INTERACTIVE_IF_AVAILABLE] = "IfAvailable",
		[LIVE_INTERACTIVE_ALWAYS] = "Always",
	};

	for (unsigned i = LIVE_INTERACTIVE_NEVER; i <= LIVE_INTERACTIVE_ALWAYS; i++)
		if (exec->interactive_word != NULL && strcmp(exec->interactive_word, words[i]) == 0)
			exec->interactive = (enum live_interactive)i;
}

static void check_exec(struct live_kubeconfig *config, struct live_exec *exec,
		       struct base_error *error)
{
	static const char group[] = "client.authentication.k8s.io/";
	const char *version = exec->api_version != NULL ? exec->api_version : "";
	const char *short_version =
		strncmp(version, group, sizeof group - 1) == 0 ? version + sizeof group - 1 : "";
	const bool v1 = strcmp(short_version, "v1") == 0;
	const bool known = v1 || strcmp(short_version, "v1beta1") == 0;
	const bool alpha = strcmp(short_version, "v1alpha1") == 0;
	const char *refused = NULL;
	char room[BASE_ERROR_TEXT_MAX];
	bool nameless = false;

	read_interactive(exec);
	for (size_t i = 0; i < exec->env.count; i++)
		nameless = nameless || is_empty(exec->env.items[i].name);
	if (!is_empty(exec->command))
		refused = live_plugin_refused(config, exec->command, room, sizeof room);
	const bool no_mode = exec->interactive == LIVE_INTERACTIVE_UNSET;
	const struct {
		bool wrong;
		const char *what;
	} rows[] = {
		{is_empty(exec->command), "exec has no command"},
		{version[0] == '\0',
		 "exec has no apiVersion: client.authentication.k8s.io/v1 is the present one"},
		{alpha,
		 "exec has apiVersion v1alpha1, which nobody speaks since 1.24: the plugin has "
		 "to be brought up to client.authentication.k8s.io/v1"},
		{version[0] != '\0' && !alpha && !known,
		 "exec has an unknown apiVersion: it has to be client.authentication.k8s.io/v1 or "
		 "client.authentication.k8s.io/v1beta1"},
		{exec->interactive_word != NULL && no_mode,
		 "exec has an unknown interactiveMode: it has to be Never, IfAvailable or Always"},
		{exec->interactive_word == NULL && no_mode && v1,
		 "exec has no interactiveMode, which v1 asks for: Never, IfAvailable or Always"},
		{nameless, "exec has an env entry with an empty name"},
		{refused != NULL, refused != NULL ? refused : ""},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		told(config, exec->place, rows[i].wrong, rows[i].what, error);
	if (no_mode)
		exec->interactive = LIVE_INTERACTIVE_IF_AVAILABLE;
}

static void warn_of_mode(const struct live_kubeconfig *config, const char *path)
{
	struct stat state;

	if (path != NULL && stat(path, &state) == 0 && (state.st_mode & (S_IRGRP | S_IROTH)) != 0)
		live_kubeconfig_warn(config,
				     "%s is a credential and others can read it (mode %04o): chmod "
				     "600 makes it yours alone",
				     path, (unsigned)(state.st_mode & 07777));
}

static void check_user(struct live_kubeconfig *config, struct base_error *error)
{
	const struct live_user *user = &config->chosen_user;

	check_proofs(config, error);
	if (user->exec != NULL)
		check_exec(config, user->exec, error);
	warn_of_mode(config, user->key_file);
	warn_of_mode(config, user->token_file);
}

/* ---- The choice ---- */

static enum base_code pick_entry(struct live_kubeconfig *config, enum live_list list,
				 const char *name, struct live_place place, void *into, size_t size,
				 struct base_error *error)
{
	if (name == NULL || name[0] == '\0')
		return BASE_OK;
	const struct live_entry *entry = find(config, list, name);
	if (entry == NULL)
		return unknown(config, list, place, name, error);
	memcpy(into, entry, size);
	return BASE_OK;
}

static enum base_code no_configuration(const struct live_kubeconfig *config,
				       struct base_error *error)
{
	return base_fail(error, BASE_ENOENT,
			 "no configuration: %s has no cluster, and this is no pod. Name a "
			 "kubeconfig with --kubeconfig or KUBECONFIG",
			 config->files != NULL ? config->files : "nothing that was looked for");
}

static enum base_code pick(struct live_kubeconfig *config, struct base_error *error)
{
	const struct live_kubeconfig_options *options = config->options;
	const char *name = options->context != NULL ? options->context : config->current_context;
	const struct live_context *context = NULL;
	struct live_place place = {0};
	char names[160];

	if (name != NULL) {
		const struct live_entry *entry = find(config, LIVE_CONTEXTS, name);

		if (options->context == NULL)
			place = config->current_place;
		if (entry == NULL)
			return unknown(config, LIVE_CONTEXTS, place, name, error);
		context = (const struct live_context *)(const void *)entry;
		place = entry->place;
	} else if (options->cluster == NULL && options->server == NULL) {
		known_names(config, LIVE_CONTEXTS, names, sizeof names);
		return live_kubeconfig_mistake(
			config, error,
			"%.200s: there is no current-context, and none was named; there "
			"are: %s",
			config->files != NULL ? config->files : "no file", names);
	}
	config->target.context = name;
	enum base_code code = pick_entry(config, LIVE_CLUSTERS,
					 options->cluster != NULL ? options->cluster
					 : context != NULL        ? context->cluster
								  : NULL,
					 place, &config->chosen_cluster,
					 sizeof config->chosen_cluster, error);
	if (pick_entry(config, LIVE_USERS,
		       options->user != NULL ? options->user
		       : context != NULL     ? context->user
					     : NULL,
		       place, &config->chosen_user, sizeof config->chosen_user, error) != BASE_OK)
		code = BASE_EINVAL;
	if (code == BASE_OK && context != NULL && context->namespace_name != NULL &&
	    context->namespace_name[0] != '\0')
		config->target.namespace_name = context->namespace_name;
	return code;
}

static enum base_code finish(struct live_kubeconfig *config, struct base_error *error)
{
	struct live_target *target = &config->target;

	target->cluster = &config->chosen_cluster;
	target->user = &config->chosen_user;
	if (config->options->namespace_name != NULL) {
		target->namespace_name = copy(config, config->options->namespace_name);
		if (target->namespace_name == NULL)
			return out_of_memory(error);
	}
	target->namespace_given = target->namespace_name != NULL;
	if (target->namespace_name == NULL)
		target->namespace_name = "default";
	return BASE_OK;
}

enum base_code live_kubeconfig_choose(struct live_kubeconfig *config, struct base_error *error)
{
	const struct live_kubeconfig_options *options = config->options;
	const bool empty = config->lists[LIVE_CLUSTERS] == NULL &&
			   config->lists[LIVE_CONTEXTS] == NULL && config->current_context == NULL;
	enum base_code code;

	if (empty && options->server == NULL && options->context == NULL &&
	    options->cluster == NULL) {
		code = live_kubeconfig_pod(config, error);
		if (code == BASE_ENOENT)
			return no_configuration(config, error);
	} else {
		code = pick(config, error);
	}
	if (code != BASE_OK)
		return code;
	if (override(config) != BASE_OK)
		return out_of_memory(error);
	/* What is wrong with one of them does not hide what is wrong with the others. */
	code = normal_server(config, error);
	if (code == BASE_ENOMEM)
		return code;
	if (code == BASE_OK &&
	    !base_str_starts(base_str(config->chosen_cluster.server), BASE_STR("https://")))
		strip_for_plain(config);
	check_cluster(config, error);
	check_user(config, error);
	code = load_authority(config, error);
	if (code == BASE_OK && config->mistakes != 0)
		code = BASE_EINVAL;
	return code == BASE_OK ? finish(config, error) : code;
}
