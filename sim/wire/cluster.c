#include "sim/wire/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/json.h"
#include "sim/fatal.h"

#define SECOND_NS UINT64_C(1000000000)
#define CONTROLLER_NS (2 * SECOND_NS) /* a controller of namespaces has said something by then */
#define DELETE_NOW "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"gracePeriodSeconds\":0}"
#define SELECT_OWNER "labelSelector=relist.dev%%2Fowner%%3Drelist"

bool wire_cluster_init(struct wire_cluster *cluster, const struct wire_cluster_options *options,
		       struct base_error *error)
{
	struct live_kubeconfig_options where = {.path = options->kubeconfig,
						.context = options->context,
						.as = options->as,
						.namespace_name = options->namespace_name,
						.warn = options->warn,
						.warn_self = options->warn_self};
	struct live_client_options client;
	unsigned char random[5];

	memset(cluster, 0, sizeof(*cluster));
	cluster->options = *options;
	cluster->loop.epoll_fd = -1;
	if (cluster->options.patience_ns == 0)
		cluster->options.patience_ns = 30 * SECOND_NS;
	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return base_fail(error, BASE_EIO, "no random numbers") == BASE_OK;
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(cluster->run + 2 * i, 3, "%02x", random[i]);
	if (base_loop_init(&cluster->loop, NULL, 1, error) != BASE_OK ||
	    live_kubeconfig_load(&where, &cluster->config, error) != BASE_OK)
		return false;
	live_client_options_init(&client, &cluster->loop, live_kubeconfig_target(cluster->config));
	client.user_agent = "relist";
	client.client_id = cluster->run;
	client.warn = options->warn;
	client.warn_self = options->warn_self;
	cluster->client = live_client_new(&client, error);
	if (cluster->client == NULL)
		return false;
	cluster->transport = live_client_transport(cluster->client);
	return true;
}

void wire_cluster_release(struct wire_cluster *cluster)
{
	live_client_free(cluster->client);
	live_kubeconfig_free(cluster->config);
	base_loop_release(&cluster->loop);
}

void wire_cluster_describe(const struct wire_cluster *cluster, struct base_buf *out)
{
	sim_must(live_target_describe(live_kubeconfig_target(cluster->config), out));
}

uint64_t wire_cluster_turn(struct wire_cluster *cluster)
{
	const uint64_t now_ns = base_loop_now_ns(&cluster->loop);
	const uint64_t gap_ns = SECOND_NS / (cluster->options.qps > 0 ? cluster->options.qps : 1);
	const uint64_t burst_ns = SECOND_NS * 2;

	cluster->requests++;
	if (cluster->free_ns + burst_ns < now_ns)
		cluster->free_ns = now_ns - burst_ns;
	cluster->free_ns += gap_ns;
	return cluster->free_ns > now_ns ? cluster->free_ns : now_ns;
}

/* ---- Asking ---- */

struct asking {
	struct inf_exchange exchange;
	struct wire_answer *answer;
	bool over;
};

static void on_head(struct inf_exchange *exchange, int status, const struct inf_header *headers,
		    size_t count)
{
	(void)headers;
	(void)count;
	((struct asking *)exchange->owner)->answer->status = status;
}

static void on_body(struct inf_exchange *exchange, struct base_str bytes)
{
	sim_must(base_buf_str(&((struct asking *)exchange->owner)->answer->body, bytes));
}

static void on_end(struct inf_exchange *exchange, enum inf_end end, struct base_str text)
{
	struct asking *asking = exchange->owner;

	asking->over = true;
	if (end == INF_END_EOF)
		return;
	asking->answer->status = 0;
	base_buf_clear(&asking->answer->body);
	sim_must(base_buf_str(&asking->answer->body, text));
}

const char *wire_cluster_given_up(const struct wire_cluster *cluster)
{
	if (cluster->stop != NULL && *cluster->stop != 0)
		return "interrupted";
	if (cluster->until_ns != 0 && base_loop_now_ns(&cluster->loop) >= cluster->until_ns)
		return "it took longer than --timeout";
	return NULL;
}

static bool stopped(const struct wire_cluster *cluster)
{
	return wire_cluster_given_up(cluster) != NULL;
}

static void wait_until(struct wire_cluster *cluster, uint64_t until_ns, const bool *over)
{
	bool moved;

	while ((over == NULL || !*over) && base_loop_now_ns(&cluster->loop) < until_ns &&
	       !stopped(cluster))
		if (base_loop_poll(&cluster->loop, 20, &moved) != BASE_OK)
			return;
}

