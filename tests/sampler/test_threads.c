/* SPDX-License-Identifier: BSD-2-Clause */
/* test_threads.c - the set of sampled threads, their rate, and their begin and
 * end. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/test.h"
#include "harness/tsan.h"
#include "sampler/sampling.h"

#define N 8

/* ThreadSanitizer delays handlers, and keeps only one of the signals that
 * arrive during the delay. */
#define GETS_ALL_TICKS (!TEST_HAS_TSAN)

struct worker {
	pthread_t thread;
	int tid, ms;
	uint32_t may_end;
};

static void *burn(void *arg)
{
	struct worker *const w = arg;

	__atomic_store_n(&w->tid, gettid(), __ATOMIC_RELEASE);
	sampling_burn(w->ms);
	sampling_leave();
	return NULL;
}

static void *sleep_until_told(void *arg)
{
	struct worker *const w = arg;

	__atomic_store_n(&w->tid, gettid(), __ATOMIC_RELEASE);
	while (__atomic_load_n(&w->may_end, __ATOMIC_ACQUIRE) == 0)
		usleep(1000);
	sampling_leave();
	return NULL;
}

static bool has_threads(int n)
{
	return sampling_stats().n_threads == (uint32_t)n;
}

static bool has_timers(int n)
{
	return sampling_timers() == n;
}

static bool is_listed(int tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d", tid);
	return access(path, F_OK) == 0;
}

TEST(every_running_thread_is_in_the_capture)
{
	struct worker workers[N] = { 0 };

	sampling_record();
	workers[0].ms = workers[1].ms = 300;
	for (int i = 0; i < N; i++)
		CHECK_EQ(pthread_create(&workers[i].thread, NULL,
		                        i < 2 ? burn : sleep_until_told,
		                        &workers[i]),
		         0);
	sampling_start(SYSCAP_SAMPLER_CPU, 1000);
	for (int i = 2; i < N; i++) {
		__atomic_store_n(&workers[i].may_end, 1, __ATOMIC_RELEASE);
		pthread_join(workers[i].thread, NULL);
	}
	/* comes later */
	workers[2].ms = 300;
	CHECK_EQ(pthread_create(&workers[2].thread, NULL, burn, &workers[2]),
	         0);
	for (int i = 0; i < 3; i++)
		pthread_join(workers[i].thread, NULL);
	CHECK_EQ(syscap_sampler_stop(), 0);
	const struct syscap_sampler_stats stats = sampling_stats();
	CHECK(stats.n_due > (GETS_ALL_TICKS ? 400 : 0));
	/* A tick may arrive when its thread can no longer get a ring */
	CHECK(stats.n_refused <= N);
	CHECK_EQ(sampling_finish(0, NULL), stats.n_samples);
}

TEST(sample_has_the_id_of_its_thread)
{
	struct worker w = { .ms = 300 };
	uint64_t weight;

	sampling_record();
	sampling_start(SYSCAP_SAMPLER_CPU, 1000);
	CHECK_EQ(pthread_create(&w.thread, NULL, burn, &w), 0);
	pthread_join(w.thread, NULL);
	CHECK_EQ(syscap_sampler_stop(), 0);
	CHECK(sampling_finish(w.tid, &weight) != 0);
	/* the time before the thread was found is missing */
	CHECK(weight >= (GETS_ALL_TICKS ? 100 : 1) && weight <= 330);
}

TEST(new_thread_has_a_timer_within_100_ms)
{
	int64_t best = INT64_MAX;

	sampling_start(SYSCAP_SAMPLER_CPU, 100);
	CHECK(sampling_wait(has_threads, 1, 5000));
	for (int i = 0; i < 10 && best > 100; i++) {
		struct worker w = { 0 };
		const int64_t begin = sampling_wall_ms();

		CHECK_EQ(pthread_create(&w.thread, NULL, sleep_until_told, &w),
		         0);
		CHECK(sampling_wait(has_threads, 2, 20000));
		if (sampling_wall_ms() - begin < best)
			best = sampling_wall_ms() - begin;
		__atomic_store_n(&w.may_end, 1, __ATOMIC_RELEASE);
		pthread_join(w.thread, NULL);
		CHECK(sampling_wait(has_threads, 1, 20000));
	}
	CHECK(best <= 100);
	CHECK_EQ(syscap_sampler_stop(), 0);
}

