#include "base/json_tree.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Memory: cJSON's hooks carry no context, so the allocator is global as they are ---- */

static const struct base_alloc *tree_alloc;

static void *hook_malloc(size_t size)
{
	return base_malloc(tree_alloc, size);
}

static void hook_free(void *block)
{
	base_free(tree_alloc, block);
}

void base_json_tree_hooks(const struct base_alloc *alloc)
{
	cJSON_Hooks hooks = {.malloc_fn = hook_malloc, .free_fn = hook_free};
	tree_alloc = alloc;
	cJSON_InitHooks(alloc != NULL ? &hooks : NULL);
}

/* ---- Text: cJSON has C strings, so U+0000 is held as the two bytes c0 80, which no text that went
 * through the scanner can have ---- */

static const struct base_str nul_text = {.ptr = "\xc0\x80", .len = 2};

static enum base_code text_without_nul(struct base_str text, struct base_buf *out)
{
	enum base_code code = BASE_OK;
	for (bool more = true; more && code == BASE_OK;) {
		struct base_str head;
		text = base_str_cut(text, '\0', &head, &more);
		code = base_buf_str(out, head);
		if (more && code == BASE_OK)
			code = base_buf_str(out, nul_text);
	}
	return code;
}

struct build {
	struct base_buf text;  /* one string, unescaped */
	struct base_buf key;   /* the key of the member to come */
	struct base_buf stack; /* struct cJSON *: open arrays and objects */
	cJSON *root;
};

static enum base_code c_text(struct build *b, struct base_str value, struct base_buf *out)
{
	struct base_str text;
	base_buf_clear(&b->text);
	base_buf_clear(out);
	enum base_code code = base_json_text(value, &b->text, &text);
	return code == BASE_OK ? text_without_nul(text, out) : code;
}

/* ---- Duplicate keys: looked for when an object closes ---- */

struct member {
	cJSON *node;
	size_t place;
};

