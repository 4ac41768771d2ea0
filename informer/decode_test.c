#include "informer/decode.h"

#include <stdio.h>

#include "ci/unit/assert.h"
#include "informer/fields.h"
#include "informer/frames.h"
#include "informer/host_rig.h"
#include "informer/kinds.h"

extern CU_SuiteInfo informer_decode_suite;

#define META "\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"resourceVersion\":\"7\"}"
#define CONFIG_MAP "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\"," META "}"

static struct inf_resource resource;
static struct inf_decoder decoder;
static struct base_alloc_probe probe;

static void setup(void)
{
	base_alloc_probe_init(&probe);
	resource = rig_config_maps();
	decoder = (struct inf_decoder){
		.alloc = &probe.alloc, .resource = &resource, .api_version = BASE_STR("v1")};
}

static void teardown(void)
{
	CHECK_U64(probe.live_count, 0);
}

/* ---- Lists ---- */

struct list_case {
	const char *body;
	const char *keys; /* of the items; NULL: refused */
	const char *class_name;
};

static void check_lists(const struct list_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct inf_list list;
		struct inf_error error;
		struct base_buf keys;
		CHECK_ROW("%s", cases[i].body);
		base_buf_init(&keys, NULL, BASE_BUF_MAX_DEFAULT);
		inf_list_init(&list, &probe.alloc);
		bool good = inf_decode_list(&decoder, base_str(cases[i].body), &list, &error);
		CHECK_INT(good, cases[i].keys != NULL);
		for (size_t k = 0; k < list.count; k++) {
			CHECK_INT(base_buf_str(&keys, inf_object_key(list.items[k])), BASE_OK);
			CHECK_INT(base_buf_char(&keys, ' '), BASE_OK);
		}
		CHECK_STR(base_buf_peek(&keys), good ? cases[i].keys : "");
		CHECK_TEXT(inf_error_class_name(&error), good ? "none" : cases[i].class_name);
		inf_list_release(&list);
		base_buf_release(&keys);
	}
}

static void a_typed_list_is_as_strict_as_the_typed_client(void)
{
	static const struct list_case cases[] = {
		{"{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[{" META
		 "},{\"metadata\":{\"name\":\"b\"}}]}",
		 "n/a b ", NULL},
		{"{\"items\":[{" META "}]}", "n/a ", NULL},
		{"{\"kind\":\"ConfigMapList\",\"items\":null}", "", NULL},
		{"{\"kind\":\"ConfigMapList\"}", "", NULL},
		{" null ", "", NULL},
		{"{\"kind\":\"ConfigMapList\",\"items\":[null]}", " ", NULL},
		{"{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"items\":[{" META "}]}", "",
		 NULL},
		{"{\"kind\":\"WidgetList\",\"apiVersion\":\"v1\",\"items\":[]}", NULL, "decode"},
		{"{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v2\",\"items\":[]}", NULL, "decode"},
		{"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"Expired\"}",
		 NULL, "expired"},
		{"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\"}", "", NULL},
		{"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":429}", NULL,
		 "too-many-requests"},
		{"{\"kind\":\"Status\",\"apiVersion\":\"any/v9\",\"code\":410}", NULL, "expired"},
		{"{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"items\":[{\"data\":{\"a\":\"no base64\"}}]}",
		 NULL, "decode"},
		{"{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"items\":[null,{\"metadata\":5}]}",
		 NULL, "decode"},
		{"{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"items\":[7]}", NULL, "decode"},
		{"{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"items\":{}}", NULL, "decode"},
		{"{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"metadata\":7}", NULL, "decode"},
		{"{\"kind\":\"Secret\",\"apiVersion\":\"v1\"}", "", NULL},
		{"{\"kind\":5,\"items\":[]}", NULL, "decode"},
		{"{\"apiVersion\":5,\"items\":[]}", NULL, "decode"},
		{"{\"items\":{}}", NULL, "decode"},
		{"{\"items\":[1]}", NULL, "decode"},
		{"{\"items\":[{\"metadata\":{\"name\":1}}]}", NULL, "decode"},
		{"{\"metadata\":{\"resourceVersion\":7}}", NULL, "decode"},
		{"[]", NULL, "decode"},
		{"{} x", NULL, "decode"},
		{"", NULL, "decode"},
	};
	check_lists(cases, sizeof(cases) / sizeof(cases[0]));
}

