/* Cells of single kinds: nodes, jobs, events, volumes, quotas, scaling. */
#include "fakeapi/table_cell.h"

#include "base/map.h"

#define CELL(name)                                                                                 \
	enum base_code fakeapi_cell_##name(const struct fakeapi_cell *cell,                        \
					   const struct fakeapi_column *column,                    \
					   struct base_buf *out)

static bool condition_true(struct base_str object, const char *type)
{
	struct base_json_iter it;
	base_json_iter_init(&it, fakeapi_cell_at(object, "status.conditions"));
	while (base_json_iter_next(&it))
		if (fakeapi_cell_is(fakeapi_cell_at(it.value, "type"), type))
			return fakeapi_cell_is(fakeapi_cell_at(it.value, "status"), "True");
	return false;
}

static bool condition_there(struct base_str object, const char *type)
{
	struct base_json_iter it;
	base_json_iter_init(&it, fakeapi_cell_at(object, "status.conditions"));
	while (base_json_iter_next(&it))
		if (fakeapi_cell_is(fakeapi_cell_at(it.value, "type"), type))
			return true;
	return false;
}

static bool is_going(struct base_str object)
{
	return fakeapi_cell_at(object, "metadata.deletionTimestamp").len != 0;
}

/* ---- Nodes ---- */

CELL(node_status)
{
	struct base_buf text;
	(void)column;
	fakeapi_cell_begin(&text, out);
	enum base_code code =
		base_buf_text(&text, !condition_there(cell->object, "Ready") ? "Unknown"
				     : condition_true(cell->object, "Ready") ? "Ready"
									     : "NotReady");
	if (code == BASE_OK &&
	    fakeapi_cell_true(fakeapi_cell_at(cell->object, "spec.unschedulable")))
		code = base_buf_text(&text, ",SchedulingDisabled");
	return fakeapi_cell_end(&text, NULL, code, out);
}

static enum base_code role_add(struct base_map *roles, const struct base_json_iter *it)
{
	static const char mark;
	static const char prefix[] = "node-role.kubernetes.io/";
	struct base_str role = {0};
	if (base_str_starts(it->key, BASE_STR("node-role.kubernetes.io/")))
		role = base_str_skip(it->key, sizeof prefix - 1);
	else if (base_str_is(it->key, "kubernetes.io/role"))
		role = fakeapi_cell_plain(it->value);
	return role.len == 0 ? BASE_OK : base_map_put(roles, role, (void *)(uintptr_t)&mark, NULL);
}

CELL(node_roles)
{
	struct base_map roles;
	struct base_json_iter it;
	struct base_buf text;
	const struct base_map_entry **order = NULL;
	enum base_code code = BASE_OK;
	(void)column;
	base_map_init(&roles, out->alloc);
	fakeapi_cell_begin(&text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, "metadata.labels"));
	while (code == BASE_OK && base_json_iter_next(&it))
		code = role_add(&roles, &it);
	if (code == BASE_OK)
		code = base_map_sorted(&roles, &order);
	for (size_t i = 0; code == BASE_OK && i < base_map_count(&roles); i++) {
		if (i != 0)
			code = base_buf_char(&text, ',');
		if (code == BASE_OK)
			code = base_buf_str(&text, order[i]->key);
	}
	base_free(out->alloc, order);
	base_map_release(&roles);
	return fakeapi_cell_end(&text, "<none>", code, out);
}

CELL(node_address)
{
	struct base_json_iter it;
	struct base_buf text;
	enum base_code code = BASE_OK;
	fakeapi_cell_begin(&text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, "status.addresses"));
	while (code == BASE_OK && text.len == 0 && base_json_iter_next(&it))
		if (fakeapi_cell_is(fakeapi_cell_at(it.value, "type"), column->path))
			code = fakeapi_cell_put(&text, fakeapi_cell_at(it.value, "address"));
	return fakeapi_cell_end(&text, "<none>", code, out);
}

