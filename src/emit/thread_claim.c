/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_claim.c - a state for a thread that has none, or none any more; and a
 * ring. */
#define _GNU_SOURCE
#include "emit/thread_claim.h"

#include <string.h>
#include <unistd.h>

#include "emit/child.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "emit/thread_leave.h"
#include "emit/thread_ring.h"
#include "os/threads.h"

/* glibc >= 2.35 registers rseq; the kernel keeps cpu_id there up to date. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static const int32_t *own_cpu(void)
{
	/* struct rseq: cpu_id_start, cpu_id */
	if (&__rseq_offset != NULL && &__rseq_size != NULL && __rseq_size > 0)
		return (const int32_t *)(syc_thread_pointer() +
		                         (uintptr_t)__rseq_offset + 4);
	static const int32_t none = -1;
	return &none;
}

/* Take a state whose thread is gone: it may have been taken and be another's
 * by the time that we have it, so ask again. */
static bool take_gone_state(struct syc_state *ts, uint32_t phase)
{
	const int32_t tid = __atomic_load_n(&ts->tid, __ATOMIC_RELAXED);

	if (!syc_tid_is_gone(tid) || !syc_thread_take_phase(ts, phase))
		return false;
	if (syc_tid_is_gone(__atomic_load_n(&ts->tid, __ATOMIC_RELAXED)))
		return true;
	__atomic_store_n(&ts->phase, phase, __ATOMIC_RELEASE);
	return false;
}

/* Threads can end without running key destructors: look at two states. */
static void scavenge_states(uint32_t high)
{
	for (int i = 0; i < 2 && high != 0; i++) {
		struct syc_state *const ts =
			syc_state_at(__atomic_fetch_add(&syc_process->scavenge,
		                                        1, __ATOMIC_RELAXED) %
		                     high);

		if (__atomic_load_n(&ts->phase, __ATOMIC_RELAXED) !=
		            SYC_STATE_ALIVE ||
		    !take_gone_state(ts, SYC_STATE_ALIVE))
			continue;
		/* rseq's word went with its stack */
		__atomic_store_n(&ts->hot.cpu, NULL, __ATOMIC_RELAXED);
		syc_thread_leave_ring(ts);
		__atomic_store_n(&ts->phase, SYC_STATE_DEAD, __ATOMIC_RELEASE);
	}
}

/* @owner: of the emit that this happens in, for a forked child; else 0. */
static void begin_state(struct syc_state *ts, int32_t pid, int32_t tid,
                        uint64_t owner)
{
	__atomic_store_n(&ts->hot.owner, owner, __ATOMIC_RELAXED);
	memset((char *)ts + offsetof(struct syc_thread, next), 0,
	       offsetof(struct syc_state, phase) -
	               offsetof(struct syc_thread, next));
	ts->hot.disturbed = owner != 0;
	memset((char *)ts + offsetof(struct syc_state, tid), 0,
	       sizeof(*ts) - offsetof(struct syc_state, tid));
	__atomic_store_n(&ts->tid, tid, __ATOMIC_RELAXED);
	ts->hot.pid = pid;
	ts->hot.tid_tag =
		SYSCAP_TID_TAG | ((uint32_t)tid & ~SYSCAP_TID_TAG_MASK);
	ts->hot.pid_word = (uint64_t)(uint32_t)pid << 32;
	ts->hot.tag_word = (uint64_t)ts->hot.tid_tag << 32;
	ts->hot.cpu = own_cpu();
	ts->pointer = syc_thread_pointer();
	/* Once in a process, so that a filter of system calls that comes later
	 * does not see it.  Other threads' bounds are looked for once an emit
	 * has to be judged */
	if (pid == tid)
		syc_thread_has_on_stack(ts, (uintptr_t)&pid);
	ts->no_exit_hook = !syc_thread_watch(ts);
	__atomic_store_n(&ts->hot.epoch,
	                 __atomic_load_n(&syc_active, __ATOMIC_RELAXED),
	                 __ATOMIC_RELAXED);
	if (pid == tid)
		__atomic_store_n(&syc_process->main_has_state,
		                 !ts->no_exit_hook, __ATOMIC_RELAXED);
	__atomic_store_n(&ts->phase, SYC_STATE_ALIVE, __ATOMIC_RELEASE);
}

