/* SPDX-License-Identifier: BSD-2-Clause */
/* lazy_map.c - memory of large tables, mapped at their first use. */
#define _GNU_SOURCE
#include "os/lazy_map.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>

void *syc_lazy_map_get(void *place, size_t size)
{
	void **const at = place;
	void *there = __atomic_load_n(at, __ATOMIC_ACQUIRE);
	const int saved = errno;

	if (there != NULL)
		return there;
	void *const memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED) {
		errno = saved;
		return NULL;
	}
	if (__atomic_compare_exchange_n(at, &there, memory, false,
	                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		there = memory;
	else /* another thread, or a handler on this thread, has mapped the
	      * table first */
		munmap(memory, size);
	errno = saved;
	return there;
}
