/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * public_calls.c - public calls of the sampler and of providers of runtimes'
 * frames, and the constructor of programs that use these calls.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <syscap.h>
#include <syscap/runtime.h>
#include <syscap/sampler.h>

#include "emit/process.h"
#include "emit/sample.h"
#include "sampler/compose.h"
#include "sampler/runtimes.h"
#include "sampler/sampler.h"
#include "sampler/state.h"
#include "unwind/unwind.h"

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
 * Record due ticks with the native stack, because a detaching runtime may no
 * longer have a stack.
 */
static void record_last_safepoint(struct syscap_attachment *attachment)
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

static bool is_usable(const struct syscap_provider *p)
{
	const uint32_t asked = SYSCAP_PROVIDER_SIGNAL |
	                       SYSCAP_PROVIDER_SAFEPOINT | SYSCAP_PROVIDER_PUSH;

	if ((p->caps & asked) == 0 || p->walk == NULL)
		return false;
	if ((p->caps & (SYSCAP_PROVIDER_SAFEPOINT | SYSCAP_PROVIDER_SIGNAL)) ==
	            SYSCAP_PROVIDER_SAFEPOINT &&
	    p->request == NULL)
		return false;
	if ((p->caps & SYSCAP_PROVIDER_HANDLES) != 0 && p->resolve == NULL)
		return false;
	return (p->caps & SYSCAP_PROVIDER_ENTRY) == 0 ||
	       p->eval_low < p->eval_high;
}

/*
 * Return the stack pointer of the caller's caller of syscap_attach_thread().
 * The caller's caller, and all outer frames, are older than the runtime's
 * frames.  @cfa: the end of syscap_attach_thread()'s own frame.
 */
static uintptr_t find_outer_boundary(const struct syc_runtimes *runtimes,
                                     uintptr_t cfa)
{
	uint64_t addrs[32];
	uintptr_t sps[32];
	struct syc_unwind unwind = { .addrs = addrs,
		                     .sps = sps,
		                     .max = 32,
		                     .low = runtimes->options.low,
		                     .high = runtimes->options.high };

	syc_unwind_here(&unwind, 0);
	/* The caller's stack pointer is the end of its callee's frame */
	for (unsigned i = 0; i + 1 < unwind.n; i++)
		if (sps[i] >= cfa)
			return sps[i + 1];
	return cfa + 1;
}

static struct syscap_attachment *
add_attachment(struct syc_runtimes *runtimes,
               const struct syscap_provider *provider, void *thread_data,
               uintptr_t boundary)
{
	for (unsigned i = 0; i < SYC_ATTACH_MAX; i++) {
		struct syscap_attachment *const a = &runtimes->attachments[i];

		if (a->is_used)
			continue;
		*a = (struct syscap_attachment){ .provider = *provider,
			                         .thread_data = thread_data,
			                         .runtimes = runtimes,
			                         .boundary = boundary,
			                         .index = i,
			                         .is_used = true };
		runtimes->waiting->due[i] = 0;
		SYC_SIGNAL_FENCE();
		/* From here on handlers find the attachment */
		__atomic_store_n(&runtimes->order,
		                 runtimes->order << 4 | (i + 1),
		                 __ATOMIC_RELAXED);
		return a;
	}
	return NULL;
}

static struct syscap_attachment *
attach_thread(const struct syscap_provider *provider, void *thread_data,
              uintptr_t cfa)
{
	struct syscap_provider known = { .size = 0 };
	const int saved = errno;

	if (provider == NULL ||
	    provider->size < offsetof(struct syscap_provider, request))
		return NULL;
	memcpy(&known, provider,
	       provider->size < sizeof(known) ? provider->size : sizeof(known));
	if (!is_usable(&known))
		return NULL;
	struct syc_runtimes *const runtimes = syc_runtimes_get();
	errno = saved;
	if (runtimes == NULL)
		return NULL;
	return add_attachment(runtimes, &known, thread_data,
	                      find_outer_boundary(runtimes, cfa));
}

