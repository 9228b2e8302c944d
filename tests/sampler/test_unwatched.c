/* SPDX-License-Identifier: BSD-2-Clause */
/* test_unwatched.c - a linked program that is sampled without a thread of the
 * library: SYSCAP_THREAD=0. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/tsan.h"
#include "harness/written.h"
#include "sampler/sampling.h"

#define WORKERS_MOST 3

static _Atomic int must_end, n_running;

/* Run CHILD @child in its own recording, without a thread of the library. */
static void run_alone(const char *child, const char *sample)
{
	char output[300], sampling[100];
	const char *const env[] = { output, sampling, "SYSCAP_THREAD=0", NULL };
	char *const dir = written_make_dir();

	SKIP_UNDER_TSAN(); /* TSan has its own thread */
	snprintf(output, sizeof(output), "SYSCAP_OUTPUT=%s/capture", dir);
	snprintf(sampling, sizeof(sampling), "%s",
	         sample != NULL ? sample : "X=");
	written_run(child, NULL, env, -1);
	written_remove_dir(dir);
}

static int count_threads(void)
{
	DIR *const dir = opendir("/proc/self/task");
	int n = 0;

	CHECK(dir != NULL);
	for (struct dirent *e; (e = readdir(dir)) != NULL;)
		n += e->d_name[0] != '.';
	closedir(dir);
	return n;
}

static bool has_samples(int n)
{
	return sampling_stats().n_samples >= (uint64_t)n;
}

CHILD(enters_a_namespace)
{
	/* so that only the child enters the namespace */
	const pid_t pid = fork();

	CHECK_EQ(sampling_stats().n_threads, 1);
	while (!has_samples(5) && pid > 0)
		sampling_burn(10);
	CHECK_EQ(count_threads(), 1);
	if (pid == 0)
		_exit(0);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	/* EPERM: forbidden here; two threads would get EINVAL */
	if (unshare(CLONE_NEWUSER) != 0 && errno != EPERM && errno != ENOSPC)
		test_fail(__FILE__, __LINE__, "unshare(): %s", strerror(errno));
}

TEST(sampled_program_may_enter_a_user_namespace)
{
	run_alone("enters_a_namespace", "SYSCAP_SAMPLE=1000");
	run_alone("enters_a_namespace", "SYSCAP_SAMPLE=1000,wall");
}

static void *burn_until_told(void *blocks)
{
	/* a thread of the library would block all signals */
	sigset_t nearly_all;

	sigfillset(&nearly_all);
	sigdelset(&nearly_all, SIGUSR1);
	if (blocks != NULL)
		pthread_sigmask(SIG_BLOCK, &nearly_all, NULL);
	n_running++;
	while (!must_end)
		sampling_burn(5);
	return NULL;
}

static bool all_have_timers(int n)
{
	return sampling_stats().n_threads == (uint32_t)n;
}

static bool is_unsampled(int n)
{
	return sampling_stats().n_unsampled == (uint32_t)n;
}

/* Sleep, like a program that has started its workers; returns the number of
 * wakeups. */
static int sleep_until(bool (*condition)(int of), int of)
{
	int n_woken = 0;

	for (int i = 0; !condition(of); i++) {
		CHECK(i < 600);
		n_woken += poll(NULL, 0, 50) != 0;
	}
	return n_woken;
}

/* Before Linux 6.4 a signal to the process goes to the first thread. */
static bool kernel_chooses_who_runs(void)
{
	struct utsname name;
	int major, minor;

	return uname(&name) == 0 &&
	       sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 4));
}

/* Runs @n workers beside @before others.  Returns the number of wakeups. */
static int run_workers(int before, int n)
{
	pthread_t threads[WORKERS_MOST];

	for (int i = 0; i < n; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, burn_until_told,
		                        NULL),
		         0);
	const int n_woken = sleep_until(all_have_timers, 1 + before + n);
	CHECK_EQ(count_threads(), 1 + before + n);
	must_end = 1;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return n_woken;
}

/* A tick may hit the first thread just before its sleep, but not each time. */
CHILD(makes_workers_and_sleeps)
{
	bool has_slept[2] = { false, false };

	for (int i = 0; !has_slept[0] || !has_slept[1]; i++) {
		CHECK(i < 20);
		must_end = 0;
		if (run_workers(0, i % 2 == 0 ? 1 : WORKERS_MOST) == 0 ||
		    !kernel_chooses_who_runs())
			has_slept[i % 2] = true;
	}
}

TEST(running_threads_are_found_without_waking_the_first)
{
	run_alone("makes_workers_and_sleeps", "SYSCAP_SAMPLE=1000");
}

CHILD(starts_with_workers)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, burn_until_told, NULL), 0);
	while (n_running == 0)
		sampling_sleep(1);
	sampling_start(SYSCAP_SAMPLER_CPU, 1000);
	CHECK_EQ(sampling_stats().n_threads, 2);
	CHECK_EQ(sampling_timers(), 3);
	CHECK_EQ(syscap_sampler_stop(), 0);
	CHECK_EQ(sampling_timers(), 0);
	sampling_start(SYSCAP_SAMPLER_CPU, 1000);
	run_workers(1, WORKERS_MOST);
	pthread_join(thread, NULL);
	CHECK_EQ(syscap_sampler_stop(), 0);
	CHECK_EQ(sampling_timers(), 0);
}

TEST(start_finds_existing_threads_and_stop_leaves_no_timer)
{
	run_alone("starts_with_workers", NULL);
}

CHILD(has_a_worker_that_blocks_all)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, burn_until_told, &must_end), 0);
	sleep_until(is_unsampled, 1);
	CHECK_EQ(sampling_stats().n_threads, 1);
	must_end = 1;
	pthread_join(thread, NULL);
}

TEST(blocking_thread_is_counted_by_another)
{
	run_alone("has_a_worker_that_blocks_all", "SYSCAP_SAMPLE=1000");
}

CHILD(is_toggled)
{
	CHECK_EQ(count_threads(), 1);
	CHECK_EQ(sampling_stats().hz, 0);
}

TEST(toggle_without_threads_is_refused)
{
	run_alone("is_toggled", "SYSCAP_TOGGLE_SIGNAL=12");
}
