/* Lists: pages, and whether the watch cache that answers them lags. */
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "sim/doctor/doctor.h"
#include "sim/fatal.h"

#define ANSWER_NS UINT64_C(6000000000)
#define TOKEN_MAX 4096

static size_t count_items(struct base_str list)
{
	struct base_json_iter it;
	size_t count = 0;

	base_json_iter_init(&it, base_json_get(list, BASE_STR("items")));
	while (base_json_iter_next(&it))
		count++;
	return count;
}

static struct base_str meta(struct base_str list, const char *name)
{
	return doctor_plain(base_json_path(list, 2, "metadata", name));
}

/* A token goes into a query: only letters, digits, - and _ are in it, and = at the end. */
static void append_encoded(struct base_buf *out, struct base_str token)
{
	for (size_t i = 0; i < token.len; i++) {
		const char c = token.ptr[i];

		if (c == '+' || c == '/' || c == '=' || c == '%' || c == '&')
			sim_must(base_buf_printf(out, "%%%02X", (unsigned char)c));
		else
			sim_must(base_buf_char(out, c));
	}
}

/* The same token at revision 1, long gone in any cluster that compacts. False: not of a known form. */
static bool age_token(struct base_str token, struct base_buf *out)
{
	unsigned char plain[TOKEN_MAX], again[TOKEN_MAX * 2];
	char aged[TOKEN_MAX];
	char padded[TOKEN_MAX];
	struct base_str value, text, start;
	struct base_error error;
	int len;

	if (token.len + 4 > sizeof(padded))
		return false;
	len = snprintf(padded, sizeof(padded), "%.*s", BASE_STR_ARG(token));
	for (int i = 0; i < len; i++)
		padded[i] = padded[i] == '-' ? '+' : padded[i] == '_' ? '/' : padded[i];
	while (len % 4 != 0)
		padded[len++] = '=';
	len = EVP_DecodeBlock(plain, (const unsigned char *)padded, len);
	while (len > 0 && plain[len - 1] == '\0')
		len--;
	text = base_str_n((const char *)plain, len > 0 ? (size_t)len : 0);
	if (base_json_check(text, &value, NULL, &error) != BASE_OK)
		return false;
	start = base_json_get(value, BASE_STR("start"));
	len = snprintf(aged, sizeof(aged), "{\"v\":\"meta.k8s.io/v1\",\"rv\":1,\"start\":%.*s}",
		       BASE_STR_ARG(start));
	if (start.len == 0 || len <= 0 || (size_t)len >= sizeof(aged))
		return false;
	len = EVP_EncodeBlock(again, (const unsigned char *)aged, len);
	while (len > 0 && again[len - 1] == '=')
		len--;
	for (int i = 0; i < len; i++)
		sim_must(base_buf_char(out, again[i] == '+'   ? '-'
					    : again[i] == '/' ? '_'
							      : (char)again[i]));
	return true;
}

static void ask_page(struct doctor *doctor, struct ask_call *call, struct base_str token)
{
	struct base_buf query;

	base_buf_init(&query, NULL, 65536);
	sim_must(base_buf_text(&query, "continue="));
	append_encoded(&query, token);
	sim_must(base_buf_text(&query, "&limit=1"));
	(void)ask_get(call, base_str(doctor->resource.path), base_buf_peek(&query), ANSWER_NS);
	base_buf_release(&query);
}

/* The 410 brings a token that goes on with what is there now: another version, the same names. */
static void look_at_inconsistent(struct doctor *doctor, struct ask_call *call)
{
	char *token = sim_strdup(meta(doctor_json(call), "continue"));

	if (token[0] == '\0') {
		doctor_find(doctor, "paging-inconsistent", DOCTOR_NOTE, base_buf_peek(&call->body),
			    NULL, "the 410 has no token to go on: clients begin the list anew");
		free(token);
		return;
	}
	ask_page(doctor, call, base_str(token));
	free(token);
	if (call->status == 200 && meta(doctor_json(call), "resourceVersion").len > 0)
		doctor_find(doctor, "paging-inconsistent", DOCTOR_GOOD,
			    base_json_get(doctor_json(call), BASE_STR("metadata")), NULL,
			    "the token that comes with 410 goes on at version %.*s, as it is now",
			    BASE_STR_ARG(meta(doctor_json(call), "resourceVersion")));
	else
		doctor_find(doctor, "paging-inconsistent", DOCTOR_WARNING,
			    base_buf_peek(&call->body),
			    "clients that go on with it fail; most begin anew",
			    "the token that comes with 410 is answered by %d", call->status);
}

