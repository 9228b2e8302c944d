/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * safepoint.c - samples at a runtime's safe points, and those that a runtime's
 * own sampler asks for.
 */
#define _GNU_SOURCE
#include "sample/safepoint.h"

#include <errno.h>
#include <string.h>

#include <syscap.h>

#include "sample/compose.h"
#include "sample/pending.h"
#include "sample/registers.h"
#include "sample/runtimes.h"

int syscap_safepoint(struct syscap_attachment *attachment)
{
	if (attachment == NULL || !syc_pending_is_any(attachment))
		return 0;
	const int saved = errno;
	struct syc_runtimes *const runtimes = attachment->runtimes;
	const struct syc_sample_options options = runtimes->options;
	uint32_t n = 0;
	if (runtimes != syc_runtimes_find() ||
	    !syc_workspace_enter(runtimes->take, &options,
	                         (uintptr_t)__builtin_frame_address(0)))
		goto out;
	n = syc_pending_name(attachment);
	const uint32_t due = syc_pending_take_due(attachment);
	if (due != 0) {
		const struct syc_occasion occasion = {
			.runtimes = runtimes,
			.options = &options,
			.cfa = (uintptr_t)__builtin_dwarf_cfa(),
			.regs = { .size = sizeof(struct syscap_regs) },
			.at = attachment,
			.now = syscap_clock(),
			.weight = due,
		};

		syc_compose(runtimes->take, &occasion);
		n += due;
	}
	syc_workspace_leave(runtimes->take);
out:
	errno = saved;
	return (int)n;
}

/*
 * Ticks that were due are told with the native stack: where a runtime
 * detaches it may have no stack to walk any more.
 */
void syc_safepoint_last(struct syscap_attachment *attachment)
{
	const int saved = errno;
	struct syc_runtimes *const runtimes = attachment->runtimes;
	struct syc_workspace *const take = runtimes->take;
	const struct syc_sample_options options = runtimes->options;

	if (!syc_pending_is_any(attachment) ||
	    !syc_workspace_enter(take, &options,
	                         (uintptr_t)__builtin_frame_address(0)))
		return;
	syc_pending_name(attachment);
	const uint32_t due = syc_pending_take_due(attachment);
	if (due != 0) {
		const uint32_t order = runtimes->order;
		const struct syc_occasion occasion = {
			.runtimes = runtimes,
			.options = &options,
			.cfa = (uintptr_t)__builtin_dwarf_cfa(),
			.regs = { .size = sizeof(struct syscap_regs) },
			.now = syscap_clock(),
			.weight = due,
		};

		__atomic_store_n(&runtimes->order, 0, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		syc_compose(take, &occasion);
		SYC_SIGNAL_FENCE();
		__atomic_store_n(&runtimes->order, order, __ATOMIC_RELAXED);
	}
	syc_workspace_leave(take);
	errno = saved;
}

int syscap_sample_push(struct syscap_attachment *attachment,
                       const struct syscap_regs *regs, uint32_t weight)
{
	if (attachment == NULL || weight == 0)
		return -EINVAL;
	const int saved = errno;
	struct syc_runtimes *const runtimes = attachment->runtimes;
	const struct syc_sample_options options = runtimes->options;
	struct syc_occasion occasion = {
		.runtimes = runtimes,
		.options = &options,
		.regs = { .size = sizeof(struct syscap_regs) },
		.at = attachment,
		.weight = weight,
	};
	int r = -EBUSY;
	if (attachment->is_gone || runtimes != syc_runtimes_find()) {
		r = -ENOENT;
		goto out;
	}
	if (!syc_workspace_enter(runtimes->take, &options,
	                         (uintptr_t)__builtin_frame_address(0)))
		goto out;
	if (regs != NULL)
		memcpy(&occasion.regs, regs,
		       regs->size < sizeof(*regs) ? regs->size : sizeof(*regs));
	occasion.now =
		occasion.regs.time != 0 ? occasion.regs.time : syscap_clock();
	occasion.context = occasion.regs.ucontext;
	if (occasion.context == NULL && occasion.regs.pc != 0) {
		syc_registers_put(&occasion.regs, &runtimes->pushed);
		occasion.context = &runtimes->pushed;
	}
	if (occasion.context == NULL)
		occasion.cfa = (uintptr_t)__builtin_dwarf_cfa();
	syc_compose(runtimes->take, &occasion);
	syc_workspace_leave(runtimes->take);
	r = 0;
out:
	errno = saved;
	return r;
}
