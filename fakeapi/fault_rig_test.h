/* A writer that writes down what reaches it, for the tests of faults. */
#ifndef FAKEAPI_FAULT_RIG_TEST_H
#define FAKEAPI_FAULT_RIG_TEST_H

#include "fakeapi/fault.h"

#include "ci/unit/assert.h"

#define SECOND UINT64_C(1000000000)

/* A writer that writes down what reaches it: "H200 application/json 12|", "[bytes]", "E", "FIN", "RST". */
struct rig {
	struct base_alloc_probe probe;
	struct fakeapi_faults faults;
	struct fakeapi_facts facts;
	struct fakeapi_filter filter;
	enum fakeapi_verdict verdict;
	struct base_buf wire;
	uint64_t effect, calls;
	bool frames, told; /* it has frames; and the connection was told to go before */
};

static inline enum base_code rig_head(void *self, const struct fakeapi_head *head)
{
	struct rig *rig = self;
	enum base_code code = base_buf_printf(&rig->wire, "H%d", head->status);

	if (code == BASE_OK && head->content_type.len > 0)
		code = base_buf_printf(&rig->wire, " %.*s", BASE_STR_ARG(head->content_type));
	if (code == BASE_OK && head->length != FAKEAPI_LENGTH_UNKNOWN)
		code = base_buf_printf(&rig->wire, " len=%lld", (long long)head->length);
	for (size_t i = 0; i < head->header_count && code == BASE_OK; i++)
		code = base_buf_printf(&rig->wire, " %.*s=%.*s",
				       BASE_STR_ARG(head->headers[i].name),
				       BASE_STR_ARG(head->headers[i].value));
	return code == BASE_OK ? base_buf_char(&rig->wire, '|') : code;
}

static inline enum base_code rig_body(void *self, const char *ptr, size_t len)
{
	struct rig *rig = self;
	enum base_code code = base_buf_char(&rig->wire, '[');

	if (code == BASE_OK)
		code = base_buf_append(&rig->wire, ptr, len);
	return code == BASE_OK ? base_buf_char(&rig->wire, ']') : code;
}

static inline enum base_code rig_end(void *self)
{
	return base_buf_char(&((struct rig *)self)->wire, 'E');
}

static inline void rig_abort(void *self, enum fakeapi_abort how)
{
	(void)!base_buf_text(
		&((struct rig *)self)->wire,
		how == FAKEAPI_ABORT_FIN || how == FAKEAPI_ABORT_CONNECTION_FIN ? "FIN" : "RST");
}

static inline bool rig_frame(void *self, enum fakeapi_frame frame, enum fakeapi_h2_code code)
{
	struct rig *rig = self;

	(void)!base_buf_printf(&rig->wire, "%s=%s",
			       frame == FAKEAPI_FRAME_GOAWAY ? "GOAWAY" : "RST_STREAM",
			       fakeapi_h2_code_word(code));
	return !rig->told;
}

static inline void rig_effect(void *ctx, const struct fakeapi_fault_effect *effect)
{
	struct rig *rig = ctx;

	rig->effect += effect->count;
	rig->calls++;
}

static inline void rig_init(struct rig *rig, enum fakeapi_verb verb)
{
	memset(rig, 0, sizeof(*rig));
	base_alloc_probe_init(&rig->probe);
	base_buf_init(&rig->wire, NULL, 65536);
	rig->facts.verb = verb;
	rig->facts.client = BASE_STR("i");
	rig->facts.resource = BASE_STR("pods");
	rig->facts.namespace_ = BASE_STR("default");
	fakeapi_faults_init(&rig->faults, &rig->probe.alloc, rig_effect, rig);
}

static inline void rig_release(struct rig *rig)
{
	fakeapi_filter_release(&rig->filter);
	fakeapi_faults_release(&rig->faults);
	base_buf_release(&rig->wire);
	CHECK_U64(rig->probe.live_count, 0);
}

static inline enum base_code rig_begin(struct rig *rig)
{
	struct fakeapi_out out = {rig, rig_head, rig_body, rig_end, rig_abort, NULL};

	if (rig->frames)
		out.frame = rig_frame;

	return fakeapi_filter_begin(&rig->filter, &rig->faults, &rig->facts, &out, &rig->verdict);
}

static inline uint64_t add(struct rig *rig, const struct fakeapi_fault *fault)
{
	struct base_error error = {0};
	uint64_t id = 0;

	CHECK_INT(fakeapi_faults_add(&rig->faults, fault, &id, &error), BASE_OK);
	return id;
}

static inline struct fakeapi_fault make(enum fakeapi_fault_target target,
					enum fakeapi_fault_kind kind)
{
	struct fakeapi_fault fault;

	fakeapi_fault_defaults(&fault, target, kind);
	fault.status = 503;
	return fault;
}

/* The answer of a LIST: one head, one body of ten bytes, the end. */
static inline void answer_list(struct rig *rig)
{
	struct fakeapi_head head = {.status = 200, .content_type = BASE_STR("json"), .length = 10};

	fakeapi_filter_head(&rig->filter, &head);
	fakeapi_filter_body(&rig->filter, "0123456789", 10);
	fakeapi_filter_end(&rig->filter);
}

static inline void open_stream(struct rig *rig)
{
	struct fakeapi_head head = {.status = 200, .length = FAKEAPI_LENGTH_UNKNOWN};

	fakeapi_filter_head(&rig->filter, &head);
}

static inline void line(struct rig *rig, enum fakeapi_line_type type, bool initial_end,
			const char *key, const char *rv)
{
	struct base_buf bytes;
	struct fakeapi_line l = {.type = type, .initial_end = initial_end};

	base_buf_init(&bytes, NULL, 4096);
	CHECK_INT(
		base_buf_printf(
			&bytes,
			"{\"type\":\"%s\",\"object\":{\"metadata\":{\"resourceVersion\":\"%s\"}}}\n",
			fakeapi_line_type_word(type), rv),
		BASE_OK);
	l.key = base_str(key);
	l.rv = base_str(rv);
	l.bytes = base_buf_peek(&bytes);
	fakeapi_filter_line(&rig->filter, &l);
	base_buf_release(&bytes);
}

static inline void event(struct rig *rig, const char *rv)
{
	line(rig, FAKEAPI_LINE_ADDED, false, "default/a", rv);
}

#define ADDED(rv)                                                                                  \
	"[{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":\"" rv "\"}}}\n]"
#define DELETED(rv)                                                                                \
	"[{\"type\":\"DELETED\",\"object\":{\"metadata\":{\"resourceVersion\":\"" rv "\"}}}\n]"
#define BOOKMARK(rv)                                                                               \
	"[{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"" rv "\"}}}\n]"

#endif
