/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_ask_trapped.c - threads whose system calls a sandbox traps. The filter
 * raises SIGSYS, and a handler answers in the kernel's place, like Chromium's
 * handler.  If SIGSYS is blocked, the kernel ends the process.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/tsan.h"

static volatile sig_atomic_t n_trapped;

static void refuse(int number, siginfo_t *info, void *context)
{
	ucontext_t *const at = context;

	(void)number;
	(void)info;
	n_trapped++;
#if defined(__x86_64__)
	at->uc_mcontext.gregs[REG_RAX] = -EPERM;
#elif defined(__aarch64__)
	at->uc_mcontext.regs[0] = (unsigned long long)-EPERM;
#else
	(void)at;
#endif
}

#define TRAP(number)                                         \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)

/* Traps the system calls that a thread needs for its ring, and a recording for
 * its files. */
static void trap_calls(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		         offsetof(struct seccomp_data, nr)),
		TRAP(SYS_sendmsg),
		TRAP(SYS_recvmsg),
		TRAP(SYS_openat),
		TRAP(SYS_ioctl),
		TRAP(SYS_mremap),
		TRAP(SYS_memfd_create),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(code) / sizeof(*code),
		.filter = code,
	};
	const struct sigaction action = { .sa_sigaction = refuse,
		                          .sa_flags = SA_SIGINFO };

	CHECK_EQ(sigaction(SIGSYS, &action, NULL), 0);
	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

CHILD(emits_where_calls_are_trapped)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	trap_calls();
	SYSCAP_INSTANT("test", "mark", NULL);
	CHECK(n_trapped != 0);
	syscap_get_stats(&stats);
	CHECK_EQ(stats.n_dropped, 1);
	_exit(0);
}

TEST(a_first_event_whose_system_calls_are_trapped_is_dropped_and_counted)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	peer_start(&peer, "emits_where_calls_are_trapped", 1u << 16, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	peer_free(&peer);
}

CHILD(starts_where_calls_are_trapped)
{
	struct syscap_options options = { .size = sizeof(options),
		                          .output = "trapped.syscap" };

	trap_calls();
	CHECK(syscap_start(&options) != 0);
	CHECK(n_trapped != 0);
	_exit(0);
}

TEST(a_recording_whose_system_calls_are_trapped_does_not_start)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	peer_start(&peer, "starts_where_calls_are_trapped", 1u << 16,
	           PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	peer_free(&peer);
}
