/* One kubeconfig file: libyaml's document, read by tables of fields. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <yaml.h>

#include "informer/live/kubeconfig_parts.h"

#define JSON_DEPTH_MAX 64
#define JSON_SIZE_MAX ((size_t)1 << 20)

struct reader {
	struct live_kubeconfig *config;
	const char *file; /* the pool's */
	struct base_str folder;
	yaml_document_t *document;
	struct base_error *error;
	bool has_secrets;
};

enum field_kind {
	FIELD_TEXT,
	FIELD_SECRET, /* text that is never shown */
	FIELD_PATH,   /* relative to the file's folder */
	FIELD_BASE64,
	FIELD_SECRET_BASE64,
	FIELD_BOOL,
	FIELD_TEXTS,
	FIELD_EXTRA, /* name: [values] */
	FIELD_ENV,   /* [{name, value}] */
	FIELD_EXEC,
	FIELD_PROVIDER,
	FIELD_EXTENSIONS,
	FIELD_IGNORED,
};

struct field {
	const char *key;
	enum field_kind kind;
	size_t at;
};

#define AT(type, member) offsetof(struct type, member)

static const struct field cluster_fields[] = {
	{"server", FIELD_TEXT, AT(live_cluster, server)},
	{"tls-server-name", FIELD_TEXT, AT(live_cluster, server_name)},
	{"certificate-authority", FIELD_PATH, AT(live_cluster, authority_file)},
	{"certificate-authority-data", FIELD_BASE64, AT(live_cluster, authority_pem)},
	{"insecure-skip-tls-verify", FIELD_BOOL, AT(live_cluster, insecure)},
	{"proxy-url", FIELD_TEXT, AT(live_cluster, proxy_url)},
	{"disable-compression", FIELD_BOOL, AT(live_cluster, disable_compression)},
	{"extensions", FIELD_EXTENSIONS, AT(live_cluster, exec_config)},
	{NULL, FIELD_IGNORED, 0},
};

static const struct field user_fields[] = {
	{"client-certificate", FIELD_PATH, AT(live_user, certificate_file)},
	{"client-certificate-data", FIELD_BASE64, AT(live_user, certificate_pem)},
	{"client-key", FIELD_PATH, AT(live_user, key_file)},
	{"client-key-data", FIELD_SECRET_BASE64, AT(live_user, key_pem)},
	{"token", FIELD_SECRET, AT(live_user, token)},
	{"tokenFile", FIELD_PATH, AT(live_user, token_file)},
	{"username", FIELD_TEXT, AT(live_user, username)},
	{"password", FIELD_SECRET, AT(live_user, password)},
	{"as", FIELD_TEXT, AT(live_user, as)},
	{"as-uid", FIELD_TEXT, AT(live_user, as_uid)},
	{"as-groups", FIELD_TEXTS, AT(live_user, as_groups)},
	{"as-user-extra", FIELD_EXTRA, AT(live_user, as_extra)},
	{"exec", FIELD_EXEC, AT(live_user, exec)},
	{"auth-provider", FIELD_PROVIDER, AT(live_user, auth_provider)},
	{"extensions", FIELD_IGNORED, 0},
	{NULL, FIELD_IGNORED, 0},
};

static const struct field context_fields[] = {
	{"cluster", FIELD_TEXT, AT(live_context, cluster)},
	{"user", FIELD_TEXT, AT(live_context, user)},
	{"namespace", FIELD_TEXT, AT(live_context, namespace_name)},
	{"extensions", FIELD_IGNORED, 0},
	{NULL, FIELD_IGNORED, 0},
};

static const struct field exec_fields[] = {
	{"command", FIELD_TEXT, AT(live_exec, command)},
	{"args", FIELD_TEXTS, AT(live_exec, args)},
	{"env", FIELD_ENV, AT(live_exec, env)},
	{"apiVersion", FIELD_TEXT, AT(live_exec, api_version)},
	{"installHint", FIELD_TEXT, AT(live_exec, install_hint)},
	{"interactiveMode", FIELD_TEXT, AT(live_exec, interactive_word)},
	{"provideClusterInfo", FIELD_BOOL, AT(live_exec, provide_cluster_info)},
	{NULL, FIELD_IGNORED, 0},
};

/* ---- The document ---- */

static unsigned line_of(const yaml_node_t *node)
{
	return (unsigned)node->start_mark.line + 1;
}