CELL(node_kernel)
{
	struct base_str info = fakeapi_cell_at(cell->object, "status.nodeInfo");
	struct base_str kernel = fakeapi_cell_at(info, "kernelVersion");
	struct base_str machine = fakeapi_cell_at(info, "architecture");
	struct base_buf text;
	(void)column;
	fakeapi_cell_begin(&text, out);
	enum base_code code = kernel.len > 2 ? fakeapi_cell_put(&text, kernel)
					     : base_buf_text(&text, "<unknown>");
	if (code == BASE_OK && machine.len > 2) {
		code = fakeapi_cell_append(&text, " (", machine);
		if (code == BASE_OK)
			code = base_buf_char(&text, ')');
	}
	return fakeapi_cell_end(&text, NULL, code, out);
}

/* ---- Jobs ---- */

CELL(job_status)
{
	static const char *const late[] = {"Suspended", "FailureTarget", "SuccessCriteriaMet"};
	(void)column;
	if (condition_true(cell->object, "Complete"))
		return fakeapi_cell_word(out, "Complete");
	if (condition_true(cell->object, "Failed"))
		return fakeapi_cell_word(out, "Failed");
	if (is_going(cell->object))
		return fakeapi_cell_word(out, "Terminating");
	for (size_t i = 0; i < sizeof late / sizeof late[0]; i++)
		if (condition_true(cell->object, late[i]))
			return fakeapi_cell_word(out, late[i]);
	return fakeapi_cell_word(out, "Running");
}

CELL(job_completions)
{
	struct base_str wanted = fakeapi_cell_at(cell->object, "spec.completions");
	long long done =
		(long long)fakeapi_cell_number(fakeapi_cell_at(cell->object, "status.succeeded"));
	long long at_once =
		(long long)fakeapi_cell_number(fakeapi_cell_at(cell->object, "spec.parallelism"));
	(void)column;
	if (wanted.len != 0)
		return base_buf_printf(out, "\"%lld/%lld\"", done,
				       (long long)fakeapi_cell_number(wanted));
	if (at_once > 1)
		return base_buf_printf(out, "\"%lld/1 of %lld\"", done, at_once);
	return base_buf_printf(out, "\"%lld/1\"", done);
}

CELL(job_duration)
{
	struct base_buf text;
	int64_t from, to = cell->now_s;
	enum base_code code = BASE_OK;
	(void)column;
	fakeapi_cell_begin(&text, out);
	if (fakeapi_cell_time(fakeapi_cell_at(cell->object, "status.startTime"), &from)) {
		(void)fakeapi_cell_time(fakeapi_cell_at(cell->object, "status.completionTime"),
					&to);
		code = fakeapi_cell_age(&text, to - from);
	}
	return fakeapi_cell_end(&text, NULL, code, out);
}

/* ---- Events: the core group's names, else those of events.k8s.io ---- */

static struct base_str event_at(const struct fakeapi_cell *cell, const char *old, const char *new)
{
	struct base_str value = fakeapi_cell_at(cell->object, old);
	return value.len > 2 ? value : fakeapi_cell_at(cell->object, new);
}

static enum base_code event_age(const struct fakeapi_cell *cell, struct base_str time,
				struct base_buf *out)
{
	struct base_buf text;
	int64_t at;
	enum base_code code = BASE_OK;
	fakeapi_cell_begin(&text, out);
	if (fakeapi_cell_time(time, &at))
		code = fakeapi_cell_age(&text, cell->now_s - at);
	return fakeapi_cell_end(&text, "<unknown>", code, out);
}

static struct base_str event_first(const struct fakeapi_cell *cell)
{
	struct base_str first = event_at(cell, "firstTimestamp", "deprecatedFirstTimestamp");
	return first.len > 2 ? first : fakeapi_cell_at(cell->object, "eventTime");
}

CELL(event_first)
{
	(void)column;
	return event_age(cell, event_first(cell), out);
}

CELL(event_last)
{
	struct base_str series = fakeapi_cell_at(cell->object, "series.lastObservedTime");
	struct base_str last = event_at(cell, "lastTimestamp", "deprecatedLastTimestamp");
	(void)column;
	return event_age(cell,
			 series.len != 0 ? series
			 : last.len > 2  ? last
					 : event_first(cell),
			 out);
}

CELL(event_count)
{
	struct base_str series = fakeapi_cell_at(cell->object, "series");
	(void)column;
	if (series.len != 0)
		return base_buf_i64(out, fakeapi_cell_number(fakeapi_cell_at(series, "count")));
	struct base_str count = fakeapi_cell_at(cell->object, "count");
	if (count.len == 0)
		count = fakeapi_cell_at(cell->object, "deprecatedCount");
	int64_t n = fakeapi_cell_number(count);
	return base_buf_i64(out, n == 0 ? 1 : n);
}

