/* SPDX-License-Identifier: BSD-2-Clause */
/* ring_map.c - mappings of a ring, and memory for its pages. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ring/arena.h"
#include "ring/ring.h"

/* Linux 5.14 */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static char *reserve_addresses(size_t size)
{
	return mmap(NULL, size, PROT_NONE,
	            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

int syc_ring_map(int fd, struct syc_ring_header **ret_header,
                 uint32_t *ret_size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)(2 * page) ||
	    st.st_size % (off_t)page != 0 ||
	    st.st_size - (off_t)page > (off_t)SYC_RING_BODY_MAX)
		return -EBADMSG;

	const uint32_t body = (uint32_t)st.st_size - (uint32_t)page;
	const int r = syc_ring_map_at(fd, 0, body, ret_header);
	if (r == 0)
		*ret_size = body;
	return r;
}

int syc_ring_map_at(int fd, uint64_t offset, uint32_t size,
                    struct syc_ring_header **ret_header)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t file = page + size;
	char *const base = reserve_addresses(file + size);

	if (base == MAP_FAILED)
		return -errno;
	if (mmap(base, file, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
	         (off_t)offset) == MAP_FAILED ||
	    mmap(base + file, size, PROT_READ | PROT_WRITE,
	         MAP_SHARED | MAP_FIXED, fd,
	         (off_t)(offset + page)) == MAP_FAILED) {
		const int error = errno;
		munmap(base, file + size);
		return -error;
	}
	*ret_header = (struct syc_ring_header *)(void *)base;
	return 0;
}

void syc_ring_unmap(struct syc_ring_header *header, uint32_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	munmap(header, page + 2 * (size_t)size);
}

int syc_arena_provide(void *from, size_t size)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t low = (uintptr_t)from & ~(page - 1);
	const uintptr_t high =
		((uintptr_t)from + size + page - 1) & ~(page - 1);

	/* EINVAL: an old kernel, so the file has all its blocks already */
	if (madvise((void *)low, high - low, MADV_POPULATE_WRITE) == 0 ||
	    errno == EINVAL)
		return 0;
	/* EFAULT: an access would raise SIGBUS */
	return errno == EFAULT || errno == ENOMEM ? -ENOSPC : -errno;
}
