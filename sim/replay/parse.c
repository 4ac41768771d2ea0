/* Reads a recording: JSON Lines to entries. Texts live as long as the recording. */
#include "sim/replay/replay.h"

#include <stdlib.h>

#include "base/base64.h"
#include "base/json.h"
#include "sim/fatal.h"

#define BODY_MAX ((size_t)1 << 28)

struct parser {
	struct replay_recording *r;
	size_t line, cap;
	struct base_str value; /* the present line */
	struct base_error *error;
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool replay_name_is(struct base_str name, const char *word)
{
	size_t i = 0;

	for (; i < name.len && word[i] != '\0'; i++)
		if (lower(name.ptr[i]) != lower(word[i]))
			return false;
	return i == name.len && word[i] == '\0';
}

const struct replay_header *replay_header_find(const struct replay_headers *headers,
					       const char *name)
{
	for (size_t i = 0; i < headers->count; i++)
		if (replay_name_is(headers->list[i].name, name))
			return &headers->list[i];
	return NULL;
}

bool replay_is_periodic_bookmark(struct base_str line)
{
	/* The mark stands in the object's annotations, or in those of a table's row. */
	return base_str_find(line, BASE_STR("\"BOOKMARK\"")) != SIZE_MAX &&
	       base_json_check(line, &line, NULL, NULL) == BASE_OK &&
	       base_str_is(base_json_get(line, BASE_STR("type")), "\"BOOKMARK\"") &&
	       base_str_find(line, BASE_STR("k8s.io/initial-events-end")) == SIZE_MAX;
}

/* ---- Texts ---- */

static struct base_str keep(struct replay_recording *r, struct base_buf *text)
{
	size_t len = text->len;
	char *ptr = base_buf_take(text, &len);

	if (ptr == NULL)
		return BASE_STR("");
	if (r->text_count == r->text_cap) {
		r->text_cap = r->text_cap == 0 ? 64 : r->text_cap * 2;
		r->texts = sim_realloc(r->texts, r->text_cap * sizeof(*r->texts));
	}
	r->texts[r->text_count++] = ptr;
	return base_str_n(ptr, len);
}

/* The text of a string value; empty for anything else. */
static struct base_str text_of(struct parser *p, struct base_str value)
{
	struct base_buf buf;
	struct base_str out = {0};

	base_buf_init(&buf, NULL, BODY_MAX);
	if (base_json_kind_of(value) != BASE_JSON_STRING ||
	    base_json_text(value, &buf, &out) != BASE_OK)
		out = BASE_STR("");
	else if (buf.len > 0)
		out = keep(p->r, &buf);
	base_buf_release(&buf);
	return out;
}

static struct base_str member(struct parser *p, const char *name)
{
	return base_json_get(p->value, base_str(name));
}

static struct base_str text_member(struct parser *p, const char *name)
{
	return text_of(p, member(p, name));
}

static uint64_t number_of(struct base_str value)
{
	int64_t number = 0;

	return base_json_i64(value, &number) && number > 0 ? (uint64_t)number : 0;
}

bool replay_base64(struct base_str text, struct base_buf *out)
{
	const enum base_code code = base_base64_decode(text, out);

	if (code != BASE_EINVAL)
		sim_must(code);
	return code == BASE_OK;
}

/* ---- Entries ---- */

static struct replay_headers headers_of(struct parser *p, struct base_str value)
{
	struct replay_headers headers = {0};
	struct base_json_iter it, pair;
	size_t count = 0;

	base_json_iter_init(&it, value);
	while (base_json_iter_next(&it))
		count++;
	headers.list = sim_calloc(count + 1, sizeof(*headers.list));
	base_json_iter_init(&it, value);
	while (base_json_iter_next(&it)) {
		struct replay_header *header = &headers.list[headers.count];

		base_json_iter_init(&pair, it.value);
		if (!base_json_iter_next(&pair))
			continue;
		header->name = text_of(p, pair.value);
		if (!base_json_iter_next(&pair))
			continue;
		header->absent = base_json_kind_of(pair.value) == BASE_JSON_NULL;
		header->value = text_of(p, pair.value);
		headers.count++;
	}
	return headers;
}

static enum base_code answer_of(struct parser *p, struct base_str value, struct replay_answer *out)
{
	struct base_str body = base_json_get(value, BASE_STR("body"));
	struct base_str coded = base_json_get(value, BASE_STR("body_base64"));
	struct base_buf bytes;

