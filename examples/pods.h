/* An example of libinformer: prints the pods of a cluster as they change. Uses the installed headers only. */
#ifndef EXAMPLES_PODS_H
#define EXAMPLES_PODS_H

#include <informer/informer.h>
#include <stdio.h>

struct pods {
	FILE *out;
	struct inf_shared_informer *informer;
};

/* Starts to list and watch all pods on the host's executor, clock and transport. */
enum base_code pods_start(struct pods *pods, const struct inf_host *host, FILE *out,
			  struct base_error *error);
/* Prints what the cache holds now. */
enum base_code pods_print_cache(struct pods *pods);
void pods_release(struct pods *pods);

#endif
