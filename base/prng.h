/* Seeded random numbers, integers only: splitmix64 and xoshiro256**.
 * One stream per component, derived from the run's seed and the component's name, so
 * that a new consumer does not shift the draws of another. */
#ifndef BASE_PRNG_H
#define BASE_PRNG_H

#include "base/str.h"

struct base_splitmix {
	uint64_t state;
};
/* state += 0x9e3779b97f4a7c15, then two multiply-xorshift rounds. */
uint64_t base_splitmix_next(struct base_splitmix *s);

struct base_prng {
	uint64_t s[4];
};
void base_prng_seed(struct base_prng *p, uint64_t seed, struct base_str stream);
uint64_t base_prng_next(struct base_prng *p);
uint64_t base_prng_below(struct base_prng *p, uint64_t bound); /* [0, bound), unbiased; bound > 0 */
uint64_t base_prng_between(struct base_prng *p, uint64_t low, uint64_t high); /* inclusive */
bool base_prng_chance(struct base_prng *p, uint64_t numerator, uint64_t denominator);

#endif
