/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare_preload.c - a preloaded library that interrupts its program at random
 * times.  The library walks the stack and traps, so that a tracer walks the
 * stack, too.
 *
 * COMPARE_FD is a file for struct compare_stack (compare.h).  COMPARE_WAIT is
 * the maximum time between two stacks in microseconds.  If the value ends in
 * "c", they are of processor time.  The kernel may always choose the first
 * thread for the signal.  If that thread still sleeps at the same place, this
 * library passes the signal to another. x86-64 only.
 *
 * Not for programs that use SIGPROF.  Programs can't block SIGPROF either;
 * otherwise compressors would block all signals in their threads.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "os/threads.h"
#include "unwind/compare.h"
#include "unwind/unwind.h"

/* The tracer finds this variable by its name. */
extern struct compare_stack *compare_shared;
struct compare_stack *compare_shared;

static timer_t timer;
static unsigned long wait_us = 1000;
static uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
static int is_busy;
static uint64_t last_pc, last_sp; /* registers of the signal's thread */

static void arm(void)
{
	struct itimerspec in;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	memset(&in, 0, sizeof(in));
	in.it_value.tv_nsec = (long)(state % (wait_us * 1000)) + 50000;
	timer_settime(timer, 0, &in, NULL);
}

static void take(const ucontext_t *context)
{
	static const int places[COMPARE_REGS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
		REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
		REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	struct compare_stack *const stack = compare_shared;
	struct syc_unwind unwind = { .addrs = stack->addrs,
		                     .max = COMPARE_MAX };

	syc_stack_bounds(&unwind.low, &unwind.high);
	syc_unwind_from(&unwind, context);
	stack->n = unwind.n;
	stack->flags = unwind.flags;
	stack->tid = (uint32_t)syscall(SYS_gettid);
	for (int i = 0; i < COMPARE_REGS; i++)
		stack->regs[i] =
			(uint64_t)context->uc_mcontext.gregs[places[i]];
	__atomic_store_n(&stack->is_there, 1, __ATOMIC_SEQ_CST);
	__asm__ volatile("int3" ::: "memory");
}

/* --- the thread of the signal */

static long set_mask(int how, const sigset_t *set, sigset_t *ret_old)
{
	sigset_t without;

	if (set != NULL) {
		without = *set;
		if (how != SIG_UNBLOCK)
			sigdelset(&without, SIGPROF);
	}
	return syscall(SYS_rt_sigprocmask, how, set != NULL ? &without : NULL,
	               ret_old, 8);
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *ret_old)
{
	const int saved = errno;
	const int r = set_mask(how, set, ret_old) == 0 ? 0 : errno;

	errno = saved;
	return r;
}

int sigprocmask(int how, const sigset_t *set, sigset_t *ret_old)
{
	return (int)set_mask(how, set, ret_old);
}

struct entry { /* the kernel's directory entry */
	uint64_t inode, offset;
	unsigned short size;
	unsigned char type;
	char name[];
};

/* Passes the signal to one of the other threads, in turn. */
static void pass_on(void)
{
	static unsigned turn;
	_Alignas(8) char list[4096];
	const long pid = syscall(SYS_getpid), own = syscall(SYS_gettid);
	const int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
	const long n = syscall(SYS_getdents64, fd, list, sizeof(list));
	long tids[64];
	unsigned n_tids = 0;

	close(fd);
	for (long at = 0; at < n && n_tids < 64;) {
		const struct entry *const entry = (const void *)(list + at);
		const long tid = atol(entry->name);

		if (tid > 0 && tid != own)
			tids[n_tids++] = tid;
		at += entry->size;
	}
	if (n_tids > 0)
		syscall(SYS_tgkill, pid, tids[turn++ % n_tids], SIGPROF);
}

static void on_signal(int signal, siginfo_t *info, void *data)
{
	const ucontext_t *const context = data;
	const uint64_t pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
	const uint64_t sp = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
	const bool is_passed_on = info->si_code == SI_TKILL;
	const int saved = errno;
	bool sleeps = false;

	(void)signal;
	if (__atomic_exchange_n(&is_busy, 1, __ATOMIC_SEQ_CST) == 0) {
		/* This thread still sleeps at the same place. */
		sleeps = pc == last_pc && sp == last_sp;
		if (!sleeps)
			take(context);
		if (!is_passed_on) {
			last_pc = pc;
			last_sp = sp;
		}
		__atomic_store_n(&is_busy, 0, __ATOMIC_SEQ_CST);
	}
	if (!is_passed_on) {
		if (sleeps)
			pass_on();
		arm();
	}
	errno = saved;
}

__attribute__((constructor)) static void begin(void)
{
	const char *const fd = getenv("COMPARE_FD");
	const char *const wait = getenv("COMPARE_WAIT");
	clockid_t clock = CLOCK_MONOTONIC;
	struct sigevent event;
	struct sigaction sa;

	if (fd == NULL)
		return;
	if (wait != NULL)
		wait_us = strtoul(wait, NULL, 10);
	if (wait != NULL && strchr(wait, 'c') != NULL)
		clock = CLOCK_PROCESS_CPUTIME_ID;
	compare_shared = mmap(NULL, sizeof(*compare_shared),
	                      PROT_READ | PROT_WRITE, MAP_SHARED, atoi(fd), 0);
	/* The tracer does not see the traps of programs that it starts. */
	unsetenv("LD_PRELOAD");
	unsetenv("COMPARE_FD");
	if (compare_shared == MAP_FAILED)
		_exit(127);
	syc_unwind_prepare();
	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = on_signal;
	sa.sa_flags = SA_SIGINFO | SA_RESTART;
	sigaction(SIGPROF, &sa, NULL);
	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = SIGPROF;
	if (timer_create(clock, &event, &timer) != 0)
		_exit(127);
	state ^= (uint64_t)getpid();
	arm();
}