CELL(event_object)
{
	struct base_str about = event_at(cell, "involvedObject", "regarding");
	struct base_str name = fakeapi_cell_at(about, "name");
	struct base_buf text;
	(void)column;
	fakeapi_cell_begin(&text, out);
	enum base_code code = fakeapi_cell_put(&text, fakeapi_cell_at(about, "kind"));
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] >= 'A' && text.ptr[i] <= 'Z')
			text.ptr[i] = (char)(text.ptr[i] - 'A' + 'a');
	if (code == BASE_OK && name.len > 2) {
		code = base_buf_char(&text, '/');
		if (code == BASE_OK)
			code = fakeapi_cell_put(&text, name);
	}
	return fakeapi_cell_end(&text, NULL, code, out);
}

CELL(event_path)
{
	struct base_buf text;
	(void)column;
	fakeapi_cell_begin(&text, out);
	return fakeapi_cell_end(&text, NULL,
				fakeapi_cell_put(&text, event_at(cell, "involvedObject.fieldPath",
								 "regarding.fieldPath")),
				out);
}

CELL(event_source)
{
	struct base_str source = event_at(cell, "source", "deprecatedSource");
	struct base_str component = fakeapi_cell_at(source, "component");
	struct base_str host = fakeapi_cell_at(source, "host");
	struct base_buf text;
	(void)column;
	if (component.len <= 2)
		component = event_at(cell, "reportingComponent", "reportingController");
	if (host.len <= 2)
		host = fakeapi_cell_at(cell->object, "reportingInstance");
	fakeapi_cell_begin(&text, out);
	enum base_code code = fakeapi_cell_put(&text, component);
	if (code == BASE_OK && host.len > 2) {
		code = base_buf_text(&text, ", ");
		if (code == BASE_OK)
			code = fakeapi_cell_put(&text, host);
	}
	return fakeapi_cell_end(&text, NULL, code, out);
}

CELL(event_message)
{
	struct base_buf text, trimmed;
	(void)column;
	fakeapi_cell_begin(&text, out);
	fakeapi_cell_begin(&trimmed, out);
	enum base_code code = fakeapi_cell_put(&text, event_at(cell, "message", "note"));
	if (code == BASE_OK)
		code = base_buf_str(&trimmed, base_str_trim(base_buf_peek(&text)));
	base_buf_release(&text);
	return fakeapi_cell_end(&trimmed, NULL, code, out);
}

/* ---- Volumes ---- */

static enum base_code modes_write(struct base_str modes, struct base_buf *text)
{
	/* In this order, each once, whatever the list's. */
	static const struct {
		const char *mode, *word;
	} rows[] = {{"ReadWriteOnce", "RWO"},
		    {"ReadOnlyMany", "ROX"},
		    {"ReadWriteMany", "RWX"},
		    {"ReadWriteOncePod", "RWOP"}};
	enum base_code code = BASE_OK;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0] && code == BASE_OK; i++) {
		struct base_json_iter it;
		bool there = false;
		base_json_iter_init(&it, modes);
		while (base_json_iter_next(&it))
			there = there || fakeapi_cell_is(it.value, rows[i].mode);
		if (there && text->len != 0)
			code = base_buf_char(text, ',');
		if (there && code == BASE_OK)
			code = base_buf_text(text, rows[i].word);
	}
	return code;
}

CELL(access_modes)
{
	struct base_buf text;
	fakeapi_cell_begin(&text, out);
	return fakeapi_cell_end(
		&text, NULL, modes_write(fakeapi_cell_at(cell->object, column->path), &text), out);
}

static bool is_bound(const struct fakeapi_cell *cell)
{
	return fakeapi_cell_at(cell->object, "spec.volumeName").len > 2;
}

CELL(claim_modes)
{
	struct base_buf text;
	(void)column;
	fakeapi_cell_begin(&text, out);
	enum base_code code = BASE_OK;
	if (is_bound(cell))
		code = modes_write(fakeapi_cell_at(cell->object, "status.accessModes"), &text);
	return fakeapi_cell_end(&text, NULL, code, out);
}

