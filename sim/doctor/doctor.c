#include "sim/doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/fatal.h"

#define SECOND_NS UINT64_C(1000000000)
#define ANSWER_NS (6 * SECOND_NS)
#define SKEW_MS 5000

const char *doctor_severity_word(enum doctor_severity severity)
{
	static const char *const words[] = {
#define DOCTOR_SEVERITY_WORD(id, word) word,
		DOCTOR_SEVERITIES(DOCTOR_SEVERITY_WORD)
#undef DOCTOR_SEVERITY_WORD
	};

	return words[severity];
}

const char *doctor_trait_word(enum doctor_trait trait)
{
	static const char *const words[] = {
#define DOCTOR_TRAIT_WORD(id, word) word,
		DOCTOR_TRAITS(DOCTOR_TRAIT_WORD)
#undef DOCTOR_TRAIT_WORD
	};

	return words[trait];
}

/* ---- Findings ---- */

void doctor_quote(struct base_buf *out, struct base_str bytes, size_t max)
{
	for (size_t i = 0; i < bytes.len && i < max; i++) {
		const unsigned char c = (unsigned char)bytes.ptr[i];

		if (c == '\n')
			sim_must(base_buf_text(out, "\\n"));
		else if (c == '\r')
			sim_must(base_buf_text(out, "\\r"));
		else if (c < ' ' || c >= 0x7f)
			sim_must(base_buf_printf(out, "\\x%02x", c));
		else
			sim_must(base_buf_char(out, (char)c));
	}
	if (bytes.len > max)
		sim_must(base_buf_printf(out, "… (%zu bytes)", bytes.len));
}

/* Whoever was interrupted has seen nothing that counts. */
static bool is_cut_short(const struct doctor *doctor)
{
	return !doctor->summing && ask_is_over(doctor->ask);
}

void doctor_find(struct doctor *doctor, const char *id, enum doctor_severity severity,
		 struct base_str evidence, const char *advice, const char *format, ...)
{
	struct doctor_finding *finding;
	struct base_buf quoted;
	char text[512];
	va_list args;

	bool known = false;

	for (size_t i = 0; i < doctor_kind_count && !known; i++)
		known = strcmp(doctor_kinds[i].id, id) == 0 && doctor_kinds[i].severity == severity;
	if (!known)
		sim_fatal("no finding %s is known to be %s", id, doctor_severity_word(severity));
	if (doctor->finding_count == DOCTOR_FINDINGS_MAX || is_cut_short(doctor))
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	base_buf_init(&quoted, NULL, 65536);
	doctor_quote(&quoted, evidence, 300);
	finding = &doctor->findings[doctor->finding_count++];
	*finding = (struct doctor_finding){.id = id,
					   .severity = severity,
					   .text = sim_strdup(base_str(text)),
					   .evidence = sim_strdup(base_buf_peek(&quoted)),
					   .advice = advice};
	base_buf_release(&quoted);
}

void doctor_trait_set(struct doctor *doctor, enum doctor_trait trait)
{
	if (!is_cut_short(doctor))
		doctor->traits[trait] = true;
}

struct base_str doctor_plain(struct base_str value)
{
	struct base_str text = {0};

	return base_json_plain_text(value, &text) ? text : (struct base_str){0};
}

struct base_str doctor_json(const struct ask_call *call)
{
	struct base_str value;
	struct base_error error;

	return base_json_check(base_buf_peek(&call->body), &value, NULL, &error) == BASE_OK
		       ? value
		       : (struct base_str){0};
}

/* ---- The server ---- */

static void copy(char *out, size_t size, struct base_str text)
{
	snprintf(out, size, "%.*s", BASE_STR_ARG(text));
}

static void look_at_clock(struct doctor *doctor, const struct ask_call *call)
{
	const struct base_str date = ask_header(call, "Date");
	int64_t ms;

	if (!doctor_http_date(date, &ms)) {
		doctor_find(doctor, "clock", DOCTOR_UNKNOWN, date, NULL,
			    "answers carry no Date, so the clocks cannot be compared");
		return;
	}
	/* It was written between the asking and the answer, in whole seconds, cut. */
	const int64_t asked_ms = call->head_wall_ms -
				 (int64_t)((call->head_ns - call->start_ns) / 1000000);
	doctor->skew_ms = ms > call->head_wall_ms ? ms - call->head_wall_ms
			  : ms + 999 < asked_ms   ? ms + 999 - asked_ms
						  : 0;
	doctor->skew_known = true;
	if (doctor->skew_ms > -SKEW_MS && doctor->skew_ms < SKEW_MS) {
		doctor_find(doctor, "clock", DOCTOR_GOOD, date, NULL,
			    "the server's clock and this machine's agree to %lld ms",
			    (long long)(doctor->skew_ms < 0 ? -doctor->skew_ms : doctor->skew_ms) +
				    (call->head_wall_ms - asked_ms));
		return;
	}
	doctor_trait_set(doctor, DOCTOR_SKEWED);
	doctor_find(doctor, "clock", DOCTOR_WARNING, date,
		    "synchronise the clocks: tokens and certificates are judged by both sides",
		    "the server's clock is %lld s %s this machine's",
		    (long long)(doctor->skew_ms < 0 ? -doctor->skew_ms : doctor->skew_ms) / 1000,
		    doctor->skew_ms < 0 ? "behind" : "ahead of");
}

