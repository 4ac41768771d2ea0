#include "sim/clients.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/map.h"
#include "sim/delivered.h"
#include "sim/fatal.h"

#define INFLATED_MAX ((size_t)1 << 30)

enum media {
	MEDIA_OTHER, /* only its length is told */
	MEDIA_JSON,
	MEDIA_PROTOBUF,
};

struct flight {
	struct sim_delivered delivered;
	char *actor;
	bool resource; /* of a resource; its body is of interest */
	bool watch;
	enum media media;
	uint64_t status, rv, bytes;
	struct base_buf packed; /* a compressed body, until it is complete */
	bool gzip;
	/* Protobuf: the list, or the line under way, as the server made it. */
	bool has_list, has_line;
	uint64_t list_rv, list_count;
	char *token, *line_key, *line_rv;
	const char *line_type; /* static */
	uint32_t line_flags;
};

struct sim_clients {
	struct hist *hist;
	struct base_map flights; /* by the request's number */
};

static struct base_str id_of(const struct fakeapi_who *who)
{
	return base_str_n((const char *)&who->request_id, sizeof(who->request_id));
}

static struct flight *flight_of(const struct sim_clients *clients, const struct fakeapi_who *who)
{
	return base_map_get(&clients->flights, id_of(who));
}

struct sim_clients *sim_clients_new(struct hist *hist)
{
	struct sim_clients *clients = sim_calloc(1, sizeof(*clients));

	clients->hist = hist;
	base_map_init(&clients->flights, NULL);
	return clients;
}

static void flight_free(struct flight *flight)
{
	sim_delivered_release(&flight->delivered);
	base_buf_release(&flight->packed);
	free(flight->actor);
	free(flight->token);
	free(flight->line_key);
	free(flight->line_rv);
	free(flight);
}

void sim_clients_free(struct sim_clients *clients)
{
	const struct base_map_entry *entry;
	size_t at = 0;

	if (clients == NULL)
		return;
	while ((entry = base_map_next(&clients->flights, &at)) != NULL)
		flight_free(entry->value);
	base_map_release(&clients->flights);
	free(clients);
}

uint64_t sim_clients_request_of(const struct sim_clients *clients, const struct fakeapi_who *who)
{
	return flight_of(clients, who) != NULL ? who->request_id : 0;
}

static void tell(const struct sim_clients *clients, const struct flight *flight, uint64_t now_ns,
		 enum hist_source source, struct hist_record record)
{
	record.t_ns = now_ns;
	record.source = source;
	record.actor = base_str(flight->actor);
	record.request = flight->delivered.request;
	sim_must(hist_append(clients->hist, &record));
}

/* ---- Requests ---- */

/* "kubectl/v1.36.0 as relist" */
static char *actor_of(const struct fakeapi_heard *heard)
{
	struct base_str agent;
	struct base_buf name;
	bool found;

	(void)base_str_cut(heard->agent, ' ', &agent, &found);
	base_buf_init(&name, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_str(&name, agent.len > 0 ? agent : BASE_STR("unnamed")));
	if (heard->user.len > 0)
		sim_must(base_buf_printf(&name, " as %.*s", BASE_STR_ARG(heard->user)));
	return base_buf_take(&name, NULL);
}

void sim_clients_heard(struct sim_clients *clients, uint64_t now_ns, const struct fakeapi_who *who,
		       const struct fakeapi_heard *heard)
{
	struct flight *flight;
	struct hist_record record = {
		.kind = HIST_REQUEST, .method = heard->method, .from = who->client};
	struct base_buf headers;
	bool found;

	if (who->conn == NULL)
		return;
	flight = sim_calloc(1, sizeof(*flight));
	flight->actor = actor_of(heard);
	flight->resource = heard->resource != NULL;
	flight->watch = heard->parsed == FAKEAPI_PARSED_WATCH ||
			heard->parsed == FAKEAPI_PARSED_WATCH_LIST;
	base_buf_init(&flight->packed, NULL, INFLATED_MAX);
	record.query = base_str_cut(heard->target, '?', &record.path, &found);
	record.request = who->request_id;
	record.actor = base_str(flight->actor);
	/* How strictly the client reads nobody knows: nothing is held against its answers. */
	record.reason = BASE_STR("dynamic");
	sim_delivered_init(&flight->delivered, clients->hist, &record);
	flight->delivered.objects = true;
	flight->delivered.watch = flight->watch;
	if (flight->watch && flight->delivered.scan == NULL)
		flight->delivered.scan = sim_calloc(1, sizeof(*flight->delivered.scan));
	base_buf_init(&headers, NULL, BASE_BUF_MAX_DEFAULT);
	if (heard->agent.len > 0)
		sim_must(base_buf_printf(&headers, "User-Agent: %.*s\n",
					 BASE_STR_ARG(heard->agent)));
	if (heard->accept.len > 0)
		sim_must(base_buf_printf(&headers, "Accept: %.*s\n", BASE_STR_ARG(heard->accept)));
	record.reason = (struct base_str){0};
	record.text = base_buf_peek(&headers);
	tell(clients, flight, now_ns, HIST_CLIENT, record);
	base_buf_release(&headers);
	sim_must(base_map_put(&clients->flights, id_of(who), flight, NULL));
}

