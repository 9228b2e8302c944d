/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sandbox.h - a filter of system calls of the calling thread.
 *
 * Any other system call kills the process with SIGSYS, so the test notices each
 * unexpected call.  The filter does not suit sanitized builds, because a
 * sanitizer makes system calls of its own.
 */
#ifndef SYSCAP_SANDBOX_H
#define SYSCAP_SANDBOX_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "harness/test.h"

#define SANDBOX_ALLOW(number)                                \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/**
 * After this call, the calling thread may only write, return from signal
 * handlers, call getrusage(), and end.
 */
static inline void sandbox_enter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		         offsetof(struct seccomp_data, nr)),
		SANDBOX_ALLOW(SYS_write),
		SANDBOX_ALLOW(SYS_rt_sigreturn),
		SANDBOX_ALLOW(SYS_getrusage),
		SANDBOX_ALLOW(SYS_exit),
		SANDBOX_ALLOW(SYS_exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	const struct sock_fprog program = {
		.len = sizeof(code) / sizeof(*code),
		.filter = code,
	};

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

#endif
