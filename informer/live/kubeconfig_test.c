#include "informer/live/kubeconfig.h"

#include <stdio.h>

#include "base/prng.h"
#include "ci/unit/assert.h"
#include "informer/live/folder_rig.h"

#define PEM_BASE64 "LS0tLS1CRUdJTiBYLS0tLS0K" /* -----BEGIN X----- */
#define SECRET "s3cr3t-t0ken"

static const char good[] =
	"apiVersion: v1\n"
	"kind: Config\n"
	"current-context: one\n"
	"clusters:\n"
	"- name: c1\n"
	"  cluster:\n"
	"    server: https://10.0.0.1:6443/prefix/\n"
	"    certificate-authority-data: " PEM_BASE64 "\n"
	"    tls-server-name: api.example\n"
	"- name: c2\n"
	"  cluster: {server: 'https://[fd00::1]:443', insecure-skip-tls-verify: true}\n"
	"- name: plain\n"
	"  cluster: {server: '127.0.0.1:8080'}\n"
	"users:\n"
	"- name: u1\n"
	"  user: {token: " SECRET "}\n"
	"- name: u2\n"
	"  user:\n"
	"    tokenFile: sub/token\n"
	"    as: jane\n"
	"    as-groups: [dev, ops]\n"
	"    as-user-extra: {scopes: [a, b]}\n"
	"contexts:\n"
	"- name: one\n"
	"  context: {cluster: c1, user: u1, namespace: ns1}\n"
	"- name: two\n"
	"  context: {cluster: c2, user: u2}\n"
	"- name: three\n"
	"  context: {cluster: plain, user: u1}\n"
	"- name: astray\n"
	"  context: {cluster: c9, user: u1}\n";

static void a_context_leads_to_server_user_and_namespace(void)
{
	struct folder folder;
	struct live_kubeconfig *config = NULL;
	struct base_error error = {0};

	if (!CHECK_TRUE(folder_init(&folder)))
		return;
	folder_write(&folder, "config", 0600, good);
	struct live_kubeconfig_options options = folder_options(&folder);
	options.path = folder_path(&folder, "config");
	if (CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_OK)) {
		const struct live_target *target = live_kubeconfig_target(config);

		CHECK_TEXT(target->context, "one");
		CHECK_TEXT(target->cluster->server, "https://10.0.0.1:6443/prefix");
		CHECK_STR(target->cluster->authority_pem, "-----BEGIN X-----\n");
		CHECK_TEXT(target->cluster->server_name, "api.example");
		CHECK_FALSE(target->cluster->insecure);
		CHECK_TEXT(target->user->token, SECRET);
		CHECK_TEXT(target->namespace_name, "ns1");
		CHECK_TRUE(target->namespace_given);
		CHECK_PTR_NULL(target->proxy);
		CHECK_TEXT(folder.warnings, "");
		live_kubeconfig_free(config);
	} else {
		printf("%s\n", error.text);
	}
	options.context = "two";
	if (CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_OK)) {
		const struct live_target *target = live_kubeconfig_target(config);

		CHECK_TRUE(target->cluster->insecure);
		CHECK_CONTAINS(target->user->token_file, "relist-live.");
		CHECK_CONTAINS(target->user->token_file, "/sub/token");
		CHECK_TEXT(target->user->as, "jane");
		CHECK_SIZE(target->user->as_groups.count, 2);
		CHECK_TEXT(target->user->as_groups.items[1], "ops");
		CHECK_SIZE(target->user->as_extra.count, 2);
		CHECK_TEXT(target->user->as_extra.items[1].value, "b");
		CHECK_TEXT(target->namespace_name, "default");
		CHECK_FALSE(target->namespace_given);
		live_kubeconfig_free(config);
	}
	folder_release(&folder);
}

static void without_https_no_credential_is_used(void)
{
	struct folder folder;
	struct live_kubeconfig *config = NULL;
	struct base_error error = {0};

	if (!CHECK_TRUE(folder_init(&folder)))
		return;
	folder_write(&folder, "config", 0600, good);
	struct live_kubeconfig_options options = folder_options(&folder);
	options.path = folder_path(&folder, "config");
	options.context = "three";
	if (CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_OK)) {
		const struct live_target *target = live_kubeconfig_target(config);

		CHECK_TEXT(target->cluster->server, "http://127.0.0.1:8080");
		CHECK_PTR_NULL(target->user->token);
		CHECK_CONTAINS(folder.warnings, "the credentials of user \"u1\" are not sent");
		live_kubeconfig_free(config);
	}
	folder_release(&folder);
}