	out->status = (int)number_of(base_json_get(value, BASE_STR("status")));
	out->after_ms = number_of(base_json_get(value, BASE_STR("after_ms")));
	out->headers = headers_of(p, base_json_get(value, BASE_STR("headers")));
	out->error = text_of(p, base_json_get(value, BASE_STR("error")));
	out->has_body = body.len > 0 || coded.len > 0;
	out->body = text_of(p, body);
	if (coded.len == 0)
		return BASE_OK;
	base_buf_init(&bytes, NULL, BODY_MAX);
	if (!replay_base64(text_of(p, coded), &bytes)) {
		base_buf_release(&bytes);
		return base_fail(p->error, BASE_EINVAL, "body_base64 is no base64");
	}
	out->body = keep(p->r, &bytes);
	base_buf_release(&bytes);
	return BASE_OK;
}

static enum base_code exchange_of(struct parser *p, struct replay_entry *entry)
{
	struct base_str request = member(p, "request");
	struct base_str body = base_json_get(request, BASE_STR("body"));

	entry->kind = REPLAY_EXCHANGE;
	entry->step = text_member(p, "step");
	entry->stream = base_str_is(member(p, "stream"), "true");
	entry->method = text_of(p, base_json_get(request, BASE_STR("method")));
	entry->target = text_of(p, base_json_get(request, BASE_STR("target")));
	entry->headers = headers_of(p, base_json_get(request, BASE_STR("headers")));
	entry->body = text_of(p, body);
	entry->has_body = base_json_kind_of(body) == BASE_JSON_STRING;
	if (entry->step.len == 0 || entry->method.len == 0 || entry->target.len == 0)
		return base_fail(p->error, BASE_EINVAL,
				 "an exchange needs step, method and target");
	return answer_of(p, member(p, "response"), &entry->answer);
}

/* A list of texts; NULL: none. */
static struct base_str *flags_of(struct parser *p, struct base_str flags, size_t *out)
{
	struct base_str *list;
	struct base_json_iter it;
	size_t count = 0;

	*out = 0;
	base_json_iter_init(&it, flags);
	while (base_json_iter_next(&it))
		count++;
	if (count == 0)
		return NULL;
	list = sim_calloc(count, sizeof(*list));
	base_json_iter_init(&it, flags);
	while (base_json_iter_next(&it))
		list[(*out)++] = text_of(p, it.value);
	return list;
}

static void await_of(struct parser *p, struct replay_entry *entry)
{
	entry->step = text_member(p, "await");
	if (member(p, "lines").len > 0) {
		entry->kind = REPLAY_AWAIT_LINES;
		entry->number = number_of(member(p, "lines"));
		entry->got = number_of(member(p, "got"));
	} else {
		entry->kind = REPLAY_AWAIT_END;
		entry->got = base_str_is(member(p, "end"), "true");
	}
}

static void stream_of(struct parser *p, struct replay_entry *entry)
{
	static const struct {
		const char *name;
		enum replay_kind kind;
	} kinds[] = {{"line", REPLAY_LINE}, {"partial", REPLAY_PARTIAL}, {"end", REPLAY_END}};

	entry->step = text_member(p, "from");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (member(p, kinds[i].name).len > 0) {
			entry->kind = kinds[i].kind;
			entry->text = text_member(p, kinds[i].name);
		}
}

static enum base_code entry_of(struct parser *p, struct replay_entry *entry)
{
	entry->line = p->line;
	entry->source = SIZE_MAX;
	entry->kind = REPLAY_NOTE;
	entry->has_at = member(p, "at_ms").len > 0;
	entry->at_ms = number_of(member(p, "at_ms"));
	if (member(p, "request").len > 0)
		return exchange_of(p, entry);
	if (member(p, "let").len > 0) {
		entry->kind = REPLAY_LET;
		entry->name = text_member(p, "let");
		entry->step = text_member(p, "from");
		entry->text = text_member(p, "path");
		entry->number = number_of(member(p, "line"));
	} else if (member(p, "from").len > 0) {
		stream_of(p, entry);
	} else if (member(p, "await").len > 0) {
		await_of(p, entry);
	} else if (member(p, "sleep_ms").len > 0) {
		entry->kind = REPLAY_SLEEP;
		entry->number = number_of(member(p, "sleep_ms"));
	} else if (member(p, "close").len > 0) {
		entry->kind = REPLAY_CLOSE;
		entry->step = text_member(p, "close");
	} else if (member(p, "await_served").len > 0) {
		entry->kind = REPLAY_AWAIT_SERVED;
		entry->text = text_member(p, "await_served");
	} else if (member(p, "admin").len > 0) {
		entry->kind = REPLAY_ADMIN;
		entry->text = text_member(p, "admin");
		entry->name = text_member(p, "revision");
		entry->flags = flags_of(p, member(p, "flags"), &entry->flag_count);
	} else if (member(p, "bulk").len > 0) {
		entry->kind = REPLAY_BULK;
		entry->target = text_member(p, "target");
		entry->text = text_member(p, "names");
		entry->number = number_of(member(p, "count"));
	} else if (member(p, "note").len == 0) {
		return base_fail(p->error, BASE_EINVAL, "a line of no known kind");
	}
	return BASE_OK;
}

static size_t find_step(const struct replay_recording *r, struct base_str step)
{
	for (size_t i = r->count; i > 0; i--)
		if (r->entries[i - 1].kind == REPLAY_EXCHANGE &&
		    base_str_eq(r->entries[i - 1].step, step))
			return i - 1;
	return SIZE_MAX;
}

static bool needs_source(enum replay_kind kind)
{
	return kind == REPLAY_LINE || kind == REPLAY_PARTIAL || kind == REPLAY_END ||
	       kind == REPLAY_LET || kind == REPLAY_AWAIT_LINES || kind == REPLAY_AWAIT_END ||
	       kind == REPLAY_CLOSE;
}

static enum base_code add_entry(struct parser *p)
{
	struct replay_recording *r = p->r;
	struct replay_entry *entry;
	enum base_code code;

