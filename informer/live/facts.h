/* What a connection turned out to be: read off libcurl while an answer's head is there.
 * Thread rule: the loop's thread. */
#ifndef INFORMER_LIVE_FACTS_H
#define INFORMER_LIVE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct live_facts {
	int http;          /* 10, 11, 20; 0: no answer yet */
	char tls[16];      /* "TLSv1.3"; empty: plain */
	char cipher[64];   /* "TLS_AES_128_GCM_SHA256" */
	char protocol[16]; /* what ALPN settled: "h2", "http/1.1"; empty: nothing */
	char subject[128]; /* of the server's certificate, one line */
	char issuer[128];
	int64_t until; /* when that certificate ends, seconds since 1970; 0: not known */
};

#ifdef __cplusplus
}
#endif

#endif
