/* SPDX-License-Identifier: BSD-2-Clause */
/* guest.c - a forked child in the arena of the process that forked it. */
#define _GNU_SOURCE
#include "session/guest.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/loss_totals.h"
#include "emit/process.h"
#include "os/fd.h"
#include "os/permanent_map.h"
#include "os/process.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"
#include "session/origin.h"
#include "session/take_over.h"

/* Interval of checks of the drainer. */
#define CHECK_NS INT64_C(50000000)

/* Greatest number of naps while strays are being counted. */
#define STRAY_NAPS 20

/* ------------------------------------------------------------- the parent */

void syc_guest_invite(struct syc_session *s)
{
	struct syc_origin *const origin =
		syc_lazy_map_get(&syc_block->origin, sizeof(*origin));

	if (origin == NULL || s->plan->private_children)
		return;
	__atomic_store_n(&origin->epoch, 0, __ATOMIC_RELEASE);
	origin->pid = s->pid;
	origin->pid_ns = syc_pid_namespace_id();
	origin->arena = s->arena;
	origin->output = s->output;
	__atomic_store_n(&origin->epoch, s->epoch, __ATOMIC_RELEASE);
}

/* Refuse guests that are forked from now on, and present guests, unless a guest
 * has become the drainer. */
void syc_guest_refuse(struct syc_session *s, uint32_t state)
{
	struct syc_origin *const origin =
		__atomic_load_n(&syc_block->origin, __ATOMIC_ACQUIRE);
	uint32_t is = syc_guest_drainer(s);

	if (origin != NULL && origin->epoch == s->epoch)
		__atomic_store_n(&origin->epoch, 0, __ATOMIC_RELEASE);
	if (syc_slot_pid(is) == s->pid)
		__atomic_compare_exchange_n(&syc_arena_head(&s->arena)->drainer,
		                            &is, syc_slot_word(s->pid, state),
		                            false, __ATOMIC_SEQ_CST,
		                            __ATOMIC_RELAXED);
}

void syc_guest_settle_strays(struct syc_session *s)
{
	const uint32_t *const counting = &syc_arena_head(&s->arena)->counting;

	for (int i = 0;
	     i < STRAY_NAPS && __atomic_load_n(counting, __ATOMIC_SEQ_CST) != 0;
	     i++)
		syc_futex_nap();
}

/* -------------------------------------------------------------- the child */

/* Close the ring file's fd, which a child inherits if the fork precedes the
 * drain thread's private fd table.  In a child this fd would keep the lock that
 * shows that the parent lives. */
static void close_inherited(const struct syc_origin *origin)
{
	const struct syc_output *const output = &origin->output;

	if (syc_fd_is_file(output->ring_fd, output->ring_dev, output->ring_ino))
		syc_fd_close(output->ring_fd);
}

struct syc_session *syc_guest_make(const struct syc_plan *plan, int epoch)
{
	const struct syc_origin *const origin =
		__atomic_load_n(&syc_block->origin, __ATOMIC_ACQUIRE);
	struct syc_session *s;

	if (origin == NULL ||
	    __atomic_load_n(&origin->epoch, __ATOMIC_ACQUIRE) != epoch ||
	    origin->pid == getpid() || origin->pid_ns == 0 ||
	    origin->pid_ns != syc_pid_namespace_id())
		return NULL;
	close_inherited(origin);
	s = syc_session_begin(plan, epoch);
	if (s == NULL)
		return NULL;
	s->is_guest = true;
	s->is_child = true;
	s->arena = origin->arena;
	s->output = origin->output;
	s->output.fd = s->output.ring_fd = -1;
	s->wakes = &syc_arena_head(&s->arena)->wakes;
	s->checked_at = s->began;
	s->drainer.pid = syc_slot_pid(syc_guest_drainer(s));
	if (syc_guest_is_drained(s) &&
	    syc_fork_identity_is_running(&s->drainer)) {
		/* Lock now, so that no other writer begins between the
		 * drainer's end and its discovery by this process */
		if (plan->to.sink == SYC_SINK_TRACE)
			syc_trace_hold_target(&plan->trace);
		return s;
	}
	munmap(s, sizeof(*s));
	return NULL;
}

bool syc_guest_may_use_slot(const struct syc_session *s)
{
	return syc_guest_is_drained(s);
}

