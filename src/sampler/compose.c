/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compose.c - one sample of the calling thread (compose.h).
 *
 * This code runs in signal handlers.  Large data is in struct syc_workspace,
 * because the handler may run on the application's small alternate stack.
 */
#define _GNU_SOURCE
#include "sampler/compose.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <syscap.h>
#include <syscap/sampler.h>

#include "emit/sample.h"
#include "sampler/runtimes.h"
#include "unwind/unwind.h"

static void leave_out_innermost(struct syc_unwind *unwind, unsigned n)
{
	if (n == 0)
		return;
	unwind->n -= n;
	memmove(unwind->addrs, unwind->addrs + n,
	        unwind->n * sizeof(*unwind->addrs));
	if (unwind->sps != NULL)
		memmove(unwind->sps, unwind->sps + n,
		        unwind->n * sizeof(*unwind->sps));
}

static void drop_frames_below(struct syc_unwind *unwind, uintptr_t cfa)
{
	unsigned n = 0;

	while (n < unwind->n && unwind->sps[n] < cfa)
		n++;
	if (n == unwind->n) /* the walk began on another stack */
		n = 0;
	leave_out_innermost(unwind, n);
}

void syc_library_wait_drop_frames(struct syc_unwind *unwind,
                                  const struct syc_library_wait *wait)
{
	unsigned n = 0;

	if (wait == NULL)
		return;
	while (n + 1 < unwind->n && unwind->addrs[n + 1] >= wait->low &&
	       unwind->addrs[n + 1] < wait->high)
		n++;
	leave_out_innermost(unwind, n);
	const bool is_in_wait = unwind->n != 0 &&
	                        unwind->addrs[0] >= wait->low &&
	                        unwind->addrs[0] < wait->high;
	/* A reader may take the address for a return address and subtract 1 */
	if ((n != 0 || is_in_wait) && wait->called != 0)
		unwind->addrs[0] = wait->called + 1;
}

static void put_innermost(struct syc_unwind *unwind, uint64_t name)
{
	if (name == 0 || unwind->n == 0)
		return;
	if (unwind->n == unwind->max)
		unwind->n--;
	memmove(unwind->addrs + 1, unwind->addrs,
	        unwind->n * sizeof(*unwind->addrs));
	unwind->addrs[0] = name;
	if (unwind->sps != NULL)
		memmove(unwind->sps + 1, unwind->sps,
		        unwind->n * sizeof(*unwind->sps));
	unwind->n++;
}

/* Frames of one attachment in the sink. */
struct part {
	struct syscap_attachment *attachment;
	unsigned first, n;
	bool is_whole;
};

struct parts {
	unsigned n;
	unsigned flags; /* SYSCAP_STACK_* */
	bool have_handles;
	struct part of[SYC_ATTACH_MAX];
};

/* ----------------------------------------------------------------- asking */

static bool has_caps(const struct syscap_attachment *a, uint32_t caps)
{
	return (a->provider.caps & caps) != 0;
}

static bool may_walk(const struct syc_occasion *o,
                     const struct syscap_attachment *a)
{
	/* Only one batch exists.  A runtime at its safe point names handles
	 * immediately */
	if (has_caps(a, SYSCAP_PROVIDER_HANDLES) &&
	    (o->at != a || o->regs.in_signal) &&
	    __atomic_load_n(&o->runtimes->waiting->batch, __ATOMIC_RELAXED) !=
	            0)
		return false;
	if (o->at == a)
		return true;
	return has_caps(a, SYSCAP_PROVIDER_SIGNAL) ||
	       (has_caps(a, SYSCAP_PROVIDER_SAFEPOINT) && !o->regs.in_signal);
}

/* Return whether the stack has its outer frames.  After a PARTIAL frame, the
 * outer frames are unknown. */
static bool note_frames(struct parts *parts, struct syscap_stack_sink *sink,
                        unsigned first)
{
	bool is_whole = true;

	for (unsigned i = first; i < sink->n; i++) {
		if (sink->frames[i].kind == SYSCAP_CALL_HANDLE)
			parts->have_handles = true;
		if ((sink->frames[i].flags & SYSCAP_CALL_PARTIAL) != 0) {
			parts->flags |= SYSCAP_STACK_STOPPED;
			is_whole = false;
		}
	}
	return is_whole;
}

