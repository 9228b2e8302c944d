/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysprof-collector.h - application events for a recorder.
 *
 * The library finds the recorder through the environment (SYSPROF_CONTROL_FD,
 * SYSPROF_TRACE_FD, SYSCAP_OUTPUT), or the program records itself
 * (syscap_start() in <syscap.h>).  If nothing is recorded, every call is one
 * load and a branch in the caller.
 *
 * The library reads the environment when it is loaded.  If neither
 * SYSPROF_CONTROL_FD nor SYSPROF_TRACE_FD was set, the first call here checks
 * these variables again, unless the call is in a signal handler.  So a program
 * may set these variables before its first call.
 *
 * The guarantees are those of <syscap.h>: no call blocks, aborts, allocates or
 * locks, except that a thread's first event may wait for its ring.  If a ring
 * is full, the library drops and counts the event, and the capture reports the
 * loss.  Only whole frames leave the process.
 *
 * Context of all functions: any-thread, signal-safe (also in a handler that
 * interrupts one of these functions), before main() and after fork(); errno is
 * kept.  The printf forms are signal-safe if the C library's vsnprintf() is.
 *
 * A NULL text means "".  The library cuts long texts between UTF-8 characters:
 * group 23 bytes, mark 39, domain 31, message 65,431 (of a log 65,463).
 */
#ifndef SYSPROF_COLLECTOR_H
#define SYSPROF_COLLECTOR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "sysprof-capture-types.h"
#include "sysprof-clock.h"
#include "sysprof-macros.h"
#include "sysprof-version-macros.h"

SYSPROF_BEGIN_DECLS

/** Set up early.  The other functions also set up, if necessary. */
SYSPROF_AVAILABLE_IN_3_36
void sysprof_collector_init(void);

/**
 * Returns true if events may be recorded.  Call this function before the
 * expensive preparation of an event.
 */
SYSPROF_AVAILABLE_IN_3_38
bool sysprof_collector_is_active(void);

/**
 * Record an allocation of @alloc_size bytes (0: a free) at @alloc_addr, now.
 * @backtrace_func gets room for 512 addresses; NULL: no stack.
 */
SYSPROF_AVAILABLE_IN_3_36
void sysprof_collector_allocate(SysprofCaptureAddress alloc_addr,
                                int64_t alloc_size,
                                SysprofBacktraceFunc backtrace_func,
                                void *backtrace_data);

/** Record this thread's stack, now. */
SYSPROF_AVAILABLE_IN_3_36
void sysprof_collector_sample(SysprofBacktraceFunc backtrace_func,
                              void *backtrace_data);

/**
 * Record that this thread enters or leaves the innermost function of the stack,
 * now.
 *
 * The frame is a sample with a bit for entering.  Recorders without support for
 * the newer frame type would end this thread's ring.
 */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_collector_trace(SysprofBacktraceFunc backtrace_func,
                             void *backtrace_data, bool entering);

/** Record that @mark took @duration ns from @time on (0: an instant). */
SYSPROF_AVAILABLE_IN_3_36
void sysprof_collector_mark(int64_t time, int64_t duration, const char *group,
                            const char *mark, const char *message);
SYSPROF_AVAILABLE_IN_3_38
void sysprof_collector_mark_printf(int64_t time, int64_t duration,
                                   const char *group, const char *mark,
                                   const char *message_format, ...)
	SYSPROF_PRINTF(5, 6);
SYSPROF_AVAILABLE_IN_3_38
void sysprof_collector_mark_vprintf(int64_t time, int64_t duration,
                                    const char *group, const char *mark,
                                    const char *message_format, va_list args)
	SYSPROF_PRINTF(5, 0);

/** Record a line of text, now.  @severity: GLogLevelFlags. */
SYSPROF_AVAILABLE_IN_3_36
void sysprof_collector_log(int severity, const char *domain,
                           const char *message);
SYSPROF_AVAILABLE_IN_3_38
void sysprof_collector_log_printf(int severity, const char *domain,
                                  const char *format, ...) SYSPROF_PRINTF(3, 4);

/**
 * Reserve @n_counters successive ids for counters.  Returns the first id, or 0
 * if @n_counters is 0, nothing is recorded, or the ids (24 bits) are used up.
 *
 * No other thread of the process gets the same ids.  Ids of other processes,
 * and of other libraries in this process, are scattered, so collisions are
 * rare.
 */
