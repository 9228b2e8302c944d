/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pending_stacks.c - ticks and a stack that wait for a safe point (runtimes.h).
 *
 * The code that has made syc_waiting.batch FILLING writes the waiting stack.
 * From READY on only safe points change the stack, never a handler.  Ticks that
 * arrive in these states add their weight to the word `batch`, so no tick is
 * counted twice or lost.
 */
#define _GNU_SOURCE
#include <string.h>

#include <syscap.h>

#include "emit/sample.h"
#include "sampler/runtimes.h"

#define NAME_MAX_LEN 4096u

/* ------------------------------------------------------------ the waiting */

static bool add_weight(struct syc_waiting *waiting, uint32_t weight)
{
	uint64_t batch = __atomic_load_n(&waiting->batch, __ATOMIC_RELAXED);

	while (batch != 0) {
		const uint64_t sum = (uint64_t)(uint32_t)batch + weight;
		const uint64_t told = sum < UINT32_MAX ? sum : UINT32_MAX;

		if (__atomic_compare_exchange_n(
			    &waiting->batch, &batch,
			    (batch & SYC_BATCH_STATE) | told, true,
			    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

static bool is_batch_ready(const struct syc_waiting *waiting)
{
	return (__atomic_load_n(&waiting->batch, __ATOMIC_RELAXED) &
	        SYC_BATCH_STATE) == SYC_BATCH_READY;
}

static bool is_complete(const struct syc_waiting *waiting)
{
	for (unsigned i = 0; i < SYC_ATTACH_MAX; i++)
		if (waiting->of[i].n != 0)
			return false;
	return true;
}

/* Emit the stack, whose handles all have names, using @take.  Returns the
 * weight. */
static uint32_t emit_waiting(struct syc_workspace *take,
                             struct syc_waiting *waiting)
{
	const unsigned n = waiting->n;
	const unsigned flags = waiting->flags;
	const int64_t time = waiting->time;

	for (unsigned i = 0; i < n; i++) {
		const uint64_t word = waiting->addrs[i];

		take->addrs[i] = (waiting->is_handle[i / 64] >> i % 64 & 1) != 0
		                         ? waiting->handles[word]
		                         : word;
	}
	SYC_SIGNAL_FENCE();
	/* After this exchange the next tick may fill the waiting stack again */
	const uint32_t weight = (uint32_t)__atomic_exchange_n(
		&waiting->batch, 0, __ATOMIC_RELAXED);
	syc_sample_emit(time, take->addrs, n, flags, weight);
	return weight;
}

static uint64_t intern_unknown(const struct syscap_attachment *a)
{
	const char *const name =
		a->provider.name != NULL ? a->provider.name : "runtime";

	return syscap_jit_intern2(name, strlen(name), "[unknown]", 9);
}

static uint64_t resolve_handle(struct syc_workspace *take,
                               const struct syscap_attachment *a,
                               uint64_t handle)
{
	char *const name = take->sink.scratch;
	const int n = a->is_gone
	                      ? -1
	                      : a->provider.resolve(handle, name, NAME_MAX_LEN,
	                                            a->thread_data);

	if (n < 0)
		return intern_unknown(a);
	return syscap_jit_intern(
		name, (unsigned)n < NAME_MAX_LEN ? (unsigned)n : NAME_MAX_LEN);
}

/* Name the waiting handles of @a, one after another: resolve_handle() may run
 * the collector, which visits the remaining handles. */
static void resolve_waiting(struct syc_workspace *take,
                            struct syc_waiting *waiting,
                            const struct syscap_attachment *a)
{
	const unsigned k = a->index;

	while (waiting->of[k].n != 0) {
		const uint32_t i = waiting->of[k].first;
		const uint64_t name =
			resolve_handle(take, a, waiting->handles[i]);

		waiting->of[k].first++;
		waiting->of[k].n--;
		waiting->handles[i] = name;
	}
}

/* ------------------------------------------------------------------- ticks */

static void request_safepoint(const struct syscap_attachment *a)
{
	if (a->provider.request != NULL)
		(void)a->provider.request(a->thread_data);
}

/* Request again the safe point at which the waiting stack gets its names.  A
 * runtime that has ended names no handle. */
static void finish_ready(struct syc_workspace *take,
                         struct syc_runtimes *runtimes)
{
	struct syc_waiting *const waiting = runtimes->waiting;

	if (!is_batch_ready(waiting))
		return;
	for (unsigned i = 0; i < SYC_ATTACH_MAX; i++) {
		const struct syscap_attachment *const a =
			&runtimes->attachments[i];

		if (waiting->of[i].n == 0)
			continue;
		if (a->is_gone)
			resolve_waiting(take, waiting, a);
		else
			request_safepoint(a);
	}
	if (is_complete(waiting))
		emit_waiting(take, waiting);
}

bool syc_pending_defer(struct syc_workspace *take,
                       struct syc_runtimes *runtimes, uint32_t weight)
{
	uint32_t order = runtimes->order;
	struct syscap_attachment *a;

	if (add_weight(runtimes->waiting, weight)) {
		finish_ready(take, runtimes);
		return true;
	}
	while ((a = syc_runtimes_next(runtimes, &order)) != NULL) {
		if ((a->provider.caps &
		     (SYSCAP_PROVIDER_SAFEPOINT | SYSCAP_PROVIDER_SIGNAL)) !=
		            SYSCAP_PROVIDER_SAFEPOINT ||
		    a->provider.request(a->thread_data) < 0)
			continue;
		__atomic_add_fetch(&runtimes->waiting->due[a->index], weight,
		                   __ATOMIC_RELAXED);
		return true;
	}
	return false;
}

/* ------------------------------------------------------- stacks of handles */

static bool is_handle_of(const struct syc_merge_entry *entry, unsigned index)
{
	return entry->kind == SYSCAP_CALL_HANDLE && entry->from == index + 1;
}

static unsigned name_handles_of(struct syc_workspace *take,
                                const struct syscap_attachment *a, bool can_ask)
{
	struct syc_merge *const merge = &take->merge;
	unsigned n = 0;

	for (unsigned i = 0; i < merge->n; i++) {
		struct syc_merge_entry *const entry = &merge->list[i];

		if (!is_handle_of(entry, a->index))
			continue;
		entry->value = can_ask ? resolve_handle(take, a, entry->value)
		                       : intern_unknown(a);
		entry->kind = SYSCAP_CALL_NAME;
		n++;
	}
	return n;
}

static unsigned count_handles(const struct syc_merge *merge)
{
	unsigned n = 0;

	for (unsigned i = 0; i < merge->n; i++)
		n += merge->list[i].kind == SYSCAP_CALL_HANDLE;
	return n;
}

/* Store the handles of each attachment contiguously, for the collector. */
static void fill_handles(struct syc_waiting *waiting,
                         const struct syc_merge *merge)
{
	unsigned n = 0;

	for (unsigned k = 0; k < SYC_ATTACH_MAX; k++) {
		waiting->of[k].first = n;
		for (unsigned i = 0; i < merge->n; i++) {
			if (!is_handle_of(&merge->list[i], k))
				continue;
			waiting->is_handle[i / 64] |= UINT64_C(1) << i % 64;
			waiting->addrs[i] = n;
			waiting->handles[n++] = merge->list[i].value;
		}
		waiting->of[k].n = n - waiting->of[k].first;
	}
}

static bool fill_waiting(struct syc_waiting *waiting,
                         const struct syc_merge *merge,
                         const struct syc_occasion *o, unsigned flags)
{
	uint64_t none = 0;

	if (!__atomic_compare_exchange_n(&waiting->batch, &none,
	                                 SYC_BATCH_FILLING | o->weight, false,
	                                 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return false;
	SYC_SIGNAL_FENCE();
	waiting->time = o->now;
	waiting->flags = flags;
	waiting->n = merge->n;
	memset(waiting->is_handle, 0, sizeof(waiting->is_handle));
	for (unsigned i = 0; i < merge->n; i++)
		waiting->addrs[i] = merge->list[i].value;
	fill_handles(waiting, merge);
	SYC_SIGNAL_FENCE();
	__atomic_add_fetch(&waiting->batch, SYC_BATCH_READY - SYC_BATCH_FILLING,
	                   __ATOMIC_RELAXED);
	return true;
}

bool syc_pending_keep(struct syc_workspace *take,
                      const struct syc_occasion *occasion, unsigned flags)
{
	struct syc_runtimes *const runtimes = occasion->runtimes;

	if (occasion->at != NULL && !occasion->regs.in_signal)
		name_handles_of(take, occasion->at, true);
	if (count_handles(&take->merge) == 0)
		return false;
	/* After a crash there is no safe point, and handles have no names */
	if (occasion->weight != SYC_WEIGHT_OF_CRASH &&
	    fill_waiting(runtimes->waiting, &take->merge, occasion, flags)) {
		for (unsigned i = 0; i < SYC_ATTACH_MAX; i++)
			if (runtimes->waiting->of[i].n != 0)
				request_safepoint(&runtimes->attachments[i]);
		return true;
	}
	/* A handler interrupted this code and filled the waiting stack.  Only
	 * one stack can wait */
	for (unsigned i = 0; i < SYC_ATTACH_MAX; i++)
		name_handles_of(take, &runtimes->attachments[i], false);
	return false;
}

/* ------------------------------------------------------------- safe points */

uint32_t syc_pending_name(const struct syscap_attachment *a)
{
	struct syc_waiting *const waiting = a->runtimes->waiting;
	const uint64_t batch =
		__atomic_load_n(&waiting->batch, __ATOMIC_RELAXED);

	if ((batch & SYC_BATCH_STATE) == SYC_BATCH_FILLING) {
		/* The stack is incomplete, because the handler that filled the
		 * stack left by siglongjmp() */
		__atomic_store_n(&waiting->batch, 0, __ATOMIC_RELAXED);
		return 0;
	}
	if (batch == 0 || waiting->of[a->index].n == 0)
		return 0;
	resolve_waiting(a->runtimes->take, waiting, a);
	return is_complete(waiting) ? emit_waiting(a->runtimes->take, waiting)
	                            : 0;
}

uint32_t syc_pending_take_due(struct syscap_attachment *a)
{
	return __atomic_exchange_n(&a->runtimes->waiting->due[a->index], 0,
	                           __ATOMIC_RELAXED);
}

bool syc_pending_is_any(const struct syscap_attachment *a)
{
	const struct syc_waiting *const waiting = a->runtimes->waiting;

	return __atomic_load_n(&waiting->batch, __ATOMIC_RELAXED) != 0 ||
	       __atomic_load_n(&waiting->due[a->index], __ATOMIC_RELAXED) != 0;
}

size_t syscap_handles_pending(struct syscap_attachment *attachment,
                              const uint64_t **ret_handles)
{
	const struct syc_waiting *const waiting = attachment->runtimes->waiting;
	const unsigned k = attachment->index;

	if (!is_batch_ready(waiting))
		return 0;
	*ret_handles = waiting->handles + waiting->of[k].first;
	return waiting->of[k].n;
}
