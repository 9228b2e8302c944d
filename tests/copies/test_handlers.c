/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_handlers.c - signal handlers that interrupt an emit through one copy,
 * and emit through another.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "copies/census.h"
#include "copies/parts.h"
#include "harness/peer.h"
#include "harness/stepper.h"
#include "harness/test.h"

#define RING      (1u << 26)
#define N_STORM   2000 /* handler runs in a thread */
#define N_WORKERS 3
#define N_ENOUGH  150000 /* maximum number of events, which fit into a ring */

static const struct part *parts[PARTS_ALL];
static struct census census;

/* A thread, with the numbers of events per copy, by itself and by its
 * handlers. */
struct worker {
	unsigned number;
	unsigned outer[PARTS_ALL], inner[PARTS_ALL];
	unsigned n_handled;
	pthread_t thread;
	bool is_ready, is_done;
};

static struct worker workers[N_WORKERS];
static __thread struct worker *self;

static void emit(unsigned k, unsigned emitter, unsigned *count)
{
	parts[k]->mark(emitter, *count);
	parts[k]->log(emitter, *count);
	parts[k]->count(*count);
	++*count;
}

static void on_signal(int signal)
{
	const int saved = errno;

	(void)signal;
	if (self == NULL || self->n_handled == N_STORM)
		return;
	const unsigned k = self->n_handled++ % PARTS_ALL;
	emit(k, N_WORKERS + self->number, &self->inner[k]);
	CHECK_EQ(errno, saved);
}

static void emit_in_storm(struct worker *w)
{
	self = w;
	for (unsigned n = 0; w->n_handled < N_STORM && n < N_ENOUGH; n++) {
		const unsigned k = (w->number + n) % PARTS_ALL;

		emit(k, w->number, &w->outer[k]);
		/* leaves space for the handlers' events, of which none may be
		 * lost */
		if (n % 64 == 63)
			usleep(100);
	}
	self = NULL;
}

/* Writes the expected counts, one line per thread. */
static void write_counts(void)
{
	FILE *const file = fopen(peer_arg(), "we");

	CHECK(file != NULL);
	for (unsigned w = 0; w < N_WORKERS; w++) {
		for (unsigned k = 0; k < PARTS_ALL; k++)
			fprintf(file, "%u %u ", workers[w].outer[k],
			        workers[w].inner[k]);
		fprintf(file, "\n");
	}
	CHECK_EQ(fclose(file), 0);
}

static void catch_signal(int signal)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sa.sa_flags = SA_RESTART;
	sigaction(signal, &sa, NULL);
}