static void ask_provider(struct parts *parts, struct syscap_stack_sink *sink,
                         const struct syc_occasion *o,
                         struct syscap_attachment *a)
{
	const struct syscap_provider *const p = &a->provider;
	const unsigned first = sink->n;

	sink->is_full = false;
	const int r = p->walk(sink, &o->regs, a->thread_data);
	if (r < 0) {
		sink->n = first;
		if (r == SYSCAP_WALK_GONE)
			__atomic_store_n(&a->is_gone, true, __ATOMIC_RELAXED);
		return;
	}
	if (sink->is_full)
		parts->flags |= SYSCAP_STACK_CUT;
	const bool is_whole = note_frames(parts, sink, first) && !sink->is_full;
	if (sink->n != first)
		parts->of[parts->n++] =
			(struct part){ a, first, sink->n - first, is_whole };
}

static void ask_providers(struct parts *parts, struct syscap_stack_sink *sink,
                          const struct syc_occasion *o)
{
	uint32_t order = o->runtimes->order;

	parts->n = 0;
	parts->flags = 0;
	parts->have_handles = false;
	sink->n = 0;
	sink->max = o->options->max_depth < SYC_STACK_MAX
	                    ? o->options->max_depth
	                    : SYC_STACK_MAX;
	for (;;) {
		struct syscap_attachment *const a =
			syc_runtimes_next(o->runtimes, &order);

		if (a == NULL)
			return;
		if (may_walk(o, a))
			ask_provider(parts, sink, o, a);
	}
}

/* -------------------------------------------------------------- unwinding */

/* The unwinder calls this function in code without tables.  Find the runtime
 * that owns the code. */
static int step_out_of_runtime(void *context, struct syc_unwind_regs *regs)
{
	const struct syc_occasion *const o = context;
	uint32_t order = o->runtimes->order;
	struct syscap_attachment *a;

	while ((a = syc_runtimes_next(o->runtimes, &order)) != NULL) {
		struct syscap_regs there = o->regs;

		if (a->provider.step_out == NULL)
			continue;
		there.pc = regs->pc;
		there.sp = regs->sp;
		there.fp = regs->fp;
		there.lr = regs->lr;
		/* If a caller's frame were not further outwards, the walk would
		 * never end */
		const int r = a->provider.step_out(&there, a->thread_data);
		if (r < 0 || there.sp <= regs->sp)
			continue;
		*regs = (struct syc_unwind_regs){ there.pc, there.sp, there.fp,
			                          there.lr };
		return r;
	}
	return -1;
}

/* Store the native frames in @take->merge.  Returns SYSCAP_STACK_*. */
static unsigned unwind_native(struct syc_workspace *take,
                              const struct syc_occasion *o)
{
	const unsigned max = o->options->max_depth < SYC_STACK_MAX
	                             ? o->options->max_depth
	                             : SYC_STACK_MAX;
	struct syc_unwind unwind = { .addrs = take->addrs,
		                     .sps = take->sps,
		                     .max = max,
		                     .low = o->options->low,
		                     .high = o->options->high,
		                     .step_out = step_out_of_runtime,
		                     .context = (void *)(uintptr_t)o };
	unsigned gap = 0;

	if (o->context != NULL)
		syc_unwind_from(&unwind, o->context);
	else
		syc_unwind_here(&unwind, 0);
	const unsigned before = unwind.n;
	syc_library_wait_drop_frames(&unwind, o->options->wait);
	put_innermost(&unwind, o->options->innermost);
	if (o->cfa != 0)
		drop_frames_below(&unwind, o->cfa);
	if ((unwind.flags & SYSCAP_STACK_CUT) != 0 &&
	    unwind.n > SYC_MERGE_ROOTS && before == max)
		gap = unwind.n - SYC_MERGE_ROOTS;
	syc_merge_begin(&take->merge, take->addrs, take->sps, unwind.n, gap);
	return unwind.flags;
}

/* ---------------------------------------------------------------- merging */

