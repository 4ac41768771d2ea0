/* The types of an object's fixed fields: what a typed client refuses to decode. */
#ifndef INFORMER_FIELDS_H
#define INFORMER_FIELDS_H

#include "base/json.h"
#include "informer/parts.h"

/* kind, apiVersion and metadata of an object. NULL: all right; else a static text. */
const char *inf_check_object(struct inf_parts *object);
/* What is outside metadata, for the core kinds whose content is checked (ConfigMap, Secret); kind as text. */
const char *inf_check_content(struct base_str object, struct base_str kind);
/* The same for a list's own fields, without its items. */
const char *inf_check_list(const struct inf_parts *list);
/* A Status. */
const char *inf_check_status(struct base_str status);
/* RFC 3339, as Go's time.Parse takes it. */
bool inf_is_time(struct base_str text);

#endif
