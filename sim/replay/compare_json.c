/* JSON bodies as structures. Key order does not decide. */
#include <cjson/cJSON.h>

#include "base/json_tree.h"
#include "sim/fatal.h"
#include "sim/replay/map.h"

#define ABSENT BASE_STR("(absent)")
#define DRAWN_LEN 5 /* letters behind a generateName */
#define AGE_SLACK_S 2

/* Where a value stands, as far as it matters. */
enum spot {
	SPOT_VALUE,
	SPOT_LIST_META,   /* the metadata of a list, a table, a bookmark, a Status */
	SPOT_OBJECT_META, /* of an object */
	SPOT_CELL,        /* of a table's row */
	SPOT_MANAGER,     /* an entry of managedFields */
};

static void tree(struct replay_place *place, const cJSON *a, const cJSON *b, const char *key,
		 enum spot spot);

static const cJSON *get(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *text(const cJSON *node)
{
	return cJSON_IsString(node) ? node->valuestring : "";
}

static void print(const cJSON *node, struct base_buf *out)
{
	base_buf_init(out, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_json_tree_print(node, false, out));
}

static void differs(struct replay_place *place, const cJSON *a, const cJSON *b)
{
	struct base_buf left, right;

	base_buf_init(&left, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&right, NULL, BASE_BUF_MAX_DEFAULT);
	if (a != NULL)
		print(a, &left);
	if (b != NULL)
		print(b, &right);
	replay_differs(place, a != NULL ? base_buf_peek(&left) : ABSENT,
		       b != NULL ? base_buf_peek(&right) : ABSENT);
	base_buf_release(&left);
	base_buf_release(&right);
}

static void push_key(struct replay_place *place, const char *key)
{
	bool plain = key[0] != '\0';

	for (const char *c = key; *c != '\0'; c++)
		plain = plain && ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
				  (*c >= '0' && *c <= '9') || *c == '_' || *c == '-');
	sim_must(base_buf_printf(&place->path, plain ? ".%s" : "['%s']", key));
}

static void pop(struct replay_place *place, size_t len)
{
	place->path.len = len;
	place->path.ptr[len] = '\0';
}

/* ---- Special strings ---- */

static void revision(struct replay_place *place, const cJSON *a, const cJSON *b, enum spot spot)
{
	uint64_t recorded, got;
	const char *why = NULL;
	struct base_buf note;

	if (!base_str_u64(base_str(a->valuestring), &recorded) ||
	    !base_str_u64(base_str(b->valuestring), &got)) {
		if (strcmp(a->valuestring, b->valuestring) != 0)
			differs(place, a, b);
		return;
	}
	if (replay_map_rv(place->map, recorded, got,
			  spot == SPOT_OBJECT_META ? REPLAY_RV_OBJECT : REPLAY_RV_LIST, &why))
		return;
	base_buf_init(&note, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(&note, "\"%s\": %s", b->valuestring, why));
	replay_differs(place, base_str(a->valuestring), base_buf_peek(&note));
	base_buf_release(&note);
}

static bool same_token(struct replay_place *place, struct base_str a, struct base_str b)
{
	struct base_buf left, right;
	struct base_str value_a, value_b;
	bool same = false;

	base_buf_init(&left, NULL, BASE_BUF_MAX_DEFAULT);
	base_buf_init(&right, NULL, BASE_BUF_MAX_DEFAULT);
	if (replay_base64(a, &left) && replay_base64(b, &right) &&
	    base_json_check(base_buf_peek(&left), &value_a, NULL, NULL) == BASE_OK &&
	    base_json_check(base_buf_peek(&right), &value_b, NULL, NULL) == BASE_OK) {
		const struct base_str rv_a = base_json_get(value_a, BASE_STR("rv"));
		const struct base_str rv_b = base_json_get(value_b, BASE_STR("rv"));
		uint64_t recorded, got;
		const char *why;

		same = base_str_eq(base_json_get(value_a, BASE_STR("v")),
				   base_json_get(value_b, BASE_STR("v"))) &&
		       replay_text_message(place, base_json_get(value_a, BASE_STR("start")),
					   base_json_get(value_b, BASE_STR("start")));
		if (base_str_u64(rv_a, &recorded) && base_str_u64(rv_b, &got))
			same = same &&
			       replay_map_rv(place->map, recorded, got, REPLAY_RV_LIST, &why);
		else
			same = same && base_str_eq(rv_a, rv_b);
	}
	base_buf_release(&left);
	base_buf_release(&right);
	return same;
}

