/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_collector_processes.c - identification and cost of forked children
 * and many threads.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "dropin/defects_collector.h"

static pid_t fork_child(void)
{
	const pid_t pid = fork();

	NEED(pid >= 0);
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static void wait_for_child(pid_t pid)
{
	int status;

	NEED(waitpid(pid, &status, 0) == pid);
	ended_well("a forked child", status);
}

/* ------------------------------------------------------------------- C-9 */

#define EACH 2000

static int only_tid(SysprofCaptureAddress *addrs, unsigned int n_addrs,
                    void *unused)
{
	(void)n_addrs;
	(void)unused;
	addrs[0] = (SysprofCaptureAddress)gettid();
	return 1;
}

/* Emits marks with the emitting process's pid as message. */
static void emit_as(const char *name)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	for (int i = 0; i < EACH; i++) {
		mark(name, pid);
		if (i % 10 == 0)
			sysprof_collector_sample(only_tid, NULL);
		if (i % 100 == 0)
			sleep_ms(1);
	}
}

static void emit_in_both(void)
{
	mark("before", NULL);
	const pid_t pid = fork_child();
	if (pid == 0) {
		emit_as("child");
		_exit(0);
	}
	emit_as("parent");
	wait_for_child(pid);
}

static void look_at_ring(const struct ring *ring)
{
	struct frame frame = { .data = NULL };
	int32_t pid = 0;

	while (frame_next(ring, &frame)) {
		const char *text = mark_message(&frame, "parent");

		if (text == NULL)
			text = mark_message(&frame, "child");
		if (text != NULL && atoi(text) != frame.pid)
			defect_shows("an event of process %s has the pid %d",
			             text, (int)frame.pid);
		if (frame.type == SAMPLE &&
		    frame_u32(&frame, 28) != frame_u64(&frame, 32))
			defect_shows("a stack of thread %u has the tid %u",
			             (unsigned)frame_u64(&frame, 32),
			             frame_u32(&frame, 28));
		if (frame.pid > 0 && pid > 0 && frame.pid != pid)
			defect_shows("two processes write one ring");
		if (frame.pid > 0)
			pid = frame.pid;
	}
}

static void children_have_rings_of_their_own(uint32_t pages)
{
	struct ring_peer peer;

	record(&peer, pages, "in parent and child", "");
	for (unsigned i = 0; i < peer.n_rings; i++)
		look_at_ring(&peer.rings[i]);
	const unsigned n = marks_count(&peer, "parent") +
	                   marks_count(&peer, "child") +
	                   frames_count(&peer, SAMPLE);
	if (n + frames_lost(&peer) != 2 * (EACH + EACH / 10))
		defect_shows("of %d events of two processes %u arrive",
		             2 * (EACH + EACH / 10), n);
	ring_peer_free(&peer);
}

/* ------------------------------------------------------------------ C-10 */

#define THREADS    6
#define PER_THREAD 5

static unsigned int firsts[THREADS];

static void define_as(unsigned int first, unsigned n, unsigned thread)
{
	for (unsigned i = 0; i < n; i++) {
		SysprofCaptureCounter counter = {
			.id = (first + i) & 0xFFFFFF,
			.type = SYSPROF_CAPTURE_COUNTER_INT64,
		};

		snprintf(counter.name, sizeof(counter.name), "%d.%u.%u",
		         (int)getpid(), thread, i);
		sysprof_collector_define_counters(&counter, 1);
	}
}

static void *request(void *place)
{
	unsigned int *const first = place;

	*first = sysprof_collector_request_counters(PER_THREAD);
	define_as(*first, PER_THREAD, (unsigned)(first - firsts));
	return NULL;
}

static void look_at_id(unsigned int id)
{
	const unsigned int block = ((unsigned)getpid() & 0xFFFF) << 8;

	if (id < 256 || id > 0xFFFFFF)
		defect_shows("a counter has number %#x", id);
	if (id >= block && id < block + 256)
		defect_shows("number %#x is of those that other libraries of "
		             "this process give",
		             id);
}

