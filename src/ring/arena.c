/* SPDX-License-Identifier: BSD-2-Clause */
/* arena.c - the rings that a process makes for itself. */
#define _GNU_SOURCE
#include "ring/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Linux 5.14 */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Without MADV_POPULATE_WRITE a file gets all its blocks at once. */
#define SLOTS_WITHOUT_POPULATE 32u
#define SLOTS_OF_SPARSE        4u

/* What the drainer's slot has of its body to begin with, where it is sparse. */
#define FIRST_OF_SPARSE UINT32_C(12288)

static size_t slot_size(const struct syc_arena *arena)
{
	return (size_t)arena->page + arena->body;
}

static size_t arena_size(const struct syc_arena *arena, uint32_t n_slots)
{
	return SYC_RING_FILE_FRONT + n_slots * slot_size(arena);
}

struct syc_ring_header *syc_arena_ring(const struct syc_arena *arena,
                                       uint32_t i)
{
	return (struct syc_ring_header *)(void *)(arena->base +
	                                          SYC_RING_FILE_FRONT +
	                                          i * slot_size(arena));
}

/* Growing a file over the limit would raise SIGXFSZ. */
static uint32_t slots_within_limit(const struct syc_arena *arena)
{
	struct rlimit limit;
	uint32_t n = SYC_RING_FILE_SLOTS;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0)
		return n;
	while (n > 0 && arena_size(arena, n) > limit.rlim_cur)
		n /= 2;
	return n;
}

static int map_slots(struct syc_arena *arena, int fd, uint32_t n_slots)
{
	const int flags = fd >= 0 ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS;
	void *base = MAP_FAILED;

	/* Less where address space is limited */
	for (; n_slots >= 2; n_slots /= 2) {
		arena->size = arena_size(arena, n_slots);
		base = mmap(NULL, arena->size, PROT_READ | PROT_WRITE,
		            flags | MAP_NORESERVE, fd, 0);
		if (base != MAP_FAILED)
			break;
	}
	if (base == MAP_FAILED)
		return n_slots < 2 ? -EFBIG : -errno;
	arena->base = base;
	arena->n_slots = n_slots;
	if (fd >= 0 && ftruncate(fd, (off_t)arena->size) != 0)
		return -errno;
	return 0;
}

/* Blocks before they are needed: a full file system is an error here, and
 * would be SIGBUS in an emit. */
static int populate(const struct syc_arena *arena, void *from, size_t size)
{
	if (!arena->populates || madvise(from, size, MADV_POPULATE_WRITE) == 0)
		return 0;
	/* EFAULT: a touch would have been SIGBUS */
	return errno == EFAULT || errno == ENOMEM ? -ENOSPC : -errno;
}

int syc_arena_provide(void *from, size_t size)
{
	const struct syc_arena any = { .populates = true };
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t low = (uintptr_t)from & ~(page - 1);
	const uintptr_t high =
		((uintptr_t)from + size + page - 1) & ~(page - 1);
	const int r = populate(&any, (void *)low, high - low);

	/* An old kernel, where the file got all its blocks at once */
	return r == -EINVAL ? 0 : r;
}

/* The facts, the journal, and of the first slot as much as it takes to say
 * who this is, and what was lost. */
static int populate_sparse_front(const struct syc_arena *arena)
{
	char *const base = (char *)arena->base;
	int r = syc_arena_provide(base, sizeof(struct syc_ring_file));

	if (r == 0)
		r = syc_arena_provide(base + SYC_RING_FILE_JOURNAL,
		                      sizeof(struct syc_ring_journal));
	if (r == 0)
		r = syc_arena_provide(base + SYC_RING_FILE_FRONT,
		                      arena->page + FIRST_OF_SPARSE);
	return r;
}

static int populate_front(struct syc_arena *arena, int fd, bool is_sparse)
{
	int r;

	arena->populates = true;
	/* Whether the kernel can at all */
	r = populate(arena, arena->base, arena->page);
	if (r == 0)
		return is_sparse ? populate_sparse_front(arena)
		                 : populate(arena, arena->base,
		                            SYC_RING_FILE_FRONT +
		                                    slot_size(arena));
	if (r != -EINVAL)
		return r;
	arena->populates = false;
	if (fd < 0)
		return 0; /* memory comes by touching it */
	const uint32_t most =
		is_sparse ? SLOTS_OF_SPARSE : SLOTS_WITHOUT_POPULATE;
	if (arena->n_slots > most)
		arena->n_slots = most;
	do {
		r = posix_fallocate(fd, 0,
		                    (off_t)arena_size(arena, arena->n_slots));
	} while (r == EINTR);
	return -r;
}

