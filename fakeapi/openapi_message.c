/* Data: the messages of OpenAPI documents, as far as API servers write them. In the order of the numbers. */
#include "fakeapi/openapi_message.h"

#include <stddef.h>

#define F(number, form, message, name)                                                             \
	{                                                                                          \
		number, FAKEAPI_FORM_##form, FAKEAPI_MESSAGE_##message, name                       \
	}
#define END                                                                                        \
	{                                                                                          \
		0, FAKEAPI_FORM_TEXT, FAKEAPI_MESSAGE_NONE, NULL                                   \
	}

/* clang-format off */
static const struct fakeapi_openapi_field document2[] = {
	F(1, TEXT, NONE, "swagger"),
	F(2, ONE, INFO2, "info"),
	F(3, TEXT, NONE, "host"),
	F(4, TEXT, NONE, "basePath"),
	F(5, TEXTS, NONE, "schemes"),
	F(6, TEXTS, NONE, "consumes"),
	F(7, TEXTS, NONE, "produces"),
	F(8, ONE, PATHS2, "paths"),
	F(9, EACH, SCHEMA2, "definitions"),
	F(10, EACH, PARAMETER2, "parameters"),
	F(11, EACH, RESPONSE2, "responses"),
	F(12, MANY, SECURITY, "security"),
	F(13, EACH, KEYS2, "securityDefinitions"),
	F(16, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field info2[] = {
	F(1, TEXT, NONE, "title"),
	F(2, TEXT, NONE, "version"),
	F(3, TEXT, NONE, "description"),
	F(4, TEXT, NONE, "termsOfService"),
	F(7, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field paths2[] = {
	F(1, EXTRA, NONE, NULL),
	F(2, HERE, PATH2, NULL),
	END
};
static const struct fakeapi_openapi_field path2[] = {
	F(1, TEXT, NONE, "$ref"),
	F(2, ONE, OPERATION2, "get"),
	F(3, ONE, OPERATION2, "put"),
	F(4, ONE, OPERATION2, "post"),
	F(5, ONE, OPERATION2, "delete"),
	F(6, ONE, OPERATION2, "options"),
	F(7, ONE, OPERATION2, "head"),
	F(8, ONE, OPERATION2, "patch"),
	F(9, MANY, PARAMETER_OR_REFERENCE2, "parameters"),
	F(10, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field operation2[] = {
	F(1, TEXTS, NONE, "tags"),
	F(2, TEXT, NONE, "summary"),
	F(3, TEXT, NONE, "description"),
	F(5, TEXT, NONE, "operationId"),
	F(6, TEXTS, NONE, "produces"),
	F(7, TEXTS, NONE, "consumes"),
	F(8, MANY, PARAMETER_OR_REFERENCE2, "parameters"),
	F(9, ONE, RESPONSES2, "responses"),
	F(10, TEXTS, NONE, "schemes"),
	F(11, BOOL, NONE, "deprecated"),
	F(12, MANY, SECURITY, "security"),
	F(13, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field responses2[] = {
	F(1, HERE, RESPONSE_OR_REFERENCE2, NULL),
	F(2, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field response2[] = {
	F(1, TEXT, NONE, "description"),
	F(2, ONE, ANSWER2, "schema"),
	F(5, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field body2[] = {
	F(1, TEXT, NONE, "description"),
	F(2, TEXT, NONE, "name"),
	F(3, TEXT, NONE, "in"),
	F(4, BOOL, NONE, "required"),
	F(5, ONE, SCHEMA2, "schema"),
	F(6, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field query2[] = {
	F(1, BOOL, NONE, "required"),
	F(2, TEXT, NONE, "in"),
	F(3, TEXT, NONE, "description"),
	F(4, TEXT, NONE, "name"),
	F(5, BOOL, NONE, "allowEmptyValue"),
	F(6, TEXT, NONE, "type"),
	F(7, TEXT, NONE, "format"),
	F(9, TEXT, NONE, "collectionFormat"),
	F(10, ANY, NONE, "default"),
	F(11, DOUBLE, NONE, "maximum"),
	F(12, BOOL, NONE, "exclusiveMaximum"),
	F(13, DOUBLE, NONE, "minimum"),
	F(14, BOOL, NONE, "exclusiveMinimum"),
	F(15, INT, NONE, "maxLength"),
	F(16, INT, NONE, "minLength"),
	F(17, TEXT, NONE, "pattern"),
	F(18, INT, NONE, "maxItems"),
	F(19, INT, NONE, "minItems"),
	F(20, BOOL, NONE, "uniqueItems"),
	F(21, ANYS, NONE, "enum"),
	F(22, DOUBLE, NONE, "multipleOf"),
	F(23, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field in_path2[] = {
	F(1, BOOL, NONE, "required"),
	F(2, TEXT, NONE, "in"),
	F(3, TEXT, NONE, "description"),
	F(4, TEXT, NONE, "name"),
	F(5, TEXT, NONE, "type"),
	F(6, TEXT, NONE, "format"),
	F(8, TEXT, NONE, "collectionFormat"),
	F(9, ANY, NONE, "default"),
	F(10, DOUBLE, NONE, "maximum"),
	F(11, BOOL, NONE, "exclusiveMaximum"),
	F(12, DOUBLE, NONE, "minimum"),
	F(13, BOOL, NONE, "exclusiveMinimum"),
	F(14, INT, NONE, "maxLength"),
	F(15, INT, NONE, "minLength"),
	F(16, TEXT, NONE, "pattern"),
	F(17, INT, NONE, "maxItems"),
	F(18, INT, NONE, "minItems"),
	F(19, BOOL, NONE, "uniqueItems"),
	F(20, ANYS, NONE, "enum"),
	F(21, DOUBLE, NONE, "multipleOf"),
	F(22, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field schema2[] = {
	F(1, TEXT, NONE, "$ref"),
	F(2, TEXT, NONE, "format"),
	F(3, TEXT, NONE, "title"),
	F(4, TEXT, NONE, "description"),
	F(5, ANY, NONE, "default"),
	F(6, DOUBLE, NONE, "multipleOf"),
	F(7, DOUBLE, NONE, "maximum"),
	F(8, BOOL, NONE, "exclusiveMaximum"),
	F(9, DOUBLE, NONE, "minimum"),
	F(10, BOOL, NONE, "exclusiveMinimum"),
	F(11, INT, NONE, "maxLength"),
	F(12, INT, NONE, "minLength"),
	F(13, TEXT, NONE, "pattern"),
	F(14, INT, NONE, "maxItems"),
	F(15, INT, NONE, "minItems"),
	F(16, BOOL, NONE, "uniqueItems"),
	F(17, INT, NONE, "maxProperties"),
	F(18, INT, NONE, "minProperties"),
	F(19, TEXTS, NONE, "required"),
	F(20, ANYS, NONE, "enum"),
	F(21, ONE, MORE2, "additionalProperties"),
	F(22, NESTED, NONE, "type"),
	F(23, ITEMS, SCHEMA2, "items"),
	F(24, MANY, SCHEMA2, "allOf"),
	F(25, EACH, SCHEMA2, "properties"),
	F(26, TEXT, NONE, "discriminator"),
	F(27, BOOL, NONE, "readOnly"),
	F(30, ANY, NONE, "example"),
	F(31, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field key2[] = {
	F(1, TEXT, NONE, "type"),
	F(2, TEXT, NONE, "name"),
	F(3, TEXT, NONE, "in"),
	F(4, TEXT, NONE, "description"),
	F(5, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field reference[] = {
	F(1, TEXT, NONE, "$ref"),
	F(2, TEXT, NONE, "description"),
	END
};
static const struct fakeapi_openapi_field security[] = {
	F(1, TEXT_LISTS, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field document3[] = {
	F(1, TEXT, NONE, "openapi"),
	F(2, ONE, INFO3, "info"),
	F(4, ONE, PATHS3, "paths"),
	F(5, ONE, COMPONENTS3, "components"),
	F(6, MANY, SECURITY, "security"),
	F(9, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field info3[] = {
	F(1, TEXT, NONE, "title"),
	F(2, TEXT, NONE, "description"),
	F(3, TEXT, NONE, "termsOfService"),
	F(6, TEXT, NONE, "version"),
	F(7, EXTRA, NONE, NULL),
	F(8, TEXT, NONE, "summary"),
	END
};
static const struct fakeapi_openapi_field paths3[] = {
	F(1, HERE, PATH3, NULL),
	F(2, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field path3[] = {
	F(1, TEXT, NONE, "$ref"),
	F(2, TEXT, NONE, "summary"),
	F(3, TEXT, NONE, "description"),
	F(4, ONE, OPERATION3, "get"),
	F(5, ONE, OPERATION3, "put"),
	F(6, ONE, OPERATION3, "post"),
	F(7, ONE, OPERATION3, "delete"),
	F(8, ONE, OPERATION3, "options"),
	F(9, ONE, OPERATION3, "head"),
	F(10, ONE, OPERATION3, "patch"),
	F(13, MANY, PARAMETER_OR_REFERENCE3, "parameters"),
	F(14, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field operation3[] = {
	F(1, TEXTS, NONE, "tags"),
	F(2, TEXT, NONE, "summary"),
	F(3, TEXT, NONE, "description"),
	F(5, TEXT, NONE, "operationId"),
	F(6, MANY, PARAMETER_OR_REFERENCE3, "parameters"),
	F(7, ONE, BODY_OR_REFERENCE3, "requestBody"),
	F(8, ONE, RESPONSES3, "responses"),
	F(10, BOOL, NONE, "deprecated"),
	F(11, MANY, SECURITY, "security"),
	F(13, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field responses3[] = {
	F(2, HERE, RESPONSE_OR_REFERENCE3, NULL),
	F(3, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field response3[] = {
	F(1, TEXT, NONE, "description"),
	F(3, EACH, MEDIA3, "content"),
	F(5, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field parameter3[] = {
	F(1, TEXT, NONE, "name"),
	F(2, TEXT, NONE, "in"),
	F(3, TEXT, NONE, "description"),
	F(4, BOOL, NONE, "required"),
	F(5, BOOL, NONE, "deprecated"),
	F(6, BOOL, NONE, "allowEmptyValue"),
	F(7, TEXT, NONE, "style"),
	F(8, BOOL, NONE, "explode"),
	F(9, BOOL, NONE, "allowReserved"),
	F(10, ONE, SCHEMA_OR_REFERENCE3, "schema"),
	F(14, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field body3[] = {
	F(1, TEXT, NONE, "description"),
	F(2, EACH, MEDIA3, "content"),
	F(3, BOOL, NONE, "required"),
	F(4, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field media3[] = {
	F(1, ONE, SCHEMA_OR_REFERENCE3, "schema"),
	F(5, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field components3[] = {
	F(1, EACH, SCHEMA_OR_REFERENCE3, "schemas"),
	F(7, EACH, KEY_OR_REFERENCE3, "securitySchemes"),
	F(10, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field schema3[] = {
	F(1, BOOL, NONE, "nullable"),
	F(3, BOOL, NONE, "readOnly"),
	F(4, BOOL, NONE, "writeOnly"),
	F(7, ANY, NONE, "example"),
	F(8, BOOL, NONE, "deprecated"),
	F(9, TEXT, NONE, "title"),
	F(10, DOUBLE, NONE, "multipleOf"),
	F(11, DOUBLE, NONE, "maximum"),
	F(12, BOOL, NONE, "exclusiveMaximum"),
	F(13, DOUBLE, NONE, "minimum"),
	F(14, BOOL, NONE, "exclusiveMinimum"),
	F(15, INT, NONE, "maxLength"),
	F(16, INT, NONE, "minLength"),
	F(17, TEXT, NONE, "pattern"),
	F(18, INT, NONE, "maxItems"),
	F(19, INT, NONE, "minItems"),
	F(20, BOOL, NONE, "uniqueItems"),
	F(21, INT, NONE, "maxProperties"),
	F(22, INT, NONE, "minProperties"),
	F(23, TEXTS, NONE, "required"),
	F(24, ANYS, NONE, "enum"),
	F(25, TEXT, NONE, "type"),
	F(26, MANY, SCHEMA_OR_REFERENCE3, "allOf"),
	F(27, MANY, SCHEMA_OR_REFERENCE3, "oneOf"),
	F(28, MANY, SCHEMA_OR_REFERENCE3, "anyOf"),
	F(29, ONE, SCHEMA3, "not"),
	F(30, ITEMS, SCHEMA_OR_REFERENCE3, "items"),
	F(31, EACH, SCHEMA_OR_REFERENCE3, "properties"),
	F(32, ONE, MORE3, "additionalProperties"),
	F(33, PLAIN, NONE, "default"),
	F(34, TEXT, NONE, "description"),
	F(35, TEXT, NONE, "format"),
	F(36, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field key3[] = {
	F(1, TEXT, NONE, "type"),
	F(2, TEXT, NONE, "description"),
	F(3, TEXT, NONE, "name"),
	F(4, TEXT, NONE, "in"),
	F(5, TEXT, NONE, "scheme"),
	F(6, TEXT, NONE, "bearerFormat"),
	F(9, EXTRA, NONE, NULL),
	END
};
static const struct fakeapi_openapi_field reference3[] = {
	F(1, TEXT, NONE, "$ref"),
	F(2, TEXT, NONE, "summary"),
	F(3, TEXT, NONE, "description"),
	END
};

const struct fakeapi_openapi_field *const fakeapi_openapi_messages[FAKEAPI_MESSAGE_COUNT] = {
	[FAKEAPI_MESSAGE_DOCUMENT2] = document2,
	[FAKEAPI_MESSAGE_INFO2] = info2,
	[FAKEAPI_MESSAGE_PATHS2] = paths2,
	[FAKEAPI_MESSAGE_PATH2] = path2,
	[FAKEAPI_MESSAGE_OPERATION2] = operation2,
	[FAKEAPI_MESSAGE_RESPONSES2] = responses2,
	[FAKEAPI_MESSAGE_RESPONSE2] = response2,
	[FAKEAPI_MESSAGE_BODY2] = body2,
	[FAKEAPI_MESSAGE_QUERY2] = query2,
	[FAKEAPI_MESSAGE_IN_PATH2] = in_path2,
	[FAKEAPI_MESSAGE_SCHEMA2] = schema2,
	[FAKEAPI_MESSAGE_KEY2] = key2,
	[FAKEAPI_MESSAGE_REFERENCE] = reference,
	[FAKEAPI_MESSAGE_SECURITY] = security,
	[FAKEAPI_MESSAGE_DOCUMENT3] = document3,
	[FAKEAPI_MESSAGE_INFO3] = info3,
	[FAKEAPI_MESSAGE_PATHS3] = paths3,
	[FAKEAPI_MESSAGE_PATH3] = path3,
	[FAKEAPI_MESSAGE_OPERATION3] = operation3,
	[FAKEAPI_MESSAGE_RESPONSES3] = responses3,
	[FAKEAPI_MESSAGE_RESPONSE3] = response3,
	[FAKEAPI_MESSAGE_PARAMETER3] = parameter3,
	[FAKEAPI_MESSAGE_BODY3] = body3,
	[FAKEAPI_MESSAGE_MEDIA3] = media3,
	[FAKEAPI_MESSAGE_COMPONENTS3] = components3,
	[FAKEAPI_MESSAGE_SCHEMA3] = schema3,
	[FAKEAPI_MESSAGE_KEY3] = key3,
	[FAKEAPI_MESSAGE_REFERENCE3] = reference3,
};
