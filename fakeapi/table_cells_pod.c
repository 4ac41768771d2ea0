/* Cells of Pods: one summary, four cells. */
#include "fakeapi/table_cell.h"

#include <stdio.h>

struct summary {
	struct base_str pod, spec, status;
	int64_t ready, total, restarts, last_s;
	bool has_last, running;
	struct base_buf reason;
	enum base_code code;
};

static struct base_str named(struct base_str list, struct base_str name)
{
	struct base_json_iter it;
	base_json_iter_init(&it, list);
	while (base_json_iter_next(&it))
		if (base_str_eq(fakeapi_cell_at(it.value, "name"), name))
			return it.value;
	return (struct base_str){0};
}

static bool has_condition(struct base_str status, const char *type)
{
	struct base_json_iter it;
	base_json_iter_init(&it, fakeapi_cell_at(status, "conditions"));
	while (base_json_iter_next(&it))
		if (fakeapi_cell_is(fakeapi_cell_at(it.value, "type"), type))
			return fakeapi_cell_is(fakeapi_cell_at(it.value, "status"), "True");
	return false;
}

static void reason_set(struct summary *s, const char *prefix, struct base_str value)
{
	base_buf_clear(&s->reason);
	if (s->code == BASE_OK)
		s->code = base_buf_text(&s->reason, prefix);
	if (s->code == BASE_OK)
		s->code = fakeapi_cell_put(&s->reason, value);
}

static void reason_word(struct summary *s, const char *word)
{
	reason_set(s, word, (struct base_str){0});
}

/* "Error", "Signal:9" or "ExitCode:1" of a container that has ended. */
static void reason_ended(struct summary *s, const char *prefix, struct base_str ended)
{
	struct base_str reason = fakeapi_cell_at(ended, "reason");
	int64_t signal = fakeapi_cell_number(fakeapi_cell_at(ended, "signal"));
	char word[64];
	if (reason.len > 2) {
		reason_set(s, prefix, reason);
		return;
	}
	snprintf(word, sizeof word, "%s%s:%lld", prefix, signal != 0 ? "Signal" : "ExitCode",
		 (long long)(signal != 0
				     ? signal
				     : fakeapi_cell_number(fakeapi_cell_at(ended, "exitCode"))));
	reason_word(s, word);
}

static void count_restarts(struct summary *s, struct base_str container)
{
	int64_t at;
	s->restarts += fakeapi_cell_number(fakeapi_cell_at(container, "restartCount"));
	if (!fakeapi_cell_time(fakeapi_cell_at(container, "lastState.terminated.finishedAt"), &at))
		return;
	if (!s->has_last || at > s->last_s)
		s->last_s = at;
	s->has_last = true;
}

static bool restartable(const struct summary *s, struct base_str container)
{
	struct base_str spec = named(fakeapi_cell_at(s->spec, "initContainers"),
				     fakeapi_cell_at(container, "name"));
	return fakeapi_cell_is(fakeapi_cell_at(spec, "restartPolicy"), "Always");
}

/* False: this init container holds the Pod up, and the reason says how. */
static bool init_passed(struct summary *s, struct base_str container, size_t index, size_t count)
{
	struct base_str ended = fakeapi_cell_at(container, "state.terminated");
	struct base_str waits = fakeapi_cell_at(container, "state.waiting.reason");
	if (ended.len != 0 && fakeapi_cell_number(fakeapi_cell_at(ended, "exitCode")) == 0)
		return true;
	if (restartable(s, container) && fakeapi_cell_true(fakeapi_cell_at(container, "started"))) {
		s->ready += fakeapi_cell_true(fakeapi_cell_at(container, "ready"));
		return true;
	}
	if (ended.len != 0) {
		reason_ended(s, "Init:", ended);
	} else if (waits.len > 2 && !fakeapi_cell_is(waits, "PodInitializing")) {
		reason_set(s, "Init:", waits);
	} else {
		char word[64];
		snprintf(word, sizeof word, "Init:%zu/%zu", index, count);
		reason_word(s, word);
	}
	return false;
}

/* True: the Pod is still initializing. */
static bool look_at_init(struct summary *s)
{
	struct base_json_iter it;
	struct summary lasting = {0}; /* of those that run all the time */
	size_t count = fakeapi_cell_count(fakeapi_cell_at(s->spec, "initContainers")), index = 0;
	bool initializing = false;
	base_json_iter_init(&it, fakeapi_cell_at(s->spec, "initContainers"));
	while (base_json_iter_next(&it))
		s->total += fakeapi_cell_is(fakeapi_cell_at(it.value, "restartPolicy"), "Always");
	base_json_iter_init(&it, fakeapi_cell_at(s->status, "initContainerStatuses"));
	while (!initializing && base_json_iter_next(&it)) {
		count_restarts(s, it.value);
		if (restartable(s, it.value))
			count_restarts(&lasting, it.value);
		initializing = !init_passed(s, it.value, index++, count);
	}
	if (initializing && !has_condition(s->status, "Initialized"))
		return true;
	s->restarts = lasting.restarts;
	s->last_s = lasting.last_s;
	s->has_last = lasting.has_last;
	return false;
}

static void look_at_container(struct summary *s, struct base_str container, bool *failed)
{
	struct base_str waits = fakeapi_cell_at(container, "state.waiting.reason");
	struct base_str ended = fakeapi_cell_at(container, "state.terminated");
	count_restarts(s, container);
	if (waits.len > 2) {
		reason_set(s, "", waits);
	} else if (ended.len != 0) {
		reason_ended(s, "", ended);
		*failed = *failed || fakeapi_cell_number(fakeapi_cell_at(ended, "exitCode")) != 0;
	} else if (fakeapi_cell_true(fakeapi_cell_at(container, "ready")) &&
		   fakeapi_cell_at(container, "state.running").len != 0) {
		s->running = true;
		s->ready++;
	}
}

