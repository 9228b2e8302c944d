/* SPDX-License-Identifier: BSD-2-Clause */
/* attach.c - providers come and go. */
#define _GNU_SOURCE
#include "sample/attach.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <syscap.h>

#include "sample/runtimes.h"
#include "sample/safepoint.h"
#include "unwind/unwind.h"

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
 * The stack pointer of the caller's caller of syscap_attach_thread(): its
 * frame and those outside of it are there before the runtime's are.  @cfa:
 * the end of syscap_attach_thread()'s own frame.
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
	/* The caller's stack pointer is the end of the frame that it called */
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

struct syscap_attachment *
syc_attach_thread(const struct syscap_provider *provider, void *thread_data,
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
		/* Another thread's, against the contract: it may be walking */
		__atomic_store_n(&attachment->is_gone, true, __ATOMIC_RELAXED);
		return;
	}
	syc_safepoint_last(attachment);
	__atomic_store_n(&runtimes->order,
	                 order_without(runtimes->order, attachment->index + 1),
	                 __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE(); /* no handler asks it any more */
	attachment->is_used = false;
	if (runtimes->order == 0 && !syc_workspace_is_busy(runtimes->take))
		syc_runtimes_release();
}
