/* The filtering handler (C-14). */
#include "informer/handler.h"

static enum inf_end_of_call forward_add(const struct inf_handler *to, struct inf_object *object,
					bool initial, struct inf_token *token)
{
	return to->add != NULL ? to->add(to->self, object, initial, token) : INF_DONE;
}

static enum inf_end_of_call forward_delete(const struct inf_handler *to,
					   const struct inf_deleted *deleted,
					   struct inf_token *token)
{
	return to->del != NULL ? to->del(to->self, deleted, token) : INF_DONE;
}

static enum inf_end_of_call filter_add(void *self, struct inf_object *object, bool initial,
				       struct inf_token *token)
{
	struct inf_filter *filter = self;

	if (!filter->accept(filter->self, object, NULL))
		return INF_DONE;
	return forward_add(&filter->handler, object, initial, token);
}

static enum inf_end_of_call filter_update(void *self, struct inf_object *old_object,
					  struct inf_object *new_object, struct inf_token *token)
{
	struct inf_filter *filter = self;
	const struct inf_handler *to = &filter->handler;
	bool newer = filter->accept(filter->self, new_object, NULL);
	bool older = filter->accept(filter->self, old_object, NULL);

	if (newer && older)
		return to->update != NULL ? to->update(to->self, old_object, new_object, token)
					  : INF_DONE;
	if (newer)
		return forward_add(to, new_object, false, token);
	if (older) {
		struct inf_deleted deleted = {.object = old_object,
					      .key = inf_object_key(old_object)};

		return forward_delete(to, &deleted, token);
	}
	return INF_DONE;
}

static enum inf_end_of_call filter_delete(void *self, const struct inf_deleted *deleted,
					  struct inf_token *token)
{
	struct inf_filter *filter = self;

	if (!filter->accept(filter->self, deleted->object, deleted))
		return INF_DONE;
	return forward_delete(&filter->handler, deleted, token);
}

struct inf_handler inf_filter_handler(struct inf_filter *filter)
{
	return (struct inf_handler){
		.self = filter, .add = filter_add, .update = filter_update, .del = filter_delete};
}
