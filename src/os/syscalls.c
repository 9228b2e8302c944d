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

/* Value of `reader` if the vDSO has no such function */
#define SYSTEM_CALL 1u

/* The kernel's struct of times with 64 bits, on all machines */
struct kernel_time {
	int64_t sec, nsec;
};

typedef long read_clock(clockid_t id, struct kernel_time *time);

/* The kernel's linker scripts put the names after the symbols.  In any other
 * vDSO the search finds nothing.  Addresses in the vDSO are offsets from its
 * start. */
static __attribute__((cold, noinline)) uintptr_t find_reader(void)
{
	const int saved = errno;
	const uintptr_t base = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
	uintptr_t symbols = 0, names = 0;

	errno = saved; /* ENOENT: there is no vDSO */
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

		if (strcmp((const char *)names + symbol->st_name,
		           SYC_VDSO_CLOCK) == 0)
			return base + symbol->st_value;
	}
	return SYSTEM_CALL;
}

static int64_t ns_of(long r, const struct kernel_time *time)
{
	return r == 0 ? time->sec * INT64_C(1000000000) + time->nsec : 0;
}

int64_t syc_kernel_clock_call(clockid_t id)
{
	struct kernel_time time = { 0 };

	return ns_of(syc_raw_syscall(SYC_SYS_CLOCK, id, (long)(intptr_t)&time,
	                             0, 0, 0, 0),
	             &time);
}

int64_t syc_kernel_clock(clockid_t id)
{
	static uintptr_t reader; /* relaxed: all threads find the same
	                          * address */
	struct kernel_time time = { 0 };
	uintptr_t found = __atomic_load_n(&reader, __ATOMIC_RELAXED);

	if (__builtin_expect(found == 0, 0)) {
		found = find_reader();
		__atomic_store_n(&reader, found, __ATOMIC_RELAXED);
	}
	if (__builtin_expect(found == SYSTEM_CALL, 0))
		return syc_kernel_clock_call(id);
	return ns_of(((read_clock *)found)(id, &time), &time);
}

void syc_futex_wait(uint32_t *word, uint32_t value, int64_t ns)
{
	const struct kernel_time timeout = { .sec = ns / 1000000000,
		                             .nsec = ns % 1000000000 };

	syscall(SYC_SYS_FUTEX, word, FUTEX_WAIT, value,
	        ns == INT64_MAX ? NULL : &timeout, NULL, 0);
}

void syc_futex_wake(uint32_t *word)
{
	syscall(SYC_SYS_FUTEX, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void syc_futex_nap(void)
{
	uint32_t nobody = 0;

	syc_futex_wait(&nobody, 0, 1000000);
}