/* From the last to the first, so the first one's reason stays; an error wins over "Completed". */
static void look_at_containers(struct summary *s)
{
	struct base_json_iter it;
	struct base_str list = fakeapi_cell_at(s->status, "containerStatuses"), failed_one = {0};
	for (size_t left = fakeapi_cell_count(list); left > 0; left--) {
		bool failed = false;
		base_json_iter_init(&it, list);
		for (size_t i = 0; i < left; i++)
			(void)base_json_iter_next(&it);
		look_at_container(s, it.value, &failed);
		if (failed)
			failed_one = fakeapi_cell_at(it.value, "state.terminated");
	}
	if (!base_str_is(base_buf_peek(&s->reason), "Completed"))
		return;
	if (s->running && has_condition(s->status, "Ready"))
		reason_word(s, "Running");
	else if (failed_one.len != 0)
		reason_ended(s, "", failed_one);
	else if (s->running)
		reason_word(s, "NotReady");
}

static bool is_over(struct base_str phase)
{
	return fakeapi_cell_is(phase, "Succeeded") || fakeapi_cell_is(phase, "Failed");
}

static void summarize(const struct fakeapi_cell *cell, const struct base_buf *out,
		      struct summary *s)
{
	struct base_json_iter it;
	*s = (struct summary){.pod = cell->object,
			      .spec = fakeapi_cell_at(cell->object, "spec"),
			      .status = fakeapi_cell_at(cell->object, "status")};
	fakeapi_cell_begin(&s->reason, out);
	struct base_str own = fakeapi_cell_at(s->status, "reason");
	struct base_str phase = fakeapi_cell_at(s->status, "phase");
	reason_set(s, "", own.len > 2 ? own : phase);
	base_json_iter_init(&it, fakeapi_cell_at(s->status, "conditions"));
	while (base_json_iter_next(&it))
		if (fakeapi_cell_is(fakeapi_cell_at(it.value, "type"), "PodScheduled") &&
		    fakeapi_cell_is(fakeapi_cell_at(it.value, "reason"), "SchedulingGated"))
			reason_word(s, "SchedulingGated");
	s->total = (int64_t)fakeapi_cell_count(fakeapi_cell_at(s->spec, "containers"));
	if (!look_at_init(s))
		look_at_containers(s);
	if (fakeapi_cell_at(s->pod, "metadata.deletionTimestamp").len == 0)
		return;
	if (fakeapi_cell_is(own, "NodeLost"))
		reason_word(s, "Unknown");
	else if (!is_over(phase))
		reason_word(s, "Terminating");
}

enum base_code fakeapi_cell_pod_ready(const struct fakeapi_cell *cell,
				      const struct fakeapi_column *column, struct base_buf *out)
{
	struct summary s;
	(void)column;
	summarize(cell, out, &s);
	enum base_code code = s.code;
	if (code == BASE_OK)
		code = base_buf_printf(out, "\"%lld/%lld\"", (long long)s.ready,
				       (long long)s.total);
	base_buf_release(&s.reason);
	return code;
}

enum base_code fakeapi_cell_pod_status(const struct fakeapi_cell *cell,
				       const struct fakeapi_column *column, struct base_buf *out)
{
	struct summary s;
	(void)column;
	summarize(cell, out, &s);
	return fakeapi_cell_end(&s.reason, NULL, s.code, out);
}

enum base_code fakeapi_cell_pod_restarts(const struct fakeapi_cell *cell,
					 const struct fakeapi_column *column, struct base_buf *out)
{
	struct summary s;
	(void)column;
	summarize(cell, out, &s);
	base_buf_clear(&s.reason);
	if (s.code == BASE_OK)
		s.code = base_buf_i64(&s.reason, s.restarts);
	if (s.code == BASE_OK && s.restarts != 0 && s.has_last) {
		s.code = base_buf_text(&s.reason, " (");
		if (s.code == BASE_OK)
			s.code = fakeapi_cell_age(&s.reason, cell->now_s - s.last_s);
		if (s.code == BASE_OK)
			s.code = base_buf_text(&s.reason, " ago)");
	}
	return fakeapi_cell_end(&s.reason, NULL, s.code, out);
}

enum base_code fakeapi_cell_pod_ip(const struct fakeapi_cell *cell,
				   const struct fakeapi_column *column, struct base_buf *out)
{
	struct base_json_iter it;
	struct base_buf text;
	(void)column;
	fakeapi_cell_begin(&text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, "status.podIPs"));
	enum base_code code = BASE_OK;
	if (base_json_iter_next(&it))
		code = fakeapi_cell_put(&text, fakeapi_cell_at(it.value, "ip"));
	else
		code = fakeapi_cell_put(&text, fakeapi_cell_at(cell->object, "status.podIP"));
	return fakeapi_cell_end(&text, "<none>", code, out);
}

enum base_code fakeapi_cell_pod_gates(const struct fakeapi_cell *cell,
				      const struct fakeapi_column *column, struct base_buf *out)
{
	struct base_json_iter it;
	struct base_str status = fakeapi_cell_at(cell->object, "status");
	size_t all = 0, open = 0;
	(void)column;
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, "spec.readinessGates"));
	for (; base_json_iter_next(&it); all++) {
		char type[320];
		snprintf(type, sizeof type, "%.*s",
			 BASE_STR_ARG(
				 fakeapi_cell_plain(fakeapi_cell_at(it.value, "conditionType"))));
		open += has_condition(status, type);
	}
	if (all == 0)
		return fakeapi_cell_word(out, "<none>");
	return base_buf_printf(out, "\"%zu/%zu\"", open, all);
}
