/* SPDX-License-Identifier: BSD-2-Clause */
/* own_maps.c - MAP frames from the process itself; see own_maps.h. */
#define _GNU_SOURCE
#include "sample/own_maps.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/event.h"
#include "emit/slot.h"
#include "os/signals.h"
#include "selfrec/map_frames.h"

/* The recorder reads /proc, then stores that word. */
static bool is_unseen(void)
{
	const struct syc_arena_head *const head = syc_slot_arena_head();

	return head != NULL &&
	       __atomic_load_n(&head->drainer, __ATOMIC_ACQUIRE) == 0;
}

bool syc_own_maps_emit(void *unused, const void *frame, uint32_t len)
{
	const struct syscap_wire_frame *const header = frame;
	const size_t n = sizeof(*header);
	struct syc_thread *const st = syc_thread_get(header->type);
	volatile uintptr_t token;

	(void)unused;
	if (st == NULL)
		return false;
	/* The short way is for what comes often */
	const struct syc_long_event event =
		syc_event_begin_long(st, &token, len, header->type,
	                             header->time, __builtin_dwarf_cfa());

	if (event.frame == NULL)
		return false;
	memcpy(event.frame + n, (const unsigned char *)frame + n, len - n);
	syc_event_end_long(st, &token, event.frame,
	                   (event.tag_word & SYC_IS_OUTERMOST) != 0,
	                   header->type);
	return true;
}

void syc_own_maps_tell_unseen(void)
{
	struct syc_undisturbed before;
	struct syc_described *described;

	if (!is_unseen())
		return;
	described = mmap(NULL, sizeof(*described), PROT_READ | PROT_WRITE,
	                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (described == MAP_FAILED)
		return;
	syc_undisturbed_begin(&before);
	syc_map_frames_write(described, getpid(), syscap_clock(), false,
	                     syc_own_maps_emit, NULL);
	syc_undisturbed_end(&before);
	munmap(described, sizeof(*described));
}
