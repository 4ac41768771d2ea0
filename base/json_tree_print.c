/* Trees back to text, and trees compared. */
#include <stdio.h>

#include "base/json_tree.h"

/* ---- Strings ---- */

/* What may not stand as it is, although it is fine for a minimal writer; NULL when it may. */
static const char *string_special(struct base_str rest, bool html, size_t *len)
{
	*len = 1;
	if (html && rest.ptr[0] == '<')
		return "\\u003c";
	if (html && rest.ptr[0] == '>')
		return "\\u003e";
	if (html && rest.ptr[0] == '&')
		return "\\u0026";
	*len = 2;
	if (base_str_starts(rest, BASE_STR("\xc0\x80")))
		return "\\u0000";
	*len = 3;
	if (html && base_str_starts(rest, BASE_STR("\xe2\x80\xa8")))
		return "\\u2028";
	if (html && base_str_starts(rest, BASE_STR("\xe2\x80\xa9")))
		return "\\u2029";
	return NULL;
}

static enum base_code print_string(struct base_buf *out, const char *text, bool html)
{
	struct base_str rest = base_str(text);
	size_t plain = 0, len = 0;
	enum base_code code = base_buf_char(out, '"');
	while (plain < rest.len && code == BASE_OK) {
		const char *special = string_special(base_str_skip(rest, plain), html, &len);
		if (special == NULL) {
			plain++;
			continue;
		}
		code = base_buf_json_escape(out, base_str_take(rest, plain));
		if (code == BASE_OK)
			code = base_buf_text(out, special);
		rest = base_str_skip(rest, plain + len);
		plain = 0;
	}
	if (code == BASE_OK)
		code = base_buf_json_escape(out, rest);
	return code == BASE_OK ? base_buf_char(out, '"') : code;
}

/* ---- Numbers that others put into a tree as doubles ---- */

#define DOUBLE_INT_MAX 9007199254740992.0 /* 2^53 */

static void number_text(double number, char *out, size_t size)
{
	bool small = number >= -DOUBLE_INT_MAX && number <= DOUBLE_INT_MAX;
	if (small && (double)(long long)number >= number && (double)(long long)number <= number)
		(void)snprintf(out, size, "%lld", (long long)number);
	else
		(void)snprintf(out, size, "%.17g", number);
}

static enum base_code print_scalar(struct base_buf *out, const cJSON *node, bool html)
{
	char number[40];
	switch (node->type & 0xff) {
	case cJSON_True: return base_buf_text(out, "true");
	case cJSON_False: return base_buf_text(out, "false");
	case cJSON_Number:
		number_text(node->valuedouble, number, sizeof number);
		return base_buf_text(out, number);
	case cJSON_String:
		return print_string(out, node->valuestring != NULL ? node->valuestring : "", html);
	case cJSON_Raw:
		return base_buf_text(out, node->valuestring != NULL ? node->valuestring : "null");
	default: return base_buf_text(out, "null");
	}
}

static bool is_container(const cJSON *node)
{
	return cJSON_IsObject(node) || cJSON_IsArray(node);
}

/* A key if the parent has them, then the value up to and including its opening bracket. */
static enum base_code print_begin(struct base_buf *out, const cJSON *node, const cJSON *parent,
				  bool html)
{
	enum base_code code = BASE_OK;
	if (parent != NULL && cJSON_IsObject(parent)) {
		code = print_string(out, node->string != NULL ? node->string : "", html);
		if (code == BASE_OK)
			code = base_buf_char(out, ':');
	}
	if (code != BASE_OK)
		return code;
	if (is_container(node))
		return base_buf_char(out, cJSON_IsObject(node) ? '{' : '[');
	return print_scalar(out, node, html);
}

static const cJSON *stack_top(const struct base_buf *stack)
{
	const cJSON *top = NULL;
	if (stack->len != 0)
		memcpy(&top, stack->ptr + stack->len - sizeof top, sizeof top);
	return top;
}

