/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * soak_odd.c - a program without instrumentation.  The threads do the soak's
 * operations and, at the same time, operations that expose faults of a sampler.
 * Threads and children reset signals, accept any signal, recurse deeply, have
 * small stacks, and start other programs.
 *
 *	soak_odd SECONDS [PROGRAM]...
 *
 * Starts each PROGRAM, which has to end with 0.  Exits 0, or 1 if a thread was
 * harmed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sampler/soak_deeds.h"
#include "sampler/tick_signal.h"

extern char **environ;

static sigset_t all;
static char **programs;
static int64_t half_time;

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void expect_end(pid_t pid, int expected, const char *what)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return;
	if (status == expected << 8)
		return;
	fprintf(stderr, "status %#x: ", (unsigned)status);
	soak_harmed(what);
}

/* ------------------------------------------------ all signals to default */

static void reset_all(void)
{
	for (int s = 1; s <= SIGRTMAX; s++)
		signal(s, SIG_DFL);
}

/* Resets all signals without the C library. */
static void reset_all_unseen(void)
{
	static const char none[64];

	for (int s = 1; s <= SIGRTMAX; s++)
		syscall(SYS_rt_sigaction, s, none, NULL, 8);
}

/* A child lives longer than its first 10 ms, which have no ticks. */
static void reset_in_child(void)
{
	static unsigned n;
	const bool is_seen = n++ % 2 == 0;
	const pid_t pid = fork();

	if (pid == 0) {
		const int64_t until = now_ms() + 20;

		if (is_seen)
			reset_all();
		else
			reset_all_unseen();
		while (now_ms() < until)
			soak_work(1000);
		_exit(5);
	}
	if (pid > 0)
		expect_end(pid, 5, "a child that reset all signals");
}

static void start(const char *program, bool resets)
{
	char *const argv[] = { (char *)program, NULL };
	posix_spawnattr_t attr;
	pid_t pid;

	posix_spawnattr_init(&attr);
	if (resets) {
		posix_spawnattr_setsigdefault(&attr, &all);
		posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	}
	if (posix_spawn(&pid, program, NULL, &attr, argv, environ) == 0)
		expect_end(pid, 0, program);
	else
		soak_harmed("posix_spawn() failed");
	posix_spawnattr_destroy(&attr);
}

static void start_programs(void)
{
	start("/bin/true", false);
	start("/bin/true", true);
	for (char **program = programs; *program != NULL; program++)
		start(*program, false);
}

/* -------------------------------------------------- taking any signal */

static void check_foreign(int signal)
{
	if (signal > 0 && signal != SIGCHLD) {
		fprintf(stderr, "signal %d: ", signal);
		soak_harmed("a signal arrived that was not sent");
	}
}

static void *take_all(void *nothing)
{
	const struct timespec soon = { 0, 2000000 };
	struct signalfd_siginfo info;

	soak_work(100000);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	const int fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	for (int i = 0; i < 10; i++) {
		soak_work(100000);
		check_foreign(sigtimedwait(&all, NULL, &soon));
		if (read(fd, &info, sizeof(info)) > 0)
			check_foreign((int)info.ssi_signo);
	}
	close(fd);
	return nothing;
}

static void join(const pthread_attr_t *attr, void *(*run)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, attr, run, NULL) == 0)
		pthread_join(thread, NULL);
}

static void take_all_in_thread(void)
{
	join(NULL, take_all);
}

/* ------------------------------------------------- a use for the sampler's
 * signal */

static volatile sig_atomic_t n_of_others;
static __thread volatile sig_atomic_t n_urgent;

static void count(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	n_urgent++;
	if (info->si_code != SI_TKILL)
		n_of_others = 1;
}

