/* A store that does not answer, and the deadlines that requests run into (6.4, W-9).
 *
 * What caches know goes on: lists at 0 or at a version they have, GETs of one, watches from a version.
 * What needs the store waits until it answers again or its own deadline is over. */
#include "fakeapi/machine.h"

#define REQUEST_NS (60 * FAKEAPI_SECOND_NS)
#define WRITE_NS (34 * FAKEAPI_SECOND_NS)

/* The number of nanoseconds in a unit of Go's; 0: none. */
static uint64_t unit_of(struct base_str text, size_t *len)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1},
		     {"us", 1000},
		     {"ms", 1000000},
		     {"s", FAKEAPI_SECOND_NS},
		     {"m", 60 * FAKEAPI_SECOND_NS},
		     {"h", 3600 * FAKEAPI_SECOND_NS}};
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		*len = strlen(units[i].name);
		if (base_str_starts(text, base_str(units[i].name)))
			return units[i].ns;
	}
	return 0;
}

/* "1m2.5s"; what is not one has been refused before. Saturates. */
static uint64_t duration_ns(struct base_str text)
{
	uint64_t total = 0;
	while (text.len != 0) {
		uint64_t whole = 0, part = 0, scale = 1;
		bool point = false;
		size_t i = 0, len;
		for (; i < text.len &&
		       (text.ptr[i] == '.' || (text.ptr[i] >= '0' && text.ptr[i] <= '9'));
		     i++) {
			if (text.ptr[i] == '.') {
				point = true;
			} else if (!point && whole < UINT32_MAX) {
				whole = whole * 10 + (uint64_t)(text.ptr[i] - '0');
			} else if (point && scale < 1000000000) {
				part = part * 10 + (uint64_t)(text.ptr[i] - '0');
				scale *= 10;
			}
		}
		text = base_str_skip(text, i);
		uint64_t unit = unit_of(text, &len);
		if (unit == 0)
			break;
		text = base_str_skip(text, len);
		if (whole > REQUEST_NS / unit)
			return REQUEST_NS;
		total += whole * unit + (scale > 1 ? unit / scale * part : 0);
	}
	return total;
}

static bool is_write(const struct fakeapi_exchange *exchange)
{
	enum fakeapi_verb verb = exchange->call.facts.verb;
	return verb != FAKEAPI_VERB_GET && verb != FAKEAPI_VERB_LIST;
}

/* How long this request may take, counted from its arrival. */
static uint64_t allowed_ns(const struct fakeapi_exchange *exchange)
{
	const struct fakeapi_param *timeout = &exchange->call.query.timeout;
	uint64_t ns = REQUEST_NS;
	if (timeout->given && timeout->value.len != 0)
		ns = duration_ns(timeout->value);
	return ns == 0 || ns > REQUEST_NS ? REQUEST_NS : ns;
}

uint64_t fakeapi_deadline_ns(const struct fakeapi_exchange *exchange)
{
	uint64_t ns = allowed_ns(exchange);
	return exchange->f->now_ns + (is_write(exchange) && ns > WRITE_NS ? WRITE_NS : ns);
}

void fakeapi_deadline_answer(struct fakeapi_exchange *exchange)
{
	struct fakeapi_reply *reply = &exchange->reply;
	/* Handler and deadline race for the answer; who loses closes the connection (E-504e). Seen to go this
	 * way. */
	if (!is_write(exchange) && !exchange->call.query.limit.given &&
	    exchange->f->profile->deadline_cut) {
		fakeapi_observe_answer(exchange, 0, (struct base_str){0});
		fakeapi_filter_abort(&exchange->filter, FAKEAPI_ABORT_FIN);
		return;
	}
	if (is_write(exchange) && allowed_ns(exchange) > WRITE_NS) { /* E-504d */
		enum base_code code = fakeapi_reply_status(
			reply, &(struct fakeapi_status){
				       .code = 504,
				       .reason = BASE_STR("Timeout"),
				       .message = BASE_STR(
					       "Timeout: request did not complete within requested "
					       "timeout - context deadline exceeded")});
		fakeapi_exchange_finish(exchange, code);
		return;
	}
	fakeapi_reply_clear(reply);
	reply->status = 504;
	reply->reason = BASE_STR("Timeout");
	reply->content_type = "text/plain; charset=utf-8";
	reply->no_flow = true;
	fakeapi_exchange_finish(
		exchange,
		base_buf_text(
			&reply->body,
			"{\"metadata\":{},\"status\":\"Failure\",\"message\":\"Timeout: request "
			"did not complete within the allotted timeout\",\"reason\":\"Timeout\","
			"\"details\":{},\"code\":504}\n"));
}

/* ---- The store ---- */

bool fakeapi_store_answers(const struct fakeapi *f)
{
	return !f->store_silent;
}

enum base_code fakeapi_pause_store(struct fakeapi *f)
{
	if (f->store_silent)
		return BASE_OK;
	/* What caches know so far they keep, also those that nobody has asked yet. */
	for (size_t r = 0; r < f->replica_count; r++)
		for (size_t i = 0; i < f->store.table_len; i++) {
			struct fakeapi_cache *cache =
				fakeapi_cache_of(&f->replicas[r], f->store.tables[i]->resource);
			if (cache == NULL)
				return BASE_ENOMEM;
			fakeapi_cache_rv(cache);
		}
	f->store_silent = true;
	fakeapi_move_observe(f, FAKEAPI_MOVE_PAUSE);
	return BASE_OK;
}

void fakeapi_resume_store(struct fakeapi *f)
{
	if (!f->store_silent)
		return;
	f->store_silent = false;
	fakeapi_move_observe(f, FAKEAPI_MOVE_RESUME);
	for (size_t r = 0; r < f->replica_count; r++)
		for (size_t i = 0; i < f->replicas[r].cache_len; i++)
			fakeapi_cache_pump(f->replicas[r].caches[i]);
	f->attention = true;
	fakeapi_settle(f);
}
