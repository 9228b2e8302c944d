/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * take.c - one tick of the calling thread.
 *
 * Runs in signal handlers: no allocation, no lock, errno kept.
 */
#define _GNU_SOURCE
#include "sample/take.h"

#include <errno.h>
#include <stdbool.h>

#include <syscap.h>
#include <syscap/sampler.h>

#include "emit/sample.h"
#include "sample/compose.h"
#include "sample/registers.h"
#include "sample/safepoint.h"
#include "stack/unwind.h"

size_t syc_take_size(void)
{
	return sizeof(struct syc_take);
}

static unsigned take_native(struct syc_take *take,
                            const struct syc_take_options *options,
                            const ucontext_t *context, int64_t now,
                            uint32_t weight)
{
	struct syc_unwind unwind = {
		.addrs = take->addrs,
		.max = options->max_depth < SYC_STACK_MAX ? options->max_depth
		                                          : SYC_STACK_MAX,
		.low = options->low,
		.high = options->high,
	};

	syc_unwind_from(&unwind, context);
	syc_sample_emit(now, take->addrs, unwind.n, unwind.flags, weight);
	return unwind.flags;
}

static unsigned take_merged(struct syc_take *take,
                            const struct syc_take_options *options,
                            const ucontext_t *context, int64_t now,
                            uint32_t weight, struct syc_runtimes *runtimes)
{
	struct syc_occasion occasion = { .runtimes = runtimes,
		                         .options = options,
		                         .context = context,
		                         .now = now,
		                         .weight = weight };

	/* What is taken at safe points is taken in the same way */
	runtimes->options = *options;
	if (syc_safepoint_defer(take, runtimes, weight))
		return 0;
	syc_registers_of(context, &occasion.regs);
	occasion.regs.time = now;
	return syc_compose(take, &occasion);
}

int syc_take_sample(struct syc_take *take,
                    const struct syc_take_options *options,
                    const ucontext_t *context, int64_t now, uint32_t weight)
{
	const int saved = errno;

	if (!syc_take_enter(take, options,
	                    (uintptr_t)__builtin_frame_address(0)))
		return -EBUSY;
	struct syc_runtimes *const runtimes =
		options->stacks != SYSCAP_SAMPLER_NATIVE ? syc_attach_find()
							 : NULL;
	const unsigned flags =
		runtimes == NULL || runtimes->order == 0
			? take_native(take, options, context, now, weight)
			: take_merged(take, options, context, now, weight,
	                              runtimes);
	syc_take_leave(take);
	errno = saved;
	return (int)flags;
}