static void a_dynamic_list_takes_any_kind(void)
{
	static const struct list_case cases[] = {
		{"{\"kind\":\"WidgetList\",\"apiVersion\":\"e.x/v1\",\"items\":[{" META "}]}",
		 "n/a ", NULL},
		{"{\"kind\":\"WidgetList\",\"items\":[{\"metadata\":{\"name\":1}}]}", " ", NULL},
		{"{\"items\":[]}", NULL, "decode"},
		/* nobody looks for a Status */
		{"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":410}",
		 "", NULL},
		{"{\"kind\":\"WidgetList\",\"apiVersion\":\"a/b/c\",\"items\":[]}", NULL, "decode"},
		{"{\"kind\":\"WidgetList\",\"apiVersion\":7,\"items\":[]}", NULL, "decode"},
	};
	resource.flavour = INF_DYNAMIC;
	check_lists(cases, sizeof(cases) / sizeof(cases[0]));
}

static void a_metadata_list_is_any_but_the_kinds_the_client_knows(void)
{
	static const struct list_case cases[] = {
		{"{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\",\"items\":[{" META
		 "}]}",
		 "n/a ", NULL},
		{"{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"items\":[{" META "}]}",
		 "n/a ", NULL},
		{"{\"kind\":\"WidgetList\",\"apiVersion\":\"e.x/v1\",\"items\":[]}", "", NULL},
		{"{\"kind\":\"Table\",\"apiVersion\":\"e.x/v1\",\"items\":[]}", "", NULL},
		{"{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"items\":[]}", NULL,
		 "decode"},
		{"{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1beta1\"}",
		 NULL, "decode"},
		{"{\"kind\":\"APIGroup\",\"apiVersion\":\"e.x/v1\"}", NULL, "decode"},
		{"{\"kind\":\"DeleteOptions\",\"apiVersion\":\"e.x/v1\"}", NULL, "decode"},
		{"{\"kind\":\"ConfigMapList\",\"items\":[]}", NULL, "decode"},
		{"{\"apiVersion\":\"v1\",\"items\":[]}", NULL, "decode"},
		{"{\"kind\":\"Status\",\"apiVersion\":\"any/v9\",\"code\":429}", NULL,
		 "too-many-requests"},
		{"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\"}", NULL,
		 "decode"},
	};
	resource.flavour = INF_METADATA;
	check_lists(cases, sizeof(cases) / sizeof(cases[0]));
}

/* Members that come twice: a Go struct takes no null and keeps what it has, a map takes the last. */
static void a_struct_keeps_what_a_map_replaces(void)
{
#define ITEM(members) "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"items\":[{" members "}]}"
	static const struct {
		const char *body, *of_struct, *of_map;
	} cases[] = {
		{ITEM("\"metadata\":{\"name\":\"a\",\"name\":null}"), "a ", " "},
		{ITEM("\"metadata\":{\"name\":null,\"name\":\"a\"}"), "a ", "a "},
		{ITEM("\"metadata\":{\"name\":\"a\",\"name\":\"b\"}"), "b ", "b "},
		{ITEM("\"metadata\":{\"name\":\"a\"},\"metadata\":null"), "a ", " "},
		{ITEM("\"metadata\":{\"name\":\"a\"},\"metadata\":{\"namespace\":\"n\"}"), "n/a ",
		 "n/ "},
		{ITEM("\"metadata\":{\"name\":\"a\"},\"metadata\":{\"name\":null}"), "a ", " "},
	};
	for (size_t i = 0; i < 2 * (sizeof(cases) / sizeof(cases[0])); i++) {
		const bool is_map = i % 2 == 1;
		const struct list_case one = {.body = cases[i / 2].body,
					      .keys = is_map ? cases[i / 2].of_map
							     : cases[i / 2].of_struct};
		resource.flavour = is_map ? INF_DYNAMIC : INF_TYPED;
		check_lists(&one, 1);
	}
#undef ITEM
}