static void judge_expired(struct doctor *doctor, struct ask_call *call)
{
	const struct base_str value = doctor_json(call);
	const struct base_str reason = doctor_plain(base_json_get(value, BASE_STR("reason")));

	if (call->status == 410 && base_str_is(reason, "Expired")) {
		doctor_trait_set(doctor, DOCTOR_PAGE_EXPIRES);
		doctor_find(doctor, "paging-expired", DOCTOR_GOOD, base_buf_peek(&call->body), NULL,
			    "an expired continue token is told by 410 Expired%s",
			    meta(value, "continue").len > 0 ? ", with a token to go on" : "");
		look_at_inconsistent(doctor, call);
	} else if (call->status == 200)
		doctor_find(doctor, "paging-expired", DOCTOR_NOTE,
			    base_json_get(value, BASE_STR("metadata")), NULL,
			    "a token of revision 1 still works: the store was not compacted yet");
	else
		doctor_find(doctor, "paging-expired", DOCTOR_WARNING, base_buf_peek(&call->body),
			    "clients start the list anew on 410 only",
			    "an expired continue token is answered by %d", call->status);
}

static struct base_str first_uid(struct base_str list)
{
	struct base_json_iter it;

	base_json_iter_init(&it, base_json_get(list, BASE_STR("items")));
	return base_json_iter_next(&it) ? meta(it.value, "uid") : (struct base_str){0};
}

struct first_page {
	char rv[32], uid[64];
	char *token;
};

/* The second page, by the first one's token. */
static void look_at_second_page(struct doctor *doctor, struct ask_call *call,
				const struct first_page *first)
{
	struct base_buf aged;

	base_buf_init(&aged, NULL, 65536);
	ask_page(doctor, call, base_str(first->token));
	const struct base_str value = doctor_json(call);
	const struct base_str rv = meta(value, "resourceVersion");
	if (!call->over || call->end != INF_END_EOF || call->status != 200 || value.len == 0) {
		doctor_find(doctor, "paging", DOCTOR_BROKEN, base_buf_peek(&call->body),
			    "lists of more than a page fail for every client that pages",
			    "the second page is answered by %d", call->status);
	} else if (base_str_is(first_uid(value), first->uid) && first->uid[0] != '\0') {
		doctor_trait_set(doctor, DOCTOR_PAGES_REPEAT);
		doctor_find(doctor, "paging", DOCTOR_BROKEN, base_buf_peek(&call->body),
			    "is `continue` dropped on the way? Clients page for ever",
			    "the second page is the first one again");
	} else if (!base_str_is(rv, first->rv)) {
		doctor_trait_set(doctor, DOCTOR_PAGES_MOVE);
		doctor_find(doctor, "paging", DOCTOR_BROKEN, rv,
			    "pages of one list must be of one revision: is something caching, or "
			    "are pages spread over servers of different stores?",
			    "the second page is of version %.*s, the first of %s", BASE_STR_ARG(rv),
			    first->rv);
	} else {
		doctor_find(doctor, "paging", DOCTOR_GOOD, base_str(first->token), NULL,
			    "pages of one list are of one version (%s)", first->rv);
	}
	if (age_token(base_str(first->token), &aged)) {
		ask_page(doctor, call, base_buf_peek(&aged));
		judge_expired(doctor, call);
	}
	base_buf_release(&aged);
}