/* B-2, B-3: the first file has an entry whole; each file's paths are its own. */
static void of_several_files_the_first_wins(void)
{
	struct folder folder;
	struct live_kubeconfig *config = NULL;
	struct base_error error = {0};

	if (!CHECK_TRUE(folder_init(&folder)))
		return;
	folder_write(&folder, "a", 0600,
		     "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
		     "users: [{name: u, user: {token: first}}]\n");
	folder_write(&folder, "b", 0600,
		     "current-context: x\n"
		     "contexts: [{name: x, context: {cluster: other, namespace: n}}]\n"
		     "users: [{name: u, user: {token: second, as: jane}}]\n"
		     "clusters: [{name: c, cluster: {server: 'https://b', "
		     "insecure-skip-tls-verify: true}}]\n");
	folder_write(&folder, "d", 0600, "current-context: y\n");
	folder_env(&folder, "KUBECONFIG", "$F/missing:$F/a:$F/b:$F/a:$F/d:");
	const struct live_kubeconfig_options options = folder_options(&folder);
	if (CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_OK)) {
		const struct live_target *target = live_kubeconfig_target(config);

		CHECK_TEXT(target->context, "x");
		CHECK_TEXT(target->cluster->server, "https://b");
		CHECK_TEXT(target->user->token, "first");
		CHECK_PTR_NULL(target->user->as);
		CHECK_TEXT(target->namespace_name, "default");
		live_kubeconfig_free(config);
	} else {
		printf("%s\n", error.text);
	}
	folder_release(&folder);
}

#define CLUSTER "clusters: [{name: c, cluster: {server: 'https://h'}}]\n"
#define CONTEXT "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n"
#define USER(text) CLUSTER CONTEXT "users:\n- name: u\n  user: " text "\n"
/* The file is "config"; its mistake is told with file, line and what would be right. */
static const struct {
	const char *text, *says;
} mistakes[] = {
	{"a: [", "config:2:1: this is no YAML"},
	{"- x\n", "config:1:1: a kubeconfig has to be a mapping, not a list"},
	{"apiVersion: v2\n", "config:1:13: apiVersion of a kubeconfig has to be v1"},
	{"kind: Pod\n", "config:1:7: kind of a kubeconfig has to be Config"},
	{"clusters: 7\n", "config:1:11: clusters has to be a list, not a number"},
	{"users:\n- user: {}\n", "config:2:3: an entry of users has no name"},
	{"users:\n- name: a\n- name: b\n- name: a\n",
	 "config:4:9: the name \"a\" is twice in users, first in line 2"},
	{USER("{token: 12345}"),
	 "config:6:17: token of user \"u\" has to be a text, and without quotes this is a "
	 "number: put it in quotes"},
	{USER("{client-key-data: '-----BEGIN RSA PRIVATE KEY-----'}"),
	 "config:6:27: client-key-data of user \"u\" is not base64: it has to be the file's "
	 "bytes, encoded (this is PEM as it stands in the file)"},
	{USER("{client-certificate-data: abc}"), "is not base64"},
	{USER("{client-certificate: c.pem}"), "config:5:3: user \"u\" has a client certificate "
					      "and no key"},
	{USER("{client-key: k.pem}"), "has a client key and no certificate"},
	{USER("{client-key: k.pem, client-key-data: " PEM_BASE64 "}"),
	 "has both client-key and client-key-data"},
	{USER("{token: t, username: u, password: p}"), "has a password and a token"},
	{USER("{username: u}"), "has one of username and password: both are needed"},
	{USER("{auth-provider: {name: gcp}}"), "has an auth-provider: client-go dropped these"},
	{USER("{as-groups: [g]}"), "without as: the user to act as is needed"},
	{USER("{exec: {command: x}}"),
	 "config:6:16: user \"u\" exec has no apiVersion: client.authentication.k8s.io/v1"},
	{USER("{exec: {apiVersion: client.authentication.k8s.io/v1}}"), "exec has no command"},
	{USER("{exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}}"),
	 "which nobody speaks since 1.24"},
	{USER("{exec: {command: x, apiVersion: client.authentication.k8s.io/v1}}"),
	 "exec has no interactiveMode, which v1 asks for"},
	{USER("{exec: {command: x, apiVersion: client.authentication.k8s.io/v1, "
	      "interactiveMode: Maybe}}"),
	 "unknown interactiveMode"},
	{USER("{exec: {command: x, args: [1]}}"), "has to be a text, and without quotes"},
	{USER("{exec: {command: x, env: [{name: A}]}}"),
	 "config:6:35: an entry of env needs name and value"},
	{CLUSTER "current-context: nowhere\n",
	 "config:2:18: there is no context \"nowhere\"; there are: none"},
	{CONTEXT, "config:1:12: there is no cluster \"c\"; there are: none"},
	{CLUSTER CONTEXT, "config:2:12: there is no user \"u\"; there are: none"},
	{CLUSTER, "there is no current-context, and none was named"},
	{"clusters: [{name: c, cluster: {}}]\ncontexts: [{name: x, context: {cluster: "
	 "c}}]\ncurrent-context: x\n",
	 "config:1:12: cluster \"c\" has no server: it has to be a URL"},
	{"clusters: [{name: c, cluster: {server: 'ftp://x'}}]\ncontexts: [{name: x, "
	 "context: {cluster: c}}]\ncurrent-context: x\n",
	 "has to begin with https:// or http://"},
	{"clusters: [{name: c, cluster: {server: 'https://x', proxy-url: 'ftp://me:passw0rd@p'}}]\n"
	 "contexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x\n",
	 "config:1:12: proxy-url of cluster \"c\" has to be a URL of http://, https:// or "
	 "socks5://"},
	{"clusters: [{name: c, cluster: {server: 'https://x', certificate-authority: "
	 "nowhere.pem}}]\ncontexts: [{name: x, context: {cluster: c}}]\ncurrent-context: "
	 "x\n",
	 "nowhere.pem: No such file"},
	{"clusters: [{name: c, cluster: {server: 'https://x', certificate-authority: f, "
	 "insecure-skip-tls-verify: true}}]\ncontexts: [{name: x, context: {cluster: "
	 "c}}]\ncurrent-context: x\n",
	 "has an authority and insecure-skip-tls-verify: one of them has to go"},
};