/* ---- What only the server knows of Protobuf ---- */

static void keep(char **slot, struct base_str text)
{
	free(*slot);
	*slot = sim_strdup(text);
}

void sim_clients_listed(struct sim_clients *clients, const struct fakeapi_who *who,
			const struct fakeapi_listed *listed)
{
	struct flight *flight = flight_of(clients, who);

	if (flight == NULL)
		return;
	flight->has_list = true;
	flight->list_rv = listed->rv;
	flight->list_count = listed->count;
	keep(&flight->token, listed->token);
}

void sim_clients_line(struct sim_clients *clients, const struct fakeapi_who *who,
		      const struct fakeapi_line *line)
{
	struct flight *flight = flight_of(clients, who);

	if (flight == NULL || flight->media != MEDIA_PROTOBUF)
		return;
	flight->has_line = true;
	flight->line_type = fakeapi_line_type_word(line->type);
	flight->line_flags = line->initial_end ? HIST_END_BOOKMARK : 0;
	keep(&flight->line_key, line->key);
	keep(&flight->line_rv, line->rv);
}

static void tell_line(const struct sim_clients *clients, struct flight *flight, uint64_t now_ns)
{
	if (!flight->has_line)
		return;
	flight->has_line = false;
	tell(clients, flight, now_ns, HIST_NETWORK,
	     (struct hist_record){.kind = HIST_EVENT,
				  .reason = base_str(flight->line_type),
				  .key = base_str(flight->line_key),
				  .rv = base_str(flight->line_rv),
				  .flags = flight->line_flags});
}

/* A body of Protobuf is over. */
static void tell_proto(const struct sim_clients *clients, struct flight *flight, uint64_t now_ns)
{
	struct hist_record record = {.kind = HIST_OBJECT};
	char rv[24];

	snprintf(rv, sizeof(rv), "%llu",
		 (unsigned long long)(flight->has_list ? flight->list_rv : flight->rv));
	record.rv = base_str(rv);
	if (flight->status / 100 != 2 || flight->watch || (!flight->has_list && flight->rv == 0))
		return;
	if (flight->has_list) {
		record.kind = HIST_LIST;
		record.number = flight->list_count;
		record.text = base_str(flight->token);
	}
	tell(clients, flight, now_ns, HIST_NETWORK, record);
}

/* ---- What leaves ---- */

static void give(struct flight *flight, uint64_t now_ns, struct subject_delivery delivery)
{
	sim_delivered_take(&flight->delivered, now_ns, &delivery);
}

static void sent_head(const struct sim_clients *clients, struct flight *flight, uint64_t now_ns,
		      const struct fakeapi_sent *sent)
{
	flight->status = (uint64_t)sent->status;
	flight->rv = sent->rv;
	flight->gzip = sent->gzip;
	if (base_str_starts(sent->content_type, BASE_STR("application/vnd.kubernetes.protobuf")))
		flight->media = MEDIA_PROTOBUF;
	else if (flight->resource &&
		 base_str_starts(sent->content_type, BASE_STR("application/json")))
		flight->media = MEDIA_JSON;
	if (flight->media == MEDIA_JSON)
		give(flight, now_ns,
		     (struct subject_delivery){.kind = SUBJECT_HEAD, .status = sent->status});
	else
		tell(clients, flight, now_ns, HIST_NETWORK,
		     (struct hist_record){.kind = HIST_HEAD, .number = flight->status});
}

