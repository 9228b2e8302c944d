/* SPDX-License-Identifier: BSD-2-Clause */
/* arena.c - mappings of rings, and the arena with the rings of a process and of
 * its forked children. */
#define _GNU_SOURCE
#include "ring/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Linux 5.14 */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* If the kernel lacks MADV_POPULATE_WRITE, a file gets all its blocks at
 * once. */
#define SLOTS_WITHOUT_POPULATE 32u
/* Under a limit, the arena gets smaller rings before it gets fewer rings than
 * this number. */
#define SLOTS_WANTED 16u
/* An arena takes at most this part of a limit on addresses: one eighth. */
#define SHARE_OF_ADDRESSES 8u
/* Addresses of an arena for a recorder.  The program may limit its addresses
 * later, so an arena leaves most addresses free.  A process that needs more
 * rings makes another arena. */
#define ADDRESSES_FOR_OTHER (UINT64_C(64) << 20)

/* ------------------------------------------------------------ one ring */

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

/* --------------------------------------------------------------- arenas */

/* The function makes a raw system call, because each function of the C library
 * adds about a hundred bytes to a program. */
static int give_access(void *from, size_t size)
{
	return syscall(SYS_mprotect, from, size, PROT_READ | PROT_WRITE) == 0
	               ? 0
	               : -errno;
}

static size_t slot_size(const struct syc_arena *arena)
{
	return (size_t)arena->page + arena->body;
}

static size_t arena_size(const struct syc_arena *arena, uint32_t n_slots)
{
	return syc_ring_file_front(arena->page) + n_slots * slot_size(arena);
}

uint32_t *syc_arena_word(const struct syc_arena *arena, uint32_t i)
{
	return (uint32_t *)(void *)(arena->base +
	                            syc_ring_file_words(arena->page)) +
	       i;
}

struct syc_ring_header *syc_arena_ring(const struct syc_arena *arena,
                                       uint32_t i)
{
	return (struct syc_ring_header *)(void *)(arena->base +
	                                          arena_size(arena, i));
}

int syc_arena_open(const struct syc_arena *arena, uint32_t n)
{
	unsigned char *const head = (unsigned char *)arena->head;

	return give_access(head,
	                   arena_size(arena, n) - (size_t)(head - arena->base));
}

