#include "informer/live/lines.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <strings.h>

#include "informer/live/pool.h"

bool live_same_name(struct base_str a, struct base_str b)
{
	return a.len == b.len && (a.len == 0 || strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

enum base_code live_put_line(struct base_buf *lines, const char *name, struct base_str value)
{
	for (size_t i = 0; i < value.len; i++)
		if ((unsigned char)value.ptr[i] < ' ' || value.ptr[i] == 0x7f)
			return BASE_EINVAL;
	enum base_code code = base_buf_text(lines, name);
	if (code == BASE_OK)
		code = base_buf_text(lines, ": ");
	if (code == BASE_OK)
		code = base_buf_str(lines, value);
	return code == BASE_OK ? base_buf_char(lines, '\n') : code;
}

enum base_code live_put_base64(struct base_buf *out, struct base_str bytes)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	enum base_code code = base_buf_reserve(out, bytes.len / 3 * 4 + 5);

	for (size_t i = 0; i < bytes.len && code == BASE_OK; i += 3) {
		const size_t left = bytes.len - i;
		const unsigned char *p = (const unsigned char *)bytes.ptr + i;
		const unsigned group = (unsigned)p[0] << 16 | (left > 1 ? (unsigned)p[1] << 8 : 0) |
				       (left > 2 ? p[2] : 0);
		const char four[4] = {digits[group >> 18], digits[group >> 12 & 63],
				      left > 1 ? digits[group >> 6 & 63] : '=',
				      left > 2 ? digits[group & 63] : '='};

		code = base_buf_append(out, four, 4);
	}
	return code;
}

enum base_code live_put_basic(struct base_buf *lines, const char *user, const char *password)
{
	struct base_buf both;

	base_buf_init(&both, lines->alloc, (size_t)1 << 20);
	enum base_code code = base_buf_printf(&both, "%s:%s", user, password);
	if (code == BASE_OK)
		code = base_buf_text(lines, "Authorization: Basic ");
	if (code == BASE_OK)
		code = live_put_base64(lines, base_buf_peek(&both));
	live_wipe(&both);
	return code == BASE_OK ? base_buf_char(lines, '\n') : code;
}

static bool is_token_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("!#$&'*+-.^_`|~", c) != NULL);
}

enum base_code live_put_key_escaped(struct base_buf *out, struct base_str key)
{
	enum base_code code = BASE_OK;

	for (size_t i = 0; i < key.len && code == BASE_OK; i++) {
		char c = key.ptr[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		code = is_token_character(c)
			       ? base_buf_char(out, c)
			       : base_buf_printf(out, "%%%02X", (unsigned)(unsigned char)c);
	}
	return code;
}

/* A key with a pass phrase is not asked for. */
static int no_phrase(char *room, int size, int writing, void *self)
{
	(void)room;
	(void)size;
	(void)writing;
	(void)self;
	return 0;
}

enum base_code live_pair_check(struct base_str certificate_pem, struct base_str key_pem,
			       struct base_error *error)
{
	enum base_code code = BASE_OK;
	BIO *from = BIO_new_mem_buf(certificate_pem.ptr, (int)certificate_pem.len);
	X509 *certificate = from != NULL ? PEM_read_bio_X509(from, NULL, no_phrase, NULL) : NULL;

	BIO_free(from);
	from = BIO_new_mem_buf(key_pem.ptr, (int)key_pem.len);
	EVP_PKEY *key = from != NULL ? PEM_read_bio_PrivateKey(from, NULL, no_phrase, NULL) : NULL;
	BIO_free(from);
	if (certificate == NULL)
		code = base_fail(error, BASE_EINVAL,
				 "the client certificate is no PEM certificate");
	else if (key == NULL)
		code = base_fail(error, BASE_EINVAL,
				 "the client key is no PEM key, or it has a pass phrase");
	else if (X509_check_private_key(certificate, key) != 1)
		code = base_fail(error, BASE_EINVAL,
				 "the client key is not that of the client certificate");
	EVP_PKEY_free(key);
	X509_free(certificate);
	ERR_clear_error();
	return code;
}
