/* All mistakes at once, and which plugins may run. */
#include <stdio.h>

#include "ci/unit/assert.h"
#include "informer/live/folder_rig.h"

#define SECRET "s3cr3t-t0ken"

struct told {
	char text[8192];
	size_t count;
};

static void on_mistake(void *self, const char *text)
{
	struct told *told = self;
	const size_t len = strlen(told->text);

	snprintf(told->text + len, sizeof(told->text) - len, "%s\n", text);
	told->count++;
}

/* Ten mistakes in one file and one in another; each is told, with its place. */
static const char many[] = "apiVersion: v2\n"
			   "clusters:\n"
			   "- name: c\n"
			   "  cluster: {server: 7, insecure-skip-tls-verify: maybe}\n"
			   "- cluster: {server: 'https://h'}\n"
			   "- name: c\n"
			   "  cluster: {}\n"
			   "users:\n"
			   "- name: u\n"
			   "  user:\n"
			   "    token: [" SECRET "]\n"
			   "    client-key-data: '" SECRET "!'\n"
			   "    exec: {command: [x], args: [1, two, 3], env: [{name: A}]}\n"
			   "contexts: {x: y}\n";
static const char *const places[] = {
	"many:1:13: apiVersion of a kubeconfig has to be v1",
	"many:4:21: server of cluster \"c\" has to be a text, and without quotes this is a number",
	"many:4:50: insecure-skip-tls-verify of cluster \"c\" has to be true or false, not a text",
	"many:5:3: an entry of clusters has no name",
	"many:6:9: the name \"c\" is twice in clusters",
	"many:11:12: token of user \"u\" has to be a text, not a list",
	"many:12:22: client-key-data of user \"u\" is not base64",
	"many:13:21: command of user \"u\" has to be a text, not a list",
	"many:13:33: args of user \"u\" has to be a text",
	"many:13:41: args of user \"u\" has to be a text",
	"many:13:51: an entry of env needs name and value",
	"many:14:11: contexts has to be a list, not a mapping",
	"other:1:7: kind of a kubeconfig has to be Config",
};

static void all_mistakes_of_all_files_are_told_at_once(void)
{
	struct folder folder;
	struct live_kubeconfig *config = NULL;
	struct base_error error = {0};
	struct told told = {0};

	if (!CHECK_TRUE(folder_init(&folder)))
		return;
	folder_write(&folder, "many", 0600, many);
	folder_write(&folder, "other", 0600, "kind: Pod\n");
	folder_env(&folder, "KUBECONFIG", "$F/many:$F/other");
	struct live_kubeconfig_options options = folder_options(&folder);
	options.mistake = on_mistake;
	options.mistake_self = &told;
	CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_EINVAL);
	CHECK_PTR_NULL(config);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		CHECK_CONTAINS(told.text, places[i]);
	CHECK_SIZE(told.count, sizeof places / sizeof *places);
	CHECK_CONTAINS(error.text, places[0]);
	CHECK_CONTAINS(error.text, "(and 12 more)");
	CHECK_TRUE(strstr(told.text, SECRET) == NULL && strstr(error.text, SECRET) == NULL);
	folder_release(&folder);
}

/* The chosen context's cluster and user are both looked at (B-10). */
static void what_is_chosen_is_checked_whole(void)
{
	static const char text[] =
		"current-context: x\n"
		"contexts: [{name: x, context: {cluster: c, user: u}}]\n"
		"clusters:\n"
		"- name: c\n"
		"  cluster: {server: 'ftp://h', certificate-authority: nowhere.pem, "
		"insecure-skip-tls-verify: true}\n"
		"users:\n"
		"- name: u\n"
		"  user: {username: me, token: " SECRET ", client-key: k, as-uid: '7', "
		"auth-provider: {name: gcp}, exec: {interactiveMode: Maybe}}\n";
	static const char *const said[] = {
		"has to begin with https:// or http://",
		"has an authority and insecure-skip-tls-verify",
		"certificate-authority of cluster \"c\"",
		"has a client key and no certificate",
		"has a password and a token",
		"has one of username and password",
		"has an auth-provider",
		"without as: the user to act as is needed",
		"exec has no command",
		"exec has no apiVersion",
		"exec has an unknown interactiveMode",
	};
	struct folder folder;
	struct live_kubeconfig *config = NULL;
	struct base_error error = {0};
	struct told told = {0};

	if (!CHECK_TRUE(folder_init(&folder)))
		return;
	folder_write(&folder, "config", 0600, text);
	struct live_kubeconfig_options options = folder_options(&folder);
	options.path = folder_path(&folder, "config");
	options.mistake = on_mistake;
	options.mistake_self = &told;
	CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_EINVAL);
	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		CHECK_CONTAINS(told.text, said[i]);
	CHECK_SIZE(told.count, sizeof said / sizeof *said);
	CHECK_TRUE(strstr(told.text, SECRET) == NULL);
	folder_release(&folder);
}