static unsigned column_of(const yaml_node_t *node)
{
	return (unsigned)node->start_mark.column + 1;
}

static struct live_place place_of(const struct reader *reader, const yaml_node_t *node)
{
	return (struct live_place){
		.file = reader->file, .line = line_of(node), .column = column_of(node)};
}

/* A mistake is told and counted where it is found; what stands beside it is read all the same. */
static enum base_code go_on(enum base_code code)
{
	return code == BASE_EINVAL ? BASE_OK : code;
}

static enum base_code out_of_memory(const struct reader *reader)
{
	return base_fail(reader->error, BASE_ENOMEM, "%s: no memory to read it", reader->file);
}

#define MISTAKE(reader, node, ...) mistake(reader, node, __VA_ARGS__)
static enum base_code BASE_PRINTF(3, 4)
	mistake(const struct reader *reader, const yaml_node_t *node, const char *format, ...)
{
	char text[BASE_ERROR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return live_kubeconfig_mistake(reader->config, reader->error, "%s:%u:%u: %s", reader->file,
				       line_of(node), column_of(node), text);
}

static struct base_str scalar_of(const yaml_node_t *node)
{
	return base_str_n((const char *)node->data.scalar.value, node->data.scalar.length);
}

enum plain { PLAIN_TEXT, PLAIN_NULL, PLAIN_TRUE, PLAIN_FALSE, PLAIN_NUMBER };

static bool is_number(struct base_str text)
{
	const char *p = text.ptr, *end = text.ptr + text.len;
	bool digits = false;

	if (p < end && (*p == '-' || *p == '+'))
		p++;
	for (; p < end; p++) {
		if (isdigit((unsigned char)*p))
			digits = true;
		else if (!digits || strchr(".eE+-", *p) == NULL)
			return false;
	}
	char *stop = NULL;
	if (digits)
		strtod(text.ptr, &stop);
	return digits && stop == end;
}

/* What a scalar without quotes and without a tag means in YAML 1.1. */
static enum plain plain_of(const yaml_node_t *node)
{
	static const struct {
		const char *word;
		enum plain is;
	} words[] = {{"", PLAIN_NULL},       {"~", PLAIN_NULL},      {"null", PLAIN_NULL},
		     {"Null", PLAIN_NULL},   {"NULL", PLAIN_NULL},   {"true", PLAIN_TRUE},
		     {"True", PLAIN_TRUE},   {"TRUE", PLAIN_TRUE},   {"yes", PLAIN_TRUE},
		     {"on", PLAIN_TRUE},     {"false", PLAIN_FALSE}, {"False", PLAIN_FALSE},
		     {"FALSE", PLAIN_FALSE}, {"no", PLAIN_FALSE},    {"off", PLAIN_FALSE}};
	const struct base_str text = scalar_of(node);

	if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return PLAIN_TEXT;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (base_str_is(text, words[i].word))
			return words[i].is;
	return is_number(text) ? PLAIN_NUMBER : PLAIN_TEXT;
}

static bool is_null(const yaml_node_t *node)
{
	return node->type == YAML_SCALAR_NODE && plain_of(node) == PLAIN_NULL;
}

static const char *kind_word(const yaml_node_t *node)
{
	static const char *const plains[] = {"a text", "null", "a boolean", "a boolean",
					     "a number"};

	if (node->type == YAML_SCALAR_NODE)
		return plains[plain_of(node)];
	return node->type == YAML_MAPPING_NODE ? "a mapping" : "a list";
}

static yaml_node_t *node_at(const struct reader *reader, int index)
{
	return yaml_document_get_node(reader->document, index);
}

/* Of several keys of one name the last is taken. */
static const yaml_node_t *member(const struct reader *reader, const yaml_node_t *mapping,
				 const char *name)
{
	const yaml_node_t *found = NULL;

	for (const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
	     pair < mapping->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = node_at(reader, pair->key);

		if (key->type == YAML_SCALAR_NODE && base_str_is(scalar_of(key), name))
			found = node_at(reader, pair->value);
	}
	return found != NULL && is_null(found) ? NULL : found;
}

static size_t item_count(const yaml_node_t *sequence)
{
	return (size_t)(sequence->data.sequence.items.top - sequence->data.sequence.items.start);
}

static const yaml_node_t *item(const struct reader *reader, const yaml_node_t *sequence, size_t i)
{
	return node_at(reader, sequence->data.sequence.items.start[i]);
}

/* ---- Values ---- */

static enum base_code read_text(const struct reader *reader, const yaml_node_t *node,
				const char *what, char **out)
{
	if (node->type != YAML_SCALAR_NODE)
		return MISTAKE(reader, node, "%s has to be a text, not %s", what, kind_word(node));
	if (plain_of(node) != PLAIN_TEXT)
		return MISTAKE(reader, node,
			       "%s has to be a text, and without quotes this is %s: put it in "
			       "quotes",
			       what, kind_word(node));
	if (memchr(node->data.scalar.value, 0, node->data.scalar.length) != NULL)
		return MISTAKE(reader, node, "%s has a zero byte in it", what);
	*out = live_pool_text(&reader->config->pool, scalar_of(node));
	return *out != NULL ? BASE_OK : out_of_memory(reader);
}

/* A path of this file: against the file's own folder. */
static char *resolve(const struct reader *reader, const char *path)
{
	const size_t len = strlen(path), folder = reader->folder.len;

	if (path[0] == '/' || folder == 0)
		return live_pool_text(&reader->config->pool, base_str(path));
	char *whole = live_pool_get(&reader->config->pool, folder + len + 1);
	if (whole != NULL) {
		memcpy(whole, reader->folder.ptr, folder);
		memcpy(whole + folder, path, len);
	}
	return whole;
}

static enum base_code read_path(const struct reader *reader, const yaml_node_t *node,
				const char *what, char **out)
{
	char *path = NULL;
	const enum base_code code = read_text(reader, node, what, &path);

	if (code != BASE_OK)
		return code;
	if (path[0] == '\0')
		return BASE_OK;
	*out = resolve(reader, path);
	return *out != NULL ? BASE_OK : out_of_memory(reader);
}

static enum base_code read_base64(const struct reader *reader, const yaml_node_t *node,
				  const char *what, struct base_str *out)
{
	struct base_buf bytes;
	char *text = NULL;
	enum base_code code = read_text(reader, node, what, &text);

	if (code != BASE_OK)
		return code;
	base_buf_init(&bytes, reader->config->pool.alloc, JSON_SIZE_MAX * 4);
	code = live_base64(base_str(text), &bytes);
	if (code == BASE_EINVAL)
		MISTAKE(reader, node, "%s is not base64: it has to be the file's bytes, encoded%s",
			what,
			strncmp(text, "-----BEGIN", 10) == 0 ? " (this is PEM as it stands in the "
							       "file)"
							     : "");
	if (code == BASE_OK && bytes.len != 0) {
		out->ptr = live_pool_text(&reader->config->pool, base_buf_peek(&bytes));
		out->len = bytes.len;
		code = out->ptr != NULL ? BASE_OK : BASE_ENOMEM;
	}
	live_wipe(&bytes);
	return code == BASE_OK || code == BASE_EINVAL ? code : out_of_memory(reader);
}

static enum base_code read_bool(const struct reader *reader, const yaml_node_t *node,
				const char *what, bool *out)
{
	const enum plain plain = node->type == YAML_SCALAR_NODE ? plain_of(node) : PLAIN_TEXT;

	if (plain != PLAIN_TRUE && plain != PLAIN_FALSE)
		return MISTAKE(reader, node, "%s has to be true or false, not %s", what,
			       kind_word(node));
	*out = plain == PLAIN_TRUE;
	return BASE_OK;
}

static enum base_code want_kind(const struct reader *reader, const yaml_node_t *node,
				yaml_node_type_t type, const char *what)
{
	if (node->type == type)
		return BASE_OK;
	return MISTAKE(reader, node, "%s has to be %s, not %s", what,
		       type == YAML_MAPPING_NODE ? "a mapping" : "a list", kind_word(node));
}

static enum base_code read_texts(const struct reader *reader, const yaml_node_t *node,
				 const char *what, struct live_texts *out)
{
	enum base_code code = want_kind(reader, node, YAML_SEQUENCE_NODE, what);

	if (code != BASE_OK || item_count(node) == 0)
		return code;
	out->items = live_pool_get(&reader->config->pool, item_count(node) * sizeof *out->items);
	if (out->items == NULL)
		return out_of_memory(reader);
	for (size_t i = 0; code == BASE_OK && i < item_count(node); i++)
		code = go_on(
			read_text(reader, item(reader, node, i), what, &out->items[out->count++]));
	return code;
}

static enum base_code read_env(const struct reader *reader, const yaml_node_t *node,
			       const char *what, struct live_pairs *out)
{
	enum base_code code = want_kind(reader, node, YAML_SEQUENCE_NODE, what);

	if (code != BASE_OK || item_count(node) == 0)
		return code;
	out->items = live_pool_get(&reader->config->pool, item_count(node) * sizeof *out->items);
	if (out->items == NULL)
		return out_of_memory(reader);
	for (size_t i = 0; code == BASE_OK && i < item_count(node); i++) {
		const yaml_node_t *entry = item(reader, node, i);
		struct live_pair *pair = &out->items[out->count++];

		code = want_kind(reader, entry, YAML_MAPPING_NODE, "an entry of env");
		const yaml_node_t *name = code == BASE_OK ? member(reader, entry, "name") : NULL;
		const yaml_node_t *value = code == BASE_OK ? member(reader, entry, "value") : NULL;
		if (code == BASE_OK && (name == NULL || value == NULL))
			code = MISTAKE(reader, entry, "an entry of env needs name and value");
		if (code == BASE_OK)
			code = read_text(reader, name, "the name of an env entry", &pair->name);
		if (code == BASE_OK)
			code = read_text(reader, value, "the value of an env entry", &pair->value);
		code = go_on(code);
	}
	return code;
}

static enum base_code read_extra(const struct reader *reader, const yaml_node_t *node,
				 const char *what, struct live_pairs *out)
{
	size_t count = 0;
	enum base_code code = want_kind(reader, node, YAML_MAPPING_NODE, what);

	for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     code == BASE_OK && pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *values = node_at(reader, pair->value);

		code = want_kind(reader, values, YAML_SEQUENCE_NODE, what);
		count += code == BASE_OK ? item_count(values) : 0;
	}
	if (code != BASE_OK || count == 0)
		return code;
	out->items = live_pool_get(&reader->config->pool, count * sizeof *out->items);
	if (out->items == NULL)
		return out_of_memory(reader);
	for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     code == BASE_OK && pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *values = node_at(reader, pair->value);

		for (size_t i = 0; code == BASE_OK && i < item_count(values); i++) {
			struct live_pair *to = &out->items[out->count++];

			code = read_text(reader, node_at(reader, pair->key), what, &to->name);
			if (code == BASE_OK)
				code = read_text(reader, item(reader, values, i), what, &to->value);
		}
	}
	return code;
}

