/* The Accept header: JSON as it is, or metadata only (2.6). Other forms (Table, YAML, protobuf) are not
 * offered: the next clause is tried. */
#include "fakeapi/machine.h"

#include <stdio.h>

enum clause { CLAUSE_NO, CLAUSE_FULL, CLAUSE_METADATA, CLAUSE_WRONG_SHAPE, CLAUSE_UNKNOWN_TYPE };

static bool known_type(struct base_str type)
{
	static const char *const types[] = {"application/json", "*/*", "application/yaml",
					    "application/vnd.kubernetes.protobuf"};
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (base_str_is(type, types[i]))
			return true;
	return false;
}

static enum clause clause_read(struct base_str text, bool list)
{
	struct base_str type;
	bool more = false;
	struct base_str rest = base_str_cut(text, ';', &type, &more), as = {0};
	type = base_str_trim(type);
	if (!known_type(type))
		return CLAUSE_UNKNOWN_TYPE;
	if (!base_str_is(type, "application/json") && !base_str_is(type, "*/*"))
		return CLAUSE_NO;
	while (more) {
		struct base_str param, name;
		bool found;
		rest = base_str_cut(rest, ';', &param, &more);
		struct base_str value = base_str_cut(base_str_trim(param), '=', &name, &found);
		if (base_str_is(name, "as"))
			as = value;
	}
	if (as.len == 0)
		return CLAUSE_FULL;
	if (base_str_is(as, list ? "PartialObjectMetadataList" : "PartialObjectMetadata"))
		return CLAUSE_METADATA;
	return base_str_is(as, "PartialObjectMetadata") ||
			       base_str_is(as, "PartialObjectMetadataList")
		       ? CLAUSE_WRONG_SHAPE
		       : CLAUSE_NO;
}

static enum base_code refuse(struct fakeapi_exchange *exchange, struct base_str message,
			     bool details)
{
	enum base_code code = fakeapi_reply_status(
		&exchange->reply, &(struct fakeapi_status){.code = 406,
							   .message = message,
							   .details = details,
							   .reason = BASE_STR("NotAcceptable")});
	return code == BASE_OK ? BASE_EINVAL : code;
}

/* 406 forms (d) and (e). */
static enum base_code refuse_shape(struct fakeapi_exchange *exchange, bool list)
{
	const struct fakeapi_resource *resource = exchange->call.resource;
	struct base_str group;
	bool found;
	base_str_cut(base_str(resource->group), '.', &group, &found);
	char message[512];
	if (list)
		snprintf(
			message, sizeof message,
			"you requested PartialObjectMetadata, but the requested object is a list (*%.*s.%s)",
			(int)(group.len != 0 ? group.len : 4), group.len != 0 ? group.ptr : "core",
			resource->list_kind);
	else
		snprintf(
			message, sizeof message,
			"you requested PartialObjectMetadataList, but the requested object is not a list "
			"(*%.*s.%s)",
			(int)(group.len != 0 ? group.len : 4), group.len != 0 ? group.ptr : "core",
			resource->kind);
	return refuse(exchange, base_str(message), false);
}

enum base_code fakeapi_negotiate(struct fakeapi_exchange *exchange, bool list)
{
	struct base_str rest = exchange->call.accept;
	bool more = rest.len != 0, known = false;
	exchange->shape = FAKEAPI_SHAPE_FULL;
	if (!more)
		return BASE_OK;
	while (more) {
		struct base_str part;
		rest = base_str_cut(rest, ',', &part, &more);
		enum clause clause = clause_read(part, list);
		known = known || clause != CLAUSE_UNKNOWN_TYPE;
		if (clause == CLAUSE_WRONG_SHAPE)
			return refuse_shape(exchange, list);
		if (clause == CLAUSE_METADATA)
			exchange->shape = FAKEAPI_SHAPE_METADATA;
		if (clause == CLAUSE_METADATA || clause == CLAUSE_FULL)
			return BASE_OK;
	}
	bool collection = exchange->call.facts.verb != FAKEAPI_VERB_GET;
	if (known || exchange->call.resource->custom)
		return refuse(
			exchange,
			BASE_STR("only the following media types are accepted: application/json, "
				 "application/yaml, application/vnd.kubernetes.protobuf"),
			false);
	if (collection)
		return refuse(
			exchange,
			BASE_STR(
				"406: Not Acceptable\n\nAvailable representations: "
				"application/json, application/yaml, "
				"application/vnd.kubernetes.protobuf, application/json;stream=watch, "
				"application/vnd.kubernetes.protobuf;stream=watch"),
			true);
	return refuse(exchange,
		      BASE_STR(
			      "406: Not Acceptable\n\nAvailable representations: application/json, "
			      "application/yaml, application/vnd.kubernetes.protobuf"),
		      true);
}