void wire_cluster_ask(struct wire_cluster *cluster, const char *method, struct base_str target,
		      struct base_str body, struct wire_answer *answer)
{
	struct asking asking = {.answer = answer};
	const bool merges = strcmp(method, "PATCH") == 0;
	const struct inf_header headers[] = {{BASE_STR("Accept"), BASE_STR("application/json")},
					     {BASE_STR("Content-Type"),
					      merges ? BASE_STR("application/merge-patch+json")
						     : BASE_STR("application/json")}};
	struct inf_http_request request = {.method = base_str(method),
					   .headers = headers,
					   .header_count = body.len > 0 ? 2 : 1,
					   .body = body};
	struct base_error error = {0};
	bool found;

	answer->status = 0;
	base_buf_init(&answer->body, NULL, BASE_BUF_MAX_DEFAULT);
	request.query = base_str_cut(target, '?', &request.path, &found);
	asking.exchange = (struct inf_exchange){
		.on_head = on_head, .on_body = on_body, .on_end = on_end, .owner = &asking};
	wait_until(cluster, wire_cluster_turn(cluster), NULL);
	if (cluster->transport.start(cluster->transport.self, &asking.exchange, &request, &error) !=
	    BASE_OK) {
		sim_must(base_buf_text(&answer->body, error.text));
		return;
	}
	wait_until(cluster, base_loop_now_ns(&cluster->loop) + cluster->options.patience_ns,
		   &asking.over);
	if (asking.over)
		return;
	cluster->transport.cancel(cluster->transport.self, &asking.exchange);
	answer->status = 0;
	base_buf_clear(&answer->body);
	sim_must(base_buf_text(&answer->body, stopped(cluster) ? wire_cluster_given_up(cluster)
							       : "no answer in time"));
}

/* ---- Namespaces ---- */

/* What a Status says; else the beginning of the body, which stays the answer's. */
static struct base_str message_of(struct wire_answer *answer)
{
	struct base_str text = base_buf_peek(&answer->body), message = {0};
	struct base_buf decoded;

	base_buf_init(&decoded, NULL, BASE_BUF_MAX_DEFAULT);
	if (answer->status != 0 && base_json_check(text, &text, NULL, NULL) == BASE_OK &&
	    base_json_text(base_json_get(text, BASE_STR("message")), &decoded, &message) ==
		    BASE_OK) {
		if (decoded.len == 0)
			return message;
		base_buf_release(&answer->body);
		answer->body = decoded;
		return base_buf_peek(&answer->body);
	}
	base_buf_release(&decoded);
	return base_str_take(base_buf_peek(&answer->body), 200);
}

bool wire_cluster_has_watch_list(struct wire_cluster *cluster)
{
	struct wire_answer answer;

	wire_cluster_ask(cluster, "GET",
			 BASE_STR("/api/v1/namespaces?watch=true&sendInitialEvents=true&"
				  "resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&"
				  "timeoutSeconds=1"),
			 (struct base_str){0}, &answer);
	base_buf_release(&answer.body);
	return answer.status != 422;
}

bool wire_cluster_open(struct wire_cluster *cluster, const char *name, struct base_error *error)
{
	struct wire_answer answer;
	char body[320];
	int len;

	snprintf(cluster->namespace_name, sizeof(cluster->namespace_name), "%s", name);
	if (cluster->options.namespace_name != NULL)
		return true;
	len = snprintf(
		body, sizeof(body),
		"{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%s\","
		"\"labels\":{\"" WIRE_OWNER_LABEL "\":\"relist\",\"" WIRE_RUN_LABEL "\":\"%s\"}}}",
		name, cluster->run);
	wire_cluster_ask(cluster, "POST", BASE_STR("/api/v1/namespaces"),
			 base_str_n(body, (size_t)len), &answer);
	cluster->made = answer.status == 201;
	if (!cluster->made)
		base_fail(error, BASE_EIO, "the namespace %s cannot be made: %d %.*s", name,
			  answer.status, BASE_STR_ARG(message_of(&answer)));
	base_buf_release(&answer.body);
	return cluster->made;
}

void wire_cluster_drop(struct wire_cluster *cluster, const struct fakeapi_resource *resource)
{
	struct wire_answer answer;
	struct base_buf target;

	base_buf_init(&target, NULL, BASE_BUF_MAX_DEFAULT);
	sim_must(base_buf_printf(&target,
				 "/%s%s/%s/namespaces/%s/%s?labelSelector="
				 "relist.dev%%2Frun%%3D%s",
				 resource->group[0] != '\0' ? "apis/" : "api", resource->group,
				 resource->version, cluster->namespace_name, resource->plural,
				 cluster->run));
	wire_cluster_ask(cluster, "DELETE", base_buf_peek(&target), BASE_STR(DELETE_NOW), &answer);
	base_buf_release(&answer.body);
	base_buf_release(&target);
}