/* ---- Any value as JSON: what an extension hands to a plugin ---- */

static enum base_code put_json(const struct reader *reader, const yaml_node_t *node,
			       struct base_buf *out, unsigned depth);

static enum base_code put_scalar(const yaml_node_t *node, struct base_buf *out)
{
	switch (plain_of(node)) {
	case PLAIN_NULL: return base_buf_text(out, "null");
	case PLAIN_TRUE: return base_buf_text(out, "true");
	case PLAIN_FALSE: return base_buf_text(out, "false");
	case PLAIN_NUMBER: return base_buf_str(out, scalar_of(node));
	case PLAIN_TEXT: break;
	}
	return base_buf_json_string(out, scalar_of(node));
}

static enum base_code put_mapping(const struct reader *reader, const yaml_node_t *node,
				  struct base_buf *out, unsigned depth)
{
	enum base_code code = base_buf_char(out, '{');

	for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     code == BASE_OK && pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = node_at(reader, pair->key);

		if (key->type != YAML_SCALAR_NODE)
			return BASE_EINVAL;
		if (pair != node->data.mapping.pairs.start)
			code = base_buf_char(out, ',');
		if (code == BASE_OK)
			code = base_buf_json_string(out, scalar_of(key));
		if (code == BASE_OK)
			code = base_buf_char(out, ':');
		if (code == BASE_OK)
			code = put_json(reader, node_at(reader, pair->value), out, depth + 1);
	}
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