static void look_at_version(struct doctor *doctor)
{
	struct ask_call call;
	struct base_str value;

	ask_call_init(&call, doctor->ask);
	const bool whole = ask_get(&call, BASE_STR("/version"), BASE_STR(""), ANSWER_NS);
	doctor_look_at_tls(doctor);
	base_buf_clear(&doctor->text);
	ask_outcome(&call, &doctor->text);
	value = doctor_json(&call);
	if (call.status == 0) {
		doctor->unreachable = true;
		doctor_find(doctor, "server", DOCTOR_BROKEN, base_buf_peek(&doctor->text),
			    "look at the address, the network and the certificate authority",
			    "the server cannot be reached");
	} else if (!whole || call.status != 200 || value.len == 0) {
		doctor_find(doctor, "server", DOCTOR_WARNING, base_buf_peek(&call.body),
			    "something that is no API server answers in its place, or no rights",
			    "/version is not answered: %.*s",
			    BASE_STR_ARG(base_buf_peek(&doctor->text)));
		look_at_clock(doctor, &call);
	} else {
		copy(doctor->version, sizeof(doctor->version),
		     doctor_plain(base_json_get(value, BASE_STR("gitVersion"))));
		copy(doctor->platform, sizeof(doctor->platform),
		     doctor_plain(base_json_get(value, BASE_STR("platform"))));
		doctor_find(doctor, "server", DOCTOR_GOOD, base_buf_peek(&call.body), NULL,
			    "Kubernetes %s on %s answers in %llu ms", doctor->version,
			    doctor->platform,
			    (unsigned long long)((call.head_ns - call.start_ns) / 1000000));
		look_at_clock(doctor, &call);
	}
	ask_call_release(&call);
}

/* ---- What to look at ---- */

static bool has_rights(struct doctor *doctor, const struct doctor_resource *resource,
		       const struct ask_call *call)
{
	if (call->status != 401 && call->status != 403)
		return true;
	doctor_trait_set(doctor, DOCTOR_NO_RIGHTS);
	doctor_find(doctor, "rights", DOCTOR_WARNING, base_buf_peek(&call->body),
		    call->status == 401
			    ? "the credentials are not accepted: look at the token or certificate"
			    : "grant get, list and watch: `relist doctor --rbac` prints the rules",
		    "%s may not be listed (%d)", resource->plural, call->status);
	return false;
}

/* Counts what a list of at most a page holds; false: it cannot be used. */
static bool try_resource(struct doctor *doctor, const char *name, bool chosen)
{
	struct doctor_resource resource;
	struct base_error error = {0};
	struct base_json_iter it;
	struct ask_call call;
	size_t items = 0;
	bool fine = false;

	if (!doctor_lookup(doctor->ask, name, doctor->options.namespace_, &resource, &error)) {
		snprintf(doctor->why, sizeof(doctor->why), "%.250s", error.text);
		if (chosen)
			doctor_find(doctor, "resource", DOCTOR_BROKEN, base_str(error.text), NULL,
				    "%s is not known here", name);
		return false;
	}
	ask_call_init(&call, doctor->ask);
	const bool whole =
		ask_get(&call, base_str(resource.path), BASE_STR("limit=500"), ANSWER_NS);
	const struct base_str value = doctor_json(&call);
	if (has_rights(doctor, &resource, &call) && whole && call.status == 200 && value.len > 0) {
		base_json_iter_init(&it, base_json_get(value, BASE_STR("items")));
		while (base_json_iter_next(&it))
			items++;
		fine = chosen || items > doctor->items || doctor->resource.plural[0] == '\0';
	} else if (call.status == 429) {
		doctor_trait_set(doctor, DOCTOR_OVERLOADED);
		doctor_find(doctor, "overload", DOCTOR_WARNING, base_buf_peek(&call.body),
			    "ask again later; look at the server's priority and fairness queues",
			    "the server is too busy to list %s (429, Retry-After %.*s)", name,
			    BASE_STR_ARG(ask_header(&call, "Retry-After")));
	} else if (call.status != 403 && call.status != 401) {
		base_buf_clear(&doctor->text);
		ask_outcome(&call, &doctor->text);
		doctor_find(doctor, "list", DOCTOR_BROKEN, base_buf_peek(&call.body),
			    "look at what stands between here and the server",
			    "a list of %s came to nothing: %.*s", name,
			    BASE_STR_ARG(base_buf_peek(&doctor->text)));
	}
	if (fine) {
		doctor->resource = resource;
		doctor->items = items;
		copy(doctor->list_rv, sizeof(doctor->list_rv),
		     doctor_plain(base_json_path(value, 2, "metadata", "resourceVersion")));
		if (doctor->list_rv[0] == '\0')
			doctor_find(doctor, "list", DOCTOR_BROKEN, base_buf_peek(&call.body),
				    "clients have no version to watch from: fix the server",
				    "a list of %s has no resourceVersion", name);
	}
	ask_call_release(&call);
	return fine;
}