TEST(dead_threads_leave_no_timer)
{
	const int before = sampling_timers();

	if (before < 0)
		SKIP("there is no /proc/self/timers");
	sampling_start(SYSCAP_SAMPLER_CPU, 100);
	for (int round = 0; round < 5; round++) {
		struct worker workers[N] = { 0 };

		for (int i = 0; i < N; i++)
			CHECK_EQ(pthread_create(&workers[i].thread, NULL,
			                        sleep_until_told, &workers[i]),
			         0);
		CHECK(sampling_wait(has_timers, before + 1 + N, 20000));
		for (int i = 0; i < N; i++)
			__atomic_store_n(&workers[i].may_end, 1,
			                 __ATOMIC_RELEASE);
		for (int i = 0; i < N; i++)
			pthread_join(workers[i].thread, NULL);
		CHECK(sampling_wait(has_timers, before + 1, 20000));
	}
	CHECK_EQ(syscap_sampler_stop(), 0);
	CHECK_EQ(sampling_timers(), before);
	CHECK_EQ(sampling_stats().n_threads, 0);
}

TEST(library_threads_are_not_sampled)
{
	SKIP_UNDER_TSAN(); /* TSan's thread blocks signals */
	sampling_record();
	SYSCAP_INSTANT("test", "makes the drain thread", NULL);
	sampling_start(SYSCAP_SAMPLER_WALL, 100);
	sampling_sleep(300);
	CHECK_EQ(sampling_stats().n_threads, 1);
	CHECK_EQ(sampling_stats().n_unsampled, 0);
	CHECK_EQ(syscap_sampler_stop(), 0);
	sampling_finish(0, NULL);
}

TEST(weights_add_up_to_the_processor_time)
{
	sampling_record();
	sampling_start(SYSCAP_SAMPLER_CPU, 1000);
	const int64_t begin = sampling_cpu_ms();
	sampling_burn(1000);
	const int64_t used = sampling_cpu_ms() - begin;
	CHECK_EQ(syscap_sampler_stop(), 0);
	const struct syscap_sampler_stats stats = sampling_stats();
	uint64_t weight;
	const unsigned n = sampling_finish(gettid(), &weight);
	/* The last tick may be 10 ms away, and more on a busy machine: the
	 * kernel checks processor timers only in its own tick */
	CHECK(!GETS_ALL_TICKS || (int64_t)stats.n_due >= used * 3 / 4 - 25);
	CHECK((int64_t)stats.n_due <= used + 25);
	CHECK_EQ(n, stats.n_samples);
	CHECK_EQ(weight, stats.n_due);
}

TEST(weights_add_up_to_the_wall_time)
{
	sampling_record();
	const int64_t before = sampling_wall_ms();
	sampling_start(SYSCAP_SAMPLER_WALL, 2000);
	const int64_t begin = sampling_wall_ms();
	sampling_burn(200);
	sampling_sleep(300);
	const int64_t passed = sampling_wall_ms() - begin;
	CHECK_EQ(syscap_sampler_stop(), 0);
	const int64_t at_most = sampling_wall_ms() - before;
	const uint64_t due = sampling_stats().n_due;
	sampling_finish(0, NULL);
	/* due covers the time up to the last tick, with the sampler's start,
	 * which a busy machine may delay */
	CHECK((int64_t)due / 2 <= at_most + 2);
	CHECK(!GETS_ALL_TICKS || (int64_t)due / 2 >= passed * 3 / 4 - 50);
}

static bool has_ticked(int n)
{
	return sampling_stats().n_samples > (uint64_t)n;
}