/* Anchors may make a value large or endless: depth and size are bounded. */
static enum base_code put_json(const struct reader *reader, const yaml_node_t *node,
			       struct base_buf *out, unsigned depth)
{
	if (depth > JSON_DEPTH_MAX)
		return BASE_ELIMIT;
	if (node->type == YAML_SCALAR_NODE)
		return put_scalar(node, out);
	if (node->type == YAML_MAPPING_NODE)
		return put_mapping(reader, node, out, depth);
	enum base_code code = base_buf_char(out, '[');
	for (size_t i = 0; code == BASE_OK && i < item_count(node); i++) {
		if (i != 0)
			code = base_buf_char(out, ',');
		if (code == BASE_OK)
			code = put_json(reader, item(reader, node, i), out, depth + 1);
	}
	return code == BASE_OK ? base_buf_char(out, ']') : code;
}

static enum base_code read_extensions(const struct reader *reader, const yaml_node_t *node,
				      char **out)
{
	enum base_code code = want_kind(reader, node, YAML_SEQUENCE_NODE, "extensions");

	for (size_t i = 0; code == BASE_OK && i < item_count(node); i++) {
		const yaml_node_t *entry = item(reader, node, i);
		struct base_buf json;

		code = want_kind(reader, entry, YAML_MAPPING_NODE, "an extension");
		const yaml_node_t *name = code == BASE_OK ? member(reader, entry, "name") : NULL;
		const yaml_node_t *value = code == BASE_OK ? member(reader, entry, "extension")
							   : NULL;
		if (name == NULL || value == NULL || name->type != YAML_SCALAR_NODE ||
		    !base_str_is(scalar_of(name), "client.authentication.k8s.io/exec"))
			continue;
		base_buf_init(&json, reader->config->pool.alloc, JSON_SIZE_MAX);
		code = put_json(reader, value, &json, 0);
		if (code == BASE_OK)
			*out = live_pool_text(&reader->config->pool, base_buf_peek(&json));
		live_wipe(&json);
		if (code == BASE_ENOMEM || (code == BASE_OK && *out == NULL))
			return out_of_memory(reader);
		if (code != BASE_OK)
			return MISTAKE(reader, value, "the extension is too deep or too large");
	}
	return code;
}

