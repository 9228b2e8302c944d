/* SPDX-License-Identifier: BSD-2-Clause */
/* test_self.c - a process that records itself into its own file. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/tsan.h"
#include "harness/written.h"

CHILD(hundred)
{
	for (unsigned i = 0; i < 100; i++)
		written_mark(0, i);
}

static char *output_variable(const char *dir, const char *name)
{
	char *text;

	CHECK(asprintf(&text, "SYSCAP_OUTPUT=%s/%s", dir, name) > 0);
	return text;
}

static char *file_in(const char *dir, const char *name)
{
	char *text;

	CHECK(asprintf(&text, "%s/%s", dir, name) > 0);
	return text;
}

TEST(emitted_events_are_in_the_output_once)
{
	char *const dir = written_make_dir();
	char *const path = file_in(dir, "a.syscap");
	char *const variable = output_variable(dir, "a.syscap");
	const char *const env[] = { variable, NULL };
	struct tally t;

	written_run("hundred", NULL, env, -1);
	written_tally(path, &t);
	CHECK_EQ(t.emitters[0], 100);
	CHECK_EQ(t.gaps + t.doubles, 0);
	CHECK_EQ(t.torn_at, 0);
	CHECK_EQ(t.processes, 1);
	CHECK_EQ(t.unnamed + t.late, 0);
	CHECK_EQ(t.frames[SYSCAP_FRAME_EXIT], 1);
	CHECK_EQ(written_count_files(dir, ""), 1);
	free(path);
	free(variable);
	written_remove_dir(dir);
}

CHILD(start_and_stop)
{
	struct syscap_options options = { .size = sizeof(options) };
	char name[600];

	for (unsigned round = 0; round < 20; round++) {
		snprintf(name, sizeof(name), "%s/%u.syscap", peer_arg(), round);
		options.output = name;
		CHECK(!syscap_is_active());
		written_mark(1, round);
		CHECK_EQ(syscap_start(&options), 0);
		CHECK_STR(options.message, name);
		CHECK(syscap_is_active());
		CHECK_EQ(syscap_start(&options), -EALREADY);
		CHECK_STR(options.message, "a recording is running already");
		for (unsigned i = 0; i < 1000; i++)
			written_mark(0, i);
		CHECK_EQ(syscap_stop(), 0);
		CHECK_EQ(syscap_stop(), -ENOENT);
	}
}

TEST(a_recording_can_be_started_and_stopped_again_and_again)
{
	char *const dir = written_make_dir();
	struct tally t;

	written_run("start_and_stop", dir, NULL, -1);
	CHECK_EQ(written_count_files(dir, ""), 20);
	for (unsigned round = 0; round < 20; round++) {
		char name[32];

		snprintf(name, sizeof(name), "%u.syscap", round);
		char *const path = file_in(dir, name);
		written_tally(path, &t);
		CHECK_EQ(t.emitters[0], 1000);
		CHECK_EQ(t.emitters[1], 0);
		CHECK_EQ(t.gaps + t.doubles, 0);
		free(path);
	}
	written_remove_dir(dir);
}

/* ------------------------------------------------------------- the thread */

/* Number of this process's threads named @name; the tid of the last. */
static unsigned count_threads(const char *name, int *ret_tid)
{
	char path[300], comm[32];
	unsigned n = 0;
	DIR *const dir = opendir("/proc/self/task");

	CHECK(dir != NULL);
	for (struct dirent *e; (e = readdir(dir)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm",
		         e->d_name);
		FILE *const f = fopen(path, "re");
		if (f == NULL)
			continue;
		if (fgets(comm, sizeof(comm), f) != NULL &&
		    strncmp(comm, name, strlen(name)) == 0 &&
		    comm[strlen(name)] == '\n') {
			n++;
			*ret_tid = atoi(e->d_name);
		}
		fclose(f);
	}
	closedir(dir);
	return n;
}

/* Only voluntary switches, since a busy machine adds involuntary switches. */
static unsigned long context_switches(int tid)
{
	char path[64], line[128];
	unsigned long sum = 0, n;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	FILE *const f = fopen(path, "re");
	CHECK(f != NULL);
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1)
			sum = n;
	fclose(f);
	return sum;
}

