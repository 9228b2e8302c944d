/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample_seams.c - signals of the program at each instruction between two parts
 * of a wait that a tick has cut, and before the first part.  The signal ends
 * the wait.
 *
 *	sample_seams            a debugger of
 *	sample_seams WAIT       which waits forever, again and again
 *
 * A program that waits on after handling a signal has missed the signal.  Exit
 * status: 0, 77 if debugging is forbidden, else an error, which is printed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Messages of the debugged process: arguments of getpgid() */
#define BEGINS  0x5EED0001
#define HANDLED 0x5EED0002
#define ENDS    0x5EED0003

/* -------------------------------------------------- the waiting process */

static sigset_t none;
static int epoll_fd;
static const struct timespec long_time = { 100000, 0 };

static void tell(unsigned what)
{
	syscall(SYS_getpgid, what);
}

static void handle(int number)
{
	const int saved = errno;

	(void)number;
	tell(HANDLED);
	errno = saved;
}

static void by_poll(void)
{
	poll(NULL, 0, -1);
}

static void by_ppoll(void)
{
	ppoll(NULL, 0, &long_time, &none);
}

static void by_select(void)
{
	struct timeval time = { 100000, 0 };

	select(0, NULL, NULL, NULL, &time);
}

static void by_pselect(void)
{
	pselect(0, NULL, NULL, NULL, &long_time, NULL);
}

static void by_epoll_wait(void)
{
	struct epoll_event event;

	epoll_wait(epoll_fd, &event, 1, -1);
}

static void by_nanosleep(void)
{
	nanosleep(&long_time, NULL);
}

static void by_clock_nanosleep(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += long_time.tv_sec;
	clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
}

static void by_pause(void)
{
	pause();
}

static void by_sigsuspend(void)
{
	sigsuspend(&none);
}

static const struct {
	const char *name;
	void (*wait)(void);
} waits[] = {
	{ "poll", by_poll },
	{ "ppoll", by_ppoll },
	{ "select", by_select },
	{ "pselect", by_pselect },
	{ "epoll_wait", by_epoll_wait },
	{ "nanosleep", by_nanosleep },
	{ "clock_nanosleep", by_clock_nanosleep },
	{ "pause", by_pause },
	{ "sigsuspend", by_sigsuspend },
};

static _Noreturn void wait_for_ever(void (*wait)(void))
{
	const struct sigaction action = { .sa_handler = handle,
		                          .sa_flags = SA_RESTART };

	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	sigaction(SIGUSR1, &action, NULL);
	/* Forces the sampler to make its rings before the steps.  Otherwise a
	 * later tick would make the rings, and this test would count the calls
	 * as part of the wait */
	const pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	for (;;) {
		tell(BEGINS);
		wait();
		tell(ENDS);
	}
}

/* ----------------------------------------------------- the debugger */

static pid_t child;
static bool is_call; /* true: the child stopped at a call's beginning */
static long call;
static uint64_t argument;

struct registers {
	uint64_t pc, number, argument;
};

static void read_registers(struct registers *registers)
{
	struct user_regs_struct all;
	struct iovec iov = { &all, sizeof(all) };

	if (ptrace(PTRACE_GETREGSET, child, 1 /* NT_PRSTATUS */, &iov) != 0)
		exit(2);
#if defined(__x86_64__)
	registers->pc = all.rip;
	registers->number = all.orig_rax;
	registers->argument = all.rdi;
#else
	registers->pc = all.pc;
	registers->number = all.regs[8];
	registers->argument = all.regs[0];
#endif
}

/* Is the next instruction a system call? */
static bool is_at_call(void)
{
	struct registers registers;
	long word;

	read_registers(&registers);
	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, child, registers.pc, NULL);
	if (errno != 0)
		return false;
#if defined(__x86_64__)
	return (word & 0xFFFF) == 0x050F;
#else
	return (uint32_t)word == 0xD4000001;
#endif
}

/* Waits for the child to stop; returns the signal: SIGTRAP for a step,
 * SIGTRAP | 0x80 for a call. */
static int wait_for_child(void)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			exit(2);
	if (!WIFSTOPPED(status)) {
		printf("it ended: %x\n", status);
		exit(1);
	}
	return WSTOPSIG(status);
}

/* Runs the child, with @signal, to the next beginning or end of a system call,
 * or the next signal.  Returns the signal, or 0. */
