/* Judges clients from the server's side of a history, record by record, so that its length does not matter.
 *
 * A client is an actor of REQUEST records: an agent and a user. What it asks of one collection with one set of
 * selectors is a stream, as of one informer; when requests of one kind are open at the same time there are
 * several. Judged are the invariants about requests (I2, I9, I11, I16, I19); of all others the verdict says which
 * fact is missing. What may be another process of the same name is not held against it.
 *
 * Memory is bounded by what is open and by the limits below. Lines are those of the file that is read. After the
 * last record the history may be read a second time, so that the verdicts can show what lies around a finding.
 * Thread rule: one thread at a time. Memory: sim_fatal when there is none. */
#ifndef SIM_JUDGE_CLIENTS_H
#define SIM_JUDGE_CLIENTS_H

#include "sim/history/history.h"
#include "sim/history/verdict.h"

#define JUDGE_CLIENTS_MAX 1000 /* of more only the requests are counted */
#define JUDGE_STREAMS_MAX                                                                          \
	20000 /* of all clients; what more ask is judged alone, not in its order */
#define JUDGE_VERSIONS_MAX                                                                         \
	131072 /* the last versions given out; older ones are not held against anybody */
#define JUDGE_TOKENS_MAX 16384     /* the last continue tokens */
#define JUDGE_EVIDENCE_LINES_MAX 8 /* of a stream, before what broke */

struct judge_clients;

/* Never NULL. */
struct judge_clients *judge_clients_new(void);
void judge_clients_free(struct judge_clients *clients); /* NULL is allowed */

/* The next record; line: where it stands. */
void judge_clients_take(struct judge_clients *clients, const struct hist_record *record,
			size_t line);
/* There is no more: what is still open is judged. */
void judge_clients_finish(struct judge_clients *clients);
/* Did anything break, so that a second reading has a use? Then every record again. */
bool judge_clients_wants_again(const struct judge_clients *clients);
void judge_clients_again(struct judge_clients *clients, const struct hist_record *record,
			 size_t line);

struct judge_client_figures {
	struct base_str name;
	uint64_t lists, watches, others;
	size_t streams;
	uint64_t last_ns; /* its last request */
};
size_t judge_clients_count(const struct judge_clients *clients);
struct judge_client_figures judge_clients_figures(const struct judge_clients *clients, size_t i);
/* verdict: initialised and empty. Findings have lines, and records of the history that judge_clients_evidence
 * gives. */
void judge_clients_verdict(const struct judge_clients *clients, size_t i, struct verdict *verdict);
/* Some records around the findings; borrowed. */
const struct hist *judge_clients_evidence(const struct judge_clients *clients, size_t i);
/* Requests of clients beyond JUDGE_CLIENTS_MAX. */
uint64_t judge_clients_unjudged(const struct judge_clients *clients);

#endif
