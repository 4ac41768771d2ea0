#include "fakeapi/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "fakeapi/object.h"

#define BLOCK_SIZE 8192
#define FEW_MEMBERS 12 /* up to here duplicates are found by looking at all */

struct fakeapi_tree_block {
	struct fakeapi_tree_block *next;
	size_t used, size;
	_Alignas(16) char bytes[];
};

/* ---- The arena ---- */

void fakeapi_tree_init(struct fakeapi_tree *tree, const struct base_alloc *alloc)
{
	*tree = (struct fakeapi_tree){.alloc = alloc};
}

void fakeapi_tree_release(struct fakeapi_tree *tree)
{
	while (tree->blocks != NULL) {
		struct fakeapi_tree_block *next = tree->blocks->next;

		base_free(tree->alloc, tree->blocks);
		tree->blocks = next;
	}
}

static void fail(struct fakeapi_tree *tree, enum base_code code)
{
	if (tree->code == BASE_OK)
		tree->code = code;
}

static void *take(struct fakeapi_tree *tree, size_t size)
{
	struct fakeapi_tree_block *block = tree->blocks;
	size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
	void *taken;

	if (tree->code != BASE_OK)
		return NULL;
	size = (size + 15) & ~(size_t)15;
	if (block == NULL || block->size - block->used < size) {
		room = size > room ? size : room;
		block = base_malloc(tree->alloc, sizeof(*block) + room);
		if (block == NULL) {
			fail(tree, BASE_ENOMEM);
			return NULL;
		}
		*block = (struct fakeapi_tree_block){.next = tree->blocks, .size = room};
		tree->blocks = block;
	}
	taken = block->bytes + block->used;
	block->used += size;
	return taken;
}

void *fakeapi_tree_take(struct fakeapi_tree *tree, size_t size)
{
	void *taken = take(tree, size);

	if (taken != NULL)
		memset(taken, 0, size);
	return taken;
}

static struct fakeapi_node *new_node(struct fakeapi_tree *tree, enum base_json_kind kind)
{
	struct fakeapi_node *node = take(tree, sizeof(*node));

	if (node == NULL) {
		tree->spare = (struct fakeapi_node){.kind = kind};
		return &tree->spare;
	}
	*node = (struct fakeapi_node){.kind = kind};
	return node;
}

struct base_str fakeapi_tree_keep(struct fakeapi_tree *tree, struct base_str text)
{
	char *copy = take(tree, text.len + 1);

	if (copy == NULL)
		return (struct base_str){0};
	if (text.len > 0)
		memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	return base_str_n(copy, text.len);
}

struct base_str fakeapi_tree_text(struct fakeapi_tree *tree, const char *format, ...)
{
	va_list args, again;
	char *text;
	int len;

	va_start(args, format);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = len < 0 ? NULL : take(tree, (size_t)len + 1);
	if (text != NULL)
		(void)vsnprintf(text, (size_t)len + 1, format, again);
	va_end(again);
	return text != NULL ? base_str_n(text, (size_t)len) : (struct base_str){0};
}

/* ---- Making ---- */

struct fakeapi_node *fakeapi_tree_object(struct fakeapi_tree *tree)
{
	return new_node(tree, BASE_JSON_OBJECT);
}

struct fakeapi_node *fakeapi_tree_array(struct fakeapi_tree *tree)
{
	return new_node(tree, BASE_JSON_ARRAY);
}

struct fakeapi_node *fakeapi_tree_string(struct fakeapi_tree *tree, struct base_str text)
{
	struct fakeapi_node *node = new_node(tree, BASE_JSON_STRING);

	node->text = fakeapi_tree_keep(tree, text);
	return node;
}

struct fakeapi_node *fakeapi_tree_number(struct fakeapi_tree *tree, int64_t number)
{
	struct fakeapi_node *node = new_node(tree, BASE_JSON_NUMBER);

	node->text = fakeapi_tree_text(tree, "%lld", (long long)number);
	return node;
}

struct fakeapi_node *fakeapi_tree_copy(struct fakeapi_tree *tree, const struct fakeapi_node *node)
{
	struct fakeapi_node *copy;

	if (node == NULL)
		return NULL;
	copy = new_node(tree, node->kind);
	copy->key = node->key;
	copy->text = node->text;
	copy->mark = node->mark;
	copy->again = node->again;
	for (const struct fakeapi_node *c = node->first; c != NULL; c = c->next)
		fakeapi_node_append(tree, copy, fakeapi_tree_copy(tree, c));
	return copy;
}

/* ---- Parsing ---- */

static struct base_str unescaped(struct fakeapi_tree *tree, struct base_str quoted)
{
	struct base_buf scratch;
	struct base_str text = {0};
	enum base_code code;

