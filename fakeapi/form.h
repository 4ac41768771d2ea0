/* How an answer is written: which form the Accept header chose (2.6), and the writers of each form.
 *
 *   accept.c  the Accept header's clauses, its refusals
 *   form.c    an answer in the chosen form: metadata, Table, YAML, gzip, indented
 *   table.c   Tables; table_columns_*.c says what the columns of each kind show
 *   yaml_write.c, yaml_read.c, gzip.c
 *
 * Errors: BASE_ENOMEM unless said otherwise; functions that refuse fill the reply and return BASE_EINVAL. */
#ifndef FAKEAPI_FORM_H
#define FAKEAPI_FORM_H

#include "base/buf.h"

struct fakeapi;
struct fakeapi_exchange;
struct fakeapi_resource;

enum fakeapi_media { FAKEAPI_MEDIA_JSON, FAKEAPI_MEDIA_YAML, FAKEAPI_MEDIA_PROTOBUF };

enum fakeapi_shape {
	FAKEAPI_SHAPE_FULL,
	FAKEAPI_SHAPE_METADATA,
	FAKEAPI_SHAPE_METADATA_LIST,
	FAKEAPI_SHAPE_TABLE,
};

/* includeObject of a Table. */
enum fakeapi_include {
	FAKEAPI_INCLUDE_METADATA,
	FAKEAPI_INCLUDE_OBJECT,
	FAKEAPI_INCLUDE_NONE,
	FAKEAPI_INCLUDE_INVALID,
};

struct fakeapi_form {
	enum fakeapi_media media;
	enum fakeapi_include include;
	bool beta;   /* v1beta1 of meta.k8s.io */
	bool pretty; /* "pretty=1" in the clause */
	bool headed; /* a stream of Tables has sent its columns */
};

/* What the Accept header asks of this request's answer; a 406 when nothing fits. list: the answer is a
 * collection (whose routes know the stream types, too). */
enum base_code fakeapi_negotiate(struct fakeapi_exchange *exchange, bool list) BASE_MUST_CHECK;
/* The checks that come last for a watch: a 400 for includeObject, a 406 for a form that is no stream. */
enum base_code fakeapi_negotiate_stream(struct fakeapi_exchange *exchange) BASE_MUST_CHECK;
/* The form cannot show this: metadata of one object for a list or the other way round (406), or a Table
 * with an unknown includeObject (400). Called when the answer is there, since other errors come first. */
enum base_code fakeapi_form_check(struct fakeapi_exchange *exchange, bool list) BASE_MUST_CHECK;
/* The form in which a Status is shown, which knows no transformation. False: none fits, so it is
 * indented JSON. */
bool fakeapi_negotiate_status(const struct fakeapi_exchange *exchange, struct fakeapi_form *form);

/* "meta.k8s.io/v1" or "meta.k8s.io/v1beta1". */
const char *fakeapi_form_version(const struct fakeapi_form *form);
/* The object (whole JSON) in the exchange's shape: itself, metadata, or a Table of one row. */
enum base_code fakeapi_form_object(struct fakeapi_exchange *exchange, struct base_str object,
				   struct base_buf *out) BASE_MUST_CHECK;
/* {"kind":"PartialObjectMetadata",…} */
enum base_code fakeapi_form_metadata(const struct fakeapi_form *form, struct base_str object,
				     struct base_buf *out) BASE_MUST_CHECK;
/* What is in the reply, in the exchange's shape; or the refusal to show it so. Once is enough. */
enum base_code fakeapi_form_shape(struct fakeapi_exchange *exchange) BASE_MUST_CHECK;
/* The reply's body, item, as it goes out: shaped, encoded, compressed. *shown is item or points into
 * out; reply->content_type and ->gzip are set. */
enum base_code fakeapi_form_reply(struct fakeapi_exchange *exchange, struct base_str item,
				  struct base_buf *out, struct base_str *shown) BASE_MUST_CHECK;

/* ---- Tables (table.c) ---- */

/* `"columnDefinitions":[…]` of a resource. */
enum base_code fakeapi_table_columns(struct fakeapi_exchange *exchange, struct base_buf *out)
	BASE_MUST_CHECK;
/* One row: {"cells":[…],"object":…}. */
enum base_code fakeapi_table_row(struct fakeapi_exchange *exchange, struct base_str object,
				 struct base_buf *out) BASE_MUST_CHECK;
struct fakeapi_cell;
/* Of custom resources: their own columns and cells, each behind a comma (table_custom.c). */
enum base_code fakeapi_custom_columns(struct fakeapi_exchange *exchange, struct base_buf *out)
	BASE_MUST_CHECK;
enum base_code fakeapi_custom_cells(struct fakeapi_exchange *exchange,
				    const struct fakeapi_cell *cell, struct base_buf *out)
	BASE_MUST_CHECK;
/* What stands for no rows: the generic columns say null, all others []. */
bool fakeapi_table_null_rows(const struct fakeapi_resource *resource);

/* ---- Codings ---- */

/* json: proven bytes. As the servers' YAML library writes it: sorted, strings quoted when they would read
 * as something else. libyaml allocates by itself; what it holds is gone on return. */
enum base_code fakeapi_yaml_write(struct base_str json, struct base_buf *out) BASE_MUST_CHECK;
/* Reads the first document. BASE_EINVAL: why gets the library's words ("yaml: line 5: …"). Duplicate keys
 * are resolved (the last wins) and noted in `twice`, one text a line: `line 5: key "a" already set in map`. */
enum base_code fakeapi_yaml_read(struct base_str text, struct base_buf *json,
				 struct base_buf *twice, struct base_buf *why) BASE_MUST_CHECK;
enum base_code fakeapi_gzip(struct base_str bytes, struct base_buf *out) BASE_MUST_CHECK;
/* "gzip" stands there as a word of its own; one with a q-value does not count. */
bool fakeapi_gzip_wanted(struct base_str accept_encoding);

#endif
