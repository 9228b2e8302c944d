/* SPDX-License-Identifier: BSD-2-Clause */
/* room.c - room for a tick on small stacks. */
#define _GNU_SOURCE
#include "preload/room.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

#define SMALL      ((size_t)64 * 1024) /* others have room to spare */
#define PAGE       ((size_t)4096)
#define OUR_OWN    ((size_t)4096) /* with a walk that learns */
#define FIRST_TICK ((size_t)4096) /* asks for a ring, too */

bool syc_room_is_always;

/* The most that a kernel stores; of a thread without AMX, which has to ask for
 * leave, less than the second. */
static size_t frame_size(size_t most)
{
	const size_t size = getauxval(AT_MINSIGSTKSZ);

	if (size == 0 || size > most)
		return most;
	return size;
}

const pthread_attr_t *syc_room_on_stack(const pthread_attr_t *attr,
                                        pthread_attr_t *copy,
                                        bool *ret_is_cramped)
{
	void *low;
	size_t size;

	*ret_is_cramped = false;
	if (attr == NULL || pthread_attr_getstack(attr, &low, &size) != 0 ||
	    size == 0 || /* not asked for: the default, as without us */
	    size >= SMALL)
		return attr;
	/* Without memory of the program's the upper end is 0 */
	if ((uintptr_t)low + size != 0) {
		*ret_is_cramped = true;
		return attr;
	}
	*copy = *attr; /* what it leads to is the program's, and only read */
	size += frame_size(SIZE_MAX) + OUR_OWN + FIRST_TICK;
	if (pthread_attr_setstacksize(copy, (size + PAGE - 1) & -PAGE) != 0)
		return attr;
	return copy;
}

bool syc_room_is_cramped(const stack_t *stack)
{
	return (stack->ss_flags & SS_DISABLE) == 0 &&
	       stack->ss_size < frame_size(OUR_OWN - 512) + OUR_OWN;
}
