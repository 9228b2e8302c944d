/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tsan.h - check for a ThreadSanitizer build.
 *
 * ThreadSanitizer delays signals until the program calls the C library, turns
 * vfork() into fork(), and has its own thread. Tests that depend on any of
 * these facts are skipped.
 */
#ifndef SYSCAP_TEST_TSAN_H
#define SYSCAP_TEST_TSAN_H

#if defined(__SANITIZE_THREAD__)
#define TEST_HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_HAS_TSAN 1
#endif
#endif
#ifndef TEST_HAS_TSAN
#define TEST_HAS_TSAN 0
#endif

#define SKIP_UNDER_TSAN()                                                \
	do {                                                             \
		if (TEST_HAS_TSAN)                                       \
			SKIP("ThreadSanitizer changes how signals come " \
			     "and children are made");                   \
	} while (0)

#endif
