/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_untold.c - losses that a trace file's header keeps. */
#define _GNU_SOURCE
#include "session/trace_untold.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/loss_record.h"
#include "emit/loss_totals.h"
#include "os/fd.h"
#include "ring/arena.h"
#include "session/trace.h"
#include "session/trace_file.h"

_Static_assert(SYC_HEADER_LOSSES_KINDS >= SYC_LOSS_KINDS, "one for each");

static bool read_our_header(int fd, struct syscap_wire_file *header)
{
	return syc_fd_pread(fd, header, sizeof(*header), 0) ==
	               sizeof(*header) &&
	       syc_trace_is_capture(header) && syc_trace_file_has_mark(header);
}

/* The page is provided before its first use: a truncated file, or a full disk,
 * then causes an error instead of SIGBUS. */
static struct syc_header_losses *map_page(int fd, size_t page)
{
	char *const at =
		mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return NULL;
	if (syc_arena_provide(at, 1) != 0) {
		munmap(at, page);
		return NULL;
	}
	return (struct syc_header_losses *)(at + SYC_HEADER_LOSSES_AT);
}

static void unmap_page(struct syc_header_losses *untold, size_t page)
{
	munmap((char *)untold - SYC_HEADER_LOSSES_AT, page);
}

int syc_trace_untold_leave(int fd, const struct syc_ring_losses *lost)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct syscap_wire_file header;
	uint64_t name = 0;

	if (!read_our_header(fd, &header))
		return -ENOTSUP;
	struct syc_header_losses *const to = map_page(fd, page);
	if (to == NULL)
		return -ENOTSUP;
	const bool is_ours =
		__atomic_compare_exchange_n(
			&to->name, &name, SYC_HEADER_LOSSES_NAME, false,
			__ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
		name == SYC_HEADER_LOSSES_NAME;
	if (is_ours) {
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
	return is_ours ? 0 : -ENOTSUP;
}

bool syc_trace_untold_take(int fd, struct syc_ring_losses *ret_lost)
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