static void show_token(struct base_str text, struct base_buf *out)
{
	base_buf_init(out, NULL, BASE_BUF_MAX_DEFAULT);
	if (!replay_base64(text, out)) {
		base_buf_clear(out);
		sim_must(base_buf_str(out, text));
	}
}

static void token(struct replay_place *place, struct base_str a, struct base_str b)
{
	struct base_buf left, right;

	if (base_str_eq(a, b) || same_token(place, a, b))
		return;
	show_token(a, &left);
	show_token(b, &right);
	replay_differs(place, base_buf_peek(&left), base_buf_peek(&right));
	base_buf_release(&left);
	base_buf_release(&right);
}

/* 10.96.0.1 */
static bool is_ipv4(struct base_str s)
{
	size_t dots = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '.')
			dots++;
		else if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
	}
	return dots == 3 && s.len >= 7 && s.len <= 15;
}

/* An address of a service that nobody asked for: the server drew it. */
static bool drawn_address(struct replay_place *place, struct base_str a, struct base_str b)
{
	return is_ipv4(a) && is_ipv4(b) && !replay_is_brought(place, a) &&
	       base_str_starts(a, BASE_STR("10.96.")) && base_str_starts(b, BASE_STR("10.96.")) &&
	       replay_map_same(place->map, REPLAY_SORT_DRAWN, a, b);
}

/* The first "1.2.3.4:5" in a text; empty: there is none. */
static struct base_str listening_in(struct base_str s)
{
	for (size_t start = 0; start < s.len; start++) {
		size_t host = start, end;

		while (host < s.len &&
		       (s.ptr[host] == '.' || (s.ptr[host] >= '0' && s.ptr[host] <= '9')))
			host++;
		end = host + 1;
		while (host < s.len && end < s.len && s.ptr[end] >= '0' && s.ptr[end] <= '9')
			end++;
		if (host < s.len && s.ptr[host] == ':' && end > host + 1 &&
		    is_ipv4(base_str_n(s.ptr + start, host - start)))
			return base_str_n(s.ptr + start, end - start);
		if (host > start)
			start = host - 1;
	}
	return (struct base_str){0};
}

/* A real server tells where it listens, which need not be where the recorded one did. */
static bool own_address(struct replay_place *place, struct base_str a, struct base_str b,
			const char *key)
{
	const struct base_str left = listening_in(a), right = listening_in(b);
	const size_t before_a = left.len > 0 ? (size_t)(left.ptr - a.ptr) : 0;
	const size_t before_b = right.len > 0 ? (size_t)(right.ptr - b.ptr) : 0;

	return place->map->own_writes &&
	       (strcmp(key, "serverAddress") == 0 || strcmp(key, "jwks_uri") == 0) &&
	       left.len > 0 && right.len > 0 &&
	       base_str_eq(base_str_take(a, before_a), base_str_take(b, before_b)) &&
	       base_str_eq(base_str_skip(a, before_a + left.len),
			   base_str_skip(b, before_b + right.len)) &&
	       replay_map_same(place->map, REPLAY_SORT_SERVER, left, right);
}

/* "5s", "2m10s", "3h", "4d2h": seconds; false: no age. */
static bool age_of(const char *text, uint64_t *seconds)
{
	static const struct {
		char unit;
		unsigned seconds;
	} units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
	size_t least = 0;

	*seconds = 0;
	if (*text == '\0')
		return false;
	while (*text != '\0') {
		uint64_t number = 0;
		size_t len = 0;

		while (text[len] >= '0' && text[len] <= '9' && len < 6)
			number = number * 10 + (uint64_t)(text[len++] - '0');
		while (least < 4 && units[least].unit != text[len])
			least++;
		if (len == 0 || least == 4)
			return false;
		*seconds += number * units[least++].seconds;
		text += len + 1;
	}
	return true;
}