static void delete_namespace(struct wire_cluster *cluster, const char *name)
{
	struct wire_answer answer;
	char target[128];
	const int len = snprintf(target, sizeof(target), "/api/v1/namespaces/%s", name);

	wire_cluster_ask(cluster, "DELETE", base_str_n(target, (size_t)len), (struct base_str){0},
			 &answer);
	base_buf_release(&answer.body);
}

void wire_cluster_close(struct wire_cluster *cluster)
{
	if (cluster->made)
		delete_namespace(cluster, cluster->namespace_name);
	cluster->made = false;
}

/* No controller has said a word about it: there is none. Our own namespace, and empty of what we made. */
static void finish_namespace(struct wire_cluster *cluster, struct base_str name)
{
	struct wire_answer answer;
	char target[160], body[200];
	const int target_len = snprintf(target, sizeof(target), "/api/v1/namespaces/%.*s/finalize",
					BASE_STR_ARG(name));
	const int body_len = snprintf(
		body, sizeof(body),
		"{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%.*s\"},"
		"\"spec\":{\"finalizers\":[]}}",
		BASE_STR_ARG(name));

	wire_cluster_ask(cluster, "PUT", base_str_n(target, (size_t)target_len),
			 base_str_n(body, (size_t)body_len), &answer);
	base_buf_release(&answer.body);
}

/* One look: deletes what is not being deleted; finish: ends what nobody ends. Returns how many there are, or
 * SIZE_MAX with error. */
static size_t clean_once(struct wire_cluster *cluster, const char *run, bool finish,
			 struct base_error *error)
{
	struct wire_answer answer;
	struct base_json_iter it;
	struct base_str list, name;
	size_t count = 0;
	char target[200];
	int len = snprintf(target, sizeof(target), "/api/v1/namespaces?" SELECT_OWNER);

	if (run != NULL)
		len = snprintf(target, sizeof(target),
			       "/api/v1/namespaces?" SELECT_OWNER "%%2Crelist.dev%%2Frun%%3D%s",
			       run);
	wire_cluster_ask(cluster, "GET", base_str_n(target, (size_t)len), (struct base_str){0},
			 &answer);
	if (answer.status != 200 ||
	    base_json_check(base_buf_peek(&answer.body), &list, NULL, NULL) != BASE_OK) {
		base_fail(error, BASE_EIO, "namespaces cannot be listed: %d %.*s", answer.status,
			  BASE_STR_ARG(message_of(&answer)));
		base_buf_release(&answer.body);
		return SIZE_MAX;
	}
	base_json_iter_init(&it, base_json_get(list, BASE_STR("items")));
	while (base_json_iter_next(&it)) {
		const struct base_str metadata = base_json_get(it.value, BASE_STR("metadata"));
		const struct base_str status = base_json_get(it.value, BASE_STR("status"));
		char text[128];

		if (!base_json_plain_text(base_json_get(metadata, BASE_STR("name")), &name))
			continue;
		count++;
		snprintf(text, sizeof(text), "%.*s", BASE_STR_ARG(name));
		if (base_json_get(metadata, BASE_STR("deletionTimestamp")).len == 0)
			delete_namespace(cluster, text);
		else if (finish && base_json_get(status, BASE_STR("conditions")).len == 0)
			finish_namespace(cluster, name);
	}
	base_buf_release(&answer.body);
	return count;
}

size_t wire_cluster_clean(struct wire_cluster *cluster, const char *run, uint64_t wait_ns,
			  size_t *left, struct base_error *error)
{
	const uint64_t end_ns = base_loop_now_ns(&cluster->loop) + wait_ns;
	const uint64_t start_ns = base_loop_now_ns(&cluster->loop);
	size_t first = clean_once(cluster, run, false, error);
	bool swept = run != NULL; /* a run removes its objects itself */

	*left = first;
	while (*left != 0 && *left != SIZE_MAX && base_loop_now_ns(&cluster->loop) < end_ns &&
	       !stopped(cluster)) {
		const bool finish = base_loop_now_ns(&cluster->loop) - start_ns >= CONTROLLER_NS;

		if (finish && !swept && wire_cluster_sweep(cluster, NULL, error) == SIZE_MAX) {
			*left = SIZE_MAX;
			break;
		}
		swept = swept || finish;
		wait_until(cluster, base_loop_now_ns(&cluster->loop) + SECOND_NS, NULL);
		*left = clean_once(cluster, run, finish, error);
	}
	return first;
}

