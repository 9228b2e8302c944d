/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * io_wrap.h - how a function of ours looks that the program calls in place of
 * the C library's: it calls the next of its name with what it was given,
 * and returns what that returns.
 *
 * They have names of their own in C, so that no header has a say in how they
 * are declared: what headers say is `...` are registers that are passed on.
 */
#ifndef SYC_PRELOAD_IO_WRAP_H
#define SYC_PRELOAD_IO_WRAP_H

#include <errno.h>
#include <fcntl.h>

#include "preload/io.h"

/* Not inlined, whatever calls it: each is one place in the stack. */
#define SYC_IO_EXPORTED __attribute__((visibility("default"), noinline))

#define SYC_IO_NONE ((struct syc_io_what){ .kind = SYC_IO_NOTHING })
#define SYC_IO_OF(number) \
	((struct syc_io_what){ .kind = SYC_IO_FD, .fd = (number) })
#define SYC_IO_AT(folder, name) \
	((struct syc_io_what){  \
		.kind = SYC_IO_PATH, .fd = (folder), .path = (name) })
#define SYC_IO_TWO(folder, name, new_folder, new_name) \
	((struct syc_io_what){ .kind = SYC_IO_PATHS,   \
	                       .fd = (folder),         \
	                       .new_fd = (new_folder), \
	                       .path = (name),         \
	                       .new_path = (new_name) })

/* While the next is being looked for there is none */
static inline long syc_io_missing(void)
{
	errno = ENOSYS;
	return -1;
}

/** One behind ours that ours call for another of the same kind. */
#define SYC_IO_BEHIND(name, params, args)                                \
	static inline int name##_behind params                           \
	{                                                                \
		SYC_IO_CALL(#name);                                      \
		int(*const next) params =                                \
			(int(*) params)syc_io_call_next(&call);          \
                                                                         \
		return next == NULL ? (int)syc_io_missing() : next args; \
	}

/** @when: whether it may block; asked only where somebody wants to know.
 * @without: what it returns where there is none behind it. */
#define SYC_IO_WRAP(ret, name, params, args, without, when, what)      \
	SYC_IO_EXPORTED ret take_##name params __asm__(#name);         \
	SYC_IO_EXPORTED ret take_##name params                         \
	{                                                              \
		SYC_IO_CALL(#name);                                    \
		ret(*const next) params =                              \
			(ret(*) params)syc_io_call_next(&call);        \
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