/* A table shows how old an object is, by the clock. */
static bool same_age(const char *a, const char *b)
{
	uint64_t left, right;

	return age_of(a, &left) && age_of(b, &right) &&
	       (left > right ? left - right : right - left) <= AGE_SLACK_S;
}

/* The server's own manager is named after its binary, which may have the version in its name. */
static bool is_server(const char *manager)
{
	return base_str_starts(base_str(manager), BASE_STR("kube-apiserver"));
}

static bool same_name(const char *a, const char *b)
{
	return strcmp(a, b) == 0 || (is_server(a) && is_server(b));
}

static void string(struct replay_place *place, const cJSON *a, const cJSON *b, const char *key,
		   enum spot spot)
{
	const struct base_str left = base_str(a->valuestring), right = base_str(b->valuestring);

	const bool meta = spot == SPOT_LIST_META || spot == SPOT_OBJECT_META;

	if (meta && strcmp(key, "resourceVersion") == 0)
		revision(place, a, b, spot);
	else if (meta && strcmp(key, "continue") == 0)
		token(place, left, right);
	else if (spot == SPOT_MANAGER && strcmp(key, "manager") == 0 &&
		 same_name(a->valuestring, b->valuestring))
		return;
	else if (spot == SPOT_CELL && same_age(a->valuestring, b->valuestring))
		return;
	else if (strcmp(key, "message") == 0 ? !replay_text_message(place, left, right)
					     : !replay_text_value(place, left, right) &&
						       !drawn_address(place, left, right) &&
						       !own_address(place, left, right, key))
		differs(place, a, b);
}

/* A name that the server drew behind generateName: one to one from here on. */
static void drawn_name(struct replay_place *place, const cJSON *a, const cJSON *b)
{
	const struct base_str prefix = base_str(text(get(a, "generateName")));
	const struct base_str left = base_str(text(get(a, "name")));
	const struct base_str right = base_str(text(get(b, "name")));

	if (prefix.len == 0 || base_str_eq(left, right) || replay_is_brought(place, left))
		return;
	if (left.len == prefix.len + DRAWN_LEN && right.len == left.len &&
	    base_str_starts(left, prefix) && base_str_starts(right, prefix))
		(void)replay_map_same(place->map, REPLAY_SORT_DRAWN, left, right);
}

/* ---- Structures ---- */

static bool same_manager(const cJSON *a, const cJSON *b)
{
	static const char *const parts[] = {"operation", "subresource", "apiVersion"};

	if (!same_name(text(get(a, "manager")), text(get(b, "manager"))))
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(text(get(a, parts[i])), text(get(b, parts[i]))) != 0)
			return false;
	return true;
}

static const cJSON *find_manager(const cJSON *list, const cJSON *wanted)
{
	const cJSON *entry;

	cJSON_ArrayForEach(entry, list) if (same_manager(entry, wanted)) return entry;
	return NULL;
}

/* Managers are a set: their order is that of their times. */
static void managed_fields(struct replay_place *place, const cJSON *a, const cJSON *b)
{
	const size_t len = place->path.len;
	const cJSON *entry;

	cJSON_ArrayForEach(entry, a)
	{
		sim_must(base_buf_printf(&place->path, "[manager=%s,%s%s%s]",
					 text(get(entry, "manager")), text(get(entry, "operation")),
					 get(entry, "subresource") != NULL ? "," : "",
					 text(get(entry, "subresource"))));
		if (find_manager(b, entry) == NULL)
			differs(place, entry, NULL);
		else
			tree(place, entry, find_manager(b, entry), "", SPOT_MANAGER);
		pop(place, len);
	}
	cJSON_ArrayForEach(entry, b) if (find_manager(a, entry) == NULL)
		differs(place, NULL, entry);
}

