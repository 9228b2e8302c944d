/* SPDX-License-Identifier: BSD-2-Clause */
/* fail.h - end of a failed benchmark. */
#ifndef BENCH_FAIL_H
#define BENCH_FAIL_H

/** Print a printf-like message and end the process with status 1. */
__attribute__((format(printf, 1, 2), noreturn)) void
bench_fail(const char *format, ...);

#endif
