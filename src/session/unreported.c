/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unreported.c - losses that no frame of the capture will report.
 *
 * This file counts frames that stay unread in the rings.  The header of a trace
 * file keeps losses for the next writer and for readers.
 *
 * An event that read syc_active before a stop may take its first step after the
 * stop.  The thread of such an event does not notice that the reader has left
 * its ring.  The thread's next event, or its end, calls syc_unreported_count().
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap/format.h>

#include "base/loss_record.h"
#include "base/text.h"
#include "emit/loss.h"
#include "emit/process.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/syscalls.h"
#include "ring/arena.h"
#include "ring/clock.h"
#include "session/sink.h"
#include "session/spill.h"

_Static_assert(SYC_HEADER_LOSSES_KINDS >= SYC_LOSS_KINDS, "one for each");

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

uint64_t syc_unreported_sum(const unsigned char *body, uint32_t size,
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

void syc_unreported_count(struct syc_state *ts)
{
	const struct syc_ring_header *const ring = ts->ring;
	struct syc_ring_losses unreported = ts->lost;

	syc_loss_totals_subtract(&unreported, &ts->told[ts->bank & 1]);
	syc_loss_totals_subtract(&unreported, &ring->late);
	const uint64_t n_frames = syc_unreported_sum(
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
