/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ways.h - the ways from some stacks' innermost frames to the root, at once.
 *
 * Where a frame's caller is in memory nobody can guess: one stack is walked as
 * fast as memory answers, one question after another. Those of many samples are
 * asked together.
 */
#ifndef SYC_EXPORT_WAYS_H
#define SYC_EXPORT_WAYS_H

#include <stddef.h>
#include <stdint.h>

#include <syscap/profile.h>

/** So many are walked at once. */
#define SYC_WAYS 16u

struct syc_ways {
	const struct syscap_view *view;
	const struct syscap_profile_samples *samples;
	size_t deepest;
	uint32_t *nodes; /* of each path @deepest */
	uint32_t lens[SYC_WAYS];
};

/** 0 or -ENOMEM; fini in any case.  @samples are the view's. */
int syc_ways_init(struct syc_ways *ways, const struct syscap_view *view,
                  const struct syscap_profile_samples *samples);
void syc_ways_fini(struct syc_ways *ways);

/** Walk the stacks of @n samples that pass, SYC_WAYS at most. */
void syc_ways_walk(struct syc_ways *ways, const uint32_t *samples, size_t n);

/** The nodes of the @i-th, the innermost first: lens[@i]. */
static inline uint32_t *syc_ways_get(const struct syc_ways *ways, size_t i)
{
	return ways->nodes + i * ways->deepest;
}

#endif
