/* What a plain YAML scalar means, by the rules of YAML 1.1 as the servers' library keeps them. */
#ifndef FAKEAPI_YAML_SCALAR_H
#define FAKEAPI_YAML_SCALAR_H

#include "base/str.h"

enum fakeapi_yaml_tag {
	FAKEAPI_YAML_STRING,
	FAKEAPI_YAML_TRUE, /* also y, yes, on */
	FAKEAPI_YAML_FALSE,
	FAKEAPI_YAML_NULL,
	FAKEAPI_YAML_INT,
	FAKEAPI_YAML_FLOAT,
	FAKEAPI_YAML_SPECIAL, /* .inf, .nan */
	FAKEAPI_YAML_TIME,    /* read as a string, but written in quotes */
};

enum fakeapi_yaml_tag fakeapi_yaml_resolve(struct base_str text);
/* 1:20, a number to the base of 60: a string here, written in quotes for other readers. */
bool fakeapi_yaml_is_base60(struct base_str text);
/* The value of an INT: *negative and its magnitude. */
bool fakeapi_yaml_int(struct base_str text, bool *negative, uint64_t *magnitude);

#endif