SYSPROF_AVAILABLE_IN_3_38
unsigned int sysprof_collector_request_counters(unsigned int n_counters);

/**
 * Define counters.  The library keeps the definitions of ids that were
 * requested here.  If a definition is lost, or if the destination of events
 * changes, the library records the definition again before the next value.
 */
SYSPROF_AVAILABLE_IN_3_38
void sysprof_collector_define_counters(const SysprofCaptureCounter *counters,
                                       unsigned int n_counters);

/** Record values of counters, now.  An id of 0 is omitted. */
SYSPROF_AVAILABLE_IN_3_38
void sysprof_collector_set_counters(const unsigned int *counters_ids,
                                    const SysprofCaptureCounterValue *values,
                                    unsigned int n_counters);

/** Record a mark as sysprof_collector_mark() does, with literal texts. */
SYSPROF_AVAILABLE_IN_ALL
void syscap_dropin_mark_at(const struct syscap_dropin_site *site, int64_t time,
                           int64_t duration, const char *message);

/* ------------------------------------------------------- inline checks */

/*
 * The library also exports these functions, for function pointers and for
 * objects that were compiled with other headers.  Inline calls first check
 * whether events are recorded.
 */
#if defined(__GNUC__) && !defined(SYSPROF_DROPIN_NO_INLINE)

/* State of the library.  0: nothing is recorded; negative: not decided yet. */
extern __attribute__((visibility("hidden"))) int syc_active;

#define SYSPROF_IS_ACTIVE_ \
	__builtin_expect(__atomic_load_n(&syc_active, __ATOMIC_RELAXED) != 0, 0)
#define SYSPROF_INLINE_                                                     \
	extern __inline__ __attribute__((__gnu_inline__, __always_inline__, \
	                                 __artificial__))
#define SYSPROF_REAL_(name) __asm__(#name)

bool sysprof_real_is_active_(void) SYSPROF_REAL_(sysprof_collector_is_active);
void sysprof_real_allocate_(SysprofCaptureAddress alloc_addr,
                            int64_t alloc_size,
                            SysprofBacktraceFunc backtrace_func,
                            void *backtrace_data)
	SYSPROF_REAL_(sysprof_collector_allocate);
void sysprof_real_sample_(SysprofBacktraceFunc backtrace_func,
                          void *backtrace_data)
	SYSPROF_REAL_(sysprof_collector_sample);
void sysprof_real_trace_(SysprofBacktraceFunc backtrace_func,
                         void *backtrace_data, bool entering)
	SYSPROF_REAL_(sysprof_collector_trace);
void sysprof_real_mark_(int64_t time, int64_t duration, const char *group,
                        const char *mark, const char *message)
	SYSPROF_REAL_(sysprof_collector_mark);
void sysprof_real_mark_vprintf_(int64_t time, int64_t duration,
                                const char *group, const char *mark,
                                const char *message_format, va_list args)
	SYSPROF_REAL_(sysprof_collector_mark_vprintf) SYSPROF_PRINTF(5, 0);
void sysprof_real_log_(int severity, const char *domain, const char *message)
	SYSPROF_REAL_(sysprof_collector_log);
unsigned int sysprof_real_request_counters_(unsigned int n_counters)
	SYSPROF_REAL_(sysprof_collector_request_counters);
void sysprof_real_define_counters_(const SysprofCaptureCounter *counters,
                                   unsigned int n_counters)
	SYSPROF_REAL_(sysprof_collector_define_counters);
void sysprof_real_set_counters_(const unsigned int *counters_ids,
                                const SysprofCaptureCounterValue *values,
                                unsigned int n_counters)
	SYSPROF_REAL_(sysprof_collector_set_counters);

SYSPROF_INLINE_ bool sysprof_collector_is_active(void)
{
	const int active = __atomic_load_n(&syc_active, __ATOMIC_RELAXED);

	return active > 0 ||
	       (__builtin_expect(active != 0, 0) && sysprof_real_is_active_());
}

