/* Lists in pages (section 6). Embedded in its owner; asynchronous. */
#ifndef INFORMER_PAGER_H
#define INFORMER_PAGER_H

#include "informer/decode.h"
#include "informer/request.h"

struct inf_pager {
	const struct inf_host *host;
	struct inf_request *request; /* borrowed: used for nothing else meanwhile */
	struct inf_decoder *decoder; /* borrowed */
	void *owner;
	/* Comes once per start, never from inside it, unless cancelled. error not set: `list` is the
	 * answer; its content may be moved out. paged: more than one page was asked for. */
	void (*done)(struct inf_pager *pager, struct inf_list *list, bool paged,
		     const struct inf_error *error);
	/* private */
	int64_t page_size;
	struct base_buf rv; /* of the caller's request */
	struct inf_list combined, page;
	bool paged;
	bool full_list; /* after an expired token: no pages, the result is final */
};

void inf_pager_init(struct inf_pager *pager, const struct inf_host *host,
		    struct inf_request *request, struct inf_decoder *decoder, void *owner);
void inf_pager_release(struct inf_pager *pager);
/* page_size 0: everything in one answer. BASE_ENOMEM: not started. */
enum base_code inf_pager_start(struct inf_pager *pager, struct base_str rv, int64_t page_size)
	BASE_MUST_CHECK;
/* The owner's request ops hand these on. */
void inf_pager_answered(struct inf_pager *pager, struct base_str body);
void inf_pager_failed(struct inf_pager *pager, const struct inf_error *error);

#endif
