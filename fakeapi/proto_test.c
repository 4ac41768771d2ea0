#include "fakeapi/proto.h"

#include <stdio.h>

#include "base/prng.h"
#include "ci/unit/assert.h"
#include "fakeapi/date.h"

/* Objects as servers write them: what is left out when empty is left out. */
static const struct {
	const char *name, *json;
} objects[] = {
	{"a config map",
	 "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"namespace\":"
	 "\"n\",\"uid\":\"u\",\"resourceVersion\":\"7\",\"creationTimestamp\":\"2026-11-29T17:48:41Z\","
	 "\"managedFields\":[{\"manager\":\"m\",\"operation\":\"Update\",\"apiVersion\":\"v1\","
	 "\"time\":\"2026-11-29T17:48:41Z\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:data\":{}}}"
	 "]},\"immutable\":true,\"data\":{\"k\":\"1\",\"l\":\"\xc3\xa4\"},\"binaryData\":{\"b\":"
	 "\"AAEC/w==\",\"c\":\"QQ==\"}}"},
	{"a pod with embedded types",
	 "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\",\"generation\":3,"
	 "\"creationTimestamp\":\"1969-12-31T23:59:59Z\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"volumes\":[{\"name\":"
	 "\"v\",\"configMap\":{\"name\":\"c\",\"defaultMode\":420}}],\"containers\":[{\"name\":\"c\","
	 "\"image\":\"i\",\"ports\":[{\"containerPort\":80,\"protocol\":\"TCP\"}],\"env\":[{\"name\":"
	 "\"E\",\"valueFrom\":{\"configMapKeyRef\":{\"name\":\"c\",\"key\":\"k\"}}}],\"resources\":{"
	 "\"limits\":{\"cpu\":\"100m\",\"memory\":\"1Gi\"}},\"livenessProbe\":{\"httpGet\":{\"path\":"
	 "\"/\",\"port\":\"http\",\"scheme\":\"HTTP\"},\"periodSeconds\":10}}],"
	 "\"terminationGracePeriodSeconds\":0},\"status\":{\"phase\":\"Pending\",\"startTime\":null}}"},
	{"a deployment with numbers or names",
	 "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\",\"metadata\":{\"name\":\"d\","
	 "\"creationTimestamp\":\"2000-02-29T00:00:00Z\"},\"spec\":{\"replicas\":0,\"selector\":{\"matchLabels\":{"
	 "\"a\":\"b\"}},\"template\":{\"metadata\":{\"creationTimestamp\":null},\"spec\":{\"containers\":[{\"name\":"
	 "\"c\",\"resources\":{}}]}},\"strategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{"
	 "\"maxUnavailable\":1,\"maxSurge\":\"25%\"}}},\"status\":{}}"},
	{"a lease with microseconds",
	 "{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/v1\",\"metadata\":{\"name\":\"l\","
	 "\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{\"holderIdentity\":\"h\",\"leaseDurationSeconds\":-1,"
	 "\"renewTime\":\"2026-01-01T00:00:00.000123Z\"}}"},
	{"what a deletion asks for",
	 "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"gracePeriodSeconds\":0,\"preconditions\":{"
	 "\"uid\":\"u\",\"resourceVersion\":\"7\"},\"orphanDependents\":false,\"propagationPolicy\":"
	 "\"Background\",\"dryRun\":[\"All\"]}"},
	{"an eviction",
	 "{\"kind\":\"Eviction\",\"apiVersion\":\"policy/v1\",\"metadata\":{\"name\":\"p\","
	 "\"creationTimestamp\":null},\"deleteOptions\":{\"gracePeriodSeconds\":5}}"},
	{"a secret",
	 "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"s\",\"creationTimestamp\":"
	 "\"2026-01-01T00:00:00Z\"},\"data\":{\"x\":\"eQ==\"},\"type\":\"Opaque\"}"},
};

/* What was left out because it is empty may come back as null or {}: nothing else may differ. */
static bool same(struct base_str a, struct base_str b)
{
	struct base_json_iter it;

	if (base_json_kind_of(a) != base_json_kind_of(b))
		return false;
	if (base_json_kind_of(a) != BASE_JSON_OBJECT)
		return base_str_eq(a, b) || base_json_kind_of(a) == BASE_JSON_ARRAY;
	base_json_iter_init(&it, a);
	while (base_json_iter_next(&it)) {
		const struct base_str other = base_json_get(b, it.key);

		if (base_json_kind_of(it.value) == BASE_JSON_NULL || base_str_is(it.value, "{}"))
			continue;
		if (other.len == 0 || !same(it.value, other))
			return false;
	}
	return true;
}