CELL(claim_capacity)
{
	struct base_buf text;
	(void)column;
	fakeapi_cell_begin(&text, out);
	enum base_code code = BASE_OK;
	if (is_bound(cell))
		code = fakeapi_cell_put(&text,
					fakeapi_cell_at(cell->object, "status.capacity.storage"));
	return fakeapi_cell_end(&text, is_bound(cell) ? "0" : NULL, code, out);
}

/* The old annotation wins over the field. */
CELL(storage_class)
{
	struct base_str old = base_json_get(fakeapi_cell_at(cell->object, "metadata.annotations"),
					    BASE_STR("volume.beta.kubernetes.io/storage-class"));
	struct base_buf text;
	(void)column;
	fakeapi_cell_begin(&text, out);
	return fakeapi_cell_end(
		&text, NULL,
		fakeapi_cell_put(&text, old.len != 0 ? old
						     : fakeapi_cell_at(cell->object,
								       "spec.storageClassName")),
		out);
}

CELL(volume_claim)
{
	struct base_str ref = fakeapi_cell_at(cell->object, "spec.claimRef");
	struct base_buf text;
	(void)column;
	fakeapi_cell_begin(&text, out);
	enum base_code code = fakeapi_cell_put(&text, fakeapi_cell_at(ref, "namespace"));
	if (code == BASE_OK && ref.len != 0)
		code = base_buf_char(&text, '/');
	if (code == BASE_OK)
		code = fakeapi_cell_put(&text, fakeapi_cell_at(ref, "name"));
	return fakeapi_cell_end(&text, NULL, code, out);
}

CELL(token_requests)
{
	struct base_str list = fakeapi_cell_at(cell->object, "spec.tokenRequests");
	struct base_json_iter it;
	struct base_buf text;
	enum base_code code = BASE_OK;
	(void)column;
	fakeapi_cell_begin(&text, out);
	base_json_iter_init(&it, list);
	while (code == BASE_OK && base_json_iter_next(&it))
		code = fakeapi_cell_append(&text, ",", fakeapi_cell_at(it.value, "audience"));
	return fakeapi_cell_end(&text, list.len != 0 ? NULL : "<unset>", code, out);
}

/* ---- Quotas, requests, claims, scaling ---- */

/* "pods: 1/5, secrets: 0/2": path says whether the limits or the rest. */
CELL(quota)
{
	struct base_str hard = fakeapi_cell_at(cell->object, "status.hard");
	struct base_str used = fakeapi_cell_at(cell->object, "status.used");
	struct base_json_iter it;
	struct base_buf text;
	enum base_code code = BASE_OK;
	bool limits = strcmp(column->path, "limits") == 0;
	fakeapi_cell_begin(&text, out);
	base_json_iter_init(&it, hard); /* maps are stored in order */
	while (code == BASE_OK && base_json_iter_next(&it)) {
		if (base_str_starts(it.key, BASE_STR("limits.")) != limits)
			continue;
		code = base_buf_printf(&text, "%s%.*s: ", text.len != 0 ? ", " : "",
				       BASE_STR_ARG(it.key));
		struct base_str now = base_json_get(used, it.key);
		if (code == BASE_OK)
			code = fakeapi_cell_put(&text, now.len != 0 ? now : BASE_STR("0"));
		if (code == BASE_OK)
			code = fakeapi_cell_append(&text, "/", it.value);
	}
	return fakeapi_cell_end(&text, NULL, code, out);
}

CELL(request_duration)
{
	struct base_str seconds = fakeapi_cell_at(cell->object, "spec.expirationSeconds");
	struct base_buf text;
	enum base_code code = BASE_OK;
	(void)column;
	fakeapi_cell_begin(&text, out);
	if (seconds.len != 0)
		code = fakeapi_cell_age(&text, fakeapi_cell_number(seconds));
	return fakeapi_cell_end(&text, "<none>", code, out);
}

CELL(request_status)
{
	struct base_buf text;
	(void)column;
	fakeapi_cell_begin(&text, out);
	enum base_code code =
		base_buf_text(&text, condition_there(cell->object, "Denied")     ? "Denied"
				     : condition_there(cell->object, "Approved") ? "Approved"
										 : "Pending");
	if (code == BASE_OK && condition_there(cell->object, "Failed"))
		code = base_buf_text(&text, ",Failed");
	if (code == BASE_OK && fakeapi_cell_at(cell->object, "status.certificate").len > 2)
		code = base_buf_text(&text, ",Issued");
	return fakeapi_cell_end(&text, NULL, code, out);
}

