/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * no_eintr.c - threads that sleep in calls that SA_RESTART does not restart.
 * The threads are sampled by processor time, and no call may be interrupted.
 *
 *	no_eintr SECONDS
 *
 * Exit status: 0; 1 if a call returned EINTR; 77 if the kernel is too old.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/sampler.h>

enum {
	POLL,
	SELECT,
	EPOLL,
	NANOSLEEP,
	ALTERNATE,
	N_KINDS
};
static const char *const names[] = { "poll", "select", "epoll", "nanosleep",
	                             "work and nanosleep" };

static unsigned n_calls[N_KINDS], n_interrupted[N_KINDS];
static uint32_t may_end;
static int epoll_fd;

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void work(int64_t ns)
{
	const int64_t until = now() + ns;

	while (now() < until)
		;
}

static int sleep_once(int kind)
{
	const struct timespec short_time = { 0, 20000 }, time = { 0, 1000000 };
	struct timeval tv = { 0, 1000 };
	struct epoll_event event;

	switch (kind) {
	case POLL:
		return poll(NULL, 0, 1);
	case SELECT:
		return select(0, NULL, NULL, NULL, &tv);
	case EPOLL:
		return epoll_wait(epoll_fd, &event, 1, 1);
	case NANOSLEEP:
		return nanosleep(&time, NULL);
	default:
		work(50000);
		return nanosleep(&short_time, NULL);
	}
}

static void *run(void *arg)
{
	const int kind = (int)(intptr_t)arg;

	while (__atomic_load_n(&may_end, __ATOMIC_RELAXED) == 0) {
		const int r = sleep_once(kind);

		n_calls[kind]++;
		n_interrupted[kind] += r < 0 && errno == EINTR;
		if (kind != ALTERNATE)
			work(20000); /* the work lets the thread's clock run */
	}
	return NULL;
}

static int is_old_kernel(void)
{
	int major = 0, minor = 0;
	struct utsname u;

	uname(&u);
	return sscanf(u.release, "%d.%d", &major, &minor) == 2 &&
	       (major < 5 || (major == 5 && minor < 9));
}

int main(int argc, char **argv)
{
	const int seconds = argc > 1 ? atoi(argv[1]) : 2;
	struct syscap_sampler_options options = { .size = sizeof(options),
		                                  .clock = SYSCAP_SAMPLER_CPU };
	struct syscap_sampler_stats stats = { .size = sizeof(stats) };
	pthread_t threads[N_KINDS];
	int bad = 0;

	if (is_old_kernel()) {
		printf("skip: before Linux 5.9 processor time timers wake\n");
		return 77;
	}
	struct syscap_options recording = { .size = sizeof(recording),
		                            .output = NULL };
	char dir[] = "/tmp/syscap-no-eintr-XXXXXX", path[64];
	if (mkdtemp(dir) == NULL)
		return 2;
	snprintf(path, sizeof(path), "%s/capture", dir);
	recording.output = path;
	if (syscap_start(&recording) != 0 ||
	    syscap_sampler_start(&options) != 0) {
		printf("%s %s\n", recording.message, options.message);
		return 2;
	}
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	for (int i = 0; i < N_KINDS; i++)
		pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i);
	/* this idle thread sleeps, too */
	for (const int64_t until = now() + seconds * INT64_C(1000000000);
	     now() < until;)
		bad |= poll(NULL, 0, 100) < 0;
	__atomic_store_n(&may_end, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < N_KINDS; i++) {
		pthread_join(threads[i], NULL);
		printf("%-20s %8u calls, %u interrupted\n", names[i],
		       n_calls[i], n_interrupted[i]);
		bad |= n_interrupted[i] != 0 || n_calls[i] == 0;
	}
	syscap_sampler_stop();
	syscap_sampler_get_stats(&stats);
	syscap_stop();
	unlink(path);
	rmdir(dir);
	printf("%llu samples for %llu ticks\n",
	       (unsigned long long)stats.n_samples,
	       (unsigned long long)stats.n_due);
	return bad != 0 || stats.n_samples == 0;
}
