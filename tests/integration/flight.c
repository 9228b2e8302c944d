/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flight.c DEED [NUMBER] - a program in flight mode, for flight.sh.
 *
 * Each thread emits marks "t:NUMBER", numbered from 1, with the counter of the
 * thread, and stacks with names.  Definitions come first, and are never emitted
 * again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/runtime.h>

#define THREADS_MAX 64

static uint64_t n_events;
static bool is_endless;
static int n_warm; /* threads that have filled their rings */
static int is_over;
static uint64_t name_of[THREADS_MAX];
static struct syscap_counter counters[THREADS_MAX];

static int frames(uint64_t *addrs, unsigned n, void *user)
{
	(void)n;
	addrs[0] = *(const uint64_t *)user;
	return 1;
}

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(99);
}

static void mark(const char *group, int thread, uint64_t i)
{
	char message[32];
	const int64_t now = syscap_clock();
	char *at = message + sizeof(message);

	(void)thread;
	*--at = '\0';
	do
		*--at = (char)('0' + i % 10);
	while ((i /= 10) != 0);
	syscap_mark(group, "t", now, 0, at);
}

static void define(int thread)
{
	char name[32];

	snprintf(name, sizeof(name), "named_%d", thread);
	name_of[thread] = syscap_jit_intern(name, strlen(name));
	syscap_metadata("flight.test", name);
	syscap_sample(frames, &name_of[thread]);
	snprintf(counters[thread].name, sizeof(counters[thread].name),
	         "counter_%d", thread);
	snprintf(counters[thread].category, sizeof(counters[thread].category),
	         "flight");
	counters[thread].type = SYSCAP_INT64;
}

static void *emit(void *number)
{
	const int thread = (int)(intptr_t)number;

	define(thread);
	for (uint64_t i = 1;
	     is_endless ? __atomic_load_n(&is_over, __ATOMIC_RELAXED) == 0
	                : i <= n_events;
	     i++) {
		mark("flight", thread, i);
		if (i == 10000 && is_endless &&
		    __atomic_add_fetch(&n_warm, 1, __ATOMIC_SEQ_CST) == 8)
			say("warm\n");
		if (i % 64 == 0) {
			syscap_counter_set_int64(&counters[thread], (int64_t)i);
			syscap_sample(frames, &name_of[thread]);
		}
	}
	return NULL;
}

static void run_threads(int n)
{
	pthread_t threads[THREADS_MAX];

	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, emit,
		                   (void *)(intptr_t)i) != 0)
			exit(98);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

/* ------------------------------------------------- handlers that interrupt */

static sigjmp_buf out;
static volatile sig_atomic_t may_jump;
static uint64_t n_inner;

static void on_alarm(int signal)
{
	(void)signal;
	mark("inner", 0, ++n_inner);
	if (may_jump && n_inner % 8 == 0) {
		may_jump = 0;
		siglongjmp(out, 1);
	}
}

