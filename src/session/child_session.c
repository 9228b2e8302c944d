/* SPDX-License-Identifier: BSD-2-Clause */
/* child_session.c - session of a forked child in the arena of the process that
 * forked it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/loss.h"
#include "emit/process.h"
#include "os/fd.h"
#include "os/permanent_map.h"
#include "os/process.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"
#include "session/session.h"

/* Interval of checks of the drainer. */
#define CHECK_NS INT64_C(50000000)

/* Greatest number of naps while strays are being counted. */
#define STRAY_NAPS 20

/* ----------------------------------------------------------- the parent */

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

/* ------------------------------------------------ takeover of the arena */

/* Read the positions from the rings' headers, once.  Later only our copies are
 * used.  Free slots continue at their last positions. */
static void take_positions(struct syc_session *s)
{
	const uint32_t size = s->arena.body;
	const uint32_t n = syc_session_slots(s);

	s->told = syc_arena_head(&s->arena)->told;
	for (uint32_t i = 0; i < n; i++) {
		struct syc_ring_header *const ring =
			syc_arena_ring(&s->arena, i);

		if (syc_arena_provide(ring, s->arena.page) != 0)
			continue;
		const uint32_t head =
			__atomic_load_n(&ring->head, __ATOMIC_RELAXED);
		if (head < size && head % 8 == 0)
			s->heads[i] = head;
	}
	const struct syc_ring_header *const own = syc_arena_ring(&s->arena, 0);
	const uint32_t tail = __atomic_load_n(&own->tail, __ATOMIC_ACQUIRE);
	s->own_tail = tail < size && tail % 8 == 0 ? tail : s->heads[0];
}

/* Map the facts and the journal, which a child does not inherit. */
static void *map_front(const struct syc_session *s, int fd)
{
	const size_t size = syc_ring_file_head(s->arena.page);
	void *const front =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (front == MAP_FAILED)
		return NULL;
	madvise(front, size, MADV_DONTFORK);
	return front;
}

static bool is_settled(const struct syc_session *s, const void *front)
{
	const struct syc_ring_journal *const journal =
		(const void *)((const char *)front +
	                       syc_ring_file_journal(s->arena.page));

	return __atomic_load_n(&journal->state, __ATOMIC_ACQUIRE) ==
	       SYC_JOURNAL_NOTHING;
}

/* Open the ring file, which is mapped here, if the path still leads to it, and
 * no process recovers from it.  The lock prevents a recovery until this process
 * owns the rings.  Returns 0 or -errno. */
static int open_rings(struct syc_output *output)
{
	output->ring_fd = syc_fd_keep(
		syc_fd_open(output->ring_path, O_RDWR | O_NOFOLLOW, 0));
	if (output->ring_fd < 0)
		return -errno;
	if (!syc_fd_is_file(output->ring_fd, output->ring_dev,
	                    output->ring_ino)) {
		syc_fd_close(output->ring_fd);
		output->ring_fd = -1;
		return -EBUSY;
	}
	/* The lock of the file's maker stays, because our mapping refers to the
	 * same open file */
	return syscall(SYS_flock, output->ring_fd, LOCK_EX | LOCK_NB) == 0
	               ? 0
	               : -EBUSY;
}

static int take_output(struct syc_session *s)
{
	struct syc_output *const output = &s->output;
	void *front = NULL;
	int r = open_rings(output);

	if (r == 0) {
		front = map_front(s, output->ring_fd);
		r = front == NULL          ? -errno
		    : is_settled(s, front) ? 0
		                           : -EUCLEAN;
	}
	if (r == 0)
		r = syc_output_create(output, s->plan->output, s->pid);
	/* First the facts, with the owner of the rings last; then the file */
	if (r == 0)
		r = syc_output_begin(output, front, &s->arena, s->pid,
		                     s->began);
	if (r != 0)
		goto fail;
	s->written = output->end;
	s->is_introduced = true;
	return 0;
fail:
	if (front != NULL)
		munmap(front, syc_ring_file_head(s->arena.page));
	if (output->fd >= 0 && output->end == 0)
		unlink(output->path);
	syc_output_close(output, false);
	return r;
}

/*
 * @s is a guest, and has just become the arena's drainer.  Get a sink of its
 * own, and the lock and the drainer's private part of the ring file.  From then
 * on the ring file belongs to the new capture.  Returns 0, and the caller only
 * has to clear is_guest; or -errno, without any change.
 */
static int take_over_drain(struct syc_session *s)
{
	struct syc_write_nosignal quiet;
	int r;

	syc_write_nosignal_begin(&quiet);
	if (s->plan->to.sink == SYC_SINK_OUTPUT)
		r = take_output(s);
	else
		r = syc_trace_open(&s->trace, &s->plan->trace);
	syc_write_nosignal_end(&quiet);
	if (r == 0)
		take_positions(s);
	return r;
}

static bool has_drainer(struct syc_session *s, uint32_t *ret_drainer)
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
	if (!s->is_guest || has_drainer(s, &drainer))
		return true;
	if (!__atomic_compare_exchange_n(
		    &syc_arena_head(&s->arena)->drainer, &drainer,
		    syc_slot_word(s->pid, SYC_ARENA_CLOSING), false,
		    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return true; /* another guest has become the drainer */
	/* Guests that arrive now wait, because the takeover may fail */
	if (take_over_drain(s) == 0) {
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