static void items_take_the_type_of_their_list(void)
{
	struct inf_list list;
	struct inf_error error;
	inf_list_init(&list, &probe.alloc);
	resource.flavour = INF_DYNAMIC;
	CHECK_TRUE(inf_decode_list(
		&decoder,
		BASE_STR("{\"kind\":\"WidgetList\",\"apiVersion\":\"e.x/v1\","
			 "\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"t\\u006f\"},"
			 "\"items\":[{},{\"kind\":\"K\",\"apiVersion\":\"v\"}]}"),
		&list, &error));
	REQUIRE_INT(list.count, 2);
	CHECK_STR(inf_object_kind(list.items[0]), "Widget"); /* W-5 */
	CHECK_STR(inf_object_api_version(list.items[0]), "e.x/v1");
	CHECK_STR(inf_object_kind(list.items[1]), "K");
	CHECK_STR(base_buf_peek(&list.rv), "9");
	CHECK_STR(base_buf_peek(&list.continue_token), "to");
	CHECK_FALSE(list.is_table);
	CHECK_TRUE(inf_decode_list(
		&decoder,
		BASE_STR("{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"rows\":[]}"),
		&list, &error));
	CHECK_TRUE(list.is_table);
	CHECK_INT(list.count, 0);
	inf_list_release(&list);
}

static void a_list_needs_memory_for_every_step(void)
{
	static const char body[] =
		"{\"kind\":\"ConfigMapList\",\"apiVersion\":\"\\u0076\\u0031\",\"metadata\":{"
		"\"resourceVersion\":\"9\",\"continue\":\"x\"},\"items\":[{" META "}]}";
	for (uint64_t n = 1;; n++) {
		struct inf_list list;
		struct inf_error error;
		inf_list_init(&list, &probe.alloc);
		probe.request_count = 0;
		probe.failed_count = 0;
		probe.fail_at = n;
		bool good = inf_decode_list(&decoder, base_str(body), &list, &error);
		bool hit = probe.failed_count > 0;
		CHECK_ROW("allocation %llu", (unsigned long long)n);
		CHECK_INT(good, !hit);
		CHECK_TEXT(inf_error_class_name(&error), hit ? "memory" : "none");
		CHECK_INT(list.count, hit ? 0 : 1);
		inf_list_release(&list);
		if (!hit) {
			CHECK_TRUE(n > 5);
			break;
		}
	}
	probe.fail_at = 0;
}

/* ---- Events ---- */

struct event_case {
	const char *frame;
	enum base_code code;
	enum inf_event_type type;
	enum inf_event_use use;
	const char *class_name;
};

static void check_events(const struct event_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct inf_event event;
		const char *why;
		CHECK_ROW("%s", cases[i].frame);
		CHECK_INT(inf_decode_event(&decoder, base_str(cases[i].frame), &event, &why),
			  cases[i].code);
		CHECK_INT(why != NULL, cases[i].code == BASE_EINVAL);
		if (cases[i].code == BASE_OK) {
			CHECK_INT(event.type, cases[i].type);
			CHECK_INT(event.use, cases[i].use);
			CHECK_INT(event.object != NULL, cases[i].type != INF_EVENT_ERROR);
			CHECK_TEXT(inf_error_class_name(&event.error),
				   cases[i].class_name != NULL ? cases[i].class_name : "none");
		}
		inf_event_release(&event);
	}
}

#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}"
#define SECRET "{\"kind\":\"Secret\",\"apiVersion\":\"v1\"," META "}"
#define STATUS_410 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":410}"
#define TABLE "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\"}"