/* ---- Fields ---- */

static enum base_code read_fields(struct reader *reader, const yaml_node_t *node,
				  const struct field *fields, const char *whose, void *into);

static enum base_code read_exec(struct reader *reader, const yaml_node_t *node, const char *whose,
				struct live_exec **out)
{
	struct live_exec *exec = live_pool_get(&reader->config->pool, sizeof *exec);

	if (exec == NULL)
		return out_of_memory(reader);
	exec->place = place_of(reader, node);
	const enum base_code code = read_fields(reader, node, exec_fields, whose, exec);
	if (code != BASE_OK)
		return code;
	if (exec->command != NULL && strchr(exec->command, '/') != NULL) {
		exec->command = resolve(reader, exec->command);
		if (exec->command == NULL)
			return out_of_memory(reader);
	}
	*out = exec;
	return BASE_OK;
}

static enum base_code read_provider(struct reader *reader, const yaml_node_t *node, char **out)
{
	const enum base_code code = want_kind(reader, node, YAML_MAPPING_NODE, "auth-provider");
	const yaml_node_t *name = code == BASE_OK ? member(reader, node, "name") : NULL;

	if (code != BASE_OK || name == NULL)
		return code;
	return read_text(reader, name, "the name of the auth-provider", out);
}

static enum base_code read_field(struct reader *reader, const yaml_node_t *node,
				 const struct field *field, const char *whose, void *into)
{
	void *at = (char *)into + field->at;
	char what[128];

	snprintf(what, sizeof what, "%s of %s", field->key, whose);
	switch (field->kind) {
	case FIELD_SECRET: reader->has_secrets = true; return read_text(reader, node, what, at);
	case FIELD_TEXT: return read_text(reader, node, what, at);
	case FIELD_PATH: return read_path(reader, node, what, at);
	case FIELD_SECRET_BASE64:
		reader->has_secrets = true;
		return read_base64(reader, node, what, at);
	case FIELD_BASE64: return read_base64(reader, node, what, at);
	case FIELD_BOOL: return read_bool(reader, node, what, at);
	case FIELD_TEXTS: return read_texts(reader, node, what, at);
	case FIELD_EXTRA: return read_extra(reader, node, what, at);
	case FIELD_ENV: return read_env(reader, node, what, at);
	case FIELD_EXEC: return read_exec(reader, node, whose, at);
	case FIELD_PROVIDER: return read_provider(reader, node, at);
	case FIELD_EXTENSIONS: return read_extensions(reader, node, at);
	case FIELD_IGNORED: break;
	}
	return BASE_OK;
}