void syc_guest_wake_drainer(struct syc_session *s)
{
	__atomic_store_n(&syc_arena_head(&s->arena)->asks, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(s->wakes, 1, __ATOMIC_SEQ_CST);
	syc_futex_wake(s->wakes);
}

static bool somebody_drains(struct syc_session *s, uint32_t *ret_drainer)
{
	const uint32_t drainer = syc_guest_drainer(s);

	*ret_drainer = drainer;
	if (s->drainer.pid != syc_slot_pid(drainer))
		s->drainer = (struct syc_fork_identity){ .pid = syc_slot_pid(
								 drainer) };
	return syc_slot_state(drainer) != SYC_ARENA_CLOSED &&
	       syc_fork_identity_is_running(&s->drainer);
}

/* The caller holds `checking`. */
static bool check_drainer(struct syc_session *s)
{
	uint32_t drainer;

	s->checked_at = syc_clock_kernel();
	if (!s->is_guest || somebody_drains(s, &drainer))
		return true;
	if (!__atomic_compare_exchange_n(
		    &syc_arena_head(&s->arena)->drainer, &drainer,
		    syc_slot_word(s->pid, SYC_ARENA_CLOSING), false,
		    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return true; /* another guest has become the drainer */
	/* Guests that arrive now wait, because the takeover may fail */
	if (syc_take_over_drain(s) == 0) {
		__atomic_store_n(&syc_arena_head(&s->arena)->drainer,
		                 syc_slot_word(s->pid, SYC_ARENA_DRAINED),
		                 __ATOMIC_SEQ_CST);
		__atomic_store_n(&s->is_guest, false, __ATOMIC_RELEASE);
		/* The next event makes the drain thread */
		syc_copies_set_sleeping(!s->no_thread);
		return true;
	}
	syc_guest_refuse(s, SYC_ARENA_CLOSED);
	return false;
}

bool syc_guest_check(struct syc_session *s, bool at_once)
{
	bool is_well = true;

	if (!__atomic_load_n(&s->is_guest, __ATOMIC_ACQUIRE))
		return true;
	if (!at_once &&
	    syc_slot_state(syc_guest_drainer(s)) != SYC_ARENA_CLOSED &&
	    syc_clock_kernel() -
	                    __atomic_load_n(&s->checked_at, __ATOMIC_RELAXED) <
	            CHECK_NS)
		return true;
	if (syc_tid_lock_try(&s->checking) != 0)
		return true;
	is_well = check_drainer(s);
	syc_tid_lock_give(&s->checking);
	return is_well;
}

/*
 * The process' threads leave their slots at their next event.  Published frames
 * that are not drained stay, for the next drainer or the recovery.  The
 * session's memory is not freed: other threads may be using it.
 */
void syc_guest_leave(struct syc_session *s)
{
	struct syc_session *is = s;

	if (__atomic_compare_exchange_n(&syc_process->session, &is, NULL, false,
	                                __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		syc_copies_change_active(s->epoch, syc_process_next_epoch());
}

/* ------------------------------------------------------------ its events */

static bool is_slot_of(const struct syc_session *s, uint32_t i)
{
	const uint32_t word =
		__atomic_load_n(syc_arena_word(&s->arena, i), __ATOMIC_ACQUIRE);

	return syc_slot_pid(word) == s->pid;
}

bool syc_guest_has_slots(struct syc_session *s)
{
	const uint32_t n = syc_session_slots(s);

	for (uint32_t i = 1; i < n; i++)
		if (is_slot_of(s, i))
			return true;
	return false;
}

static bool is_all_drained(struct syc_session *s)
{
	const uint32_t n = syc_session_slots(s);

	for (uint32_t i = 1; i < n; i++) {
		const struct syc_ring_header *const ring =
			syc_arena_ring(&s->arena, i);

		if (is_slot_of(s, i) &&
		    __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) !=
		            __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE))
			return false;
	}
	return true;
}

int syc_guest_flush(struct syc_session *s, int64_t deadline)
{
	while (!is_all_drained(s)) {
		if (syc_clock_kernel() >= deadline)
			return -EAGAIN;
		syc_guest_wake_drainer(s);
		syc_futex_nap();
	}
	return 0;
}

/* Whether the drainer is about to end, or may be dying: its first thread has
 * ended, and other threads are left.  The drainer may also lack its first
 * thread while other threads continue, and drain. */
static bool may_drain_no_more(const struct syc_session *s)
{
	return syc_slot_state(syc_guest_drainer(s)) != SYC_ARENA_DRAINED ||
	       __atomic_load_n(&s->drainer.is_without_first, __ATOMIC_RELAXED);
}

void syc_guest_end(struct syc_session *s, int64_t deadline)
{
	while (syc_guest_check(s, true) &&
	       __atomic_load_n(&s->is_guest, __ATOMIC_ACQUIRE) &&
	       may_drain_no_more(s) && !is_all_drained(s) &&
	       syc_clock_kernel() < deadline) {
		syc_guest_wake_drainer(s);
		syc_futex_nap();
	}
}
