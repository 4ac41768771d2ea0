/* Checks of whole objects: metadata of all kinds, and what is known of built-in kinds. */
#ifndef FAKEAPI_VALIDATE_H
#define FAKEAPI_VALIDATE_H

#include "fakeapi/causes.h"
#include "fakeapi/schema.h"
#include "fakeapi/write.h"

/* The draft's metadata. */
void fakeapi_validate_meta(struct fakeapi_write *w, struct fakeapi_causes *causes);
/* What a built-in kind asks for; old: the stored object, NULL: a new one. Both typed. */
void fakeapi_validate_kind(struct fakeapi_write *w, struct fakeapi_causes *causes,
			   const struct fakeapi_node *object, const struct fakeapi_node *old);
void fakeapi_validate_labels(struct fakeapi_causes *causes, struct base_str field,
			     const struct fakeapi_node *labels);

/* One check of a field. */
enum fakeapi_check_kind {
	FAKEAPI_CHECK_REQUIRED,    /* arg: why, may be "" */
	FAKEAPI_CHECK_NOT_BELOW,   /* arg: the smallest number */
	FAKEAPI_CHECK_ABOVE,       /* arg: greater than that */
	FAKEAPI_CHECK_BETWEEN,     /* arg: "1-65535" */
	FAKEAPI_CHECK_ONE_OF,      /* arg: names joined by "," */
	FAKEAPI_CHECK_LABEL,       /* a DNS label; empty is fine */
	FAKEAPI_CHECK_SUBDOMAIN,   /* empty is fine */
	FAKEAPI_CHECK_LABELS,      /* a map of labels */
	FAKEAPI_CHECK_UNIQUE,      /* arg: the key that a list's items must not share */
	FAKEAPI_CHECK_FIXED,       /* may not change; arg: why, "field is immutable" */
	FAKEAPI_CHECK_FIXED_WHOLE, /* the same as Forbidden */
};

struct fakeapi_check {
	const char *type; /* of the object it is about, a row of the schema */
	const char *when; /* as in defaults.h */
	const char *path;
	enum fakeapi_check_kind kind;
	const char *arg;
	bool late;             /* after what is inside the object, not before */
	unsigned since, until; /* minors; 0: no bound */
};

extern const struct fakeapi_check fakeapi_checks[];
extern const size_t fakeapi_checks_count;

/* Forbids the change of a spec, with the difference where the server tells it. type: as in spec_diff.h. */
void fakeapi_validate_fixed_spec(struct fakeapi_causes *causes, const char *why, const char *type,
				 const struct fakeapi_node *old, const struct fakeapi_node *now);

/* Specs that no table can check, of objects (validate_spec.c). Beside and behind what is inside them. */
void fakeapi_validate_spec(struct fakeapi_causes *causes, const char *type,
			   const struct fakeapi_node *object);
void fakeapi_validate_spec_behind(struct fakeapi_causes *causes, const char *type,
				  const struct fakeapi_node *object);
/* Why a schedule of five fields is none, in the library's words; empty: it is one (schedule.c). */
struct base_str fakeapi_schedule_check(struct fakeapi_tree *tree, struct base_str schedule);
void fakeapi_validate_change(struct fakeapi_causes *causes, const char *type,
			     const struct fakeapi_node *object,
			     const struct fakeapi_node *old); /* validate_change.c */
/* names: joined by commas */
bool fakeapi_word_is_among(struct base_str word, const char *names);
/* Changes of pods (validate_pod.c). */
void fakeapi_pod_validate_change(struct fakeapi_causes *causes, const struct fakeapi_node *object,
				 const struct fakeapi_node *old);
/* Services (service_validate.c). */
void fakeapi_service_validate(struct fakeapi_causes *causes, const struct fakeapi_node *object,
			      const struct fakeapi_node *old);

#endif
