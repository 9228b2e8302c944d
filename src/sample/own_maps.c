/* SPDX-License-Identifier: BSD-2-Clause */
/* own_maps.c - MAP frames from the process itself; see own_maps.h. */
#define _GNU_SOURCE
#include "sample/own_maps.h"

#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emit/event.h"
#include "emit/hand_over.h"
#include "selfrec/describe.h"

/* The recorder reads /proc, then stores that word. */
static bool is_unseen(void)
{
	const struct syc_arena_head *const head = syc_hand_over_head();

	return head != NULL &&
	       __atomic_load_n(&head->drainer, __ATOMIC_ACQUIRE) == 0;
}

static bool tell_map(void *unused, const void *map, uint32_t len)
{
	const size_t n = sizeof(struct syscap_wire_frame);
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_MAP);
	volatile uintptr_t token;

	(void)unused;
	if (st == NULL)
		return false;
	/* The short way is for what comes often */
	const struct syc_long_event event =
		syc_event_begin_long(st, &token, len, SYSCAP_FRAME_MAP,
	                             syc_clock(st), __builtin_dwarf_cfa());

	if (event.frame == NULL)
		return false;
	memcpy(event.frame + n, (const unsigned char *)map + n, len - n);
	syc_event_end_long(st, &token, event.frame,
	                   (event.tag_word & SYC_IS_OUTERMOST) != 0,
	                   SYSCAP_FRAME_MAP);
	return true;
}

void syc_own_maps_tell_unseen(void)
{
	struct syc_described *described;

	if (!is_unseen())
		return;
	described = mmap(NULL, sizeof(*described), PROT_READ | PROT_WRITE,
	                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (described == MAP_FAILED)
		return;
	syc_describe_maps(described, getpid(), 0, false, tell_map, NULL);
	munmap(described, sizeof(*described));
}