static void an_object_comes_back_as_it_went(void)
{
	for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
		struct base_buf wire, json, why;

		CHECK_ROW("%s", objects[i].name);
		base_buf_init(&wire, NULL, BASE_BUF_MAX_DEFAULT);
		base_buf_init(&json, NULL, BASE_BUF_MAX_DEFAULT);
		base_buf_init(&why, NULL, 4096);
		CHECK_INT(fakeapi_proto_write(base_str(objects[i].json), &wire), BASE_OK);
		CHECK_TRUE(base_str_starts(base_buf_peek(&wire), base_str_n("k8s\0", 4)));
		CHECK_INT(fakeapi_proto_read(base_buf_peek(&wire), &json, &why), BASE_OK);
		if (!CHECK_TRUE(same(base_str(objects[i].json), base_buf_peek(&json))))
			CHECK_STR(base_buf_peek(&json), objects[i].json);
		base_buf_release(&wire);
		base_buf_release(&json);
		base_buf_release(&why);
	}
}

/* As a real server of 1.36 wrote it. */
static void the_bytes_are_those_of_a_server(void)
{
	static const char json[] =
		"{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"namespace\":"
		"\"r\",\"uid\":\"u\",\"resourceVersion\":\"202\",\"creationTimestamp\":"
		"\"2026-11-29T17:48:41Z\"},\"data\":{\"k\":\"1\"}}";
	static const char wire[] =
		"k8s\0\x0a\x0f\x0a\x02v1\x12\x09"
		"ConfigMap\x12\x28\x0a\x1e\x0a\x01"
		"a\x12\x00\x1a\x01r\x22\x00\x2a\x01u\x32\x03"
		"202\x38\x00\x42\x08\x08\xf9\xca\xb1\xd8\x06\x10\x00\x12\x06\x0a\x01k\x12"
		"\x01"
		"1\x1a\x00\x22\x00";
	struct base_buf out;

	base_buf_init(&out, NULL, 4096);
	CHECK_INT(fakeapi_proto_write(base_str(json), &out), BASE_OK);
	CHECK_STR_EQ(base_buf_peek(&out), base_str_n(wire, sizeof wire - 1));
	base_buf_release(&out);
}

static void a_kind_without_protobuf_is_refused(void)
{
	struct base_buf out;

	base_buf_init(&out, NULL, 4096);
	CHECK_INT(fakeapi_proto_write(BASE_STR("{\"kind\":\"Widget\",\"apiVersion\":\"x.io/v1\"}"),
				      &out),
		  BASE_EINVAL);
	base_buf_release(&out);
}

static void a_list_and_an_event_are_framed(void)
{
	struct base_buf out, json, why;

	base_buf_init(&out, NULL, 4096);
	base_buf_init(&json, NULL, 4096);
	base_buf_init(&why, NULL, 4096);
	CHECK_INT(
		fakeapi_proto_write(
			BASE_STR(
				"{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{"
				"\"resourceVersion\":\"9\"},\"items\":[{\"metadata\":{\"name\":\"a\"}}]}"),
			&out),
		BASE_OK);
	CHECK_TRUE(out.len > 40);
	base_buf_clear(&out);
	CHECK_INT(fakeapi_proto_write_event(BASE_STR("ADDED"), base_str(objects[4].json), &out),
		  BASE_OK);
	CHECK_SIZE((unsigned char)out.ptr[2] * 256u + (unsigned char)out.ptr[3], out.len - 4);
	CHECK_STR_EQ(base_str_n(out.ptr + 4, 7), BASE_STR("\x0a\x05"
							  "ADDED"));
	base_buf_release(&out);
	base_buf_release(&json);
	base_buf_release(&why);
}

