/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_next.c - the functions behind ours. */
#define _GNU_SOURCE
#include "preload/memory_next.h"

#include <dlfcn.h>
#include <stdint.h>

#define NAME(name) #name,
static const char *const names[] = { SYC_MEMORY_FUNCTIONS(NAME) };

uintptr_t syc_memory_known[SYC_MEMORY_N_FUNCTIONS]; /* 0: not looked for */
_Alignas(4096) unsigned char syc_memory_early_blocks[SYC_MEMORY_EARLY];
static size_t early_used;
/* Volatile: dlsym() is said to call nothing of ours, and frees the text of an
 * error before it does anything else. */
static _Thread_local volatile bool is_looking
	__attribute__((tls_model("initial-exec")));

static uintptr_t look_up(enum syc_memory_function function)
{
	uintptr_t address;

	if (is_looking)
		return SYC_MEMORY_NONE;
	is_looking = true;
	address = (uintptr_t)dlsym(RTLD_NEXT, names[function]);
	is_looking = false;
	if (address == 0)
		address = SYC_MEMORY_NONE;
	__atomic_store_n(&syc_memory_known[function], address,
	                 __ATOMIC_RELAXED);
	return address;
}

void *syc_memory_next(enum syc_memory_function function)
{
	uintptr_t address =
		__atomic_load_n(&syc_memory_known[function], __ATOMIC_RELAXED);

	if (__builtin_expect(address == 0, 0))
		address = look_up(function);
	return address == SYC_MEMORY_NONE ? NULL : (void *)address;
}

/* Now: a handler, and a child of a threaded process, are no place for it.  And
 * before the first tick, as in io_call.c. */
__attribute__((constructor(101))) static void look_up_all(void)
{
	for (int i = 0; i < SYC_MEMORY_N_FUNCTIONS; i++)
		syc_memory_next((enum syc_memory_function)i);
}

void *syc_memory_early(size_t size, size_t alignment)
{
	size_t used = __atomic_load_n(&early_used, __ATOMIC_RELAXED), at;

	if (alignment < 16)
		alignment = 16;
	do {
		at = (used + alignment - 1) / alignment * alignment;
		if (alignment > 4096 || at > SYC_MEMORY_EARLY ||
		    size > SYC_MEMORY_EARLY - at)
			return NULL;
	} while (!__atomic_compare_exchange_n(&early_used, &used, at + size,
	                                      false, __ATOMIC_RELAXED,
	                                      __ATOMIC_RELAXED));
	return syc_memory_early_blocks + at;
}

size_t syc_memory_early_size(const void *block)
{
	return (size_t)(syc_memory_early_blocks + SYC_MEMORY_EARLY -
	                (const unsigned char *)block);
}
