/* What the parts of sim/judge/clients*.c share. */
#ifndef SIM_JUDGE_CLIENTS_STATE_H
#define SIM_JUDGE_CLIENTS_STATE_H

#include "base/map.h"
#include "sim/judge/clients.h"
#include "sim/judge/invariants.h"

#define CLIENTS_RATE_SECONDS 60
#define CLIENTS_INVARIANTS 32
#define CLIENTS_BREACHES_MAX 3 /* of one invariant of one client that are kept */
#define CLIENTS_SAME_MAX 64    /* streams of one kind of a client */
#define CLIENTS_EFFECTS_MAX 64

/* How much happened in the last minute. */
struct clients_rate {
	uint64_t second;
	uint32_t counts[CLIENTS_RATE_SECONDS];
	uint64_t sum;
};

/* The last of many texts, and whether one is among them. */
struct clients_memory {
	struct base_map known;
	char **ring;
	size_t cap, at;
	bool forgot; /* some are not known any more */
};

struct clients_client;

/* Streams that ask the same; their lists are counted together. */
struct clients_kind {
	struct clients_client *client;
	struct clients_stream *streams[CLIENTS_SAME_MAX];
	size_t stream_count, watches_open, watches_most;
	struct clients_rate lists;
	bool told;
};

struct clients_stream {
	struct clients_kind *kind;
	uint64_t open; /* the request under way, 0: none */
	uint64_t last_ns, connection;
	char *last_rv, *token; /* last delivered; NULL: none */
	struct clients_rate rate;
	bool told;
	/* A watch has ended cleanly, and the next request should go on from there. */
	bool resumes;
	uint64_t resume_request, connection_most;
	size_t lines[JUDGE_EVIDENCE_LINES_MAX];
	size_t line_at;
};

struct clients_flight {
	struct clients_client *client;
	struct clients_stream *stream; /* NULL: of no stream */
	enum judge_request_kind kind;
	uint64_t number, start_ns, head_ns, timeout_s, status;
	bool has_timeout, end_bookmark, bad;
	uint64_t events;
	size_t line;
};

struct clients_breach {
	size_t invariant; /* its place in the table */
	uint64_t t_ns, request;
	size_t line;
	size_t lines[JUDGE_EVIDENCE_LINES_MAX];
	size_t line_count;
	size_t evidence; /* of `line`: place in the client's evidence */
	char *text;
};

struct clients_client {
	char *name;
	struct base_map kinds; /* "path\nlabels\nfields" */
	struct judge_client_figures figures;
	struct {
		uint64_t judged, broken;
		const char *unsure; /* why some case could not be judged */
	} invariants[CLIENTS_INVARIANTS];
	struct clients_breach *breaches;
	size_t breach_count;
	struct hist *evidence; /* NULL: none yet */
	size_t *evidence_lines;
};

struct judge_clients {
	struct clients_client **items;
	size_t count;
	struct base_map by_name, flights;
	struct clients_memory versions, tokens;
	size_t stream_count;
	uint64_t now_ns, unjudged, connection_most;
	struct {
		char *fault, *kind;
		uint64_t count;
	} effects[CLIENTS_EFFECTS_MAX];
	size_t effect_count;
	char *failure; /* the harness's own */
	/* the second reading: which lines are wanted, ascending; and whose answers */
	struct clients_wanted {
		size_t line, client;
	} * wanted;
	size_t wanted_count, wanted_at;
	struct base_map answers; /* request → how many records of its answer are kept */
};

/* clients_memory.c */
void clients_memory_init(struct clients_memory *memory, size_t cap);
void clients_memory_release(struct clients_memory *memory);
void clients_memory_put(struct clients_memory *memory, struct base_str text);
bool clients_memory_has(const struct clients_memory *memory, struct base_str text);
/* Counts one more; how many there were in the minute that ends now. */
uint64_t clients_rate_add(struct clients_rate *rate, uint64_t now_ns);

/* clients.c */
size_t clients_invariant(const char *id);
/* A case of that invariant was judged and held. */
void clients_held(struct clients_client *client, const char *id);
/* stream may be NULL. */
void clients_broke(struct judge_clients *clients, struct clients_client *client, const char *id,
		   const struct clients_stream *stream, uint64_t request, size_t line,
		   const char *format, ...) BASE_PRINTF(7, 8);

/* clients_stream.c: what a stream's requests mean. */
void clients_requested(struct judge_clients *clients, struct clients_client *client,
		       const struct hist_record *record, size_t line);
/* What happened on a stream, for the evidence; stream may be NULL. */
void clients_note_line(struct clients_stream *stream, size_t line);
void clients_flight_over(struct judge_clients *clients, struct clients_flight *flight, bool clean);

#endif