static void a_mistake_is_told_with_its_place_and_what_would_be_right(void)
{
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
		struct folder folder;
		struct live_kubeconfig *config = NULL;
		struct base_error error = {0};

		CHECK_ROW("%s", mistakes[i].says);
		if (!CHECK_TRUE(folder_init(&folder)))
			return;
		folder_write(&folder, "config", 0600, mistakes[i].text);
		struct live_kubeconfig_options options = folder_options(&folder);
		options.path = folder_path(&folder, "config");
		CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_EINVAL);
		CHECK_PTR_NULL(config);
		CHECK_CONTAINS(error.text, mistakes[i].says);
		CHECK_TRUE(strstr(error.text, "PRIVATE") == NULL &&
			   strstr(error.text, "passw0rd") == NULL);
		live_kubeconfig_free(config);
		folder_release(&folder);
	}
}

static void files_that_others_read_and_unknown_keys_are_named(void)
{
	struct folder folder;
	struct live_kubeconfig *config = NULL;
	struct base_error error = {0};

	if (!CHECK_TRUE(folder_init(&folder)))
		return;
	folder_write(&folder, "config", 0644, USER("{token: " SECRET ", tokenfile: y}"));
	folder_env(&folder, "KUBECONFIG", "$F/config");
	const struct live_kubeconfig_options options = folder_options(&folder);
	CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_OK);
	CHECK_CONTAINS(folder.warnings, "others can read it (mode 0644): chmod 600");
	CHECK_CONTAINS(folder.warnings, "config:6: unknown key \"tokenfile\" of user \"u\"");
	CHECK_TRUE(strstr(folder.warnings, SECRET) == NULL);
	live_kubeconfig_free(config);
	folder_release(&folder);
}