static bool choose_resource(struct doctor *doctor)
{
	static const char *const names[] = {"namespaces", "pods", "configmaps", "services",
					    "nodes"};

	if (doctor->options.resource != NULL)
		return try_resource(doctor, doctor->options.resource, true);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && doctor->items < 2; i++)
		(void)try_resource(doctor, names[i], false);
	return doctor->resource.plural[0] != '\0';
}

/* ---- Life ---- */

void doctor_init(struct doctor *doctor, struct ask *ask, const struct doctor_options *options)
{
	memset(doctor, 0, sizeof(*doctor));
	doctor->ask = ask;
	doctor->options = *options;
	base_buf_init(&doctor->text, NULL, BASE_BUF_MAX_DEFAULT);
}

void doctor_release(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->finding_count; i++) {
		free(doctor->findings[i].text);
		free(doctor->findings[i].evidence);
	}
	base_buf_release(&doctor->text);
}

static void look_at_everything(struct doctor *doctor)
{
	look_at_version(doctor);
	if (doctor->unreachable)
		return;
	if (!choose_resource(doctor)) {
		doctor_find(doctor, "resource", DOCTOR_BROKEN, base_str(doctor->why),
			    "`relist doctor --rbac` prints the smallest rights",
			    "there is nothing that may be listed, so nothing more can be said");
		return;
	}
	doctor_find(doctor, "resource", DOCTOR_GOOD, base_str(doctor->resource.path), NULL,
		    "looked at %s, %zu of them", doctor->resource.plural, doctor->items);
	/* The watches take their time; meanwhile everything else is asked. */
	struct doctor_streams *streams = doctor_streams_open(doctor);
	doctor_probe_lists(doctor);
	doctor_probe_path(doctor);
	doctor_probe_versions(doctor);
	doctor_probe_http2(doctor);
	doctor_streams_judge(doctor, streams);
	if (!doctor->traits[DOCTOR_NO_RIGHTS])
		doctor_find(doctor, "rights", DOCTOR_GOOD, base_str(doctor->resource.path), NULL,
			    "%s may be listed and watched", doctor->resource.plural);
}

void doctor_examine(struct doctor *doctor)
{
	struct ask *ask = doctor->ask;

	doctor->begin_ns = base_loop_now_ns(ask->loop);
	/* Half a second is left for the end: the watches are judged on what has come. */
	ask->until_ns = doctor->begin_ns + doctor->options.time_ns - SECOND_NS / 2;
	look_at_everything(doctor);
	doctor->took_ns = base_loop_now_ns(ask->loop) - doctor->begin_ns;
	if (!ask_is_over(ask))
		return;
	doctor->summing = doctor->incomplete = true;
	doctor->unreachable = doctor->unreachable && doctor->finding_count > 0;
	doctor_find(doctor, "time", DOCTOR_UNKNOWN, (struct base_str){0},
		    "the rest is what was found until then; --time gives it longer",
		    "%s after %llu.%llu s, before everything was looked at",
		    ask->stop != NULL && *ask->stop ? "stopped" : "the time was up",
		    (unsigned long long)(doctor->took_ns / SECOND_NS),
		    (unsigned long long)(doctor->took_ns / (SECOND_NS / 10) % 10));
}

int doctor_exit(const struct doctor *doctor)
{
	if (doctor->unreachable)
		return 3;
	for (size_t i = 0; i < doctor->finding_count; i++)
		if (doctor->findings[i].severity == DOCTOR_BROKEN)
			return 1;
	return 0;
}
