/* SPDX-License-Identifier: BSD-2-Clause */
/* io_call.c - the functions behind ours. */
#define _GNU_SOURCE
#include "preload/io_call.h"

#include <dlfcn.h>
#include <stdbool.h>

#define NONE ((uintptr_t)1)

/* Where the linker says that the section begins and ends */
extern struct syc_io_call calls_begin[] __asm__("__start_syc_io_calls")
	__attribute__((visibility("hidden")));
extern struct syc_io_call calls_end[] __asm__("__stop_syc_io_calls")
	__attribute__((visibility("hidden")));

/* dlsym() may allocate, and an allocator that is preloaded may read its
 * settings then: it does not find any. */
static _Thread_local volatile bool is_looking
	__attribute__((tls_model("initial-exec")));

uintptr_t syc_io_call_look_up(struct syc_io_call *call)
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

/* First of all: a tick that interrupts a look-up finds none of those to come. */
__attribute__((constructor(101))) static void look_up_calls(void)
{
	for (struct syc_io_call *call = calls_begin; call < calls_end; call++)
		syc_io_call_next(call);
}
