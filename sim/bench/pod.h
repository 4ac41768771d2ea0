/* Pods as a cluster has them: what the controller manager writes, the API server completes and the kubelet
 * reports of a running replica, 3.1 KB of JSON. No two are alike. */
#ifndef SIM_BENCH_POD_H
#define SIM_BENCH_POD_H

#include "base/buf.h"

/* The path of the i-th pod below /api/v1, without a slash in front: "namespaces/team-03/pods/…". */
enum base_code sim_bench_pod_path(struct base_buf *out, uint64_t i) BASE_MUST_CHECK;
enum base_code sim_bench_pod(struct base_buf *out, uint64_t i) BASE_MUST_CHECK;

#endif
