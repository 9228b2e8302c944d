/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample_takes_all.c - a program without instrumentation takes all signals, and
 * then handles the ticks' signal.  Ticks then use another signal, which the
 * program must not get either.
 *
 *	sample_takes_all waits|signalfd|all_but_urgent|few|forks|cancelled
 *
 * Exits 0, or prints the error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sampler/tick_signal.h"

#define MS 1000000

static sigset_t all;
static siginfo_t tick;

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / MS;
}

static void work(int ms)
{
	const int64_t until = now_ms() + ms;

	while (now_ms() < until)
		;
}

static void fail(const char *what, int saw)
{
	printf("%s: %d\n", what, saw);
	exit(1);
}

/* Takes a tick by a bare system call. */
static void catch_tick(void)
{
	const uint64_t urgent = UINT64_C(1) << (SYC_TICK_SIGNAL - 1);
	const struct timespec second = { 1, 0 };
	sigset_t before;

	pthread_sigmask(SIG_SETMASK, &all, &before);
	const long number = syscall(SYS_rt_sigtimedwait, &urgent, &tick,
	                            &second, sizeof(urgent));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (number != SYC_TICK_SIGNAL || tick.si_code != SI_TIMER) {
		printf("no tick came by the first signal: %ld\n", number);
		exit(1);
	}
}

/* --------------------------------------- a wait while ticks get another
 * signal */

static pid_t waiter;

/* Sends a tick as the second signal, like the waiter's timer after the
 * change. */
static void *send_tick(void *nothing)
{
	struct timespec soon = { 0, 50 * MS };

	nanosleep(&soon, NULL);
	tick.si_signo = SYC_TICK_SIGNAL_SECOND;
	if (syscall(SYS_rt_tgsigqueueinfo, getpid(), waiter,
	            SYC_TICK_SIGNAL_SECOND, &tick) != 0)
		fail("a tick can't be sent", errno);
	return nothing;
}

static void *send_tick_and_usr1(void *nothing)
{
	send_tick(nothing);
	struct timespec soon = { 0, 50 * MS };
	nanosleep(&soon, NULL);
	syscall(SYS_tgkill, getpid(), waiter, SIGUSR1);
	return nothing;
}

static void wait_beside(void *(*deed)(void *), void (*wait)(void))
{
	pthread_t thread;

	waiter = gettid();
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_create(&thread, NULL, deed, NULL);
	wait();
	pthread_join(thread, NULL);
}

static void wait_in_vain(void)
{
	const struct timespec a_while = { 0, 200 * MS };
	const int64_t began = now_ms();
	const int r = sigtimedwait(&all, NULL, &a_while);
	const int error = errno;

	if (r >= 0 || error != EAGAIN)
		fail("sigtimedwait() returned", r);
	if (now_ms() - began < 199)
		fail("sigtimedwait() took ms", (int)(now_ms() - began));
}

static void wait_for_info(void)
{
	siginfo_t info;
	const int r = sigwaitinfo(&all, &info);

	if (r != SIGUSR1 || info.si_signo != SIGUSR1)
		fail("sigwaitinfo() returned", r);
}

static void wait_for_number(void)
{
	int number = 0;
	const int r = sigwait(&all, &number);

	if (r != 0 || number != SIGUSR1)
		fail("sigwait() said", number);
}

/* The second signal from a terminal is no tick. */
static void wait_for_own(void)
{
	const struct timespec second = { 1, 0 };
	int r;

	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_kill(pthread_self(), SYC_TICK_SIGNAL_SECOND);
	r = sigtimedwait(&all, NULL, &second);
	if (r != SYC_TICK_SIGNAL_SECOND)
		fail("the program's own second signal was lost", r);
}

/* ---------------------------------------------------- reads from a signalfd */

static void handle(int number)
{
	(void)number;
}

static int read_signal(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == sizeof(info)
	               ? (int)info.ssi_signo
	               : 0;
}