static enum base_code read_fields(struct reader *reader, const yaml_node_t *node,
				  const struct field *fields, const char *whose, void *into)
{
	enum base_code code = want_kind(reader, node, YAML_MAPPING_NODE, whose);

	if (code != BASE_OK)
		return code;
	for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     code == BASE_OK && pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = node_at(reader, pair->key);
		const yaml_node_t *value = node_at(reader, pair->value);
		const struct field *field = fields;

		if (key->type != YAML_SCALAR_NODE) {
			MISTAKE(reader, key, "a key of %s has to be a text", whose);
			continue;
		}
		while (field->key != NULL && !base_str_is(scalar_of(key), field->key))
			field++;
		if (field->key == NULL)
			live_kubeconfig_warn(reader->config, "%s:%u: unknown key \"%.*s\" of %s",
					     reader->file, line_of(key),
					     (int)base_str_take(scalar_of(key), 40).len,
					     scalar_of(key).ptr, whose);
		else if (!is_null(value))
			code = go_on(read_field(reader, value, field, whose, into));
	}
	return code;
}

/* ---- Entries ---- */

static const struct entry_kind {
	const char *list, *word;
	const struct field *fields;
	size_t size;
} entry_kinds[LIVE_LISTS] = {
	[LIVE_CLUSTERS] = {"clusters", "cluster", cluster_fields, sizeof(struct live_cluster)},
	[LIVE_USERS] = {"users", "user", user_fields, sizeof(struct live_user)},
	[LIVE_CONTEXTS] = {"contexts", "context", context_fields, sizeof(struct live_context)},
};

/* NULL in *into: an earlier file has it. */
static enum base_code find_place(const struct reader *reader, const yaml_node_t *node,
				 const struct entry_kind *kind, const char *name,
				 struct live_entry ***into)
{
	struct live_entry **at = &reader->config->lists[kind - entry_kinds];

	for (; *at != NULL; at = &(*at)->next) {
		if (strcmp((*at)->name, name) != 0)
			continue;
		if ((*at)->place.file == reader->file)
			return MISTAKE(reader, node,
				       "the name \"%s\" is twice in %s, first in line %u: names "
				       "have to be unique",
				       name, kind->list, (*at)->place.line);
		*into = NULL;
		return BASE_OK;
	}
	*into = at;
	return BASE_OK;
}

static enum base_code read_entry(struct reader *reader, const yaml_node_t *node,
				 const struct entry_kind *kind)
{
	char whose[96];
	char *name = NULL;
	struct live_entry **into = NULL;
	enum base_code code = want_kind(reader, node, YAML_MAPPING_NODE, kind->list);

	if (code != BASE_OK)
		return code;
	const yaml_node_t *name_node = member(reader, node, "name");
	const yaml_node_t *content = member(reader, node, kind->word);
	if (name_node == NULL)
		return MISTAKE(reader, node, "an entry of %s has no name", kind->list);
	code = read_text(reader, name_node, "the name of an entry", &name);
	if (code == BASE_OK)
		code = find_place(reader, name_node, kind, name, &into);
	if (code != BASE_OK)
		return code;
	struct live_entry *entry = live_pool_get(&reader->config->pool, kind->size);
	if (entry == NULL)
		return out_of_memory(reader);
	entry->name = name;
	entry->place = place_of(reader, node);
	snprintf(whose, sizeof whose, "%s \"%.64s\"", kind->word, name);
	if (content != NULL)
		code = read_fields(reader, content, kind->fields, whose, entry);
	if (code == BASE_OK && into != NULL)
		*into = entry;
	return code;
}

static enum base_code read_lists(struct reader *reader, const yaml_node_t *root)
{
	enum base_code code = BASE_OK;

	for (size_t k = 0; k < sizeof entry_kinds / sizeof *entry_kinds; k++) {
		const yaml_node_t *list = member(reader, root, entry_kinds[k].list);

		if (list == NULL)
			continue;
		code = want_kind(reader, list, YAML_SEQUENCE_NODE, entry_kinds[k].list);
		for (size_t i = 0; code == BASE_OK && i < item_count(list); i++)
			code = go_on(read_entry(reader, item(reader, list, i), &entry_kinds[k]));
		code = go_on(code);
		if (code != BASE_OK)
			break;
	}
	return code;
}

