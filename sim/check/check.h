/* Checking a peer: it is talked to with a fixed set of probes, each in a process of its own, and what it does
 * that the protocol (ci/peers/README.md) does not allow is noted: which answer, which member, what was
 * expected, what came, and where the document says so.
 *
 * It judges the adapter, not the client: how a client retries or what its handlers hear after a relist is the
 * business of tapes and scenarios. Without memory the process ends with exit code 3. */
#ifndef SIM_CHECK_CHECK_H
#define SIM_CHECK_CHECK_H

#include <stdio.h>

#include "base/buf.h"
#include "sim/subject_peer.h"

#define CHECK_LIMIT_MS 5000U

enum check_result { CHECK_PASSED, CHECK_FAILED, CHECK_SKIPPED };

struct check_finding {
	bool note;       /* allowed, but perhaps not meant */
	unsigned answer; /* which one of the conversation; 0: none */
	char *request;   /* the line it answers, cut */
	char *field;     /* "out[2].rv"; empty: the line as a whole */
	char *expected, *got;
	const char *section;
};

struct check_probe {
	const char *name, *title;
	enum check_result result;
	char *why; /* skipped: why */
	struct check_finding *findings;
	size_t finding_count;
};

struct check_report {
	struct check_probe *probes;
	size_t probe_count;
	size_t counts[3]; /* by result */
	char *client;     /* "client-go v0.36.2 (go)"; NULL: it never said */
	bool not_started; /* the peer could not be started at all */
};

struct check_options {
	const struct subject_peer_options *peer;
	uint64_t limit_ms; /* for one answer; 0: CHECK_LIMIT_MS */
	const char *only;  /* the name of one probe; NULL: all */
	FILE *talk;        /* every line, with "> " and "< " before it; NULL: nowhere */
};

/* Zero the report before; release it in any case. */
void check_peer(const struct check_options *options, struct check_report *report);
void check_report_release(struct check_report *report);
/* "name  what it asks for" of the i-th probe; NULL behind the last. */
const char *check_probe_name(size_t i, const char **title);

#endif