static void take_urgent(void)
{
	const struct sigaction action = { .sa_handler = handle };

	sigaction(SYC_TICK_SIGNAL, &action, NULL);
}

/* Sets a handler for the first signal.  Afterwards, while the thread blocks all
 * signals, @fd may only give SIGUSR1. */
static void expect_no_tick(int fd)
{
	sigset_t none;

	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	take_urgent();
	for (int i = 0; i < 5; i++) {
		work(200); /* the thread has a timer by then */
		pthread_sigmask(SIG_SETMASK, &all, NULL);
		work(20);
		const int number = read_signal(fd);
		if (number != 0)
			fail("a signalfd gave", number);
		pthread_sigmask(SIG_SETMASK, &none, NULL);
	}
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_kill(pthread_self(), SIGUSR1);
	const int number = read_signal(fd);
	if (number != SIGUSR1)
		fail("a signalfd did not give SIGUSR1, but", number);
}

static int make_signalfd(const sigset_t *set)
{
	return signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Reads by a duplicate of a closed signalfd. */
static void use_signalfd(void)
{
	const int for_all = make_signalfd(&all);
	const int other = dup(for_all);

	close(for_all);
	expect_no_tick(other);
}

static void use_all_but_urgent(void)
{
	sigset_t set = all;

	sigdelset(&set, SYC_TICK_SIGNAL);
	expect_no_tick(make_signalfd(&set));
}

/* Uses the signal that the sampler would take next. */
static void use_few(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SYC_TICK_SIGNAL_SECOND);
	sigaddset(&set, SIGUSR1);
	expect_no_tick(make_signalfd(&set));
}

/* A child's signal handlers change nothing for its parent. */
static void let_child_take_urgent(void)
{
	const int fd = make_signalfd(&all);
	int number, status;

	const pid_t pid = fork();
	if (pid == 0) {
		work(50);
		take_urgent();
		work(50);
		_exit(0);
	}
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	waitpid(pid, &status, 0);
	while ((number = read_signal(fd)) == SIGCHLD)
		;
	if (number != 0)
		fail("a signalfd gave", number);
	pthread_kill(pthread_self(), SYC_TICK_SIGNAL_SECOND);
	number = read_signal(fd);
	if (number != SYC_TICK_SIGNAL_SECOND)
		fail("a signalfd did not give the second signal, but", number);
}

static volatile sig_atomic_t was_reached;

static void *take_urgent_cancelled(void *nothing)
{
	pthread_cancel(pthread_self());
	take_urgent();
	was_reached = 1;
	pthread_testcancel();
	return nothing;
}

/* sigaction() is no cancellation point. */
static void cancel_who_takes_urgent(void)
{
	pthread_t thread;

	make_signalfd(&all);
	if (pthread_create(&thread, NULL, take_urgent_cancelled, NULL) != 0)
		fail("no thread", errno);
	pthread_join(thread, NULL);
	if (!was_reached)
		fail("sigaction() was cancelled", 0);
}

static void use_waits(void)
{
	catch_tick();
	wait_beside(send_tick, wait_in_vain);
	wait_beside(send_tick_and_usr1, wait_for_info);
	wait_beside(send_tick_and_usr1, wait_for_number);
	wait_for_own();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*deed)(void);
	} deeds[] = {
		{ "waits", use_waits },
		{ "signalfd", use_signalfd },
		{ "all_but_urgent", use_all_but_urgent },
		{ "few", use_few },
		{ "forks", let_child_take_urgent },
		{ "cancelled", cancel_who_takes_urgent },
	};
	const size_t n = sizeof(deeds) / sizeof(*deeds);

	sigfillset(&all);
	for (size_t i = 0; i < n; i++)
		if (argc == 2 && strcmp(argv[1], deeds[i].name) == 0) {
			deeds[i].deed();
			return 0;
		}
	fprintf(stderr, "sample_takes_all: what is to be done?\n");
	return 2;
}
