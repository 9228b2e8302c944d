/* SPDX-License-Identifier: BSD-2-Clause */
/* ring_map.c - map a ring with its body twice.  Signal-safe. */
#define _GNU_SOURCE
#include "ring/ring.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int sc_ring_map(int fd, struct sc_ring_header **ret_header, uint32_t *ret_size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)(2 * page) ||
	    st.st_size % (off_t)page != 0 ||
	    st.st_size - (off_t)page > (off_t)SC_RING_BODY_MAX)
		return -EBADMSG;

	const size_t file = (size_t)st.st_size;
	const size_t body = file - page;
	char *base = mmap(NULL, file + body, PROT_NONE,
	                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return -errno;
	if (mmap(base, file, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
	         0) == MAP_FAILED ||
	    mmap(base + file, body, PROT_READ | PROT_WRITE,
	         MAP_SHARED | MAP_FIXED, fd, (off_t)page) == MAP_FAILED) {
		const int error = errno;
		munmap(base, file + body);
		return -error;
	}
	*ret_header = (struct sc_ring_header *)(void *)base;
	*ret_size = (uint32_t)body;
	return 0;
}

int sc_ring_map_again(void *ring, uint32_t size,
                      struct sc_ring_header **ret_header)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t file = page + size;
	char *const base =
		mmap(NULL, file + size, PROT_NONE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return -errno;
	/* An old length of 0: map the same shared pages once more */
	if (mremap(ring, 0, file, MREMAP_MAYMOVE | MREMAP_FIXED, base) ==
	            MAP_FAILED ||
	    mremap((char *)ring + page, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED,
	           base + file) == MAP_FAILED) {
		const int error = errno;
		munmap(base, file + size);
		return -error;
	}
	*ret_header = (struct sc_ring_header *)(void *)base;
	return 0;
}

void sc_ring_unmap(struct sc_ring_header *header, uint32_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	munmap(header, page + 2 * (size_t)size);
}