TEST(no_sample_after_stop)
{
	struct worker w = { .ms = 2000 };

	sampling_record();
	CHECK_EQ(pthread_create(&w.thread, NULL, burn, &w), 0);
	for (int i = 0; i < 20; i++) {
		const int n = (int)sampling_stats().n_samples;

		sampling_start(SYSCAP_SAMPLER_WALL, 5000);
		CHECK(sampling_wait(has_ticked, n, 20000));
		CHECK_EQ(syscap_sampler_stop(), 0);
		const uint64_t after = sampling_stats().n_samples;
		usleep(5000);
		CHECK_EQ(sampling_stats().n_samples, after);
	}
	pthread_join(w.thread, NULL);
	sampling_finish(0, NULL);
}

static void *start_and_stop(void *nothing)
{
	struct syscap_sampler_options options = { .size = sizeof(options),
		                                  .hz = 10000,
		                                  .clock =
		                                          SYSCAP_SAMPLER_WALL };

	(void)nothing;
	for (int i = 0; i < 500; i++) {
		int r;

		/* Repeats while the other thread holds the sampler, perhaps for
		 * seconds without being scheduled */
		do
			r = syscap_sampler_start(&options);
		while (r == -EBUSY);
		CHECK(r == 0 || r == -EALREADY);
		do
			r = syscap_sampler_stop();
		while (r == -EBUSY || r == -ETIMEDOUT);
		CHECK(r == 0 || r == -ENOENT);
	}
	return NULL;
}

TEST(thousand_starts_and_stops_under_load)
{
	struct worker workers[2] = { { .ms = 300 }, { .ms = 300 } };
	const int before = sampling_timers();
	pthread_t others[2];

	sampling_record();
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(pthread_create(&workers[i].thread, NULL, burn,
		                        &workers[i]),
		         0);
		CHECK_EQ(pthread_create(&others[i], NULL, start_and_stop, NULL),
		         0);
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(workers[i].thread, NULL);
		pthread_join(others[i], NULL);
	}
	CHECK_EQ(syscap_sampler_stop(), -ENOENT);
	CHECK_EQ(sampling_timers(), before);
	sampling_finish(0, NULL);
}

TEST(second_start_is_refused)
{
	struct syscap_sampler_options options = { .size = sizeof(options) };

	sampling_start(SYSCAP_SAMPLER_AUTO, 0);
	CHECK_EQ(sampling_stats().clock, SYSCAP_SAMPLER_CPU);
	CHECK_EQ(sampling_stats().hz, 1000);
	CHECK_EQ(syscap_sampler_start(&options), -EALREADY);
	CHECK(options.message[0] != '\0');
	CHECK_EQ(syscap_sampler_stop(), 0);
	CHECK_EQ(syscap_sampler_stop(), -ENOENT);
}

TEST(invalid_options_are_refused)
{
	static const struct syscap_sampler_options bad[] = {
		{ .hz = 20001 },
		{ .clock = 4 },
		{ .signal = SIGSEGV },
		{ .signal = 65 },
		{ .max_depth = 31 },
		{ .max_depth = 513 },
		{ .stacks = 3 },
		{ .clock = SYSCAP_SAMPLER_PERF, .signal = SIGPROF },
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct syscap_sampler_options options = bad[i];

		options.size = sizeof(options);
		CHECK_EQ(syscap_sampler_start(&options), -EINVAL);
		CHECK(options.message[0] != '\0');
	}
	struct syscap_sampler_options tiny = { .size = 8 };
	CHECK_EQ(syscap_sampler_start(&tiny), -EINVAL);
	sampling_start(SYSCAP_SAMPLER_AUTO, 0); /* no claim is left */
	CHECK_EQ(syscap_sampler_stop(), 0);
}

TEST(ticks_without_a_recording_do_nothing)
{
	SKIP_UNDER_TSAN(); /* TSan hides that code runs in a handler */
	sampling_start(SYSCAP_SAMPLER_WALL, 10000);
	sampling_burn(100);
	CHECK_EQ(sampling_stats().n_samples, 0);
	sampling_record();
	CHECK(sampling_wait(has_ticked, 0, 20000));
	CHECK_EQ(syscap_sampler_stop(), 0);
	CHECK(sampling_finish(0, NULL) != 0);
}