CHILD(alarms)
{
	const struct itimerval often = { { 0, 100 }, { 0, 100 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };

	parts_load_all(parts);
	catch_signal(SIGALRM);
	setitimer(ITIMER_REAL, &often, NULL);
	emit_in_storm(&workers[0]);
	setitimer(ITIMER_REAL, &never, NULL);
	write_counts();
}

static void *work(void *worker)
{
	struct worker *const w = worker;

	self = w;
	__atomic_store_n(&w->is_ready, true, __ATOMIC_RELEASE);
	emit_in_storm(w);
	__atomic_store_n(&w->is_done, true, __ATOMIC_RELEASE);
	/* the thread stays alive while other threads may signal it */
	while (!__atomic_load_n(&workers[0].is_ready, __ATOMIC_ACQUIRE))
		;
	return NULL;
}

static bool send_to_all(void)
{
	bool all_done = true;

	for (unsigned i = 0; i < N_WORKERS; i++) {
		struct worker *const w = &workers[i];

		if (__atomic_load_n(&w->is_done, __ATOMIC_ACQUIRE))
			continue;
		all_done = false;
		if (__atomic_load_n(&w->is_ready, __ATOMIC_ACQUIRE))
			pthread_kill(w->thread, SIGUSR1);
	}
	return all_done;
}

CHILD(signalled_threads)
{
	parts_load_all(parts);
	catch_signal(SIGUSR1);
	for (unsigned i = 0; i < N_WORKERS; i++) {
		workers[i].number = i;
		CHECK_EQ(pthread_create(&workers[i].thread, NULL, work,
		                        &workers[i]),
		         0);
	}
	while (!send_to_all())
		usleep(50);
	for (unsigned i = 0; i < N_WORKERS; i++)
		pthread_join(workers[i].thread, NULL);
	write_counts();
}

static void check_counts(const char *path, unsigned n_workers)
{
	FILE *const file = fopen(path, "re");
	unsigned n_inner = 0;

	CHECK(file != NULL);
	for (unsigned w = 0; w < n_workers; w++)
		for (unsigned k = 0; k < PARTS_ALL; k++) {
			unsigned outer, inner;

			CHECK_EQ(fscanf(file, "%u %u", &outer, &inner), 2);
			CHECK_EQ(census_marks(&census, parts_name(k), w),
			         outer);
			CHECK_EQ(census_logs(&census, parts_name(k), w), outer);
			CHECK_EQ(census_marks(&census, parts_name(k),
			                      N_WORKERS + w),
			         inner);
			CHECK_EQ(census_logs(&census, parts_name(k),
			                     N_WORKERS + w),
			         inner);
			n_inner += inner;
		}
	CHECK(n_inner > 100 * n_workers);
	fclose(file);
}

static void check_storm(const char *child, unsigned n_workers)
{
	char path[] = "/tmp/syscap-counts-XXXXXX";
	struct peer peer;

	SKIP_UNDER_TSAN();
	const int fd = mkstemp(path);
	CHECK(fd >= 0);
	close(fd);
	peer_start_arg(&peer, child, path, RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, n_workers);
	census_check_one_ring_a_thread(&peer);
	census_of_peer(&census, &peer);
	CHECK_EQ(census.n_lost, 0);
	CHECK_EQ(census.n_counters, PARTS_ALL);
	check_counts(path, n_workers);
	peer_free(&peer);
	unlink(path);
}

TEST(handlers_emit_through_another_copy_than_they_interrupt)
{
	check_storm("alarms", 1);
}

TEST(handlers_on_many_threads_emit_through_all_copies)
{
	check_storm("signalled_threads", N_WORKERS);
}

/* ------------------------------------ a copy's first event is in a handler */

#define N_FIRST 600

static const struct part *outer, *inner;

static void call_outer(void)
{
	outer->mark(0, 1);
}

/* Emits through a copy that has not looked for the thread's state yet. */
static void emit_first(void)
{
	inner->mark(0, 0);
	inner->count(1);
}

CHILD(first_in_handler)
{
	const long stride = stepper_stride(7);
	struct stepper stepper;

	parts_load_all(parts);
	outer = parts[peer_arg()[0] - '0'];
	inner = parts[peer_arg()[1] - '0'];
	stepper_install(false);
	for (long k = stepper_first(stride); k < N_FIRST; k += stride) {
		const pid_t pid = fork();

		if (pid == 0) {
			/* a new thread state that only one copy uses */
			outer->mark(0, 0);
			const bool reached = stepper_run(
				&stepper, k, call_outer, emit_first);
			if (!reached)
				emit_first();
			outer->mark(0, 2);
			inner->mark(0, 1);
			_exit(reached ? 0 : 3);
		}
		int status;
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		if (status == 3 << 8)
			break;
		CHECK_EQ(status, 0);
	}
}

static void check_first(const char *which, const char *a, const char *b)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	peer_start_arg(&peer, "first_in_handler", which, 1u << 14, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK(peer.n_rings >
	      (test_is_whole() && !test_is_sanitized() ? 50 : 4));
	census_check_one_ring_a_thread(&peer);
	for (unsigned i = 0; i < peer.n_rings; i++) {
		census_of_process(&census, &peer, peer.rings[i].header->pid);
		CHECK_EQ(census_marks(&census, a, 0), 3);
		CHECK_EQ(census_marks(&census, b, 0), 2);
		CHECK_EQ(census.n_values, 1);
	}
	peer_free(&peer);
}

TEST(a_copys_first_event_may_be_at_every_instruction_of_anothers)
{
	check_first("12", "a", "b");
	check_first("31", parts_name(3), "a");
	check_first("03", "program", parts_name(3));
}
