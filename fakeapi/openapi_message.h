/* Messages that an OpenAPI document is made of in Protobuf: which member is which field. */
#ifndef FAKEAPI_OPENAPI_MESSAGE_H
#define FAKEAPI_OPENAPI_MESSAGE_H

#include <stdint.h>

/* What a member becomes. */
enum fakeapi_openapi_form {
	FAKEAPI_FORM_TEXT,
	FAKEAPI_FORM_TEXTS,  /* a list of texts, or one text */
	FAKEAPI_FORM_NESTED, /* a text, or a list, in a message of its own */
	FAKEAPI_FORM_BOOL,
	FAKEAPI_FORM_INT,
	FAKEAPI_FORM_DOUBLE,
	FAKEAPI_FORM_ANY,   /* YAML */
	FAKEAPI_FORM_ANYS,  /* a list of it */
	FAKEAPI_FORM_ONE,   /* a message */
	FAKEAPI_FORM_MANY,  /* a list of messages */
	FAKEAPI_FORM_EACH,  /* a message of pairs: name, message */
	FAKEAPI_FORM_ITEMS, /* a message with one message, or several */
	FAKEAPI_FORM_PLAIN, /* a message with a number, boolean or text */
	/* The message's own members, as pairs: */
	FAKEAPI_FORM_HERE,       /* those that are no extension */
	FAKEAPI_FORM_EXTRA,      /* x-…, as YAML */
	FAKEAPI_FORM_TEXT_LISTS, /* all: name, a list of texts */
};

enum fakeapi_openapi_message {
	FAKEAPI_MESSAGE_NONE,
	/* version 2 */
	FAKEAPI_MESSAGE_DOCUMENT2,
	FAKEAPI_MESSAGE_INFO2,
	FAKEAPI_MESSAGE_PATHS2,
	FAKEAPI_MESSAGE_PATH2,
	FAKEAPI_MESSAGE_OPERATION2,
	FAKEAPI_MESSAGE_RESPONSES2,
	FAKEAPI_MESSAGE_RESPONSE2,
	FAKEAPI_MESSAGE_BODY2,
	FAKEAPI_MESSAGE_QUERY2,
	FAKEAPI_MESSAGE_IN_PATH2, /* of a path or header */
	FAKEAPI_MESSAGE_SCHEMA2,
	FAKEAPI_MESSAGE_KEY2,
	FAKEAPI_MESSAGE_REFERENCE,
	FAKEAPI_MESSAGE_SECURITY,
	/* version 3 */
	FAKEAPI_MESSAGE_DOCUMENT3,
	FAKEAPI_MESSAGE_INFO3,
	FAKEAPI_MESSAGE_PATHS3,
	FAKEAPI_MESSAGE_PATH3,
	FAKEAPI_MESSAGE_OPERATION3,
	FAKEAPI_MESSAGE_RESPONSES3,
	FAKEAPI_MESSAGE_RESPONSE3,
	FAKEAPI_MESSAGE_PARAMETER3,
	FAKEAPI_MESSAGE_BODY3,
	FAKEAPI_MESSAGE_MEDIA3,
	FAKEAPI_MESSAGE_COMPONENTS3,
	FAKEAPI_MESSAGE_SCHEMA3,
	FAKEAPI_MESSAGE_KEY3,
	FAKEAPI_MESSAGE_REFERENCE3,
	FAKEAPI_MESSAGE_COUNT,
	/* One of several: which one is told by the value. */
	FAKEAPI_MESSAGE_PARAMETER2,
	FAKEAPI_MESSAGE_PARAMETER_OR_REFERENCE2,
	FAKEAPI_MESSAGE_RESPONSE_OR_REFERENCE2,
	FAKEAPI_MESSAGE_ANSWER2, /* a schema, in an answer */
	FAKEAPI_MESSAGE_MORE2,   /* a schema or a boolean */
	FAKEAPI_MESSAGE_KEYS2,
	FAKEAPI_MESSAGE_RESPONSE_OR_REFERENCE3,
	FAKEAPI_MESSAGE_PARAMETER_OR_REFERENCE3,
	FAKEAPI_MESSAGE_BODY_OR_REFERENCE3,
	FAKEAPI_MESSAGE_SCHEMA_OR_REFERENCE3,
	FAKEAPI_MESSAGE_KEY_OR_REFERENCE3,
	FAKEAPI_MESSAGE_MORE3,
};

struct fakeapi_openapi_field {
	uint8_t number;
	enum fakeapi_openapi_form form;
	enum fakeapi_openapi_message message;
	const char *name; /* NULL: no member of that name */
};
/* In the order of the numbers, until number 0. */
extern const struct fakeapi_openapi_field *const fakeapi_openapi_messages[FAKEAPI_MESSAGE_COUNT];

#endif
