/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample_late_ticks.c - ticks so late that the next tick is pending when the
 * handler sets the timer.  Such ticks must not interrupt a wait.
 *
 *	sample_late_ticks            a debugger, which holds each tick of
 *	sample_late_ticks waits      which waits
 *
 * Exit status: 0, 77 if debugging is forbidden, else an error, which is
 * printed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sampler/tick_signal.h"

#define MS      1000000
#define TIMES   20
#define LATE_US 400 /* several periods of 10 kHz */

static const struct timespec wait_time = { 0, 5 * MS };
static int epoll_fd;
static sigset_t none;

static int by_epoll_wait(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_fd, &event, 1, 5);
}

static int by_epoll_pwait(void)
{
	struct epoll_event event;

	return epoll_pwait(epoll_fd, &event, 1, 5, &none);
}

static int by_epoll_pwait2(void)
{
	struct epoll_event event;
	const int r = epoll_pwait2(epoll_fd, &event, 1, &wait_time, &none);

	return r < 0 && errno == ENOSYS ? 0 : r;
}

static int by_poll(void)
{
	return poll(NULL, 0, 5);
}

static int by_pselect(void)
{
	return pselect(0, NULL, NULL, NULL, &wait_time, NULL);
}

static int by_nanosleep(void)
{
	return nanosleep(&wait_time, NULL);
}

static const struct {
	const char *name;
	int (*wait)(void);
} waits[] = {
	{ "epoll_wait", by_epoll_wait },     { "epoll_pwait", by_epoll_pwait },
	{ "epoll_pwait2", by_epoll_pwait2 }, { "poll", by_poll },
	{ "pselect", by_pselect },           { "nanosleep", by_nanosleep },
};

static int wait_in_all(void)
{
	int bad = 0;

	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	sigemptyset(&none);
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		for (int n = 0; n < TIMES; n++) {
			if (waits[i].wait() == 0)
				continue;
			printf("%s: %s\n", waits[i].name, strerror(errno));
			bad = 1;
			break;
		}
	}
	return bad;
}

/* Delays every tick of @child, whose timer runs on after the tick's
 * delivery. */
static int hold_ticks_of(pid_t child)
{
	int status, n_held = 0;

	for (;;) {
		while (waitpid(child, &status, 0) < 0)
			if (errno != EINTR)
				return 2;
		if (!WIFSTOPPED(status))
			break;
		int signal = WSTOPSIG(status);
		if (signal == SYC_TICK_SIGNAL ||
		    signal == SYC_TICK_SIGNAL_SECOND) {
			const struct timespec late = { 0, LATE_US * 1000 };

			n_held++;
			nanosleep(&late, NULL);
		} else if (signal == SIGTRAP) { /* exec */
			signal = 0;
		}
		ptrace(PTRACE_CONT, child, NULL, (uintptr_t)signal);
	}
	if (!WIFEXITED(status))
		return 1;
	printf("%d ticks held\n", n_held);
	return n_held == 0 && WEXITSTATUS(status) == 0 ? 1
	                                               : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return wait_in_all();
	const pid_t child = fork();
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(77);
		execl("/proc/self/exe", "sample_late_ticks", "waits",
		      (char *)NULL);
		_exit(2);
	}
	return child < 0 ? 2 : hold_ticks_of(child);
}
