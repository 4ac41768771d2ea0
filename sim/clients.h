/* What the clients of a served machine ask and get, put into the history: one client or many, ours or somebody
 * else's, seen from the server's side.
 *
 * REQUEST and CANCEL are told as the client's, everything that left for it (heads, bodies, lists, events, ends)
 * as the network's, behind all faults. An actor is "AGENT as USER": the first word of the User-Agent and the
 * name behind the token. Bodies that are compressed are told in their uncompressed length. Protobuf is not
 * read: of lists the version and the token are told as the server made them, of events the key.
 *
 * Thread rule: the machine's. Memory: sim_fatal when there is none. */
#ifndef SIM_CLIENTS_H
#define SIM_CLIENTS_H

#include "fakeapi/fakeapi.h"
#include "sim/history/history.h"

struct sim_clients;

/* hist is borrowed. Never NULL. */
struct sim_clients *sim_clients_new(struct hist *hist);
void sim_clients_free(struct sim_clients *clients); /* NULL is allowed */

/* For the machine's observer. */
void sim_clients_heard(struct sim_clients *clients, uint64_t now_ns, const struct fakeapi_who *who,
		       const struct fakeapi_heard *heard);
void sim_clients_listed(struct sim_clients *clients, const struct fakeapi_who *who,
			const struct fakeapi_listed *listed);
/* Before the line's bytes come. */
void sim_clients_line(struct sim_clients *clients, const struct fakeapi_who *who,
		      const struct fakeapi_line *line);
void sim_clients_sent(struct sim_clients *clients, uint64_t now_ns, const struct fakeapi_who *who,
		      const struct fakeapi_sent *sent);
/* The history's number of the request that is being answered, 0: none. */
uint64_t sim_clients_request_of(const struct sim_clients *clients, const struct fakeapi_who *who);

#endif
