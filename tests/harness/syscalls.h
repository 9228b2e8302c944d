/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscalls.h - a replacement of the C library's syscall(), by which the library
 * and its copies in shared objects make system calls.  At most one file of a
 * program may include this file.
 */
#ifndef TESTS_HARNESS_SYSCALLS_H
#define TESTS_HARNESS_SYSCALLS_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/syscalls.h"

/** The test defines this function, which runs first, and may change @args.
 * Returns true to replace the system call by the result *@ret_r, or -errno. */
static bool take_syscall(long number, long *args, long *ret_r);

/* Callers pass fewer arguments, and the sanitizer checks the memory behind the
 * arguments */
__attribute__((visibility("default"), no_sanitize("address"))) long
syscall(long number, ...)
{
	long args[6], r = -ENOSYS;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	if (!take_syscall(number, args, &r))
		r = syc_raw_syscall(number, args[0], args[1], args[2], args[3],
		                    args[4], args[5]);
	if (r >= 0 || r < -4095)
		return r;
	errno = (int)-r;
	return -1;
}

#endif