static void in_a_pod_the_service_account_is_used(void)
{
	struct folder folder;
	struct live_kubeconfig *config = NULL;
	struct base_error error = {0};

	if (!CHECK_TRUE(folder_init(&folder)))
		return;
	folder_env(&folder, "HOME", "$F");
	struct live_kubeconfig_options options = folder_options(&folder);
	CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_ENOENT);
	CHECK_CONTAINS(error.text, "no configuration:");
	CHECK_CONTAINS(error.text, "/.kube/config has no cluster, and this is no pod");
	folder_env(&folder, "KUBERNETES_SERVICE_HOST", "fd00::1");
	folder_env(&folder, "KUBERNETES_SERVICE_PORT", "443");
	error = (struct base_error){0};
	CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_EIO);
	CHECK_CONTAINS(error.text, "this is a pod, but its token cannot be read");
	folder_write(&folder, "token", 0644, SECRET "\n");
	folder_write(&folder, "ca.crt", 0644, "-----BEGIN X-----\n");
	folder_write(&folder, "namespace", 0644, "mine\n");
	error = (struct base_error){0};
	if (CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_OK)) {
		const struct live_target *target = live_kubeconfig_target(config);

		CHECK_TRUE(target->in_cluster);
		CHECK_TEXT(target->cluster->server, "https://[fd00::1]:443");
		CHECK_CONTAINS(target->user->token_file, "/token");
		CHECK_TEXT(target->namespace_name, "mine");
		CHECK_STR(target->cluster->authority_pem, "-----BEGIN X-----\n");
		live_kubeconfig_free(config);
	}
	folder_release(&folder);
}

static void no_proxy_matches_as_go_does(void)
{
	static const struct {
		const char *list, *host;
		unsigned port;
		bool has;
	} rows[] = {
		{"*", "a.example", 443, true},
		{"example", "a.example", 443, true},
		{"example", "example", 443, true},
		{".example", "example", 443, false},
		{".example", "b.example", 443, true},
		{"*.example", "b.example", 443, true},
		{"ample", "example", 443, false},
		{"x, EXAMPLE", "a.example", 443, true},
		{"example:443", "example", 443, true},
		{"example:6443", "example", 443, false},
		{"10.0.0.0/8", "10.1.2.3", 443, true},
		{"10.0.0.0/8", "11.1.2.3", 443, false},
		{"10.0.0.0/33", "10.1.2.3", 443, false},
		{"10.1.2.3", "10.1.2.3", 443, true},
		{"10.1.2.3:80", "10.1.2.3", 443, false},
		{"fd00::/8", "[fd00::1]", 443, true},
		{"[fd00::1]:443", "[fd00::1]", 443, true},
		{"fd00::1", "[fd00::2]", 443, false},
		{"", "example", 443, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		CHECK_ROW("%s has %s:%u", rows[i].list, rows[i].host, rows[i].port);
		CHECK_INT(live_no_proxy_has(base_str(rows[i].list), base_str(rows[i].host),
					    rows[i].port),
			  rows[i].has);
	}
}

static void the_environment_names_a_proxy_for_what_is_not_this_machine(void)
{
	static const struct {
		const char *server, *cluster, *https, *no, *proxy;
	} rows[] = {
		{"https://10.0.0.1", "", "http://p:3128", "", "http://p:3128"},
		{"https://10.0.0.1", "", "p:3128", "", "http://p:3128"},
		{"https://10.0.0.1", "", "http://p", "10.0.0.0/8", NULL},
		{"https://127.0.0.1:6443", "", "http://p", "", NULL},
		{"https://localhost", "", "http://p", "", NULL},
		{"https://10.0.0.1", ", proxy-url: 'socks5://q'", "http://p", "*", "socks5://q"},
		{"http://10.0.0.1", "", "http://p", "", NULL},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct folder folder;
		struct live_kubeconfig *config = NULL;
		struct base_error error = {0};
		char text[512];

		CHECK_ROW("%s%s", rows[i].server, rows[i].cluster);
		if (!CHECK_TRUE(folder_init(&folder)))
			return;
		snprintf(text, sizeof text,
			 "clusters: [{name: c, cluster: {server: '%s'%s}}]\n"
			 "contexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x\n",
			 rows[i].server, rows[i].cluster);
		folder_write(&folder, "config", 0600, text);
		folder_env(&folder, "https_proxy", rows[i].https);
		folder_env(&folder, "NO_PROXY", rows[i].no);
		folder_env(&folder, "KUBECONFIG", "$F/config");
		const struct live_kubeconfig_options options = folder_options(&folder);
		if (CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_OK)) {
			const char *proxy = live_kubeconfig_target(config)->proxy;

			if (rows[i].proxy == NULL)
				CHECK_PTR_NULL(proxy);
			else
				CHECK_TEXT(proxy, rows[i].proxy);
		}
		live_kubeconfig_free(config);
		folder_release(&folder);
	}
}

