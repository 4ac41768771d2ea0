/* Private to the write_*.c files: the steps that create, update, patch and delete share.
 *
 * A step that refuses the request fills the reply; `answered` says so. Its return value is BASE_OK then,
 * too: only memory trouble comes back as a code. */
#ifndef FAKEAPI_WRITE_H
#define FAKEAPI_WRITE_H

#include "fakeapi/call.h"
#include "fakeapi/object.h"
#include "fakeapi/store.h"

enum fakeapi_validation {
	FAKEAPI_VALIDATION_WARN,
	FAKEAPI_VALIDATION_IGNORE,
	FAKEAPI_VALIDATION_STRICT,
};

/* What a write works on. The slices of draft point into body, old or the draft itself. */
struct fakeapi_write {
	struct fakeapi_call *call;
	struct fakeapi_reply *reply;
	const struct fakeapi_resource *resource;
	struct fakeapi_store *store;
	const struct base_alloc *alloc;
	struct base_buf key;        /* "namespace/name" or "name" */
	struct base_buf body;       /* the object as sent, or as patched */
	struct fakeapi_object *old; /* the stored one, a reference; NULL: none */
	struct fakeapi_draft draft;
	struct base_buf out;      /* the draft as written */
	struct base_buf status;   /* another status than the stored one */
	struct base_buf managed;  /* metadata.managedFields, when they are kept */
	struct base_buf warnings; /* for the reply's, whatever it is */
	struct base_buf
		minded; /* lines that strict decoding minds, found before the body was read */
	struct base_buf patch_shown; /* a strategic patch as Go prints it, for refusals */
	struct base_buf touched;     /* JSON: an object with the members that the patch went into */
	enum fakeapi_validation validation;
	bool dry_run;
	bool typed;          /* the body has the form of its type */
	bool patched;        /* the body is what a patch made of the object */
	bool applied;        /* the body is what server-side apply made */
	bool reset_managers; /* managedFields was sent as an empty list */
	bool managed_same;   /* the managers are those of the old object, times aside */
	/* What a service was given, and what it gives back when the write succeeds (service.h). */
	char given_address[48], freed_address[48];
	size_t given_ports;
};

enum base_code fakeapi_write_begin(struct fakeapi_write *w, struct fakeapi_call *call,
				   struct fakeapi_reply *reply) BASE_MUST_CHECK;
void fakeapi_write_finish(struct fakeapi_write *w);
bool fakeapi_write_answered(const struct fakeapi_write *w);
/* Sets key and takes a reference to the stored object, if there is one. */
enum base_code fakeapi_write_look_up(struct fakeapi_write *w, struct base_str name) BASE_MUST_CHECK;

/* write_options.c */

struct fakeapi_causes;
struct fakeapi_node;

enum fakeapi_options {
	FAKEAPI_OPTIONS_CREATE,
	FAKEAPI_OPTIONS_UPDATE,
	FAKEAPI_OPTIONS_PATCH,
	FAKEAPI_OPTIONS_APPLY,
};
/* dryRun, fieldManager, fieldValidation, force: 422 with all causes. Sets dry_run and validation. */
enum base_code fakeapi_write_options(struct fakeapi_write *w, enum fakeapi_options kind)
	BASE_MUST_CHECK;
/* Pieces of it, for options that come otherwise. values: the texts that were given. */
void fakeapi_write_check_dry_run(struct fakeapi_write *w, struct fakeapi_causes *causes);
void fakeapi_write_refuse_dry_run(struct fakeapi_write *w, struct fakeapi_causes *causes,
				  const struct fakeapi_node *values);
/* 422 on "DeleteOptions" or the like, if there are causes. */
enum base_code fakeapi_write_refuse_options(struct fakeapi_write *w, const char *options,
					    const struct fakeapi_causes *causes) BASE_MUST_CHECK;

/* write_body.c */

/* Content type, JSON, apiVersion and kind of the request's body; then w->body is an object. */
enum base_code fakeapi_write_decode(struct fakeapi_write *w) BASE_MUST_CHECK;
/* "json parse error" texts as Go's. ok: text is one JSON value (*value). */
enum base_code fakeapi_write_parse(struct base_str text, struct base_str *value, bool *ok,
				   struct base_buf *message) BASE_MUST_CHECK;
/* The draft's metadata and, of typed kinds, all of it: 422 with all causes (write_admit.c). */
enum base_code fakeapi_write_validate(struct fakeapi_write *w) BASE_MUST_CHECK;
/* "number", "array", … */
const char *fakeapi_write_json_word(struct base_str value);
/* One 422 cause on this object. */
enum base_code fakeapi_write_invalid(struct fakeapi_write *w, const char *reason, const char *field,
				     struct base_str text) BASE_MUST_CHECK;
/* 409 Conflict "Operation cannot be fulfilled on KIND "NAME": text". */
enum base_code fakeapi_write_conflict(struct fakeapi_write *w, struct base_str kind,
				      bool with_group, const char *format, ...) BASE_PRINTF(4, 5)
	BASE_MUST_CHECK;
enum base_code fakeapi_write_bad_request(struct fakeapi_write *w, const char *format, ...)
	BASE_PRINTF(2, 3) BASE_MUST_CHECK;

/* Answers. */
enum base_code fakeapi_write_answer(struct fakeapi_write *w, int status, struct base_str object,
				    uint64_t rv) BASE_MUST_CHECK;
