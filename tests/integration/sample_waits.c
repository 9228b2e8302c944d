/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample_waits.c - a program without instrumentation.  The program waits in
 * each call that has a signal mask, and in each call that a call with a mask
 * could replace.  Only its own signals may interrupt a wait, and no wait is
 * shorter than requested, or endless.
 *
 *	sample_waits
 *
 * Exits 0, or prints the error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "sampler/tick_signal.h"

#define WAIT_MS 50
#define MS      1000000

static const struct timespec wait_time = { 0, WAIT_MS *MS };
static int epoll_fd;
static sigset_t none;

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / MS;
}

static struct timespec time_from_now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	ts.tv_nsec += WAIT_MS * MS;
	if (ts.tv_nsec >= 1000 * MS) {
		ts.tv_sec++;
		ts.tv_nsec -= 1000 * MS;
	}
	return ts;
}

static int by_poll(void)
{
	return poll(NULL, 0, WAIT_MS);
}

static int by_ppoll(void)
{
	return ppoll(NULL, 0, &wait_time, &none);
}

static int by_select(void)
{
	struct timeval time = { 0, WAIT_MS * 1000 };

	return select(0, NULL, NULL, NULL, &time);
}

static int by_pselect(void)
{
	return pselect(0, NULL, NULL, NULL, &wait_time, NULL);
}

static int by_epoll_wait(void)
{
	struct epoll_event event;

	return epoll_wait(epoll_fd, &event, 1, WAIT_MS);
}

static int by_epoll_pwait(void)
{
	struct epoll_event event;

	return epoll_pwait(epoll_fd, &event, 1, WAIT_MS, &none);
}

static int by_nanosleep(void)
{
	return nanosleep(&wait_time, NULL);
}

static int by_clock_nanosleep(void)
{
	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &wait_time, NULL);
	return errno == 0 ? 0 : -1;
}

static int by_clock_nanosleep_until(void)
{
	const struct timespec until = time_from_now(CLOCK_REALTIME);

	errno = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
	return errno == 0 ? 0 : -1;
}

static int by_usleep(void)
{
	return usleep(WAIT_MS * 1000);
}

static int by_sleep(void)
{
	errno = EINTR;
	return sleep(1) == 0 ? 0 : -1;
}

static int by_thrd_sleep(void)
{
	errno = EINTR;
	return thrd_sleep(&wait_time, NULL);
}

/* -------------------------------------------- waits that another thread
 * ends */

static volatile sig_atomic_t n_handled;
static pthread_t first;

static volatile sig_atomic_t is_over;

static void handle(int number)
{
	(void)number;
	n_handled++;
}

/* Repeats signals until one comes after the beginning of the wait. */
static void *send_usr1(void *nothing)
{
	for (int i = 0; i < 200 && !is_over; i++) {
		nanosleep(&wait_time, NULL);
		pthread_kill(first, SIGUSR1);
	}
	if (!is_over) {
		printf("200 signals ended no wait\n");
		exit(1);
	}
	return nothing;
}

static int while_one_does(void *(*deed)(void *), int (*wait)(void))
{
	pthread_t thread;

	is_over = 0;
	if (pthread_create(&thread, NULL, deed, NULL) != 0)
		return -1;
	const int r = wait();
	const int saved = errno;
	is_over = 1;
	pthread_join(thread, NULL);
	errno = saved;
	return r;
}

/* 0 if the wait was interrupted by the program's own signal. */
static int interrupted(int r, int n)
{
	return r == -1 && errno == EINTR && n_handled > n ? 0 : -1;
}

static int pause_here(void)
{
	const int n = n_handled;

	return interrupted(pause(), n);
}

static int suspend_here(void)
{
	const int n = n_handled;
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	return interrupted(sigsuspend(&mask), n);
}

static int poll_here(void)
{
	const int n = n_handled;

	return interrupted(poll(NULL, 0, -1), n);
}

static int by_pause(void)
{
	return while_one_does(send_usr1, pause_here);
}

static int by_sigsuspend(void)
{
	return while_one_does(send_usr1, suspend_here);
}

static int by_interrupted_poll(void)
{
	return while_one_does(send_usr1, poll_here);
}

/* A handler that runs until a tick is pending, which comes after its return. */
static void handle_until_tick(int number)
{
	sigset_t pending;

	(void)number;
	do
		sigpending(&pending);
	while (!sigismember(&pending, SYC_TICK_SIGNAL) &&
	       !sigismember(&pending, SYC_TICK_SIGNAL_SECOND));
	n_handled++;
}

static int poll_until_handled(void)
{
	struct sigaction action = { .sa_handler = handle_until_tick }, before;

	sigfillset(&action.sa_mask);
	sigaction(SIGUSR1, &action, &before);
	const int r = poll_here();
	const int saved = errno;
	sigaction(SIGUSR1, &before, NULL);
	errno = saved;
	return r;
}

static int by_poll_until_handled(void)
{
	return while_one_does(send_usr1, poll_until_handled);
}

static const struct {
	const char *name;
	int (*wait)(void);
} waits[] = {
	{ "poll", by_poll },
	{ "ppoll", by_ppoll },
	{ "select", by_select },
	{ "pselect", by_pselect },
	{ "epoll_wait", by_epoll_wait },
	{ "epoll_pwait", by_epoll_pwait },
	{ "nanosleep", by_nanosleep },
	{ "clock_nanosleep", by_clock_nanosleep },
	{ "clock_nanosleep, until", by_clock_nanosleep_until },
	{ "usleep", by_usleep },
	{ "sleep", by_sleep },
	{ "thrd_sleep", by_thrd_sleep },
	{ "pause", by_pause },
	{ "sigsuspend", by_sigsuspend },
	{ "poll that a signal interrupts", by_interrupted_poll },
	{ "poll that a signal interrupts, before a tick",
	  by_poll_until_handled },
};

int main(void)
{
	const struct sigaction action = { .sa_handler = handle,
		                          .sa_flags = SA_RESTART };
	int bad = 0;

	sigaction(SIGUSR1, &action, NULL);
	first = pthread_self();
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		const int64_t begin = now_ms();
		const int r = waits[i].wait();
		const int error = errno;
		const int64_t waited = now_ms() - begin;

		/* The clock's first millisecond may be shorter */
		if (r >= 0 && waited >= WAIT_MS - 1)
			continue;
		printf("%s: %s after %d ms\n", waits[i].name,
		       r < 0 ? strerror(error) : "the call returned",
		       (int)waited);
		bad = 1;
	}
	return bad;
}