static enum base_code check_kind(const struct reader *reader, const yaml_node_t *root)
{
	static const char *const keys[][2] = {{"apiVersion", "v1"}, {"kind", "Config"}};

	for (size_t i = 0; i < 2; i++) {
		const yaml_node_t *node = member(reader, root, keys[i][0]);

		if (node != NULL &&
		    (node->type != YAML_SCALAR_NODE ||
		     (scalar_of(node).len != 0 && !base_str_is(scalar_of(node), keys[i][1]))))
			MISTAKE(reader, node, "%s of a kubeconfig has to be %s", keys[i][0],
				keys[i][1]);
	}
	return BASE_OK;
}

static enum base_code read_root(struct reader *reader, const yaml_node_t *root)
{
	char *current = NULL;
	enum base_code code = want_kind(reader, root, YAML_MAPPING_NODE, "a kubeconfig");

	if (code == BASE_OK)
		code = check_kind(reader, root);
	if (code == BASE_OK)
		code = read_lists(reader, root);
	const yaml_node_t *node = code == BASE_OK ? member(reader, root, "current-context") : NULL;
	if (node != NULL)
		code = read_text(reader, node, "current-context", &current);
	if (code == BASE_OK && current != NULL && current[0] != '\0' &&
	    reader->config->current_context == NULL) {
		reader->config->current_context = current;
		reader->config->current_place = place_of(reader, node);
	}
	return code;
}

/* ---- The file ---- */

static enum base_code load_document(const struct reader *reader, struct base_str text)
{
	yaml_parser_t parser;

	if (!yaml_parser_initialize(&parser))
		return out_of_memory(reader);
	yaml_parser_set_input_string(
		&parser, (const unsigned char *)(text.len != 0 ? text.ptr : ""), text.len);
	const int fine = yaml_parser_load(&parser, reader->document);
	enum base_code code = BASE_OK;
	if (!fine && parser.error == YAML_MEMORY_ERROR)
		code = out_of_memory(reader);
	else if (!fine)
		code = live_kubeconfig_mistake(
			reader->config, reader->error, "%s:%zu:%zu: this is no YAML: %s",
			reader->file, parser.problem_mark.line + 1, parser.problem_mark.column + 1,
			parser.problem != NULL ? parser.problem : "unreadable");
	yaml_parser_delete(&parser);
	return code;
}

static void check_mode(const struct reader *reader)
{
	struct stat state;

	if (!reader->has_secrets || stat(reader->file, &state) != 0 ||
	    (state.st_mode & (S_IRGRP | S_IROTH)) == 0)
		return;
	live_kubeconfig_warn(reader->config,
			     "%s holds credentials and others can read it (mode %04o): chmod 600 "
			     "makes it yours alone",
			     reader->file, (unsigned)(state.st_mode & 07777));
}

static enum base_code read_text_of_file(struct reader *reader, struct base_str text)
{
	yaml_document_t document;

	reader->document = &document;
	enum base_code code = load_document(reader, text);
	if (code != BASE_OK)
		return code;
	const yaml_node_t *root = yaml_document_get_root_node(&document);
	if (root != NULL && !is_null(root))
		code = read_root(reader, root);
	yaml_document_delete(&document);
	if (code == BASE_OK)
		check_mode(reader);
	return code;
}

enum base_code live_kubeconfig_read(struct live_kubeconfig *config, const char *path,
				    struct base_error *error)
{
	struct reader reader = {.config = config, .error = error};
	struct base_buf text;

	base_buf_init(&text, config->pool.alloc, (size_t)8 << 20);
	enum base_code code = live_read_file(path, &text, error);
	if (code == BASE_OK) {
		reader.file = live_pool_text(&config->pool, base_str(path));
		if (reader.file == NULL)
			code = base_fail(error, BASE_ENOMEM, "%s: no memory to read it", path);
	}
	if (code == BASE_OK) {
		const char *slash = strrchr(reader.file, '/');

		if (slash != NULL)
			reader.folder = base_str_n(reader.file, (size_t)(slash - reader.file) + 1);
		code = read_text_of_file(&reader, base_buf_peek(&text));
	}
	live_wipe(&text);
	return code;
}
