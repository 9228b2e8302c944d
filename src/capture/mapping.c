/* SPDX-License-Identifier: BSD-2-Clause */
/* mapping.c - files that are mapped to be read, and may be cut meanwhile. */
#define _GNU_SOURCE
#include "capture/mapping.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static struct syc_mapping *first;
static volatile bool any_lost;

static void enter(struct syc_mapping *mapping)
{
	mapping->next = first;
	first = mapping;
}

static void leave(const struct syc_mapping *mapping)
{
	struct syc_mapping **at = &first;

	while (*at != NULL && *at != mapping)
		at = &(*at)->next;
	if (*at != NULL)
		*at = mapping->next;
}

int syc_mapping_make(struct syc_mapping *mapping, int fd, size_t size,
                     int flags)
{
	void *const data = mmap(NULL, size, PROT_READ, flags, fd, 0);

	if (data == MAP_FAILED)
		return -errno;
	*mapping = (struct syc_mapping){ .data = data,
		                         .size = size,
		                         .lost_at = UINT64_MAX };
	enter(mapping);
	return 0;
}

void syc_mapping_end(struct syc_mapping *mapping)
{
	if (mapping->data == NULL)
		return;
	leave(mapping);
	munmap((void *)mapping->data, mapping->size);
	mapping->data = NULL;
}

void syc_mapping_move(struct syc_mapping *to, struct syc_mapping *from)
{
	syc_mapping_end(to);
	leave(from);
	*to = *from;
	from->data = NULL;
	if (to->data != NULL)
		enter(to);
}

static struct syc_mapping *find(uintptr_t address)
{
	struct syc_mapping *m = first;

	while (m != NULL && (address < (uintptr_t)m->data ||
	                     address - (uintptr_t)m->data >= m->size))
		m = m->next;
	return m;
}

bool syc_mapping_mend(const void *address)
{
	struct syc_mapping *const m = find((uintptr_t)address);
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	if (m == NULL)
		return false;
	const uint64_t at = ((uintptr_t)address & -page) - (uintptr_t)m->data;
	if (mmap((void *)(m->data + at), m->size - at, PROT_READ,
	         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return false;
	if (at < m->lost_at)
		m->lost_at = at;
	any_lost = true;
	return true;
}

bool syc_mapping_any_lost(void)
{
	return any_lost;
}