static void raise_states_high_water(uint32_t to)
{
	uint32_t *const words[] = { &syc_process->high_water,
		                    &syc_block->states_ever };

	for (int i = 0; i < 2; i++) {
		uint32_t high = __atomic_load_n(words[i], __ATOMIC_RELAXED);

		while (high < to && !__atomic_compare_exchange_n(
					    words[i], &high, to, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
	}
}

static struct syc_state *claim_state(int32_t tid)
{
	const uint32_t high =
		__atomic_load_n(&syc_process->high_water, __ATOMIC_RELAXED);

	scavenge_states(high);
	for (uint32_t i = 0; i < SYC_THREADS_MAX; i++) {
		struct syc_state *const ts = syc_state_at(i);
		const uint32_t phase =
			__atomic_load_n(&ts->phase, __ATOMIC_RELAXED);

		if (phase == SYC_STATE_FREE) {
			if (__atomic_load_n(&syc_thread_mapped(ts)->is_left,
			                    __ATOMIC_RELAXED) ||
			    !syc_thread_take_phase(ts, SYC_STATE_FREE))
				continue;
			raise_states_high_water(i + 1);
			return ts;
		}
		/* ours from before this thread's exit began, or nobody's */
		if (phase == SYC_STATE_DEAD &&
		    (__atomic_load_n(&ts->tid, __ATOMIC_RELAXED) == tid
		             ? syc_thread_take_phase(ts, SYC_STATE_DEAD)
		             : take_gone_state(ts, SYC_STATE_DEAD)))
			return ts;
	}
	return NULL;
}

/*
 * Whether @ts is this thread's.  A pointer to it tells nothing: glibc keeps
 * the values of keys that were set after its last destructors, by a signal
 * handler on the ending thread, and the next thread gets them with the stack.
 * A thread that had the id before, and ended unnoticed, had its control block
 * elsewhere, or is no different.
 */
static bool is_state_of(int32_t tid, const struct syc_state *ts)
{
	return __atomic_load_n(&ts->phase, __ATOMIC_ACQUIRE) ==
	               SYC_STATE_ALIVE &&
	       __atomic_load_n(&ts->tid, __ATOMIC_RELAXED) == tid &&
	       ts->pointer == syc_thread_pointer();
}

/* What another copy of the library claimed for this thread where its key
 * doesn't tell; or what this thread had before its exit hook ran. */
static struct syc_state *find_claimed(int32_t pid, int32_t tid)
{
	const uint32_t high =
		__atomic_load_n(&syc_process->high_water, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < high; i++) {
		struct syc_state *const ts = syc_state_at(i);

		if (__atomic_load_n(&ts->tid, __ATOMIC_RELAXED) != tid)
			continue;
		if (__atomic_load_n(&ts->phase, __ATOMIC_ACQUIRE) ==
		            SYC_STATE_DEAD &&
		    syc_thread_take_phase(ts, SYC_STATE_DEAD)) {
			begin_state(ts, pid, tid, 0);
			return ts;
		}
		if (is_state_of(tid, ts) && ts->no_exit_hook)
			return ts;
	}
	return NULL;
}

/* What this thread is known to have, or had before it forked this process. */
static struct syc_state *find_own(int32_t pid, int32_t tid)
{
	struct syc_state *const ts = syc_thread_of_self();

	if (ts == NULL)
		return NULL;
	/* A child's first thread: zeroed, and left for it */
	if (pid == tid && syc_process->may_continue &&
	    syc_thread_take_phase(ts, SYC_STATE_FREE)) {
		__atomic_store_n(&syc_thread_mapped(ts)->is_left, false,
		                 __ATOMIC_RELAXED);
		begin_state(ts, pid, tid, ts->hot.owner);
	}
	return is_state_of(tid, ts) ? ts : NULL;
}

void syc_thread_claim(void)
{
	const int32_t pid = syc_child_pid(), tid = gettid();

	/* A vfork() child is a guest in its parent's memory: what it begins
	 * here the parent would inherit, with the wrong ids */
	if (pid == 0 || pid != getpid())
		return;
	struct syc_state *ts = find_own(pid, tid);
	if (ts == NULL)
		ts = find_claimed(pid, tid);
	if (ts == NULL) {
		ts = claim_state(tid);
		if (ts == NULL)
			return;
		begin_state(ts, pid, tid, 0);
	}
	syc_self = &ts->hot;
}