static void merge_part(struct syc_merge *merge, const struct part *part,
                       const struct syscap_stack_sink *sink)
{
	const struct syscap_attachment *const a = part->attachment;
	const struct syc_merge_run run = {
		.frames = sink->frames + part->first,
		.n = part->n,
		.from = (uint16_t)(1 + a->index),
		.is_whole = part->is_whole,
	};

	if (has_caps(a, SYSCAP_PROVIDER_ENTRY))
		syc_merge_by_entry(merge, &run, a->provider.eval_low,
		                   a->provider.eval_high, a->boundary);
	else if (has_caps(a, SYSCAP_PROVIDER_SP))
		syc_merge_by_sp(merge, &run);
	else if (has_caps(a, SYSCAP_PROVIDER_INNERMOST))
		syc_merge_innermost(merge, &run, a->boundary);
	else
		syc_merge_before(merge, &run, a->boundary);
}

static unsigned build_stack(struct syc_workspace *take,
                            const struct syc_occasion *o, struct parts *parts)
{
	const bool managed_only =
		o->options->stacks == SYSCAP_SAMPLER_MANAGED && parts->n != 0;
	unsigned flags = parts->flags;

	/* Native frames determine the order of several runtimes */
	if (managed_only && parts->n == 1)
		syc_merge_begin(&take->merge, NULL, NULL, 0, 0);
	else
		flags |= unwind_native(take, o);
	for (unsigned i = 0; i < parts->n; i++)
		merge_part(&take->merge, &parts->of[i], &take->sink);
	if (managed_only) {
		syc_merge_drop_native(&take->merge);
		flags = parts->flags;
	}
	if (syc_merge_cut(&take->merge, take->sink.max))
		flags |= SYSCAP_STACK_CUT;
	return flags;
}

static void emit_sample(struct syc_workspace *take, int64_t now, unsigned n,
                        unsigned flags, uint32_t weight)
{
	syc_sample_emit(now, take->addrs, n, flags, weight);
	take->n_last = (uint16_t)n;
	take->last_flags = (uint16_t)flags;
	__atomic_store_n(&take->last_at, now, __ATOMIC_RELAXED);
}

unsigned syc_compose(struct syc_workspace *take,
                     const struct syc_occasion *occasion)
{
	struct parts parts;

	ask_providers(&parts, &take->sink, occasion);
	take->n_last = 0;
	const unsigned flags = build_stack(take, occasion, &parts);
	if (parts.have_handles && syc_pending_keep(take, occasion, flags))
		return flags;
	for (unsigned i = 0; i < take->merge.n; i++)
		take->addrs[i] = take->merge.list[i].value;
	emit_sample(take, occasion->now, take->merge.n, flags,
	            occasion->weight);
	return flags;
}

/* ------------------------------------------------------------------ a tick */

static unsigned take_native(struct syc_workspace *take,
                            const struct syc_sample_options *options,
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
	syc_library_wait_drop_frames(&unwind, options->wait);
	put_innermost(&unwind, options->innermost);
	emit_sample(take, now, unwind.n, unwind.flags, weight);
	return unwind.flags;
}

static unsigned take_merged(struct syc_workspace *take,
                            const struct syc_sample_options *options,
                            const ucontext_t *context, int64_t now,
                            uint32_t weight, struct syc_runtimes *runtimes)
{
	struct syc_occasion occasion = { .runtimes = runtimes,
		                         .options = options,
		                         .context = context,
		                         .now = now,
		                         .weight = weight };

	/* Later samples at safe points use the same options */
	runtimes->options = *options;
	runtimes->options.wait = NULL; /* the wait has ended */
	/* After a crash there is no safe point */
	if (weight != SYC_WEIGHT_OF_CRASH &&
	    syc_pending_defer(take, runtimes, weight))
		return 0;
	syc_registers_of(context, &occasion.regs);
	occasion.regs.time = now;
	return syc_compose(take, &occasion);
}

int syc_compose_tick(struct syc_workspace *take,
                     const struct syc_sample_options *options,
                     const ucontext_t *context, int64_t now, uint32_t weight)
{
	const int saved = errno;

	if (!syc_workspace_enter(take, options,
	                         (uintptr_t)__builtin_frame_address(0)))
		return -EBUSY;
	struct syc_runtimes *const runtimes =
		options->stacks != SYSCAP_SAMPLER_NATIVE ? syc_runtimes_find()
							 : NULL;
	const unsigned flags =
		runtimes == NULL || runtimes->order == 0
			? take_native(take, options, context, now, weight)
			: take_merged(take, options, context, now, weight,
	                              runtimes);
	syc_workspace_leave(take);
	errno = saved;
	return (int)flags;
}