static void overrides_go_over_the_context(void)
{
	struct folder folder;
	struct live_kubeconfig *config = NULL;
	struct base_error error = {0};

	if (!CHECK_TRUE(folder_init(&folder)))
		return;
	folder_write(&folder, "config", 0600, good);
	struct live_kubeconfig_options options = folder_options(&folder);
	options.path = folder_path(&folder, "config");
	options.server = "https://other";
	options.insecure = true;
	options.namespace_name = "elsewhere";
	options.user = "u2";
	options.as = "root";
	if (CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_OK)) {
		const struct live_target *target = live_kubeconfig_target(config);

		CHECK_TEXT(target->cluster->server, "https://other");
		CHECK_PTR_NULL(target->cluster->server_name);
		CHECK_TRUE(target->cluster->insecure);
		CHECK_SIZE(target->cluster->authority_pem.len, 0);
		CHECK_TEXT(target->namespace_name, "elsewhere");
		CHECK_TEXT(target->user->as, "root");
		live_kubeconfig_free(config);
	}
	options.context = "astray";
	options.cluster = NULL;
	CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_EINVAL);
	CHECK_CONTAINS(error.text, "there is no cluster \"c9\"; there are: c1, c2, plain");
	folder_release(&folder);
}

static void a_description_shows_no_credential(void)
{
	struct folder folder;
	struct live_kubeconfig *config = NULL;
	struct base_error error = {0};
	struct base_buf out;

	if (!CHECK_TRUE(folder_init(&folder)))
		return;
	folder_write(&folder, "config", 0600, good);
	struct live_kubeconfig_options options = folder_options(&folder);
	options.path = folder_path(&folder, "config");
	base_buf_init(&out, NULL, BASE_BUF_MAX_DEFAULT);
	if (CHECK_INT(live_kubeconfig_load(&options, &config, &error), BASE_OK)) {
		CHECK_INT(live_target_describe(live_kubeconfig_target(config), &out), BASE_OK);
		CHECK_CONTAINS(out.ptr,
			       "server https://10.0.0.1:6443/prefix, context one, user u1 by "
			       "a token, namespace ns1");
		CHECK_TRUE(strstr(out.ptr, SECRET) == NULL);
	}
	base_buf_release(&out);
	live_kubeconfig_free(config);
	folder_release(&folder);
}

static void anchors_are_followed_and_endless_ones_refused(void)
{
	static const struct {
		const char *extension;
		enum base_code code;
		const char *json;
	} rows[] = {
		{"{a: [1, true, null, x, '7']}", BASE_OK, "{\"a\":[1,true,null,\"x\",\"7\"]}"},
		{"[&x {b: c}, *x]", BASE_OK, "[{\"b\":\"c\"},{\"b\":\"c\"}]"},
		{"&x [*x]", BASE_EINVAL, NULL},
		{"&x {a: *x, b: *x}", BASE_EINVAL, NULL},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct folder folder;
		struct live_kubeconfig *config = NULL;
		struct base_error error = {0};
		char text[512];

		CHECK_ROW("%s", rows[i].extension);
		if (!CHECK_TRUE(folder_init(&folder)))
			return;
		snprintf(text, sizeof text,
			 "clusters: [{name: c, cluster: {server: 'https://h', extensions: [{name: "
			 "client.authentication.k8s.io/exec, extension: %s}]}}]\n"
			 "contexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x\n",
			 rows[i].extension);
		folder_write(&folder, "config", 0600, text);
		folder_env(&folder, "KUBECONFIG", "$F/config");
		const struct live_kubeconfig_options options = folder_options(&folder);
		CHECK_INT(live_kubeconfig_load(&options, &config, &error), rows[i].code);
		if (config != NULL)
			CHECK_TEXT(live_kubeconfig_target(config)->cluster->exec_config,
				   rows[i].json);
		else
			CHECK_CONTAINS(error.text,
				       "config:1:119: the extension is too deep or too large");
		live_kubeconfig_free(config);
		folder_release(&folder);
	}
}