static int member_order(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(x->node->string, y->node->string);
	return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

/* list[0..len) have one key: the last one goes to the place of the first. */
static void keep_last(cJSON *object, const struct member *list, size_t len)
{
	for (size_t i = 1; i + 1 < len; i++)
		cJSON_Delete(cJSON_DetachItemViaPointer(object, list[i].node));
	if (len > 1)
		cJSON_ReplaceItemViaPointer(object, list[0].node,
					    cJSON_DetachItemViaPointer(object, list[len - 1].node));
}

static enum base_code object_close(cJSON *object)
{
	size_t len = 0;
	for (const cJSON *c = object->child; c != NULL; c = c->next)
		len++;
	if (len < 2)
		return BASE_OK;
	struct member *list = base_malloc(tree_alloc, len * sizeof *list);
	if (list == NULL)
		return BASE_ENOMEM;
	len = 0;
	for (cJSON *c = object->child; c != NULL; c = c->next, len++)
		list[len] = (struct member){.node = c, .place = len};
	qsort(list, len, sizeof *list, member_order);
	for (size_t i = 0, next; i < len; i = next) {
		for (next = i + 1; next < len; next++)
			if (strcmp(list[i].node->string, list[next].node->string) != 0)
				break;
		keep_last(object, list + i, next - i);
	}
	base_free(tree_alloc, list);
	return BASE_OK;
}

/* ---- Building: one pass over the tokens, open containers on a stack ---- */

static cJSON *build_top(const struct build *b)
{
	if (b->stack.len == 0)
		return NULL;
	cJSON *top;
	memcpy(&top, b->stack.ptr + b->stack.len - sizeof top, sizeof top);
	return top;
}

/* Hangs the node below the open container; owns it from now on, also when it fails. */
static enum base_code build_add(struct build *b, cJSON *node)
{
	if (node == NULL)
		return BASE_ENOMEM;
	cJSON *top = build_top(b);
	bool added = true;
	if (top == NULL)
		b->root = node;
	else if (cJSON_IsObject(top))
		added = cJSON_AddItemToObject(top, b->key.ptr, node) != 0;
	else
		added = cJSON_AddItemToArray(top, node) != 0;
	if (!added) {
		cJSON_Delete(node);
		return BASE_ENOMEM;
	}
	return BASE_OK;
}

static enum base_code build_open(struct build *b, bool object)
{
	cJSON *node = object ? cJSON_CreateObject() : cJSON_CreateArray();
	enum base_code code = build_add(b, node);
	return code == BASE_OK ? base_buf_append(&b->stack, &node, sizeof(cJSON *)) : code;
}

static enum base_code build_close(struct build *b)
{
	cJSON *top = build_top(b);
	b->stack.len -= sizeof top;
	return cJSON_IsObject(top) ? object_close(top) : BASE_OK;
}

static const char *string_end(const char *p, const char *end)
{
	for (p++; p != end && *p != '"'; p++)
		if (*p == '\\')
			p++;
	return p != end ? p + 1 : end;
}

static const char *bare_end(const char *p, const char *end)
{
	while (p != end && strchr(",]} \t\r\n", *p) == NULL)
		p++;
	return p;
}

static enum base_code build_scalar(struct build *b, struct base_str token)
{
	struct base_buf raw;
	enum base_code code = BASE_OK;
	switch (base_json_kind_of(token)) {
	case BASE_JSON_NULL: return build_add(b, cJSON_CreateNull());
	case BASE_JSON_TRUE: return build_add(b, cJSON_CreateTrue());
	case BASE_JSON_FALSE: return build_add(b, cJSON_CreateFalse());
	case BASE_JSON_NUMBER:
	case BASE_JSON_STRING: break;
	case BASE_JSON_NONE:
	case BASE_JSON_ARRAY:
	case BASE_JSON_OBJECT: return BASE_EINVAL;
	}
	base_buf_init(&raw, tree_alloc, BASE_BUF_MAX_DEFAULT);
	if (token.ptr[0] == '"')
		code = c_text(b, token, &raw);
	else
		code = base_buf_str(&raw, token);
	if (code == BASE_OK)
		code = build_add(b, token.ptr[0] == '"' ? cJSON_CreateString(raw.ptr)
							: cJSON_CreateRaw(raw.ptr));
	base_buf_release(&raw);
	return code;
}

/* One token; *is_key: a string now would be a key. The result is behind the token. */
static const char *build_token(struct build *b, const char *p, const char *end, bool *is_key,
			       enum base_code *code)
{
	const char *behind = p + 1;
	switch (*p) {
	case ' ':
	case '\t':
	case '\r':
	case '\n': return behind;
	case ':': *is_key = false; return behind;
	case ',': *is_key = cJSON_IsObject(build_top(b)) != 0; return behind;
	case '{':
	case '[':
		*code = build_open(b, *p == '{');
		*is_key = *p == '{';
		return behind;
	case '}':
	case ']': *code = build_close(b); return behind;
	default:
		behind = *p == '"' ? string_end(p, end) : bare_end(p, end);
		if (*is_key)
			*code = c_text(b, base_str_n(p, (size_t)(behind - p)), &b->key);
		else
			*code = build_scalar(b, base_str_n(p, (size_t)(behind - p)));
		return behind;
	}
}

cJSON *base_json_tree(struct base_str value)
{
	struct build b = {0};
	enum base_code code = value.len != 0 ? BASE_OK : BASE_EINVAL;
	bool is_key = false;
	base_buf_init(&b.text, tree_alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&b.key, tree_alloc, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&b.stack, tree_alloc, BASE_BUF_MAX_DEFAULT);
	const char *p = value.ptr, *end = value.len != 0 ? value.ptr + value.len : value.ptr;
	while (p != end && code == BASE_OK)
		p = build_token(&b, p, end, &is_key, &code);
	base_buf_release(&b.text);
	base_buf_release(&b.key);
	base_buf_release(&b.stack);
	if (code != BASE_OK) {
		cJSON_Delete(b.root);
		return NULL;
	}
	return b.root;
}
