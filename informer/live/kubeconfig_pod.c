/* The service account of a pod (B-11), and the proxy that the environment names (B-8). */
#include <arpa/inet.h>
#include <stdio.h>
#include <strings.h>

#include "informer/live/kubeconfig_parts.h"

#define POD_FOLDER "/var/run/secrets/kubernetes.io/serviceaccount"

static enum base_code out_of_memory(struct base_error *error)
{
	return base_fail(error, BASE_ENOMEM, "no memory for the configuration");
}

/* ---- The pod ---- */

static char *pod_path(struct live_kubeconfig *config, const char *name)
{
	const char *folder = config->options->pod_folder != NULL ? config->options->pod_folder
								 : POD_FOLDER;
	const size_t size = strlen(folder) + strlen(name) + 2;
	char *path = live_pool_get(&config->pool, size);

	if (path != NULL)
		snprintf(path, size, "%s/%s", folder, name);
	return path;
}

static enum base_code pod_text(struct live_kubeconfig *config, const char *path, char **out,
			       struct base_error *error)
{
	struct base_buf text;

	base_buf_init(&text, config->pool.alloc, (size_t)8 << 20);
	enum base_code code = live_read_file(path, &text, error);
	if (code == BASE_OK) {
		*out = live_pool_text(&config->pool, base_str_trim(base_buf_peek(&text)));
		if (*out == NULL)
			code = out_of_memory(error);
	}
	live_wipe(&text);
	return code;
}

static enum base_code pod_namespace(struct live_kubeconfig *config, struct base_error *error)
{
	const char *given = live_kubeconfig_env(config, "POD_NAMESPACE");
	const char *path = pod_path(config, "namespace");
	char *text = NULL;

	if (path == NULL)
		return out_of_memory(error);
	if (given != NULL && given[0] != '\0') {
		text = live_pool_text(&config->pool, base_str(given));
		if (text == NULL)
			return out_of_memory(error);
	} else {
		struct base_error ignored = {0};

		if (pod_text(config, path, &text, &ignored) == BASE_ENOMEM)
			return out_of_memory(error);
	}
	if (text != NULL && text[0] != '\0')
		config->target.namespace_name = text;
	return BASE_OK;
}

static enum base_code pod_authority(struct live_kubeconfig *config, struct base_error *error)
{
	char *path = pod_path(config, "ca.crt"), *text = NULL;
	struct base_error why = {0};

	if (path == NULL)
		return out_of_memory(error);
	const enum base_code code = pod_text(config, path, &text, &why);
	if (code == BASE_ENOMEM)
		return out_of_memory(error);
	if (code == BASE_OK)
		config->chosen_cluster.authority_file = path;
	else
		live_kubeconfig_warn(config, "the pod's authority cannot be read: %s", why.text);
	return BASE_OK;
}

enum base_code live_kubeconfig_pod(struct live_kubeconfig *config, struct base_error *error)
{
	const char *host = live_kubeconfig_env(config, "KUBERNETES_SERVICE_HOST");
	const char *port = live_kubeconfig_env(config, "KUBERNETES_SERVICE_PORT");
	char *token = NULL;

	if (host == NULL || host[0] == '\0' || port == NULL || port[0] == '\0')
		return BASE_ENOENT;
	const size_t size = strlen(host) + strlen(port) + sizeof "https://[]:";
	char *server = live_pool_get(&config->pool, size);
	config->chosen_user.token_file = pod_path(config, "token");
	if (server == NULL || config->chosen_user.token_file == NULL)
		return out_of_memory(error);
	const bool v6 = strchr(host, ':') != NULL;
	snprintf(server, size, "https://%s%s%s:%s", v6 ? "[" : "", host, v6 ? "]" : "", port);
	config->chosen_cluster.server = server;
	enum base_code code = pod_text(config, config->chosen_user.token_file, &token, error);
	if (code != BASE_OK)
		return code == BASE_ENOMEM
			       ? code
			       : base_fail(error, BASE_EIO,
					   "this is a pod, but its token cannot be read "
					   "from %s",
					   config->chosen_user.token_file);
	config->target.in_cluster = true;
	code = pod_authority(config, error);
	return code == BASE_OK ? pod_namespace(config, error) : code;
}

/* ---- NO_PROXY ---- */

struct address {
	int family; /* 0: none */
	unsigned char bytes[16];
	unsigned bits;
};

static struct address address_of(struct base_str text)
{
	struct address address = {0};
	char room[INET6_ADDRSTRLEN + 1];

	if (text.len >= 2 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']')
		text = base_str_n(text.ptr + 1, text.len - 2);
	if (text.len == 0 || text.len >= sizeof room)
		return address;
	snprintf(room, sizeof room, "%.*s", BASE_STR_ARG(text));
	if (inet_pton(AF_INET, room, address.bytes) == 1) {
		address.family = AF_INET;
		address.bits = 32;
	} else if (inet_pton(AF_INET6, room, address.bytes) == 1) {
		address.family = AF_INET6;
		address.bits = 128;
	}
	return address;
}

static bool inside(const struct address *host, const struct address *net, unsigned bits)
{
	if (host->family == 0 || host->family != net->family || bits > net->bits)
		return false;
	for (unsigned i = 0; i < bits; i++)
		if (((host->bytes[i / 8] ^ net->bytes[i / 8]) >> (7 - i % 8) & 1) != 0)
			return false;
	return true;
}

/* Whether a name is the suffix's domain or below it; a suffix with a dot in front only matches below. */
static bool below(struct base_str name, struct base_str suffix)
{
	const bool strict = suffix.len != 0 && suffix.ptr[0] == '.';

	if (strict)
		suffix = base_str_skip(suffix, 1);
	if (suffix.len == 0 || name.len < suffix.len ||
	    strncasecmp(name.ptr + name.len - suffix.len, suffix.ptr, suffix.len) != 0)
		return false;
	if (name.len == suffix.len)
		return !strict;
	return name.ptr[name.len - suffix.len - 1] == '.';
}

