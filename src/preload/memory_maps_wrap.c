/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_maps_wrap.c - mmap(), munmap() and mremap(), which the program calls
 * in place of the C library's functions.  If mappings are not followed, each of
 * the functions is a jump.
 *
 * Only anonymous memory is reported, without addresses without access
 * (PROT_NONE) and without the allocator's mappings, whose blocks are reported.
 *
 * Allocators call these functions during initialisation.  So before the lookup
 * of the real functions, each function makes the system call and sets errno, as
 * the C library does.  The library's own calls are always system calls
 * (--wrap).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap.h>

#include "os/syscalls.h"
#include "preload/blocking_events.h"
#include "preload/memory.h"

void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd,
                  off_t offset);
int __wrap_munmap(void *at, size_t size);
void *__wrap_mremap(void *old, size_t old_size, size_t size, int flags,
                    void *at);

static long return_errno(long r)
{
	if ((unsigned long)r <= -4096UL)
		return r;
	errno = (int)-r;
	return -1;
}

void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd,
                  off_t offset)
{
	return (void *)return_errno(syc_raw_syscall(
		SYS_mmap, (long)at, (long)size, prot, flags, fd, offset));
}

int __wrap_munmap(void *at, size_t size)
{
	return (int)return_errno(
		syc_raw_syscall(SYS_munmap, (long)at, (long)size, 0, 0, 0, 0));
}

void *__wrap_mremap(void *old, size_t old_size, size_t size, int flags,
                    void *at)
{
	return (void *)return_errno(syc_raw_syscall(SYS_mremap, (long)old,
	                                            (long)old_size, (long)size,
	                                            flags, (long)at, 0));
}

/* ------------------------------------------------------------------ */

/* Code bounds of the real allocator, or 0 if unknown. */
static uintptr_t allocator_begin, allocator_end;

static int find_allocator(struct dl_phdr_info *object, size_t size, void *code)
{
	uintptr_t begin = UINTPTR_MAX, end = 0;

	(void)size;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *const part = &object->dlpi_phdr[i];
		const uintptr_t at = object->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD)
			continue;
		begin = at < begin ? at : begin;
		end = at + part->p_memsz > end ? at + part->p_memsz : end;
	}
	if ((uintptr_t)code < begin || (uintptr_t)code >= end)
		return 0;
	allocator_begin = begin;
	__atomic_store_n(&allocator_end, end, __ATOMIC_RELEASE);
	return 1;
}

__attribute__((constructor)) static void look_for_allocator(void)
{
	void *const code = syc_malloc_real();

	if (code != NULL)
		dl_iterate_phdr(find_allocator, code);
}

static inline bool are_followed(void)
{
	return syc_memory_maps_are_on() && syc_memory_is_on() &&
	       __atomic_load_n(&allocator_end, __ATOMIC_ACQUIRE) != 0;
}

static bool is_allocator(const struct syc_memory_change *change)
{
	return change->caller.pc - allocator_begin <
	       allocator_end - allocator_begin;
}

/* State before a change, for the target of a jump from the function that the
 * program calls. */
#define BEFORE()                        \
	((struct syc_memory_change){    \
		.caller = SYC_CALLER(), \
		.time = syscap_clock(), \
	})

/* ------------------------------------------------------------------ */

#define FOLLOWED(name)                                                 \
	static inline __typeof__(&__wrap_##name) next_##name(void)     \
	{                                                              \
		SYC_REAL_CALL(#name);                                  \
		const uintptr_t next =                                 \
			__atomic_load_n(&call.next, __ATOMIC_RELAXED); \
                                                                       \
		return next > 1 ? (__typeof__(&__wrap_##name))next     \
		                : __wrap_##name;                       \
	}

FOLLOWED(mmap)
FOLLOWED(munmap)
FOLLOWED(mremap)

static __attribute__((noinline)) void *map_seen(void *at, size_t size, int prot,
                                                int flags, int fd, off_t offset)
{
	const struct syc_memory_change change = BEFORE();
	void *const r = next_mmap()(at, size, prot, flags, fd, offset);

	if (r != MAP_FAILED)
		syc_memory_mapped(syc_memory_maps_round(r, size),
		                  (flags & MAP_ANONYMOUS) != 0 &&
		                          prot != PROT_NONE &&
		                          !is_allocator(&change),
		                  &change);
	return r;
}

/* Return whether the call covers whole pages.  Other calls fail, and must not
 * remove neighbouring mappings. */
static bool is_whole_pages(const void *at)
{
	return ((uintptr_t)at & ((uintptr_t)sysconf(_SC_PAGESIZE) - 1)) == 0;
}

static __attribute__((noinline)) int unmap_seen(void *at, size_t size)
{
	struct syc_memory_change change = BEFORE();

	if (is_whole_pages(at))
		syc_memory_change_begin(&change,
		                        syc_memory_maps_round(at, size));
	const int r = next_munmap()(at, size);
	syc_memory_change_end(&change, r == 0);
	return r;
}

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

static __attribute__((noinline)) void *
move_seen(void *old, size_t old_size, size_t size, int flags, void *at)
{
	struct syc_memory_change change = BEFORE();
	const bool was_reported = syc_memory_maps_has(old);

	if ((flags & MREMAP_DONTUNMAP) == 0 && is_whole_pages(old))
		syc_memory_change_begin(&change,
		                        syc_memory_maps_round(old, old_size));
	void *const r = next_mremap()(old, old_size, size, flags, at);
	syc_memory_change_end(&change, r != MAP_FAILED);
	if (r != MAP_FAILED)
		syc_memory_mapped(syc_memory_maps_round(r, size), was_reported,
		                  &change);
	return r;
}

#define EXPORTED __attribute__((visibility("default"), noinline))

EXPORTED void *take_mmap(void *at, size_t size, int prot, int flags, int fd,
                         off_t offset) __asm__("mmap");
EXPORTED void *take_mmap64(void *at, size_t size, int prot, int flags, int fd,
                           off_t offset) __asm__("mmap64");
EXPORTED int take_munmap(void *at, size_t size) __asm__("munmap");
EXPORTED void *take_mremap(void *old, size_t old_size, size_t size, int flags,
                           void *at) __asm__("mremap");

EXPORTED void *take_mmap(void *at, size_t size, int prot, int flags, int fd,
                         off_t offset)
{
	return are_followed() ? map_seen(at, size, prot, flags, fd, offset)
	                      : next_mmap()(at, size, prot, flags, fd, offset);
}

EXPORTED void *take_mmap64(void *at, size_t size, int prot, int flags, int fd,
                           off_t offset)
{
	return are_followed() ? map_seen(at, size, prot, flags, fd, offset)
	                      : next_mmap()(at, size, prot, flags, fd, offset);
}

EXPORTED int take_munmap(void *at, size_t size)
{
	return are_followed() ? unmap_seen(at, size) : next_munmap()(at, size);
}

/*
 * The header of mremap() declares `...` before the last argument.  A missing
 * last argument is not used.
 */
EXPORTED void *take_mremap(void *old, size_t old_size, size_t size, int flags,
                           void *at)
{
	return are_followed() ? move_seen(old, old_size, size, flags, at)
	                      : next_mremap()(old, old_size, size, flags, at);
}
