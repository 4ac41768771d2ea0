/* What differs between versions of the server: one table of what changed when (chapter 7), one row per minor
 * made from it.
 *
 * A change that a recording of a real server shows is right; where no recording of a minor exists its row is
 * read from the source and unproven. */
#ifndef FAKEAPI_PROFILE_H
#define FAKEAPI_PROFILE_H

#include <stdint.h>

#include "base/str.h"

/* Sets of minors, one bit each. */
#define FAKEAPI_MINOR_FIRST 28
#define FAKEAPI_MINOR_LAST 37
#define FAKEAPI_ONLY(minor) (1U << ((minor)-FAKEAPI_MINOR_FIRST))
#define FAKEAPI_UNTIL(minor) ((2U << ((minor)-FAKEAPI_MINOR_FIRST)) - 1)
#define FAKEAPI_SINCE(minor) (FAKEAPI_UNTIL(FAKEAPI_MINOR_LAST) & ~(FAKEAPI_ONLY(minor) - 1))

/* field, minors in which it is so, rule ids, what */
#define FAKEAPI_CHANGES(X)                                                                           \
	X(watch_list, FAKEAPI_ONLY(32) | FAKEAPI_SINCE(34), "D-1 D-2 D-3 D-22 D-23 D-24",            \
	  "sendInitialEvents on a watch is served, and defaulted on for one from nowhere or from 0") \
	X(list_from_cache, FAKEAPI_SINCE(31), "D-6",                                                 \
	  "a list of now comes from the watch cache, which waits until it has caught up")            \
	X(slash_first_page, FAKEAPI_ONLY(31) | FAKEAPI_ONLY(32) | FAKEAPI_SINCE(34), "D-7 D-27",     \
	  "the first page of a list of now comes from the cache; its token begins with a slash")     \
	X(snapshots, FAKEAPI_SINCE(34), "D-8 D-26 D-27 L-16",                                        \
	  "lists of the past and further pages are answered by snapshots in the cache")              \
	X(exact_future_500, FAKEAPI_UNTIL(33), "D-9",                                                \
	  "a list at exactly a version of the future fails at once with 500")                        \
	X(bookmark_creation, FAKEAPI_UNTIL(33), "D-13 D-28",                                         \
	  "empty metadata shows creationTimestamp as null")                                          \
	X(endpoints_deprecated, FAKEAPI_SINCE(33), "D-20", "whoever asks for Endpoints is warned")   \
	X(old_words, FAKEAPI_UNTIL(33), "D-38",                                                      \
	  "a patch of no known type names no types, a component that is none is 500")                \
	X(in_characters, FAKEAPI_UNTIL(34), "D-34",                                                  \
	  "refusals name lengths of labels in characters, not in bytes, and keys qualified names")   \
	X(at_most_bytes, FAKEAPI_ONLY(28) | FAKEAPI_UNTIL(31), "D-35",                               \
	  "what is too long must have at most N bytes")                                              \
	X(go_values, FAKEAPI_UNTIL(33), "D-36", "odd values in refusals are printed as Go does")     \
	X(owner_uid_named, FAKEAPI_UNTIL(33), "D-37",                                                \
	  "an owner reference without uid is refused in words that name it")                         \
	X(owner_index, FAKEAPI_SINCE(37), "D-37",                                                    \
	  "what is wrong with an owner reference is told with its index")                            \
	X(delete_options_500, FAKEAPI_UNTIL(34), "D-38",                                             \
	  "DeleteOptions that cannot be read are the server's own error")                            \
	X(spec_diffs, FAKEAPI_SINCE(34), "D-39",                                                     \
	  "a spec that may not change is refused with the difference, line by line")                 \
	X(finalizer_cause_twice, FAKEAPI_UNTIL(36), "D-40",                                          \
	  "what is refused twice for the same reason has two equal causes")                          \
	X(invalid_json_patch, FAKEAPI_SINCE(37), "D-41",                                             \
	  "a merge patch that is no JSON is refused without the decoder's words")                    \
	X(address_objects, FAKEAPI_SINCE(33), "D-43",                                                \
	  "a service's address is an IPAddress object")                                              \
	X(scale_target_group, FAKEAPI_SINCE(34), "D-47", "what is scaled is named with its group")   \
	X(pod_generation, FAKEAPI_SINCE(33), "D-44", "pods have a generation")                       \
	X(external_ips_deprecated, FAKEAPI_SINCE(36), "D-46",                                        \
	  "whoever gives a service outside addresses is warned")                                     \
	X(scheme_line_100, FAKEAPI_UNTIL(31), "D-45",                                                \
	  "an unknown version is refused from another line of the server's sources")                 \
	X(scheme_line_110, FAKEAPI_ONLY(32) | FAKEAPI_ONLY(33) | FAKEAPI_ONLY(34), "D-45",           \
	  "the same, from another line")                                                             \
	X(deadline_cut, FAKEAPI_SINCE(34), "E-504e",                                                 \
	  "a read that runs into its deadline mostly gets no answer at all")                         \
	X(list_rv_500, FAKEAPI_UNTIL(32), "D-25",                                                    \
	  "a version that is no number is 500 on a list, not 400")

struct fakeapi_profile {
	const char *name;        /* "1.36" */
	const char *git_version; /* "v1.36.3" */
	const char *recorded;    /* the version that recordings show; NULL: from source, unproven */
	uint64_t fresh_rv;       /* what caches begin with on an empty store (D-42) */
#define FAKEAPI_CHANGE_FIELD(field, minors, id, what) bool field;
	FAKEAPI_CHANGES(FAKEAPI_CHANGE_FIELD)
#undef FAKEAPI_CHANGE_FIELD
};

#define FAKEAPI_PROFILE_DEFAULT "1.36"

/* NULL: unknown. The empty name is the default. */
const struct fakeapi_profile *fakeapi_profile_find(struct base_str name);
/* i = 0, 1, … until NULL. */
const struct fakeapi_profile *fakeapi_profile_at(size_t i);

struct fakeapi_version_change {
	const char *field, *ids, *what;
	unsigned minors; /* FAKEAPI_ONLY(28) | … */
};
/* i = 0, 1, … until NULL. */
const struct fakeapi_version_change *fakeapi_version_change_at(size_t i);

#endif
