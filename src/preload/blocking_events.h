/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocking_events.h - the role "io" of the preloaded library: calls that block,
 * with duration, subject and stack (docs/collectors.md).  The roles "stalls"
 * and "memory" use some functions, too.
 *
 * A call that is shorter than the threshold reads the clock twice, and writes
 * nothing.  No function here allocates or locks, or changes the errno of the
 * call.  The library keeps no state during a call, because a jump may leave the
 * call, or the call may end its thread.
 *
 * Context of all functions: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_BLOCKING_EVENTS_H
#define SYC_PRELOAD_BLOCKING_EVENTS_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <syscap.h>

#include "os/seccomp_state.h"
#include "preload/real_call.h"

/** Greatest number of addresses in a stack, from the innermost on. */
#define SYC_BLOCKED_DEPTH 256u

/** Return whether the calling thread is the main thread. */
bool syc_own_thread_is_main(void);

/** Return whether a handler runs, or may run, on its alternate stack. */
bool syc_own_stack_is_alternate(void);

/** Return whether a walk fits on the stack, as opposed to a handler's small
 * alternate stack. */
bool syc_own_stack_has_space(void);

/**
 * Remove the library's frames from the @n frames of a stack.  Returns the
 * number of the remaining frames.
 */
unsigned syc_own_code_remove(uint64_t *addrs, unsigned n);

/** Return the value of padding2 for a SAMPLE that represents @ns.  @tag is
 * SYSCAP_BLOCKED_TAG or SYSCAP_STALLED_TAG. */
uint32_t syc_sample_wait_tag(uint32_t tag, int64_t ns);

/** Subject of a call: a path, two paths, or an fd. */
struct syc_io_subject {
	enum {
		SYC_IO_NOTHING,
		SYC_IO_PATH,
		SYC_IO_PATHS,
		SYC_IO_FD
	} kind;
	int fd;     /* fd of FD; directory of PATH, or AT_FDCWD */
	int new_fd; /* directory of new_path of PATHS */
	const char *path, *new_path;
};

#define SYC_IO_OFF INT64_MAX

struct syc_io_settings {
	int64_t threshold; /* ns; 0: not initialised yet */
	bool has_waits;    /* poll() and similar calls are reported, too */
};

extern struct syc_io_settings syc_io_now;

static inline bool syc_io_is_on(void)
{
	const int64_t threshold =
		__atomic_load_n(&syc_io_now.threshold, __ATOMIC_RELAXED);

	return threshold != 0 && threshold != SYC_IO_OFF &&
	       !syc_seccomp_is_closed();
}

/** Begin a call.  Returns the current time, or 0 if the call is not timed. */
static inline int64_t syc_io_begin(void)
{
	return syc_io_is_on() && syscap_is_active() ? syscap_clock() : 0;
}

/**
 * Write the events of a call.  Called by the function that the program called.
 * The written stack begins with the real function.
 */
void syc_io_record(const struct syc_real_call *call, int64_t begin,
                   int64_t duration, const struct syc_io_subject *what);

static inline __attribute__((always_inline)) void
syc_io_end(const struct syc_real_call *call, int64_t begin,
           struct syc_io_subject what)
{
	if (begin == 0)
		return;
	const int64_t duration = syscap_clock() - begin;
	if (__builtin_expect(duration >= __atomic_load_n(&syc_io_now.threshold,
	                                                 __ATOMIC_RELAXED),
	                     0))
		syc_io_record(call, begin, duration, &what);
}

/*
 * Wrappers that report the calls.  Each wrapper calls the real function
 * (real_call.h) with the same arguments, and returns its result.
 */

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
 * @when: condition under which the call may block, evaluated only if calls are
 * reported.  @without: the result without a real function.
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

/** Record @message, a message to the journal for which sendmsg() returned @r,
 * as a LOG frame (logs.c).  Context: any-thread, signal-safe. */
void syc_logs_sent(ssize_t r, const void *message);

#endif
