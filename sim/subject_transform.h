/* The transform that scenarios can switch on: an object without metadata.managedFields. */
#ifndef SIM_SUBJECT_TRANSFORM_H
#define SIM_SUBJECT_TRANSFORM_H

#include "informer/object.h"

/* For struct inf_transform; self is not used. Idempotent: without the field the same object comes back. */
enum base_code subject_transform_strip(void *self, struct inf_object *object,
				       struct inf_object **out, struct base_error *error);

#endif
