#include "sim/network.h"

#include <stdio.h>

#include "ci/unit/assert.h"

#define LATENCY_NS 1000000U

struct world {
	struct fakeapi *server;
	struct hist *hist;
	struct sim_network *network;
	uint64_t now_ns;
};

static struct world begin(void)
{
	struct world w = {0};
	struct fakeapi_config config;
	struct base_error error = {0};
	struct sim_network_options options;

	fakeapi_config_defaults(&config);
	w.server = fakeapi_new(&config, &error);
	CHECK_TEXT(error.text, "");
	w.hist = hist_new(NULL);
	options = (struct sim_network_options){
		.server = w.server, .hist = w.hist, .latency_ns = LATENCY_NS};
	w.network = sim_network_new(&options);
	return w;
}

static void end(struct world *w)
{
	sim_network_free(w->network);
	fakeapi_free(w->server);
	hist_free(w->hist);
}

static void put_configmap(struct world *w, const char *name)
{
	struct fakeapi_answer answer = {0};
	char body[200];

	snprintf(body, sizeof(body),
		 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\"}}",
		 name);
	CHECK_INT(fakeapi_do(w->server, "POST", BASE_STR("/api/v1/namespaces/default/configmaps"),
			     base_str(body), &answer),
		  BASE_OK);
	CHECK_INT(answer.status, 201);
	fakeapi_answer_release(&answer);
}

static void send(struct world *w, uint64_t request, const char *query)
{
	const struct hist_record record = {.t_ns = w->now_ns,
					   .kind = HIST_REQUEST,
					   .request = request,
					   .actor = BASE_STR("inf"),
					   .method = BASE_STR("GET"),
					   .path = BASE_STR("/api/v1/configmaps"),
					   .query = base_str(query),
					   .text = BASE_STR("Accept: application/json\n")};

	sim_network_send(w->network, &record);
}

static void fault(struct world *w, enum fakeapi_fault_target target, enum fakeapi_fault_kind kind,
		  uint64_t after_bytes)
{
	struct fakeapi_fault f;
	struct base_error error = {0};

	fakeapi_fault_defaults(&f, target, kind);
	f.after_bytes = after_bytes;
	CHECK_INT(fakeapi_fault_add(w->server, &f, NULL, &error), BASE_OK);
}

/* Lets time pass; collects what reached the client as text: "h200 b5 b17 eof". */
static void pass(struct world *w, uint64_t until_ns, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (;;) {
		const struct subject_delivery *d;
		uint64_t next_ns = sim_network_next_ns(w->network);
		size_t count;

		if (fakeapi_next_ns(w->server) < next_ns)
			next_ns = fakeapi_next_ns(w->server);
		if (next_ns > until_ns)
			break;
		w->now_ns = next_ns > w->now_ns ? next_ns : w->now_ns;
		fakeapi_advance(w->server, w->now_ns);
		sim_network_arrive(w->network, w->now_ns);
		count = sim_network_take(w->network, w->now_ns, &d);
		for (size_t i = 0; i < count && len < size; i++) {
			if (d[i].kind == SUBJECT_HEAD)
				len += (size_t)snprintf(out + len, size - len, "h%d ", d[i].status);
			else if (d[i].kind == SUBJECT_END)
				len += (size_t)snprintf(out + len, size - len, "%s ",
							subject_end_word(d[i].end));
			else if (len == 0 || out[len - 2] != 'b')
				len += (size_t)snprintf(out + len, size - len, "b ");
		}
	}
	w->now_ns = until_ns;
	fakeapi_advance(w->server, until_ns);
}

static const struct hist_record *find(const struct hist *hist, enum hist_kind kind)
{
	for (size_t i = 0; i < hist_count(hist); i++)
		if (hist_at(hist, i)->kind == kind)
			return hist_at(hist, i);
	return NULL;
}

static void an_answer_takes_the_latency_twice(void)
{
	struct world w = begin();
	const struct hist_record *list;
	char got[200];

	put_configmap(&w, "a");
	send(&w, 1, "");
	CHECK_U64(sim_network_next_ns(w.network), LATENCY_NS);
	pass(&w, 1000000000, got, sizeof(got));
	CHECK_TEXT(got, "h200 b eof ");
	list = find(w.hist, HIST_LIST);
	if (CHECK_TRUE(list != NULL)) {
		CHECK_U64(list->t_ns, 2 * LATENCY_NS);
		CHECK_STR(list->rv, "101");
		CHECK_U64(list->number, 1);
		CHECK_STR(list->actor, "inf");
		CHECK_STR(find(w.hist, HIST_LISTED)->key, "default/a");
	}
	end(&w);
}

static void idle_connections_are_used_again_and_busy_ones_are_not(void)
{
	struct world w = begin();
	char got[200];

	send(&w, 1, "");
	pass(&w, 10000000, got, sizeof(got));
	send(&w, 2, "");
	pass(&w, 20000000, got, sizeof(got));
	CHECK_U64(sim_network_figures(w.network).connections, 1);
	send(&w, 3, "watch=true&timeoutSeconds=600");
	send(&w, 4, "");
	pass(&w, 30000000, got, sizeof(got));
	CHECK_U64(sim_network_figures(w.network).connections, 2);
	CHECK_U64(sim_network_figures(w.network).requests_open, 1);
	end(&w);
}