SYSPROF_INLINE_ void
sysprof_collector_allocate(SysprofCaptureAddress alloc_addr, int64_t alloc_size,
                           SysprofBacktraceFunc backtrace_func,
                           void *backtrace_data)
{
	if (SYSPROF_IS_ACTIVE_)
		sysprof_real_allocate_(alloc_addr, alloc_size, backtrace_func,
		                       backtrace_data);
}

SYSPROF_INLINE_ void
sysprof_collector_sample(SysprofBacktraceFunc backtrace_func,
                         void *backtrace_data)
{
	if (SYSPROF_IS_ACTIVE_)
		sysprof_real_sample_(backtrace_func, backtrace_data);
}

SYSPROF_INLINE_ void
sysprof_collector_trace(SysprofBacktraceFunc backtrace_func,
                        void *backtrace_data, bool entering)
{
	if (SYSPROF_IS_ACTIVE_)
		sysprof_real_trace_(backtrace_func, backtrace_data, entering);
}

SYSPROF_INLINE_ void sysprof_collector_mark(int64_t time, int64_t duration,
                                            const char *group, const char *mark,
                                            const char *message)
{
	if (SYSPROF_IS_ACTIVE_) {
		struct syscap_dropin_site site;

		if (syscap_dropin_site_fill(&site, group, mark)) {
			syscap_dropin_mark_at(&site, time, duration, message);
		} else {
			sysprof_real_mark_(time, duration, group, mark,
			                   message);
		}
	}
}

SYSPROF_INLINE_ void
sysprof_collector_mark_vprintf(int64_t time, int64_t duration,
                               const char *group, const char *mark,
                               const char *message_format, va_list args)
{
	if (SYSPROF_IS_ACTIVE_)
		sysprof_real_mark_vprintf_(time, duration, group, mark,
		                           message_format, args);
}

SYSPROF_INLINE_ void sysprof_collector_log(int severity, const char *domain,
                                           const char *message)
{
	if (SYSPROF_IS_ACTIVE_)
		sysprof_real_log_(severity, domain, message);
}

SYSPROF_INLINE_ unsigned int
sysprof_collector_request_counters(unsigned int n_counters)
{
	if (SYSPROF_IS_ACTIVE_)
		return sysprof_real_request_counters_(n_counters);
	return 0;
}

SYSPROF_INLINE_ void
sysprof_collector_define_counters(const SysprofCaptureCounter *counters,
                                  unsigned int n_counters)
{
	if (SYSPROF_IS_ACTIVE_)
		sysprof_real_define_counters_(counters, n_counters);
}

SYSPROF_INLINE_ void
sysprof_collector_set_counters(const unsigned int *counters_ids,
                               const SysprofCaptureCounterValue *values,
                               unsigned int n_counters)
{
	if (SYSPROF_IS_ACTIVE_)
		sysprof_real_set_counters_(counters_ids, values, n_counters);
}

/* Other compilers cannot forward variable arguments inline, so they call the
 * function. */
#if !defined(__clang__)

/* The compiler checked the format in the caller. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

void sysprof_real_mark_printf_(int64_t time, int64_t duration,
                               const char *group, const char *mark,
                               const char *message_format, ...)
	SYSPROF_REAL_(sysprof_collector_mark_printf) SYSPROF_PRINTF(5, 6);
void sysprof_real_log_printf_(int severity, const char *domain,
                              const char *format, ...)
	SYSPROF_REAL_(sysprof_collector_log_printf) SYSPROF_PRINTF(3, 4);

SYSPROF_INLINE_ void
sysprof_collector_mark_printf(int64_t time, int64_t duration, const char *group,
                              const char *mark, const char *message_format, ...)
{
	if (SYSPROF_IS_ACTIVE_)
		sysprof_real_mark_printf_(time, duration, group, mark,
		                          message_format,
		                          __builtin_va_arg_pack());
}

SYSPROF_INLINE_ void sysprof_collector_log_printf(int severity,
                                                  const char *domain,
                                                  const char *format, ...)
{
	if (SYSPROF_IS_ACTIVE_)
		sysprof_real_log_printf_(severity, domain, format,
		                         __builtin_va_arg_pack());
}

#pragma GCC diagnostic pop

#endif

#undef SYSPROF_IS_ACTIVE_
#undef SYSPROF_INLINE_
#undef SYSPROF_REAL_

#endif

SYSPROF_END_DECLS

#endif
