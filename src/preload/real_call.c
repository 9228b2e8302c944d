/* SPDX-License-Identifier: BSD-2-Clause */
/* real_call.c - lookup of the C library's functions that this library wraps. */
#define _GNU_SOURCE
#include "preload/real_call.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#define NONE ((uintptr_t)1)

/* Begin and end of the section, set by the linker */
extern struct syc_real_call calls_begin[] __asm__("__start_syc_real_calls")
	__attribute__((visibility("hidden")));
extern struct syc_real_call calls_end[] __asm__("__stop_syc_real_calls")
	__attribute__((visibility("hidden")));

/*
 * dlsym() may allocate, and a preloaded allocator may then read its settings.
 * During the lookup the allocator finds no settings.
 */
static _Thread_local volatile bool is_looking
	__attribute__((tls_model("initial-exec")));

/* Not inlined, because each bypass below would contain this code. */
__attribute__((noinline)) uintptr_t
syc_real_call_look_up(struct syc_real_call *call)
{
	uintptr_t next;

	if (is_looking)
		return 0;
	is_looking = true;
	next = (uintptr_t)dlsym(RTLD_NEXT, call->name);
	is_looking = false;
	__atomic_store_n(&call->next, next != 0 ? next : NONE,
	                 __ATOMIC_RELAXED);
	return next;
}

/*
 * Look all calls up. Runs first, because a tick that interrupts a lookup does
 * not find later functions.
 */
__attribute__((constructor(101))) static void look_up_calls(void)
{
	for (struct syc_real_call *call = calls_begin; call < calls_end; call++)
		syc_real_call_get(call);
}
