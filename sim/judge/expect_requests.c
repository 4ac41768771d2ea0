/* `requests:` of a step against the REQUEST records of its window. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/judge/judge.h"

struct stream {
	struct judge *judge;
	const struct scenario_requests *want;
	const struct judge_span *span;
	size_t *records; /* of the actual requests, in order */
	size_t count;
};

static bool wanted(const struct scenario_requests *want, const struct judge_request *request)
{
	if (request->informer == SIZE_MAX ||
	    (want->informer != SCENARIO_NONE && request->informer != want->informer))
		return false;
	if (want->only_lists)
		return request->kind == JUDGE_LIST;
	if (want->only_watches)
		return request->kind == JUDGE_WATCH || request->kind == JUDGE_WATCH_LIST;
	return true;
}

static void gather(struct stream *stream)
{
	const struct judge_facts *facts = &stream->judge->facts;
	stream->records = sim_calloc(hist_count(facts->hist) + 1, sizeof(*stream->records));
	for (size_t i = 0; i < hist_count(facts->hist); i++) {
		const struct hist_record *record = hist_at(facts->hist, i);
		if (record->kind == HIST_REQUEST && record->t_ns >= stream->span->begin_ns &&
		    record->t_ns <= stream->span->to_ns &&
		    wanted(stream->want, judge_request_of(facts, record->request)))
			stream->records[stream->count++] = i;
	}
}

/* ---- One request ---- */

static const char *method_of(const struct judge_request *request)
{
	switch (request->kind) {
	case JUDGE_LIST: return "LIST";
	case JUDGE_WATCH: return "WATCH";
	case JUDGE_WATCH_LIST: return "WATCHLIST";
	case JUDGE_OTHER:
	default: return "GET";
	}
}