static void watch_events_are_read_along(void)
{
	struct world w = begin();
	const struct hist_record *event;
	char got[200];

	send(&w, 1, "watch=true&resourceVersion=100&timeoutSeconds=600");
	pass(&w, 10000000, got, sizeof(got));
	put_configmap(&w, "a");
	pass(&w, 20000000, got, sizeof(got));
	CHECK_TEXT(got, "b ");
	event = find(w.hist, HIST_EVENT);
	if (CHECK_TRUE(event != NULL)) {
		CHECK_U64(event->t_ns, 10000000 + LATENCY_NS);
		CHECK_STR(event->reason, "ADDED");
		CHECK_STR(event->key, "default/a");
		CHECK_STR(event->rv, "101");
	}
	end(&w);
}

static void a_cancel_closes_the_connection_at_the_server(void)
{
	struct world w = begin();
	char got[200];
	const struct hist_record cancel = {.t_ns = 10000000, .kind = HIST_CANCEL, .request = 1};

	send(&w, 1, "watch=true&timeoutSeconds=600");
	pass(&w, 10000000, got, sizeof(got));
	sim_network_cancel(w.network, &cancel);
	put_configmap(&w, "a");
	pass(&w, 20000000, got, sizeof(got));
	CHECK_TEXT(got, "");
	CHECK_U64(sim_network_figures(w.network).open, 0);
	CHECK_U64(sim_network_figures(w.network).requests_open, 0);
	CHECK_TRUE(find(w.hist, HIST_EVENT) == NULL);
	end(&w);
}

static void faults_end_requests_in_their_own_way(void)
{
	static const struct {
		enum fakeapi_fault_kind kind;
		uint64_t after_bytes;
		const char *want;
	} rows[] = {
		{FAKEAPI_FAULT_REFUSE, 0, "refused "},    {FAKEAPI_FAULT_RESET, 0, "reset "},
		{FAKEAPI_FAULT_EOF, 0, "early-eof "},     {FAKEAPI_FAULT_CUT, 5, "h200 b cut "},
		{FAKEAPI_FAULT_STATUS, 0, "h500 b eof "}, {FAKEAPI_FAULT_STALL, 0, ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct world w = begin();
		char got[200];

		CHECK_ROW("%s", fakeapi_fault_kind_word(rows[i].kind));
		put_configmap(&w, "a");
		if (rows[i].kind == FAKEAPI_FAULT_STATUS) {
			struct fakeapi_fault f;
			struct base_error error = {0};

			fakeapi_fault_defaults(&f, FAKEAPI_TARGET_LIST, rows[i].kind);
			f.status = 500;
			CHECK_INT(fakeapi_fault_add(w.server, &f, NULL, &error), BASE_OK);
		} else {
			fault(&w, FAKEAPI_TARGET_LIST, rows[i].kind, rows[i].after_bytes);
		}
		send(&w, 1, "");
		pass(&w, 1000000000, got, sizeof(got));
		CHECK_TEXT(got, rows[i].want);
		end(&w);
	}
	CHECK_ROW(NULL);
}

static void a_server_that_is_down_refuses(void)
{
	struct world w = begin();
	char got[200];

	fakeapi_kill(w.server);
	send(&w, 1, "");
	pass(&w, 10000000, got, sizeof(got));
	CHECK_TEXT(got, "refused ");
	fakeapi_start(w.server);
	send(&w, 2, "");
	pass(&w, 20000000, got, sizeof(got));
	CHECK_TEXT(got, "h200 b eof ");
	end(&w);
}

static void a_killed_server_cuts_a_watch_and_an_idle_connection_is_made_anew(void)
{
	struct world w = begin();
	char got[200];

	send(&w, 1, "");
	pass(&w, 10000000, got, sizeof(got));
	send(&w, 2, "watch=true&timeoutSeconds=600");
	pass(&w, 20000000, got, sizeof(got));
	fakeapi_kill(w.server);
	fakeapi_start(w.server);
	pass(&w, 30000000, got, sizeof(got));
	CHECK_TRUE(strcmp(got, "cut ") == 0 || strcmp(got, "reset ") == 0);
	send(&w, 3, "");
	pass(&w, 40000000, got, sizeof(got));
	CHECK_TEXT(got, "h200 b eof ");
	end(&w);
}

static CU_TestInfo tests[] = {
	{"an answer takes the latency twice", an_answer_takes_the_latency_twice},
	{"idle connections are used again", idle_connections_are_used_again_and_busy_ones_are_not},
	{"watch events are read along", watch_events_are_read_along},
	{"a cancel closes the connection", a_cancel_closes_the_connection_at_the_server},
	{"faults end requests in their own way", faults_end_requests_in_their_own_way},
	{"a server that is down refuses", a_server_that_is_down_refuses},
	{"a killed server cuts a watch",
	 a_killed_server_cuts_a_watch_and_an_idle_connection_is_made_anew},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo sim_network_suite;
CU_SuiteInfo sim_network_suite = {.pName = "sim/network", .pTests = tests};
