/* Bytes that are no requests, requests that lost or gained bytes, and requests one after another in pieces of any
 * size: what comes back is always HTTP or an end, the next client is served, and nothing stays behind. */
#include "base/prng.h"
#include "fakeapi/rig_test.h"

enum { NOISE_MAX = 4096 };

static const char *const requests[] = {
	"GET " RIG_MAPS "?limit=2 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer root\r\n"
	"Accept: application/json;as=Table;v=v1;g=meta.k8s.io,application/json\r\n\r\n",
	"GET " RIG_MAPS "?watch=1&resourceVersion=0&timeoutSeconds=3&labelSelector=a%20in%20(b)&"
	"fieldSelector=metadata.name%3Da HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer may\r\n\r\n",
	"POST " RIG_MAPS
	"?dryRun=All HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer root\r\nContent-Type: "
	"application/json\r\nContent-Length: 78\r\n\r\n"
	"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"n\"},"
	"\"data\":{\"k\":\"v\"}}",
	"PATCH " RIG_MAPS
	"/a?dryRun=All HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer root\r\nContent-Type: "
	"application/merge-patch+json\r\nTransfer-Encoding: chunked\r\n\r\n"
	"5\r\n{\"dat\r\nf\r\na\":{\"k\":\"v\"}}  \r\n0\r\n\r\n",
	"GET /apis HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer none\r\nAccept: "
	"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList\r\n"
	"If-None-Match: \"x\"\r\nAccept-Encoding: gzip\r\n\r\n",
	"GET /openapi/v3/api/v1?hash=00 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer root\r\n\r\n",
	"GET /livez?verbose&exclude=ping HTTP/1.0\r\n\r\n",
	"GET " RIG_MAPS
	"?watch=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer root\r\nConnection: Upgrade\r\n"
	"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
	"AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
	"DELETE " RIG_MAPS
	"/a?dryRun=All&propagationPolicy=Orphan HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer root\r\n"
	"Impersonate-User: u\r\nImpersonate-Group: g\r\nExpect: 100-continue\r\n"
	"Content-Length: 2\r\n\r\n{}",
};

enum { REQUESTS = sizeof requests / sizeof requests[0] };

static void add(char *bytes, size_t *len, const char *more, size_t count)
{
	if (count > NOISE_MAX - *len)
		count = NOISE_MAX - *len;
	memcpy(bytes + *len, more, count);
	*len += count;
}

static void add_text(char *bytes, size_t *len, const char *text)
{
	add(bytes, len, text, strlen(text));
}

/* What a client writes that speaks another protocol, or one that knows some words of this one. */
static size_t noise(struct base_prng *prng, char *bytes)
{
	static const char *const words[] = {"GET ",
					    "POST ",
					    " HTTP/1.1",
					    "\r\n",
					    "\n",
					    "\r\n\r\n",
					    "Host: x",
					    ":",
					    "/",
					    "%",
					    " ",
					    "?",
					    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
					    "Content-Length: 18446744073709551616",
					    "Transfer-Encoding: chunked",
					    "ffffffffffffffff\r\n"};
	size_t len = 0, pieces = 1 + base_prng_below(prng, 40);
	bool spoken = base_prng_chance(prng, 2, 3);
	for (size_t i = 0; i < pieces; i++) {
		if (spoken && base_prng_chance(prng, 4, 5)) {
			add_text(bytes, &len,
				 words[base_prng_below(prng, sizeof words / sizeof words[0])]);
			continue;
		}
		char any = (char)base_prng_below(prng, 256);
		add(bytes, &len, &any, 1);
	}
	return len;
}

/* A request with some of its bytes changed, taken out or said twice. */
static size_t mutation(struct base_prng *prng, char *bytes)
{
	size_t len = 0, changes = 1 + base_prng_below(prng, 4);
	add_text(bytes, &len, requests[base_prng_below(prng, REQUESTS)]);
	for (size_t i = 0; i < changes && len != 0; i++) {
		size_t at = base_prng_below(prng, len);
		size_t count = 1 + base_prng_below(prng, len - at < 20 ? len - at : 20);
		switch (base_prng_below(prng, 4)) {
		case 0: bytes[at] = (char)base_prng_below(prng, 256); break;
		case 1: bytes[at] ^= (char)(1 << base_prng_below(prng, 7)); break;
		case 2:
			memmove(bytes + at, bytes + at + count, len - at - count);
			len -= count;
			break;
		default:
			if (len + count > NOISE_MAX)
				break;
			memmove(bytes + at + count, bytes + at, len - at);
			len += count;
			break;
		}
	}
	return len;
}

static void write_in_pieces(struct rig *rig, size_t c, struct base_prng *prng, const char *bytes,
			    size_t len)
{
	while (len != 0 && rig->conns[c].conn != NULL) {
		size_t piece = 1 + base_prng_below(prng, base_prng_chance(prng, 1, 2) ? 8 : len);
		if (piece > len)
			piece = len;
		fakeapi_conn_recv(rig->conns[c].conn, bytes, piece);
		bytes += piece;
		len -= piece;
	}
}

/* The client goes; its connection's place is free again. */
static void leave(struct rig *rig)
{
	for (size_t i = 0; i < rig->count; i++) {
		if (rig->conns[i].conn != NULL)
			fakeapi_conn_close(rig->conns[i].conn);
		base_buf_release(&rig->conns[i].wire);
		base_buf_release(&rig->conns[i].body);
	}
	memset(rig->conns, 0, sizeof rig->conns);
	rig->count = 0;
}

