/* Which credential plugins may run: the policy of an embedder, or kubectl's (kuberc, B-14). A plugin and an entry of
 * the list are the same when they are the same text or lead to the same file. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <yaml.h>

#include "informer/live/kubeconfig_parts.h"

/* ---- The file ---- */

struct kuberc {
	struct live_kubeconfig *config;
	struct base_error *error;
	const char *file;
	yaml_document_t document;
};

static enum base_code wrong(const struct kuberc *rc, const yaml_node_t *node, const char *what)
{
	return live_kubeconfig_mistake(rc->config, rc->error, "%s:%zu:%zu: %s", rc->file,
				       node->start_mark.line + 1, node->start_mark.column + 1,
				       what);
}

static struct base_str text_of(const yaml_node_t *node)
{
	if (node == NULL || node->type != YAML_SCALAR_NODE)
		return (struct base_str){0};
	return base_str_n((const char *)node->data.scalar.value, node->data.scalar.length);
}

static yaml_node_t *member(struct kuberc *rc, const yaml_node_t *mapping, const char *name)
{
	yaml_node_t *found = NULL;

	if (mapping == NULL || mapping->type != YAML_MAPPING_NODE)
		return NULL;
	for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
	     pair < mapping->data.mapping.pairs.top; pair++)
		if (base_str_is(text_of(yaml_document_get_node(&rc->document, pair->key)), name))
			found = yaml_document_get_node(&rc->document, pair->value);
	return found;
}

/* Names came with 1.35, commands take their place with 1.37. */
static enum base_code read_names(struct kuberc *rc, const yaml_node_t *list)
{
	struct live_texts *names = &rc->config->plugin_names;
	const yaml_node_item_t *first = list->data.sequence.items.start;
	const size_t count = (size_t)(list->data.sequence.items.top - first);

	if (count == 0)
		return wrong(rc, list, "credentialPluginAllowlist is empty: DenyAll says that");
	names->items = live_pool_get(&rc->config->pool, count * sizeof *names->items);
	if (names->items == NULL)
		return BASE_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const yaml_node_t *entry = yaml_document_get_node(&rc->document, first[i]);
		struct base_str name = text_of(member(rc, entry, "command"));

		if (name.len == 0)
			name = text_of(member(rc, entry, "name"));
		if (name.len == 0) {
			wrong(rc, entry, "an entry of credentialPluginAllowlist needs a name");
			continue;
		}
		names->items[names->count] = live_pool_text(&rc->config->pool, name);
		if (names->items[names->count++] == NULL)
			return BASE_ENOMEM;
	}
	return BASE_OK;
}

static enum base_code read_policy(struct kuberc *rc)
{
	static const char *const words[] = {"AllowAll", "DenyAll", "Allowlist"};
	const yaml_node_t *root = yaml_document_get_root_node(&rc->document);
	const yaml_node_t *node = member(rc, root, "credentialPluginPolicy");
	const yaml_node_t *list = member(rc, root, "credentialPluginAllowlist");
	const struct base_str word = text_of(node);
	unsigned which = word.len == 0 ? 0 : 3;

	for (unsigned i = 0; i < 3; i++)
		if (base_str_is(word, words[i]))
			which = i;
	if (which == 3)
		return wrong(rc, node,
			     "credentialPluginPolicy has to be AllowAll, DenyAll or Allowlist");
	rc->config->plugins = (enum live_plugins)which;
	if (which != LIVE_PLUGINS_LISTED)
		return list == NULL ? BASE_OK
				    : wrong(rc, list,
					    "credentialPluginAllowlist is there and "
					    "credentialPluginPolicy is not Allowlist");
	if (list == NULL || list->type != YAML_SEQUENCE_NODE)
		return wrong(rc, list != NULL ? list : node,
			     "with policy Allowlist credentialPluginAllowlist has to be a list");
	return read_names(rc, list);
}

static enum base_code read_file(struct live_kubeconfig *config, const char *path,
				struct base_error *error)
{
	struct kuberc rc = {.config = config, .error = error, .file = path};
	struct base_error own = {0};
	struct base_buf text;
	yaml_parser_t parser;

