/* What the store behind a server takes: its limit is on the bytes of a write as it would travel, which are
 * Protobuf for built-in kinds and JSON for custom ones. */
#ifndef FAKEAPI_SIZE_H
#define FAKEAPI_SIZE_H

#include "fakeapi/write.h"

/* object: what would be stored. Too large: w is answered in the store's words, or the connection's to it. */
enum base_code fakeapi_size_check(struct fakeapi_write *w, struct base_str object) BASE_MUST_CHECK;

#endif
