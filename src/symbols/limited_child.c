/* SPDX-License-Identifier: BSD-2-Clause */
/* limited_child.c - child process with limits, for untrusted input. */
#define _GNU_SOURCE
#include "symbols/limited_child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void limit(unsigned what, rlim_t most)
{
	const struct rlimit both = { most, most };

	setrlimit(what, &both);
}

/* Limit the memory to @memory in addition to the current size, which a
 * sanitizer inflates. */
static void limit_memory(unsigned long memory)
{
	unsigned long data = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file != NULL) {
		if (fscanf(file, "%*u %*u %*u %*u %*u %lu", &data) != 1)
			data = 0;
		fclose(file);
	}
	limit(RLIMIT_DATA,
	      data * (unsigned long)sysconf(_SC_PAGESIZE) + memory);
}

void syc_limited_child_give(unsigned seconds)
{
	const struct itimerval timer = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_PROF, &timer, NULL);
}

void syc_limited_child_close_files(void)
{
	limit(RLIMIT_NOFILE, 0);
}

/* Reset the signals by which the child may die, so that no handler runs. */
static void take_signals(void)
{
	static const int ends[] = { SIGPROF, SIGXCPU, SIGSEGV, SIGBUS,
		                    SIGILL,  SIGFPE,  SIGABRT };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		signal(ends[i], SIG_DFL);
		sigaddset(&set, ends[i]);
	}
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

__attribute__((noreturn)) static void
serve(const struct syc_limited_child_work *work, int fd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	take_signals();
	limit(RLIMIT_CORE, 0);
	limit_memory(work->memory);
	if (work->seconds != 0)
		limit(RLIMIT_CPU, work->seconds);
	work->serve(work->data, fd);
	_exit(0);
}

bool syc_limited_child_start(struct syc_limited_child *child,
                             const struct syc_limited_child_work *work)
{
	sigset_t all, old;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
		return false;
	/* No handler of the application may run in the child. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	child->pid = fork();
	if (child->pid == 0) {
		close(fds[0]);
		serve(work, fds[1]);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	close(fds[1]);
	child->fd = fds[0];
	if (child->pid > 0)
		return true;
	close(fds[0]);
	child->pid = 0;
	return false;
}

static double to_seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

void syc_limited_child_stop(struct syc_limited_child *child)
{
	if (child->pid == 0)
		return;
	struct rusage usage = { 0 };

	close(child->fd);
	kill(child->pid, SIGKILL);
	while (wait4(child->pid, NULL, 0, &usage) < 0 && errno == EINTR)
		continue;
	child->pid = 0;
	child->seconds_used +=
		to_seconds(usage.ru_utime) + to_seconds(usage.ru_stime);
}

ssize_t syc_limited_child_ask(const struct syc_limited_child *child,
                              const void *message, size_t len, void *answer,
                              size_t size)
{
	ssize_t n = 1;

	while (len > 0 &&
	       (n = send(child->fd, message, len, MSG_NOSIGNAL)) < 0 &&
	       errno == EINTR)
		continue;
	if (n < 0)
		return n;
	do
		n = recv(child->fd, answer, size, 0);
	while (n < 0 && errno == EINTR);
	return n;
}
