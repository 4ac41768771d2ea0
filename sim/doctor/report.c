/* The doctor's findings as text and as JSON, and the rights that live commands need. */
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
		sim_must(base_buf_printf(out, "  %s %s %s: %s (%s)\n", c->client, c->versions,
					 c->does, c->why, doctor_trait_word(c->trait)));
	}
}

void doctor_write_text(const struct doctor *doctor, bool all, struct base_buf *out)
{
	const uint64_t took_ms = (base_loop_now_ns(doctor->ask->loop) - doctor->begin_ns) / 1000000;

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

void doctor_write_json(const struct doctor *doctor, struct base_buf *out)
{
	const char *comma = "";

	sim_must(base_buf_text(out, "{\"relist\":1,\"doctor\":true"));
	member(out, ",", "version", doctor->version);
	member(out, ",", "platform", doctor->platform);
	member(out, ",", "path", doctor->resource.path);
	sim_must(base_buf_printf(out, ",\"reachable\":%s,\"requests\":%llu,\"findings\":[",
				 doctor->unreachable ? "false" : "true",
				 (unsigned long long)doctor->ask->requests));
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
		sim_must(base_buf_char(out, '}'));
		comma = ",";
	}
	sim_must(base_buf_text(out, "]}\n"));
}

const char *doctor_rbac(void)
{
	return "# The smallest rights for relist against a live cluster.\n"
	       "# doctor and soak only read. Name the resources that they shall look at.\n"
	       "apiVersion: rbac.authorization.k8s.io/v1\n"
	       "kind: ClusterRole\n"
	       "metadata: {name: relist-read}\n"
	       "rules:\n"
	       "- nonResourceURLs: [/version, /api, /api/*, /apis, /apis/*]\n"
	       "  verbs: [get]\n"
	       "- apiGroups: [\"\"]\n"
	       "  resources: [namespaces, pods, configmaps, services, nodes]\n"
	       "  verbs: [list, watch]\n"
	       "- apiGroups: [coordination.k8s.io]\n"
	       "  resources: [leases]\n"
	       "  verbs: [list, watch]\n"
	       "---\n"
	       "# live scenarios make a namespace of their own and what they need inside it.\n"
	       "apiVersion: rbac.authorization.k8s.io/v1\n"
	       "kind: ClusterRole\n"
	       "metadata: {name: relist-live}\n"
	       "rules:\n"
	       "- apiGroups: [\"\"]\n"
	       "  resources: [namespaces]\n"
	       "  verbs: [get, list, watch, create, delete]\n"
	       "- apiGroups: [\"\"]\n"
	       "  resources: [pods, configmaps, services, secrets]\n"
	       "  verbs: [get, list, watch, create, update, patch, delete]\n"
	       "---\n"
	       "apiVersion: v1\n"
	       "kind: ServiceAccount\n"
	       "metadata: {name: relist, namespace: default}\n"
	       "---\n"
	       "apiVersion: rbac.authorization.k8s.io/v1\n"
	       "kind: ClusterRoleBinding\n"
	       "metadata: {name: relist-read}\n"
	       "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: relist-read}\n"
	       "subjects: [{kind: ServiceAccount, name: relist, namespace: default}]\n"
	       "---\n"
	       "# Only for `relist run --live`.\n"
	       "apiVersion: rbac.authorization.k8s.io/v1\n"
	       "kind: ClusterRoleBinding\n"
	       "metadata: {name: relist-live}\n"
	       "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: relist-live}\n"
	       "subjects: [{kind: ServiceAccount, name: relist, namespace: default}]\n";
}
