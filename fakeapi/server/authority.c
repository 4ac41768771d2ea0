#include "fakeapi/server/authority.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#define YEARS_10 (10L * 365 * 24 * 3600)

static enum base_code tls_fail(struct base_error *error, const char *what)
{
	const unsigned long number = ERR_get_error();

	ERR_clear_error();
	return base_fail(error, BASE_EIO, "TLS: %s: %s", what,
			 number != 0 ? ERR_reason_error_string(number) : "failed");
}

static bool add_name(X509_NAME *name, const char *field, const char *value)
{
	return value == NULL ||
	       X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, (const unsigned char *)value,
					  -1, -1, 0) == 1;
}

static bool add_extension(X509 *certificate, X509 *issuer, int nid, const char *value)
{
	X509V3_CTX context;

	if (value == NULL)
		return true;
	X509V3_set_ctx_nodb(&context);
	X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
	X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
	const bool ok = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
	X509_EXTENSION_free(extension);
	return ok;
}

struct wanted {
	const char *common_name, *organisation, *names;
	bool authority;
};

static bool fill(X509 *certificate, EVP_PKEY *key, X509 *issuer, long serial,
		 const struct wanted *wanted)
{
	X509_NAME *subject = X509_get_subject_name(certificate);

	return X509_set_version(certificate, 2) == 1 &&
	       ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial) == 1 &&
	       X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != NULL &&
	       X509_gmtime_adj(X509_getm_notAfter(certificate), YEARS_10) != NULL &&
	       X509_set_pubkey(certificate, key) == 1 &&
	       add_name(subject, "O", wanted->organisation) &&
	       add_name(subject, "CN", wanted->common_name) &&
	       X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
	       add_extension(certificate, issuer, NID_basic_constraints,
			     wanted->authority ? "critical,CA:TRUE" : "critical,CA:FALSE") &&
	       add_extension(certificate, issuer, NID_key_usage,
			     wanted->authority ? "critical,keyCertSign,cRLSign"
					       : "critical,digitalSignature") &&
	       add_extension(certificate, issuer, NID_ext_key_usage,
			     wanted->authority       ? NULL
			     : wanted->names != NULL ? "serverAuth"
						     : "clientAuth") &&
	       add_extension(certificate, issuer, NID_subject_alt_name, wanted->names);
}

/* issuer NULL: signed by itself. */
static enum base_code make(const struct wanted *wanted, long serial, X509 *issuer,
			   EVP_PKEY *issuer_key, EVP_PKEY **key, X509 **certificate,
			   struct base_error *error)
{
	*certificate = X509_new();
	*key = EVP_EC_gen("P-256");
	if (*key == NULL || *certificate == NULL ||
	    !fill(*certificate, *key, issuer != NULL ? issuer : *certificate, serial, wanted) ||
	    X509_sign(*certificate, issuer_key != NULL ? issuer_key : *key, EVP_sha256()) == 0)
		return tls_fail(error, "making a certificate");
	return BASE_OK;
}

enum base_code fakeapi_authority_init(struct fakeapi_authority *authority, struct base_error *error)
{
	const struct wanted wanted = {.common_name = "relist", .authority = true};

	*authority = (struct fakeapi_authority){.serial = 2};
	const enum base_code code =
		make(&wanted, 1, NULL, NULL, &authority->key, &authority->certificate, error);
	if (code != BASE_OK)
		fakeapi_authority_release(authority);
	return code;
}

void fakeapi_authority_release(struct fakeapi_authority *authority)
{
	X509_free(authority->certificate);
	EVP_PKEY_free(authority->key);
	*authority = (struct fakeapi_authority){0};
}

enum base_code fakeapi_authority_issue(struct fakeapi_authority *authority, const char *common_name,
				       const char *organisation, const char *names,
				       struct fakeapi_keypair *out, struct base_error *error)
{
	const struct wanted wanted = {
		.common_name = common_name, .organisation = organisation, .names = names};

	*out = (struct fakeapi_keypair){0};
	const enum base_code code = make(&wanted, authority->serial++, authority->certificate,
					 authority->key, &out->key, &out->certificate, error);
	if (code != BASE_OK)
		fakeapi_keypair_release(out);
	return code;
}

void fakeapi_keypair_release(struct fakeapi_keypair *identity)
{
	X509_free(identity->certificate);
	EVP_PKEY_free(identity->key);
	*identity = (struct fakeapi_keypair){0};
}

static enum base_code take_bio(BIO *bio, bool written, struct base_buf *out)
{
	char *text = NULL;
	enum base_code code = BASE_ENOMEM;

	if (bio != NULL && written) {
		const long len = BIO_get_mem_data(bio, &text);

		code = len < 0 ? BASE_EIO : base_buf_append(out, text, (size_t)len);
	}
	BIO_free(bio);
	return code;
}

enum base_code fakeapi_certificate_pem(X509 *certificate, struct base_buf *out)
{
	BIO *bio = BIO_new(BIO_s_mem());

	return take_bio(bio, bio != NULL && PEM_write_bio_X509(bio, certificate) == 1, out);
}

enum base_code fakeapi_key_pem(EVP_PKEY *key, struct base_buf *out)
{
	BIO *bio = BIO_new(BIO_s_mem());

	return take_bio(bio,
			bio != NULL &&
				PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL) == 1,
			out);
}

/* ---- The server's context ---- */

static const unsigned char both_protocols[] = "\x02h2\x08http/1.1";

static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_len,
			   const unsigned char *in, unsigned in_len, void *arg)
{
	const size_t skip = arg != NULL ? 0 : 3;

	(void)ssl;
	return SSL_select_next_proto((unsigned char **)(uintptr_t)out, out_len,
				     both_protocols + skip,
				     (unsigned)(sizeof both_protocols - 1 - skip), in,
				     in_len) == OPENSSL_NPN_NEGOTIATED
		       ? SSL_TLSEXT_ERR_OK
		       : SSL_TLSEXT_ERR_NOACK;
}

SSL_CTX *fakeapi_authority_context(struct fakeapi_authority *authority,
				   const struct fakeapi_keypair *identity, bool http2,
				   struct base_error *error)
{
	static int yes;
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());

	if (context == NULL || SSL_CTX_use_certificate(context, identity->certificate) != 1 ||
	    SSL_CTX_use_PrivateKey(context, identity->key) != 1 ||
	    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
	    SSL_CTX_add_client_CA(context, authority->certificate) != 1 ||
	    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority->certificate) != 1) {
		tls_fail(error, "the server's context");
		SSL_CTX_free(context);
		return NULL;
	}
	SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_session_id_context(context, (const unsigned char *)"relist", 6);
	SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE |
					  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
					  SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
	SSL_CTX_set_alpn_select_cb(context, choose_protocol, http2 ? &yes : NULL);
	return context;
}