static bool is_list(const cJSON *object)
{
	const struct base_str kind = base_str(text(get(object, "kind")));

	return cJSON_IsArray(get(object, "items")) || base_str_is(kind, "Status") ||
	       base_str_is(kind, "Table") || base_str_ends(kind, BASE_STR("List"));
}

static enum spot spot_of(const cJSON *parent, const char *key, const char *parent_key)
{
	if (strcmp(key, "metadata") != 0)
		return SPOT_VALUE;
	/* parent_key "!": the object of a BOOKMARK event, or what a table of one shows */
	return is_list(parent) || strcmp(parent_key, "!") == 0 ? SPOT_LIST_META : SPOT_OBJECT_META;
}

static void object(struct replay_place *place, const cJSON *a, const cJSON *b, const char *key,
		   enum spot spot)
{
	const bool bookmark = strcmp(text(get(a, "type")), "BOOKMARK") == 0;
	const size_t len = place->path.len;
	const cJSON *member;

	if (spot == SPOT_OBJECT_META)
		drawn_name(place, a, b);
	if (get(a, "cells") != NULL) /* the name may stand in them first */
		drawn_name(place, get(get(a, "object"), "metadata"),
			   get(get(b, "object"), "metadata"));
	cJSON_ArrayForEach(member, a)
	{
		const cJSON *other = get(b, member->string);
		const bool whole = strcmp(member->string, "object") == 0;
		const char *below = (bookmark && whole) ||
						    (strcmp(key, "!") == 0 &&
						     (whole || strcmp(member->string, "rows") == 0))
					    ? "!"
					    : member->string;

		push_key(place, member->string);
		if (other == NULL)
			differs(place, member, NULL);
		else if (spot == SPOT_OBJECT_META && strcmp(member->string, "managedFields") == 0 &&
			 cJSON_IsArray(member) && cJSON_IsArray(other))
			managed_fields(place, member, other);
		else
			tree(place, member, other, below,
			     spot_of(a, member->string, key) != SPOT_VALUE
				     ? spot_of(a, member->string, key)
			     : cJSON_IsString(member) ? spot
						      : SPOT_VALUE);
		pop(place, len);
	}
	cJSON_ArrayForEach(member, b)
	{
		if (get(a, member->string) != NULL)
			continue;
		push_key(place, member->string);
		differs(place, NULL, member);
		pop(place, len);
	}
}

static void array(struct replay_place *place, const cJSON *a, const cJSON *b, const char *key)
{
	const enum spot spot = strcmp(key, "cells") == 0 ? SPOT_CELL : SPOT_VALUE;
	const size_t len = place->path.len;
	const cJSON *left = a->child, *right = b->child;

	for (size_t i = 0; left != NULL || right != NULL; i++) {
		sim_must(base_buf_printf(&place->path, "[%zu]", i));
		if (left != NULL && right != NULL)
			tree(place, left, right, strcmp(key, "!") == 0 ? "!" : "", spot);
		else
			differs(place, left, right);
		pop(place, len);
		left = left != NULL ? left->next : NULL;
		right = right != NULL ? right->next : NULL;
	}
}

static int kind_of(const cJSON *node)
{
	return node->type & 0xff;
}

static void tree(struct replay_place *place, const cJSON *a, const cJSON *b, const char *key,
		 enum spot spot)
{
	if (kind_of(a) != kind_of(b))
		differs(place, a, b);
	else if (cJSON_IsObject(a))
		object(place, a, b, key, spot);
	else if (cJSON_IsArray(a))
		array(place, a, b, key);
	else if (cJSON_IsString(a))
		string(place, a, b, key, spot);
	else if (!base_json_tree_equal(a, b))
		differs(place, a, b);
}

void replay_json(struct replay_place *place, struct base_str recorded, struct base_str got)
{
	cJSON *a = base_json_tree(recorded), *b = base_json_tree(got);

	if (a == NULL || b == NULL)
		sim_fatal("no memory to compare");
	tree(place, a, b, "", SPOT_VALUE);
	cJSON_Delete(a);
	cJSON_Delete(b);
}
