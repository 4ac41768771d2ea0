/* Feature gates of an informer (section 1), with the defaults of client-go v0.36. Plain data: the
 * environment is read by whoever owns a process, and handed in as text. */
#ifndef INFORMER_GATES_H
#define INFORMER_GATES_H

#include "base/error.h"
#include "informer/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* member, name, default, locked to its default */
#define INF_GATES(X)                                                                               \
	X(atomic_fifo, "AtomicFIFO", true, false)                                                  \
	X(unlock_while_processing_fifo, "UnlockWhileProcessingFIFO", true, false)                  \
	X(in_order_informers, "InOrderInformers", true, true)                                      \
	X(in_order_informers_batch_process, "InOrderInformersBatchProcess", true, false)           \
	X(informer_resource_version, "InformerResourceVersion", true, false)                       \
	X(watch_list_client, "WatchListClient", true, false)

struct inf_gates {
#define INF_GATE_MEMBER(member, name, on, locked) bool member;
	INF_GATES(INF_GATE_MEMBER)
#undef INF_GATE_MEMBER
};

INF_API struct inf_gates inf_gates_default(void);
/* Exactly the words of G-1: 1 t T TRUE true True 0 f F FALSE false False. False: none of them. */
INF_API bool inf_gate_parse(struct base_str text, bool *value);
/* The value of the environment variable KUBE_FEATURE_<name>, text NULL when it is not set (no change).
 * BASE_EINVAL: the text is no such word (G-1), or the gate is locked to another value (G-2); the gate keeps
 * its value and the caller reports the error. BASE_ENOENT: no such gate. */
INF_API enum base_code inf_gates_set_text(struct inf_gates *gates, struct base_str name,
					  const char *text, struct base_error *error)
	BASE_MUST_CHECK;
/* As a program sets it. BASE_EINVAL: locked to another value; BASE_ENOENT: no such gate (G-2). */
INF_API enum base_code inf_gates_set(struct inf_gates *gates, struct base_str name, bool value,
				     struct base_error *error) BASE_MUST_CHECK;
/* For tests: without the lock. */
INF_API enum base_code inf_gates_force(struct inf_gates *gates, struct base_str name, bool value,
				       struct base_error *error) BASE_MUST_CHECK;
INF_API enum base_code inf_gates_get(const struct inf_gates *gates, struct base_str name,
				     bool *value, struct base_error *error) BASE_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
