/* Everything libinformer offers; see the headers one by one. */
#ifndef INFORMER_INFORMER_H
#define INFORMER_INFORMER_H

#include "informer/gates.h"
#include "informer/handler.h"
#include "informer/object.h"
#include "informer/observer.h"
#include "informer/resource.h"
#include "informer/seams.h"
#include "informer/shared_informer.h"
#include "informer/sink.h"
#include "informer/store.h"
#include "informer/sync.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif

#endif