static void note_used(const struct syc_arena *arena, uint32_t n)
{
	uint32_t *const used = &syc_arena_head(arena)->n_used;
	uint32_t is = __atomic_load_n(used, __ATOMIC_SEQ_CST);

	while (is < n &&
	       !__atomic_compare_exchange_n(used, &is, n, true,
	                                    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
}

/* Reduce the number of slots, then their size.  Returns false if no reduction
 * is possible. */
static bool shrink(struct syc_arena *arena)
{
	if (arena->n_slots > SLOTS_WANTED)
		arena->n_slots /= 2;
	else if (arena->body > arena->page)
		arena->body = arena->body / 2 / arena->page * arena->page;
	else if (arena->n_slots > 2)
		arena->n_slots--;
	else
		return false;
	return true;
}

static uint64_t limit_of(unsigned which)
{
	struct rlimit limit;

	return getrlimit(which, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

static int map_slots(struct syc_arena *arena, int fd)
{
	const int flags = fd >= 0 ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS;
	/* The program needs most of the address space */
	const uint64_t addresses = limit_of(RLIMIT_AS) / SHARE_OF_ADDRESSES;
	/* A file that grows beyond its limit raises SIGXFSZ */
	const uint64_t file = fd >= 0 ? limit_of(RLIMIT_FSIZE) : RLIM_INFINITY;
	void *base;

	while (arena_size(arena, arena->n_slots) >
	       (file < addresses ? file : addresses))
		if (!shrink(arena))
			return file < addresses ? -EFBIG : -ENOMEM;
	do {
		arena->size = arena_size(arena, arena->n_slots);
		base = mmap(NULL, arena->size, PROT_NONE, flags | MAP_NORESERVE,
		            fd, 0);
	} while (base == MAP_FAILED && shrink(arena));
	if (base == MAP_FAILED)
		return -errno;
	arena->base = base;
	arena->head = (struct syc_arena_head *)(void *)(arena->base +
	                                                syc_ring_file_head(
								arena->page));
	/* A core dump would get memory for the whole arena */
	madvise(base, arena->size, MADV_DONTDUMP);
	/* mlockall(MCL_FUTURE) would allocate memory for a whole ring at each
	 * mapping */
	syscall(SYS_munlock, base, arena->size);
	if (fd >= 0 && ftruncate(fd, (off_t)arena->size) != 0)
		return -errno;
	return give_access(base, arena_size(arena, 1));
}

/* Get blocks before a thread needs them.  Here a full file system causes an
 * error, but in an emit a full file system would cause SIGBUS. */
static int populate(const struct syc_arena *arena, void *from, size_t size)
{
	if (!arena->populates || madvise(from, size, MADV_POPULATE_WRITE) == 0)
		return 0;
	/* EFAULT: a touch would have raised SIGBUS */
	return errno == EFAULT || errno == ENOMEM ? -ENOSPC : -errno;
}

/* Return whether the file system has space for a whole ring.  Without space,
 * the caller tries another place. */
static bool has_disk_room(const struct syc_arena *arena, int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) != 0 || fs.f_blocks == 0 ||
	       fs.f_bavail * (uint64_t)fs.f_bsize >= arena_size(arena, 2);
}

/* Get the pages of the file's front, and of the start of the first slot.  These
 * pages suffice for the frames that describe a process, and for few events. */
static int populate_front(struct syc_arena *arena, int fd)
{
	unsigned char *const base = arena->base;
	const uint32_t page = arena->page;
	const uint32_t head = syc_ring_file_head(page);
	int r;

	arena->populates = true;
	if (fd >= 0 && !has_disk_room(arena, fd))
		return -ENOSPC;
	/* This call also shows whether the kernel can populate pages */
	r = populate(arena, base + head,
	             syc_ring_file_front(page) + 2 * page - head);
	if (r == 0 && fd >= 0)
		r = populate(arena, base, page);
	if (r == 0)
		r = populate(arena, base + syc_ring_file_journal(page), page);
	if (r != -EINVAL)
		return r;
	arena->populates = false;
	if (fd < 0)
		return 0; /* memory comes at the first access */
	if (arena->n_slots > SLOTS_WITHOUT_POPULATE)
		arena->n_slots = SLOTS_WITHOUT_POPULATE;
	do {
		r = posix_fallocate(fd, 0,
		                    (off_t)arena_size(arena, arena->n_slots));
	} while (r == EINTR);
	return -r;
}

/*
 * Map, like syc_ring_map_at(), a ring that this process has mapped MAP_SHARED
 * at @ring.  The mapping needs no fd, but an mremap() with an old length of 0.
 * Returns -ENOTSUP if the call is refused (valgrind, qemu-user, filters).
 */
static int map_body_again(void *ring, uint32_t size,
                          struct syc_ring_header **ret_header)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t file = page + size;
	/* Map the ring and, in the place of the second body, the bytes that
	 * follow the ring in the file.  The second body replaces these bytes.
	 * A reservation of the place would take one more call and mapping */
	char *const base = mremap(ring, 0, file + size, MREMAP_MAYMOVE);

	if (base == MAP_FAILED)
		return -ENOTSUP; /* for any errno: qemu-user sets ENOMEM */
	if (mremap((char *)ring + page, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED,
	           base + file) == MAP_FAILED) {
		munmap(base, file + size);
		return -ENOTSUP;
	}
	*ret_header = (struct syc_ring_header *)(void *)base;
	return 0;
}

/* Return whether map_body_again() works for the page at @shared. */
static bool can_map_again(void *shared)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *const again = mremap(shared, 0, page, MREMAP_MAYMOVE);

	if (again == MAP_FAILED)
		return false;
	munmap(again, page);
	return true;
}

static int begin_arena(struct syc_arena *arena, int fd, uint32_t body,
                       uint32_t n_slots)
{
	arena->page = (uint32_t)sysconf(_SC_PAGESIZE);
	arena->body = body;
	arena->n_slots = n_slots;
	arena->base = NULL;
	arena->populates = false;
	if (body < SYC_ARENA_BODY_MIN || body > SYC_ARENA_BODY_MAX ||
	    body % arena->page != 0)
		return -EINVAL;
	return map_slots(arena, fd);
}

int syc_arena_create(struct syc_arena *arena, int fd, uint32_t body,
                     int32_t pid)
{
	int r = begin_arena(arena, fd, body, SYC_RING_FILE_SLOTS);

	if (r == 0)
		r = populate_front(arena, fd);
	if (r == 0 && fd < 0 && !can_map_again(syc_arena_head(arena)))
		r = -ENOTSUP;
	if (r != 0) {
		syc_arena_destroy(arena);
		return r;
	}
	syc_arena_ring(arena, 0)->offset = arena->page;
	syc_arena_ring(arena, 0)->size = arena->body;
	syc_arena_head(arena)->reader = syc_slot_word(pid, SYC_ARENA_DRAINED);
	syc_arena_head(arena)->n_used = 1;
	__atomic_store_n(syc_arena_word(arena, 0),
	                 syc_slot_word(pid, SYC_SLOT_LIVE), __ATOMIC_RELEASE);
	return 0;
}

static uint32_t slots_for_other(uint32_t body)
{
	const uint64_t n =
		ADDRESSES_FOR_OTHER / ((uint64_t)sysconf(_SC_PAGESIZE) + body);

	return n < SLOTS_WANTED          ? SLOTS_WANTED
	       : n > SYC_RING_FILE_SLOTS ? SYC_RING_FILE_SLOTS
	                                 : (uint32_t)n;
}

int syc_arena_create_for_other(struct syc_arena *arena, int fd, uint32_t body)
{
	int r = begin_arena(arena, fd, body, slots_for_other(body));

	if (r == 0 && !can_map_again(syc_arena_head(arena)))
		r = -ENOTSUP;
	if (r != 0)
		syc_arena_destroy(arena);
	return r;
}

/* Map slot @i for the caller. */
static int open_slot(const struct syc_arena *arena, uint32_t i, int fd,
                     struct syc_ring_header **ret_ring)
{
	struct syc_ring_header *const ring = syc_arena_ring(arena, i);
	/* Get the pages of the header and the first frames */
	int r = populate(arena, ring, 2 * arena->page);

	if (r != 0)
		return r;
	r = fd >= 0 ? syc_ring_map_at(fd, arena_size(arena, i), arena->body,
	                              ret_ring)
	            : map_body_again(ring, arena->body, ret_ring);
	if (r != 0)
		return r;
	/* Get the same pages also in the mapping that the thread uses from now
	 * on, because its first accesses would fault, too.  A single call takes
	 * less time than two faults */
	madvise(*ret_ring, (size_t)2 * arena->page, MADV_POPULATE_WRITE);
	(*ret_ring)->offset = arena->page;
	(*ret_ring)->size = arena->body;
	return 0;
}

int syc_arena_claim(const struct syc_arena *arena, int fd, int32_t pid,
                    struct syc_slot *ret_slot)
{
	for (uint32_t i = 1; i < arena->n_slots; i++) {
		uint32_t *const word = syc_arena_word(arena, i);
		uint32_t is = __atomic_load_n(word, __ATOMIC_RELAXED);

		if (is != SYC_SLOT_FREE ||
		    !__atomic_compare_exchange_n(
			    word, &is, syc_slot_word(pid, SYC_SLOT_BUSY), false,
			    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			continue;
		int r = syc_arena_open(arena, i + 1);
		if (r == 0) {
			note_used(arena, i + 1);
			r = open_slot(arena, i, fd, &ret_slot->ring);
		}
		if (r != 0) {
			__atomic_store_n(word, SYC_SLOT_FREE, __ATOMIC_RELEASE);
			return r;
		}
		ret_slot->word = word;
		ret_slot->size = arena->body;
		return 0;
	}
	return -EMFILE;
}

void syc_arena_unclaim(const struct syc_slot *slot)
{
	syc_ring_unmap(slot->ring, slot->size);
	__atomic_store_n(slot->word, SYC_SLOT_FREE, __ATOMIC_RELEASE);
}

void syc_arena_forget(struct syc_arena *arena)
{
	const uint32_t front = syc_ring_file_front(arena->page);

	if (arena->base == NULL)
		return;
	mmap(arena->base, front, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	munmap(arena->base + front, arena->size - front);
	arena->base = NULL;
}

void syc_arena_destroy(struct syc_arena *arena)
{
	if (arena->base != NULL)
		munmap(arena->base, arena->size);
	arena->base = NULL;
}
