/* Histories as JSON lines. */
#include <stddef.h>

#include "base/json.h"
#include "sim/history/history.h"

static const struct {
	const char *name;
	size_t offset;
} text_fields[] = {
#define FIELD(name) {#name, offsetof(struct hist_record, name)},
	FIELD(actor) FIELD(handler) FIELD(key) FIELD(uid) FIELD(rv) FIELD(old_rv) FIELD(seen)
		FIELD(method) FIELD(path) FIELD(query) FIELD(reason) FIELD(from) FIELD(to)
			FIELD(text)
#undef FIELD
};

static const struct {
	const char *name;
	uint32_t flag;
} flag_words[] = {
	{"initial", HIST_INITIAL},          {"tombstone", HIST_TOMBSTONE},
	{"endBookmark", HIST_END_BOOKMARK}, {"meanwhile", HIST_MEANWHILE},
	{"noObject", HIST_NO_OBJECT},
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

enum base_code hist_write_line(const struct hist_record *r, struct base_buf *out)
{
	BASE_TRY(base_buf_printf(out, "{\"t_ns\":%llu,\"source\":\"%s\",\"kind\":\"%s\"",
				 (unsigned long long)r->t_ns, hist_source_word(r->source),
				 hist_kind_word(r->kind)));
	if (r->request != 0)
		BASE_TRY(base_buf_printf(out, ",\"request\":%llu", (unsigned long long)r->request));
	for (size_t i = 0; i < COUNT(text_fields); i++) {
		struct base_str s;

		memcpy(&s, (const char *)r + text_fields[i].offset, sizeof(s));
		if (s.len == 0)
			continue;
		BASE_TRY(base_buf_printf(out, ",\"%s\":", text_fields[i].name));
		BASE_TRY(base_buf_json_string(out, s));
	}
	if (r->number != 0)
		BASE_TRY(base_buf_printf(out, ",\"number\":%llu", (unsigned long long)r->number));
	for (size_t i = 0; i < COUNT(flag_words); i++)
		if (r->flags & flag_words[i].flag)
			BASE_TRY(base_buf_printf(out, ",\"%s\":true", flag_words[i].name));
	return base_buf_text(out, "}\n");
}

enum base_code hist_write_head(struct base_buf *out)
{
	return base_buf_printf(out, "{\"relist\":%d,\"history\":true}\n", HIST_FORMAT_VERSION);
}

enum base_code hist_write_jsonl(const struct hist *hist, struct base_buf *out)
{
	BASE_TRY(hist_write_head(out));
	for (size_t i = 0; i < hist_count(hist); i++)
		BASE_TRY(hist_write_line(hist_at(hist, i), out));
	return BASE_OK;
}

/* Numbers are unsigned 64 bit, which base_json_i64 does not cover. */
static bool read_u64(struct base_str value, uint64_t *out)
{
	return base_json_kind_of(value) == BASE_JSON_NUMBER && base_str_u64(value, out);
}

static bool read_source(struct base_str word, enum hist_source *source)
{
	for (int i = 0; i <= HIST_OBSERVER; i++) {
		if (base_str_is(word, hist_source_word((enum hist_source)i))) {
			*source = (enum hist_source)i;
			return true;
		}
	}
	return false;
}

/* Sets one text field, its bytes kept in `texts` by offset (the buffer may move). */
static enum base_code read_text(struct hist_record *r, size_t offset, struct base_str value,
				struct base_buf *texts, size_t *at)
{
	struct base_buf one;
	struct base_str text;
	enum base_code code;

	base_buf_init(&one, texts->alloc, BASE_BUF_MAX_DEFAULT);
	code = base_json_text(value, &one, &text);
	if (code == BASE_OK) {
		*at = texts->len;
		code = base_buf_str(texts, text);
	}
	if (code == BASE_OK) {
		struct base_str s = {.ptr = NULL, .len = text.len};

		memcpy((char *)r + offset, &s, sizeof(s));
	}
	base_buf_release(&one);
	return code;
}

struct record_reader {
	struct hist_record record;
	struct base_buf texts;
	size_t at[COUNT(text_fields)];
};

static enum base_code read_member(struct record_reader *rd, struct base_str key,
				  struct base_str value, struct base_error *error)
{
	struct base_str word = {0};

	for (size_t i = 0; i < COUNT(text_fields); i++)
		if (base_str_is(key, text_fields[i].name))
			return read_text(&rd->record, text_fields[i].offset, value, &rd->texts,
					 &rd->at[i]);
	for (size_t i = 0; i < COUNT(flag_words); i++) {
		if (base_str_is(key, flag_words[i].name)) {
			rd->record.flags |= flag_words[i].flag;
			return BASE_OK;
		}
	}
	base_json_plain_text(value, &word);
	if ((base_str_is(key, "t_ns") && read_u64(value, &rd->record.t_ns)) ||
	    (base_str_is(key, "request") && read_u64(value, &rd->record.request)) ||
	    (base_str_is(key, "number") && read_u64(value, &rd->record.number)) ||
	    (base_str_is(key, "source") && read_source(word, &rd->record.source)) ||
	    (base_str_is(key, "kind") && hist_kind_find(word, &rd->record.kind)))
		return BASE_OK;
	return base_fail(error, BASE_EINVAL, "bad member \"%.*s\"", BASE_STR_ARG(key));
}

static enum base_code read_record(struct hist *hist, struct base_str line, struct base_error *error)
{
	struct record_reader rd;
	struct base_json_odd odd = {0};
	struct base_json_iter it;
	struct base_str value;
	enum base_code code;

	BASE_TRY(base_json_check(line, &value, &odd, error));
	memset(&rd, 0, sizeof(rd));
	base_buf_init(&rd.texts, NULL, BASE_BUF_MAX_DEFAULT);
	code = base_json_kind_of(value) == BASE_JSON_OBJECT
		       ? BASE_OK
		       : base_fail(error, BASE_EINVAL, "not an object");
	base_json_iter_init(&it, value);
	while (code == BASE_OK && base_json_iter_next(&it))
		code = read_member(&rd, it.key, it.value, error);
	for (size_t i = 0; code == BASE_OK && i < COUNT(text_fields); i++) {
		struct base_str s;

		memcpy(&s, (char *)&rd.record + text_fields[i].offset, sizeof(s));
		if (s.len == 0)
			continue;
		s.ptr = rd.texts.ptr + rd.at[i];
		memcpy((char *)&rd.record + text_fields[i].offset, &s, sizeof(s));
	}
	if (code == BASE_OK)
		code = hist_append(hist, &rd.record);
	base_buf_release(&rd.texts);
	return code;
}

static enum base_code read_header(struct base_str line, struct base_error *error)
{
	struct base_json_odd odd = {0};
	struct base_str value;
	int64_t version = 0;

	BASE_TRY(base_json_check(line, &value, &odd, error));
	if (!base_json_i64(base_json_get(value, BASE_STR("relist")), &version) ||
	    base_json_kind_of(base_json_get(value, BASE_STR("history"))) != BASE_JSON_TRUE)
		return base_fail(error, BASE_EINVAL, "not a history");
	if (version != HIST_FORMAT_VERSION)
		return base_fail(error, BASE_EINVAL, "format version %lld, this reads %d",
				 (long long)version, HIST_FORMAT_VERSION);
	return BASE_OK;
}

enum base_code hist_read_jsonl(struct hist *hist, struct base_str text, struct base_error *error)
{
	size_t number = 0;

	while (text.len > 0) {
		struct base_str line;
		bool found;
		enum base_code code;

		text = base_str_cut(text, '\n', &line, &found);
		if (base_str_trim(line).len == 0)
			continue;
		number++;
		code = number == 1 ? read_header(line, error) : read_record(hist, line, error);
		if (code != BASE_OK) {
			if (error != NULL && error->code == BASE_OK)
				base_fail(error, code, "%s", base_code_word(code));
			base_wrap(error, "line %zu", number);
			return code;
		}
	}
	return number > 0 ? BASE_OK : base_fail(error, BASE_EINVAL, "line 1: empty");
}
