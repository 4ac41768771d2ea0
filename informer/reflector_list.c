/* The list step of list-and-watch. */
#include "informer/reflector_machine.h"

#define PAGE_SIZE_DEFAULT 500

/* */
static struct base_str list_rv(const struct inf_reflector *r)
{
	if (r->unavailable) {
		return (struct base_str){0};
	}
	return r->last_rv.len == 0 ? BASE_STR("0") : base_buf_peek(&r->last_rv);
}

/* */
static int64_t page_size(const struct inf_reflector *r, struct base_str rv)
{
	if (r->options.page_size != 0) {
		return r->options.page_size;
	}
	if (r->paginated) {
		return PAGE_SIZE_DEFAULT;
	}
	return rv.len > 0 && !base_str_is(rv, "0") ? 0 : PAGE_SIZE_DEFAULT;
}

static void list_failed(struct inf_reflector *r, enum inf_reflector_event event,
			const struct inf_error *error)
{
	struct inf_error wrapped = *error;
	inf_error_wrap(&wrapped, "failed to list %.*s", BASE_STR_ARG(r->options.resource.name));
	inf_list_release(&r->pager.combined);
	inf_list_release(&r->pager.page);
	inf_reflector_move(r, event);
	inf_reflector_returned(r, &wrapped);
}

static void list_start(struct inf_reflector *r, struct base_str rv)
{
	r->stats.lists++;
	if (inf_pager_start(&r->pager, rv, r->list_page_size) != BASE_OK) {
		struct inf_error error;
		inf_error_set(&error, INF_ERROR_MEMORY, "no memory for the request");
		list_failed(r, INF_E_ERROR, &error);
	}
}

void inf_reflector_list_begin(struct inf_reflector *r)
{
	if (r->stopping) { /* nothing is sent for a cancelled ctx */
		inf_reflector_move(r, INF_E_STOP);
		inf_reflector_returned(r, NULL);
		return;
	}
	struct base_str rv = list_rv(r);
	r->first_list_from_zero = base_str_is(rv, "0");
	r->list_page_size = page_size(r, rv);
	list_start(r, rv);
}

static void list_again(struct inf_reflector *r)
{
	r->unavailable = true;
	inf_reflector_move(r, INF_E_EXPIRED);
	list_start(r, (struct base_str){0});
}

static enum inf_error_kind kind_of_code(enum base_code code)
{
	return code == BASE_ENOMEM ? INF_ERROR_MEMORY : INF_ERROR_STORE;
}

static void list_taken(struct inf_reflector *r, struct inf_list *list, bool paged)
{
	struct inf_error error;
	struct base_error why = {0};
	if (list->is_table && !paged) {
		inf_error_set(&error, INF_ERROR_DECODE,
			      "a Table was sent where a list was expected");
		list_failed(r, INF_E_BAD_LIST, &error);
		return;
	}
	r->paginated = r->paginated || (r->first_list_from_zero && paged);
	r->unavailable = false;
	struct base_str rv = base_buf_peek(&list->rv);
	enum base_code code =
		base_buf_reserve(&r->last_rv, rv.len + 1); /* so that set_rv succeeds */
	if (code == BASE_OK) {
		code = r->sink->replace(r->sink->self, list->items, list->count, rv, &why);
	}
	if (code == BASE_OK) {
		code = inf_reflector_set_rv(r, rv);
	}
	if (code != BASE_OK) {
		inf_error_set(&error, kind_of_code(code), "unable to sync list result: %s",
			      why.code != BASE_OK ? why.text : base_code_word(code));
		list_failed(r, INF_E_REPLACE_FAILED, &error);
		return;
	}
	inf_list_release(&r->pager.combined);
	inf_list_release(&r->pager.page);
	inf_reflector_move(r, INF_E_LISTED);
	inf_reflector_watch_begin(r);
}

void inf_reflector_list_done(struct inf_pager *pager, struct inf_list *list, bool paged,
			     const struct inf_error *error)
{
	struct inf_reflector *r = pager->owner;
	if (!inf_error_is_set(error)) {
		list_taken(r, list, paged);
		return;
	}
	bool version_is_bad = inf_error_is_expired(error) || inf_error_is_too_large_version(error);
	if (r->state == INF_R_LIST && version_is_bad) {
		list_again(r);
	} else {
		list_failed(r, INF_E_ERROR, error);
	}
}