	if (r->count == p->cap) {
		p->cap = p->cap == 0 ? 64 : p->cap * 2;
		r->entries = sim_realloc(r->entries, p->cap * sizeof(*r->entries));
	}
	entry = &r->entries[r->count];
	memset(entry, 0, sizeof(*entry));
	code = entry_of(p, entry);
	if (code == BASE_OK && needs_source(entry->kind)) {
		entry->source = find_step(r, entry->step);
		if (entry->source == SIZE_MAX)
			code = base_fail(p->error, BASE_EINVAL, "no step \"%.*s\" before it",
					 BASE_STR_ARG(entry->step));
	}
	r->count++; /* counted also when broken, so that it is released */
	return code;
}

static enum base_code head_of(struct parser *p)
{
	struct replay_recording *r = p->r;
	struct base_str server = member(p, "server"), rest, major, minor;
	bool found;

	r->name = text_member(p, "recording");
	r->title = text_member(p, "title");
	r->version = text_of(p, base_json_get(server, BASE_STR("kube-apiserver")));
	r->flags = flags_of(p, base_json_get(server, BASE_STR("flags")), &r->flag_count);
	if (r->name.len == 0)
		return base_fail(p->error, BASE_EINVAL, "no recording: its first line names it");
	r->minor = r->version;
	if (r->minor.len > 0 && r->minor.ptr[0] == 'v')
		r->minor = base_str_skip(r->minor, 1);
	rest = base_str_cut(r->minor, '.', &major, &found);
	base_str_cut(rest, '.', &minor, &found);
	r->minor.len = major.len + 1 + minor.len;
	if (major.len == 0 || minor.len == 0)
		return base_fail(p->error, BASE_EINVAL, "the server's version is missing");
	return BASE_OK;
}

enum base_code replay_parse(struct base_str file, struct replay_recording *out,
			    struct base_error *error)
{
	struct parser p = {.r = out, .error = error};
	struct base_str rest, line;
	enum base_code code = BASE_OK;
	bool found = true;

	memset(out, 0, sizeof(*out));
	base_buf_init(&out->file, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_str(&out->file, file));
	rest = base_buf_peek(&out->file);
	while (code == BASE_OK && rest.len > 0) {
		rest = base_str_cut(rest, '\n', &line, &found);
		p.line++;
		if (base_str_trim(line).len == 0)
			continue;
		code = base_json_check(line, &p.value, NULL, error);
		if (code == BASE_OK)
			code = out->name.len == 0 ? head_of(&p) : add_entry(&p);
	}
	if (code == BASE_OK && out->name.len == 0)
		code = base_fail(error, BASE_EINVAL, "no recording: the file is empty");
	return code == BASE_OK ? code : base_wrap(error, "line %zu", p.line);
}

void replay_recording_release(struct replay_recording *recording)
{
	for (size_t i = 0; i < recording->count; i++) {
		free(recording->entries[i].headers.list);
		free(recording->entries[i].answer.headers.list);
		free(recording->entries[i].flags);
	}
	free(recording->entries);
	free(recording->flags);
	for (size_t i = 0; i < recording->text_count; i++)
		free(recording->texts[i]);
	free(recording->texts);
	base_buf_release(&recording->file);
	memset(recording, 0, sizeof(*recording));
}
