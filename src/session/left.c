/* SPDX-License-Identifier: BSD-2-Clause */
/* left.c - losses that a session of a trace file leaves in the file's
 * header. */
#define _GNU_SOURCE
#include "session/left.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/text.h"
#include "emit/loss_totals.h"
#include "emit/process.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/syscalls.h"
#include "ring/clock.h"
#include "session/say.h"
#include "session/trace_untold.h"
#include "session/unread.h"

bool syc_left_take(struct syc_session *s)
{
	const struct syc_ring_losses nothing = { .bytes = 0 };
	struct syc_ring_losses lost;

	s->trace.has_untold = false;
	if (s->trace.target.kind != SYC_TRACE_FILE ||
	    !syc_trace_untold_take(s->trace.fd, &lost) ||
	    syc_say_losses(s, &lost, &nothing, s->pid, 0))
		return true;
	s->trace.has_untold = syc_trace_untold_leave(s->trace.fd, &lost) == 0;
	return s->trace.has_untold; /* if false, these losses are never
	                             * reported */
}

static void add_losses(struct syc_ring_losses *sum,
                       const struct syc_ring_losses *more)
{
	syc_loss_totals_return_range(sum, more);
	sum->bytes += more->bytes;
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		sum->frames[i] += more->frames[i];
}

/* Add the losses that no record reports. */
static void add_untold(struct syc_ring_losses *sum,
                       const struct syc_ring_losses *lost,
                       const struct syc_ring_losses *told)
{
	struct syc_ring_losses rest = *lost;

	syc_loss_totals_subtract(&rest, told);
	/* Ignore numbers that a relative has overwritten */
	if (syc_loss_totals_sum(&rest) <= UINT64_C(1) << 48)
		add_losses(sum, &rest);
}

static void sum_slot(struct syc_ring_losses *sum, const struct syc_session *s,
                     uint32_t i)
{
	const struct syc_ring_header *const ring = syc_arena_ring(&s->arena, i);
	const uint32_t tail =
		i != 0 ? __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE)
		       : s->own_tail;

	syc_unread_sum(syc_arena_body(&s->arena, ring), s->arena.body,
	               s->heads[i], tail, i == 0, sum);
	if (i != 0)
		add_untold(sum, &ring->lost, &ring->told);
}

bool syc_left_tell_records(struct syc_session *s)
{
	struct syc_ring_losses lost = { .bytes = 0 };

	if (s->trace.target.kind != SYC_TRACE_FILE)
		return false;
	if (!syc_trace_enter(&s->trace))
		return true;
	sum_slot(&lost, s, 0);
	const int r = syc_trace_untold_leave(s->trace.fd, &lost);
	syc_trace_leave(&s->trace);
	syc_trace_shut(&s->trace);
	return r == 0;
}

/* Whether a relative whose slots may have frames lives, and so drains after our
 * end. */
static bool is_left_to_relatives(struct syc_session *s)
{
	const uint32_t n = syc_session_slots(s);

	for (uint32_t i = 1; i < n; i++) {
		const uint32_t word = __atomic_load_n(
			syc_arena_word(&s->arena, i), __ATOMIC_ACQUIRE);
		struct syc_fork_identity kin = { .pid = syc_slot_pid(word) };

		if (syc_slot_state(word) != SYC_SLOT_FREE &&
		    syc_slot_state(word) != SYC_SLOT_OVER && kin.pid != 0 &&
		    kin.pid != s->pid && syc_fork_identity_is_running(&kin))
			return true;
	}
	return false;
}

static void add_all(struct syc_ring_losses *sum, struct syc_session *s)
{
	const uint32_t n = syc_session_slots(s);

	sum_slot(sum, s, 0);
	for (uint32_t i = 1; i < n && !s->has_told_late; i++) {
		const uint32_t word = __atomic_load_n(
			syc_arena_word(&s->arena, i), __ATOMIC_ACQUIRE);

		if (syc_slot_state(word) == SYC_SLOT_LIVE ||
		    syc_slot_state(word) == SYC_SLOT_ENDED)
			sum_slot(sum, s, i);
	}
	add_untold(sum, &syc_arena_head(&s->arena)->lost, &s->told);
	add_untold(sum, &syc_process->lost, &syc_process->told);
}

/* Open the trace file by an fd of the drain thread, or of this thread. */
static int open_trace(const struct syc_session *s)
{
	char path[80];
	struct syc_text text = syc_text_begin(path, sizeof(path));

	syc_text_add(&text, "/proc/self/task/");
	syc_text_add_i64(&text, s->owns_table ? s->thread_tid : gettid());
	syc_text_add(&text, "/fd/");
	syc_text_add_i64(&text, s->trace.fd);
	const int fd = syc_fd_open(path, O_RDWR | O_NOCTTY | O_NONBLOCK, 0);

	if (fd < 0 ||
	    syc_fd_is_file(fd, s->trace.target.dev, s->trace.target.ino))
		return fd;
	syc_fd_close(fd);
	return -1;
}

bool syc_left_tell_all(struct syc_session *s, int64_t deadline)
{
	struct syc_ring_losses lost = { .bytes = 0 };

	if (s->trace.target.kind != SYC_TRACE_FILE || is_left_to_relatives(s))
		return false;
	for (uint32_t was; (was = syc_trace_shut(&s->trace)) != SYC_TRACE_OPEN;
	     syc_futex_nap()) {
		if (was == SYC_TRACE_SHUT)
			return true;
		if (syc_clock_kernel() >= deadline)
			return false;
	}
	add_all(&lost, s);
	if (syc_loss_totals_sum(&lost) == 0)
		return true;
	const int fd = open_trace(s);
	if (fd < 0)
		return false;
	const int r = syc_trace_untold_leave(fd, &lost);
	syc_fd_close(fd);
	return r == 0;
}
