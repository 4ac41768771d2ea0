/* Histories as JSON lines. */
#include <stddef.h>
#include <stdio.h>

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
_Static_assert(COUNT(text_fields) == HIST_TEXTS, "a reader has a place for each text");

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
static enum base_code read_text(struct hist_reader *reader, size_t field, struct base_str value)
{
	struct hist_record *r = &reader->record;
	struct base_buf one;
	struct base_str text;
	enum base_code code;

	base_buf_init(&one, reader->texts.alloc, BASE_BUF_MAX_DEFAULT);
	code = base_json_text(value, &one, &text);
	if (code == BASE_OK) {
		reader->at[field] = reader->texts.len;
		code = base_buf_str(&reader->texts, text);
	}
	if (code == BASE_OK) {
		struct base_str s = {.ptr = NULL, .len = text.len};

		memcpy((char *)r + text_fields[field].offset, &s, sizeof(s));
	}
	base_buf_release(&one);
	return code;
}

static enum base_code bad_kind(struct base_str word, struct base_error *error)
{
	char known[400];
	size_t len = 0;

	for (int i = 0; i < HIST_KIND_COUNT && len < sizeof(known); i++)
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i > 0 ? ", " : "",
					hist_kind_word((enum hist_kind)i));
	return base_fail(error, BASE_EINVAL, "there is no kind \"%.*s\"; there are %s",
			 word.len < 40 ? (int)word.len : 40, word.ptr, known);
}

static enum base_code read_member(struct hist_reader *reader, struct base_str key,
				  struct base_str value, struct base_error *error)
{
	struct hist_record *r = &reader->record;
	struct base_str word = {0};

	for (size_t i = 0; i < COUNT(text_fields); i++) {
		if (!base_str_is(key, text_fields[i].name))
			continue;
		if (base_json_kind_of(value) != BASE_JSON_STRING)
			return base_fail(error, BASE_EINVAL, "\"%s\" must be a text in quotes",
					 text_fields[i].name);
		return read_text(reader, i, value);
	}
	for (size_t i = 0; i < COUNT(flag_words); i++) {
		if (base_str_is(key, flag_words[i].name)) {
			r->flags |= flag_words[i].flag;
			return BASE_OK;
		}
	}
	base_json_plain_text(value, &word);
	if (base_str_is(key, "t_ns") || base_str_is(key, "request") || base_str_is(key, "number")) {
		uint64_t *number = base_str_is(key, "t_ns")      ? &r->t_ns
				   : base_str_is(key, "request") ? &r->request
								 : &r->number;

		return read_u64(value, number)
			       ? BASE_OK
			       : base_fail(error, BASE_EINVAL,
					   "\"%.*s\" must be a whole number that is not negative",
					   BASE_STR_ARG(key));
	}
	if (base_str_is(key, "source"))
		return read_source(word, &r->source)
			       ? BASE_OK
			       : base_fail(error, BASE_EINVAL,
					   "\"source\" must be client, server, network, harness or "
					   "observer");
	if (base_str_is(key, "kind"))
		return hist_kind_find(word, &r->kind) ? BASE_OK : bad_kind(word, error);
	return base_fail(error, BASE_EINVAL, "a record has no member \"%.*s\"",
			 key.len < 80 ? (int)key.len : 80, key.ptr);
}

/* The bytes of text fields stand still now. */
static void place_texts(struct hist_reader *reader)
{
	for (size_t i = 0; i < COUNT(text_fields); i++) {
		struct base_str s;

		memcpy(&s, (char *)&reader->record + text_fields[i].offset, sizeof(s));
		if (s.len == 0)
			continue;
		s.ptr = reader->texts.ptr + reader->at[i];
		memcpy((char *)&reader->record + text_fields[i].offset, &s, sizeof(s));
	}
}

/* A line of JSON; the place of what is wrong goes to reader->column. */
static enum base_code check_line(struct hist_reader *reader, struct base_str line,
				 struct base_str *value, struct base_error *error)
{
	struct base_json_odd odd = {0};
	struct base_json_scan scan;
	size_t used = 0;

	reader->column = 1;
	if (base_json_check(line, value, &odd, error) == BASE_OK)
		return base_json_kind_of(*value) == BASE_JSON_OBJECT
			       ? BASE_OK
			       : base_fail(error, BASE_EINVAL,
					   "not an object: a record is {\"t_ns\":…,\"source\":…,"
					   "\"kind\":…}");
	base_json_scan_reset(&scan);
	scan.outline = NULL;
	reader->cut = base_json_scan_feed(&scan, line.ptr, line.len, &used) == BASE_JSON_NEED_MORE;
	reader->column = used + 1;
	return base_fail(error, BASE_EINVAL, "%s",
			 reader->cut           ? "the line ends in the middle of a record"
			 : scan.reason != NULL ? scan.reason
					       : "something follows the record");
}