	base_buf_init(&scratch, tree->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_json_text(quoted, &scratch, &text);
	if (code != BASE_OK)
		fail(tree, code);
	text = fakeapi_tree_keep(tree, text);
	base_buf_release(&scratch);
	return text;
}

static void mark_duplicates(struct fakeapi_tree *tree, struct fakeapi_node *object, size_t count)
{
	struct base_map seen;

	if (count <= FEW_MEMBERS) {
		for (struct fakeapi_node *a = object->first; a != NULL; a = a->next)
			for (struct fakeapi_node *b = object->first; b != a; b = b->next)
				a->again |= base_str_eq(a->key, b->key);
		return;
	}
	base_map_init(&seen, tree->alloc);
	for (struct fakeapi_node *a = object->first; a != NULL && tree->code == BASE_OK;
	     a = a->next) {
		void *before = NULL;
		enum base_code code = base_map_put(&seen, a->key, a, &before);

		if (code != BASE_OK)
			fail(tree, code);
		a->again = before != NULL;
	}
	base_map_release(&seen);
}

static struct fakeapi_node *parse_nested(struct fakeapi_tree *tree, struct base_str json,
					 enum base_json_kind kind)
{
	struct fakeapi_node *node = new_node(tree, kind);
	struct base_json_iter it;
	size_t count = 0;

	if (++tree->depth > FAKEAPI_OBJECT_DEPTH_MAX)
		fail(tree, BASE_ELIMIT);
	base_json_iter_init(&it, json);
	while (tree->code == BASE_OK && base_json_iter_next(&it)) {
		struct fakeapi_node *child = fakeapi_tree_parse(tree, it.value);

		if (kind == BASE_JSON_OBJECT)
			child->key = it.key_escaped ? unescaped(tree, base_str_n(it.key.ptr - 1,
										 it.key.len + 2))
						    : fakeapi_tree_keep(tree, it.key);
		fakeapi_node_append(tree, node, child);
		count++;
	}
	tree->depth--;
	if (kind == BASE_JSON_OBJECT && tree->code == BASE_OK)
		mark_duplicates(tree, node, count);
	return node;
}

struct fakeapi_node *fakeapi_tree_parse(struct fakeapi_tree *tree, struct base_str json)
{
	enum base_json_kind kind = base_json_kind_of(json);
	struct fakeapi_node *node;

	if (kind == BASE_JSON_OBJECT || kind == BASE_JSON_ARRAY)
		return parse_nested(tree, json, kind);
	node = new_node(tree, kind);
	if (kind == BASE_JSON_STRING)
		node->text = unescaped(tree, json);
	else
		node->text = fakeapi_tree_keep(tree, json);
	return node;
}

/* ---- Changing ---- */

void fakeapi_node_append(struct fakeapi_tree *tree, struct fakeapi_node *array,
			 struct fakeapi_node *value)
{
	if (tree->code != BASE_OK)
		return;
	value->next = NULL;
	if (array->last != NULL)
		array->last->next = value;
	else
		array->first = value;
	array->last = value;
}

void fakeapi_node_unlink(struct fakeapi_node *parent, struct fakeapi_node *child)
{
	struct fakeapi_node *before = NULL;

	for (struct fakeapi_node *c = parent->first; c != NULL; before = c, c = c->next) {
		if (c != child)
			continue;
		if (before != NULL)
			before->next = c->next;
		else
			parent->first = c->next;
		if (parent->last == c)
			parent->last = before;
		c->next = NULL;
		return;
	}
}

void fakeapi_node_replace(struct fakeapi_tree *tree, struct fakeapi_node *parent,
			  struct fakeapi_node *child, struct fakeapi_node *value)
{
	struct fakeapi_node *before = NULL;

	if (tree->code != BASE_OK || child == value)
		return;
	for (struct fakeapi_node *c = parent->first; c != child; c = c->next)
		before = c;
	value->next = child->next;
	value->key = child->key;
	value->again = child->again;
	if (before != NULL)
		before->next = value;
	else
		parent->first = value;
	if (parent->last == child)
		parent->last = value;
	child->next = NULL;
}

void fakeapi_node_set(struct fakeapi_tree *tree, struct fakeapi_node *object, struct base_str key,
		      struct fakeapi_node *value)
{
	struct fakeapi_node *present = fakeapi_node_get(object, key);

