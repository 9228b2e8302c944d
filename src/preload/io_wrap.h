/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * io_wrap.h - functions that the program calls in place of the C library's.
 * Each calls the next function of its name with the same arguments, and returns
 * its result.
 *
 * They have other names in C, so that declarations in headers do not matter.
 * If a header declares `...`, the registers are passed on.
 *
 * All real functions are in one section, and looked up at initialisation:
 * handlers, and children of threaded processes, must not call dlsym().
 *
 * Context of everything: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_IO_WRAP_H
#define SYC_PRELOAD_IO_WRAP_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>

#include "preload/blocking_events.h"

struct syc_io_call {
	const char *name;
	uintptr_t next; /* 0: not looked up yet */
};

#define SYC_IO_CALL(text)                                          \
	static struct syc_io_call call                             \
		__attribute__((section("syc_io_calls"), used)) = { \
			.name = (text),                            \
		}

/** Look @call up.  0: there is none, or it is being looked up. */
uintptr_t syc_io_call_look_up(struct syc_io_call *call);

static inline uintptr_t syc_io_call_real(struct syc_io_call *call)
{
	const uintptr_t next = __atomic_load_n(&call->next, __ATOMIC_RELAXED);

	if (__builtin_expect(next <= 1, 0))
		return next == 0 ? syc_io_call_look_up(call) : 0;
	return next;
}

/** The real function if it was looked up, or 0. */
static inline uintptr_t syc_io_call_known(const struct syc_io_call *call)
{
	const uintptr_t next = __atomic_load_n(&call->next, __ATOMIC_RELAXED);

	return next > 1 ? next : 0;
}

/* Not inlined: each is one frame of the stack. */
#define SYC_IO_EXPORTED __attribute__((visibility("default"), noinline))

#define SYC_IO_NONE ((struct syc_io_subject){ .kind = SYC_IO_NOTHING })
#define SYC_IO_OF(number) \
	((struct syc_io_subject){ .kind = SYC_IO_FD, .fd = (number) })
#define SYC_IO_AT(folder, name)   \
	((struct syc_io_subject){ \
		.kind = SYC_IO_PATH, .fd = (folder), .path = (name) })
#define SYC_IO_TWO(folder, name, new_folder, new_name)    \
	((struct syc_io_subject){ .kind = SYC_IO_PATHS,   \
	                          .fd = (folder),         \
	                          .new_fd = (new_folder), \
	                          .path = (name),         \
	                          .new_path = (new_name) })

/* There is no real function during the lookup */
static inline long syc_io_missing(void)
{
	errno = ENOSYS;
	return -1;
}

/** A real function that wrappers of similar functions call. */
#define SYC_IO_REAL(name, params, args)                                  \
	static inline int name##_real params                             \
	{                                                                \
		SYC_IO_CALL(#name);                                      \
		int(*const next) params =                                \
			(int(*) params)syc_io_call_real(&call);          \
                                                                         \
		return next == NULL ? (int)syc_io_missing() : next args; \
	}

/**
 * @when: the call may block; evaluated only if calls are reported.  @without:
 * the result if there is no real function.
 */
#define SYC_IO_WRAP(ret, name, params, args, without, when, what)      \
	SYC_IO_EXPORTED ret take_##name params __asm__(#name);         \
	SYC_IO_EXPORTED ret take_##name params                         \
	{                                                              \
		SYC_IO_CALL(#name);                                    \
		ret(*const next) params =                              \
			(ret(*) params)syc_io_call_real(&call);        \
                                                                       \
		if (__builtin_expect(next == NULL, 0))                 \
			return without;                                \
		const int64_t begin =                                  \
			syc_io_is_on() && (when) ? syc_io_begin() : 0; \
		ret const r = next args;                               \
		syc_io_end(&call, begin, what);                        \
		return r;                                              \
	}

#define SYC_IO_INT(name, params, args, what) \
	SYC_IO_WRAP(int, name, params, args, (int)syc_io_missing(), true, what)
#define SYC_IO_SIZE(name, params, args, what) \
	SYC_IO_WRAP(ssize_t, name, params, args, syc_io_missing(), true, what)

#endif
