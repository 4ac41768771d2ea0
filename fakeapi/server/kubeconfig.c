#include "fakeapi/server/kubeconfig.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>

static enum base_code put_base64(struct base_str bytes, struct base_buf *out)
{
	const size_t room = (bytes.len + 2) / 3 * 4 + 1;
	const enum base_code code = base_buf_reserve(out, room);

	if (code != BASE_OK)
		return code;
	out->len += (size_t)EVP_EncodeBlock((unsigned char *)out->ptr + out->len,
					    (const unsigned char *)bytes.ptr, (int)bytes.len);
	return BASE_OK;
}

static enum base_code put_cluster(const struct fakeapi_server *server, const char *host,
				  struct base_buf *out)
{
	const int tls = fakeapi_server_tls_port(server);
	const bool v6 = base_str_find_char(base_str(host), ':') != SIZE_MAX;
	enum base_code code = base_buf_printf(
		out,
		"apiVersion: v1\nkind: Config\nclusters:\n- name: relist\n  cluster:\n"
		"    server: %s://%s%s%s:%d\n",
		tls != 0 ? "https" : "http", v6 ? "[" : "", host, v6 ? "]" : "",
		tls != 0 ? tls : fakeapi_server_plain_port(server));

	if (code != BASE_OK || tls == 0)
		return code;
	code = base_buf_text(out, "    certificate-authority-data: ");
	if (code == BASE_OK)
		code = put_base64(fakeapi_server_authority_pem(server), out);
	return code == BASE_OK ? base_buf_char(out, '\n') : code;
}

enum base_code fakeapi_kubeconfig_write(const struct fakeapi_server *server, const char *host,
					const struct fakeapi_kubeconfig_user *users, size_t count,
					struct base_buf *out)
{
	enum base_code code = put_cluster(server, host, out);

	if (code == BASE_OK)
		code = base_buf_text(out, "users:\n");
	for (size_t i = 0; code == BASE_OK && i < count; i++)
		code = base_buf_printf(out, "- name: %s\n  user:\n    token: %s\n", users[i].name,
				       users[i].token);
	if (code == BASE_OK)
		code = base_buf_text(out, "contexts:\n");
	for (size_t i = 0; code == BASE_OK && i < count; i++)
		code = base_buf_printf(
			out,
			"- name: %s\n  context:\n    cluster: relist\n    namespace: default\n"
			"    user: %s\n",
			users[i].name, users[i].name);
	return code == BASE_OK ? base_buf_printf(out, "current-context: %s\n",
						 count > 0 ? users[0].name : "relist")
			       : code;
}

enum base_code fakeapi_token_make(char token[33], struct base_error *error)
{
	unsigned char bytes[16];

	if (RAND_bytes(bytes, sizeof bytes) != 1)
		return base_fail(error, BASE_EIO, "no random bytes");
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return BASE_OK;
}
