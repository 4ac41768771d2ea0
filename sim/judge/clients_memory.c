/* What is remembered of a long history: the last versions and tokens, the last minute. */
#include <stdlib.h>

#include "sim/fatal.h"
#include "sim/judge/clients_state.h"

#define SECOND_NS UINT64_C(1000000000)

void clients_memory_init(struct clients_memory *memory, size_t cap)
{
	*memory = (struct clients_memory){.cap = cap, .ring = sim_calloc(cap, sizeof(char *))};
	base_map_init(&memory->known, NULL);
}

void clients_memory_release(struct clients_memory *memory)
{
	for (size_t i = 0; i < memory->cap; i++)
		free(memory->ring[i]);
	free(memory->ring);
	base_map_release(&memory->known);
}

void clients_memory_put(struct clients_memory *memory, struct base_str text)
{
	char **slot = &memory->ring[memory->at];

	if (text.len == 0 || clients_memory_has(memory, text))
		return;
	if (*slot != NULL) {
		(void)base_map_remove(&memory->known, base_str(*slot));
		free(*slot);
		memory->forgot = true;
	}
	*slot = sim_strdup(text);
	sim_must(base_map_put(&memory->known, text, memory, NULL));
	memory->at = (memory->at + 1) % memory->cap;
}

bool clients_memory_has(const struct clients_memory *memory, struct base_str text)
{
	return base_map_get(&memory->known, text) != NULL;
}

uint64_t clients_rate_add(struct clients_rate *rate, uint64_t now_ns)
{
	const uint64_t second = now_ns / SECOND_NS;

	for (; rate->second < second; rate->second++) {
		if (second - rate->second > CLIENTS_RATE_SECONDS) {
			memset(rate->counts, 0, sizeof(rate->counts));
			rate->sum = 0;
			rate->second = second;
			break;
		}
		uint32_t *oldest = &rate->counts[(rate->second + 1) % CLIENTS_RATE_SECONDS];
		rate->sum -= *oldest;
		*oldest = 0;
	}
	rate->counts[second % CLIENTS_RATE_SECONDS]++;
	return ++rate->sum;
}
