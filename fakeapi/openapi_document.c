/* Whole documents of OpenAPI: their paths, which is where clients look for what a request may carry, and the
 * types that the paths refer to, which is what they explain and validate by. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fakeapi/machine.h"
#include "fakeapi/openapi.h"

#define PUT_MAX 1024

/* What is put is short: names, types, at most a default. */
void fakeapi_openapi_put(struct fakeapi_openapi *d, const char *format, ...)
{
	char text[PUT_MAX];
	va_list args;
	if (d->code != BASE_OK)
		return;
	va_start(args, format);
	int n = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	d->code = n < 0 || (size_t)n >= sizeof text ? BASE_ELIMIT
						    : base_buf_append(d->out, text, (size_t)n);
}

void fakeapi_openapi_comma(struct fakeapi_openapi *d)
{
	const struct base_buf *out = d->out;
	if (out->len != 0 && out->ptr[out->len - 1] != '{' && out->ptr[out->len - 1] != '[')
		fakeapi_openapi_put(d, ",");
}

#define KEY "\"type\":\"apiKey\",\"name\":\"authorization\",\"in\":\"header\""

static void head_put(struct fakeapi_openapi *d)
{
	const char *form = d->v3 ? "\"openapi\":\"3.0.0\"" : "\"swagger\":\"2.0\"";
	if (d->custom)
		fakeapi_openapi_put(
			d,
			"{%s,\"info\":{\"title\":\"Kubernetes CRD Swagger\",\"version\":\"v0.1.0\"}",
			form);
	else
		fakeapi_openapi_put(d, "{%s,\"info\":{\"title\":\"Kubernetes\",\"version\":\"%s\"}",
				    form, d->f->profile->name);
	fakeapi_openapi_put(d, ",\"paths\":{");
}

enum base_code fakeapi_openapi_document(struct fakeapi *f, bool v3, struct base_str name,
					struct base_str group, struct base_str version,
					struct base_buf *out)
{
	struct fakeapi_openapi d = {
		.f = f, .out = out, .v3 = v3, .group = group, .version = version};
	d.custom = v3 && version.len != 0 &&
		   !fakeapi_discovery_has(fakeapi_minor(f), group, version);
	base_buf_init(&d.types, f->alloc, FAKEAPI_BODY_MAX);
	base_buf_init(&d.kinds, f->alloc, FAKEAPI_BODY_MAX);
	d.code = fakeapi_openapi_kinds(&d);
	head_put(&d);
	fakeapi_openapi_paths(&d, name);
	fakeapi_openapi_put(&d, "}");
	if (v3) {
		fakeapi_openapi_put(&d, ",\"components\":{\"schemas\":{");
		fakeapi_openapi_types(&d);
		fakeapi_openapi_put(&d, d.custom ? "}}}"
						 : "},\"securitySchemes\":{\"BearerToken\":{" KEY
						   "}}}}");
	} else {
		fakeapi_openapi_put(&d, ",\"parameters\":{");
		fakeapi_openapi_parameters(&d);
		fakeapi_openapi_put(&d, "},\"definitions\":{");
		fakeapi_openapi_types(&d);
		fakeapi_openapi_put(&d, "},\"securityDefinitions\":{\"BearerToken\":{" KEY
					"}},\"security\":[{\"BearerToken\":[]}]}");
	}
	base_buf_release(&d.kinds);
	base_buf_release(&d.types);
	return d.code;
}
