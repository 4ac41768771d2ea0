/* Certificates made at start: an authority of the server's own, a certificate for loopback, and one for a
 * client on request. Nothing is read from disk and nothing expires during a test: they are valid from an
 * hour ago for ten years of the machine's time. */
#ifndef FAKEAPI_SERVER_AUTHORITY_H
#define FAKEAPI_SERVER_AUTHORITY_H

#include <openssl/ssl.h>

#include "base/buf.h"

struct fakeapi_authority {
	EVP_PKEY *key;
	X509 *certificate;
	long serial; /* of the next certificate */
};

struct fakeapi_keypair {
	EVP_PKEY *key;
	X509 *certificate;
};

enum base_code fakeapi_authority_init(struct fakeapi_authority *authority, struct base_error *error)
	BASE_MUST_CHECK;
void fakeapi_authority_release(struct fakeapi_authority *authority);
/* For a server: names is a list as "DNS:localhost,IP:127.0.0.1". For a client: names NULL; common_name is the
 * user, organisation its group (NULL: none). Release with fakeapi_keypair_release. */
enum base_code fakeapi_authority_issue(struct fakeapi_authority *authority, const char *common_name,
				       const char *organisation, const char *names,
				       struct fakeapi_keypair *out, struct base_error *error)
	BASE_MUST_CHECK;
void fakeapi_keypair_release(struct fakeapi_keypair *identity);

/* PEM text, appended. */
enum base_code fakeapi_certificate_pem(X509 *certificate, struct base_buf *out) BASE_MUST_CHECK;
enum base_code fakeapi_key_pem(EVP_PKEY *key, struct base_buf *out) BASE_MUST_CHECK;

/* A context for the server's side: TLS 1.2 and later, h2 (when http2) and http/1.1 by ALPN, client
 * certificates of the authority accepted but not demanded. NULL with error. Free with SSL_CTX_free. */
SSL_CTX *fakeapi_authority_context(struct fakeapi_authority *authority,
				   const struct fakeapi_keypair *identity, bool http2,
				   struct base_error *error);

#endif
