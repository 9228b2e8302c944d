/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_state.c - claims of thread states, and releases of their rings. */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "emit/event.h"
#include "emit/loss.h"
#include "emit/process.h"
#include "emit/recorder.h"
#include "emit/ring_source.h"
#include "emit/thread.h"
#include "os/threads.h"
#include "ring/clock.h"

static void write_end_marker(struct syc_thread *st, uint32_t limit)
{
	unsigned char *const frame = syc_ring_space_take(
		st, limit, SYC_HEAD_SIZE, syc_clock_kernel());

	if (frame == NULL)
		return;
	/* -1: no cpu, no pid */
	syc_store_word(frame, syc_head_word(SYC_HEAD_SIZE, -1, -1));
	syc_commit(frame, SYSCAP_FRAME_RING_END, 0);
}

static void finish_ring(struct syc_state *ts)
{
	struct syc_thread *const st = &ts->hot;
	uint32_t limit;

	/* Repair an emit that pthread_exit() or cancellation abandoned */
	syc_take_over(ts);
	syc_loss_resolve(ts);
	if (st->body == NULL || !syc_ring_space_look(ts, &limit))
		return;
	syc_ring_space_limit_to_pages(ts, 0, &limit);
	if (ts->overflow == NULL) {
		/* Every reservation leaves space for the loss record and the
		 * end marker */
		syc_loss_report(ts, limit + SYC_LOSS_RECORD_MAX);
		if (!ts->has_session_ring)
			write_end_marker(st, limit + SYC_RING_ROOM);
	}
	/* W2, pairs with R1 */
	__atomic_store_n(st->tail, (uint32_t)(st->pos >> 32), __ATOMIC_RELEASE);
}

/* Let the sources cancel a ring that they may be about to give @ts. */
static void forgo_ring(struct syc_state *ts)
{
	for (int i = 0; i < SYC_N_SOURCES; i++)
		if (syc_ring_sources[i] != NULL &&
		    syc_ring_sources[i]->forgo != NULL)
			syc_ring_sources[i]->forgo(ts);
}

void syc_thread_leave_ring(struct syc_state *ts)
{
	if (ts->ring == NULL) {
		forgo_ring(ts);
		syc_loss_leave_behind(ts);
		syc_loss_request_report(true);
		return;
	}
	if (ts->hot.body != NULL)
		finish_ring(ts);
	syc_loss_leave_behind(ts);
	if (ts->slot != NULL)
		syc_loss_mirror(ts);
	if (ts->has_session_ring && syc_ring_source_of(ts) != NULL)
		syc_ring_source_of(ts)->give_back(ts);
	syc_thread_ring_unmap(ts);
	/* Do this last, because the recorder may then take the memory away */
	if (!ts->has_session_ring && ts->slot != NULL)
		syc_slot_end(ts);
	__atomic_store_n(&ts->slot, NULL, __ATOMIC_RELAXED);
}

void syc_thread_leave_epoch(struct syc_state *ts)
{
	const int epoch = __atomic_load_n(&syc_active, __ATOMIC_RELAXED);

	if (ts->hot.epoch == epoch || ts->hot.owner != 0 || ts->is_connecting ||
	    epoch == 0)
		return;
	syc_thread_leave_ring(ts);
	memset(&ts->lost, 0, sizeof(ts->lost));
	memset(ts->told, 0, sizeof(ts->told));
	__atomic_store_n(&ts->retry_at, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&ts->hot.epoch, epoch, __ATOMIC_RELEASE);
}

/* glibc >= 2.35 registers rseq, and the kernel keeps cpu_id there up to
 * date. */
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

/* Take a state whose thread has ended.  Another thread may have claimed the
 * state before the phase changed, so check again after the change. */
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

/* Check two states for an ended thread, because threads can end without key
 * destructors. */
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
		/* rseq's word was unmapped with the stack */
		__atomic_store_n(&ts->hot.cpu, NULL, __ATOMIC_RELAXED);
		syc_thread_leave_ring(ts);
		__atomic_store_n(&ts->phase, SYC_STATE_DEAD, __ATOMIC_RELEASE);
	}
}

/* @owner is the owner of the emit in progress in a forked child; else 0. */
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
	ts->hot.pid_word = SYC_WORD(frame, pid, (uint32_t)pid);
	ts->hot.tag_word = SYC_WORD(frame, padding2, ts->hot.tid_tag);
	ts->hot.cpu = own_cpu();
	ts->pointer = syc_thread_pointer();
	/* Look up the main thread's bounds now, because a later seccomp filter
	 * may forbid the lookup.  Other threads look up their bounds when an
	 * emit may be abandoned */
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
		/* @ts is this thread's state from before its exit began, or the
		 * state of an ended thread */
		if (phase == SYC_STATE_DEAD &&
		    (__atomic_load_n(&ts->tid, __ATOMIC_RELAXED) == tid
		             ? syc_thread_take_phase(ts, SYC_STATE_DEAD)
		             : take_gone_state(ts, SYC_STATE_DEAD)))
			return ts;
	}
	return NULL;
}

/*
 * Return whether @ts is this thread's state.  A pointer to @ts does not prove
 * this.  A handler may set the key of an ending thread after the last
 * destructors.  glibc keeps the value, and the next thread gets the value with
 * the stack.  An ended thread with the same tid had another control block, or
 * its state is usable.
 */
static bool is_state_of(int32_t tid, const struct syc_state *ts)
{
	return __atomic_load_n(&ts->phase, __ATOMIC_ACQUIRE) ==
	               SYC_STATE_ALIVE &&
	       __atomic_load_n(&ts->tid, __ATOMIC_RELAXED) == tid &&
	       ts->pointer == syc_thread_pointer();
}

/* Find a state that another copy claimed for this thread and could not store
 * with its key.  Otherwise find this thread's state from before its exit hook
 * ran. */
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

/* The state that is noted for this thread, also from before the thread forked
 * this process. */
static struct syc_state *find_own(int32_t pid, int32_t tid)
{
	struct syc_state *const ts = syc_thread_of_self();

	if (ts == NULL)
		return NULL;
	/* The first thread of a child finds its state zeroed, and reserved */
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

	/* A vfork() child runs in its parent's memory, so the parent would get
	 * this state, with the child's ids */
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
