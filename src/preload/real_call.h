/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * real_call.h - functions that the program calls in place of the C library's,
 * and the real functions: the next functions with the same names.
 *
 * The wrappers have other names in C, so that they need not match declarations
 * in headers.  If a header declares `...`, the registers are passed on.
 *
 * All real functions are in one section, and looked up at initialisation:
 * handlers, and children of threaded processes, must not call dlsym().
 *
 * Context of everything: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_REAL_CALL_H
#define SYC_PRELOAD_REAL_CALL_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <syscap.h>

struct syc_real_call {
	const char *name;
	uintptr_t next; /* 0: not looked up yet */
};

#define SYC_REAL_CALL(text)                                          \
	static struct syc_real_call call                             \
		__attribute__((section("syc_real_calls"), used)) = { \
			.name = (text),                              \
		}

/** Look @call up. 0: no such function, or the lookup is in progress. */
uintptr_t syc_real_call_look_up(struct syc_real_call *call);

static inline uintptr_t syc_real_call_get(struct syc_real_call *call)
{
	const uintptr_t next = __atomic_load_n(&call->next, __ATOMIC_RELAXED);

	if (__builtin_expect(next <= 1, 0))
		return next == 0 ? syc_real_call_look_up(call) : 0;
	return next;
}

/** Address of the real function; 0: not looked up yet. */
static inline uintptr_t syc_real_call_known(const struct syc_real_call *call)
{
	const uintptr_t next = __atomic_load_n(&call->next, __ATOMIC_RELAXED);

	return next > 1 ? next : 0;
}

/* Not inlined, because each function is one frame of the stack. */
#define SYC_EXPORTED __attribute__((visibility("default"), noinline))

/* Result of a call without a real function, for example during the lookup */
static inline long syc_real_missing(void)
{
	errno = ENOSYS;
	return -1;
}

/** A real function that wrappers of similar functions call. */
#define SYC_REAL(name, params, args)                                       \
	static inline int name##_real params                               \
	{                                                                  \
		SYC_REAL_CALL(#name);                                      \
		int(*const next) params =                                  \
			(int(*) params)syc_real_call_get(&call);           \
                                                                           \
		return next == NULL ? (int)syc_real_missing() : next args; \
	}

/**
 * The rest of an interrupted wait for @asked that began at @began of syscap_clock(); at
 * least 0.
 */
static inline struct timespec syc_time_left(const struct timespec *asked,
                                            int64_t began)
{
	const int64_t second = 1000000000;
	const int64_t passed = syscap_clock() - began;
	struct timespec left = *asked;

	left.tv_sec -= passed / second;
	left.tv_nsec -= passed % second;
	if (left.tv_nsec < 0) {
		left.tv_nsec += second;
		left.tv_sec--;
	}
	return left.tv_sec < 0 ? (struct timespec){ 0, 0 } : left;
}

/*
 * Facts about the preloaded library, and MAP frames for libraries
 * that the program unloads.
 *
 * Context: any-thread, signal-safe, except where stated.
 */

/** Return whether the process has another C library than the build had. */
bool syc_libc_is_foreign(void);

/** Addresses of this library's code. */
void syc_own_code_bounds(uintptr_t *ret_low, uintptr_t *ret_high);

/** Note the time at which this library, and all libraries that the program was
 * linked with, were loaded. Context: a constructor. */
void syc_unloads_begin(void);

/**
 * Write frames for libraries that were loaded or unloaded since the last call.
 * Called before and after the program's dlclose().
 *
 * Context: any-thread; not in a handler.
 */
void syc_unloads_look(void);

#endif
