#include "informer/live/kubeconfig.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "informer/live/kubeconfig_parts.h"

#define FILES_MAX 64
#define SECONDS_MAX 1000000

void live_kubeconfig_warn(const struct live_kubeconfig *config, const char *format, ...)
{
	char text[BASE_ERROR_TEXT_MAX];
	va_list args;

	if (config->options->warn == NULL)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	config->options->warn(config->options->warn_self, text);
}

enum base_code live_kubeconfig_mistake(struct live_kubeconfig *config, struct base_error *error,
				       const char *format, ...)
{
	char text[BASE_ERROR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (config->options->mistake != NULL)
		config->options->mistake(config->options->mistake_self, text);
	if (config->mistakes++ == 0)
		base_fail(error, BASE_EINVAL, "%s", text);
	return BASE_EINVAL;
}

/* The first, and how many others there are. */
static enum base_code sum_up(const struct live_kubeconfig *config, struct base_error *error)
{
	char text[BASE_ERROR_TEXT_MAX];

	if (config->mistakes < 2 || error == NULL)
		return BASE_EINVAL;
	snprintf(text, sizeof text, "%s", error->text);
	return base_fail(error, BASE_EINVAL, "%.470s (and %zu more)", text, config->mistakes - 1);
}

const char *live_kubeconfig_env(const struct live_kubeconfig *config, const char *name)
{
	const struct live_kubeconfig_options *options = config->options;

	return options->env != NULL ? options->env(options->env_self, name) : getenv(name);
}

static enum base_code out_of_memory(struct base_error *error)
{
	return base_fail(error, BASE_ENOMEM, "no memory for the configuration");
}

/* A missing one is passed over unless it was asked for by name (B-1). */
static enum base_code read_one(struct live_kubeconfig *config, const char *path, bool wanted,
			       struct base_error *error)
{
	const enum base_code code = live_kubeconfig_read(config, path, error);

	if (code != BASE_ENOENT || wanted) {
		config->found = true;
		return code;
	}
	if (error != NULL)
		*error = (struct base_error){0};
	return BASE_OK;
}

static bool seen_before(struct base_str list, struct base_str path, const char *end)
{
	struct base_str part;
	bool more = true;

	while (more) {
		list = base_str_cut(list, ':', &part, &more);
		if (part.ptr >= end)
			return false;
		if (base_str_eq(part, path))
			return true;
	}
	return false;
}

static enum base_code read_list(struct live_kubeconfig *config, const char *list,
				struct base_error *error)
{
	struct base_str rest = base_str(list), part;
	enum base_code code = BASE_OK;
	bool more = true;

	for (size_t count = 0; more && (code == BASE_OK || code == BASE_EINVAL); count++) {
		rest = base_str_cut(rest, ':', &part, &more);
		if (part.len == 0 || seen_before(base_str(list), part, part.ptr))
			continue;
		if (count >= FILES_MAX)
			return base_fail(error, BASE_ELIMIT, "KUBECONFIG names over %d files",
					 FILES_MAX);
		const char *path = live_pool_text(&config->pool, part);
		code = path != NULL ? read_one(config, path, false, error) : out_of_memory(error);
	}
	if (code == BASE_EINVAL)
		code = BASE_OK; /* they are counted */
	if (code == BASE_OK && !config->found)
		live_kubeconfig_warn(config, "no file of KUBECONFIG is there: %s", list);
	return code;
}

static enum base_code read_home(struct live_kubeconfig *config, struct base_error *error)
{
	const char *home = live_kubeconfig_env(config, "HOME");
	static const char below[] = "/.kube/config";

	if (home == NULL || home[0] == '\0')
		return BASE_OK;
	char *path = live_pool_get(&config->pool, strlen(home) + sizeof below);
	if (path == NULL)
		return out_of_memory(error);
	memcpy(path, home, strlen(home));
	memcpy(path + strlen(home), below, sizeof below);
	config->files = path;
	return read_one(config, path, false, error);
}

static enum base_code read_files(struct live_kubeconfig *config, struct base_error *error)
{
	const char *list = live_kubeconfig_env(config, "KUBECONFIG");
	const char *path = config->options->path;

	if (path == NULL && (list == NULL || list[0] == '\0'))
		return read_home(config, error);
	config->files = live_pool_text(&config->pool, base_str(path != NULL ? path : list));
	if (config->files == NULL)
		return out_of_memory(error);
	return path != NULL ? read_one(config, path, true, error) : read_list(config, list, error);
}

/* What client-go takes from there. */
static void read_environment(struct live_kubeconfig *config)
{
	const char *without = live_kubeconfig_env(config, "DISABLE_HTTP2");
	const char *base = live_kubeconfig_env(config, "KUBE_CLIENT_BACKOFF_BASE");
	const char *most = live_kubeconfig_env(config, "KUBE_CLIENT_BACKOFF_DURATION");
	uint64_t base_s = 0, max_s = 0;

	config->target.http2_disabled = without != NULL && without[0] != '\0';
	if (base_str_u64(base_str(base), &base_s) && base_str_u64(base_str(most), &max_s) &&
	    base_s <= SECONDS_MAX && max_s <= SECONDS_MAX) {
		config->target.backoff_base_s = base_s;
		config->target.backoff_max_s = max_s;
	}
}

enum base_code live_kubeconfig_load(const struct live_kubeconfig_options *options,
				    struct live_kubeconfig **out, struct base_error *error)
{
	struct live_kubeconfig *config = base_calloc(options->alloc, 1, sizeof *config);

	*out = NULL;
	if (config == NULL)
		return out_of_memory(error);
	live_pool_init(&config->pool, options->alloc);
	config->options = options;
	enum base_code code = read_files(config, error);
	if (code == BASE_OK || code == BASE_EINVAL)
		code = live_kuberc_read(config, error);
	if (code == BASE_OK && config->mistakes == 0)
		code = live_kubeconfig_choose(config, error);
	if (code == BASE_OK && config->mistakes == 0)
		code = live_kubeconfig_proxy(config, error);
	if ((code == BASE_OK || code == BASE_EINVAL) && config->mistakes != 0)
		code = sum_up(config, error);
	read_environment(config);
	config->options = NULL;
	if (code == BASE_OK)
		*out = config;
	else
		live_kubeconfig_free(config);
	return code;
}

void live_kubeconfig_free(struct live_kubeconfig *config)
{
	if (config == NULL)
		return;
	const struct base_alloc *alloc = config->pool.alloc;
	live_pool_release(&config->pool);
	base_free(alloc, config);
}

const struct live_target *live_kubeconfig_target(const struct live_kubeconfig *config)
{
	return &config->target;
}

const struct live_entry *live_kubeconfig_list(const struct live_kubeconfig *config,
					      enum live_list list)
{
	return config->lists[list];
}

/* What proves who we are, in words. */
static const char *proof_of(const struct live_user *user)
{
	if (user->token_file != NULL)
		return "a token file";
	if (user->token != NULL)
		return "a token";
	if (user->exec != NULL)
		return "an exec plugin";
	if (user->password != NULL)
		return "a password";
	if (user->certificate_file != NULL || user->certificate_pem.len != 0)
		return "a client certificate";
	return "nothing (anonymous)";
}

enum base_code live_target_describe(const struct live_target *target, struct base_buf *out)
{
	const struct live_user *user = target->user;
	enum base_code code = base_buf_printf(out, "server %s, %s %s, user %s by %s, namespace %s",
					      target->cluster->server,
					      target->in_cluster        ? "the pod's"
					      : target->context != NULL ? "context"
									: "no context",
					      target->in_cluster        ? "service account"
					      : target->context != NULL ? target->context
									: "",
					      user->entry.name != NULL ? user->entry.name : "-",
					      proof_of(user), target->namespace_name);

	if (code == BASE_OK && user->as != NULL)
		code = base_buf_printf(out, ", acting as %s", user->as);
	if (code == BASE_OK && target->proxy != NULL)
		code = base_buf_printf(out, ", through a proxy%s",
				       target->proxy_from_env ? " of the environment" : "");
	if (code == BASE_OK && target->cluster->insecure)
		code = base_buf_text(out, ", the server's certificate is NOT checked");
	return code;
}
