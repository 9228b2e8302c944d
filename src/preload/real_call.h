/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * real_call.h - lookup of the real functions: the next functions with the names
 * of wrapped functions of the C library.
 *
 * The wrappers have other names in C, so that no wrapper must match a
 * declaration in a header.  If a header declares `...`, the wrapper passes the
 * registers on.
 *
 * All real functions are in one section, and looked up at initialisation,
 * because handlers, and children of threaded processes, must not call dlsym().
 *
 * Context of all functions: any-thread, signal-safe.
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

/** Look @call up.  Returns 0 if no function exists, or the lookup is in
 * progress. */
uintptr_t syc_real_call_look_up(struct syc_real_call *call);

static inline uintptr_t syc_real_call_get(struct syc_real_call *call)
{
	const uintptr_t next = __atomic_load_n(&call->next, __ATOMIC_RELAXED);

	if (__builtin_expect(next <= 1, 0))
		return next == 0 ? syc_real_call_look_up(call) : 0;
	return next;
}

/** Return the address of the real function, or 0 before its lookup. */
static inline uintptr_t syc_real_call_known(const struct syc_real_call *call)
{
	const uintptr_t next = __atomic_load_n(&call->next, __ATOMIC_RELAXED);

	return next > 1 ? next : 0;
}

/* Attributes of wrappers, which are not inlined, because each wrapper is one
 * frame of the stack. */
#define SYC_EXPORTED __attribute__((visibility("default"), noinline))

/* Return the result of a call without a real function, for example during the
 * lookup. */
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
 * Return the rest, at least 0, of an interrupted wait for @asked that began at
 * @began of syscap_clock().
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
 * Properties of the preloaded library, and MAP frames for libraries that the
 * program unloads.
 *
 * Context: any-thread, signal-safe, except where stated.
 */

/** Return whether the process has a C library other than the build's. */
bool syc_libc_is_foreign(void);

/** Store the bounds of this library's code. */
void syc_own_code_bounds(uintptr_t *ret_low, uintptr_t *ret_high);

/** Store the load time of this library and of all libraries that the program
 * was linked with.  Context: a constructor. */
void syc_unloads_begin(void);

/**
 * Write frames for libraries that were loaded or unloaded since the last call.
 * Called before and after each dlclose() of the program.
 *
 * Context: any-thread; not in a handler.
 */
void syc_unloads_look(void);

#endif