CELL(claim_state)
{
	bool given = fakeapi_cell_at(cell->object, "status.allocation").len != 0;
	bool reserved = fakeapi_cell_count(fakeapi_cell_at(cell->object, "status.reservedFor")) !=
			0;
	struct base_buf text;
	(void)column;
	fakeapi_cell_begin(&text, out);
	enum base_code code = BASE_OK;
	if (is_going(cell->object))
		code = base_buf_text(&text, given ? "deleted," : "deleted");
	else if (!given)
		code = base_buf_text(&text, "pending");
	if (code == BASE_OK && given)
		code = base_buf_text(&text, reserved ? "allocated,reserved" : "allocated");
	return fakeapi_cell_end(&text, NULL, code, out);
}

/* One metric: where its target and its present value stand, and how they are shown. */
static enum base_code metric_write(struct base_str spec, struct base_str status,
				   struct base_buf *text)
{
	static const struct {
		const char *type, *part;
		bool named;
	} rows[] = {{"External", "external", false},
		    {"Pods", "pods", false},
		    {"Object", "object", false},
		    {"Resource", "resource", true},
		    {"ContainerResource", "containerResource", true}};
	struct base_str type = fakeapi_cell_at(spec, "type");
	size_t i = 0, n = sizeof rows / sizeof rows[0];
	while (i < n && !fakeapi_cell_is(type, rows[i].type))
		i++;
	if (i == n)
		return base_buf_text(text, "<unknown type>");
	struct base_str part = fakeapi_cell_at(spec, rows[i].part);
	struct base_str now = fakeapi_cell_at(fakeapi_cell_at(status, rows[i].part), "current");
	struct base_str average = fakeapi_cell_at(part, "target.averageValue");
	const char *member = average.len != 0 ? "averageValue"
			     : rows[i].named  ? "averageUtilization"
					      : "value";
	struct base_str target = fakeapi_cell_at(fakeapi_cell_at(part, "target"), member);
	struct base_str present = fakeapi_cell_at(now, member);
	const char *percent = average.len == 0 && rows[i].named ? "%" : "";
	enum base_code code = BASE_OK;
	if (rows[i].named) {
		code = fakeapi_cell_put(text, fakeapi_cell_at(part, "name"));
		if (code == BASE_OK)
			code = base_buf_text(text, ": ");
	}
	if (code == BASE_OK)
		code = fakeapi_cell_put(text, present.len != 0 ? present : BASE_STR("<unknown>"));
	if (code == BASE_OK && present.len != 0)
		code = base_buf_text(text, percent);
	if (code == BASE_OK)
		code = base_buf_char(text, '/');
	if (code == BASE_OK)
		code = fakeapi_cell_put(text, target.len != 0 ? target : BASE_STR("<auto>"));
	if (code == BASE_OK && target.len != 0)
		code = base_buf_text(text, percent);
	bool said = average.len != 0 && !rows[i].named && strcmp(rows[i].type, "Pods") != 0;
	return code == BASE_OK && said ? base_buf_text(text, " (avg)") : code;
}

CELL(scale_metrics)
{
	struct base_json_iter it, now;
	struct base_buf text;
	size_t count = 0;
	enum base_code code = BASE_OK;
	(void)column;
	fakeapi_cell_begin(&text, out);
	base_json_iter_init(&it, fakeapi_cell_at(cell->object, "spec.metrics"));
	base_json_iter_init(&now, fakeapi_cell_at(cell->object, "status.currentMetrics"));
	for (; code == BASE_OK && base_json_iter_next(&it); count++) {
		struct base_str status = base_json_iter_next(&now) ? now.value
								   : (struct base_str){0};
		if (count >= 2)
			continue;
		if (count != 0)
			code = base_buf_text(&text, ", ");
		if (code == BASE_OK)
			code = metric_write(it.value, status, &text);
	}
	if (code == BASE_OK && count > 2)
		code = base_buf_printf(&text, " + %zu more...", count - 2);
	return fakeapi_cell_end(&text, "<none>", code, out);
}