static void a_typed_event_is_as_strict_as_the_typed_client(void)
{
	static const struct event_case cases[] = {
		{EVENT("ADDED", CONFIG_MAP), BASE_OK, INF_EVENT_ADDED, INF_EVENT_USE, NULL},
		{EVENT("MODIFIED", CONFIG_MAP), BASE_OK, INF_EVENT_MODIFIED, INF_EVENT_USE, NULL},
		{EVENT("DELETED", CONFIG_MAP), BASE_OK, INF_EVENT_DELETED, INF_EVENT_USE, NULL},
		{EVENT("BOOKM\\u0041RK", CONFIG_MAP), BASE_OK, INF_EVENT_BOOKMARK, INF_EVENT_USE,
		 NULL},
		{EVENT("ADDED", SECRET), BASE_OK, INF_EVENT_ADDED, INF_EVENT_SKIP_TYPE, NULL},
		{EVENT("ADDED", STATUS_410), BASE_OK, INF_EVENT_ADDED, INF_EVENT_SKIP_TYPE, NULL},
		{EVENT("ERROR", STATUS_410), BASE_OK, INF_EVENT_ERROR, INF_EVENT_USE, "expired"},
		{EVENT("ERROR", CONFIG_MAP), BASE_OK, INF_EVENT_ERROR, INF_EVENT_USE,
		 "unexpected-object"},
		{EVENT("ERROR", "{\"kind\":\"Status\",\"apiVersion\":\"any/v9\",\"code\":410}"),
		 BASE_OK, INF_EVENT_ERROR, INF_EVENT_USE, "expired"},
		{EVENT("ADDED", "{\"kind\":\"ConfigMap\",\"apiVersion\":\"a/b/c\"}"), BASE_EINVAL,
		 0, 0, NULL},
		{EVENT("ADDED", "{\"kind\":7,\"apiVersion\":\"v1\"}"), BASE_EINVAL, 0, 0, NULL},
		{EVENT("ADDED",
		       "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"generation\":\"x\"}}"),
		 BASE_OK, INF_EVENT_ADDED, INF_EVENT_SKIP_TYPE, NULL},
		{EVENT("ADDED",
		       "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"generation\":\"x\"}}]}"),
		 BASE_EINVAL, 0, 0, NULL},
		{EVENT("ERROR", "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":\"x\"}"),
		 BASE_EINVAL, 0, 0, NULL},
		{EVENT("ODD", CONFIG_MAP), BASE_EINVAL, 0, 0, NULL},
		{EVENT("added", CONFIG_MAP), BASE_EINVAL, 0, 0, NULL},
		{EVENT("ADDED", "{\"kind\":\"Widget\",\"apiVersion\":\"v1\"}"), BASE_EINVAL, 0, 0,
		 NULL},
		{EVENT("ADDED", "{\"kind\":\"ConfigMap\"}"), BASE_EINVAL, 0, 0, NULL},
		{EVENT("ADDED", "{\"apiVersion\":\"v1\"}"), BASE_EINVAL, 0, 0, NULL},
		{EVENT("ADDED",
		       "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"labels\":{\"a\":1}}}"),
		 BASE_EINVAL, 0, 0, NULL},
		{EVENT("ADDED", "null"), BASE_EINVAL, 0, 0, NULL},
		{EVENT("ADDED", "[]"), BASE_EINVAL, 0, 0, NULL},
		{"{\"type\":\"ADDED\"}", BASE_EINVAL, 0, 0, NULL},
		{"{\"type\":1,\"object\":{}}", BASE_EINVAL, 0, 0, NULL},
		{"{}", BASE_EINVAL, 0, 0, NULL},
		{"null", BASE_EINVAL, 0, 0, NULL},
		{"7", BASE_EINVAL, 0, 0, NULL},
	};
	check_events(cases, sizeof(cases) / sizeof(cases[0]));
}

