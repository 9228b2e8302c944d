/* SPDX-License-Identifier: BSD-2-Clause */
/* syscalls.c - the kernel's clocks, and waits for a change of a word. */
#define _GNU_SOURCE
#include "os/syscalls.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
/* since Linux 5.16 */
#define FLAG_32 2u

#if defined(__x86_64__)
#define NAME "__vdso_clock_gettime"
#else
#define NAME "__kernel_clock_gettime"
#endif

/* Value of the function's address if the vDSO has no such function */
#define SYSTEM_CALL 1u

typedef long read_clock(clockid_t id, struct timespec *time);

/* The kernel's linker scripts put the names after the symbols; in any other
 * vDSO the search finds nothing.  Addresses in the vDSO are offsets from its
 * start. */
static __attribute__((cold, noinline)) uintptr_t find_reader(void)
{
	const uintptr_t base = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
	uintptr_t symbols = 0, names = 0;

	if (base == 0)
		return SYSTEM_CALL;
	const ElfW(Phdr) *segment =
		(const ElfW(Phdr) *)(base + sizeof(ElfW(Ehdr)));
	while (segment->p_type != PT_DYNAMIC)
		segment++;
	for (const ElfW(Dyn) *entry =
	             (const ElfW(Dyn) *)(base + segment->p_offset);
	     entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			symbols = base + entry->d_un.d_ptr;
		if (entry->d_tag == DT_STRTAB)
			names = base + entry->d_un.d_ptr;
	}
	for (; symbols < names; symbols += sizeof(ElfW(Sym))) {
		const ElfW(Sym) *const symbol = (const ElfW(Sym) *)symbols;

		if (strcmp((const char *)names + symbol->st_name, NAME) == 0)
			return base + symbol->st_value;
	}
	return SYSTEM_CALL;
}

int64_t syc_kernel_clock(clockid_t id)
{
	static uintptr_t reader; /* relaxed: all threads find the same
	                          * address */
	struct timespec time = { 0 };
	uintptr_t found = __atomic_load_n(&reader, __ATOMIC_RELAXED);
	long r;

	if (__builtin_expect(found == 0, 0)) {
		found = find_reader();
		__atomic_store_n(&reader, found, __ATOMIC_RELAXED);
	}
	if (__builtin_expect(found != SYSTEM_CALL, 1))
		r = ((read_clock *)found)(id, &time);
	else
		r = syc_raw_syscall(SYS_clock_gettime, id,
		                    (long)(intptr_t)&time, 0, 0, 0, 0);
	return r == 0 ? time.tv_sec * INT64_C(1000000000) + time.tv_nsec : 0;
}

void syc_futex_wait(uint32_t *word, uint32_t value, int64_t ns)
{
	const struct timespec timeout = { .tv_sec = ns / 1000000000,
		                          .tv_nsec = ns % 1000000000 };

	syscall(SYS_futex, word, FUTEX_WAIT, value,
	        ns == INT64_MAX ? NULL : &timeout, NULL, 0);
}

bool syc_futex_wait_either(uint32_t *word, uint32_t value, uint32_t *shared,
                           uint32_t shared_value, int64_t ns)
{
	const struct {
		uint64_t value, word;
		uint32_t flags, unused;
	} words[2] = {
		{ value, (uintptr_t)word, FLAG_32, 0 },
		{ shared_value, (uintptr_t)shared, FLAG_32, 0 },
	};
	const int64_t until = syc_kernel_clock(CLOCK_MONOTONIC) + ns;
	const struct timespec end = { .tv_sec = until / 1000000000,
		                      .tv_nsec = until % 1000000000 };

	return syscall(SYS_futex_waitv, words, 2, 0, &end, CLOCK_MONOTONIC) >=
	               0 ||
	       errno == EAGAIN || errno == ETIMEDOUT || errno == EINTR;
}

void syc_futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void syc_futex_nap(void)
{
	const struct timespec time = { .tv_nsec = 1000000 };

	syscall(SYS_nanosleep, &time, NULL);
}
