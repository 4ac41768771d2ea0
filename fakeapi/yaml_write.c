/* JSON as YAML, as the servers' library writes it (2.6): keys in its natural order, block style, strings
 * in quotes when they would be read as something else. The layout (folding at 80 columns, which quotes)
 * is libyaml's, of which that library is a port. */
#include "fakeapi/form.h"

#include <yaml.h>

#include "base/json.h"
#include "fakeapi/yaml_scalar.h"

struct writer {
	yaml_emitter_t emitter;
	struct base_buf *out;
	struct base_buf text; /* of the string at hand */
	enum base_code code;
};

static int sink(void *ctx, unsigned char *bytes, size_t len)
{
	struct writer *w = ctx;
	if (w->code == BASE_OK)
		w->code = base_buf_append(w->out, bytes, len);
	return w->code == BASE_OK;
}

/* Without memory the library has freed the event already. */
static void emit(struct writer *w, yaml_event_t *event, int made)
{
	if (w->code == BASE_OK && !made)
		w->code = BASE_ENOMEM;
	else if (w->code == BASE_OK && !yaml_emitter_emit(&w->emitter, event))
		w->code = w->code == BASE_OK ? BASE_ENOMEM : w->code;
	else if (w->code != BASE_OK && made)
		yaml_event_delete(event);
}

static void scalar(struct writer *w, struct base_str text, yaml_scalar_style_t style)
{
	yaml_event_t event;
	static const char none[] = "";
	const char *ptr = text.len != 0 ? text.ptr : none;
	emit(w, &event,
	     yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)ptr,
					  (int)text.len, 1, 1, style));
}

static void string(struct writer *w, struct base_str text)
{
	yaml_scalar_style_t style = YAML_PLAIN_SCALAR_STYLE;
	if (base_str_find_char(text, '\n') != SIZE_MAX)
		style = YAML_LITERAL_SCALAR_STYLE;
	else if (fakeapi_yaml_resolve(text) != FAKEAPI_YAML_STRING || fakeapi_yaml_is_base60(text))
		style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
	scalar(w, text, style);
}

/* ---- Keys ---- */

struct pair {
	struct base_str key, value;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Bytes above ASCII count as letters: their order is that of the code points anyway. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* Runs of digits from i on as a number; where they end. */
static size_t number_at(struct base_str s, size_t i, uint64_t *value)
{
	for (; i < s.len && is_digit(s.ptr[i]); i++)
		*value = *value * 10 + (uint64_t)(s.ptr[i] - '0');
	return i;
}

/* Letters behind everything else, numbers by value. */
static bool key_less(struct base_str a, struct base_str b)
{
	size_t i = 0;
	while (i < a.len && i < b.len && a.ptr[i] == b.ptr[i])
		i++;
	if (i == a.len || i == b.len)
		return a.len < b.len;
	bool letter_a = is_letter(a.ptr[i]), letter_b = is_letter(b.ptr[i]);
	if (letter_a && letter_b)
		return (unsigned char)a.ptr[i] < (unsigned char)b.ptr[i];
	if (letter_a || letter_b)
		return letter_b;
	uint64_t na = 0, nb = 0;
	if (a.ptr[i] == '0' || b.ptr[i] == '0')
		for (size_t j = i; j > 0 && is_digit(a.ptr[j - 1]); j--)
			if (a.ptr[j - 1] != '0') {
				na = nb = 1;
				break;
			}
	size_t ai = number_at(a, i, &na), bi = number_at(b, i, &nb);
	if (na != nb)
		return na < nb;
	if (ai != bi)
		return ai < bi;
	return (unsigned char)a.ptr[i] < (unsigned char)b.ptr[i];
}

/* A merge sort: the order above is not transitive for all keys, and nothing may depend on the sorter. */
static void sort_pairs(struct pair *pairs, struct pair *spare, size_t count)
{
	if (count < 2)
		return;
	size_t half = count / 2, i = 0, j = half, n = 0;
	sort_pairs(pairs, spare, half);
	sort_pairs(pairs + half, spare, count - half);
	memcpy(spare, pairs, count * sizeof *pairs);
	while (i < half || j < count) {
		bool right = i == half || (j < count && key_less(spare[j].key, spare[i].key));
		pairs[n++] = right ? spare[j++] : spare[i++];
	}
}

/* ---- Values ---- */

static void value_write(struct writer *w, struct base_str value);

static void key_write(struct writer *w, struct base_str raw)
{
	struct base_str text = {0};
	base_buf_clear(&w->text);
	if (w->code == BASE_OK)
		w->code = base_json_text(raw, &w->text, &text);
	if (w->code == BASE_OK)
		string(w, text);
}

static size_t member_count(struct base_str value)
{
	struct base_json_iter it;
	size_t count = 0;
	base_json_iter_init(&it, value);
	while (base_json_iter_next(&it))
		count++;
	return count;
}

static void members_write(struct writer *w, struct base_str value)
{
	struct base_json_iter it;
	size_t count = member_count(value), n = 0;
	struct pair *pairs = base_calloc(w->out->alloc, count * 2 + 1, sizeof *pairs);
	if (pairs == NULL) {
		w->code = BASE_ENOMEM;
		return;
	}
	base_json_iter_init(&it, value);
	while (base_json_iter_next(&it))
		pairs[n++] = (struct pair){it.key, it.value};
	sort_pairs(pairs, pairs + count, count);
	for (size_t i = 0; i < count && w->code == BASE_OK; i++) {
		/* The raw key stands between its quotes. */
		key_write(w, base_str_n(pairs[i].key.ptr - 1, pairs[i].key.len + 2));
		value_write(w, pairs[i].value);
	}
	base_free(w->out->alloc, pairs);
}

static void object_write(struct writer *w, struct base_str value)
{
	yaml_event_t event;
	emit(w, &event,
	     yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE));
	if (w->code == BASE_OK)
		members_write(w, value);
	if (w->code == BASE_OK)
		emit(w, &event, yaml_mapping_end_event_initialize(&event));
}

