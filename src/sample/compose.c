/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compose.c - a sample of a thread that has runtimes (compose.h).
 *
 * Runs in signal handlers.  Large things are in struct syc_take, for the
 * handler's stack may be the program's small alternate one.
 */
#define _GNU_SOURCE
#include "sample/compose.h"

#include <string.h>

#include <syscap.h>
#include <syscap/sampler.h>

#include "emit/sample.h"
#include "sample/safepoint.h"
#include "stack/unwind.h"

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

static bool has(const struct syscap_attachment *a, uint32_t caps)
{
	return (a->provider.caps & caps) != 0;
}

static bool may_walk(const struct syc_occasion *o,
                     const struct syscap_attachment *a)
{
	/* There is one batch.  At its own safe point it gets names at once */
	if (has(a, SYSCAP_PROVIDER_HANDLES) &&
	    (o->at != a || o->regs.in_signal) &&
	    __atomic_load_n(&o->runtimes->waiting->batch, __ATOMIC_RELAXED) !=
	            0)
		return false;
	if (o->at == a)
		return true;
	return has(a, SYSCAP_PROVIDER_SIGNAL) ||
	       (has(a, SYSCAP_PROVIDER_SAFEPOINT) && !o->regs.in_signal);
}

/* PARTIAL: nothing is known of what lies outside of it. */
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

static void ask(struct parts *parts, struct syscap_stack_sink *sink,
                const struct syc_occasion *o, struct syscap_attachment *a)
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

static void ask_all(struct parts *parts, struct syscap_stack_sink *sink,
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
			syc_attach_next(o->runtimes, &order);

		if (a == NULL)
			return;
		if (may_walk(o, a))
			ask(parts, sink, o, a);
	}
}

/* -------------------------------------------------------------- unwinding */

/* The unwinder is in code that has no tables: whose is it? */
static int step_out(void *context, struct syc_unwind_regs *regs)
{
	const struct syc_occasion *const o = context;
	uint32_t order = o->runtimes->order;
	struct syscap_attachment *a;

	while ((a = syc_attach_next(o->runtimes, &order)) != NULL) {
		struct syscap_regs there = o->regs;

		if (a->provider.step_out == NULL)
			continue;
		there.pc = regs->pc;
		there.sp = regs->sp;
		there.fp = regs->fp;
		there.lr = regs->lr;
		/* A caller lies outwards, or we would never come to an end */
		const int r = a->provider.step_out(&there, a->thread_data);
		if (r < 0 || there.sp <= regs->sp)
			continue;
		*regs = (struct syc_unwind_regs){ there.pc, there.sp, there.fp,
			                          there.lr };
		return r;
	}
	return -1;
}

/* What is innermost is ours: leave it out. */
static void leave_out(struct syc_unwind *unwind, uintptr_t cfa)
{
	unsigned n = 0;

	while (n < unwind->n && unwind->sps[n] < cfa)
		n++;
	if (n == unwind->n) /* the stack is another than where we began */
		n = 0;
	unwind->n -= n;
	memmove(unwind->addrs, unwind->addrs + n,
	        unwind->n * sizeof(*unwind->addrs));
	memmove(unwind->sps, unwind->sps + n, unwind->n * sizeof(*unwind->sps));
}

/* The native frames, into @take->merge.  Returns SYSCAP_STACK_*. */
static unsigned unwind_native(struct syc_take *take,
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
		                     .step_out = step_out,
		                     .context = (void *)(uintptr_t)o };
	unsigned gap = 0;

	if (o->context != NULL)
		syc_unwind_from(&unwind, o->context);
	else
		syc_unwind_here(&unwind, 0);
	const unsigned before = unwind.n;
	if (o->cfa != 0)
		leave_out(&unwind, o->cfa);
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

	if (has(a, SYSCAP_PROVIDER_ENTRY))
		syc_merge_by_entry(merge, &run, a->provider.eval_low,
		                   a->provider.eval_high, a->boundary);
	else if (has(a, SYSCAP_PROVIDER_SP))
		syc_merge_by_sp(merge, &run);
	else
		syc_merge_before(merge, &run, a->boundary);
}

static unsigned build(struct syc_take *take, const struct syc_occasion *o,
                      struct parts *parts)
{
	const bool managed_only =
		o->options->stacks == SYSCAP_SAMPLER_MANAGED && parts->n != 0;
	unsigned flags = parts->flags;

	/* Several runtimes are in each other's order by native frames */
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

/* ---------------------------------------------------------------- entering */

/*
 * Whether the call whose frame lay at @owner left by siglongjmp(), seen from
 * one that has its own at @here: a call that we interrupted lies above us.
 * Other stacks than the thread's own are not judged.
 */
static bool is_dead(const struct syc_take_options *options, uintptr_t owner,
                    uintptr_t here)
{
	return owner >= options->low && owner < options->high &&
	       here >= owner && here < options->high;
}

bool syc_take_enter(struct syc_take *take,
                    const struct syc_take_options *options, uintptr_t here)
{
	const uintptr_t owner = __atomic_load_n(&take->owner, __ATOMIC_RELAXED);

	if (owner != 0 && !is_dead(options, owner, here))
		return false;
	/* A handler that comes in between has left again before we go on */
	__atomic_store_n(&take->owner, here, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	return true;
}

void syc_take_leave(struct syc_take *take)
{
	SYC_SIGNAL_FENCE();
	__atomic_store_n(&take->owner, 0, __ATOMIC_RELAXED);
}

bool syc_take_is_busy(const struct syc_take *take)
{
	return __atomic_load_n(&take->owner, __ATOMIC_RELAXED) != 0;
}

unsigned syc_compose(struct syc_take *take, const struct syc_occasion *occasion)
{
	struct parts parts;

	ask_all(&parts, &take->sink, occasion);
	const unsigned flags = build(take, occasion, &parts);
	if (parts.have_handles && syc_safepoint_keep(take, occasion, flags))
		return flags;
	for (unsigned i = 0; i < take->merge.n; i++)
		take->addrs[i] = take->merge.list[i].value;
	syc_sample_emit(occasion->now, take->addrs, take->merge.n, flags,
	                occasion->weight);
	return flags;
}