/*
 * As syc_ring_map_at(), a ring that lies at @ring in memory that this process
 * has mapped MAP_SHARED.  Needs no descriptor, but mremap() with an old length
 * of 0: -ENOTSUP where that is refused (valgrind, qemu-user, filters).
 */
static int map_body_again(void *ring, uint32_t size,
                          struct syc_ring_header **ret_header)
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
		/* Whatever it says: qemu-user says ENOMEM */
		munmap(base, file + size);
		return -ENOTSUP;
	}
	*ret_header = (struct syc_ring_header *)(void *)base;
	return 0;
}

/* Whether map_body_again() works for the page at @shared. */
static bool can_map_again(void *shared)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *const again = mremap(shared, 0, page, MREMAP_MAYMOVE);

	if (again == MAP_FAILED)
		return false;
	munmap(again, page);
	return true;
}

int syc_arena_create(struct syc_arena *arena, int fd, uint32_t body,
                     bool is_sparse)
{
	int r;

	arena->page = (uint32_t)sysconf(_SC_PAGESIZE);
	arena->body = body;
	arena->high_water = 1;
	arena->base = NULL;
	if (body < SYC_ARENA_BODY_MIN || body > SYC_ARENA_BODY_MAX ||
	    body % arena->page != 0 || SYC_RING_FILE_FRONT % arena->page != 0)
		return -EINVAL;
	r = map_slots(arena, fd,
	              fd >= 0 ? slots_within_limit(arena)
	                      : SYC_RING_FILE_SLOTS);
	if (r == 0)
		r = populate_front(arena, fd, is_sparse);
	if (r == 0 && fd < 0 && !can_map_again(arena->base))
		r = -ENOTSUP;
	if (r != 0) {
		syc_arena_destroy(arena);
		return r;
	}
	madvise(arena->base, arena->size, MADV_DONTFORK);
	syc_arena_ring(arena, 0)->offset = arena->page;
	syc_arena_ring(arena, 0)->size = arena->body;
	syc_arena_ring(arena, 0)->slot_state = SYC_SLOT_LIVE;
	return 0;
}

static void raise_slots_high_water(struct syc_arena *arena, uint32_t to)
{
	uint32_t high = __atomic_load_n(&arena->high_water, __ATOMIC_RELAXED);

	while (high < to &&
	       !__atomic_compare_exchange_n(&arena->high_water, &high, to, true,
	                                    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* The caller's mapping of a slot, with all its pages unless @is_sparse: faults
 * would come in emits. */
static int open_slot(struct syc_arena *arena, uint32_t i, int fd,
                     bool is_sparse, struct syc_ring_header **ret_ring)
{
	const size_t size = arena->page + 2 * (size_t)arena->body;
	int r = fd >= 0 ? syc_ring_map_at(fd, arena_size(arena, i), arena->body,
	                                  ret_ring)
	                : map_body_again(syc_arena_ring(arena, i), arena->body,
	                                 ret_ring);

	if (r != 0)
		return r;
	r = populate(arena, *ret_ring, is_sparse ? arena->page : size);
	if (r != 0) {
		syc_ring_unmap(*ret_ring, arena->body);
		return r;
	}
	/* else a child whose fork interrupted an emit faults */
	madvise(*ret_ring, size, MADV_DOFORK);
	return 0;
}

int syc_arena_claim(struct syc_arena *arena, int fd, bool is_sparse,
                    struct syc_ring_header **ret_ring)
{
	for (uint32_t i = 1; i < arena->n_slots; i++) {
		struct syc_ring_header *const ring = syc_arena_ring(arena, i);
		uint32_t free_slot = SYC_SLOT_FREE;

		/* Before the first touch of its header */
		if (i >=
		    __atomic_load_n(&arena->high_water, __ATOMIC_ACQUIRE)) {
			const int r = populate(arena, ring, arena->page);
			if (r != 0)
				return r;
		}
		if (!__atomic_compare_exchange_n(
			    &ring->slot_state, &free_slot, SYC_SLOT_BUSY, false,
			    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		ring->offset = arena->page; /* it was claimed once */
		ring->size = arena->body;
		const int r = open_slot(arena, i, fd, is_sparse, ret_ring);
		if (r != 0) {
			__atomic_store_n(&ring->slot_state, SYC_SLOT_FREE,
			                 __ATOMIC_RELEASE);
			return r;
		}
		raise_slots_high_water(arena, i + 1);
		return 0;
	}
	return -EMFILE;
}

void syc_arena_destroy(struct syc_arena *arena)
{
	if (arena->base != NULL)
		munmap(arena->base, arena->size);
	arena->base = NULL;
}