static void handle_urgent(void)
{
	const struct sigaction action = { .sa_sigaction = count,
		                          .sa_flags = SA_SIGINFO };

	n_urgent = 0;
	if (sigaction(SYC_TICK_SIGNAL, &action, NULL) != 0)
		return;
	for (int i = 0; i < 50; i++) {
		pthread_kill(pthread_self(), SYC_TICK_SIGNAL);
		soak_work(20000);
	}
	if (n_urgent != 50 || n_of_others != 0)
		soak_harmed("the signal is not what was sent");
}

/* Handles the tick's signal in the second half of the time: from then on, ticks
 * use another signal. */
static void use_signals(void)
{
	for (int s = 1; s <= SIGRTMAX; s++)
		if (s != SIGUSR1)
			signal(s, SIG_DFL);
	soak_work(1000000);
	if (now_ms() > half_time)
		handle_urgent();
}

/* ----------------------------------------------------------- deep stacks */

static volatile unsigned n_dug;

static __attribute__((noinline)) unsigned dig(unsigned depth)
{
	if (depth == 0) {
		for (unsigned i = 0; i < 5000000; i++)
			n_dug++;
		return 1;
	}
	return dig(depth - 1) + n_dug % 2;
}

static void *dig_deeply(void *nothing)
{
	return dig(1000000) == 0 ? NULL : nothing;
}

static void recurse(void)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	if (pthread_attr_setstacksize(&attr, (size_t)256 << 20) == 0)
		join(&attr, dig_deeply);
	pthread_attr_destroy(&attr);
}

/* ---------------------------------------------------------- small stacks */

static void *use_stack(void *nothing)
{
	volatile char used[6000];

	memset((char *)used, 1, sizeof(used));
	soak_work(1000000);
	if (used[5] != 1)
		soak_harmed("a small stack was written to");
	return nothing;
}

/* Maps @size bytes, with an inaccessible page below. */
static char *map_guarded(size_t size)
{
	const size_t guard = 65536;
	char *const memory = mmap(NULL, guard + size, PROT_NONE,
	                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	mprotect(memory + guard, size, PROT_READ | PROT_WRITE);
	return memory + guard;
}

static void have_small_stacks(void)
{
	static char *memory;
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
	join(&attr, use_stack);
	if (memory == NULL)
		memory = map_guarded(PTHREAD_STACK_MIN);
	if (memory != NULL) {
		pthread_attr_setstack(&attr, memory, PTHREAD_STACK_MIN);
		join(&attr, use_stack);
	}
	pthread_attr_destroy(&attr);
}

static void *use_alternate_stack(void *memory)
{
	stack_t stack = { .ss_sp = memory, .ss_size = 5120 };

	/* true if the kernel accepts the size */
	if (sigaltstack(&stack, NULL) == 0)
		soak_work(3000000);
	stack.ss_size = 8192;
	if (sigaltstack(&stack, NULL) == 0)
		for (int i = 0; i < 50; i++)
			pthread_kill(pthread_self(), SIGUSR1);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	return NULL;
}

static void have_small_alternate_stacks(void)
{
	static char *memory;
	pthread_t thread;

	if (memory == NULL)
		memory = map_guarded(8192);
	if (memory != NULL &&
	    pthread_create(&thread, NULL, use_alternate_stack, memory) == 0)
		pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	static soak_deed *const odd[] = {
		reset_in_child,
		start_programs,
		take_all_in_thread,
		use_signals,
		recurse,
		have_small_stacks,
		have_small_alternate_stacks,
	};
	const unsigned n_odd = sizeof(odd) / sizeof(*odd);
	soak_deed *deeds[SOAK_MAX_DEEDS];
	const int seconds = argc > 1 ? atoi(argv[1]) : 3;

	sigfillset(&all);
	programs = &argv[argc > 2 ? 2 : argc];
	half_time = now_ms() + seconds * INT64_C(500);
	memcpy(deeds, soak_deeds, sizeof(soak_deeds));
	memcpy(&deeds[SOAK_N_DEEDS], odd, sizeof(odd));
	soak_run(seconds, deeds, SOAK_N_DEEDS + n_odd, NULL);
	return soak_count_harmed() != 0;
}
