/* How a server is reached: the URL libcurl is given, the Host that is said, the proxy.
 * Thread rule: the owner's. */
#ifndef INFORMER_LIVE_WAY_H
#define INFORMER_LIVE_WAY_H

#include <curl/curl.h>

#include "informer/live/http.h"

struct live_way {
	struct base_buf url; /* the server, under its own name for the certificate if it has one */
	struct base_buf host_line; /* "Host: …"; empty: libcurl's */
	struct base_buf proxy;     /* empty: none */
	struct curl_slist *connect_to;
};

/* After a failure too it has to be released. */
enum base_code live_way_init(struct live_way *way, const struct live_http_config *config)
	BASE_MUST_CHECK;
void live_way_release(struct live_way *way);

/* Tells a transfer how to get there and how to keep the connection. way stays as long as it. */
void live_way_choose(const struct live_way *way, const struct live_http_config *config, CURL *easy);

/* PEM texts, copied; empty: none. */
void live_way_set_tls(CURL *easy, bool insecure, struct base_str authority,
		      struct base_str certificate, struct base_str key);

/* How a transfer ended, from what libcurl and the system say of it. */
enum inf_end live_way_end(CURLcode result, long os_error);
/* An RST_STREAM in Go's words, which clients tell apart by text; libcurl has the number of the stream and the
 * name of the code in its own. False: it is none. */
bool live_way_stream_error(CURLcode result, const char *why, char *text, size_t size);

/* Inside one of libcurl's callbacks: what the connection is. */
void live_facts_read(struct live_facts *facts, CURL *easy);

#endif
