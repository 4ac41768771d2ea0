#include "base/prng.h"

uint64_t base_splitmix_next(struct base_splitmix *s)
{
	s->state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = s->state;
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void base_prng_seed(struct base_prng *p, uint64_t seed, struct base_str stream)
{
	/* One round over the seed first, so that neighbouring seeds do not cancel against names. */
	struct base_splitmix mix = {.state = seed};
	mix.state = base_splitmix_next(&mix) ^ base_str_hash(stream);
	for (size_t i = 0; i < 4; i++)
		p->s[i] = base_splitmix_next(&mix);
	if ((p->s[0] | p->s[1] | p->s[2] | p->s[3]) == 0)
		p->s[0] = 1; /* the one state that never leaves zero */
}

static uint64_t rotate_left(uint64_t x, unsigned bits)
{
	return (x << bits) | (x >> (64 - bits));
}

uint64_t base_prng_next(struct base_prng *p)
{
	uint64_t result = rotate_left(p->s[1] * 5, 7) * 9;
	uint64_t t = p->s[1] << 17;
	p->s[2] ^= p->s[0];
	p->s[3] ^= p->s[1];
	p->s[1] ^= p->s[2];
	p->s[0] ^= p->s[3];
	p->s[2] ^= t;
	p->s[3] = rotate_left(p->s[3], 45);
	return result;
}

uint64_t base_prng_below(struct base_prng *p, uint64_t bound)
{
	if (bound <= 1)
		return 0;
	/* 2^64 mod bound: draws below it would make small results more likely. */
	uint64_t skip = (0 - bound) % bound;
	uint64_t draw;
	do
		draw = base_prng_next(p);
	while (draw < skip);
	return draw % bound;
}

uint64_t base_prng_between(struct base_prng *p, uint64_t low, uint64_t high)
{
	if (high <= low)
		return low;
	uint64_t span = high - low;
	return span == UINT64_MAX ? base_prng_next(p) : low + base_prng_below(p, span + 1);
}

bool base_prng_chance(struct base_prng *p, uint64_t numerator, uint64_t denominator)
{
	return base_prng_below(p, denominator) < numerator;
}
