/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * large_pages.c - library for LD_PRELOAD that reports a page size of
 * $SYSCAP_TEST_PAGE bytes to a program, on a kernel with smaller pages.
 *
 * Mappings begin at multiples of this size, and lengths are rounded up.  The
 * program ends by abort() if a kernel with such pages would refuse a call
 * because of an address or an offset.  Calls within the C library and the
 * dynamic linker are not changed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SMALL 4096u

static size_t page_size(void)
{
	static size_t page;

	if (page == 0) {
		const char *const text = getenv("SYSCAP_TEST_PAGE");

		page = text != NULL ? strtoul(text, NULL, 10) : 65536;
	}
	return page;
}

static size_t round_up(size_t size)
{
	return (size + page_size() - 1) & -page_size();
}

static void demand(const char *call, uintmax_t number)
{
	if ((number & (page_size() - 1)) == 0)
		return;
	fprintf(stderr, "large_pages: %s with %#jx\n", call, number);
	abort();
}

/* Returns the start of @size bytes without access.  The caller maps over them,
 * or unmaps them. */
static void *reserve(size_t size)
{
	const size_t most = size + page_size();
	void *const at = (void *)syscall(
		SYS_mmap, NULL, most, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return at;
	const size_t before = (size_t)(-(uintptr_t)at & (page_size() - 1));
	char *const begin = (char *)at + before;

	if (before != 0)
		syscall(SYS_munmap, at, before);
	syscall(SYS_munmap, begin + size, most - before - size);
	return begin;
}

static void *keep(void *reserved, size_t size, void *made)
{
	const int saved = errno;

	if (made == MAP_FAILED)
		syscall(SYS_munmap, reserved, size);
	errno = saved;
	return made;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd,
           off_t offset)
{
	demand("mmap at an offset", (uintmax_t)offset);
	if ((flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0) {
		demand("mmap", (uintptr_t)at);
		return (void *)syscall(SYS_mmap, at, round_up(size), protection,
		                       flags, fd, offset);
	}
	void *const reserved = reserve(round_up(size));
	if (reserved == MAP_FAILED)
		return reserved;
	return keep(reserved, round_up(size),
	            (void *)syscall(SYS_mmap, reserved, round_up(size),
	                            protection, flags | MAP_FIXED, fd, offset));
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd,
             off64_t offset) __attribute__((alias("mmap")));

void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
	va_list args;

	demand("mremap", (uintptr_t)old);
	if ((flags & MREMAP_FIXED) != 0) {
		va_start(args, flags);
		void *const at = va_arg(args, void *);
		va_end(args);
		demand("mremap to", (uintptr_t)at);
		return (void *)syscall(SYS_mremap, old, round_up(old_size),
		                       round_up(size), flags, at);
	}
	if ((flags & MREMAP_MAYMOVE) == 0)
		return (void *)syscall(SYS_mremap, old, round_up(old_size),
		                       round_up(size), flags);
	void *const reserved = reserve(round_up(size));
	if (reserved == MAP_FAILED)
		return reserved;
	return keep(reserved, round_up(size),
	            (void *)syscall(SYS_mremap, old, round_up(old_size),
	                            round_up(size), flags | MREMAP_FIXED,
	                            reserved));
}

int munmap(void *at, size_t size)
{
	demand("munmap", (uintptr_t)at);
	return (int)syscall(SYS_munmap, at, round_up(size));
}

/* Like MADV_POPULATE_WRITE.  The kernel refuses pages beyond the end of a file,
 * but a large page with the end has all its bytes. */
static int populate(char *at, size_t size, int advice)
{
	for (size_t done = 0; done < size; done += page_size()) {
		if (syscall(SYS_madvise, at + done, SMALL, advice) != 0)
			return -1;
		for (size_t n = SMALL; n < page_size(); n += SMALL)
			if (syscall(SYS_madvise, at + done + n, SMALL,
			            advice) != 0)
				break;
	}
	return 0;
}

int madvise(void *at, size_t size, int advice)
{
	demand("madvise", (uintptr_t)at);
	if (advice == MADV_POPULATE_WRITE)
		return populate(at, round_up(size), advice);
	return (int)syscall(SYS_madvise, at, round_up(size), advice);
}

int mprotect(void *at, size_t size, int protection)
{
	demand("mprotect", (uintptr_t)at);
	return (int)syscall(SYS_mprotect, at, round_up(size), protection);
}

/* The rest of sysconf(), which this library replaces */
long __sysconf(int name);

long sysconf(int name)
{
	return name == _SC_PAGESIZE ? (long)page_size() : __sysconf(name);
}

int getpagesize(void)
{
	return (int)page_size();
}

unsigned long __getauxval(unsigned long type);

unsigned long getauxval(unsigned long type)
{
	return type == AT_PAGESZ ? page_size() : __getauxval(type);
}