	if (tree->code != BASE_OK)
		return;
	if (present != NULL) {
		fakeapi_node_replace(tree, object, present, value);
		return;
	}
	value->key = fakeapi_tree_keep(tree, key);
	fakeapi_node_append(tree, object, value);
}

void fakeapi_node_set_text(struct fakeapi_tree *tree, struct fakeapi_node *object, const char *key,
			   struct base_str text)
{
	fakeapi_node_set(tree, object, base_str(key), fakeapi_tree_string(tree, text));
}

struct fakeapi_node *fakeapi_node_need(struct fakeapi_tree *tree, struct fakeapi_node *object,
				       const char *key)
{
	struct fakeapi_node *present = fakeapi_node_get(object, base_str(key));

	if (fakeapi_node_is_object(present))
		return present;
	present = fakeapi_tree_object(tree);
	fakeapi_node_set(tree, object, base_str(key), present);
	return present;
}

void fakeapi_node_remove(struct fakeapi_node *object, struct base_str key)
{
	struct fakeapi_node *present;

	while (object != NULL && (present = fakeapi_node_get(object, key)) != NULL)
		fakeapi_node_unlink(object, present);
}

/* ---- Reading ---- */

bool fakeapi_node_is_object(const struct fakeapi_node *node)
{
	return node != NULL && node->kind == BASE_JSON_OBJECT;
}

bool fakeapi_node_is_array(const struct fakeapi_node *node)
{
	return node != NULL && node->kind == BASE_JSON_ARRAY;
}

struct fakeapi_node *fakeapi_node_get(const struct fakeapi_node *object, struct base_str key)
{
	struct fakeapi_node *found = NULL;

	if (!fakeapi_node_is_object(object))
		return NULL;
	for (struct fakeapi_node *c = object->first; c != NULL; c = c->next) {
		if (base_str_eq(c->key, key))
			found = c;
	}
	return found;
}

struct fakeapi_node *fakeapi_node_path(const struct fakeapi_node *object, const char *path)
{
	struct base_str rest = base_str(path), head;
	const struct fakeapi_node *at = object;
	bool found = true;

	while (found && at != NULL) {
		rest = base_str_cut(rest, '.', &head, &found);
		at = fakeapi_node_get(at, head);
	}
	return (struct fakeapi_node *)at;
}

struct base_str fakeapi_node_text(const struct fakeapi_node *node)
{
	return node != NULL && node->kind == BASE_JSON_STRING ? node->text : (struct base_str){0};
}

bool fakeapi_node_is(const struct fakeapi_node *node, const char *text)
{
	return node != NULL && node->kind == BASE_JSON_STRING && base_str_is(node->text, text);
}

bool fakeapi_node_number(const struct fakeapi_node *node, int64_t *number)
{
	return node != NULL && node->kind == BASE_JSON_NUMBER && base_str_i64(node->text, number);
}

bool fakeapi_node_true(const struct fakeapi_node *node)
{
	return node != NULL && node->kind == BASE_JSON_TRUE;
}

size_t fakeapi_node_count(const struct fakeapi_node *node)
{
	size_t count = 0;

	for (const struct fakeapi_node *c = node != NULL ? node->first : NULL; c != NULL;
	     c = c->next)
		count++;
	return count;
}

bool fakeapi_node_void(const struct fakeapi_node *node)
{
	if (node == NULL || node->kind == BASE_JSON_NULL || node->kind == BASE_JSON_NONE)
		return true;
	if (node->kind == BASE_JSON_STRING)
		return node->text.len == 0;
	return (node->kind == BASE_JSON_OBJECT || node->kind == BASE_JSON_ARRAY) &&
	       node->first == NULL;
}

bool fakeapi_node_equal(const struct fakeapi_node *a, const struct fakeapi_node *b)
{
	const struct fakeapi_node *y;

	if (a == NULL || b == NULL)
		return a == b;
	if (a->kind != b->kind || !base_str_eq(a->text, b->text) ||
	    fakeapi_node_count(a) != fakeapi_node_count(b))
		return false;
	y = b->first;
	for (const struct fakeapi_node *x = a->first; x != NULL; x = x->next, y = y->next) {
		const struct fakeapi_node *other = y;

		if (a->kind == BASE_JSON_OBJECT && !base_str_eq(x->key, y->key))
			other = fakeapi_node_get(b, x->key);
		if (!fakeapi_node_equal(x, other))
			return false;
	}
	return true;
}

/* ---- Writing ---- */

static int by_key(const void *a, const void *b)
{
	const struct fakeapi_node *const *x = a, *const *y = b;

	return base_str_cmp((*x)->key, (*y)->key);
}

void fakeapi_node_sort(struct fakeapi_tree *tree, struct fakeapi_node *object)
{
	size_t count = fakeapi_node_count(object), i = 0;
	struct fakeapi_node **list;

	if (count < 2)
		return;
	list = take(tree, count * sizeof(struct fakeapi_node *));
	if (list == NULL)
		return;
	for (struct fakeapi_node *c = object->first; c != NULL; c = c->next)
		list[i++] = c;
	qsort(list, count, sizeof(struct fakeapi_node *), by_key);
	object->first = object->last = NULL;
	for (i = 0; i < count; i++)
		fakeapi_node_append(tree, object, list[i]);
}

static enum base_code write_nested(const struct fakeapi_node *node, bool sorted,
				   struct base_buf *out)
{
	bool object = node->kind == BASE_JSON_OBJECT, first = true;
	enum base_code code = base_buf_char(out, object ? '{' : '[');

