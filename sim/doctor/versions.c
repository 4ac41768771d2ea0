/* What too old and too new versions look like. */
#include "base/json.h"
#include "sim/doctor/doctor.h"

#define ANSWER_NS UINT64_C(6000000000)
#define TOO_LARGE "9007199254740993"

static void too_large(struct doctor *doctor, struct ask_call *call)
{
	(void)ask_get(call, base_str(doctor->resource.path),
		      BASE_STR("limit=1&resourceVersion=" TOO_LARGE
			       "&resourceVersionMatch=NotOlderThan"),
		      ANSWER_NS + ANSWER_NS / 2);
	const struct base_str value = doctor_json(call), body = base_buf_peek(&call->body);
	const bool cause = base_str_find(body, BASE_STR("\"ResourceVersionTooLarge\"")) != SIZE_MAX;
	const bool text = base_str_find(body, BASE_STR("Too large resource version")) != SIZE_MAX;

	if (call->status == 200) {
		doctor_trait_set(doctor, DOCTOR_TOO_LARGE_ACCEPTED);
		doctor_find(doctor, "too-large", DOCTOR_BROKEN,
			    base_json_get(value, BASE_STR("metadata")),
			    "a relist may go back in time without anybody noticing: let "
			    "resourceVersion through, or fix the server",
			    "a list not older than version " TOO_LARGE " is answered by 200");
	} else if (call->status == 504 && cause) {
		doctor_trait_set(doctor, DOCTOR_TOO_LARGE);
		doctor_find(doctor, "too-large", DOCTOR_GOOD, body, NULL,
			    "a version that is not there yet is told by 504 with its cause");
	} else if (text) {
		doctor_trait_set(doctor, DOCTOR_TOO_LARGE_NO_CAUSE);
		doctor_find(doctor, "too-large", DOCTOR_WARNING, body,
			    "older clients relist at the same version for ever",
			    "a version that is not there yet is told by %d without the cause "
			    "ResourceVersionTooLarge",
			    call->status);
	} else {
		doctor_trait_set(doctor, DOCTOR_TOO_LARGE_NO_CAUSE);
		doctor_find(doctor, "too-large", DOCTOR_WARNING, body,
			    "clients cannot tell it from an overloaded server",
			    "a version that is not there yet is answered by %d%s", call->status,
			    call->status == 0 ? " (nothing came in time)" : "");
	}
}

static bool is_change(struct base_str type)
{
	return base_str_is(type, "ADDED") || base_str_is(type, "MODIFIED") ||
	       base_str_is(type, "DELETED") || base_str_is(type, "BOOKMARK");
}

/* What a list at exactly a version that is gone says: it is what a relist after a failover meets. */
static void too_old_list(struct doctor *doctor, struct ask_call *call)
{
	(void)ask_get(call, base_str(doctor->resource.path),
		      BASE_STR("limit=1&resourceVersion=1&resourceVersionMatch=Exact"), ANSWER_NS);
	const struct base_str body = base_buf_peek(&call->body);

	if (call->status == 410)
		doctor_find(doctor, "too-old-list", DOCTOR_GOOD, body, NULL,
			    "a list at a version that is too old is told by status 410");
	else if (call->status == 200)
		doctor_find(doctor, "too-old-list", DOCTOR_NOTE,
			    base_json_get(doctor_json(call), BASE_STR("metadata")), NULL,
			    "a list at version 1 is still answered: the store was not compacted "
			    "yet, or the version got lost");
	else
		doctor_find(doctor, "too-old-list", DOCTOR_WARNING, body,
			    "clients begin anew on 410 only",
			    "a list at a version that is too old is answered by %d", call->status);
}

static void too_old(struct doctor *doctor, struct ask_call *call)
{
	struct ask_events it;
	struct ask_event event = {0};
	bool any;

	if (ask_start(call, base_str(doctor->resource.path),
		      BASE_STR("resourceVersion=1&timeoutSeconds=2&watch=true"), true, NULL))
		ask_wait(call, ANSWER_NS);
	if (call->status == 401 || call->status == 403 || call->status == 429)
		return; /* told of the other watches */
	ask_events_init(&it, call);
	any = call->status == 200 && ask_events_next(&it, &event) && event.readable;
	if (call->status == 410) {
		doctor_trait_set(doctor, DOCTOR_GONE_STATUS);
		doctor_find(
			doctor, "too-old", DOCTOR_NOTE, base_buf_peek(&call->body), NULL,
			"a version that is too old is told by status 410, not inside the stream");
	} else if (any && base_str_is(event.type, "ERROR") && event.code == 410) {
		doctor_trait_set(doctor, DOCTOR_GONE_EVENT);
		doctor_find(doctor, "too-old", DOCTOR_GOOD, event.line, NULL,
			    "a version that is too old is told by an ERROR event of code 410");
	} else if (any && is_change(event.type)) {
		doctor_find(doctor, "too-old", DOCTOR_NOTE, event.line, NULL,
			    "version 1 is still known here, so a 410 could not be provoked");
	} else if (call->status == 200 && base_str_is(base_str(doctor->list_rv), "1")) {
		doctor_find(doctor, "too-old", DOCTOR_UNKNOWN, base_str(doctor->list_rv), NULL,
			    "nothing was written yet: no version is too old");
	} else {
		doctor_trait_set(doctor, DOCTOR_GONE_SILENT);
		base_buf_clear(&doctor->text);
		ask_outcome(call, &doctor->text);
		doctor_find(doctor, "too-old", DOCTOR_BROKEN, base_buf_peek(&call->body),
			    "a client that is too late must be told by 410, or it misses changes "
			    "or asks for ever",
			    "a watch from version 1 is neither served nor told that it is too old: "
			    "%.*s",
			    BASE_STR_ARG(base_buf_peek(&doctor->text)));
	}
}

void doctor_probe_versions(struct doctor *doctor)
{
	struct ask_call call;

	ask_call_init(&call, doctor->ask);
	too_old(doctor, &call);
	too_old_list(doctor, &call);
	too_large(doctor, &call);
	ask_call_release(&call);
}