static void look_at_pages(struct doctor *doctor, struct ask_call *call)
{
	struct first_page first;

	if (doctor->items < 2) {
		doctor_find(doctor, "paging", DOCTOR_UNKNOWN, base_str(doctor->resource.path),
			    "name a resource that has some",
			    "fewer than two %s: pages cannot be looked at",
			    doctor->resource.plural);
		return;
	}
	(void)ask_get(call, base_str(doctor->resource.path), BASE_STR("limit=1"), ANSWER_NS);
	const struct base_str value = doctor_json(call);
	if (call->status != 200 || value.len == 0) {
		doctor_find(doctor, "paging", DOCTOR_BROKEN, base_buf_peek(&call->body), NULL,
			    "a list with limit=1 is answered by %d", call->status);
		return;
	}
	if (count_items(value) > 1) {
		doctor_trait_set(doctor, DOCTOR_STRIPPED);
		doctor_find(doctor, "parameters", DOCTOR_BROKEN, base_buf_peek(&call->path),
			    "something between here and the server drops query parameters: let "
			    "them through",
			    "limit=1 brought %zu items: the parameter got lost",
			    count_items(value));
		return;
	}
	int64_t rest = -1;
	if (!base_json_i64(base_json_path(value, 2, "metadata", "remainingItemCount"), &rest) ||
	    (uint64_t)rest + 1 != doctor->items)
		doctor_find(doctor, "paging-rest", DOCTOR_NOTE,
			    base_json_get(value, BASE_STR("metadata")), NULL,
			    "remainingItemCount is absent or not %zu: do not build on it",
			    doctor->items - 1);
	first.token = sim_strdup(meta(value, "continue"));
	snprintf(first.rv, sizeof(first.rv), "%.*s", BASE_STR_ARG(meta(value, "resourceVersion")));
	snprintf(first.uid, sizeof(first.uid), "%.*s", BASE_STR_ARG(first_uid(value)));
	if (first.token[0] == '\0')
		doctor_find(doctor, "paging", DOCTOR_BROKEN,
			    base_json_get(value, BASE_STR("metadata")),
			    "clients take the first page for the whole list",
			    "of %zu %s one page of 1 came, without a continue token", doctor->items,
			    doctor->resource.plural);
	else
		look_at_second_page(doctor, call, &first);
	free(first.token);
}

/* Does a list from the watch cache hold older states than a consistent one that was made before? */
static size_t count_older(struct base_str consistent, struct base_str cached)
{
	struct base_json_iter a, b;
	size_t older = 0;

	base_json_iter_init(&a, base_json_get(consistent, BASE_STR("items")));
	while (base_json_iter_next(&a)) {
		const struct base_str uid = meta(a.value, "uid");
		uint64_t have = 0, want = 0;
		bool found = false;

		base_json_iter_init(&b, base_json_get(cached, BASE_STR("items")));
		while (!found && base_json_iter_next(&b))
			found = base_str_eq(meta(b.value, "uid"), uid);
		if (!base_str_u64(meta(a.value, "resourceVersion"), &want))
			continue;
		if (!found ||
		    (base_str_u64(meta(b.value, "resourceVersion"), &have) && have < want))
			older++;
	}
	return older;
}

static void look_at_cache(struct doctor *doctor, struct ask_call *call)
{
	struct ask_call cached;
	size_t older;

	ask_call_init(&cached, doctor->ask);
	(void)ask_get(call, base_str(doctor->resource.path), BASE_STR("limit=500"), ANSWER_NS);
	(void)ask_get(&cached, base_str(doctor->resource.path), BASE_STR("resourceVersion=0"),
		      ANSWER_NS);
	if (base_str_is(base_json_path(doctor_json(call), 2, "metadata", "continue"), "\"\"")) {
		doctor_trait_set(doctor, DOCTOR_EMPTY_CONTINUE);
		doctor_find(doctor, "paging-end", DOCTOR_WARNING,
			    base_json_get(doctor_json(call), BASE_STR("metadata")),
			    "leave the token out at the end of a list",
			    "a list that is complete has an empty continue token");
	}
	if (call->status == 200 && cached.status == 200) {
		older = count_older(doctor_json(call), doctor_json(&cached));
		if (older > 0) {
			doctor_trait_set(doctor, DOCTOR_STALE);
			doctor_find(doctor, "cache", DOCTOR_WARNING,
				    base_json_get(doctor_json(&cached), BASE_STR("metadata")),
				    "the server's watch cache lags: look at its load and at etcd",
				    "a list at resourceVersion=0 is behind a consistent list made "
				    "before it (%zu objects)",
				    older);
		} else {
			doctor_find(doctor, "cache", DOCTOR_GOOD,
				    base_json_get(doctor_json(&cached), BASE_STR("metadata")), NULL,
				    "the watch cache is not behind the store");
		}
	}
	ask_call_release(&cached);
}

void doctor_probe_lists(struct doctor *doctor)
{
	struct ask_call call;

	ask_call_init(&call, doctor->ask);
	look_at_pages(doctor, &call);
	look_at_cache(doctor, &call);
	ask_call_release(&call);
}
