/* Reading by types, values, defaults. */
#include "fakeapi/typed.h"

#include "ci/unit/assert.h"
#include "fakeapi/defaults.h"

struct row {
	const char *type, *object;
	const char *expected; /* or the error */
	const char *findings; /* joined by "; " */
};

static void read_one(const struct row *row, bool defaults)
{
	const struct fakeapi_schema_type *type = fakeapi_schema_find(base_str(row->type));
	struct fakeapi_tree tree;
	struct fakeapi_typed typed = {.tree = &tree};
	struct fakeapi_node *object;
	struct base_buf out;

	CHECK_ROW("%s %s", row->type, row->object);
	REQUIRE_PTR_NOT_NULL(type);
	fakeapi_tree_init(&tree, NULL);
	base_buf_init(&out, NULL, 65536);
	object = fakeapi_typed_read(&typed, type, fakeapi_tree_parse(&tree, base_str(row->object)));
	if (typed.error.len > 0) {
		CHECK_STR(typed.error, row->expected);
	} else {
		object = fakeapi_typed_shape(&tree, type, object, false, true);
		if (defaults)
			fakeapi_defaults_apply(&tree, type, object);
		object = fakeapi_typed_shape(&tree, type, object, false, true);
		CHECK_INT(fakeapi_node_write(object, false, &out), BASE_OK);
		CHECK_STR(base_buf_peek(&out), row->expected);
	}
	base_buf_clear(&out);
	for (const struct fakeapi_node *f = typed.findings->first; f != NULL; f = f->next)
		CHECK_INT(base_buf_printf(&out, "%s%.*s", out.len > 0 ? "; " : "",
					  BASE_STR_ARG(f->text)),
			  BASE_OK);
	CHECK_STR(base_buf_peek(&out), row->findings != NULL ? row->findings : "");
	CHECK_INT(tree.code, BASE_OK);
	base_buf_release(&out);
	fakeapi_tree_release(&tree);
}