/* Closes every container whose last child was node; returns the next node to print or NULL. */
static const cJSON *print_ascend(struct base_buf *out, struct base_buf *stack, const cJSON *node,
				 enum base_code *code)
{
	while (*code == BASE_OK && stack->len != 0) {
		if (node->next != NULL) {
			*code = base_buf_char(out, ',');
			return node->next;
		}
		node = stack_top(stack);
		stack->len -= sizeof node;
		*code = base_buf_char(out, cJSON_IsObject(node) ? '}' : ']');
	}
	return NULL;
}

static enum base_code print_tree(const cJSON *node, bool html, struct base_buf *out,
				 struct base_buf *stack)
{
	enum base_code code = BASE_OK;
	while (node != NULL && code == BASE_OK) {
		code = print_begin(out, node, stack_top(stack), html);
		if (code == BASE_OK && is_container(node) && node->child != NULL) {
			code = base_buf_append(stack, &node, sizeof(const cJSON *));
			node = node->child;
			continue;
		}
		if (code == BASE_OK && is_container(node))
			code = base_buf_char(out, cJSON_IsObject(node) ? '}' : ']');
		if (code == BASE_OK)
			node = print_ascend(out, stack, node, &code);
	}
	return code;
}

enum base_code base_json_tree_print(const cJSON *tree, bool html, struct base_buf *out)
{
	struct base_buf stack;
	size_t len = out->len;
	base_buf_init(&stack, out->alloc, BASE_BUF_MAX_DEFAULT);
	enum base_code code = print_tree(tree, html, out, &stack);
	base_buf_release(&stack);
	if (code != BASE_OK) {
		out->len = len;
		if (out->ptr != NULL)
			out->ptr[len] = '\0';
	}
	return code;
}

/* ---- Equality (recursive: as deep as cJSON_Delete goes anyway) ---- */

static bool is_number(const cJSON *node)
{
	return cJSON_IsNumber(node) || cJSON_IsRaw(node);
}

static struct base_str number_of(const cJSON *node, char *scratch, size_t size)
{
	if (cJSON_IsRaw(node))
		return base_str(node->valuestring);
	number_text(node->valuedouble, scratch, size);
	return base_str(scratch);
}

static bool number_equal(const cJSON *a, const cJSON *b)
{
	char scratch_a[40], scratch_b[40];
	struct base_str text_a = number_of(a, scratch_a, sizeof scratch_a);
	struct base_str text_b = number_of(b, scratch_b, sizeof scratch_b);
	int64_t x = 0, y = 0;
	if (base_str_i64(text_a, &x) && base_str_i64(text_b, &y))
		return x == y;
	return base_str_eq(text_a, text_b);
}

/* The member of that name; near is where it stands when both objects have the same order. */
static const cJSON *member_of(const cJSON *object, const cJSON *near, const char *name)
{
	if (near != NULL && strcmp(near->string, name) == 0)
		return near;
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static bool children_equal(const cJSON *a, const cJSON *b)
{
	const cJSON *y = b->child;
	for (const cJSON *x = a->child; x != NULL; x = x->next) {
		const cJSON *other = cJSON_IsObject(a) ? member_of(b, y, x->string) : y;
		if (other == NULL || !base_json_tree_equal(x, other))
			return false;
		y = y != NULL ? y->next : NULL;
	}
	return true;
}

bool base_json_tree_equal(const cJSON *a, const cJSON *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	if (is_number(a) && is_number(b))
		return number_equal(a, b);
	if ((a->type & 0xff) != (b->type & 0xff))
		return false;
	if (cJSON_IsString(a))
		return strcmp(a->valuestring, b->valuestring) == 0;
	if (!is_container(a))
		return true;
	return cJSON_GetArraySize(a) == cJSON_GetArraySize(b) && children_equal(a, b);
}