#define RC(text) "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n" text

/* Long on purpose: a table. */
static void only_allowed_plugins_may_run(void)
{
	static const char *const login[] = {"$F/bin/login"};
	static const struct {
		const char *name, *rc, *command;
		enum live_plugins plugins;
		size_t listed;
		const char *says; /* NULL: it may run */
	} rows[] = {
		{"no file", NULL, "login", LIVE_PLUGINS_ALL, 0, NULL},
		{"an empty one", "", "login", LIVE_PLUGINS_ALL, 0, NULL},
		{"all", RC("credentialPluginPolicy: AllowAll\n"), "login", LIVE_PLUGINS_ALL, 0,
		 NULL},
		{"none", RC("credentialPluginPolicy: DenyAll\n"), "login", LIVE_PLUGINS_ALL, 0,
		 "denies all credential plugins"},
		{"its name",
		 RC("credentialPluginPolicy: Allowlist\n"
		    "credentialPluginAllowlist: [{name: other}, {name: login}]\n"),
		 "login", LIVE_PLUGINS_ALL, 0, NULL},
		{"its path",
		 RC("credentialPluginPolicy: Allowlist\n"
		    "credentialPluginAllowlist: [{name: $F/bin/login}]\n"),
		 "login", LIVE_PLUGINS_ALL, 0, NULL},
		{"by name, run by path",
		 RC("credentialPluginPolicy: Allowlist\n"
		    "credentialPluginAllowlist: [{command: login}]\n"),
		 "$F/bin/login", LIVE_PLUGINS_ALL, 0, NULL},
		{"another one of that name",
		 RC("credentialPluginPolicy: Allowlist\n"
		    "credentialPluginAllowlist: [{name: login}]\n"),
		 "$F/evil/login", LIVE_PLUGINS_ALL, 0, "is not in the list"},
		{"not there",
		 RC("credentialPluginPolicy: Allowlist\n"
		    "credentialPluginAllowlist: [{name: other}]\n"),
		 "login", LIVE_PLUGINS_ALL, 0, "is not in the list"},
		{"a list without its policy", RC("credentialPluginAllowlist: [{name: login}]\n"),
		 "login", LIVE_PLUGINS_ALL, 0,
		 "kuberc:3:28: credentialPluginAllowlist is there and"},
		{"a policy without its list", RC("credentialPluginPolicy: Allowlist\n"), "login",
		 LIVE_PLUGINS_ALL, 0, "kuberc:3:25: with policy Allowlist"},
		{"an empty list",
		 RC("credentialPluginPolicy: Allowlist\n"
		    "credentialPluginAllowlist: []\n"),
		 "login", LIVE_PLUGINS_ALL, 0, "kuberc:4:28: credentialPluginAllowlist is empty"},
		{"an entry without a name",
		 RC("credentialPluginPolicy: Allowlist\n"
		    "credentialPluginAllowlist: [{}]\n"),
		 "login", LIVE_PLUGINS_ALL, 0,
		 "kuberc:4:29: an entry of credentialPluginAllowlist"},
		{"another word", RC("credentialPluginPolicy: Some\n"), "login", LIVE_PLUGINS_ALL, 0,
		 "kuberc:3:25: credentialPluginPolicy has to be AllowAll, DenyAll or Allowlist"},
		{"no YAML", "[", "login", LIVE_PLUGINS_ALL, 0, "this is no YAML"},
		{"the embedder's none", RC("credentialPluginPolicy: AllowAll\n"), "login",
		 LIVE_PLUGINS_NONE, 0, "denies all credential plugins"},
		{"the embedder's list", NULL, "login", LIVE_PLUGINS_LISTED, 1, NULL},
		{"not in the embedder's list", NULL, "$F/evil/login", LIVE_PLUGINS_LISTED, 1,
		 "is not in the list"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct folder folder;
		struct live_kubeconfig *config = NULL;
		struct base_error error = {0};
		char text[1024];
		const char *names[1];

		CHECK_ROW("%s", rows[i].name);
		if (!CHECK_TRUE(folder_init(&folder)))
			return;
		folder_write(&folder, "bin/login", 0700, "#!/bin/sh\n");
		folder_write(&folder, "evil/login", 0700, "#!/bin/sh\n");
		if (rows[i].rc != NULL)
			folder_write(&folder, "kuberc", 0600, rows[i].rc);
		snprintf(text, sizeof text,
			 "current-context: x\n"
			 "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
			 "clusters: [{name: c, cluster: {server: 'https://h'}}]\n"
			 "users: [{name: u, user: {exec: {command: %s, interactiveMode: Never, "
			 "apiVersion: client.authentication.k8s.io/v1}}}]\n",
			 rows[i].command);
		folder_write(&folder, "config", 0600, text);
		folder_env(&folder, "KUBERC", "$F/kuberc");
		folder_env(&folder, "PATH", "/nowhere:$F/bin");
		struct live_kubeconfig_options options = folder_options(&folder);
		options.path = folder_path(&folder, "config");
		options.kuberc = true;
		options.plugins = rows[i].plugins;
		names[0] = rows[i].listed != 0 ? folder_path(&folder, login[0] + 3) : NULL;
		options.plugin_names = names;
		options.plugin_count = rows[i].listed;
		CHECK_INT(live_kubeconfig_load(&options, &config, &error),
			  rows[i].says == NULL ? BASE_OK : BASE_EINVAL);
		CHECK_CONTAINS(error.text, rows[i].says != NULL ? rows[i].says : "");
		live_kubeconfig_free(config);
		folder_release(&folder);
	}
	CHECK_ROW(NULL);
}

/* An empty file is a configuration with nothing in it. */
static void an_empty_file_is_no_configuration(void)
{
	struct folder folder;
	struct live_kubeconfig *config = NULL;
	struct base_error error = {0};

	if (!CHECK_TRUE(folder_init(&folder)))
		return;
	folder_write(&folder, "config", 0600, "");
	struct live_kubeconfig_options options = folder_options(&folder);
	options.path = folder_path(&folder, "config");
	CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_ENOENT);
	CHECK_CONTAINS(error.text, "no configuration");
	folder_release(&folder);
}

