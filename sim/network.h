/* The network between one subject and one fake API server: a table of calls, and the simulated one behind it
 * (another with real sockets is sim/wire/network.h).
 *
 * The simulated one carries real HTTP/1.1 bytes over connections: one request at a time per connection, idle ones of the
 * same informer are used again. Every byte takes `latency_ns` each way; order is kept per connection and
 * direction. A request that the client drops closes its connection. What reaches the client is written
 * into the history as it arrives.
 *
 * Time is what the caller says; it never goes back. At one instant: sim_network_arrive for what reaches the
 * server, then sim_network_take for what reaches the client. */
#ifndef SIM_NETWORK_H
#define SIM_NETWORK_H

#include "fakeapi/fakeapi.h"
#include "sim/subject.h"

struct sim_network_figures {
	uint64_t connections; /* made so far */
	uint64_t open;        /* now */
	uint64_t requests_open;
	uint64_t bytes_to_client;
};

struct sim_network;
struct sim_network_ops {
	void (*free)(struct sim_network *network);
	void (*send)(struct sim_network *network, const struct hist_record *request);
	void (*cancel)(struct sim_network *network, const struct hist_record *cancel);
	uint64_t (*wait)(struct sim_network *network, uint64_t now_ns, uint64_t to_ns);
	uint64_t (*next_ns)(const struct sim_network *network);
	bool (*arrive)(struct sim_network *network, uint64_t now_ns);
	size_t (*take)(struct sim_network *network, uint64_t now_ns,
		       const struct subject_delivery **deliveries);
	void (*heard)(struct sim_network *network, const struct fakeapi_who *who,
		      const struct fakeapi_heard *heard);
	uint64_t (*request_of)(const struct sim_network *network, const struct fakeapi_who *who,
			       struct base_str *informer);
	struct sim_network_figures (*figures)(const struct sim_network *network);
	/* What broke in the network itself; NULL: nothing. */
	const char *(*trouble)(const struct sim_network *network);
};

/* Implementations embed this as their first member. */
struct sim_network {
	const struct sim_network_ops *ops;
};

struct sim_network_options {
	struct fakeapi *server;
	struct hist *hist;
	uint64_t latency_ns;
};

/* Never NULL (without memory the process ends with exit code 3). */
struct sim_network *sim_network_new(const struct sim_network_options *options);
void sim_network_free(struct sim_network *network);

/* A REQUEST record of the subject, at its time. */
void sim_network_send(struct sim_network *network, const struct hist_record *request);
/* A CANCEL record. Unknown or ended: no-op. */
void sim_network_cancel(struct sim_network *network, const struct hist_record *cancel);
/* How far the client may run on its way to to_ns: at once all the way where time is simulated; where it is
 * paced, as far as the clock is. Never below now_ns or above to_ns. */
uint64_t sim_network_wait(struct sim_network *network, uint64_t now_ns, uint64_t to_ns);
/* When the next thing arrives anywhere; UINT64_MAX: nothing is on its way. */
uint64_t sim_network_next_ns(const struct sim_network *network);
/* Hands the server what arrives at it until now; the server's clock must stand at now. True: something
 * arrived. */
bool sim_network_arrive(struct sim_network *network, uint64_t now_ns);
/* What reaches the client until now, in order. *deliveries is valid until the next call. */
size_t sim_network_take(struct sim_network *network, uint64_t now_ns,
			const struct subject_delivery **deliveries);

/* For the server's observer: a request has come in; and the run's number of the request that the server is
 * answering, 0: none. The name of the informer goes to *informer. */
void sim_network_heard(struct sim_network *network, const struct fakeapi_who *who,
		       const struct fakeapi_heard *heard);
uint64_t sim_network_request_of(const struct sim_network *network, const struct fakeapi_who *who,
				struct base_str *informer);

struct sim_network_figures sim_network_figures(const struct sim_network *network);
/* What broke in the network itself, so that the run proves nothing; NULL: nothing. */
const char *sim_network_trouble(const struct sim_network *network);

#endif