/* Whatever bytes come: an answer or an error with a text, and never the token in it. */
static void broken_files_are_refused_and_nothing_else_happens(void)
{
	struct folder folder;
	struct base_prng prng;
	size_t loaded = 0;

	if (!CHECK_TRUE(folder_init(&folder)))
		return;
	base_prng_seed(&prng, 1, BASE_STR("kubeconfig"));
	folder_env(&folder, "KUBECONFIG", "$F/config");
	for (int round = 0; round < 1500; round++) {
		struct live_kubeconfig *config = NULL;
		struct base_error error = {0};
		char text[sizeof good];

		memcpy(text, good, sizeof good);
		for (uint64_t k = base_prng_between(&prng, 1, 3); k > 0; k--) {
			static const char bytes[] = "{}[]:,-#&*!|>'\"%@\n\t x0\x7f\xc3";

			text[base_prng_below(&prng, sizeof good - 1)] =
				bytes[base_prng_below(&prng, sizeof bytes - 1)];
		}
		folder_write(&folder, "config", 0600, text);
		const struct live_kubeconfig_options options = folder_options(&folder);
		const enum base_code code = live_kubeconfig_load(&options, &config, &error);
		loaded += code == BASE_OK;
		if (!CHECK_TRUE(code == BASE_OK || error.text[0] != '\0') ||
		    !CHECK_TRUE(strstr(error.text, SECRET) == NULL))
			printf("%s\n%s\n", text, error.text);
		live_kubeconfig_free(config);
	}
	CHECK_TRUE(loaded > 100 && loaded < 1400);
	folder_release(&folder);
}

static void out_of_memory_at_any_point_leaks_nothing(void)
{
	struct folder folder;

	if (!CHECK_TRUE(folder_init(&folder)))
		return;
	folder_write(&folder, "config", 0600, good);
	folder_env(&folder, "KUBECONFIG", "$F/config");
	folder_env(&folder, "HTTPS_PROXY", "http://p");
	for (uint64_t at = 1;; at++) {
		struct base_alloc_probe probe;
		struct live_kubeconfig *config = NULL;
		struct base_error error = {0};
		struct live_kubeconfig_options options = folder_options(&folder);

		base_alloc_probe_init(&probe);
		probe.fail_at = at;
		options.alloc = &probe.alloc;
		options.context = at % 2 == 0 ? "two" : NULL;
		options.as = "x";
		const enum base_code code = live_kubeconfig_load(&options, &config, &error);
		CHECK_INT(code, probe.failed_count != 0 ? BASE_ENOMEM : BASE_OK);
		live_kubeconfig_free(config);
		if (!CHECK_U64(probe.live_count, 0) || probe.failed_count == 0)
			break;
	}
	folder_release(&folder);
}

static CU_TestInfo tests[] = {
	{"a context leads to server, user and namespace",
	 a_context_leads_to_server_user_and_namespace},
	{"without https no credential is used", without_https_no_credential_is_used},
	{"of several files the first wins", of_several_files_the_first_wins},
	{"a mistake is told with its place and what would be right",
	 a_mistake_is_told_with_its_place_and_what_would_be_right},
	{"files that others read and unknown keys are named",
	 files_that_others_read_and_unknown_keys_are_named},
	{"in a pod the service account is used", in_a_pod_the_service_account_is_used},
	{"NO_PROXY matches as Go does", no_proxy_matches_as_go_does},
	{"the environment names a proxy for what is not this machine",
	 the_environment_names_a_proxy_for_what_is_not_this_machine},
	{"overrides go over the context", overrides_go_over_the_context},
	{"a description shows no credential", a_description_shows_no_credential},
	{"anchors are followed and endless ones refused",
	 anchors_are_followed_and_endless_ones_refused},
	{"broken files are refused and nothing else happens",
	 broken_files_are_refused_and_nothing_else_happens},
	{"out of memory at any point leaks nothing", out_of_memory_at_any_point_leaks_nothing},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo informer_live_kubeconfig_suite;
CU_SuiteInfo informer_live_kubeconfig_suite = {.pName = "informer/live/kubeconfig",
					       .pTests = tests};