static void the_environment_turns_http2_off_and_backoff_on(void)
{
	static const struct {
		const char *without, *base, *most;
		bool disabled;
		uint64_t base_s, max_s;
	} rows[] = {
		{NULL, NULL, NULL, false, 0, 0},   {"true", NULL, NULL, true, 0, 0},
		{"false", NULL, NULL, true, 0, 0}, {"", NULL, NULL, false, 0, 0},
		{NULL, "1", "120", false, 1, 120}, {NULL, "1", NULL, false, 0, 0},
		{NULL, "1s", "120", false, 0, 0},  {NULL, "-1", "120", false, 0, 0},
		{NULL, "1", "", false, 0, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct folder folder;
		struct live_kubeconfig *config = NULL;
		struct base_error error = {0};

		CHECK_ROW("%zu", i);
		if (!CHECK_TRUE(folder_init(&folder)))
			return;
		if (rows[i].without != NULL)
			folder_env(&folder, "DISABLE_HTTP2", rows[i].without);
		if (rows[i].base != NULL)
			folder_env(&folder, "KUBE_CLIENT_BACKOFF_BASE", rows[i].base);
		if (rows[i].most != NULL)
			folder_env(&folder, "KUBE_CLIENT_BACKOFF_DURATION", rows[i].most);
		struct live_kubeconfig_options options = folder_options(&folder);
		options.server = "https://h";
		CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_OK);
		CHECK_INT(live_kubeconfig_target(config)->http2_disabled, rows[i].disabled);
		CHECK_U64(live_kubeconfig_target(config)->backoff_base_s, rows[i].base_s);
		CHECK_U64(live_kubeconfig_target(config)->backoff_max_s, rows[i].max_s);
		live_kubeconfig_free(config);
		folder_release(&folder);
	}
	CHECK_ROW(NULL);
}

static CU_TestInfo tests[] = {
	{"all mistakes of all files are told at once", all_mistakes_of_all_files_are_told_at_once},
	{"what is chosen is checked whole", what_is_chosen_is_checked_whole},
	{"only allowed plugins may run", only_allowed_plugins_may_run},
	{"an empty file is no configuration", an_empty_file_is_no_configuration},
	{"the environment turns HTTP/2 off and backoff on",
	 the_environment_turns_http2_off_and_backoff_on},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo informer_live_mistakes_suite;
CU_SuiteInfo informer_live_mistakes_suite = {.pName = "informer/live/mistakes", .pTests = tests};