static void *emit_one(void *data)
{
	written_mark(1, 0);
	return data;
}

/* An idle thread looks once a second. */
static void is_out_after_a_look(void)
{
	struct tally t;

	for (unsigned n = 10, n_in_time = 0; n_in_time < 2; n++) {
		CHECK(n < 40);
		const int64_t begin = syscap_clock();
		written_mark(0, n);
		do {
			test_sleep_ms(5);
			written_tally(peer_arg(), &t);
		} while (t.emitters[0] != n + 1);
		n_in_time += syscap_clock() - begin < 1300000000;
	}
}

CHILD(idle)
{
	pthread_t thread;
	int tid = 0;

	while (count_threads("syscap", &tid) == 0) /* unnamed so far */
		test_sleep_ms(1);
	for (unsigned i = 0; i < 10; i++) {
		written_mark(0, i);
		test_sleep_ms(10);
	}
	/* an ended thread does not keep our thread awake */
	CHECK_EQ(pthread_create(&thread, NULL, emit_one, NULL), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	test_sleep_ms(3000);
	const int64_t begin = syscap_clock();
	const unsigned long before = context_switches(tid);
	test_sleep_ms(5000);
	/* On a busy machine a check takes one more switch */
	const int64_t looks = (syscap_clock() - begin) / 1000000000 + 1;
	CHECK(context_switches(tid) - before <= 2 * (unsigned long)looks);
	is_out_after_a_look();
}

TEST(an_idle_thread_of_the_library_wakes_once_a_second)
{
	char *const dir = written_make_dir();
	char *const path = file_in(dir, "a.syscap");
	char *const variable = output_variable(dir, "a.syscap");
	const char *const env[] = { variable, "SYSCAP_THREAD=1", NULL };

	written_run("idle", path, env, -1);
	free(path);
	free(variable);
	written_remove_dir(dir);
}

CHILD(without_thread)
{
	int tid;

	for (unsigned i = 0; i < 3000; i++) {
		written_mark(0, i);
		if (i % 300 == 0)
			CHECK_EQ(syscap_drain(), 0);
	}
	CHECK_EQ(count_threads("syscap", &tid), 0);
}

TEST(a_program_that_drains_itself_has_no_library_thread)
{
	char *const dir = written_make_dir();
	char *const path = file_in(dir, "a.syscap");
	char *const variable = output_variable(dir, "a.syscap");
	const char *const env[] = { variable, "SYSCAP_THREAD=0", NULL };
	struct tally t;

	written_run("without_thread", NULL, env, -1);
	written_tally(path, &t);
	CHECK_EQ(t.emitters[0], 3000);
	CHECK_EQ(t.gaps + t.doubles + t.lost, 0);
	free(path);
	free(variable);
	written_remove_dir(dir);
}

CHILD(flush)
{
	struct tally t;

	for (unsigned round = 1; round <= 50; round++) {
		written_mark(0, round - 1);
		CHECK_EQ(syscap_drain(), 0);
		written_tally(peer_arg(), &t);
		CHECK_EQ(t.emitters[0], round);
	}
}

TEST(a_drain_call_writes_all_emitted_events)
{
	char *const dir = written_make_dir();
	char *const path = file_in(dir, "a.syscap");
	char *const variable = output_variable(dir, "a.syscap");
	const char *const env[] = { variable, NULL };

	written_run("flush", path, env, -1);
	free(path);
	free(variable);
	written_remove_dir(dir);
}

static void on_signal(int number)
{
	(void)number;
	for (unsigned i = 0; i < 10; i++)
		written_mark(0, i);
}

static int tid_in_handler;
static unsigned threads_in_handler;

static void on_first(int number)
{
	on_signal(number);
	threads_in_handler = count_threads("syscap", &tid_in_handler);
}

CHILD(first_in_handler)
{
	int tid;

	signal(SIGUSR1, on_first);
	raise(SIGUSR1);
	CHECK_EQ(threads_in_handler, 0);
	test_sleep_ms(5);
	written_mark(1, 0);
	CHECK_EQ(count_threads("syscap", &tid), 0);
}

TEST(events_make_no_thread)
{
	SKIP_UNDER_TSAN();
	char *const dir = written_make_dir();
	char *const path = file_in(dir, "a.syscap");
	char *const variable = output_variable(dir, "a.syscap");
	const char *const env[] = { variable, NULL };
	struct tally t;

	written_run("first_in_handler", NULL, env, -1);
	written_tally(path, &t);
	CHECK_EQ(t.emitters[0], 10);
	CHECK_EQ(t.emitters[1], 1);
	free(path);
	free(variable);
	written_remove_dir(dir);
}

/* ------------------------------------------------------ start, under load */

static uint32_t load_goes_on;

struct loader {
	pthread_t thread;
	unsigned number;
	unsigned long done;
};

static void *load(void *data)
{
	struct loader *const loader = data;

	for (unsigned i = 0; __atomic_load_n(&load_goes_on, __ATOMIC_RELAXED);
	     i++) {
		SYSCAP_INSTANT("load", "l", NULL);
		if (i % 64 == 0)
			sched_yield();
		loader->done++;
	}
	return NULL;
}

CHILD(start_under_load)
{
	struct syscap_options options = { .size = sizeof(options) };
	struct loader loaders[3];
	char name[600];

	load_goes_on = 1;
	for (unsigned i = 0; i < 3; i++) {
		loaders[i].number = i;
		CHECK_EQ(pthread_create(&loaders[i].thread, NULL, load,
		                        &loaders[i]),
		         0);
	}
	for (unsigned round = 0; round < 50; round++) {
		snprintf(name, sizeof(name), "%s/%u.syscap", peer_arg(), round);
		options.output = name;
		options.flags = round % 5 == 0 ? SYSCAP_NO_THREAD : 0;
		CHECK_EQ(syscap_start(&options), 0);
		for (unsigned i = 0; i < 100; i++)
			written_mark(0, i);
		test_sleep_ms(round % 7);
		const int r = syscap_stop();
		CHECK_EQ(r, 0);
	}
	__atomic_store_n(&load_goes_on, 0, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(loaders[i].thread, NULL);
}

TEST(starting_and_stopping_under_load_makes_whole_files)
{
	char *const dir = written_make_dir();
	struct tally t;

	written_run("start_under_load", dir, NULL, -1);
	CHECK_EQ(written_count_files(dir, ""), 50);
	for (unsigned round = 0; round < 50; round++) {
		char name[32];

		snprintf(name, sizeof(name), "%u.syscap", round);
		char *const path = file_in(dir, name);
		written_tally(path, &t);
		CHECK_EQ(t.emitters[0], 100);
		CHECK_EQ(t.gaps + t.doubles, 0);
		CHECK_EQ(t.torn_at, 0);
		free(path);
	}
	written_remove_dir(dir);
}

CHILD(limited)
{
	struct syscap_options options = { .size = sizeof(options),
		                          .output = peer_arg(),
		                          .max_bytes = 200000 };
	struct syscap_stats stats = { .size = sizeof(stats) };

	CHECK_EQ(syscap_start(&options), 0);
	for (unsigned i = 0; syscap_is_active(); i++) {
		written_mark(0, i);
		if (i % 100 == 0)
			syscap_drain();
		CHECK(i < 100000);
	}
	syscap_get_stats(&stats);
	CHECK_STR(stats.reason, "the size limit was reached");
	CHECK_EQ(syscap_stop(), -EFBIG);
}

TEST(a_file_at_its_limit_is_whole_and_states_the_limit)
{
	char *const dir = written_make_dir();
	char *const path = file_in(dir, "a.syscap");
	struct stat st;
	struct tally t;

	written_run("limited", path, NULL, -1);
	CHECK_EQ(stat(path, &st), 0);
	CHECK(st.st_size <= 200000);
	CHECK(st.st_size > 190000);
	written_tally(path, &t);
	CHECK_EQ(t.torn_at, 0);
	CHECK_EQ(t.gaps + t.doubles, 0);
	CHECK(t.lost > 0);
	CHECK_EQ(written_count_files(dir, ""), 1);
	free(path);
	written_remove_dir(dir);
}
