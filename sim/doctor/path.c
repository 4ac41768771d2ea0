/* What stands between: encodings, content types, parameters that get lost. */
#include "base/json.h"
#include "sim/doctor/doctor.h"

#define ANSWER_NS UINT64_C(6000000000)

static void selectors(struct doctor *doctor, struct ask_call *call)
{
	struct base_json_iter it;

	(void)ask_get(call, base_str(doctor->resource.path),
		      BASE_STR("labelSelector=relist.dev%2Fdoctor%3Dnobody&limit=1"), ANSWER_NS);
	const struct base_str value = doctor_json(call);
	base_json_iter_init(&it, base_json_get(value, BASE_STR("items")));
	if (call->status == 200 && base_json_iter_next(&it)) {
		doctor_trait_set(doctor, DOCTOR_STRIPPED);
		doctor_find(doctor, "parameters", DOCTOR_BROKEN, base_buf_peek(&call->body),
			    "something between here and the server drops query parameters: let "
			    "them through",
			    "a label selector that nothing fits brought an object: the parameter "
			    "got lost");
	} else if (call->status == 200) {
		doctor_find(doctor, "parameters", DOCTOR_GOOD, base_buf_peek(&call->body), NULL,
			    "a label selector arrives at the server");
	}
	const struct base_str type = ask_header(call, "Content-Type");
	if (call->status == 200 && !base_str_starts(type, BASE_STR("application/json"))) {
		doctor_trait_set(doctor, DOCTOR_CONTENT_TYPE);
		doctor_find(doctor, "content-type", DOCTOR_BROKEN, type,
			    "clients choose their decoder by it: something rewrites the header",
			    "a list asked for as JSON says it is \"%.*s\"", BASE_STR_ARG(type));
	}
	if (ask_header(call, "Content-Encoding").len > 0) {
		doctor_trait_set(doctor, DOCTOR_GZIP_UNASKED);
		doctor_find(doctor, "compression", DOCTOR_BROKEN,
			    ask_header(call, "Content-Encoding"),
			    "a proxy compresses for clients that did not ask: turn it off",
			    "an answer is compressed though nobody asked");
	}
	const struct base_str via = ask_header(call, "Via");
	if (via.len > 0)
		doctor_find(doctor, "proxy", DOCTOR_NOTE, via, NULL,
			    "a proxy names itself in the answers");
}

/* What clients that offer gzip get for a watch. */
static void compressed_watch(struct doctor *doctor, struct ask_call *call)
{
	if (ask_start(call, base_str(doctor->resource.path),
		      BASE_STR("resourceVersion=0&timeoutSeconds=1&watch=true"), true, "gzip"))
		ask_wait(call, ANSWER_NS);
	if (call->status != 200)
		return;
	const struct base_str encoding = ask_header(call, "Content-Encoding");
	if (encoding.len == 0) {
		doctor_find(doctor, "compression", DOCTOR_GOOD, base_buf_peek(&call->head), NULL,
			    "watches are not compressed, even when a client offers gzip");
		return;
	}
	doctor_trait_set(doctor, DOCTOR_GZIP_ASKED);
	doctor_find(doctor, "compression", DOCTOR_NOTE, base_buf_peek(&call->body),
		    "do not offer gzip for watches with clients that read one member only",
		    "a watch is compressed (%.*s) when a client offers it", BASE_STR_ARG(encoding));
}

void doctor_probe_path(struct doctor *doctor)
{
	struct ask_call call;

	ask_call_init(&call, doctor->ask);
	selectors(doctor, &call);
	compressed_watch(doctor, &call);
	ask_call_release(&call);
}
