/* SPDX-License-Identifier: BSD-2-Clause */
/* exceptions.h - functions of exceptions.cc for a test in C. */
#ifndef SYSCAP_TEST_EXCEPTIONS_H
#define SYSCAP_TEST_EXCEPTIONS_H

#ifdef __cplusplus
extern "C" {
#endif

/** Throw through @depth frames with destructors; each calls @on_frame, and so
 * does the handler. */
void exceptions_throw(int depth, void (*on_frame)(void));

/** Throw like exceptions_throw(), but catch and rethrow the exception half
 * way. */
void exceptions_rethrow(int depth, void (*on_frame)(void));

#ifdef __cplusplus
}
#endif
#endif