static bool part_has(struct base_str part, struct base_str host, unsigned port)
{
	const struct address address = address_of(host);
	struct base_str head;
	uint64_t bits = 0, number = 0;
	bool found = false;

	if (base_str_is(part, "*"))
		return true;
	const struct base_str behind = base_str_cut(part, '/', &head, &found);
	if (found) {
		const struct address net = address_of(head);
		return base_str_u64(behind, &bits) && bits <= 128 &&
		       inside(&address, &net, (unsigned)bits);
	}
	struct address own = address_of(part);
	if (own.family == 0 && part.len != 0) {
		size_t colon = part.len;

		while (colon > 0 && part.ptr[colon - 1] != ':')
			colon--;
		if (colon != 0 && base_str_u64(base_str_skip(part, colon), &number)) {
			if (number != port)
				return false;
			part = base_str_take(part, colon - 1);
			own = address_of(part);
		}
	}
	if (own.family != 0)
		return inside(&address, &own, own.bits);
	if (base_str_starts(part, BASE_STR("*.")))
		part = base_str_skip(part, 1);
	return address.family == 0 && below(host, part);
}

bool live_no_proxy_has(struct base_str list, struct base_str host, unsigned port)
{
	struct base_str part;
	bool more = true;

	while (more) {
		list = base_str_cut(list, ',', &part, &more);
		part = base_str_trim(part);
		if (part.len != 0 && part_has(part, host, port))
			return true;
	}
	return false;
}

/* ---- The proxy ---- */

/* Host (with brackets for IPv6) and port of a server's URL. */
static struct base_str host_of(const char *server, unsigned *port)
{
	const bool tls = base_str_starts(base_str(server), BASE_STR("https://"));
	struct base_str rest = base_str_skip(base_str(server), tls ? 8 : 7), host, digits;
	uint64_t number = 0;
	bool found;

	base_str_cut(rest, '/', &rest, &found);
	*port = tls ? 443 : 80;
	if (rest.len != 0 && rest.ptr[0] == '[') {
		const size_t end = base_str_find_char(rest, ']');

		host = end != SIZE_MAX ? base_str_take(rest, end + 1) : rest;
		digits = base_str_skip(rest, host.len);
		if (digits.len != 0)
			digits = base_str_skip(digits, 1);
	} else {
		digits = base_str_cut(rest, ':', &host, &found);
	}
	if (base_str_u64(digits, &number) && number <= 65535)
		*port = (unsigned)number;
	return host;
}

/* As Go does: the machine itself is never asked through the environment's proxy. */
static bool is_own(struct base_str host)
{
	const struct address address = address_of(host);
	static const unsigned char loop6[16] = {[15] = 1};

	return base_str_is(host, "localhost") ||
	       (address.family == AF_INET && address.bytes[0] == 127) ||
	       (address.family == AF_INET6 && memcmp(address.bytes, loop6, 16) == 0);
}

static const char *env_of(const struct live_kubeconfig *config, const char *upper,
			  const char *lower)
{
	const char *value = live_kubeconfig_env(config, upper);

	if (value == NULL || value[0] == '\0')
		value = live_kubeconfig_env(config, lower);
	return value != NULL && value[0] != '\0' ? value : NULL;
}

static enum base_code check_proxy(const char *url, const char *whose, struct base_error *error)
{
	static const char *const schemes[] = {"http://", "https://", "socks5://"};

	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (strncasecmp(url, schemes[i], strlen(schemes[i])) == 0 &&
		    url[strlen(schemes[i])] != '\0')
			return BASE_OK;
	/* The text is not shown: a password may be in it. */
	return base_fail(error, BASE_EINVAL, "%s has to be a URL of http://, https:// or socks5://",
			 whose);
}

enum base_code live_kubeconfig_proxy(struct live_kubeconfig *config, struct base_error *error)
{
	const struct live_cluster *cluster = &config->chosen_cluster;
	const bool tls = base_str_starts(base_str(cluster->server), BASE_STR("https://"));
	char whose[BASE_ERROR_TEXT_MAX];
	unsigned port = 0;

	if (cluster->proxy_url != NULL && cluster->proxy_url[0] != '\0') {
		config->target.proxy = cluster->proxy_url;
		snprintf(whose, sizeof whose, "%s:%u:%u: proxy-url of cluster \"%s\"",
			 cluster->entry.place.file, cluster->entry.place.line,
			 cluster->entry.place.column, cluster->entry.name);
		return check_proxy(cluster->proxy_url, whose, error);
	}
	const char *proxy = tls ? env_of(config, "HTTPS_PROXY", "https_proxy")
				: env_of(config, "HTTP_PROXY", "http_proxy");
	const char *list = env_of(config, "NO_PROXY", "no_proxy");
	const struct base_str host = host_of(cluster->server, &port);
	if (proxy == NULL || is_own(host) ||
	    (list != NULL && live_no_proxy_has(base_str(list), host, port)))
		return BASE_OK;
	/* "host:port" alone is a proxy of plain HTTP. */
	const bool bare = strstr(proxy, "://") == NULL;
	const size_t size = strlen(proxy) + sizeof "http://";
	char *url = live_pool_get(&config->pool, size);
	if (url == NULL)
		return out_of_memory(error);
	snprintf(url, size, "%s%s", bare ? "http://" : "", proxy);
	config->target.proxy = url;
	config->target.proxy_from_env = true;
	return check_proxy(url, tls ? "HTTPS_PROXY" : "HTTP_PROXY", error);
}