static void start_alarms(void)
{
	struct sigaction action = { .sa_handler = on_alarm,
		                    .sa_flags = SA_RESTART };
	const struct itimerspec pace = { { 0, 50000 }, { 0, 50000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
		                  .sigev_signo = SIGALRM };
	timer_t timer;

	sigaction(SIGALRM, &action, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &pace, NULL);
}

static void run_jumps(void)
{
	static volatile uint64_t i;

	define(0);
	start_alarms();
	for (i = 1; i <= n_events; i++) {
		if (sigsetjmp(out, 1) == 0) {
			may_jump = 1;
			mark("flight", 0, i);
			may_jump = 0;
		}
	}
	signal(SIGALRM, SIG_IGN);
}

/* ------------------------------------------------------- definitions */

/* Define a counter in each round, and set counters that were defined up to 300
 * rounds before, whose definitions leave the ring. */
static void run_definitions(void)
{
	static struct syscap_counter made[2000];
	const int n = (int)(sizeof(made) / sizeof(made[0]));
	const struct timespec pause = { 0, 1000000 };

	for (int round = 0;; round++) {
		struct syscap_counter *const counter = &made[round % n];

		if (round < n) {
			snprintf(counter->name, sizeof(counter->name),
			         "made_%d", round);
			counter->type = SYSCAP_INT64;
		}
		for (int i = 0; i < 300 && i <= round; i += 20)
			syscap_counter_set_int64(&made[(round - i) % n], round);
		for (int i = 1; i <= 80; i++)
			mark("flight", 0, 80 * (uint64_t)round + (uint64_t)i);
		if (round == 500)
			say("warm\n");
		nanosleep(&pause, NULL);
	}
}

/* ----------------------------------------------- snapshots by the program */

static void expect(int result, int expected)
{
	if (result == expected)
		return;
	fprintf(stderr, "syscap_snapshot: %d, not %d\n", result, expected);
	exit(95);
}

static void *snapshots(void *name)
{
	char path[32];

	while (__atomic_load_n(&n_warm, __ATOMIC_SEQ_CST) < 8)
		usleep(1000);
	for (uint64_t i = 1; i <= n_events; i++) {
		snprintf(path, sizeof(path), "%s%d.syscap", (char *)name,
		         (int)i);
		expect(syscap_snapshot(path), 0);
	}
	return NULL;
}

static int is_over;

/* ThreadSanitizer reports races of close() with the library's calls. */
static void *close_fds(void *unused)
{
	while (__atomic_load_n(&is_over, __ATOMIC_RELAXED) == 0)
		for (long fd = 100; fd < 140; fd++)
			syscall(SYS_close, fd);
	return unused;
}

/* A snapshot that fails because the program closes its fds leaves no file. */
static void run_closing(void)
{
	const char *const path = "closing.syscap";
	pthread_t thread;

	SYSCAP_MARK("app", "flight", syscap_clock(), 1, NULL);
	if (pthread_create(&thread, NULL, close_fds, NULL) != 0)
		exit(2);
	for (int i = 0; i < 2000; i++) {
		const int r = syscap_snapshot(path);

		expect(unlink(path), r == 0 || r == -EAGAIN ? 0 : -1);
	}
	__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}

/* Two threads take snapshots while eight threads emit. */
static void run_snapshots(void)
{
	pthread_t threads[10];

	is_endless = true;
	for (int i = 0; i < 8; i++)
		if (pthread_create(&threads[i], NULL, emit,
		                   (void *)(intptr_t)i) != 0)
			exit(98);
	for (int i = 8; i < 10; i++)
		if (pthread_create(&threads[i], NULL, snapshots,
		                   i == 8 ? "a" : "b") != 0)
			exit(98);
	for (int i = 8; i < 10; i++)
		pthread_join(threads[i], NULL);
	__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}

static void on_signal(int signal)
{
	(void)signal;
	expect(syscap_snapshot("signal.syscap"), 0);
}

/* Results of the call in one thread. */
static void run_results(void)
{
	expect(syscap_snapshot("x.syscap"), -ENODATA);
	emit(NULL);
	expect(syscap_snapshot(""), -EINVAL);
	expect(syscap_snapshot("/nowhere/x.syscap"), -ENOENT);
	expect(syscap_snapshot("r-%n.syscap"), 0);
	/* An existing file does not change */
	expect(syscap_snapshot("r-flight.syscap"), 0);
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	expect(syscap_snapshot("closed.syscap"), 0);
	const pid_t child = fork();
	if (child == 0) {
		expect(syscap_snapshot("x.syscap"), -ENODATA);
		mark("child", 0, 1);
		expect(syscap_snapshot("child.syscap"), 0);
		exit(0);
	}
	int status;
	if (waitpid(child, &status, 0) != child || status != 0)
		exit(94);
	rename("o.syscap", "gone.syscap");
	expect(syscap_snapshot("x.syscap"), -ESTALE);
}

/* Emit for @seconds, between two system calls that a tracer can find.  Print how
 * often the process slept. */
static int run_quietly(int seconds)
{
	struct rusage before, after;
	uint64_t i = n_events;

	/* The first lap gets the ring's memory */
	emit(NULL);
	getrusage(RUSAGE_SELF, &before);
	if (access("/flight-begin", F_OK) == 0)
		return 97;
	const int64_t end = syscap_clock() + seconds * INT64_C(1000000000);
	do
		for (int k = 0; k < 1000; k++)
			mark("flight", 0, ++i);
	while (syscap_clock() < end);
	if (access("/flight-end", F_OK) == 0)
		return 97;
	getrusage(RUSAGE_SELF, &after);
	printf("%llu events, %ld sleeps\n", (unsigned long long)(i - n_events),
	       after.ru_nvcsw - before.ru_nvcsw);
	return 0;
}

static void pause_forever(void)
{
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	const char *const deed = argc > 1 ? argv[1] : "";

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	n_events = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
	if (strcmp(deed, "one") == 0) {
		emit(NULL);
	} else if (strcmp(deed, "pause") == 0) {
		emit(NULL);
		say("done\n");
		pause_forever();
	} else if (strcmp(deed, "threads") == 0) {
		run_threads(8);
	} else if (strcmp(deed, "endless") == 0) {
		is_endless = true;
		say("done\n");
		run_threads(8);
	} else if (strcmp(deed, "jumps") == 0) {
		run_jumps();
	} else if (strcmp(deed, "snapshots") == 0) {
		run_snapshots();
	} else if (strcmp(deed, "closing") == 0) {
		run_closing();
	} else if (strcmp(deed, "results") == 0) {
		run_results();
	} else if (strcmp(deed, "defines") == 0) {
		run_definitions();
	} else if (strcmp(deed, "short") == 0) {
		/* Many short threads, of which the first have the names */
		for (int i = 0; i < 100; i++) {
			pthread_t thread;

			if (pthread_create(&thread, NULL, emit,
			                   (void *)(intptr_t)(i % 4)) != 0)
				return 98;
			pthread_join(thread, NULL);
		}
	} else if (strcmp(deed, "fork") == 0) {
		emit(NULL);
		const pid_t child = fork();

		if (child == 0) {
			for (uint64_t i = 1; i <= n_events; i++)
				mark("child", 0, i);
			return 0;
		}
		waitpid(child, NULL, 0);
		for (uint64_t i = n_events + 1; i <= 2 * n_events; i++)
			mark("flight", 0, i);
	} else if (strcmp(deed, "quiet") == 0) {
		return run_quietly(argc > 3 ? atoi(argv[3]) : 0);
	} else if (strcmp(deed, "start") == 0) {
		struct syscap_options options = { .size = sizeof(options),
			                          .output = "start.syscap",
			                          .flags = SYSCAP_FLIGHT };

		if (syscap_start(&options) != 0) {
			puts(options.message);
			return 1;
		}
		emit(NULL);
		return syscap_stop() == 0 ? 0 : 2;
	} else {
		return 96;
	}
	return 0;
}