/* Writes the draft into w->out. */
enum base_code fakeapi_write_render(struct fakeapi_write *w) BASE_MUST_CHECK;
/* Renders and stores the draft (not when dry_run) and answers with it. */
enum base_code fakeapi_write_store(struct fakeapi_write *w, int status) BASE_MUST_CHECK;

/* write_typed.c */

/* A Warning header, whatever the answer will be. */
enum base_code fakeapi_write_warn(struct fakeapi_write *w, struct base_str text) BASE_MUST_CHECK;
/* What strict decoding minds (texts): warnings, a 400, or nothing, as fieldValidation says. */
enum base_code fakeapi_write_minded(struct fakeapi_write *w, const struct fakeapi_node *findings)
	BASE_MUST_CHECK;
/* What is minded, behind what the patch's own text gave cause for. */
struct fakeapi_tree;
const struct fakeapi_node *fakeapi_write_findings(const struct fakeapi_write *w,
						  struct fakeapi_tree *tree,
						  const struct fakeapi_node *findings);
/* w->body in the form of its kind, with defaults; 400 for what cannot be read. Kinds without a type stay
 * as they are. */
enum base_code fakeapi_write_type(struct fakeapi_write *w) BASE_MUST_CHECK;
/* The draft's managedFields, from w->old (NULL: a new object) and w->body. */
enum base_code fakeapi_write_manage(struct fakeapi_write *w) BASE_MUST_CHECK;
/* Server-side apply: w->body becomes the whole object, typed; or 409. */
enum base_code fakeapi_write_apply(struct fakeapi_write *w, struct base_str config) BASE_MUST_CHECK;
/* Puts the managedFields that apply made into the draft. */
enum base_code fakeapi_write_applied_managers(struct fakeapi_write *w) BASE_MUST_CHECK;
/* A custom resource's openAPIV3Schema; empty: none. Borrowed from the store. */
struct base_str fakeapi_write_schema(const struct fakeapi_write *w);

/* write_admit.c */

/* Typed kinds: what the server adds to a new or changed body, which then has the stored form. */
enum base_code fakeapi_write_admit(struct fakeapi_write *w) BASE_MUST_CHECK;
/* 422 with these causes. */
enum base_code fakeapi_write_refuse(struct fakeapi_write *w, const struct fakeapi_causes *causes)
	BASE_MUST_CHECK;
/* A draft of the stored object. */
void fakeapi_write_draft_old(struct fakeapi_write *w, struct fakeapi_draft *draft);

/* write_pod.c: POST pods/NAME/binding and pods/NAME/eviction. */
enum base_code fakeapi_write_bind(struct fakeapi_write *w) BASE_MUST_CHECK;
enum base_code fakeapi_write_evict(struct fakeapi_write *w) BASE_MUST_CHECK;

/* write_scale.c */

/* Appends the Scale of w->old. */
enum base_code fakeapi_scale_write(struct fakeapi_write *w, struct base_buf *out) BASE_MUST_CHECK;
enum base_code fakeapi_scale_get(struct fakeapi_write *w) BASE_MUST_CHECK;
enum base_code fakeapi_scale_update(struct fakeapi_write *w) BASE_MUST_CHECK; /* PUT */
/* w->body is the new Scale of w->old. */
enum base_code fakeapi_scale_store(struct fakeapi_write *w) BASE_MUST_CHECK;

/* write_kind.c */

/* Members that the server adds to a new object: before the draft is made, and in the draft. */
enum base_code fakeapi_write_defaults_before(struct fakeapi_write *w) BASE_MUST_CHECK;
void fakeapi_write_defaults(struct fakeapi_write *w);
/* What only this kind is checked for (data of ConfigMaps and Secrets). */
enum base_code fakeapi_write_check_kind(struct fakeapi_write *w) BASE_MUST_CHECK;
bool fakeapi_write_is_definition(const struct fakeapi_resource *resource);
/* The served versions of a definition become resources. again: it has changed; what there was of it ends, and
 * the new resources have the same objects. */
enum base_code fakeapi_write_define(struct fakeapi *f, struct base_str definition, bool again)
	BASE_MUST_CHECK;
/* They are served no more. */
void fakeapi_write_undefine(struct fakeapi *f, struct base_str definition);

/* write_create.c, write_update.c, write_delete.c */

/* How metadata.generation moves in this version of the server. */
enum fakeapi_generation fakeapi_write_generation(const struct fakeapi_write *w);
/* 400: the draft is not named as the path says. */
enum base_code fakeapi_write_check_names(struct fakeapi_write *w) BASE_MUST_CHECK;
enum base_code fakeapi_write_create(struct fakeapi_write *w) BASE_MUST_CHECK;
/* The rest of a create, once w->body is there (server-side apply of a new object). */
enum base_code fakeapi_write_create_body(struct fakeapi_write *w) BASE_MUST_CHECK;
enum base_code fakeapi_write_update(struct fakeapi_write *w) BASE_MUST_CHECK;
/* The rest of a PUT or PATCH, once w->body is the whole new object. */
enum base_code fakeapi_write_changed(struct fakeapi_write *w, bool is_patch) BASE_MUST_CHECK;
enum base_code fakeapi_write_patch(struct fakeapi_write *w) BASE_MUST_CHECK;
enum base_code fakeapi_write_delete(struct fakeapi_write *w) BASE_MUST_CHECK;
enum base_code fakeapi_write_delete_collection(struct fakeapi_write *w) BASE_MUST_CHECK;

#endif
