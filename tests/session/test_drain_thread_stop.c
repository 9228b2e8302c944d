/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_drain_thread_stop.c - a recording is stopped while a thread of the
 * program is about to start its drain thread.
 *
 * This program replaces C library functions to hold that thread: at getpid(),
 * after it has found no drain thread, or in pthread_create(), which then fails.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/syscalls.h"
#include "harness/test.h"
#include "harness/written.h"

static __thread bool is_maker;
static bool refuse; /* drain threads */
static bool hold_at_getpid, hold_in_create;
static bool is_held;
static bool may_go_on;
static bool let_go_on_at_nap;

static void wait_for(const bool *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		usleep(20);
}

static void be_held(void)
{
	__atomic_store_n(&is_held, true, __ATOMIC_RELEASE);
	wait_for(&may_go_on);
}

pid_t getpid(void)
{
	if (is_maker &&
	    __atomic_exchange_n(&hold_at_getpid, false, __ATOMIC_ACQ_REL))
		be_held();
	return (pid_t)syscall(SYS_getpid);
}

/* The thread that ends a session calls nanosleep() until no other thread uses
 * the session. */
static bool take_syscall(long number, long *args, long *ret_r)
{
	(void)args;
	(void)ret_r;
	if (number == SYS_nanosleep &&
	    __atomic_load_n(&let_go_on_at_nap, __ATOMIC_ACQUIRE))
		__atomic_store_n(&may_go_on, true, __ATOMIC_RELEASE);
	return false;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                   void *(*run)(void *), void *data)
{
	static int (*next)(pthread_t *, const pthread_attr_t *,
	                   void *(*)(void *), void *);

	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
	if (is_maker &&
	    __atomic_exchange_n(&hold_in_create, false, __ATOMIC_ACQ_REL)) {
		be_held();
		usleep(50000); /* usually until the stop waits */
		return EAGAIN;
	}
	return attr != NULL && __atomic_load_n(&refuse, __ATOMIC_ACQUIRE)
	               ? EAGAIN
	               : next(thread, attr, run, data);
}

static unsigned count_tasks(void)
{
	DIR *const tasks = opendir("/proc/self/task");
	unsigned n = 0;

	while (readdir(tasks) != NULL)
		n++;
	closedir(tasks);
	return n;
}

/* Counts before the library has a thread.  A process's first thread may also
 * start a thread of a sanitizer. */
static void *do_nothing(void *unused)
{
	return unused;
}

static unsigned count_tasks_before(void)
{
	pthread_t first;

	CHECK_EQ(pthread_create(&first, NULL, do_nothing, NULL), 0);
	CHECK_EQ(pthread_join(first, NULL), 0);
	usleep(1000);
	return count_tasks();
}

/* Waits for the end of a thread that should not exist: it runs until it notices
 * that its session is gone. */
static void wait_until_alone(unsigned n_before)
{
	do
		usleep(1000);
	while (count_tasks() > n_before);
}

/* @hold: the place at which the second event is held. */
static void *emit(void *hold)
{
	written_mark(0, 0); /* this event calls getpid(), too */
	usleep(2000);       /* after this time the library tries again */
	is_maker = true;
	__atomic_store_n((bool *)hold, true, __ATOMIC_RELEASE);
	written_mark(0, 1);
	return NULL;
}

/* Starts a recording without a drain thread, and a thread that is held while
 * starting one. */
static pthread_t start_held(bool *hold)
{
	struct syscap_options options = { .size = sizeof(options),
		                          .output = peer_arg() };
	pthread_t maker;

	__atomic_store_n(&refuse, true, __ATOMIC_RELEASE);
	CHECK_EQ(syscap_start(&options), 0);
	CHECK_EQ(pthread_create(&maker, NULL, emit, hold), 0);
	wait_for(&is_held);
	__atomic_store_n(&refuse, false, __ATOMIC_RELEASE);
	return maker;
}

CHILD(stops_before)
{
	const unsigned n_before = count_tasks_before();
	const pthread_t maker = start_held(&hold_at_getpid);

	__atomic_store_n(&let_go_on_at_nap, true, __ATOMIC_RELEASE);
	CHECK_EQ(syscap_stop(), 0);
	CHECK_EQ(pthread_join(maker, NULL), 0);
	wait_until_alone(n_before);
}

CHILD(stops_meanwhile)
{
	const pthread_t maker = start_held(&hold_in_create);

	__atomic_store_n(&may_go_on, true, __ATOMIC_RELEASE);
	CHECK_EQ(syscap_stop(), 0);
	CHECK_EQ(pthread_join(maker, NULL), 0);
}

static void check_whole(const char *child)
{
	char *const dir = written_make_dir();
	char path[300];
	struct tally t;

	snprintf(path, sizeof(path), "%s/out", dir);
	written_run(child, path, NULL, -1);
	written_tally(path, &t);
	CHECK_EQ(t.emitters[0], 2);
	CHECK_EQ(t.gaps + t.doubles, 0);
	written_remove_dir(dir);
}

TEST(no_drain_thread_is_made_for_a_recording_that_was_stopped)
{
	check_whole("stops_before");
}

TEST(a_stop_goes_on_alone_where_the_drain_thread_can_not_be_made)
{
	check_whole("stops_meanwhile");
}
