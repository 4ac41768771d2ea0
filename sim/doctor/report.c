/* The doctor's findings as text and as JSON. */
#include "sim/doctor/doctor.h"
#include "sim/fatal.h"

static void line(struct base_buf *out, const char *prefix, const char *text)
{
	if (text != NULL && text[0] != '\0')
		sim_must(base_buf_printf(out, "    %s%s\n", prefix, text));
}

static size_t count_of(const struct doctor *doctor, enum doctor_severity severity)
{
	size_t count = 0;

	for (size_t i = 0; i < doctor->finding_count; i++)
		count += doctor->findings[i].severity == severity;
	return count;
}

static void write_clients(const struct doctor *doctor, struct base_buf *out)
{
	bool any = false;

	for (size_t i = 0; i < doctor_client_count; i++) {
		const struct doctor_client *c = &doctor_clients[i];

		if (!doctor->traits[c->trait])
			continue;
		if (!any)
			sim_must(base_buf_text(out, "\nclients here:\n"));
		any = true;
		sim_must(base_buf_printf(out, "  %s %s %s: %s (%s%s%s)\n", c->client, c->versions,
					 c->does, c->why, doctor_trait_word(c->trait),
					 c->report != NULL ? ", " : "",
					 c->report != NULL ? c->report : ""));
	}
}

void doctor_write_text(const struct doctor *doctor, bool all, struct base_buf *out)
{
	const uint64_t took_ms = doctor->took_ns / 1000000;

	if (doctor->resource.plural[0] != '\0')
		sim_must(base_buf_printf(out, "looked at %s, %zu of them\n", doctor->resource.path,
					 doctor->items));
	/* The worst first. */
	for (int s = DOCTOR_BROKEN; s >= (all ? DOCTOR_GOOD : DOCTOR_NOTE); s--) {
		for (size_t i = 0; i < doctor->finding_count; i++) {
			const struct doctor_finding *f = &doctor->findings[i];

			if ((int)f->severity != s)
				continue;
			sim_must(base_buf_printf(out, "%-8s %-16s %s\n",
						 doctor_severity_word(f->severity), f->id,
						 f->text));
			line(out, "saw: ", f->evidence);
			line(out, "do:  ", f->advice);
		}
	}
	write_clients(doctor, out);
	sim_must(base_buf_printf(
		out,
		"\n%zu broken, %zu warnings, %zu unknown, %zu good; %llu requests in "
		"%llu.%llu s\n",
		count_of(doctor, DOCTOR_BROKEN), count_of(doctor, DOCTOR_WARNING),
		count_of(doctor, DOCTOR_UNKNOWN), count_of(doctor, DOCTOR_GOOD),
		(unsigned long long)doctor->ask->requests, (unsigned long long)(took_ms / 1000),
		(unsigned long long)(took_ms % 1000 / 100)));
}

static void member(struct base_buf *out, const char *before, const char *name, const char *text)
{
	sim_must(base_buf_printf(out, "%s\"%s\":", before, name));
	sim_must(base_buf_json_string(out, base_str(text)));
}

static void write_way(const struct doctor *doctor, struct base_buf *out)
{
	const struct live_facts *way = &doctor->way;

	sim_must(base_buf_printf(out, ",\"http\":\"%s\"",
				 way->http == 20   ? "2"
				 : way->http == 11 ? "1.1"
				 : way->http == 10 ? "1.0"
						   : ""));
	member(out, ",", "tls", way->tls);
	member(out, ",", "cipher", way->cipher);
	member(out, ",", "alpn", way->protocol);
}

void doctor_write_json(const struct doctor *doctor, struct base_buf *out)
{
	const char *comma = "";

	sim_must(base_buf_text(out, "{\"relist\":1,\"doctor\":true"));
	member(out, ",", "version", doctor->version);
	member(out, ",", "platform", doctor->platform);
	write_way(doctor, out);
	member(out, ",", "path", doctor->resource.path);
	sim_must(base_buf_printf(out,
				 ",\"reachable\":%s,\"complete\":%s,\"exit\":%d,"
				 "\"requests\":%llu,\"tookMs\":%llu,\"findings\":[",
				 doctor->unreachable ? "false" : "true",
				 doctor->incomplete ? "false" : "true", doctor_exit(doctor),
				 (unsigned long long)doctor->ask->requests,
				 (unsigned long long)(doctor->took_ns / 1000000)));
	for (size_t i = 0; i < doctor->finding_count; i++) {
		const struct doctor_finding *f = &doctor->findings[i];

		member(out, i > 0 ? ",{" : "{", "id", f->id);
		member(out, ",", "severity", doctor_severity_word(f->severity));
		member(out, ",", "text", f->text);
		if (f->evidence[0] != '\0')
			member(out, ",", "evidence", f->evidence);
		if (f->advice != NULL)
			member(out, ",", "do", f->advice);
		sim_must(base_buf_char(out, '}'));
	}
	sim_must(base_buf_text(out, "],\"traits\":["));
	for (int i = 0; i < DOCTOR_TRAIT_COUNT; i++) {
		if (!doctor->traits[i])
			continue;
		sim_must(base_buf_printf(out, "%s\"%s\"", comma,
					 doctor_trait_word((enum doctor_trait)i)));
		comma = ",";
	}
	comma = "";
	sim_must(base_buf_text(out, "],\"clients\":["));
	for (size_t i = 0; i < doctor_client_count; i++) {
		const struct doctor_client *c = &doctor_clients[i];

		if (!doctor->traits[c->trait])
			continue;
		sim_must(base_buf_printf(out, "%s{", comma));
		member(out, "", "client", c->client);
		member(out, ",", "versions", c->versions);
		member(out, ",", "does", c->does);
		member(out, ",", "why", c->why);
		member(out, ",", "trait", doctor_trait_word(c->trait));
		if (c->report != NULL)
			member(out, ",", "report", c->report);
		sim_must(base_buf_char(out, '}'));
		comma = ",";
	}
	sim_must(base_buf_text(out, "]}\n"));
}
