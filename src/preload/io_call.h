/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * io_call.h - a function of the C library that we stand in front of, and the
 * one behind ours.
 *
 * All are in one section, and looked up when we are initialised: a handler, and
 * a child of a threaded process, are no place for dlsym().
 *
 * Context of everything: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_IO_CALL_H
#define SYC_PRELOAD_IO_CALL_H

#include <stdint.h>

struct syc_io_call {
	const char *name;
	uintptr_t next; /* 0: not looked for */
};

#define SYC_IO_CALL(text)                                          \
	static struct syc_io_call call                             \
		__attribute__((section("syc_io_calls"), used)) = { \
			.name = (text),                            \
		}

/** 0: there is none, or it is being looked for. */
uintptr_t syc_io_call_look_up(struct syc_io_call *call);

static inline uintptr_t syc_io_call_next(struct syc_io_call *call)
{
	const uintptr_t next = __atomic_load_n(&call->next, __ATOMIC_RELAXED);

	if (__builtin_expect(next <= 1, 0))
		return next == 0 ? syc_io_call_look_up(call) : 0;
	return next;
}

/** The same, but never looks for it. */
static inline uintptr_t syc_io_call_known(const struct syc_io_call *call)
{
	const uintptr_t next = __atomic_load_n(&call->next, __ATOMIC_RELAXED);

	return next > 1 ? next : 0;
}

#endif