static void sent_body(const struct sim_clients *clients, struct flight *flight, uint64_t now_ns,
		      struct base_str bytes)
{
	char total[24];

	if (flight->media == MEDIA_JSON && flight->gzip) {
		sim_must(base_buf_str(&flight->packed, bytes));
		return;
	}
	if (flight->media == MEDIA_JSON) {
		give(flight, now_ns,
		     (struct subject_delivery){.kind = SUBJECT_BODY, .bytes = bytes});
		return;
	}
	flight->bytes += bytes.len;
	snprintf(total, sizeof(total), "%llu", (unsigned long long)flight->bytes);
	tell(clients, flight, now_ns, HIST_NETWORK,
	     (struct hist_record){.kind = HIST_BODY, .number = bytes.len, .to = base_str(total)});
	tell_line(clients, flight, now_ns);
}

/* False: it is damaged. */
static bool inflate_all(struct base_str packed, struct base_buf *out)
{
	z_stream z = {0};
	char space[65536];
	int result = Z_OK;

	if (inflateInit2(&z, MAX_WBITS + 16) != Z_OK)
		sim_fatal("out of memory");
	z.next_in = (z_const Bytef *)packed.ptr;
	z.avail_in = (uInt)packed.len;
	while (result == Z_OK) {
		z.next_out = (Bytef *)space;
		z.avail_out = sizeof(space);
		result = inflate(&z, Z_NO_FLUSH);
		sim_must(base_buf_append(out, space, sizeof(space) - z.avail_out));
	}
	inflateEnd(&z);
	return result == Z_STREAM_END;
}

static void unpack(struct flight *flight, uint64_t now_ns)
{
	struct base_buf plain;

	if (!flight->gzip || flight->media != MEDIA_JSON)
		return;
	base_buf_init(&plain, NULL, INFLATED_MAX);
	if (inflate_all(base_buf_peek(&flight->packed), &plain))
		give(flight, now_ns,
		     (struct subject_delivery){.kind = SUBJECT_BODY,
					       .bytes = base_buf_peek(&plain)});
	base_buf_release(&plain);
}

static void sent_end(const struct sim_clients *clients, struct flight *flight, uint64_t now_ns,
		     enum fakeapi_sent_kind kind)
{
	const enum subject_end end = kind == FAKEAPI_SENT_END   ? SUBJECT_END_EOF
				     : kind == FAKEAPI_SENT_CUT ? SUBJECT_END_CUT
								: SUBJECT_END_RESET;

	if (kind == FAKEAPI_SENT_GONE) {
		tell(clients, flight, now_ns, HIST_CLIENT,
		     (struct hist_record){.kind = HIST_CANCEL});
		return;
	}
	if (flight->media == MEDIA_JSON) {
		if (kind == FAKEAPI_SENT_END)
			unpack(flight, now_ns);
		give(flight, now_ns, (struct subject_delivery){.kind = SUBJECT_END, .end = end});
		return;
	}
	if (kind == FAKEAPI_SENT_END && flight->media == MEDIA_PROTOBUF)
		tell_proto(clients, flight, now_ns);
	tell(clients, flight, now_ns, HIST_NETWORK,
	     (struct hist_record){.kind = HIST_END, .reason = base_str(subject_end_word(end))});
}

void sim_clients_sent(struct sim_clients *clients, uint64_t now_ns, const struct fakeapi_who *who,
		      const struct fakeapi_sent *sent)
{
	struct flight *flight = flight_of(clients, who);

	if (flight == NULL)
		return;
	switch (sent->kind) {
	case FAKEAPI_SENT_HEAD: sent_head(clients, flight, now_ns, sent); return;
	case FAKEAPI_SENT_BODY: sent_body(clients, flight, now_ns, sent->bytes); return;
	case FAKEAPI_SENT_END:
	case FAKEAPI_SENT_CUT:
	case FAKEAPI_SENT_RESET:
	case FAKEAPI_SENT_GONE: break;
	}
	sent_end(clients, flight, now_ns, sent->kind);
	flight_free(base_map_remove(&clients->flights, id_of(who)));
}
