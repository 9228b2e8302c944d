/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * io.h - the role "io" of the preloaded library: calls that block, with how
 * long, of what, and the stack (docs/collectors.md).
 *
 * A call that is shorter than the threshold costs two looks at the clock, and
 * leaves nothing.  Nothing here allocates or locks, errno stays what the call
 * made it.  No state is kept over a call: it may be left by a jump, or end its thread.
 *
 * Context of everything: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_IO_H
#define SYC_PRELOAD_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap.h>

#include "os/seccomp_state.h"
#include "preload/io_call.h"

/** What a call is about. */
struct syc_io_what {
	enum {
		SYC_IO_NOTHING,
		SYC_IO_PATH,
		SYC_IO_PATHS,
		SYC_IO_FD
	} kind;
	int fd;     /* of FD; the folder of PATH, or AT_FDCWD */
	int new_fd; /* of PATHS */
	const char *path, *new_path;
};

#define SYC_IO_OFF INT64_MAX

struct syc_io_settings {
	int64_t threshold; /* ns; 0: we are not initialised yet */
	bool has_waits;    /* poll() and the like, too */
};

extern struct syc_io_settings syc_io_now;

static inline bool syc_io_is_on(void)
{
	const int64_t threshold =
		__atomic_load_n(&syc_io_now.threshold, __ATOMIC_RELAXED);

	return threshold != 0 && threshold != SYC_IO_OFF &&
	       !syc_seccomp_is_closed();
}

/** The time; 0: nobody wants to know. */
static inline int64_t syc_io_begin(void)
{
	return syc_io_is_on() && syscap_is_active() ? syscap_clock() : 0;
}

/** To be called by the function that the program called.  The stack begins with
 * the one behind it. */
void syc_io_tell(const struct syc_io_call *call, int64_t begin,
                 int64_t duration, const struct syc_io_what *what);

static inline __attribute__((always_inline)) void
syc_io_end(const struct syc_io_call *call, int64_t begin,
           struct syc_io_what what)
{
	if (begin == 0)
		return;
	const int64_t duration = syscap_clock() - begin;
	if (__builtin_expect(duration >= __atomic_load_n(&syc_io_now.threshold,
	                                                 __ATOMIC_RELAXED),
	                     0))
		syc_io_tell(call, begin, duration, &what);
}

#endif