static void served(struct rig *rig)
{
	size_t c = rig_connect(rig);
	rig_write(rig, c, "GET /version HTTP/1.1\r\nHost: x\r\n\r\n");
	CHECK_INT(rig_status(rig, c), 200);
	leave(rig);
}

/* Whatever it was: an answer of HTTP or nothing, and a refusal is the last thing said. */
static void check_wire(struct rig *rig, size_t c)
{
	struct base_str wire = base_buf_peek(&rig->conns[c].wire);
	if (wire.len == 0)
		return;
	CHECK_TRUE(base_str_starts(wire, BASE_STR("HTTP/1.")));
	int status = rig_status(rig, c);
	CHECK_TRUE(status >= 100 && status <= 505);
}

static void play(uint64_t seed, size_t (*make)(struct base_prng *, char *), struct rig *rig,
		 uint64_t *ms)
{
	struct base_prng prng;
	char bytes[NOISE_MAX];
	base_prng_seed(&prng, seed, BASE_STR("noise"));
	size_t c = rig_connect(rig), len = make(&prng, bytes);
	write_in_pieces(rig, c, &prng, bytes, len);
	check_wire(rig, c);
	if (base_prng_chance(&prng, 1, 2))
		write_in_pieces(rig, c, &prng, "\r\n\r\n", 4);
	*ms += 4000; /* the waits and watches that came of it */
	rig_advance(rig, *ms);
	check_wire(rig, c);
	leave(rig);
}

/* The second time round everything that is kept is there already. */
static void nothing_stays_behind(size_t (*make)(struct base_prng *, char *), uint64_t seeds)
{
	struct rig rig;
	uint64_t ms = 0, blocks = 0;
	rig_init_users(&rig, NULL);
	size_t c = rig_ask(&rig, "POST", RIG_MAPS, "Authorization: Bearer root\r\n",
			   "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
			   "\"a\"},\"data\":{\"k\":\"1\"}}");
	CHECK_INT(rig_status(&rig, c), 201);
	leave(&rig);
	for (int round = 0; round < 3; round++) {
		for (uint64_t seed = 1; seed <= seeds; seed++) {
			CHECK_ROW("seed %llu", (unsigned long long)seed);
			play(seed, make, &rig, &ms);
		}
		served(&rig);
		if (round == 1)
			blocks = rig.probe.live_count;
	}
	CHECK_TRUE(rig.probe.live_count <= blocks + 8);
	rig_release(&rig);
}

static void noise_ends_in_a_refusal_and_leaves_nothing(void)
{
	nothing_stays_behind(noise, 1500);
}

static void mutated_requests_leave_nothing(void)
{
	nothing_stays_behind(mutation, 1500);
}

/* Pipelining: the answers come in the order of the requests, whatever the pieces. */
static void requests_in_one_go_are_answered_in_order(void)
{
	static const struct {
		const char *target;
		int status;
	} asked[] = {
		{"/version", 200},
		{"/nope", 404},
		{RIG_MAPS "/nope", 404},
		{RIG_MAPS "?watch=1&timeoutSeconds=1&resourceVersion=0", 200},
		{RIG_MAPS "?limit=x", 400},
		{"/livez", 200},
	};
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct base_prng prng;
		struct rig rig;
		char bytes[NOISE_MAX];
		int expected[24];
		size_t len = 0, count = 2 + seed % 16, at = 0;
		CHECK_ROW("seed %llu", (unsigned long long)seed);
		base_prng_seed(&prng, seed, BASE_STR("pipeline"));
		rig_init(&rig, NULL, NULL);
		for (size_t i = 0; i < count; i++) {
			size_t which = base_prng_below(&prng, sizeof asked / sizeof asked[0]);
			char line[256];
			snprintf(line, sizeof line, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n",
				 asked[which].target);
			add_text(bytes, &len, line);
			expected[i] = asked[which].status;
		}
		size_t c = rig_connect(&rig);
		write_in_pieces(&rig, c, &prng, bytes, len);
		rig_advance(&rig, 60000);
		struct base_str wire = base_buf_peek(&rig.conns[c].wire);
		for (size_t i = 0; i < count; i++) {
			at = base_str_find(wire, BASE_STR("HTTP/1.1 "));
			CHECK_TRUE(at != SIZE_MAX);
			if (at == SIZE_MAX)
				break;
			wire = base_str_skip(wire, at + 9);
			CHECK_INT(atoi(wire.ptr), expected[i]);
		}
		CHECK_TRUE(base_str_find(wire, BASE_STR("HTTP/1.1 ")) == SIZE_MAX);
		rig_release(&rig);
	}
}

static CU_TestInfo tests[] = {
	{"noise ends in a refusal and leaves nothing", noise_ends_in_a_refusal_and_leaves_nothing},
	{"mutated requests leave nothing", mutated_requests_leave_nothing},
	{"requests in one go are answered in order", requests_in_one_go_are_answered_in_order},
	CU_TEST_INFO_NULL,
};
extern CU_SuiteInfo fakeapi_noise_suite;
CU_SuiteInfo fakeapi_noise_suite = {"fakeapi/noise", NULL, NULL, NULL, NULL, tests};
