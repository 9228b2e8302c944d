/* SPDX-License-Identifier: BSD-2-Clause */
/* workspace.c - owner of a workspace, and frames of providers in the
 * workspace. */
#define _GNU_SOURCE
#include <syscap.h>

#include "sampler/compose.h"
#include "unwind/unwind.h"

size_t syc_workspace_size(void)
{
	return sizeof(struct syc_workspace);
}

/*
 * Return whether the call whose frame was at @owner left by siglongjmp().  The
 * caller's frame is at @here, and the frame of an interrupted call is above
 * @here.  Returns false if a frame is not on the thread's own stack.
 */
static bool is_owner_dead(const struct syc_sample_options *options,
                          uintptr_t owner, uintptr_t here)
{
	return owner >= options->low && owner < options->high &&
	       here >= owner && here < options->high;
}

bool syc_workspace_enter(struct syc_workspace *take,
                         const struct syc_sample_options *options,
                         uintptr_t here)
{
	const uintptr_t owner = __atomic_load_n(&take->owner, __ATOMIC_RELAXED);

	if (owner != 0 && !is_owner_dead(options, owner, here))
		return false;
	/* A handler that interrupts this code returns before this code
	 * continues */
	__atomic_store_n(&take->owner, here, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	return true;
}

void syc_workspace_leave(struct syc_workspace *take)
{
	SYC_SIGNAL_FENCE();
	__atomic_store_n(&take->owner, 0, __ATOMIC_RELAXED);
}

bool syc_workspace_is_busy(const struct syc_workspace *take)
{
	return __atomic_load_n(&take->owner, __ATOMIC_RELAXED) != 0;
}

int syscap_stack_push(struct syscap_stack_sink *sink,
                      const struct syscap_stack_frame *frame)
{
	if (sink->n >= sink->max) {
		sink->is_full = true;
		return 0;
	}
	sink->frames[sink->n++] = *frame;
	return 1;
}

void *syscap_stack_scratch(struct syscap_stack_sink *sink, size_t *ret_size)
{
	*ret_size = sizeof(sink->scratch);
	return sink->scratch;
}

int syscap_readable(const void *at, size_t n)
{
	return syc_unwind_readable(at, n);
}
