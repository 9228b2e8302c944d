/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * short_lives.c - threads and processes that end within a few periods.
 *
 *	short_lives WAY
 *
 * With WAY `threads` threads run one after the other; with `crowd` eight at a
 * time.  With `last` one thread lives until the process ends.  With
 * `destructors` threads work in a key's destructor, too.  With `main_exit` the
 * main thread ends first.  With `exec` the program executes itself; with `fork`
 * children work for 2.5 ms.  With `failing` an exec fails each millisecond.  A
 * line for each thread holds its id and the microseconds of processor time by
 * its own clock.  Another line may hold its id, 0, and an upper bound: for a
 * child, the time from wait4().  A bound of 0 means the process's time, less
 * that of the threads.
 *
 *	short_lives measured WAY
 *
 * runs this program, and its last line holds 0, 0 and the time from wait4().
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N_THREADS 64

static sem_t has_worked;

static int64_t own_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

__attribute__((noinline)) static int64_t work_until(int64_t us)
{
	while (own_us() < us)
		;
	return own_us();
}

/* Writes a line by one call, as children write to the same file */
static void print_time(int64_t us)
{
	dprintf(STDOUT_FILENO, "%d %lld\n", (int)gettid(), (long long)us);
}

static void print_most(pid_t id, int64_t us)
{
	dprintf(STDOUT_FILENO, "%d 0 %lld\n", (int)id, (long long)us);
}

static int64_t wait_us(pid_t child)
{
	struct rusage used;

	if (child < 0 || wait4(child, NULL, 0, &used) != child)
		exit(2);
	return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) *
	               INT64_C(1000000) +
	       used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

extern char **environ;

static int run_measured(char **argv)
{
	pid_t child;

	if (posix_spawn(&child, argv[0], NULL, NULL, argv, environ) != 0)
		return 2;
	print_most(0, wait_us(child));
	return 0;
}

/* The times of a thread, which another thread prints, since printing takes
 * time, too */
struct life {
	int64_t us; /* requested, then actual time */
	pid_t tid;
};

static void print_life(const struct life *life)
{
	dprintf(STDOUT_FILENO, "%d %lld\n", (int)life->tid,
	        (long long)life->us);
}

static void *live(void *its_life)
{
	struct life *const life = its_life;

	life->tid = gettid();
	life->us = work_until(life->us);
	return NULL;
}

static pthread_key_t key;

__attribute__((noinline)) static void work_at_end(void *its_life)
{
	struct life *const life = its_life;
	const bool is_first = life->us < 10000;

	life->us = work_until(life->us + (is_first ? 5000 : 3700));
	if (is_first) /* the destructor runs once more */
		pthread_setspecific(key, life);
}

static void *live_and_end(void *its_life)
{
	live(its_life);
	pthread_setspecific(key, its_life);
	return NULL;
}

static void run_destructors(void)
{
	pthread_t thread;

	if (pthread_key_create(&key, work_at_end) != 0)
		exit(2);
	for (int i = 0; i < 10; i++) {
		struct life life = { .us = 5300 };

		if (pthread_create(&thread, NULL, live_and_end, &life) != 0)
			exit(2);
		pthread_join(thread, NULL);
		print_life(&life);
	}
}

static void *outlive_main(void *thread)
{
	pthread_join(*(pthread_t *)thread, NULL);
	print_time(work_until(20300));
	print_most(gettid(), 0); /* this thread ends the process */
	return NULL;
}

static void exit_main(int64_t began)
{
	static pthread_t self;
	pthread_t thread;

	self = pthread_self();
	if (pthread_create(&thread, NULL, outlive_main, &self) != 0)
		exit(2);
	print_time(work_until(began + 7600) - began);
	print_most(gettid(), 0);
	pthread_exit(NULL);
}

static void *stay(void *its_life)
{
	live(its_life);
	sem_post(&has_worked);
	for (;;)
		pause();
	return NULL;
}

/* 100 us to 9.5 ms */
static void run_threads(int n_at_once)
{
	pthread_t threads[N_THREADS];
	struct life lives[N_THREADS];

	for (int i = 0; i < N_THREADS; i += n_at_once) {
		for (int k = i; k < i + n_at_once; k++) {
			lives[k].us = 100 + k * 37 % N_THREADS * 149;
			if (pthread_create(&threads[k], NULL, live,
			                   &lives[k]) != 0)
				exit(2);
		}
		for (int k = i; k < i + n_at_once; k++)
			pthread_join(threads[k], NULL);
		for (int k = i; k < i + n_at_once; k++)
			print_life(&lives[k]);
	}
}

static void leave_thread(void)
{
	static struct life life = { .us = 7800 };
	pthread_t thread;

	sem_init(&has_worked, 0, 0);
	if (pthread_create(&thread, NULL, stay, &life) != 0)
		exit(2);
	while (sem_wait(&has_worked) != 0)
		;
	print_life(&life);
}

__attribute__((noinline)) static void fail_execs(void)
{
	for (int i = 0; i < 150; i++) {
		work_until(own_us() + 1000);
		execl("/nowhere", "nowhere", NULL);
	}
}

__attribute__((noinline)) static void fail_late(void)
{
	fail_execs();
	__asm__ volatile(""); /* prevents a tail call */
}

static void run_children(void)
{
	for (int i = 0; i < 12; i++) {
		const pid_t child = fork();

		if (child == 0) {
			print_time(work_until(2500));
			exit(0);
		}
		print_most(child, wait_us(child));
	}
}

int main(int argc, char **argv)
{
	const int64_t began = own_us();
	const char *const way = argc > 1 ? argv[1] : "";

	if (strcmp(way, "measured") == 0 && argc > 2) {
		argv[1] = argv[0];
		return run_measured(argv + 1);
	}
	if (strcmp(way, "threads") == 0)
		run_threads(1);
	else if (strcmp(way, "crowd") == 0)
		run_threads(8);
	else if (strcmp(way, "last") == 0)
		leave_thread();
	else if (strcmp(way, "destructors") == 0)
		run_destructors();
	else if (strcmp(way, "main_exit") == 0)
		exit_main(began);
	else if (strcmp(way, "fork") == 0)
		run_children();
	if (strcmp(way, "failing") == 0) {
		fail_execs();
		fail_late();
		print_time(own_us() - began);
		print_most(gettid(), 0);
		return 0;
	}
	if (strcmp(way, "exec") == 0) {
		/* The first exec fails: time counted before it must not count
		 * again */
		execl("/nowhere", "nowhere", NULL);
		print_time(work_until(began + 10600) - began);
		execl("/nowhere", "nowhere", NULL);
		print_time(work_until(began + 10600 + 9300) - began - 10600);
		execl(argv[0], argv[0], "end", NULL);
		return 2;
	}
	print_time(work_until(began + 5700) - began);
	print_most(gettid(), 0);
	return 0;
}
