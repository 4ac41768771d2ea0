#include "examples/pods.h"

#include <cjson/cJSON.h>

/* Looks into the object's JSON; most fields need no tree (see informer/object.h). */
static void print_pod(FILE *out, const char *what, const struct inf_object *pod)
{
	struct base_str key = inf_object_key(pod);
	cJSON *tree = inf_object_tree(pod);
	const cJSON *status = cJSON_GetObjectItemCaseSensitive(tree, "status");
	const cJSON *phase = cJSON_GetObjectItemCaseSensitive(status, "phase");

	fprintf(out, "%-8s %.*s %s\n", what, BASE_STR_ARG(key),
		cJSON_IsString(phase) ? phase->valuestring : "-");
	cJSON_Delete(tree);
}

static enum inf_end_of_call on_add(void *self, struct inf_object *pod, bool initial,
				   struct inf_token *token)
{
	struct pods *pods = self;

	(void)token;
	print_pod(pods->out, initial ? "has" : "added", pod);
	return INF_DONE;
}

static enum inf_end_of_call on_update(void *self, struct inf_object *old_pod,
				      struct inf_object *new_pod, struct inf_token *token)
{
	struct pods *pods = self;

	(void)token;
	/* A resync or a relist shows pods that did not change. */
	if (!base_str_eq(inf_object_rv(old_pod), inf_object_rv(new_pod)))
		print_pod(pods->out, "changed", new_pod);
	return INF_DONE;
}

static enum inf_end_of_call on_delete(void *self, const struct inf_deleted *deleted,
				      struct inf_token *token)
{
	struct pods *pods = self;

	(void)token;
	fprintf(pods->out, "%-8s %.*s%s\n", "deleted", BASE_STR_ARG(deleted->key),
		deleted->tombstone ? " (seen by a later list)" : "");
	return INF_DONE;
}

enum base_code pods_start(struct pods *pods, const struct inf_host *host, FILE *out,
			  struct base_error *error)
{
	struct inf_informer_options options = inf_informer_options_default();
	struct inf_handler handler = {
		.self = pods, .add = on_add, .update = on_update, .del = on_delete};
	struct inf_registration registration;
	enum base_code code;

	options.resource = (struct inf_resource){
		.version = BASE_STR("v1"), .name = BASE_STR("pods"), .kind = BASE_STR("Pod")};
	*pods = (struct pods){.out = out};
	code = inf_shared_informer_new(host, &options, &pods->informer, error);
	if (code == BASE_OK)
		code = inf_shared_informer_add_handler(pods->informer, &handler, NULL,
						       &registration, error);
	if (code == BASE_OK)
		code = inf_shared_informer_start(pods->informer, error);
	return code;
}

enum base_code pods_print_cache(struct pods *pods)
{
	struct inf_store *store = inf_shared_informer_store(pods->informer);
	struct inf_objects list = {0};
	enum base_code code = inf_store_list(store, &list);

	if (code != BASE_OK)
		return code;
	fprintf(pods->out, "the cache holds %zu pods%s\n", list.count,
		inf_shared_informer_has_synced(pods->informer) ? "" : ", not synced yet");
	inf_objects_release(&list);
	return BASE_OK;
}

void pods_release(struct pods *pods)
{
	inf_shared_informer_free(pods->informer);
	pods->informer = NULL;
}
