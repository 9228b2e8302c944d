/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_losses.c - losses of the rings of an arena, the end of its slots, and
 * losses that no frame of the capture will report.
 *
 * An event that read syc_active before a stop may take its first step after the
 * stop.  The thread of such an event does not notice that the reader has left
 * its ring.  The thread's next event, or its end, calls syc_unreported_count().
 * The header of a trace file keeps losses for the next writer and for readers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap/format.h>

#include "base/frame.h"
#include "base/loss_record.h"
#include "emit/loss.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "os/fd.h"
#include "os/process.h"
#include "ring/arena.h"
#include "ring/clock.h"
#include "session/sink.h"
#include "session/spill.h"

_Static_assert(SYC_HEADER_LOSSES_KINDS >= SYC_LOSS_KINDS, "one for each");

/* Return whether the losses are plausible: fewer than a process could lose in a
 * year. */
static bool is_plausible(const struct syc_ring_losses *lost,
                         const struct syc_ring_losses *told)
{
	return syc_loss_totals_sum(lost) - syc_loss_totals_sum(told) <=
	               UINT64_C(1) << 48 &&
	       lost->bytes - told->bytes <= UINT64_C(1) << 56;
}

/* Write a loss record for the unreported losses in @lost.  The record reports
 * all of @lost for the slot @told_slot, or for the head.  @tid 0: no thread. */
static int report_losses(struct syc_session *s, uint32_t told_slot,
                         const struct syc_ring_losses *lost,
                         const struct syc_ring_losses *told, int32_t pid,
                         int32_t tid, int64_t deadline)
{
	struct syc_batch batch = { .frames = s->copy,
		                   .time = s->began,
		                   .now = syc_clock_kernel(),
		                   .deadline = deadline,
		                   .told_slot = told_slot,
		                   .told = lost };

	/* A related process has overwritten the counts */
	if (!is_plausible(lost, told)) {
		s->is_damaged = true;
		return 0;
	}
	batch.size = syc_loss_compose(s->copy, lost, told, pid, tid);
	batch.record_len = (uint32_t)batch.size;
	return batch.size == 0 ? 0 : syc_spill_write_batch(s, &batch);
}

void syc_rings_load_losses(struct syc_ring_losses *to,
                           const struct syc_ring_losses *from)
{
	to->from = __atomic_load_n(&from->from, __ATOMIC_RELAXED);
	to->to = __atomic_load_n(&from->to, __ATOMIC_RELAXED);
	to->bytes = __atomic_load_n(&from->bytes, __ATOMIC_ACQUIRE);
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		to->frames[i] =
			__atomic_load_n(&from->frames[i], __ATOMIC_ACQUIRE);
}

int syc_rings_report_head(struct syc_session *s, int64_t deadline)
{
	struct syc_arena_head *const head = syc_arena_head(&s->arena);
	struct syc_ring_losses lost, told;
	int r = 0;

	if (syc_loss_totals_sum(&head->lost) !=
	    syc_loss_totals_sum(&head->told)) {
		syc_rings_load_losses(&lost, &head->lost);
		told = head->told;
		r = report_losses(s, SYC_JOURNAL_TOLD_HEAD, &lost, &told,
		                  s->pid, 0, deadline);
	}
	if (r == 0 && s->is_damaged && !s->has_told_damage) {
		r = syc_spill_write_metadata(
			s, "syscap.damaged",
			"a child overwrote rings: events are lost", deadline);
		s->has_told_damage = r == 0;
	}
	return r;
}

int syc_rings_write_exit(struct syc_session *s, int32_t pid, int64_t deadline)
{
	struct syscap_wire_frame frame;

	memset(&frame, 0, sizeof(frame));
	syc_frame_begin(&frame, SYSCAP_FRAME_EXIT, pid, syc_clock_kernel());
	return syc_spill_write(s, &frame, syc_frame_end(&frame, sizeof(frame)),
	                       deadline);
}

/* Return whether a slot other than @i has frames of @pid, or may get frames. */
static bool has_other_slots(const struct syc_session *s, uint32_t i,
                            int32_t pid)
{
	for (uint32_t k = 1; k < s->n_used; k++) {
		const uint32_t word = syc_rings_word(s, k);

		if (k != i && syc_slot_pid(word) == pid)
			return true;
	}
	return false;
}

