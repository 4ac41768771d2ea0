#include "informer/live/way.h"

#include <errno.h>
#include <stdio.h>

/* A name of its own for the certificate: the URL has it, so that it is what SNI and verification use, and the
 * connection leads to the server's address all the same. */
static enum base_code name_server(struct live_way *way, const struct live_http_config *config)
{
	const struct base_str all = base_str(config->server);
	const size_t scheme = base_str_find(all, BASE_STR("://")) + 3;
	struct base_str place = base_str_skip(all, scheme), host;
	struct base_buf text;
	bool found;

	base_str_cut(place, '/', &place, &found);
	const struct base_str path = base_str_skip(all, scheme + place.len);
	/* The port's colon is the one behind an IPv6 address's brackets. */
	size_t colon = place.len;
	while (colon > 0 && place.ptr[colon - 1] != ':' && place.ptr[colon - 1] != ']')
		colon--;
	const bool has_port = colon > 0 && place.ptr[colon - 1] == ':';
	host = base_str_take(place, has_port ? colon - 1 : place.len);
	const struct base_str port = has_port ? base_str_skip(place, colon) : BASE_STR("443");
	const bool v6 = strchr(config->server_name, ':') != NULL;
	enum base_code code = base_buf_printf(&way->url, "https://%s%s%s:%.*s%.*s", v6 ? "[" : "",
					      config->server_name, v6 ? "]" : "",
					      BASE_STR_ARG(port), BASE_STR_ARG(path));
	if (code == BASE_OK)
		code = base_buf_printf(&way->host_line, "Host: %.*s", BASE_STR_ARG(place));
	base_buf_init(&text, config->alloc, (size_t)1 << 16);
	if (code == BASE_OK)
		code = base_buf_printf(&text, "%s%s%s:%.*s:%.*s:%.*s", v6 ? "[" : "",
				       config->server_name, v6 ? "]" : "", BASE_STR_ARG(port),
				       BASE_STR_ARG(host), BASE_STR_ARG(port));
	if (code == BASE_OK) {
		way->connect_to = curl_slist_append(NULL, text.ptr);
		code = way->connect_to != NULL ? BASE_OK : BASE_ENOMEM;
	}
	base_buf_release(&text);
	return code;
}

/* Names are resolved behind a SOCKS proxy, as Go has it. */
enum base_code live_way_init(struct live_way *way, const struct live_http_config *config)
{
	const struct base_str proxy = base_str(config->proxy);
	const struct base_alloc *alloc = config->alloc;
	const bool socks = base_str_starts(proxy, BASE_STR("socks5://"));
	enum base_code code = BASE_OK;

	*way = (struct live_way){.connect_to = NULL};
	base_buf_init(&way->url, alloc, (size_t)1 << 16);
	base_buf_init(&way->host_line, alloc, (size_t)1 << 16);
	base_buf_init(&way->proxy, alloc, (size_t)1 << 16);
	if (proxy.len != 0)
		code = base_buf_printf(&way->proxy, "%s%.*s", socks ? "socks5h" : "",
				       BASE_STR_ARG(base_str_skip(proxy, socks ? 6 : 0)));
	if (code != BASE_OK)
		return code;
	return config->server_name != NULL && strncmp(config->server, "https://", 8) == 0
		       ? name_server(way, config)
		       : base_buf_text(&way->url, config->server);
}

void live_way_release(struct live_way *way)
{
	base_buf_release(&way->url);
	base_buf_release(&way->host_line);
	base_buf_release(&way->proxy);
	curl_slist_free_all(way->connect_to);
}

void live_way_choose(const struct live_way *way, const struct live_http_config *config, CURL *easy)
{
	const long keepalive_s = (long)(config->keepalive_ns / 1000000000);

	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
			 (long)(config->connect_timeout_ns / 1000000));
	curl_easy_setopt(easy, CURLOPT_PROXY, way->proxy.len != 0 ? way->proxy.ptr : "");
	curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(easy, CURLOPT_CONNECT_TO, way->connect_to);
	curl_easy_setopt(easy, CURLOPT_NOPROXY, config->no_proxy != NULL ? config->no_proxy : "");
	if (config->fresh) {
		curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
		curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
	}
	if (config->keepalive_ns != 0) {
		curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
		curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, keepalive_s);
		curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, keepalive_s);
	}
}

static void set_blob(CURL *easy, CURLoption option, struct base_str bytes)
{
	struct curl_blob blob = {
		.data = (void *)(uintptr_t)bytes.ptr, .len = bytes.len, .flags = CURL_BLOB_COPY};

	if (bytes.len != 0)
		curl_easy_setopt(easy, option, &blob);
}

void live_way_set_tls(CURL *easy, bool insecure, struct base_str authority,
		      struct base_str certificate, struct base_str key)
{
	set_blob(easy, CURLOPT_CAINFO_BLOB, authority);
	set_blob(easy, CURLOPT_SSLCERT_BLOB, certificate);
	set_blob(easy, CURLOPT_SSLKEY_BLOB, key);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, insecure ? 0L : 1L);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, insecure ? 0L : 2L);
	curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
}

static const struct {
	CURLcode code;
	enum inf_end end;
} ends[] = {
	{CURLE_OK, INF_END_EOF},
	{CURLE_PARTIAL_FILE, INF_END_CUT},
	{CURLE_GOT_NOTHING, INF_END_EARLY_EOF},
	{CURLE_OPERATION_TIMEDOUT, INF_END_TIMEOUT},
	{CURLE_RECV_ERROR, INF_END_RESET},
	{CURLE_SEND_ERROR, INF_END_RESET},
	{CURLE_SSL_CONNECT_ERROR, INF_END_TLS},
	{CURLE_PEER_FAILED_VERIFICATION, INF_END_TLS},
	{CURLE_SSL_CERTPROBLEM, INF_END_TLS},
	{CURLE_SSL_CIPHER, INF_END_TLS},
	{CURLE_SSL_CACERT_BADFILE, INF_END_TLS},
	{CURLE_SSL_ISSUER_ERROR, INF_END_TLS},
	{CURLE_HTTP2, INF_END_CONNECTION_LOST},
	{CURLE_HTTP2_STREAM, INF_END_OTHER},
};

enum inf_end live_way_end(CURLcode result, long os_error)
{
	if (result == CURLE_COULDNT_CONNECT && os_error == ECONNREFUSED)
		return INF_END_REFUSED;
	if (result == CURLE_COULDNT_CONNECT && os_error == ECONNRESET)
		return INF_END_RESET;
	if ((result == CURLE_RECV_ERROR || result == CURLE_SEND_ERROR) && os_error == ETIMEDOUT)
		return INF_END_TIMEOUT;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (ends[i].code == result)
			return ends[i].end;
	return INF_END_OTHER;
}

bool live_way_stream_error(CURLcode result, const char *why, char *text, size_t size)
{
	unsigned stream = 0;
	char word[32];

	if (result != CURLE_HTTP2_STREAM ||
	    sscanf(why, "HTTP/2 stream %u was not closed cleanly: %31[A-Z_]", &stream, word) != 2)
		return false;
	snprintf(text, size, "stream error: stream ID %u; %s; received from peer", stream, word);
	return true;
}