static uint32_t order_without(uint32_t order, unsigned number)
{
	uint32_t kept = 0;

	for (unsigned shift = 0; order != 0; order >>= 4)
		if ((order & 15) != number) {
			kept |= (order & 15) << shift;
			shift += 4;
		}
	return kept;
}

void syscap_detach_thread(struct syscap_attachment *attachment)
{
	if (attachment == NULL || !attachment->is_used)
		return;
	struct syc_runtimes *const runtimes = attachment->runtimes;
	if (runtimes != syc_runtimes_find()) {
		/* The caller breaks the contract: the attachment belongs to
		 * another thread, which may be in a walk */
		__atomic_store_n(&attachment->is_gone, true, __ATOMIC_RELAXED);
		return;
	}
	record_last_safepoint(attachment);
	__atomic_store_n(&runtimes->order,
	                 order_without(runtimes->order, attachment->index + 1),
	                 __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE(); /* no handler will call the provider */
	attachment->is_used = false;
	if (runtimes->order == 0 && !syc_workspace_is_busy(runtimes->take))
		syc_runtimes_release();
}

__attribute__((constructor)) static void sample_at_load(void)
{
	syc_setup_run();
	syc_autostart();
}

int syscap_sampler_start(struct syscap_sampler_options *given)
{
	const size_t fixed = offsetof(struct syscap_sampler_options, message);
	struct syscap_sampler_options options;
	const size_t size =
		given->size < sizeof(options) ? given->size : sizeof(options);

	if (size < fixed + 64)
		return -EINVAL;
	memset(&options, 0, sizeof(options));
	memcpy(&options, given, fixed);
	int r = syc_sampler_begin(&options, false);
	if (r == -EALREADY && syc_handover_ask())
		r = syc_sampler_begin(&options, false);
	size_t room = size - fixed; /* the struct ends with padding */
	if (room > sizeof(options.message))
		room = sizeof(options.message);
	options.message[room - 1] = '\0';
	memcpy(given->message, options.message, room);
	return r;
}

int syscap_sampler_stop(void)
{
	return syc_sampler_end();
}

void syscap_sampler_get_stats(struct syscap_sampler_stats *stats)
{
	struct syscap_sampler_stats all = { .size = sizeof(all) };
	const struct syc_sampler *const s =
		__atomic_load_n(&syc_sampler, __ATOMIC_ACQUIRE);
	const uint32_t n = s != NULL ? syc_target_count() : 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct syc_target *const t = syc_target_at(i);

		all.n_samples +=
			__atomic_load_n(&t->n_samples, __ATOMIC_RELAXED);
		all.n_due += __atomic_load_n(&t->n_due, __ATOMIC_RELAXED);
		all.n_cut += __atomic_load_n(&t->n_cut, __ATOMIC_RELAXED);
		all.n_stopped +=
			__atomic_load_n(&t->n_stopped, __ATOMIC_RELAXED);
		all.n_skipped +=
			__atomic_load_n(&t->n_skipped, __ATOMIC_RELAXED);
		all.n_refused +=
			__atomic_load_n(&t->n_refused, __ATOMIC_RELAXED);
	}
	if (s != NULL) {
		all.n_foreign =
			__atomic_load_n(&s->n_foreign, __ATOMIC_RELAXED);
		all.n_threads =
			__atomic_load_n(&s->n_threads, __ATOMIC_RELAXED);
		all.n_unsampled =
			__atomic_load_n(&s->n_unsampled, __ATOMIC_RELAXED);
		all.signal = __atomic_load_n(&s->signal, __ATOMIC_RELAXED);
		all.clock = __atomic_load_n(&s->clock, __ATOMIC_RELAXED);
		all.hz = __atomic_load_n(&s->hz, __ATOMIC_RELAXED);
	}
	all.n_names_lost = syc_names_lost();
	all.size = stats->size < sizeof(all) ? stats->size : sizeof(all);
	memcpy(stats, &all, all.size);
}

struct syscap_attachment *
syscap_attach_thread(const struct syscap_provider *provider, void *thread_data)
{
	return attach_thread(provider, thread_data,
	                     (uintptr_t)__builtin_dwarf_cfa());
}