static void every_damage_is_refused_or_read_as_json(void)
{
	struct base_prng prng;
	struct base_buf wire, json, why;

	base_prng_seed(&prng, 1, BASE_STR("damage"));
	base_buf_init(&wire, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&json, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&why, NULL, 4096);
	for (int turn = 0; turn < 20000; turn++) {
		struct base_str value;

		base_buf_clear(&wire);
		base_buf_clear(&json);
		base_buf_clear(&why);
		CHECK_INT(fakeapi_proto_write(base_str(objects[turn % 5].json), &wire), BASE_OK);
		for (int k = 0; k < 3; k++)
			wire.ptr[4 + base_prng_next(&prng) % (wire.len - 4)] =
				(char)base_prng_next(&prng);
		const size_t len = turn % 2 ? wire.len : base_prng_next(&prng) % wire.len;
		const enum base_code code =
			fakeapi_proto_read(base_str_n(wire.ptr, len < 4 ? 4 : len), &json, &why);

		if (code == BASE_OK)
			CHECK_INT(base_json_check(base_buf_peek(&json), &value, NULL, NULL),
				  BASE_OK);
		else
			CHECK_TRUE(code == BASE_EINVAL && why.len != 0);
	}
	base_buf_release(&wire);
	base_buf_release(&json);
	base_buf_release(&why);
}

static void every_failed_allocation_is_said_and_leaks_nothing(void)
{
	bool done = false;

	for (uint64_t n = 1; !done && n < 5000; n++) {
		struct base_alloc_probe probe;
		struct base_buf wire, json, why;

		base_alloc_probe_init(&probe);
		probe.fail_at = n;
		base_buf_init(&wire, &probe.alloc, BASE_BUF_MAX_DEFAULT);
		base_buf_init(&json, &probe.alloc, BASE_BUF_MAX_DEFAULT);
		base_buf_init(&why, &probe.alloc, BASE_BUF_MAX_DEFAULT);
		enum base_code code = fakeapi_proto_write(base_str(objects[1].json), &wire);
		if (code == BASE_OK)
			code = fakeapi_proto_read(base_buf_peek(&wire), &json, &why);
		done = code == BASE_OK;
		CHECK_TRUE(done || code == BASE_ENOMEM);
		base_buf_release(&wire);
		base_buf_release(&json);
		base_buf_release(&why);
		CHECK_SIZE(probe.live_count, 0);
	}
	CHECK_TRUE(done);
}

static void numbers_fit_their_rows(void)
{
	for (size_t i = 0; i < fakeapi_proto_numbers_count; i++) {
		struct fakeapi_proto_row row;
		size_t words = 1;

		CHECK_ROW("%s", fakeapi_proto_numbers[i].row);
		for (const char *c = fakeapi_proto_numbers[i].numbers; *c != '\0'; c++)
			words += *c == ' ';
		if (CHECK_TRUE(
			    fakeapi_proto_row_read(base_str(fakeapi_proto_numbers[i].row), &row)))
			CHECK_SIZE(words, row.count);
		if (i > 0)
			CHECK_TRUE(strcmp(fakeapi_proto_numbers[i - 1].row,
					  fakeapi_proto_numbers[i].row) < 0);
	}
}

static void dates_are_read_as_they_are_written(void)
{
	static const int64_t times[] = {0, -1, 951782400, 1796000000, -62135596800, 253402300799};

	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		char text[FAKEAPI_DATE_MAX];
		int64_t seconds = 1;
		uint32_t nanos = 1;

		fakeapi_date_rfc3339(times[i], text);
		CHECK_ROW("%s", text);
		CHECK_TRUE(fakeapi_date_parse(base_str(text), &seconds, &nanos));
		CHECK_INT(seconds, times[i]);
		CHECK_INT(nanos, 0);
	}
	CHECK_ROW(NULL);
	CHECK_FALSE(
		fakeapi_date_parse(BASE_STR("2026-01-01T00:00:00"), &(int64_t){0}, &(uint32_t){0}));
}

static CU_TestInfo tests[] = {
	{"an object comes back as it went", an_object_comes_back_as_it_went},
	{"the bytes are those of a server", the_bytes_are_those_of_a_server},
	{"a kind without Protobuf is refused", a_kind_without_protobuf_is_refused},
	{"a list and an event are framed", a_list_and_an_event_are_framed},
	{"every damage is refused or read as JSON", every_damage_is_refused_or_read_as_json},
	{"every failed allocation is said and leaks nothing",
	 every_failed_allocation_is_said_and_leaks_nothing},
	{"numbers fit their rows", numbers_fit_their_rows},
	{"dates are read as they are written", dates_are_read_as_they_are_written},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_proto_suite;
CU_SuiteInfo fakeapi_proto_suite = {.pName = "fakeapi/proto", .pTests = tests};