static int run(int signal)
{
	struct registers registers;

	ptrace(PTRACE_SYSCALL, child, NULL, (uintptr_t)signal);
	signal = wait_for_child();
	if (signal == (SIGTRAP | 0x80)) {
		read_registers(&registers);
		is_call = !is_call;
		call = (long)registers.number;
		if (is_call)
			argument = registers.argument;
		return 0;
	}
	return signal == SIGTRAP ? 0 : signal;
}

static bool is_told(unsigned what)
{
	return is_call && call == SYS_getpgid && argument == what;
}

static bool is_wait(void)
{
	return is_call && (call == SYS_ppoll || call == SYS_pselect6 ||
	                   call == SYS_epoll_pwait || call == SYS_nanosleep ||
	                   call == SYS_clock_nanosleep ||
#if defined(__x86_64__)
	                   call == SYS_poll || call == SYS_select ||
	                   call == SYS_epoll_wait || call == SYS_pause ||
#endif
	                   call == SYS_rt_sigsuspend);
}

/* Runs until @stop is true; passes on all signals. */
static void run_until(bool (*stop)(void))
{
	int signal = 0;

	do
		signal = run(signal);
	while (signal != 0 || !stop());
}

static bool begins(void)
{
	return is_told(BEGINS);
}

/* A call that only probes memory has an invalid `how`. */
static bool blocks_all(void)
{
	return !is_call && call == SYS_rt_sigprocmask &&
	       argument <= SIG_SETMASK;
}

static bool returns_from_handler(void)
{
	return is_call && call == SYS_rt_sigreturn;
}

/* Runs until a tick has cut a wait, and the tick's handler is about to
 * return. */
static void run_until_cut(void)
{
	int signal = 0;

	run_until(is_wait);
	do
		signal = run(0);
	while (signal == 0);
	signal = run(signal);
	while (signal != 0 || !returns_from_handler())
		signal = run(signal);
}

/*
 * Makes @n steps of the child, but not into a wait.  False: the child has fewer
 * instructions.  A whole system call is one step.
 */
static bool step(unsigned n)
{
	bool is_first = true;

	for (unsigned i = 0; i < n; i++) {
		if (!is_first && is_at_call()) {
			struct registers before;

			/* Stops at the call's entry, to identify the call */
			if (run(0) != 0 || is_wait())
				return false;
			read_registers(&before);
			if (run(0) != 0)
				return false;
			continue;
		}
		ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
		if (wait_for_child() != SIGTRAP)
			return false;
		if (is_first && is_call)
			/* this step was the end of the current call */
			is_call = false;
		is_first = false;
	}
	return true;
}

/* Sends a signal now; returns whether the signal ends the wait. */
static bool ends_wait(void)
{
	bool is_handled = false;
	int signal = 0;

	syscall(SYS_tgkill, child, child, SIGUSR1);
	for (;;) {
		signal = run(signal);
		if (signal != 0)
			continue;
		if (is_told(HANDLED))
			is_handled = true;
		else if (is_told(ENDS))
			return is_handled;
		else if (is_handled && is_wait())
			return false;
	}
}

static bool start(const char *name)
{
	child = fork();
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(77);
		execl("/proc/self/exe", "sample_seams", name, (char *)NULL);
		_exit(2);
	}
	int status;
	if (child < 0 || waitpid(child, &status, 0) != child ||
	    !WIFSTOPPED(status))
		return false;
	is_call = false;
	return ptrace(PTRACE_SETOPTIONS, child, NULL,
	              PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0;
}

static unsigned check(const char *name, const char *where)
{
	unsigned n = 0;

	for (;; n++) {
		run_until(begins);
		if (where[0] == 'f')
			run_until(blocks_all);
		else
			run_until_cut();
		const bool is_there = step(n);
		if (!ends_wait()) {
			printf("%s, %s, instruction %u: missed\n", name, where,
			       n);
			exit(1);
		}
		if (!is_there)
			return n;
	}
}

int main(int argc, char **argv)
{
	sigemptyset(&none);
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		if (argc > 1) {
			if (strcmp(argv[1], waits[i].name) == 0)
				wait_for_ever(waits[i].wait);
			continue;
		}
		if (!start(waits[i].name)) {
			printf("ptrace() is not permitted here\n");
			return 77;
		}
		const unsigned first = check(waits[i].name, "first part");
		const unsigned other = check(waits[i].name, "next part");
		printf("%s: %u and %u instructions\n", waits[i].name, first,
		       other);
		if (first < 10 || other < 10)
			return 1;
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return argc > 1;
}