static void request_everywhere(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		NEED(pthread_create(&threads[i], NULL, request, &firsts[i]) ==
		     0);
	for (int i = 0; i < THREADS; i++)
		NEED(pthread_join(threads[i], NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		for (int k = 0; k < i; k++)
			if (firsts[i] < firsts[k] + PER_THREAD &&
			    firsts[k] < firsts[i] + PER_THREAD)
				defect_shows("two threads give number %#x to a "
				             "counter",
				             firsts[i]);
	for (int i = 0; i < THREADS; i++)
		for (unsigned k = 0; k < PER_THREAD; k++)
			look_at_id(firsts[i] + k);
	/* more ids than the reference reserves in one block */
	const unsigned int many = sysprof_collector_request_counters(1000);
	for (unsigned k = 0; k < 1000; k++)
		look_at_id(many + k);
	define_as(many, 300, THREADS);
	const pid_t pid = fork_child();
	if (pid == 0) {
		define_as(sysprof_collector_request_counters(1), 1, 0);
		_exit(0);
	}
	wait_for_child(pid);
}

/* The ids of counters, and the names in the definitions. */
struct known {
	unsigned n;
	uint32_t ids[1024];
	char names[1024][32];
};

static void learn(struct known *known, const struct frame *frame, unsigned at)
{
	const uint32_t id = frame_u32(frame, at + 116) & 0xFFFFFF;
	const char *const name = (const char *)frame->data + at + 32;

	for (unsigned i = 0; i < known->n; i++)
		if (known->ids[i] == id) {
			if (strcmp(known->names[i], name) != 0)
				defect_shows("number %#x is of two counters, "
				             "%s and %s",
				             id, known->names[i], name);
			return;
		}
	NEED(known->n < 1024);
	known->ids[known->n] = id;
	memcpy(known->names[known->n++], name, 32);
}

static void counters_have_numbers_of_their_own(uint32_t pages)
{
	static struct known known;
	struct ring_peer peer;

	known.n = 0;
	for (int run = 0; run < 2; run++) { /* both runs are in one recording */
		record(&peer, pages, "request everywhere", "");
		for (unsigned i = 0; i < peer.n_rings; i++) {
			struct frame frame = { .data = NULL };

			while (frame_next(&peer.rings[i], &frame))
				for (unsigned at = 32;
				     frame.type == CTRDEF && at < frame.len;
				     at += 128)
					learn(&known, &frame, at);
		}
		ring_peer_free(&peer);
	}
	MUST(known.n == 2 * (THREADS * PER_THREAD + 300 + 1));
}

/* ------------------------------------------------------------------ C-14 */

/* Number of open fds, or only of those that an exec keeps. */
static int count_descriptors(bool only_inherited)
{
	DIR *const dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	int n = 0;

	NEED(dir != NULL);
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
			n += !only_inherited ||
			     (fcntl(atoi(entry->d_name), F_GETFD) &
			      FD_CLOEXEC) == 0;
	closedir(dir);
	return n;
}

static pthread_barrier_t barrier;

static void *emit_and_stay(void *unused)
{
	mark("staying", NULL);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused;
}

static void *emit_and_end(void *unused)
{
	mark("ending", NULL);
	return unused;
}

static void emit_from_many_threads(void)
{
	const int before = count_descriptors(true);
	const int all_before = count_descriptors(false);
	pthread_t threads[5];

	pthread_barrier_init(&barrier, NULL, 6);
	for (int i = 0; i < 5; i++)
		NEED(pthread_create(&threads[i], NULL, emit_and_stay, NULL) ==
		     0);
	pthread_barrier_wait(&barrier);
	const int now = count_descriptors(true);
	if (now != before)
		defect_shows("5 threads leave %d more descriptors to every "
		             "program that is started",
		             now - before);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 5; i++)
		NEED(pthread_join(threads[i], NULL) == 0);
	for (int i = 0; i < 100; i++) {
		NEED(pthread_create(&threads[0], NULL, emit_and_end, NULL) ==
		     0);
		NEED(pthread_join(threads[0], NULL) == 0);
	}
	MUST(count_descriptors(true) == before);
	MUST(count_descriptors(false) == all_before);
}

static void rings_leave_no_descriptors(uint32_t pages)
{
	struct ring_peer peer;

	record(&peer, pages, "from many threads", "");
	/* On a busy machine, a late ring costs its thread's event */
	MUST(marks_count(&peer, "staying") + marks_count(&peer, "ending") +
	             frames_lost(&peer) ==
	     105);
	ring_peer_free(&peer);
}

/* ------------------------------------------------------------------ C-17 */

static void ask_if_active(void)
{
	for (int i = 0; i < 10; i++)
		MUST(sysprof_collector_is_active());
	if (deed_ask(ASK_COUNT) != 0)
		defect_shows("sysprof_collector_is_active() makes a ring");
	mark("first", NULL);
	MUST(sysprof_collector_is_active());
	MUST(deed_ask(ASK_COUNT) == 1);
}

static void ask_if_inactive(void)
{
	MUST(!sysprof_collector_is_active());
	mark("unwanted", NULL);
	MUST(!sysprof_collector_is_active());
}

static void asking_costs_nothing(uint32_t pages)
{
	struct ring_peer peer;

	ended_well("sysprof_collector_is_active() without a recorder",
	           ring_peer_run_alone("ask if inactive", NULL, -1, -1));
	record(&peer, pages, "ask if active", "");
	MUST(marks_count(&peer, "first") == 1);
	ring_peer_free(&peer);
}

/* ------------------------------------------------------------------ C-19 */

/* Resolvers of addresses need a record of every process. */
static void processes_have_names(uint32_t pages)
{
	struct ring_peer peer;
	int32_t pids[2] = { 0, 0 };
	unsigned n = 0;

	record(&peer, pages, "anything", "");
	if (frames_count(&peer, PROCESS) != 1)
		defect_shows("no event has the pid of the process");
	ring_peer_free(&peer);
	record(&peer, pages, "in parent and child", "");
	for (unsigned i = 0; i < peer.n_rings; i++) {
		struct frame frame = { .data = NULL };

		while (frame_next(&peer.rings[i], &frame))
			if (frame.type == PROCESS && n < 2) {
				MUST(strstr((char *)frame.data + 24, "deed") !=
				     NULL);
				pids[n++] = frame.pid;
			}
	}
	if (n != 2 || pids[0] == pids[1])
		defect_shows("of 2 processes %u have a name", n);
	ring_peer_free(&peer);
}

const struct defect defects_of_processes[] = {
	{ "C-9", children_have_rings_of_their_own },
	{ "C-10", counters_have_numbers_of_their_own },
	{ "C-14", rings_leave_no_descriptors },
	{ "C-17", asking_costs_nothing },
	{ "C-19", processes_have_names },
	{ NULL, NULL }
};

const struct deed deeds_of_processes[] = {
	{ "in parent and child", emit_in_both },
	{ "request everywhere", request_everywhere },
	{ "from many threads", emit_from_many_threads },
	{ "ask if active", ask_if_active },
	{ "ask if inactive", ask_if_inactive },
	{ NULL, NULL }
};
