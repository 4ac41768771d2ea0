#include "fakeapi/selector.h"

#include "ci/unit/assert.h"

static const char object_a[] =
	"{\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\",\"labels\":{\"env\":\"prod\","
	"\"tier\":\"web\",\"rank\":\"5\",\"empty\":\"\"}},\"spec\":{\"nodeName\":\"n1\","
	"\"hostNetwork\":true},\"status\":{\"phase\":\"Running\"}}";
static const char object_bare[] = "{\"metadata\":{\"name\":\"b\"}}";

static const struct fakeapi_resource *resource(const char *word)
{
	struct fakeapi_resources none = {0};

	return fakeapi_resources_named(&none, base_str(word));
}

struct label_row {
	const char *selector;
	bool a, bare; /* matches */
};

static void labels_match_as_the_server_does(void)
{
	static const struct label_row rows[] = {
		{"", true, true},
		{"env=prod", true, false},
		{"env==prod", true, false},
		{"env=dev", false, false},
		{"env!=prod", false, true},
		{"env!=dev", true, true},
		{"env", true, false},
		{"!env", false, true},
		{"env in (prod, dev)", true, false},
		{"env in ()", false, false},
		{"empty in ()", true, false},
		{"empty=", true, false},
		{"env=", false, false},
		{"env notin (prod)", false, true},
		{"env notin (dev)", true, true},
		{"env notin (,dev)", true, true},
		{"empty notin (,)", false, true},
		{"rank>3", true, false},
		{"rank<3", false, false},
		{"env>3", false, false},
		{" env = prod ,\ttier\n", true, false},
		{"env=prod,tier=db", false, false},
		{"in in (in)", false, false},
		{"example.com/x notin (y)", true, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_selector s;
		struct base_buf message;

		CHECK_ROW("%s", rows[i].selector);
		fakeapi_selector_init(&s, NULL);
		base_buf_init(&message, NULL, 4096);
		CHECK_INT(fakeapi_selector_labels(&s, base_str(rows[i].selector), &message),
			  BASE_OK);
		CHECK_INT(fakeapi_selector_matches(&s, base_str(object_a)), rows[i].a);
		CHECK_INT(fakeapi_selector_matches(&s, base_str(object_bare)), rows[i].bare);
		CHECK_FALSE(fakeapi_selector_matches(&s, (struct base_str){0}));
		fakeapi_selector_release(&s);
		base_buf_release(&message);
	}
}

#define BAD_NAME                                                                                       \
	"name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "  \
	"with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " \
	"validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define X64 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static void bad_label_selectors_are_refused_in_the_servers_words(void)
{
	static const struct {
		const char *selector, *text;
	} rows[] = {
		{"=x", "found '=', expected: !, identifier, or 'end of string'"},
		{"env in (a", "unable to parse requirement: found '', expected: ',' or ')'"},
		{"a b",
		 "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
		{"-bad=1",
		 "unable to parse requirement: <nil>: Invalid value: \"-bad\": " BAD_NAME},
		{"env=" X64, "unable to parse requirement: values[0][env]: Invalid value: \"" X64
			     "\": must be no more than 63 bytes"},
		{"!a=b", "found '=', expected: ',' or 'end of string'"},
		{"a,", "found '', expected: identifier after ','"},
		{"a,,b", "found ',', expected: identifier after ','"},
		{"!", "unable to parse requirement: found '', expected: identifier"},
		{"!,a", "unable to parse requirement: found ',', expected: identifier"},
		{"a in b", "unable to parse requirement: found 'b' expected: '('"},
		{"a in (=)",
		 "unable to parse requirement: found '=', expected: ',', ')' or identifier"},
		{"a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"},
		{"a in (b,=",
		 "unable to parse requirement: found '=', expected: ',', or identifier"},
		{"a=(", "unable to parse requirement: found '(', expected: identifier"},
		{"a>b",
		 "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' "
		 "operators, the value must be an integer"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_selector s;
		struct base_buf message;

		CHECK_ROW("%s", rows[i].selector);
		fakeapi_selector_init(&s, NULL);
		base_buf_init(&message, NULL, 4096);
		CHECK_INT(fakeapi_selector_labels(&s, base_str(rows[i].selector), &message),
			  BASE_EINVAL);
		CHECK_STR(base_buf_peek(&message), rows[i].text);
		fakeapi_selector_release(&s);
		base_buf_release(&message);
	}
}

static void fields_match_or_are_refused(void)
{
	static const struct {
		const char *resource, *selector;
		enum base_code code;
		bool a, bare;
		const char *text;
	} rows[] = {
		{"configmaps", "", BASE_OK, true, true, ""},
		{"configmaps", "metadata.name=a", BASE_OK, true, false, ""},
		{"configmaps", "metadata.name!=a", BASE_OK, false, true, ""},
		{"configmaps", "metadata.namespace==ns,metadata.name=a,", BASE_OK, true, false, ""},
		{"configmaps", "metadata.namespace=", BASE_OK, false, true, ""},
		{"configmaps", "metadata.name=a\\,b", BASE_OK, false, false, ""},
		{"pods", "spec.nodeName=n1", BASE_OK, true, false, ""},
		{"pods", "spec.nodeName=", BASE_OK, false, true, ""},
		{"pods", "spec.hostNetwork=true", BASE_OK, true, false, ""},
		{"pods", "spec.hostNetwork=false", BASE_OK, false, true, ""},
		{"pods", "status.phase!=Running", BASE_OK, false, true, ""},
		{"replicationcontrollers", "status.replicas=0", BASE_OK, true, true, ""},
		{"pods", "spec.foo=1", BASE_EINVAL, false, false,
		 "field label not supported: spec.foo"},
		{"configmaps", "spec.x=1", BASE_EINVAL, false, false,
		 "\"spec.x\" is not a known field selector: only \"metadata.name\", "
		 "\"metadata.namespace\""},
		{"configmaps", "metadata.name", BASE_EINVAL, false, false,
		 "invalid selector: 'metadata.name'; can't understand 'metadata.name'"},
		{"configmaps", "metadata.name=a=b", BASE_EINVAL, false, false,
		 "invalid field selector: unescaped character in value: 61"},
		{"configmaps", "metadata.name=a\\b", BASE_EINVAL, false, false,
		 "invalid field selector: invalid escape sequence: \\b"},
		{"configmaps", "metadata.name=a\\", BASE_EINVAL, false, false,
		 "invalid field selector: invalid escape sequence: \\"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fakeapi_selector s;
		struct base_buf message;

		CHECK_ROW("%s %s", rows[i].resource, rows[i].selector);
		fakeapi_selector_init(&s, NULL);
		base_buf_init(&message, NULL, 4096);
		CHECK_INT(fakeapi_selector_fields(&s, resource(rows[i].resource),
						  base_str(rows[i].selector), &message),
			  rows[i].code);
		CHECK_STR(base_buf_peek(&message), rows[i].text);
		if (rows[i].code == BASE_OK) {
			CHECK_INT(fakeapi_selector_matches(&s, base_str(object_a)), rows[i].a);
			CHECK_INT(fakeapi_selector_matches(&s, base_str(object_bare)),
				  rows[i].bare);
		}
		fakeapi_selector_release(&s);
		base_buf_release(&message);
	}
}

static void a_name_that_is_demanded_is_known(void)
{
	struct fakeapi_selector s;
	struct base_buf message;
	struct base_str name, ns;

	fakeapi_selector_init(&s, NULL);
	base_buf_init(&message, NULL, 4096);
	CHECK_TRUE(fakeapi_selector_is_empty(&s));
	CHECK_FALSE(fakeapi_selector_name(&s, &name));
	CHECK_INT(fakeapi_selector_fields(&s, resource("pods"),
					  BASE_STR("metadata.name=x,metadata.namespace=y"),
					  &message),
		  BASE_OK);
	CHECK_FALSE(fakeapi_selector_is_empty(&s));
	CHECK_TRUE(fakeapi_selector_name(&s, &name));
	CHECK_STR(name, "x");
	CHECK_TRUE(fakeapi_selector_namespace(&s, &ns));
	CHECK_STR(ns, "y");
	fakeapi_selector_release(&s);
	base_buf_release(&message);
}

/* */
static void changes_are_seen_through_the_selector(void)
{
	static const char yes[] = "{\"metadata\":{\"labels\":{\"x\":\"1\"}}}";
	static const char no[] = "{\"metadata\":{\"labels\":{\"x\":\"2\"}}}";
	static const struct {
		const char *old, *new;
		enum fakeapi_seen seen;
	} rows[] = {
		{"", yes, FAKEAPI_SEEN_ADDED},   {"", no, FAKEAPI_SEEN_NOTHING},
		{no, yes, FAKEAPI_SEEN_ADDED},   {yes, yes, FAKEAPI_SEEN_MODIFIED},
		{yes, no, FAKEAPI_SEEN_DELETED}, {yes, "", FAKEAPI_SEEN_DELETED},
		{no, no, FAKEAPI_SEEN_NOTHING},  {no, "", FAKEAPI_SEEN_NOTHING},
	};
	struct fakeapi_selector s;
	struct base_buf message;

	fakeapi_selector_init(&s, NULL);
	base_buf_init(&message, NULL, 4096);
	CHECK_INT(fakeapi_selector_labels(&s, BASE_STR("x=1"), &message), BASE_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CHECK_ROW("row %zu", i);
		CHECK_INT(fakeapi_selector_sees(&s, base_str(rows[i].old), base_str(rows[i].new)),
			  rows[i].seen);
	}
	fakeapi_selector_release(&s);
	base_buf_release(&message);
}

static void another_version_is_spliced_in(void)
{
	static const struct {
		const char *object, *expected;
	} rows[] = {
		{"{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"5\",\"uid\":\"u\"},\"n\":1.50}",
		 "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"77\",\"uid\":\"u\"},\"n\":1.50}"},
		{"{\"metadata\":{\"name\":\"a\"}}",
		 "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"77\"}}"},
		{"{\"metadata\":{}}", "{\"metadata\":{\"resourceVersion\":\"77\"}}"},
	};
	struct base_buf out;

	base_buf_init(&out, NULL, 4096);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CHECK_ROW("%s", rows[i].object);
		base_buf_clear(&out);
		CHECK_INT(fakeapi_object_with_rv(base_str(rows[i].object), 77, &out), BASE_OK);
		CHECK_STR(base_buf_peek(&out), rows[i].expected);
	}
	CHECK_INT(fakeapi_object_with_rv(BASE_STR("{}"), 1, &out), BASE_EINVAL);
	base_buf_release(&out);
}

static void every_allocation_may_fail(void)
{
	struct base_alloc_probe probe;
	enum base_code code = BASE_ENOMEM;

	for (uint64_t n = 1; code == BASE_ENOMEM && n < 100; n++) {
		struct fakeapi_selector s;
		struct base_buf message;

		base_alloc_probe_init(&probe);
		probe.fail_at = n;
		fakeapi_selector_init(&s, &probe.alloc);
		base_buf_init(&message, &probe.alloc, 4096);
		code = fakeapi_selector_labels(&s, BASE_STR("a in (1,2,3,4,5,6,7,8,9),b,c,d,e,f=1"),
					       &message);
		if (code == BASE_OK)
			code = fakeapi_selector_fields(&s, resource("pods"),
						       BASE_STR("metadata.name=a,spec.nodeName=x"),
						       &message);
		fakeapi_selector_release(&s);
		base_buf_release(&message);
		CHECK_U64(probe.live_count, 0);
	}
	CHECK_INT(code, BASE_OK);
}

static CU_TestInfo tests[] = {
	{"labels match as the server does", labels_match_as_the_server_does},
	{"bad label selectors are refused in the server's words",
	 bad_label_selectors_are_refused_in_the_servers_words},
	{"fields match or are refused", fields_match_or_are_refused},
	{"a name that is demanded is known", a_name_that_is_demanded_is_known},
	{"changes are seen through the selector", changes_are_seen_through_the_selector},
	{"another version is spliced in", another_version_is_spliced_in},
	{"every allocation may fail", every_allocation_may_fail},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_selector_suite;
CU_SuiteInfo fakeapi_selector_suite = {"fakeapi/selector", NULL, NULL, NULL, NULL, tests};