/* ---- Objects of ours in a namespace that is not ---- */

static void put_collection(const struct fakeapi_resource *resource, struct base_str namespace_name,
			   struct base_buf *out)
{
	base_buf_clear(out);
	sim_must(base_buf_printf(out, "/%s%s/%s", resource->group[0] != '\0' ? "apis/" : "api",
				 resource->group, resource->version));
	if (namespace_name.len > 0)
		sim_must(base_buf_printf(out, "/namespaces/%.*s", BASE_STR_ARG(namespace_name)));
	sim_must(base_buf_printf(out, "/%s?" SELECT_OWNER, resource->plural));
}

/* Deletes those of one namespace. False with error. */
static bool delete_labelled(struct wire_cluster *cluster, const struct fakeapi_resource *resource,
			    struct base_str namespace_name, struct base_error *error)
{
	struct wire_answer answer;
	struct base_buf target;
	bool fine;

	base_buf_init(&target, NULL, BASE_BUF_MAX_DEFAULT);
	put_collection(resource, namespace_name, &target);
	wire_cluster_ask(cluster, "DELETE", base_buf_peek(&target), BASE_STR(DELETE_NOW), &answer);
	fine = answer.status >= 200 && answer.status <= 299;
	if (!fine)
		base_fail(error, BASE_EIO, "%.*s cannot be deleted: %d %.*s",
			  BASE_STR_ARG(base_buf_peek(&target)), answer.status,
			  BASE_STR_ARG(message_of(&answer)));
	base_buf_release(&answer.body);
	base_buf_release(&target);
	return fine;
}

/* The objects with our label in a list that goes by namespaces: of that one, or of those that were ours. */
static size_t sweep_list(struct wire_cluster *cluster, const struct fakeapi_resource *resource,
			 struct base_str list, const char *only, struct base_error *error)
{
	struct base_str namespace_name, last = {0};
	struct base_json_iter it;
	size_t count = 0;

	base_json_iter_init(&it, base_json_get(list, BASE_STR("items")));
	while (base_json_iter_next(&it)) {
		if (!base_json_plain_text(base_json_path(it.value, 2, "metadata", "namespace"),
					  &namespace_name) ||
		    (only != NULL ? !base_str_is(namespace_name, only)
				  : !base_str_starts(namespace_name, BASE_STR("relist-"))))
			continue;
		count++;
		if (base_str_eq(namespace_name, last))
			continue;
		last = namespace_name;
		if (!delete_labelled(cluster, resource, namespace_name, error))
			return SIZE_MAX;
	}
	return count;
}

/* 0 also where the resource is not served or may not be listed. */
static size_t sweep_one(struct wire_cluster *cluster, const char *namespace_name,
			const struct fakeapi_resource *resource, struct base_error *error)
{
	struct wire_answer answer;
	struct base_buf target;
	struct base_str list;
	size_t count = 0;

	base_buf_init(&target, NULL, BASE_BUF_MAX_DEFAULT);
	put_collection(resource, base_str(namespace_name != NULL ? namespace_name : ""), &target);
	wire_cluster_ask(cluster, "GET", base_buf_peek(&target), (struct base_str){0}, &answer);
	if (answer.status == 0) {
		base_fail(error, BASE_EIO, "%.*s cannot be listed: %.*s",
			  BASE_STR_ARG(base_buf_peek(&target)), BASE_STR_ARG(message_of(&answer)));
		count = SIZE_MAX;
	} else if (answer.status == 200 &&
		   base_json_check(base_buf_peek(&answer.body), &list, NULL, NULL) == BASE_OK) {
		count = sweep_list(cluster, resource, list, namespace_name, error);
	}
	base_buf_release(&answer.body);
	base_buf_release(&target);
	return count;
}

size_t wire_cluster_sweep(struct wire_cluster *cluster, const char *namespace_name,
			  struct base_error *error)
{
	struct fakeapi_resources resources;
	const struct fakeapi_resource *resource;
	size_t count = 0;

	fakeapi_resources_init(&resources, NULL);
	for (size_t i = 0;
	     count != SIZE_MAX && (resource = fakeapi_resources_at(&resources, i)) != NULL; i++) {
		size_t here;

		if (!resource->namespaced || fakeapi_resource_storage(resource) != resource)
			continue;
		here = sweep_one(cluster, namespace_name, resource, error);
		count = here == SIZE_MAX ? SIZE_MAX : count + here;
	}
	fakeapi_resources_release(&resources);
	return count;
}
