/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unsampled.h - threads and processor time of a capture without samples.
 *
 * Context of all functions: one thread at a time; they do not allocate.
 */
#ifndef SYC_PROFILE_UNSAMPLED_H
#define SYC_PROFILE_UNSAMPLED_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/profile.h>

/** A zero-initialized struct is empty. */
struct syc_unsampled {
	uint64_t n_threads;
	uint64_t n_asleep; /* threads with little processor time */
	bool has_cpu;      /* the recorder compared the numbers below */
	uint64_t cpu_us, sampled_us;
};

/** Read METADATA `syscap.sampler.unsampled` and `syscap.sampler.cpu`. */
void syc_unsampled_take(struct syc_unsampled *unsampled, const char *id,
                        const char *value);

/** Judge the sums. */
void syc_unsampled_judge(const struct syc_unsampled *unsampled,
                         struct syscap_profile_unsampled *ret_unsampled);

#endif