static enum base_code read_record(struct hist_reader *reader, struct base_str line,
				  struct base_error *error)
{
	struct base_json_iter it;
	struct base_str value;
	bool has_kind = false, has_source = false;

	BASE_TRY(check_line(reader, line, &value, error));
	base_json_iter_init(&it, value);
	while (base_json_iter_next(&it)) {
		reader->column = (size_t)(it.key.ptr - line.ptr);
		BASE_TRY(read_member(reader, it.key, it.value, error));
		has_kind = has_kind || base_str_is(it.key, "kind");
		has_source = has_source || base_str_is(it.key, "source");
	}
	reader->column = 1;
	if (!has_kind || !has_source)
		return base_fail(error, BASE_EINVAL, "the record has no \"%s\"",
				 has_source ? "kind" : "source");
	if (reader->record.t_ns < reader->last_ns)
		return base_fail(error, BASE_EINVAL, "the time goes back, from %llu ns to %llu ns",
				 (unsigned long long)reader->last_ns,
				 (unsigned long long)reader->record.t_ns);
	reader->last_ns = reader->record.t_ns;
	place_texts(reader);
	return BASE_OK;
}

static enum base_code read_header(struct hist_reader *reader, struct base_str line,
				  struct base_error *error)
{
	struct base_str value;
	int64_t version = 0;

	BASE_TRY(check_line(reader, line, &value, error));
	if (!base_json_i64(base_json_get(value, BASE_STR("relist")), &version) ||
	    base_json_kind_of(base_json_get(value, BASE_STR("history"))) != BASE_JSON_TRUE)
		return base_fail(error, BASE_EINVAL,
				 "not a history: its first line would be "
				 "{\"relist\":%d,\"history\":true}",
				 HIST_FORMAT_VERSION);
	if (version != HIST_FORMAT_VERSION)
		return base_fail(error, BASE_EINVAL, "format version %lld, this reads %d",
				 (long long)version, HIST_FORMAT_VERSION);
	return BASE_OK;
}

void hist_reader_init(struct hist_reader *reader, const struct base_alloc *alloc)
{
	memset(reader, 0, sizeof(*reader));
	base_buf_init(&reader->texts, alloc, BASE_BUF_MAX_DEFAULT);
}

void hist_reader_release(struct hist_reader *reader)
{
	base_buf_release(&reader->texts);
}

enum base_code hist_reader_line(struct hist_reader *reader, struct base_str line,
				const struct hist_record **record, struct base_error *error)
{
	enum base_code code;

	reader->line++;
	reader->cut = false;
	*record = NULL;
	if (base_str_trim(line).len == 0)
		return BASE_OK;
	memset(&reader->record, 0, sizeof(reader->record));
	base_buf_clear(&reader->texts);
	if (!reader->has_head) {
		code = read_header(reader, line, error);
		reader->has_head = code == BASE_OK;
	} else {
		code = read_record(reader, line, error);
		*record = code == BASE_OK ? &reader->record : NULL;
	}
	if (code != BASE_OK && error != NULL && error->code == BASE_OK)
		base_fail(error, code, "%s", base_code_word(code));
	return code;
}

static enum base_code read_lines(struct hist_reader *reader, struct hist *hist,
				 struct base_str text, struct base_error *error)
{
	while (text.len > 0) {
		const struct hist_record *record;
		struct base_str line;
		enum base_code code;
		bool found;

		text = base_str_cut(text, '\n', &line, &found);
		code = hist_reader_line(reader, line, &record, error);
		if (code == BASE_OK && record != NULL)
			code = hist_append(hist, record);
		if (code != BASE_OK)
			return code;
	}
	return reader->has_head ? BASE_OK : base_fail(error, BASE_EINVAL, "empty");
}

enum base_code hist_read_jsonl(struct hist *hist, struct base_str text, struct base_error *error)
{
	struct hist_reader reader;
	enum base_code code;

	hist_reader_init(&reader, NULL);
	code = read_lines(&reader, hist, text, error);
	if (code != BASE_OK && error != NULL && error->code == BASE_OK)
		base_fail(error, code, "%s", base_code_word(code));
	if (code != BASE_OK)
		base_wrap(error, "line %zu, column %zu", reader.line > 0 ? reader.line : 1,
			  reader.column > 0 ? reader.column : 1);
	hist_reader_release(&reader);
	return code;
}