static void *block_all(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	return sleep_until_told(arg);
}

static bool has_unsampled(int n)
{
	return sampling_stats().n_unsampled == (uint32_t)n;
}

TEST(blocking_thread_is_counted_as_unsampled)
{
	struct worker w = { 0 };
	const int before = sampling_timers();

	SKIP_UNDER_TSAN(); /* TSan's thread blocks signals */
	sampling_start(SYSCAP_SAMPLER_WALL, 100);
	CHECK_EQ(pthread_create(&w.thread, NULL, block_all, &w), 0);
	CHECK(sampling_wait(has_unsampled, 1, 20000));
	if (before >= 0)
		CHECK(sampling_wait(has_timers, before + 1, 20000));
	__atomic_store_n(&w.may_end, 1, __ATOMIC_RELEASE);
	pthread_join(w.thread, NULL);
	CHECK(sampling_wait(has_unsampled, 0, 20000));
	CHECK_EQ(syscap_sampler_stop(), 0);
}

static int raw_thread(void *arg)
{
	struct worker *const w = arg;
	volatile unsigned n = 0;

	/* This function calls no function that may set errno, which is the
	 * parent's.  The thread has the parent's mask, too, which blocks the
	 * signal */
	uint64_t none = 0;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8);
	__atomic_store_n(&w->tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
	while (__atomic_load_n(&w->may_end, __ATOMIC_ACQUIRE) == 0)
		for (int i = 0; i < 1000; i++)
			n++;
	syscall(SYS_exit, 0);
	return 0;
}

static bool is_not_listed(int tid)
{
	return !is_listed(tid);
}

TEST(raw_clone_thread_is_found_and_keeps_out_of_its_makers_ring)
{
	const size_t size = 65536;
	struct worker w = { 0 };

	SKIP_UNDER_TSAN();
	char *const stack = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(stack != MAP_FAILED);
	sampling_record();
	sampling_start(SYSCAP_SAMPLER_WALL, 1000);
	sampling_burn(10);
	sigset_t ours;
	sigemptyset(&ours);
	sigaddset(&ours, sampling_stats().signal);
	CHECK_EQ(pthread_sigmask(SIG_BLOCK, &ours, NULL), 0);
	const uint64_t before = sampling_stats().n_samples;
	const int tid =
		clone(raw_thread, stack + size,
	              CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
	                      CLONE_THREAD | CLONE_SYSVSEM,
	              &w);
	CHECK(tid > 0);
	/* the thread shares its maker's thread-local storage: it may get a
	 * timer, but no sample */
	CHECK(sampling_wait(has_unsampled, 1, 20000));
	CHECK_EQ(sampling_stats().n_samples, before);
	CHECK_EQ(pthread_sigmask(SIG_UNBLOCK, &ours, NULL), 0);
	__atomic_store_n(&w.may_end, 1, __ATOMIC_RELEASE);
	CHECK(sampling_wait(is_not_listed, tid, 20000));
	CHECK(sampling_wait(has_unsampled, 0, 20000));
	CHECK_EQ(syscap_sampler_stop(), 0);
	CHECK_EQ(sampling_finish(tid, NULL), 0);
	munmap(stack, size);
}

/* The process acts as if it had more threads than the limit of queued
 * signals. */