static void a_dynamic_event_takes_any_kind_but_tables(void)
{
	static const struct event_case cases[] = {
		{EVENT("ADDED", "{\"kind\":\"Widget\",\"apiVersion\":\"e.x/v1\"}"), BASE_OK,
		 INF_EVENT_ADDED, INF_EVENT_USE, NULL},
		{EVENT("ADDED", "{\"kind\":\"Widget\"}"), BASE_EINVAL, 0, 0, NULL},
		{EVENT("ADDED", "{\"kind\":\"W\",\"apiVersion\":\"v1\",\"kind\":null}"),
		 BASE_EINVAL, 0, 0, NULL},
		{EVENT("ADDED", "{\"kind\":\"W\",\"apiVersion\":\"v1\",\"apiVersion\":null}"),
		 BASE_OK, INF_EVENT_ADDED, INF_EVENT_USE, NULL},
		{EVENT("ADDED", "{\"kind\":\"W\",\"apiVersion\":\"/v1\"}"), BASE_OK,
		 INF_EVENT_ADDED, INF_EVENT_USE, NULL},
		{EVENT("ADDED", "{\"kind\":\"W\",\"apiVersion\":\"v1/\"}"), BASE_EINVAL, 0, 0,
		 NULL},
		{EVENT("ADDED", SECRET), BASE_OK, INF_EVENT_ADDED, INF_EVENT_USE, NULL},
		{EVENT("ADDED", TABLE), BASE_OK, INF_EVENT_ADDED, INF_EVENT_SKIP_TABLE, NULL},
		{EVENT("ADDED", STATUS_410), BASE_OK, INF_EVENT_ADDED, INF_EVENT_SKIP_TYPE, NULL},
		{EVENT("ADDED", "{\"kind\":\"WidgetList\",\"apiVersion\":\"e.x/v1\",\"items\":[]}"),
		 BASE_OK, INF_EVENT_ADDED, INF_EVENT_USE, NULL},
		{EVENT("ERROR",
		       "{\"kind\":\"Status\",\"apiVersion\":\"meta.k8s.io/v1\",\"code\":429}"),
		 BASE_OK, INF_EVENT_ERROR, INF_EVENT_USE, "too-many-requests"},
		{EVENT("ADDED", "{\"apiVersion\":\"v1\"}"), BASE_EINVAL, 0, 0, NULL},
	};
	resource.flavour = INF_DYNAMIC;
	check_events(cases, sizeof(cases) / sizeof(cases[0]));
}

static void a_metadata_event_is_partial_object_metadata(void)
{
	static const struct event_case cases[] = {
		{EVENT("ADDED",
		       "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\"," META
		       "}"),
		 BASE_OK, INF_EVENT_ADDED, INF_EVENT_USE, NULL},
		{EVENT("ADDED", CONFIG_MAP), BASE_EINVAL, 0, 0, NULL},
		{EVENT("ADDED", TABLE), BASE_OK, INF_EVENT_ADDED, INF_EVENT_SKIP_TYPE, NULL},
		{EVENT("ADDED", STATUS_410), BASE_OK, INF_EVENT_ADDED, INF_EVENT_SKIP_TYPE, NULL},
		{EVENT("ERROR", STATUS_410), BASE_OK, INF_EVENT_ERROR, INF_EVENT_USE, "expired"},
	};
	resource.flavour = INF_METADATA;
	check_events(cases, sizeof(cases) / sizeof(cases[0]));
}

static void an_event_needs_memory(void)
{
	struct inf_event event;
	const char *why;
	probe.fail_at = 1;
	probe.fail_forever = true;
	CHECK_INT(inf_decode_event(&decoder, BASE_STR(EVENT("ADDED", CONFIG_MAP)), &event, &why),
		  BASE_ENOMEM);
	CHECK_INT(inf_decode_event(&decoder, BASE_STR(EVENT("A\\u0044DED", CONFIG_MAP)), &event,
				   &why),
		  BASE_ENOMEM);
	probe.fail_at = 0;
}

