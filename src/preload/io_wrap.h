/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * io_wrap.h - wrappers that report calls of blocking functions of the C library
 * (blocking_events.h).  Each wrapper calls the real function (real_call.h) with
 * the same arguments, and returns its result.
 *
 * Context of everything: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_IO_WRAP_H
#define SYC_PRELOAD_IO_WRAP_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/blocking_events.h"
#include "preload/real_call.h"

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

/**
 * @when: the call may block; evaluated only if calls are reported.  @without:
 * the result if there is no real function.
 */
#define SYC_IO_WRAP(ret, name, params, args, without, when, what)      \
	SYC_EXPORTED ret take_##name params __asm__(#name);            \
	SYC_EXPORTED ret take_##name params                            \
	{                                                              \
		SYC_REAL_CALL(#name);                                  \
		ret(*const next) params =                              \
			(ret(*) params)syc_real_call_get(&call);       \
                                                                       \
		if (__builtin_expect(next == NULL, 0))                 \
			return without;                                \
		const int64_t begin =                                  \
			syc_io_is_on() && (when) ? syc_io_begin() : 0; \
		ret const r = next args;                               \
		syc_io_end(&call, begin, what);                        \
		return r;                                              \
	}

#define SYC_IO_INT(name, params, args, what)                                \
	SYC_IO_WRAP(int, name, params, args, (int)syc_real_missing(), true, \
	            what)
#define SYC_IO_SIZE(name, params, args, what) \
	SYC_IO_WRAP(ssize_t, name, params, args, syc_real_missing(), true, what)

/** Record a message to the journal as a LOG frame (logs.c): sendmsg() was called
 * with @message and returned @r.  Context: any-thread, signal-safe. */
void syc_logs_sent(ssize_t r, const void *message);

#endif