/* Write the losses of a slot whose thread or process has ended, and free the
 * slot, if all its frames are written. */
static int end_slot(struct syc_session *s, uint32_t i, int64_t deadline)
{
	uint32_t *const word = syc_arena_word(&s->arena, i);
	uint32_t is = syc_rings_word(s, i);
	const uint32_t state = syc_slot_state(is);
	const int32_t pid = syc_slot_pid(is);
	const struct syc_ring_header *const ring = syc_arena_ring(&s->arena, i);
	const bool is_this_process = pid == s->pid;
	struct syc_span span;
	int r = 0;

	if (state == SYC_SLOT_FREE ||
	    (is_this_process && state != SYC_SLOT_ENDED) ||
	    (!is_this_process && !syc_rings_is_gone(s, i, is)))
		return 0;
	/* A BUSY slot has no frames, and may have no memory yet */
	if (state != SYC_SLOT_BUSY && state != SYC_SLOT_OVER) {
		if (!syc_rings_find(s, i, &span)) {
			s->is_damaged = true;
			syc_rings_set_head(s, i, 0);
			__atomic_store_n(&syc_arena_ring(&s->arena, i)->tail, 0,
			                 __ATOMIC_RELEASE);
		} else if (span.n != 0) {
			return 0; /* more frames than one batch takes */
		}
		const struct syc_ring_losses lost = ring->lost,
					     told = ring->told;
		r = report_losses(s, i, &lost, &told, pid, ring->tid, deadline);
	}
	if (!is_this_process && state != SYC_SLOT_BUSY && ring->pid != pid) {
		s->is_damaged = true;
		r = -EUCLEAN;
	}
	/* A process that ended by exit() wrote its end itself */
	if (r == 0 && !is_this_process && state != SYC_SLOT_OVER &&
	    state != SYC_SLOT_BUSY && !has_other_slots(s, i, pid))
		r = syc_rings_write_exit(s, pid, deadline);
	if (r == 0 || r == -EUCLEAN)
		__atomic_compare_exchange_n(word, &is, SYC_SLOT_FREE, false,
		                            __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	return r == -EUCLEAN ? 0 : r;
}

int syc_rings_end_slots(struct syc_session *s, int64_t deadline)
{
	const uint32_t n = syc_session_slots(s);
	int r = 0;

	for (uint32_t i = 1; r == 0 && i < n; i++)
		r = end_slot(s, i, deadline);
	return r;
}

/* ------------------------------------------------- the end of the session */

/* Take the slot of a thread that may still use the slot.  This process no
 * longer reads the slot's ring.  Returns false if the thread has ended the
 * slot. */
static bool close_slot(struct syc_session *s, uint32_t i,
                       struct syc_ring_losses *ret_late)
{
	struct syc_ring_header *const ring = syc_arena_ring(&s->arena, i);
	struct syc_ring_losses told;
	uint32_t nobody = 0;

	/* Load reported losses first, so that they never exceed all losses */
	syc_rings_load_losses(&told, &ring->told);
	syc_rings_load_losses(ret_late, &ring->lost);
	syc_loss_totals_subtract(ret_late, &told);
	ring->late = *ret_late;
	return __atomic_compare_exchange_n(&ring->outcome, &nobody,
	                                   SYC_SLOT_OVER, false,
	                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static int report_slot_late(struct syc_session *s, uint32_t i, int64_t deadline)
{
	static const struct syc_ring_losses nothing;
	const struct syc_ring_header *const ring = syc_arena_ring(&s->arena, i);
	struct syc_ring_losses late;

	if (syc_rings_word(s, i) != syc_slot_word(s->pid, SYC_SLOT_LIVE))
		return end_slot(s, i, deadline);
	if (!close_slot(s, i, &late))
		return end_slot(s, i, deadline);
	/* This state shows other holders that the slot has no frames */
	__atomic_store_n(syc_arena_word(&s->arena, i),
	                 syc_slot_word(s->pid, SYC_SLOT_OVER),
	                 __ATOMIC_RELEASE);
	return report_losses(s, 0, &late, &nothing, s->pid, ring->tid,
	                     deadline);
}

/* Return whether a related process has overwritten the word of the slot of @ts.
 * A thread that returns its slot clears its reference first.  A thread that
 * claims a slot stores the reference last. */
static bool has_lost_slot(const struct syc_session *s,
                          const struct syc_state *ts)
{
	const uint32_t *const slot =
		__atomic_load_n(&ts->slot, __ATOMIC_ACQUIRE);

	return slot != NULL &&
	       syc_slot_pid(__atomic_load_n(slot, __ATOMIC_ACQUIRE)) !=
	               s->pid &&
	       __atomic_load_n(&ts->slot, __ATOMIC_RELAXED) == slot;
}

/* Return whether a related process has overwritten a thread's slot or ring. */
static bool has_lost_rings(const struct syc_session *s)
{
	const uint32_t n =
		__atomic_load_n(&syc_process->high_water, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < n; i++) {
		const struct syc_state *const ts = syc_state_at(i);

		if (__atomic_load_n(&ts->phase, __ATOMIC_ACQUIRE) ==
		            SYC_STATE_ALIVE &&
		    /* Pairs with syc_thread_leave_epoch(): a slot of an earlier
		     * epoch is ignored */
		    __atomic_load_n(&ts->hot.epoch, __ATOMIC_ACQUIRE) ==
		            s->epoch &&
		    (__atomic_load_n(&ts->retry_at, __ATOMIC_RELAXED) ==
		             SYC_RETRY_NEVER ||
		     has_lost_slot(s, ts)))
			return true;
	}
	return false;
}

int syc_rings_report_late(struct syc_session *s, int64_t deadline)
{
	const uint32_t n = syc_session_slots(s);
	int r = 0;

	s->is_damaged |= has_lost_rings(s);
	/* This thread first stores, then loads.  begin_slot() also stores, then
	 * loads */
	__atomic_store_n(&s->has_told_late, true, __ATOMIC_SEQ_CST);
	for (uint32_t i = 1; r == 0 && i < n; i++)
		r = report_slot_late(s, i, deadline);
	if (r == 0)
		r = syc_rings_report_head(s, deadline);
	if (r == 0)
		r = syc_unreported_take(s, deadline);
	if (r == 0) {
		const uint32_t len = syc_loss_compose_last(s->copy, s->pid);

		if (len != 0)
			r = syc_spill_write(s, s->copy, len, deadline);
	}
	return r;
}

/* -------------------------------------------------------- unread frames */

/*
 * Add the losses that a loss record of @len contiguous bytes reports, because
 * the record does not reach the capture.  Returns false if the frame is not a
 * loss record.
 */
static bool take_record_back(const unsigned char *frame, uint32_t len,
                             int64_t time, struct syc_ring_losses *to)
{
	const struct syscap_wire_mark *const mark = (const void *)frame;
	char message[SYC_LOSS_RECORD_MAX - sizeof(*mark) + 1];
	struct syc_loss loss;

	if (len <= sizeof(*mark) || len > SYC_LOSS_RECORD_MAX ||
	    mark->frame.type != SYSCAP_FRAME_MARK ||
	    !syc_loss_record_is(mark->group, mark->name))
		return false;
	memcpy(message, mark + 1, len - sizeof(*mark));
	message[len - sizeof(*mark)] = '\0';
	if (!syc_loss_record_parse(message, &loss))
		return false;
	syc_loss_totals_extend(to, time);
	to->bytes += loss.bytes;
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		to->frames[i] += loss.frames[i];
	return true;
}

/* Count the frame at @at.  Returns true if the frame is not a loss record, and
 * was counted itself. */
static bool lose_frame(const unsigned char *body, uint32_t size, uint32_t at,
                       uint16_t len, struct syc_ring_losses *lost)
{
	unsigned char record[SYC_LOSS_RECORD_MAX] __attribute__((aligned(8)));
	const uint8_t type = body[(at + SYC_AT(frame, type)) % size];
	int64_t time;

	memcpy(&time, body + (at + SYC_AT(frame, time)) % size, sizeof(time));
	if (len <= sizeof(record)) {
		const uint32_t first = len < size - at ? len : size - at;

		memcpy(record, body + at, first);
		memcpy(record + first, body, len - first);
		if (take_record_back(record, len, time, lost))
			return false;
	}
	syc_loss_totals_add(lost,
	                    type < SYC_LOSS_KINDS ? type : SYC_LOSS_ABANDONED,
	                    len, time);
	return true;
}

/* Add the frames at [@from, @to) of @body to *@lost, with the losses of their
 * loss records.  Returns the number of frames that were not counted before. */
static uint64_t sum_unread(const unsigned char *body, uint32_t size,
                           uint32_t from, uint32_t to,
                           struct syc_ring_losses *lost)
{
	uint64_t n_frames = 0;
	uint32_t left = size;

	/* The memory is this process's own, but a program may overwrite the
	 * memory */
	while (from != to && from < size && to < size && from % 8 == 0) {
		uint16_t len;

		memcpy(&len, body + from, sizeof(len));
		if (len < SYC_HEAD_SIZE || len % 8 != 0 || len > left)
			break;
		left -= len;
		n_frames += lose_frame(body, size, from, len, lost);
		from = (from + len) % size;
	}
	return n_frames;
}

static void add_losses(struct syc_ring_losses *sum,
                       const struct syc_ring_losses *lost,
                       const struct syc_ring_losses *told)
{
	struct syc_ring_losses rest = *lost;

	syc_loss_totals_subtract(&rest, told);
	/* Ignore totals that a related process has overwritten */
	if (syc_loss_totals_sum(&rest) > UINT64_C(1) << 48)
		return;
	syc_loss_totals_return_range(sum, &rest);
	sum->bytes += rest.bytes;
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		sum->frames[i] += rest.frames[i];
}

static uint64_t drop_slot(struct syc_session *s, uint32_t i,
                          struct syc_ring_losses *lost)
{
	struct syc_ring_header *const ring = syc_arena_ring(&s->arena, i);
	const uint32_t word = syc_rings_word(s, i),
		       state = syc_slot_state(word);
	struct syc_span span;
	uint64_t n_frames = 0;

	if (syc_slot_pid(word) != s->pid ||
	    (state != SYC_SLOT_LIVE && state != SYC_SLOT_ENDED))
		return 0;
	if (syc_rings_find(s, i, &span)) {
		n_frames = sum_unread(span.body, s->arena.body, span.head,
		                      span.tail, lost);
		syc_rings_set_head(s, i, span.tail);
	}
	struct syc_ring_losses all;
	syc_rings_load_losses(&all, &ring->lost);
	add_losses(lost, &all, &ring->told);
	ring->told = all;
	return n_frames;
}

void syc_rings_drop(struct syc_session *s, struct syc_ring_losses *lost)
{
	struct syc_arena_head *const head = syc_arena_head(&s->arena);
	struct syc_process *const p = syc_process;
	const uint32_t n = syc_session_slots(s);
	uint64_t n_frames = 0;

	for (uint32_t i = 1; i < n; i++)
		n_frames += drop_slot(s, i, lost);
	__atomic_add_fetch(&p->n_dropped, n_frames, __ATOMIC_RELAXED);
	add_losses(lost, &head->lost, &head->told);
	head->told = head->lost;
	add_losses(lost, &p->lost, &p->told);
	p->told = p->lost;
}

void syc_unreported_count(struct syc_state *ts)
{
	const struct syc_ring_header *const ring = ts->ring;
	struct syc_ring_losses unreported = ts->lost;

	syc_loss_totals_subtract(&unreported, &ts->told[ts->bank & 1]);
	syc_loss_totals_subtract(&unreported, &ring->late);
	const uint64_t n_frames = sum_unread(
		(const unsigned char *)ring + sysconf(_SC_PAGESIZE),
		ts->hot.size, __atomic_load_n(&ring->head, __ATOMIC_RELAXED),
		__atomic_load_n(&ring->tail, __ATOMIC_RELAXED), &unreported);
	syc_loss_add_stray(&unreported, n_frames);
}

/* ----------------------------------------------- header of a trace file */

static bool read_our_header(int fd, struct syscap_wire_file *header)
{
	return syc_fd_pread(fd, header, sizeof(*header), 0) ==
	               sizeof(*header) &&
	       syc_trace_is_capture(header) && syc_trace_file_has_mark(header);
}

/* Map the header's page, and provide the page before its first use.  A
 * truncated file, or a full disk, then causes an error instead of SIGBUS. */
static struct syc_header_losses *map_page(int fd, size_t page)
{
	char *const at =
		mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return NULL;
	if (syc_pages_provide(at, 1) != 0) {
		munmap(at, page);
		return NULL;
	}
	return (struct syc_header_losses *)(at + SYC_HEADER_LOSSES_AT);
}

static void unmap_page(struct syc_header_losses *kept, size_t page)
{
	munmap((char *)kept - SYC_HEADER_LOSSES_AT, page);
}

/*
 * Add @lost to the losses in the header of the file @fd, which can be read and
 * written.  Returns 0; -ENOTSUP: the header has no space for losses; or -errno.
 * The function needs no lock.
 */
static int store_in_header(int fd, const struct syc_ring_losses *lost)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct syscap_wire_file header;
	uint64_t name = 0;

	if (!read_our_header(fd, &header))
		return -ENOTSUP;
	struct syc_header_losses *const to = map_page(fd, page);
	if (to == NULL)
		return -ENOTSUP;
	const bool has_space =
		__atomic_compare_exchange_n(
			&to->name, &name, SYC_HEADER_LOSSES_NAME, false,
			__ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
		name == SYC_HEADER_LOSSES_NAME;
	if (has_space) {
		if (lost->from != 0) {
			syc_loss_totals_reach(&to->from, &to->to, lost->from);
			syc_loss_totals_reach(&to->from, &to->to, lost->to);
		}
		__atomic_add_fetch(&to->bytes, lost->bytes, __ATOMIC_RELAXED);
		for (unsigned i = 0; i < SYC_LOSS_KINDS; i++)
			__atomic_add_fetch(&to->frames[i],
			                   (uint32_t)lost->frames[i],
			                   __ATOMIC_RELAXED);
	}
	unmap_page(to, page);
	return has_space ? 0 : -ENOTSUP;
}

/* Take the losses that other processes have stored in the header.  Returns
 * false if there are no losses. */
static bool take_from_header(int fd, struct syc_ring_losses *ret_lost)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct syscap_wire_file header;
	uint64_t any = 0;

	if (!read_our_header(fd, &header) ||
	    !syc_header_losses_has_frames(&header))
		return false;
	struct syc_header_losses *const from = map_page(fd, page);
	if (from == NULL)
		return false;
	for (unsigned i = 0; i < SYC_LOSS_KINDS; i++)
		any |= ret_lost->frames[i] = __atomic_exchange_n(
			&from->frames[i], 0, __ATOMIC_RELAXED);
	ret_lost->bytes =
		__atomic_exchange_n(&from->bytes, 0, __ATOMIC_RELAXED);
	ret_lost->from = __atomic_exchange_n(&from->from, 0, __ATOMIC_RELAXED);
	ret_lost->to = __atomic_exchange_n(&from->to, 0, __ATOMIC_RELAXED);
	unmap_page(from, page);
	return any != 0;
}

/* -------------------------------------------------- losses of a session */

int syc_unreported_take(struct syc_session *s, int64_t deadline)
{
	static const struct syc_ring_losses nothing;
	struct syc_ring_losses lost;

	s->trace.has_untold = false;
	if (s->trace.target.kind != SYC_TRACE_FILE ||
	    !take_from_header(s->trace.fd, &lost))
		return 0;
	const uint32_t len =
		syc_loss_compose(s->copy, &lost, &nothing, s->pid, 0);
	const int r = syc_spill_write(s, s->copy, len, deadline);
	if (r != 0)
		s->trace.has_untold = store_in_header(s->trace.fd, &lost) == 0;
	return r;
}

bool syc_unreported_store(struct syc_session *s,
                          const struct syc_ring_losses *lost)
{
	return s->trace.target.kind == SYC_TRACE_FILE &&
	       syc_fd_is_file(s->trace.fd, s->trace.target.dev,
	                      s->trace.target.ino) &&
	       store_in_header(s->trace.fd, lost) == 0;
}