static void check_same_with_outline(const char *line)
{
	struct inf_frames frames;
	struct inf_event seen, plain;
	struct base_str frame;
	const char *why;
	enum base_code code;

	CHECK_ROW("%s", line);
	inf_frames_init(&frames, &probe.alloc);
	CHECK_INT(inf_frames_add(&frames, base_str(line)), BASE_OK);
	CHECK_INT(inf_frames_next(&frames, &frame), INF_FRAME);
	CHECK_TRUE(inf_frames_outline(&frames) != NULL);
	code = inf_decode_event(&decoder, frame, &plain, &why);
	CHECK_INT(inf_decode_outlined(&decoder, frame, inf_frames_outline(&frames), &seen, &why),
		  code);
	CHECK_INT(seen.type, plain.type);
	CHECK_INT(seen.use, plain.use);
	CHECK_TRUE((seen.object != NULL) == (plain.object != NULL));
	if (seen.object != NULL && plain.object != NULL) {
		CHECK_TRUE(base_str_eq(inf_object_raw(seen.object), inf_object_raw(plain.object)));
		CHECK_TRUE(base_str_eq(inf_object_key(seen.object), inf_object_key(plain.object)));
		CHECK_TRUE(base_str_eq(inf_object_rv(seen.object), inf_object_rv(plain.object)));
	}
	inf_event_release(&seen);
	inf_event_release(&plain);
	inf_frames_release(&frames);
}

#define FRAME(object) "{\"type\":\"ADDED\",\"object\":" object "}\n"
#define HEAD "\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\""

