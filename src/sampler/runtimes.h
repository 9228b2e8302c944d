/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtimes.h - providers that are attached to the calling thread, and samples
 * that wait for their safe points.
 *
 * Each thread has one struct syc_runtimes, in separate memory.  The key of a
 * struct is the address of the thread's control block, which stays the same
 * across fork().  So the library needs no second thread-local variable.  If a
 * thread ends without detaching, a new thread may reuse the control block.  So
 * the thread's id is stored with the struct, and compared.
 *
 * Only the thread itself, and handlers on this thread, read the struct.
 */
#ifndef SYC_SAMPLER_RUNTIMES_H
#define SYC_SAMPLER_RUNTIMES_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/runtime.h>

#include "emit/sample.h"
#include "sampler/compose.h"

#define SYC_ATTACH_MAX 8u

struct syscap_attachment {
	struct syscap_provider provider; /* missing members are 0 */
	void *thread_data;
	struct syc_runtimes *runtimes;
	uintptr_t boundary; /* frames from this address on are the attacher's
	                     * callers */
	unsigned index;
	bool is_used;
	bool is_gone; /* set by the provider, perhaps in a handler */
};

/* States of the waiting stack, in the upper half of syc_waiting.batch.  The
 * lower half is the weight.
 */
#define SYC_BATCH_FILLING (UINT64_C(1) << 32)
#define SYC_BATCH_READY   (UINT64_C(2) << 32)
#define SYC_BATCH_STATE   (UINT64_C(3) << 32)

/**
 * Data that wait for a safe point: ticks, and one stack whose handles have no
 * names yet.  The data is zero in a forked child, because the parent reports
 * the ticks.
 */
struct syc_waiting {
	uint32_t due[SYC_ATTACH_MAX]; /* weights, by attachment */

	uint64_t batch; /* 0: no stack. Changed by exchanges */
	int64_t time;
	unsigned flags;
	unsigned n;
	struct {
		uint32_t first, n; /* range in handles */
	} of[SYC_ATTACH_MAX];
	uint64_t addrs[SYC_STACK_MAX];   /* addresses, or indices in handles if
	                                  * is_handle */
	uint64_t handles[SYC_STACK_MAX]; /* handles, or names if already
	                                  * resolved */
	uint64_t is_handle[SYC_STACK_MAX / 64];
};

struct syc_runtimes {
	/* Four bits for each attachment: 1 + its index, the newest attachment
	 * lowest.  One store changes the order, so handlers see the old or the
	 * new value */
	uint32_t order;
	struct syscap_attachment attachments[SYC_ATTACH_MAX];
	struct syc_sample_options options; /* options of the last tick */
	struct syc_waiting *waiting;       /* wiped on fork */
	struct syc_workspace *take;        /* workspace for samples outside of
	                                    * ticks */
	ucontext_t pushed;                 /* position that a push reports */
};

/** Return the runtimes of the calling thread, or NULL.  Context: any-thread,
 * signal-safe. */
struct syc_runtimes *syc_runtimes_find(void);

/** Return the runtimes of the calling thread, and make them if missing.
 * Context: owner. */
struct syc_runtimes *syc_runtimes_get(void);

/** Release the runtimes of the calling thread, to which no provider is
 * attached.  Context: owner. */
void syc_runtimes_release(void);

/** Remove the newest attachment from @order, and return the attachment.
 * Returns NULL if @order is empty. */
static inline struct syscap_attachment *
syc_runtimes_next(struct syc_runtimes *runtimes, uint32_t *order)
{
	while (*order != 0) {
		struct syscap_attachment *const attachment =
			&runtimes->attachments[(*order & 15) - 1];

		*order >>= 4;
		if (!attachment->is_gone)
			return attachment;
	}
	return NULL;
}

/**
 * Handle a tick of @weight.  Returns true if the caller takes no sample now: a
 * waiting sample got the weight, or a runtime was requested to reach a safe
 * point.
 *
 * Context: owner, signal-safe.
 */
bool syc_pending_defer(struct syc_workspace *take,
                       struct syc_runtimes *runtimes, uint32_t weight);

/**
 * The stack in @take->merge has handles.  Name the handles that can be named
 * now.  If other handles are left, keep the stack until these handles can be
 * named, and return true.
 *
 * Context: owner, signal-safe if the occasion is in a handler.
 */
bool syc_pending_keep(struct syc_workspace *take,
                      const struct syc_occasion *occasion, unsigned flags);

/** Return whether ticks wait for @attachment, or a stack waits for any
 * attachment.  Context: owner. */
bool syc_pending_is_any(const struct syscap_attachment *attachment);

/**
 * Name the waiting handles of @attachment, at a safe point.  Returns the whole
 * weight if the stack was emitted.
 *
 * Context: owner, in no handler.
 */
uint32_t syc_pending_name(const struct syscap_attachment *attachment);

/** Return the weight of the pending ticks of @attachment, and set the weight to
 * 0. */
uint32_t syc_pending_take_due(struct syscap_attachment *attachment);

#endif
