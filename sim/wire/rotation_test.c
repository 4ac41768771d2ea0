/* What changes while a client runs: certificates, authorities, and a way that goes silent. */
#include <stdio.h>
#include <string.h>

#include "ci/unit/assert.h"
#include "sim/wire/client_rig.h"

/* ---- Silence ---- */

/* Nothing below HTTP notices a proxy that keeps its connections and passes nothing on. */
static void a_watch_on_a_silent_way_ends_a_grace_after_its_time(void)
{
	for (int h2 = 0; h2 < 2; h2++) {
		struct rig rig;
		struct asked asked;

		CHECK_ROW("HTTP/%d", h2 + 1);
		if (!client_rig_init_at(&rig, 60))
			return;
		snprintf(rig.proxy_url, sizeof(rig.proxy_url), "http://127.0.0.1:%d",
			 rig.proxy.port);
		rig.user.token = client_rig_text(GOOD);
		rig.target.proxy = rig.proxy_url;
		rig.options.version = h2 ? LIVE_HTTP_2 : LIVE_HTTP_1_1;
		if (client_rig_connect(&rig)) {
			client_rig_start(&rig, &asked, "/api/v1/pods",
					 "resourceVersion=0&timeoutSeconds=10&watch=true");
			while (!asked.over && asked.body.len == 0 &&
			       base_loop_turn(&rig.host.loop, BASE_LOOP_NEVER) == BASE_OK)
				;
			const uint64_t start_ns = base_loop_now_ns(&rig.host.loop);
			rig.proxy.hold = true;
			client_rig_wait(&rig, &asked);
			const uint64_t took_s = (base_loop_now_ns(&rig.host.loop) - start_ns) /
						1000000000;
			CHECK_INT(asked.end, INF_END_TIMEOUT);
			CHECK_TRUE(took_s >= 25 && took_s <= 100);
			base_buf_release(&asked.body);
		}
		client_rig_release(&rig);
	}
}

/* A server that has gone without a word: what is no stream is given up after a minute of silence. */
static void a_list_on_a_silent_way_is_given_up(void)
{
	for (int h2 = 0; h2 < 2; h2++) {
		struct rig rig;
		struct asked asked;

		CHECK_ROW("HTTP/%d", h2 + 1);
		if (!client_rig_init_at(&rig, 60))
			return;
		snprintf(rig.proxy_url, sizeof(rig.proxy_url), "http://127.0.0.1:%d",
			 rig.proxy.port);
		rig.user.token = client_rig_text(GOOD);
		rig.target.proxy = rig.proxy_url;
		rig.options.version = h2 ? LIVE_HTTP_2 : LIVE_HTTP_1_1;
		if (client_rig_connect(&rig)) {
			CHECK_INT(client_rig_ask(&rig, &asked), 200);
			rig.proxy.hold = true;
			const uint64_t start_ns = base_loop_now_ns(&rig.host.loop);
			client_rig_start(&rig, &asked, "/api/v1/pods", "");
			client_rig_wait(&rig, &asked);
			const uint64_t took_s = (base_loop_now_ns(&rig.host.loop) - start_ns) /
						1000000000;
			CHECK_INT(asked.end, INF_END_TIMEOUT);
			CHECK_TRUE(took_s >= 65 && took_s <= 150);
			base_buf_release(&asked.body);
		}
		client_rig_release(&rig);
	}
}

/* ---- Certificates ---- */

