/* A container's life again and again, one allocation of it failing, until none does; then with every later one
 * failing as well. */
#ifndef BASE_SWEEP_RIG_H
#define BASE_SWEEP_RIG_H

#include "base/alloc.h"

/* life checks what must hold and returns how many allocations failed. */
void base_sweep(uint64_t (*life)(struct base_alloc_probe *probe));

#endif
