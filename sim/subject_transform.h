/* The transforms that scenarios can switch on. */
#ifndef SIM_SUBJECT_TRANSFORM_H
#define SIM_SUBJECT_TRANSFORM_H

#include "informer/object.h"

struct subject_transform {
	bool drop_managed_fields; /* metadata.managedFields */
	bool drop_data;      /* data, binaryData, spec, status: all but what identifies an object */
	const char *fail_on; /* a key whose transform fails; NULL: none */
};

/* For struct inf_transform, with a struct subject_transform as self. Idempotent: an object without the
 * fields comes back as it is. */
enum base_code subject_transform_run(void *self, struct inf_object *object, struct inf_object **out,
				     struct base_error *error);

#endif