	base_buf_init(&text, config->pool.alloc, (size_t)1 << 20);
	enum base_code code = live_read_file(path, &text, &own);
	if (code == BASE_OK && !yaml_parser_initialize(&parser))
		code = BASE_ENOMEM;
	if (code == BASE_OK) {
		yaml_parser_set_input_string(
			&parser, (const unsigned char *)(text.len != 0 ? text.ptr : ""), text.len);
		if (!yaml_parser_load(&parser, &rc.document)) {
			code = live_kubeconfig_mistake(
				config, error, "%s:%zu:%zu: this is no YAML: %s", path,
				parser.problem_mark.line + 1, parser.problem_mark.column + 1,
				parser.problem != NULL ? parser.problem : "unreadable");
		} else {
			code = read_policy(&rc);
			yaml_document_delete(&rc.document);
		}
		yaml_parser_delete(&parser);
	} else if (code == BASE_ENOENT) {
		code = BASE_OK; /* few people have one */
	} else if (code != BASE_ENOMEM) {
		code = live_kubeconfig_mistake(config, error, "%s", own.text);
	}
	base_buf_release(&text);
	return code == BASE_ENOMEM ? base_fail(error, code, "%s: no memory to read it", path)
				   : code;
}

enum base_code live_kuberc_read(struct live_kubeconfig *config, struct base_error *error)
{
	const struct live_kubeconfig_options *options = config->options;
	const char *given = live_kubeconfig_env(config, "KUBERC");
	const char *home = live_kubeconfig_env(config, "HOME");
	char path[PATH_MAX];

	config->plugins = options->plugins;
	if (!options->kuberc || options->plugins != LIVE_PLUGINS_ALL)
		return BASE_OK;
	if (given != NULL && strcmp(given, "off") == 0)
		return BASE_OK;
	if (given != NULL && given[0] != '\0')
		snprintf(path, sizeof path, "%s", given);
	else if (home != NULL && home[0] != '\0')
		snprintf(path, sizeof path, "%s/.kube/kuberc", home);
	else
		return BASE_OK;
	const char *kept = live_pool_text(&config->pool, base_str(path));
	return kept != NULL ? read_file(config, kept, error)
			    : base_fail(error, BASE_ENOMEM, "no memory for the configuration");
}

/* ---- The question ---- */

/* The file that a command runs, by PATH when it has no slash. False: none. */
static bool find_program(const struct live_kubeconfig *config, const char *command, char *path)
{
	const char *folders = live_kubeconfig_env(config, "PATH");
	struct base_str rest = base_str(folders != NULL ? folders : ""), folder;
	bool more = true;

	if (strchr(command, '/') != NULL) {
		snprintf(path, PATH_MAX, "%s", command);
		return access(path, X_OK) == 0;
	}
	while (more) {
		rest = base_str_cut(rest, ':', &folder, &more);
		snprintf(path, PATH_MAX, "%.*s/%s", BASE_STR_ARG(folder), command);
		if (folder.len != 0 && access(path, X_OK) == 0)
			return true;
	}
	return false;
}

static bool is_listed(const struct live_kubeconfig *config, const char *command, const char *name)
{
	char a[PATH_MAX], b[PATH_MAX];

	return strcmp(command, name) == 0 || (find_program(config, command, a) &&
					      find_program(config, name, b) && strcmp(a, b) == 0);
}

const char *live_plugin_refused(const struct live_kubeconfig *config, const char *command,
				char *room, size_t size)
{
	const struct live_kubeconfig_options *options = config->options;

	if (config->plugins == LIVE_PLUGINS_ALL)
		return NULL;
	if (config->plugins == LIVE_PLUGINS_NONE) {
		snprintf(room, size,
			 "exec may not run \"%.200s\": the policy denies all credential plugins",
			 command);
		return room;
	}
	for (size_t i = 0; i < config->plugin_names.count; i++)
		if (is_listed(config, command, config->plugin_names.items[i]))
			return NULL;
	for (size_t i = 0; i < options->plugin_count; i++)
		if (is_listed(config, command, options->plugin_names[i]))
			return NULL;
	snprintf(room, size,
		 "exec may not run \"%.200s\": it is not in the list of allowed credential plugins",
		 command);
	return room;
}
