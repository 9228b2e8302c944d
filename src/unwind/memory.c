/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.c - reader of memory that may be unmapped.  All functions are
 * signal-safe. */
#define _GNU_SOURCE
#include "unwind/memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "os/seccomp_state.h"
#include "os/syscalls.h"

#define PAGE_OF(at) ((at) & ~(uintptr_t)(SYC_MEMORY_PAGE - 1))
#define ASKED_MOST  16u /* number of pages in one check */

enum {
	WAY_KNOWN = 1, /* the other bits are known */
	WAY_COPY = 2,  /* process_vm_readv() may be called, and works */
	WAY_PROBE = 4, /* rt_sigprocmask() works */
};

/* Ways of checking memory, determined by the first caller. */
static _Atomic unsigned ways;

static long copy_by_kernel(void *to, uintptr_t from, size_t n)
{
	const struct iovec here = { .iov_base = to, .iov_len = n };
	const struct iovec there = { .iov_base = (void *)from, .iov_len = n };
	const long pid = syc_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);

	return syc_raw_syscall(SYS_process_vm_readv, pid, (long)&here, 1,
	                       (long)&there, 1, 0);
}

static bool probe_page(uintptr_t at)
{
	/* For the kernel, NULL means no set */
	return at >= SYC_MEMORY_PAGE &&
	       syc_raw_syscall(SYS_rt_sigprocmask, ~0, (long)at, 0, 8, 0, 0) ==
	               -EINVAL;
}

static bool is_unfiltered(void)
{
	return !syc_seccomp_has_filter() &&
	       syc_raw_syscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0) == 0;
}

void syc_memory_prepare(void)
{
	const uintptr_t word = 1;
	uintptr_t copy = 0;
	unsigned found = WAY_KNOWN;

	/* No program maps the last page of the address space */
	if (probe_page((uintptr_t)&word) && !probe_page(~(uintptr_t)0xfff))
		found |= WAY_PROBE;
	else if (is_unfiltered() &&
	         copy_by_kernel(&copy, (uintptr_t)&word, sizeof(copy)) ==
	                 sizeof(copy) &&
	         copy == word &&
	         copy_by_kernel(&copy, ~(uintptr_t)0xfff, sizeof(copy)) < 0)
		found |= WAY_COPY;
	atomic_store_explicit(&ways, found, memory_order_relaxed);
}

static unsigned get_ways(void)
{
	/* Relaxed order suffices, because the word publishes no other data */
	if (atomic_load_explicit(&ways, memory_order_relaxed) == 0)
		syc_memory_prepare();
	const unsigned found =
		atomic_load_explicit(&ways, memory_order_relaxed);

	return syc_seccomp_has_filter() ? found & ~(unsigned)WAY_COPY : found;
}

static bool page_readable(uintptr_t at)
{
	const unsigned now = get_ways();
	uintptr_t word;

	if ((now & WAY_PROBE) != 0)
		return probe_page(at & ~(uintptr_t)7);
	return (now & WAY_COPY) != 0 && at >= SYC_MEMORY_PAGE &&
	       copy_by_kernel(&word, at & ~(uintptr_t)7, sizeof(word)) ==
	               sizeof(word);
}

bool syc_memory_readable(uintptr_t at, size_t n)
{
	if (n == 0)
		return true;
	if (at + (n - 1) < at)
		return false;
	for (uintptr_t page = PAGE_OF(at);; page += SYC_MEMORY_PAGE) {
		if (!page_readable(page > at ? page : at))
			return false;
		if (page == PAGE_OF(at + (n - 1)))
			return true;
	}
}

/* Copy from a checked page, which another thread may unmap within some
 * nanoseconds. */
static __attribute__((noinline)) void copy_words(unsigned char *to,
                                                 uintptr_t from, size_t n)
{
	/*
	 * Load whole words, each in one page, and drop excess bytes.
	 */
	while (n > 0) {
		const uintptr_t last = sizeof(uintptr_t) - 1;
		unsigned skip = from & last;
		const uintptr_t word = syc_machine_load(from - skip);

		do
			*to++ = ((const unsigned char *)&word)[skip++];
		while (--n > 0 && skip < sizeof(word));
		from = (from | last) + 1;
	}
}

size_t syc_memory_copy(void *to, uintptr_t from, size_t n)
{
	const unsigned now = get_ways();

	if (from + n < from)
		return 0;
	if ((now & WAY_COPY) != 0) {
		const long r = copy_by_kernel(to, from, n);

		return r > 0 ? (size_t)r : 0;
	}
	const size_t in_page = SYC_MEMORY_PAGE - (from & (SYC_MEMORY_PAGE - 1));
	size_t part = n < in_page ? n : in_page;

	if (!syc_memory_readable(from, part))
		return 0;
	if (part < n && syc_memory_readable(from + part, n - part))
		part = n;
	copy_words(to, from, part);
	return part;
}

size_t syc_memory_copy_in_page(void *to, uintptr_t from, size_t n,
                               struct syc_memory_pages *pages)
{
	const uintptr_t page = PAGE_OF(from) + 1; /* 0 is not a page */
	uintptr_t *const known =
		&pages->known[from / SYC_MEMORY_PAGE % SYC_MEMORY_PAGES];

	if (*known != page) {
		if ((get_ways() & WAY_COPY) != 0)
			return syc_memory_copy(to, from, n);
		if (!page_readable(from))
			return 0;
		*known = page;
	}
	copy_words(to, from, n);
	return n;
}

/*
 * Return whether the memory between the readable page @page and the floor is
 * readable, too.  A stack is one mapping, but its reported bounds may contain
 * more mappings.  Below a growing stack the addresses are unmapped, or another
 * mapping begins.  A mapping may have been split since its bounds were read.
 */
static bool reaches_floor(const struct syc_memory *stacks, uintptr_t page)
{
	const uintptr_t end = PAGE_OF(stacks->floor + SYC_MEMORY_PAGE - 1);

	page += SYC_MEMORY_PAGE;
	return page >= end || (end - page <= ASKED_MOST * SYC_MEMORY_PAGE &&
	                       syc_memory_readable(page, end - page));
}

bool syc_memory_check(struct syc_memory *stacks, uintptr_t at)
{
	const uintptr_t last = at + sizeof(uintptr_t) - 1;
	const uintptr_t page = PAGE_OF(at);

	if (last < at)
		return false;
	if (at >= stacks->seen_low && last < stacks->seen_high)
		return true;
	if (!syc_memory_readable(at, sizeof(uintptr_t)))
		return false;
	if (at >= stacks->low && last < stacks->high &&
	    reaches_floor(stacks, page)) {
		if (page < stacks->floor)
			stacks->floor = page > stacks->low ? page : stacks->low;
		return true;
	}
	if (page > stacks->seen_high || at < stacks->seen_low)
		stacks->seen_low = page;
	stacks->seen_high = PAGE_OF(last) + SYC_MEMORY_PAGE;
	return true;
}
