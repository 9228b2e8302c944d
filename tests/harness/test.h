/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test.h - interface of tests.
 *
 *	#include "harness/test.h"
 *
 *	TEST(a_full_ring_drops_and_counts)
 *	{
 *		CHECK_EQ(emit_until_full(), 41);
 *	}
 *
 * The name is a sentence that is true when the test passes.  Each test runs in
 * its own child process, under a time limit, which is longer if several threads
 * share each processor.  A failed check ends the test, also in another thread,
 * in a signal handler, or in a process that the test forked.  A test that
 * leaves file descriptors open fails.
 *
 *	test_ring [--list] [--timeout SECONDS] [--seed N] [--whole] [--no-fork]
 *		[TEST]...
 *
 * With --no-fork the tests run in this process, so that a debugger sees them.
 * With --whole every case runs, see test_is_whole().  Exit status: 0, 1 if a
 * test failed, 2 for wrong use, 77 if all were skipped.
 */
#ifndef SYSCAP_TEST_H
#define SYSCAP_TEST_H

#include <stdbool.h>

struct test {
	const char *name, *file;
	int line;
	bool must_fail;
	void (*run)(void);
};

/*
 * Pointers, not structs, go into the section.  Compilers may pad structs there,
 * and the walk from start to end would fail at the gaps.
 */
#define TEST_SECTION __attribute__((section("syscap_tests"), used))
#define TEST_REGISTER(name, must_fail)                                     \
	static void test_##name(void);                                     \
	static const struct test test_entry_##name = {                     \
		#name, __FILE__, __LINE__, must_fail, test_##name,         \
	};                                                                 \
	static const struct test *const test_pointer_##name TEST_SECTION = \
		&test_entry_##name;                                        \
	static void test_##name(void)

#define TEST(name) TEST_REGISTER(name, false)

/**
 * A test that passes if its body fails: by a check, a signal, a leaked
 * fd, a sanitizer's report or the time limit.
 */
#define MUST_DIE(name) TEST_REGISTER(name, true)

#define CHECK(cond) \
	((cond) ? (void)0 : test_fail(__FILE__, __LINE__, "CHECK(%s)", #cond))

/** Compare integers, enums, booleans or pointers as long long. */
#define CHECK_EQ(a, b)                                                \
	test_check_eq(__FILE__, __LINE__, #a ", " #b, (long long)(a), \
	              (long long)(b))

/** Compare strings; NULL equals only NULL. */
#define CHECK_STR(a, b) test_check_str(__FILE__, __LINE__, #a ", " #b, (a), (b))

/** End a test that cannot run here, without a failure. */
#define SKIP(reason) test_skip(reason)

/** Print a printf-like message, mark the test as failed and end the test. */
__attribute__((format(printf, 3, 4), noreturn)) void
test_fail(const char *file, int line, const char *format, ...);

void test_check_eq(const char *file, int line, const char *what, long long a,
                   long long b);
void test_check_str(const char *file, int line, const char *what, const char *a,
                    const char *b);
__attribute__((noreturn)) void test_skip(const char *reason);

/**
 * The seed of this run, printed at its first use. --seed N repeats the seed.
 */
unsigned long long test_seed(void);

/**
 * Returns false if a test that takes minutes runs only every n-th case, from a
 * random case on, which depends on test_seed().  Returns true with --whole.
 * Programs that a test starts get the same results from test_is_whole() and
 * test_seed().
 */
bool test_is_whole(void);

/**
 * Returns false after a fifth of the time limit, except with --whole: the
 * machine is busy.  A test of many equal cases continues while test_has_time(),
 * and until its necessary minimum of cases.
 */
bool test_has_time(void);

/** Returns true in a build with ASan or TSan, which slow down all code. */
bool test_is_sanitized(void);

/** Execute this program with @name as its first argument.  SYSCAP_TEST_RUNNER
 * is an emulator that understands `-0 NAME PROGRAM`, such as qemu-i386.  The
 * function returns only after a failure. */
void test_execute_itself(const char *name);

/** Sleep @ms milliseconds; a signal may end the sleep early. */
void test_sleep_ms(long ms);

#endif