static void array_write(struct writer *w, struct base_str value)
{
	yaml_event_t event;
	struct base_json_iter it;
	emit(w, &event,
	     yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
						  YAML_BLOCK_SEQUENCE_STYLE));
	base_json_iter_init(&it, value);
	while (w->code == BASE_OK && base_json_iter_next(&it))
		value_write(w, it.value);
	if (w->code == BASE_OK)
		emit(w, &event, yaml_sequence_end_event_initialize(&event));
}

static void value_write(struct writer *w, struct base_str value)
{
	if (w->code != BASE_OK)
		return;
	switch (base_json_kind_of(value)) {
	case BASE_JSON_OBJECT: object_write(w, value); break;
	case BASE_JSON_ARRAY: array_write(w, value); break;
	case BASE_JSON_STRING: key_write(w, value); break;
	case BASE_JSON_NONE:
	case BASE_JSON_NULL:
	case BASE_JSON_TRUE:
	case BASE_JSON_FALSE:
	case BASE_JSON_NUMBER: scalar(w, value, YAML_PLAIN_SCALAR_STYLE); break;
	}
}

enum base_code fakeapi_yaml_write(struct base_str json, struct base_buf *out)
{
	struct writer w = {.out = out};
	yaml_event_t event;
	if (!yaml_emitter_initialize(&w.emitter))
		return BASE_ENOMEM;
	base_buf_init(&w.text, out->alloc, out->max);
	yaml_emitter_set_output(&w.emitter, sink, &w);
	yaml_emitter_set_unicode(&w.emitter, 1);
	emit(&w, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
	if (w.code == BASE_OK)
		emit(&w, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1));
	value_write(&w, base_str_trim(json));
	w.emitter.open_ended = 0; /* no "..." behind a text that ends in empty lines */
	if (w.code == BASE_OK)
		emit(&w, &event, yaml_document_end_event_initialize(&event, 1));
	if (w.code == BASE_OK)
		emit(&w, &event, yaml_stream_end_event_initialize(&event));
	yaml_emitter_delete(&w.emitter);
	base_buf_release(&w.text);
	return w.code;
}
