/* What is too large for the store; the number is one a real server said of the same Pod. */
#include "fakeapi/rig_test.h"

/* A server with types, without managed fields. */
static void typed_init(struct rig *rig)
{
	struct fakeapi_config config;
	struct base_error error = {0};
	memset(rig, 0, sizeof *rig);
	base_alloc_probe_init(&rig->probe);
	fakeapi_config_defaults(&config);
	config.alloc = &rig->probe.alloc;
	config.typed = true;
	rig->f = fakeapi_new(&config, &error);
}

/* A Pod with that many variables of 1000 bytes. */
static size_t create_pod(struct rig *rig, const char *name, int variables)
{
	struct base_buf body, head;
	size_t c = rig_connect(rig);
	base_buf_init(&body, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&head, NULL, BASE_BUF_MAX_DEFAULT);
	CHECK_INT(
		base_buf_printf(&body,
				"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
				"\"%s\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\","
				"\"env\":[",
				name),
		BASE_OK);
	for (int i = 0; i < variables; i++)
		CHECK_INT(base_buf_printf(&body, "%s{\"name\":\"A%d\",\"value\":\"%01000d\"}",
					  i == 0 ? "" : ",", i, i),
			  BASE_OK);
	CHECK_INT(base_buf_text(&body, "]}]}}"), BASE_OK);
	CHECK_INT(base_buf_printf(&head,
				  "POST /api/v1/namespaces/default/pods HTTP/1.1\r\nHost: x\r\n"
				  "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
				  body.len),
		  BASE_OK);
	fakeapi_conn_recv(rig->conns[c].conn, head.ptr, head.len);
	fakeapi_conn_recv(rig->conns[c].conn, body.ptr, body.len);
	base_buf_release(&head);
	base_buf_release(&body);
	return c;
}

static void a_write_is_measured_as_the_store_sees_it(void)
{
	static const struct {
		const char *name;
		int variables, status;
		const char *text;
	} rows[] = {
		{"p1400", 1400, 201, "A1399"},
		{"p1500", 1500, 201, "A1499"},
		{"p1600", 1600, 500,
		 "\"message\":\"etcdserver: request is too large\",\"code\":500}"},
		{"p2500", 2500, 500,
		 "\"message\":\"rpc error: code = ResourceExhausted desc = trying to send message "
		 "larger than max (2531885 vs. 2097152)\",\"code\":500}"},
	};
	struct rig rig;
	typed_init(&rig);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_ROW("%s", rows[i].name);
		size_t c = create_pod(&rig, rows[i].name, rows[i].variables);
		CHECK_INT(rig_status(&rig, c), rows[i].status);
		struct base_str body = rig_body(&rig, c);
		CHECK_TRUE(base_str_find(body, base_str(rows[i].text)) != SIZE_MAX);
	}
	rig_release(&rig);
}

static CU_TestInfo tests[] = {
	{"a write is measured as the store sees it", a_write_is_measured_as_the_store_sees_it},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_size_suite;
CU_SuiteInfo fakeapi_size_suite = {"fakeapi/size", NULL, NULL, NULL, NULL, tests};
