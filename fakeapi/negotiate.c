/* The Accept header: JSON as it is, or metadata only (2.6). Other forms (Table, YAML, protobuf) are not
 * offered: the next clause is tried. */
#include "fakeapi/machine.h"

enum clause { CLAUSE_NO, CLAUSE_FULL, CLAUSE_METADATA, CLAUSE_WRONG_SHAPE };

static enum clause clause_read(struct base_str text, bool list)
{
	struct base_str type;
	bool more = false;
	struct base_str rest = base_str_cut(text, ';', &type, &more), as = {0};
	type = base_str_trim(type);
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
	return list && base_str_is(as, "PartialObjectMetadata") ? CLAUSE_WRONG_SHAPE : CLAUSE_NO;
}

static enum base_code refuse(struct fakeapi_exchange *exchange, struct base_str message)
{
	enum base_code code = fakeapi_reply_status(&exchange->reply,
						   &(struct fakeapi_status){.code = 406,
									    .message = message,
									    .reason = BASE_STR("NotAcceptable")});
	return code == BASE_OK ? BASE_EINVAL : code;
}

enum base_code fakeapi_negotiate(struct fakeapi_exchange *exchange, bool list)
{
	struct base_str rest = exchange->call.accept;
	bool more = rest.len != 0;
	exchange->shape = FAKEAPI_SHAPE_FULL;
	if (!more)
		return BASE_OK;
	while (more) {
		struct base_str part;
		rest = base_str_cut(rest, ',', &part, &more);
		switch (clause_read(part, list)) {
		case CLAUSE_NO:
			break;
		case CLAUSE_FULL:
			return BASE_OK;
		case CLAUSE_METADATA:
			exchange->shape = FAKEAPI_SHAPE_METADATA;
			return BASE_OK;
		case CLAUSE_WRONG_SHAPE:
			return refuse(exchange,
				      BASE_STR("you requested PartialObjectMetadata, but the requested "
					       "object is a list"));
		}
	}
	return refuse(exchange,
		      BASE_STR("only the following media types are accepted: application/json, "
			       "application/yaml, application/vnd.kubernetes.protobuf"));
}
