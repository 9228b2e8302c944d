/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_boxed.c - a program that has its system calls filtered, and knows
 * nothing of us.
 *
 *	record_boxed N
 *
 * What it needs itself is allowed, all else kills it.  Then the thread that
 * was there, one that begins now and a forked child allocate N blocks each,
 * write to a pipe and read from it, and wait.  Ends by exit().
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long n_blocks;
static int ends[2];
static void *volatile sink;

static void need(int holds, const char *what)
{
	if (!holds) {
		/* stdio asks what it writes to */
		if (write(2, what, strlen(what)) < 0)
			_exit(2);
		_exit(1);
	}
}

static void enter_box(void)
{
	/* Those of malloc(), threads, forks, pipes, the end; what nearly all
	 * filters allow; and the one of a tick (docs/sampling.md) */
	static const unsigned allowed[] = {
		SYS_brk,
		SYS_mmap,
		SYS_munmap,
		SYS_mremap,
		SYS_madvise,
		SYS_mprotect,
		SYS_futex,
		SYS_clone,
		SYS_clone3,
		SYS_rseq,
		SYS_set_robust_list,
		SYS_exit,
		SYS_exit_group,
		SYS_read,
		SYS_write,
		SYS_wait4,
		SYS_ppoll,
		SYS_rt_sigaction,
		SYS_rt_sigprocmask,
		SYS_rt_sigreturn,
		SYS_gettid,
		SYS_getpid,
#ifdef __x86_64__
		SYS_poll,
		SYS_arch_prctl,
#endif
	};
	enum {
		N_ALLOWED = sizeof(allowed) / sizeof(allowed[0])
	};
	struct sock_filter code[2 + 2 * N_ALLOWED];
	unsigned short at = 0;

	code[at++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; i < N_ALLOWED; i++) {
		code[at++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, allowed[i], 0, 1);
		code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
		                                          SECCOMP_RET_ALLOW);
	}
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
	                                          SECCOMP_RET_KILL_PROCESS);
	struct sock_fprog program = { .len = at, .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
		exit(77);
}

static void work(void)
{
	struct pollfd fd = { .fd = ends[0], .events = POLLIN };
	char byte = 'x';

	for (unsigned long i = 0; i < n_blocks; i++) {
		sink = malloc(16 + i % 100);
		need(sink != NULL, "malloc");
		free(sink);
	}
	for (int i = 0; i < 100; i++) {
		need(poll(&fd, 1, i % 2) == 0, "poll");
		need(write(ends[1], &byte, 1) == 1, "write");
		need(poll(&fd, 1, -1) == 1, "poll again");
		need(read(ends[0], &byte, 1) == 1, "read");
	}
}

static void *run(void *nothing)
{
	work();
	return nothing;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int status = -1;

	need(argc == 2 && pipe(ends) == 0, "one number");
	n_blocks = strtoul(argv[1], NULL, 10);
	work();
	enter_box();
	work();
	need(pthread_create(&thread, NULL, run, NULL) == 0 &&
	             pthread_join(thread, NULL) == 0,
	     "a thread");
	const pid_t pid = fork();
	if (pid == 0) {
		work();
		exit(0);
	}
	need(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0,
	     "a child");
	return 0;
}