TEST(thread_without_a_timer_is_counted_and_tried_again)
{
	struct worker workers[N] = { 0 };
	struct rlimit before, little;

	SKIP_UNDER_TSAN(); /* TSan's thread blocks signals */
	if (sampling_timers() < 0)
		SKIP("there is no /proc/self/timers");
	/* the limit counts all processes of the user: no signal is left */
	CHECK_EQ(getrlimit(RLIMIT_SIGPENDING, &before), 0);
	little = before;
	little.rlim_cur = 0;
	CHECK_EQ(setrlimit(RLIMIT_SIGPENDING, &little), 0);
	for (int i = 0; i < N; i++)
		CHECK_EQ(pthread_create(&workers[i].thread, NULL,
		                        sleep_until_told, &workers[i]),
		         0);
	sampling_start(SYSCAP_SAMPLER_CPU, 100);
	CHECK_EQ(sampling_stats().n_threads, 0);
	CHECK_EQ(sampling_stats().n_unsampled, 1 + N);
	CHECK_EQ(setrlimit(RLIMIT_SIGPENDING, &before), 0);
	CHECK(sampling_wait(has_threads, 1 + N, 20000));
	CHECK_EQ(sampling_stats().n_unsampled, 0);
	CHECK_EQ(syscap_sampler_stop(), 0);
	for (int i = 0; i < N; i++) {
		__atomic_store_n(&workers[i].may_end, 1, __ATOMIC_RELEASE);
		pthread_join(workers[i].thread, NULL);
	}
}

TEST(perf_events_tick_in_running_threads_and_use_no_fd)
{
	struct syscap_sampler_options options = { .size = sizeof(options),
		                                  .clock = SYSCAP_SAMPLER_PERF,
		                                  .hz = 2000 };
	char path[64];

	SKIP_UNDER_TSAN();
	sampling_record();
	const int r = syscap_sampler_start(&options);
	if (r == -EPERM || r == -EACCES || r == -ENOSYS) {
		sampling_finish(0, NULL);
		SKIP(options.message);
	}
	CHECK_EQ(r, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", 3);
	sampling_burn(200);
	for (int fd = 3; fd < 64; fd++) {
		char to[64] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (readlink(path, to, sizeof(to) - 1) > 0)
			CHECK(strstr(to, "perf") == NULL);
	}
	usleep(50000); /* no ticks */
	const int64_t used = sampling_cpu_ms();
	CHECK_EQ(syscap_sampler_stop(), 0);
	const struct syscap_sampler_stats stats = sampling_stats();
	if (stats.n_due < 300 || (int64_t)stats.n_due > 2 * used + 20)
		test_fail(__FILE__, __LINE__, "%llu ticks in %lld ms",
		          (unsigned long long)stats.n_due, (long long)used);
	CHECK_EQ(sampling_finish(gettid(), NULL), stats.n_samples);
}

static int in_child(void (*run)(void))
{
	const pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		run();
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return status;
}

static void expect_nothing(void)
{
	CHECK_EQ(sampling_stats().n_threads, 0);
	CHECK_EQ(sampling_timers() > 0, 0);
	CHECK_EQ(syscap_sampler_stop(), -ENOENT);
	sampling_start(SYSCAP_SAMPLER_CPU, 1000);
	CHECK_EQ(syscap_sampler_stop(), 0);
}

static void fork_again(void)
{
	CHECK_EQ(in_child(expect_nothing), 0);
	expect_nothing();
}

TEST(forked_child_is_not_sampled_and_may_start)
{
	struct worker w = { .ms = 300 };

	SKIP_UNDER_TSAN();
	sampling_record();
	CHECK_EQ(pthread_create(&w.thread, NULL, burn, &w), 0);
	sampling_start(SYSCAP_SAMPLER_WALL, 5000);
	for (int i = 0; i < 5; i++)
		CHECK_EQ(in_child(fork_again), 0);
	CHECK_EQ(sampling_stats().n_threads != 0, 1);
	CHECK_EQ(syscap_sampler_stop(), 0);
	pthread_join(w.thread, NULL);
	sampling_finish(0, NULL);
}

TEST(exit_while_sampled)
{
	for (int i = 0; i < 20; i++) {
		const pid_t pid = fork();
		int status;

		CHECK(pid >= 0);
		if (pid == 0) {
			struct worker w = { .ms = 60000 };

			CHECK_EQ(pthread_create(&w.thread, NULL, burn, &w), 0);
			sampling_start(SYSCAP_SAMPLER_WALL, 5000);
			usleep(2000 * (useconds_t)(i % 4));
			exit(7);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	}
}
