#include "informer/gates.h"

#include "ci/unit/assert.h"

extern CU_SuiteInfo informer_gates_suite;

static void defaults_are_those_of_client_go_0_36(void)
{
	struct inf_gates gates = inf_gates_default();
	static const char *const names[] = {"AtomicFIFO",
					    "UnlockWhileProcessingFIFO",
					    "InOrderInformers",
					    "InOrderInformersBatchProcess",
					    "InformerResourceVersion",
					    "WatchListClient"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bool on = false;

		CHECK_ROW("%s", names[i]);
		CHECK_INT(inf_gates_get(&gates, base_str(names[i]), &on, NULL), BASE_OK);
		CHECK_TRUE(on);
	}
}

static void twelve_words_are_values(void) /* G-1 */
{
	static const struct {
		const char *text;
		int value; /* -1: none */
	} rows[] = {{"1", 1}, {"t", 1},    {"T", 1},     {"TRUE", 1},  {"true", 1},  {"True", 1},
		    {"0", 0}, {"f", 0},    {"F", 0},     {"FALSE", 0}, {"false", 0}, {"False", 0},
		    {"", -1}, {"yes", -1}, {"tRUE", -1}, {" 1", -1},   {"10", -1}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool value = false;

		CHECK_ROW("%s", rows[i].text);
		CHECK_TRUE(inf_gate_parse(base_str(rows[i].text), &value) == (rows[i].value >= 0));
		CHECK_TRUE(value == (rows[i].value == 1));
	}
}

static void settings_follow_the_lock(void) /* G-2 */
{
	static const struct {
		const char *name, *text;
		enum base_code code;
	} rows[] = {
		{"WatchListClient", "false", BASE_OK},
		{"WatchListClient", "maybe", BASE_EINVAL},
		{"WatchListClient", NULL, BASE_OK},
		{"InOrderInformers", "true", BASE_OK},
		{"InOrderInformers", "false", BASE_EINVAL},
		{"NoSuchGate", "true", BASE_ENOENT},
	};
	struct inf_gates gates = inf_gates_default();
	bool on = true;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct base_error error = {0};

		CHECK_ROW("%s=%s", rows[i].name, rows[i].text != NULL ? rows[i].text : "(unset)");
		CHECK_INT(inf_gates_set_text(&gates, base_str(rows[i].name), rows[i].text, &error),
			  rows[i].code);
		CHECK_TRUE((error.text[0] != '\0') == (rows[i].code != BASE_OK));
	}
	CHECK_FALSE(gates.watch_list_client);
	CHECK_TRUE(gates.in_order_informers);
	CHECK_INT(inf_gates_set(&gates, BASE_STR("InOrderInformers"), false, NULL), BASE_EINVAL);
	CHECK_INT(inf_gates_force(&gates, BASE_STR("InOrderInformers"), false, NULL), BASE_OK);
	CHECK_FALSE(gates.in_order_informers);
	CHECK_INT(inf_gates_set(&gates, BASE_STR("NoSuchGate"), true, NULL), BASE_ENOENT);
	CHECK_INT(inf_gates_force(&gates, BASE_STR("NoSuchGate"), true, NULL), BASE_ENOENT);
	CHECK_INT(inf_gates_get(&gates, BASE_STR("NoSuchGate"), &on, NULL), BASE_ENOENT);
}

static CU_TestInfo tests[] = {
	{"defaults_are_those_of_client_go_0_36", defaults_are_those_of_client_go_0_36},
	{"twelve_words_are_values", twelve_words_are_values},
	{"settings_follow_the_lock", settings_follow_the_lock},
	CU_TEST_INFO_NULL,
};

CU_SuiteInfo informer_gates_suite = {.pName = "informer/gates", .pTests = tests};