/* Parameters that every request of its kind has, and the informer's own selectors. */
static bool is_given(const struct judge_request *request, struct base_str name)
{
	static const char *const always[] = {"watch",   "allowWatchBookmarks", "timeoutSeconds",
					     "timeout", "labelSelector",       "fieldSelector"};
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		if (base_str_is(name, always[i]))
			return true;
	return request->kind == JUDGE_WATCH_LIST && (base_str_is(name, "sendInitialEvents") ||
						     base_str_is(name, "resourceVersionMatch"));
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Is the encoded text of the query this plain text? */
static bool means(struct base_str encoded, struct base_str plain)
{
	size_t p = 0;
	for (size_t i = 0; i < encoded.len; i++, p++) {
		int c = (unsigned char)encoded.ptr[i];
		if (c == '+')
			c = ' ';
		if (c == '%' && i + 2 < encoded.len) {
			c = hex_digit(encoded.ptr[i + 1]) * 16 + hex_digit(encoded.ptr[i + 2]);
			i += 2;
		}
		if (p >= plain.len || (unsigned char)plain.ptr[p] != c)
			return false;
	}
	return p == plain.len;
}

static bool param_fits(const struct scenario_param *param, const struct judge_request *request,
		       struct base_str query)
{
	struct base_str value = {.ptr = "", .len = 0};
	bool there = judge_query(query, param->name.ptr, &value);
	switch (param->kind) {
	case SCENARIO_VALUE_LIST: return there && means(value, request->list_rv);
	case SCENARIO_VALUE_LAST: return there && means(value, request->last_rv);
	case SCENARIO_VALUE_TOKEN: return there && means(value, request->token);
	case SCENARIO_VALUE_ANY: return there;
	case SCENARIO_VALUE_NONE: return !there;
	case SCENARIO_VALUE_TEXT:
	default: return param->text.len == 0 ? value.len == 0 : there && means(value, param->text);
	}
}

static bool names(const struct scenario_request *want, struct base_str name)
{
	for (size_t i = 0; i < want->param_count; i++)
		if (base_str_eq(want->params[i].name, name))
			return true;
	return false;
}

static bool only_named(const struct scenario_request *want, const struct judge_request *request,
		       struct base_str query)
{
	while (query.len > 0) {
		struct base_str pair, name;
		bool more;
		query = base_str_cut(query, '&', &pair, &more);
		(void)base_str_cut(pair, '=', &name, &more);
		if (!names(want, name) && !is_given(request, name))
			return false;
	}
	return true;
}

static bool method_fits(enum scenario_method method, enum judge_request_kind kind)
{
	switch (method) {
	case SCENARIO_LIST: return kind == JUDGE_LIST;
	case SCENARIO_WATCH: return kind == JUDGE_WATCH;
	case SCENARIO_WATCH_LIST: return kind == JUDGE_WATCH_LIST;
	case SCENARIO_GET:
	default: return kind == JUDGE_OTHER;
	}
}

static bool path_fits(struct judge *judge, const struct scenario_request *want,
		      const struct judge_request *request, struct base_str path)
{
	struct base_str namespace_ =
		want->any_namespace ? judge->variant->informers[request->informer].namespace_
				    : want->namespace_;
	base_buf_clear(&judge->actual);
	judge_list_path(&judge->actual, want->resource, namespace_);
	return base_str_eq(path, base_buf_peek(&judge->actual));
}

/* One API server alone is called "server". */
static bool server_fits(uint64_t number, struct base_str server)
{
	char name[32];
	(void)snprintf(name, sizeof(name), "server%llu", (unsigned long long)number);
	return base_str_is(server, name) || (number == 1 && base_str_is(server, "server"));
}

static bool request_fits(void *ctx, size_t expected, size_t actual)
{
	struct stream *stream = ctx;
	const struct scenario_request *want = &stream->want->items[expected];
	const struct hist_record *record = hist_at(stream->judge->hist, stream->records[actual]);
	const struct judge_request *request =
		judge_request_of(&stream->judge->facts, record->request);

	if (!method_fits(want->method, request->kind) ||
	    !judge_in_time(stream->span, want->has_window, &want->window, record->t_ns) ||
	    !path_fits(stream->judge, want, request, record->path))
		return false;
	if (want->server != 0 && !server_fits(want->server, request->server))
		return false;
	for (size_t i = 0; i < want->param_count; i++)
		if (!param_fits(&want->params[i], request, record->query))
			return false;
	return want->rest_any || only_named(want, request, record->query);
}

static uint32_t request_group(void *ctx, size_t expected)
{
	return ((struct stream *)ctx)->want->items[expected].group;
}

/* ---- Texts ---- */

static void request_text(struct base_buf *out, const struct judge *judge,
			 const struct judge_span *span, size_t i)
{
	const struct hist_record *record = hist_at(judge->hist, i);
	const struct judge_request *request = judge_request_of(&judge->facts, record->request);
	struct base_str query = record->query;

	sim_must(base_buf_printf(out, "%s %.*s", method_of(request), BASE_STR_ARG(record->path)));
	while (query.len > 0) {
		struct base_str pair, name;
		bool more;
		query = base_str_cut(query, '&', &pair, &more);
		(void)base_str_cut(pair, '=', &name, &more);
		if (!is_given(request, name))
			sim_must(base_buf_printf(out, " %.*s", BASE_STR_ARG(pair)));
	}
	if (base_str_starts(request->server, BASE_STR("server")) &&
	    !base_str_is(request->server, "server"))
		sim_must(base_buf_printf(out, " server=%.*s",
					 BASE_STR_ARG(base_str_skip(request->server, 6))));
	sim_must(base_buf_text(out, " @"));
	judge_time_text(out, record->t_ns - span->step_ns);
}

static void count_requests(struct stream *stream)
{
	const struct scenario_requests *want = stream->want;
	size_t count = 0;
	for (size_t i = 0; i < stream->count; i++)
		if (hist_at(stream->judge->hist, stream->records[i])->t_ns >= stream->span->from_ns)
			count++;
	if (count < want->count.min || count > want->count.max)
		judge_fail(
			stream->judge, want->pos, "requests",
			"The informer makes as many requests as the situation needs, and no more.",
			stream->count > 0 ? stream->records[stream->count - 1] : VERDICT_NO_RECORD,
			(struct base_str){0}, (struct base_str){0}, "%zu requests were made",
			count);
}

void judge_requests(struct judge *judge, const struct scenario_requests *want,
		    const struct judge_span *span)
{
	struct stream stream = {.judge = judge, .want = want, .span = span};
	struct judge_match match = {.expected_count = want->item_count,
				    .group = request_group,
				    .fits = request_fits,
				    .ctx = &stream};
	size_t expected = SIZE_MAX, actual = SIZE_MAX;

	if (!scenario_applies(judge->variant, want->when))
		return;
	gather(&stream);
	match.actual_count = stream.count;
	if (want->is_count) {
		count_requests(&stream);
	} else if (!judge_match_all(&match, &expected, &actual)) {
		base_buf_clear(&judge->expected);
		base_buf_clear(&judge->actual);
		for (size_t i = 0; i < want->item_count; i++)
			sim_must(base_buf_printf(&judge->expected, "%.*s%s\n",
						 BASE_STR_ARG(want->items[i].text),
						 i == expected ? "   <--" : ""));
		for (size_t i = 0; i < stream.count; i++) {
			request_text(&judge->actual, judge, span, stream.records[i]);
			sim_must(base_buf_text(&judge->actual, i == actual ? "   <--\n" : "\n"));
		}
		judge_fail(judge, expected != SIZE_MAX ? want->items[expected].pos : want->pos,
			   "requests", "These requests are made in this order, and no others.",
			   actual != SIZE_MAX ? stream.records[actual] : VERDICT_NO_RECORD,
			   base_buf_peek(&judge->expected), base_buf_peek(&judge->actual), "%s",
			   actual == SIZE_MAX     ? "an expected request was not made"
			   : expected == SIZE_MAX ? "a request was made that nobody expects"
						  : "another request was made than expected");
	}
	free(stream.records);
}
