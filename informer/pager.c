#include "informer/pager.h"

void inf_pager_init(struct inf_pager *pager, const struct inf_host *host,
		    struct inf_request *request, struct inf_decoder *decoder, void *owner)
{
	memset(pager, 0, sizeof(*pager));
	pager->host = host;
	pager->request = request;
	pager->decoder = decoder;
	pager->owner = owner;
	base_buf_init(&pager->rv, host->alloc, BASE_BUF_MAX_DEFAULT);
	inf_list_init(&pager->combined, host->alloc);
	inf_list_init(&pager->page, host->alloc);
}

void inf_pager_release(struct inf_pager *pager)
{
	base_buf_release(&pager->rv);
	inf_list_release(&pager->combined);
	inf_list_release(&pager->page);
}

enum base_code inf_pager_start(struct inf_pager *pager, struct base_str rv, int64_t page_size)
{
	pager->page_size = page_size;
	pager->paged = false;
	pager->full_list = false;
	inf_list_release(&pager->combined);
	inf_list_release(&pager->page);
	base_buf_clear(&pager->rv);
	enum base_code code = base_buf_str(&pager->rv, rv);
	if (code == BASE_OK) {
		struct inf_list_options options = {.resource_version = base_buf_peek(&pager->rv),
						   .limit = page_size};
		inf_request_start(pager->request, &options);
	}
	return code;
}

static void finish(struct inf_pager *pager, struct inf_list *list, const struct inf_error *error)
{
	pager->done(pager, list, pager->paged, error);
}

static void finish_without_memory(struct inf_pager *pager)
{
	struct inf_error error;
	inf_error_set(&error, INF_ERROR_MEMORY, "no memory to put the pages of a list together");
	inf_list_release(&pager->combined);
	inf_list_release(&pager->page);
	finish(pager, &pager->combined, &error);
}

/* The RV of the combined list is that of the first page (PG-1). */
static enum base_code take_page(struct inf_pager *pager)
{
	if (!pager->paged) {
		base_buf_clear(&pager->combined.rv);
		enum base_code code =
			base_buf_str(&pager->combined.rv, base_buf_peek(&pager->page.rv));
		if (code != BASE_OK) {
			return code;
		}
	}
	return inf_list_move_items(&pager->combined, &pager->page);
}

void inf_pager_answered(struct inf_pager *pager, struct base_str body)
{
	struct inf_error error;
	if (!inf_decode_list(pager->decoder, body, &pager->page, &error)) {
		inf_pager_failed(pager, &error);
		return;
	}
	bool more = pager->page.continue_token.len > 0 && !pager->full_list;
	if (pager->full_list || (!pager->paged && !more)) {
		struct inf_error none = {0};
		finish(pager, &pager->page, &none); /* the very object that was received */
		return;
	}
	if (take_page(pager) != BASE_OK) {
		finish_without_memory(pager);
		return;
	}
	if (!more) {
		struct inf_error none = {0};
		finish(pager, &pager->combined, &none);
		return;
	}
	pager->paged = true;
	struct inf_list_options options = {.continue_token =
						   base_buf_peek(&pager->page.continue_token),
					   .limit = pager->page_size};
	inf_request_start(pager->request, &options);
}

void inf_pager_failed(struct inf_pager *pager, const struct inf_error *error)
{
	bool was_continue = pager->paged && !pager->full_list;
	if (was_continue && inf_error_is_resource_expired(error)) {
		struct inf_list_options options = {.resource_version = base_buf_peek(&pager->rv)};
		pager->full_list = true;
		inf_list_release(&pager->combined);
		inf_request_start(pager->request, &options);
		return;
	}
	struct inf_error copy = *error;
	finish(pager, &pager->combined, &copy);
}