static void objects_take_the_form_of_their_type(void)
{
	static const struct row rows[] = {
		{"core.ContainerPort", "{\"protocol\":\"TCP\",\"containerPort\":80,\"name\":\"\"}",
		 "{\"containerPort\":80,\"protocol\":\"TCP\"}", NULL},
		{"core.ContainerPort", "{\"x\":1,\"containerPort\":1,\"containerPort\":2}",
		 "{\"containerPort\":2}", "unknown field \"x\"; duplicate field \"containerPort\""},
		{"core.EnvVar", "{}", "{\"name\":\"\"}", NULL},
		{"rbac.PolicyRule", "{\"verbs\":[],\"resources\":[]}", "{\"verbs\":null}", NULL},
		{"core.ConfigMap", "{\"data\":{\"b\":\"1\",\"a\":null},\"metadata\":{}}",
		 "{\"metadata\":{},\"data\":{\"a\":\"\",\"b\":\"1\"}}", NULL},
		{"core.ResourceRequirements",
		 "{\"limits\":{\"memory\":\"1024Mi\",\"cpu\":\"1500m\"},\"requests\":{\"cpu\":0.5}}",
		 "{\"limits\":{\"cpu\":\"1500m\",\"memory\":\"1Gi\"},\"requests\":{\"cpu\":\"500m\"}}",
		 NULL},
		{"core.Taint",
		 "{\"key\":\"k\",\"effect\":\"e\",\"timeAdded\":\"2026-01-01T02:00:00+02:00\"}",
		 "{\"key\":\"k\",\"effect\":\"e\",\"timeAdded\":\"2026-01-01T00:00:00Z\"}", NULL},
		{"core.ConfigMap",
		 "{\"metadata\":{\"labels\":{\"a\":\"1\",\"a\":\"2\"},\"x\":[{\"y\":1}]}}",
		 "{\"metadata\":{\"labels\":{\"a\":\"2\"}}}",
		 "duplicate field \"metadata.labels.a\"; unknown field \"metadata.x\""},
		{"core.PodSpec", "{\"containers\":[{\"name\":\"c\",\"y\":1}]}",
		 "{\"containers\":[{\"name\":\"c\",\"resources\":{}}]}",
		 "unknown field \"containers[0].y\""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		read_one(&rows[i], false);
}

static void wrong_values_are_refused_in_go_words(void)
{
	static const struct row rows[] = {
		{"core.ConfigMap", "{\"data\":{\"k\":1}}",
		 "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
		 NULL},
		{"core.ConfigMap", "{\"metadata\":5}",
		 "json: cannot unmarshal number into Go struct field ConfigMap.metadata of type "
		 "v1.ObjectMeta",
		 NULL},
		{"core.Pod", "{\"spec\":{\"containers\":\"x\"}}",
		 "json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type "
		 "[]v1.Container",
		 NULL},
		{"core.Pod", "{\"spec\":{\"containers\":[{\"name\":5}]}}",
		 "json: cannot unmarshal number into Go struct field Container.spec.containers.name of "
		 "type string",
		 NULL},
		{"apps.DeploymentSpec", "{\"replicas\":1.5}",
		 "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.replicas of type "
		 "int32",
		 NULL},
		{"core.Secret", "{\"data\":{\"a\":\"not base64!\"}}",
		 "illegal base64 data at input byte 3", NULL},
		{"coordination.LeaseSpec", "{\"renewTime\":\"yesterday\"}",
		 "parsing time \"yesterday\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse "
		 "\"yesterday\" as \"2006\"",
		 NULL},
		{"coordination.LeaseSpec", "{\"renewTime\":\"2026-01-01T00:00:00.5Z\"}",
		 "parsing time \"2026-01-01T00:00:00.5Z\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot "
		 "parse \".5Z\" as \".000000\"",
		 NULL},
		{"meta.ObjectMeta", "{\"creationTimestamp\":7}",
		 "json: cannot unmarshal number into Go value of type string", NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		read_one(&rows[i], false);
}

static void defaults_follow_the_table(void)
{
	static const struct row rows[] = {
		{"core.Probe", "{\"httpGet\":{\"port\":80},\"periodSeconds\":0}",
		 "{\"httpGet\":{\"path\":\"/\",\"port\":80,\"scheme\":\"HTTP\"},\"timeoutSeconds\":1,"
		 "\"periodSeconds\":10,\"successThreshold\":1,\"failureThreshold\":3}",
		 NULL},
		{"core.Volume", "{\"name\":\"v\"}", "{\"name\":\"v\",\"emptyDir\":{}}", NULL},
		{"core.Volume", "{\"name\":\"v\",\"secret\":{}}",
		 "{\"name\":\"v\",\"secret\":{\"defaultMode\":420}}", NULL},
		{"core.Container", "{\"name\":\"c\",\"image\":\"reg:5000/y\"}",
		 "{\"name\":\"c\",\"image\":\"reg:5000/y\",\"resources\":{},\"terminationMessagePath\":"
		 "\"/dev/termination-log\",\"terminationMessagePolicy\":\"File\","
		 "\"imagePullPolicy\":\"Always\"}",
		 NULL},
		{"apps.DeploymentStrategy", "{\"type\":\"Recreate\"}", "{\"type\":\"Recreate\"}",
		 NULL},
		{"apps.DeploymentStrategy", "{}",
		 "{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"maxUnavailable\":\"25%\","
		 "\"maxSurge\":\"25%\"}}",
		 NULL},
		{"core.ServicePort", "{\"port\":80}",
		 "{\"protocol\":\"TCP\",\"port\":80,\"targetPort\":80}", NULL},
		{"core.Secret", "{\"stringData\":{\"a\":\"bc\"},\"data\":{\"z\":\"\"}}",
		 "{\"metadata\":{},\"data\":{\"a\":\"YmM=\",\"z\":\"\"},\"type\":\"Opaque\"}",
		 NULL},
		{"networking.NetworkPolicySpec", "{\"egress\":[{}]}",
		 "{\"podSelector\":{},\"egress\":[{}],\"policyTypes\":[\"Ingress\",\"Egress\"]}",
		 NULL},
		{"core.Namespace", "{\"metadata\":{\"name\":\"n\"}}",
		 "{\"metadata\":{\"name\":\"n\",\"labels\":{\"kubernetes.io/metadata.name\":\"n\"}},"
		 "\"spec\":{},\"status\":{\"phase\":\"Active\"}}",
		 NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		read_one(&rows[i], true);
}

static void quantities_have_one_form(void)
{
	static const char *const rows[][2] = {
		{"0", "0"},       {"1000m", "1"},   {"0.5", "500m"},       {"1000", "1k"},
		{"1024", "1024"}, {"1Ki", "1Ki"},   {"1024Ki", "1Mi"},     {"1.5Gi", "1536Mi"},
		{"1e3", "1e3"},   {"12e6", "12e6"}, {"100M", "100M"},      {"-1", "-1"},
		{"0.1n", "1n"},   {"1u", "1u"},     {"1500000n", "1500u"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_tree tree;
		struct base_str out, why;

		CHECK_ROW("%s", rows[i][0]);
		fakeapi_tree_init(&tree, NULL);
		CHECK_INT(fakeapi_value_quantity(&tree, base_str(rows[i][0]), &out, &why), BASE_OK);
		CHECK_STR(out, rows[i][1]);
		fakeapi_tree_release(&tree);
	}
}

static CU_TestInfo tests[] = {
	{"objects take the form of their type", objects_take_the_form_of_their_type},
	{"wrong values are refused in Go's words", wrong_values_are_refused_in_go_words},
	{"defaults follow the table", defaults_follow_the_table},
	{"quantities have one form", quantities_have_one_form},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_typed_suite;
CU_SuiteInfo fakeapi_typed_suite = {"fakeapi/typed", NULL, NULL, NULL, NULL, tests};