/* Certificate and key in one file, as both PEM readers accept it. */
static void write_identity(struct rig *rig, struct fakeapi_server *from)
{
	struct base_buf certificate, key;
	struct base_error error = {0};

	base_buf_init(&certificate, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&key, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(fakeapi_server_issue(from, "jane", NULL, &certificate, &key, &error), BASE_OK);
	CHECK_INT(base_buf_str(&certificate, base_buf_peek(&key)), BASE_OK);
	client_rig_write(rig, certificate.ptr);
	base_buf_release(&certificate);
	base_buf_release(&key);
}

static void pass(struct rig *rig, uint64_t ns)
{
	struct base_loop *loop = &rig->host.loop;
	const uint64_t end_ns = base_loop_now_ns(loop) + ns;

	while (base_loop_now_ns(loop) < end_ns && CHECK_INT(base_loop_turn(loop, end_ns), BASE_OK))
		;
}

/* The server refuses the certificate of another authority, so that it is seen which one was sent. */
static void a_client_certificate_is_sent_and_another_after_its_file_changed(void)
{
	for (int h2 = 0; h2 < 2; h2++) {
		struct rig rig, foreign;
		struct asked asked;

		CHECK_ROW("HTTP/%d", h2 + 1);
		if (!client_rig_init_at(&rig, 20) || !client_rig_init(&foreign))
			return;
		rig.user.token = client_rig_text(GOOD);
		rig.user.certificate_file = rig.user.key_file = rig.file;
		rig.options.version = h2 ? LIVE_HTTP_2 : LIVE_HTTP_1_1;
		write_identity(&rig, foreign.host.server);
		if (client_rig_connect(&rig)) {
			CHECK_TRUE(client_rig_ask(&rig, &asked) < 0);
			write_identity(&rig, rig.host.server);
			pass(&rig, UINT64_C(1100000000));
			CHECK_INT(client_rig_ask(&rig, &asked), 200);
			/* A pair that does not match is not taken. */
			client_rig_write(&rig, "-----BEGIN CERTIFICATE-----\n");
			pass(&rig, UINT64_C(1100000000));
			CHECK_INT(client_rig_ask(&rig, &asked), 200);
			CHECK_CONTAINS(rig.warnings,
				       "the client certificate is no PEM certificate");
			write_identity(&rig, foreign.host.server);
			pass(&rig, UINT64_C(1100000000));
			CHECK_TRUE(client_rig_ask(&rig, &asked) < 0);
		}
		client_rig_release(&foreign);
		client_rig_release(&rig);
	}
}

/* As client-go has it: a server goes on believing the certificate that a connection was made with. */
static void another_certificate_closes_every_connection(void)
{
	for (int h2 = 0; h2 < 2; h2++) {
		struct rig rig;
		struct asked asked;

		CHECK_ROW("HTTP/%d", h2 + 1);
		if (!client_rig_init_at(&rig, 200))
			return;
		rig.user.token = client_rig_text(GOOD);
		rig.user.certificate_file = rig.user.key_file = rig.file;
		rig.options.version = h2 ? LIVE_HTTP_2 : LIVE_HTTP_1_1;
		write_identity(&rig, rig.host.server);
		if (client_rig_connect(&rig)) {
			client_rig_start(&rig, &asked, "/api/v1/pods",
					 "resourceVersion=0&timeoutSeconds=600&watch=true");
			while (!asked.over && asked.body.len == 0 &&
			       base_loop_turn(&rig.host.loop, BASE_LOOP_NEVER) == BASE_OK)
				;
			CHECK_FALSE(asked.over);
			/* Looked at again, and the same: nothing happens. */
			pass(&rig, UINT64_C(70000000000));
			CHECK_FALSE(asked.over);
			write_identity(&rig, rig.host.server);
			client_rig_wait(&rig, &asked);
			CHECK_INT(asked.end, INF_END_CONNECTION_LOST);
			base_buf_release(&asked.body);
			CHECK_INT(client_rig_ask(&rig, &asked), 200);
		}
		client_rig_release(&rig);
	}
}

static void another_authority_is_trusted_after_its_file_changed(void)
{
	struct rig rig, foreign;
	struct asked asked;
	char pem[8192];

	if (!client_rig_init_at(&rig, 20) || !client_rig_init(&foreign))
		return;
	rig.user.token = client_rig_text(GOOD);
	rig.cluster.authority_file = rig.file;
	rig.cluster.authority_pem = fakeapi_server_authority_pem(foreign.host.server);
	snprintf(pem, sizeof(pem), "%.*s", BASE_STR_ARG(rig.cluster.authority_pem));
	client_rig_write(&rig, pem);
	if (client_rig_connect(&rig)) {
		CHECK_INT(client_rig_ask(&rig, &asked), -(int)INF_END_TLS);
		client_rig_write(&rig, "nothing of that kind");
		pass(&rig, UINT64_C(1100000000));
		CHECK_INT(client_rig_ask(&rig, &asked), -(int)INF_END_TLS);
		CHECK_CONTAINS(rig.warnings, "there is no PEM certificate in it");
		snprintf(pem, sizeof(pem), "%.*s",
			 BASE_STR_ARG(fakeapi_server_authority_pem(rig.host.server)));
		client_rig_write(&rig, pem);
		pass(&rig, UINT64_C(1100000000));
		CHECK_INT(client_rig_ask(&rig, &asked), 200);
	}
	client_rig_release(&foreign);
	client_rig_release(&rig);
}

static CU_TestInfo tests[] = {
	{"a watch on a silent way ends a grace after its time",
	 a_watch_on_a_silent_way_ends_a_grace_after_its_time},
	{"a list on a silent way is given up", a_list_on_a_silent_way_is_given_up},
	{"a client certificate is sent, and another after its file changed",
	 a_client_certificate_is_sent_and_another_after_its_file_changed},
	{"another certificate closes every connection",
	 another_certificate_closes_every_connection},
	{"another authority is trusted after its file changed",
	 another_authority_is_trusted_after_its_file_changed},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_wire_rotation_suite;
CU_SuiteInfo sim_wire_rotation_suite = {.pName = "sim/wire/rotation", .pTests = tests};