static void an_outline_changes_nothing(void)
{
	static const char *const lines[] = {
		FRAME(CONFIG_MAP),
		FRAME("{}"),
		FRAME("{" HEAD "," META ",\"data\":{\"a\":\"}\\\"{\"},\"x\":[{\"y\":1}]}"),
		FRAME("{" HEAD "," META " , \"n\" : 1.5e3 , \"l\":[ ] , \"m\":{ } } "),
		FRAME("{ " HEAD "," META "}"),
		FRAME("{" HEAD "," META "," META "}"),
		FRAME("{" HEAD ",\"m\\u0065tadata\":{\"name\":\"b\"}}"),
		FRAME("{" HEAD ",\"metadata\":{\"n\\u0061me\":\"b\",\"namespace\":\"n\"}}"),
		FRAME("{" HEAD ",\"metadata\":{\"name\":\"b\",\"name\":null}}"),
		FRAME("{" HEAD ",\"a1\":1,\"a2\":1,\"a3\":1,\"a4\":1,\"a5\":1,\"a6\":1,\"a7\":1,"
		      "\"a8\":1,\"a9\":1,\"b1\":1,\"b2\":1,\"b3\":1,\"b4\":1,\"b5\":1," META "}"),
		"{\"type\":\"ADDED\",\"object\":" CONFIG_MAP ",\"more\":{\"a\":{}}}",
		"{\"type\":\"ADDED\",\"object\":{},\"more\":" CONFIG_MAP "}",
		"{\"type\":\"ADDED\",\"object\":" CONFIG_MAP ",\"more\":[1,{\"a\":2}]}",
		"{\"type\":\"ADDED\",\"object\":" CONFIG_MAP ",\"object\":" CONFIG_MAP "}",
		"{\"object\":" CONFIG_MAP ",\"type\":\"ADDED\"}",
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check_same_with_outline(lines[i]);
}

/* ---- Fields and kinds ---- */

static const char *check_object(const char *text)
{
	struct inf_parts parts = inf_parts_of(base_str(text));
	return inf_check_object(&parts);
}

static void metadata_fields_have_types(void)
{
	static const struct {
		const char *field;
		const char *good, *bad;
	} cases[] = {
		{"name", "\"x\"", "7"},
		{"generation", "7", "7.5"},
		{"generation", "null", "\"7\""},
		{"creationTimestamp", "\"2000-01-01T00:00:00Z\"", "\"yesterday\""},
		{"deletionTimestamp", "\"2024-02-29T23:59:59.123+05:30\"",
		 "\"2023-02-29T00:00:00Z\""},
		{"labels", "{\"a\":\"b\",\"c\":null}", "{\"a\":true}"},
		{"annotations", "{}", "[]"},
		{"finalizers", "[\"a\",null]", "[1]"},
		{"ownerReferences", "[{\"name\":\"x\",\"controller\":true}]",
		 "[{\"controller\":\"yes\"}]"},
		{"ownerReferences", "[]", "[7]"},
		{"managedFields", "[{\"time\":\"2000-01-01T00:00:00Z\",\"fieldsV1\":{\"f\":{}}}]",
		 "[{\"manager\":1}]"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[256];
		CHECK_ROW("%s %s", cases[i].field, cases[i].bad);
		(void)snprintf(text, sizeof(text), "{\"metadata\":{\"%s\":%s}}", cases[i].field,
			       cases[i].good);
		CHECK_TRUE(check_object(text) == NULL);
		(void)snprintf(text, sizeof(text), "{\"metadata\":{\"%s\":%s}}", cases[i].field,
			       cases[i].bad);
		CHECK_TRUE(check_object(text) != NULL);
	}
	CHECK_TRUE(check_object("{\"metadata\":[]}") != NULL);
	CHECK_TRUE(check_object("{\"kind\":1}") != NULL);
	CHECK_TRUE(check_object("{\"spec\":1}") == NULL);
}

static void times_are_rfc_3339(void)
{
	static const char *const good[] = {"2000-01-01T00:00:00Z", "2000-02-29T00:00:00Z",
					   "1999-12-31T23:59:59.5Z", "2020-01-01T00:00:00-08:00"};
	static const char *const bad[] = {"",
					  "2000-01-01",
					  "2000-13-01T00:00:00Z",
					  "1900-02-29T00:00:00Z",
					  "2000-01-01T24:00:00Z",
					  "2000-01-01T00:60:00Z",
					  "2000-01-01T00:00:60Z",
					  "2000-01-01 00:00:00Z",
					  "2000-01-01T00:00:00",
					  "2000-01-01T00:00:00.Z",
					  "2000-01-01T00:00:00z",
					  "2000-01-01T00:00:00+5:00",
					  "2000-00-01T00:00:00Z",
					  "20x0-01-01T00:00:00Z",
					  "2000-01-00T00:00:00Z",
					  "2000-01-01T0a:00:00Z"};
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		CHECK_ROW("%s", good[i]);
		CHECK_TRUE(inf_is_time(base_str(good[i])));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK_ROW("%s", bad[i]);
		CHECK_FALSE(inf_is_time(base_str(bad[i])));
	}
}

static void content_of_config_maps_and_secrets_has_types(void)
{
	static const struct {
		const char *kind, *object;
		bool good;
	} rows[] = {
		{"ConfigMap", "{\"data\":{\"a\":\"b\"}}", true},
		{"ConfigMap", "{\"data\":null,\"immutable\":true}", true},
		{"ConfigMap", "{\"data\":{\"a\":5}}", false},
		{"ConfigMap", "{\"data\":[]}", false},
		{"ConfigMap", "{\"immutable\":\"yes\"}", false},
		{"ConfigMap", "{\"binaryData\":{\"a\":\"AAA=\"}}", true},
		{"ConfigMap", "{\"binaryData\":{\"a\":\"A\"}}", false},
		{"ConfigMap", "{\"spec\":5}", true},
		{"Secret", "{\"data\":{\"a\":\"v102\",\"b\":null,\"c\":\"\"}}", true},
		{"Secret", "{\"data\":{\"a\":\"v1000\"}}", false},
		{"Secret", "{\"data\":{\"a\":\"AA==\"}}", true},
		{"Secret", "{\"data\":{\"a\":\"A===\"}}", false},
		{"Secret", "{\"data\":{\"a\":\"====\"}}", false},
		{"Secret", "{\"data\":{\"a\":\"AA=A\"}}", false},
		{"Secret", "{\"data\":{\"a\":\"A-_A\"}}", false},
		{"Secret", "{\"data\":{\"a\":\"\\/\\/\\n\\/\\/\"}}", true},
		{"Secret", "{\"data\":{\"a\":\"\\t\"}}", false},
		{"Secret", "{\"stringData\":{\"a\":\"any text\"},\"type\":\"Opaque\"}", true},
		{"Secret", "{\"type\":1}", false},
		{"Pod", "{\"data\":5}", true},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CHECK_ROW("%s %s", rows[i].kind, rows[i].object);
		const char *bad =
			inf_check_content(base_str(rows[i].object), base_str(rows[i].kind));
		CHECK_TRUE((bad == NULL) == rows[i].good);
	}
}

static void kinds_are_registered_with_their_lists(void)
{
	CHECK_TRUE(inf_kind_is_registered(BASE_STR("v1"), BASE_STR("Pod")));
	CHECK_TRUE(inf_kind_is_registered(BASE_STR("v1"), BASE_STR("PodList")));
	CHECK_TRUE(inf_kind_is_registered(BASE_STR("v1"), BASE_STR("Status")));
	CHECK_FALSE(inf_kind_is_registered(BASE_STR("v1"), BASE_STR("StatusList")));
	CHECK_TRUE(inf_kind_is_registered(BASE_STR("any/v9"), BASE_STR("Status")));
	CHECK_TRUE(inf_kind_is_metadata(BASE_STR("meta.k8s.io/v1beta1"), BASE_STR("TableOptions")));
	CHECK_FALSE(inf_kind_is_metadata(BASE_STR("v1"), BASE_STR("ConfigMap")));
	CHECK_FALSE(inf_kind_is_registered(BASE_STR("v1"), BASE_STR("Deployment")));
	CHECK_FALSE(inf_kind_is_registered(BASE_STR("v1"), BASE_STR("")));
	CHECK_TRUE(inf_kind_is_registered(BASE_STR("apps/v1"), BASE_STR("Deployment")));
	CHECK_TRUE(inf_kind_is_registered(BASE_STR("apps/v1"), BASE_STR("ListOptions")));
	CHECK_FALSE(inf_kind_is_registered(BASE_STR("apps/v9"), BASE_STR("Deployment")));
	CHECK_TRUE(inf_kind_is_registered(BASE_STR("rbac.authorization.k8s.io/v1"),
					  BASE_STR("RoleBinding")));
}

static CU_TestInfo tests[] = {
	{"a_typed_list_is_as_strict_as_the_typed_client",
	 a_typed_list_is_as_strict_as_the_typed_client},
	{"a_dynamic_list_takes_any_kind", a_dynamic_list_takes_any_kind},
	{"a_metadata_list_is_any_but_the_kinds_the_client_knows",
	 a_metadata_list_is_any_but_the_kinds_the_client_knows},
	{"a_struct_keeps_what_a_map_replaces", a_struct_keeps_what_a_map_replaces},
	{"items_take_the_type_of_their_list", items_take_the_type_of_their_list},
	{"a_list_needs_memory_for_every_step", a_list_needs_memory_for_every_step},
	{"a_typed_event_is_as_strict_as_the_typed_client",
	 a_typed_event_is_as_strict_as_the_typed_client},
	{"a_dynamic_event_takes_any_kind_but_tables", a_dynamic_event_takes_any_kind_but_tables},
	{"a_metadata_event_is_partial_object_metadata",
	 a_metadata_event_is_partial_object_metadata},
	{"an_event_needs_memory", an_event_needs_memory},
	{"an_outline_changes_nothing", an_outline_changes_nothing},
	{"metadata_fields_have_types", metadata_fields_have_types},
	{"times_are_rfc_3339", times_are_rfc_3339},
	{"content_of_config_maps_and_secrets_has_types",
	 content_of_config_maps_and_secrets_has_types},
	{"kinds_are_registered_with_their_lists", kinds_are_registered_with_their_lists},
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_decode_suite = {.pName = "informer/decode",
				      .pSetUpFunc = setup,
				      .pTearDownFunc = teardown,
				      .pTests = tests};