	for (const struct fakeapi_node *c = node->first; c != NULL && code == BASE_OK;
	     c = c->next) {
		if (!first)
			code = base_buf_char(out, ',');
		first = false;
		if (code == BASE_OK && object)
			code = fakeapi_json_string(out, c->key);
		if (code == BASE_OK && object)
			code = base_buf_char(out, ':');
		if (code == BASE_OK)
			code = fakeapi_node_write(c, sorted, out);
	}
	return code == BASE_OK ? base_buf_char(out, object ? '}' : ']') : code;
}

static enum base_code write_sorted(const struct fakeapi_node *node, struct base_buf *out)
{
	size_t count = fakeapi_node_count(node), i = 0;
	const struct fakeapi_node **list;
	enum base_code code = base_buf_char(out, '{');

	list = base_malloc(out->alloc, count * sizeof(struct fakeapi_node *));
	if (list == NULL)
		return BASE_ENOMEM;
	for (const struct fakeapi_node *c = node->first; c != NULL; c = c->next)
		list[i++] = c;
	qsort(list, count, sizeof(struct fakeapi_node *), by_key);
	for (i = 0; i < count && code == BASE_OK; i++) {
		if (i > 0)
			code = base_buf_char(out, ',');
		if (code == BASE_OK)
			code = fakeapi_json_string(out, list[i]->key);
		if (code == BASE_OK)
			code = base_buf_char(out, ':');
		if (code == BASE_OK)
			code = fakeapi_node_write(list[i], true, out);
	}
	base_free(out->alloc, list);
	return code == BASE_OK ? base_buf_char(out, '}') : code;
}

enum base_code fakeapi_node_write(const struct fakeapi_node *node, bool sorted,
				  struct base_buf *out)
{
	switch (node->kind) {
	case BASE_JSON_OBJECT:
		return sorted ? write_sorted(node, out) : write_nested(node, sorted, out);
	case BASE_JSON_ARRAY: return write_nested(node, sorted, out);
	case BASE_JSON_STRING: return fakeapi_json_string(out, node->text);
	case BASE_JSON_NUMBER: return base_buf_str(out, node->text);
	case BASE_JSON_TRUE: return base_buf_text(out, "true");
	case BASE_JSON_FALSE: return base_buf_text(out, "false");
	case BASE_JSON_NULL:
	case BASE_JSON_NONE: break;
	}
	return base_buf_text(out, "null");
}

struct base_str fakeapi_node_json(struct fakeapi_tree *tree, const struct fakeapi_node *node,
				  bool sorted)
{
	struct base_buf out;
	struct base_str text = {0};
	enum base_code code;

	base_buf_init(&out, tree->alloc, BASE_BUF_MAX_DEFAULT);
	code = fakeapi_node_write(node, sorted, &out);
	if (code == BASE_OK)
		text = fakeapi_tree_keep(tree, base_buf_peek(&out));
	else
		fail(tree, code);
	base_buf_release(&out);
	return text;
}

struct base_str fakeapi_node_go_text(struct fakeapi_tree *tree, const struct fakeapi_node *node)
{
	struct fakeapi_node *sorted;
	struct base_str text = {0};
	bool map = node->kind == BASE_JSON_OBJECT;

	if (node->kind == BASE_JSON_NULL)
		return BASE_STR("<nil>");
	if (!map && node->kind != BASE_JSON_ARRAY)
		return node->text;
	sorted = fakeapi_tree_copy(tree, node);
	if (map)
		fakeapi_node_sort(tree, sorted);
	for (const struct fakeapi_node *c = sorted->first; c != NULL; c = c->next)
		text = fakeapi_tree_text(tree, "%.*s%s%.*s%s%.*s", BASE_STR_ARG(text),
					 text.len > 0 ? " " : "", BASE_STR_ARG(c->key),
					 map ? ":" : "",
					 BASE_STR_ARG(fakeapi_node_go_text(tree, c)));
	return fakeapi_tree_text(tree, "%s[%.*s]", map ? "map" : "", BASE_STR_ARG(text));
}
