#include "informer/live/facts.h"

#include <openssl/asn1.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <string.h>

#include "informer/live/way.h"

static void read_certificate(struct live_facts *facts, const SSL *ssl)
{
	X509 *certificate = SSL_get1_peer_certificate(ssl);
	ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
	int days = 0, seconds = 0;

	if (certificate != NULL) {
		X509_NAME_oneline(X509_get_subject_name(certificate), facts->subject,
				  sizeof facts->subject);
		X509_NAME_oneline(X509_get_issuer_name(certificate), facts->issuer,
				  sizeof facts->issuer);
		if (epoch != NULL &&
		    ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(certificate)) == 1)
			facts->until = (int64_t)days * 86400 + seconds;
	}
	ASN1_TIME_free(epoch);
	X509_free(certificate);
}

void live_facts_read(struct live_facts *facts, CURL *easy)
{
	const struct curl_tlssessioninfo *session = NULL;
	const unsigned char *protocol = NULL;
	unsigned protocol_len = 0;
	long version = 0;

	memset(facts, 0, sizeof *facts);
	curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &version);
	facts->http = version == CURL_HTTP_VERSION_2_0   ? 20
		      : version == CURL_HTTP_VERSION_1_0 ? 10
							 : 11;
	if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK ||
	    session == NULL || session->backend != CURLSSLBACKEND_OPENSSL ||
	    session->internals == NULL)
		return;
	const SSL *ssl = session->internals;
	snprintf(facts->tls, sizeof facts->tls, "%s", SSL_get_version(ssl));
	snprintf(facts->cipher, sizeof facts->cipher, "%s",
		 SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)));
	SSL_get0_alpn_selected(ssl, &protocol, &protocol_len);
	snprintf(facts->protocol, sizeof facts->protocol, "%.*s", (int)protocol_len,
		 protocol != NULL ? (const char *)protocol : "");
	read_certificate(facts, ssl);
}
