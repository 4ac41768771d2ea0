#include "base/sweep_rig.h"

void base_sweep(uint64_t (*life)(struct base_alloc_probe *probe))
{
	for (int forever = 0; forever < 2; forever++) {
		uint64_t failed = 1;

		for (uint64_t n = 1; failed != 0; n++) {
			struct base_alloc_probe probe;

			base_alloc_probe_init(&probe);
			probe.fail_at = n;
			probe.fail_forever = forever != 0;
			failed = life(&probe);
		}
	}
}
