/* SPDX-License-Identifier: BSD-2-Clause */
/* test_counting.c - kernel counters in the capture of a process that records
 * itself. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/capture.h>
#include <syscap/system_counters.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

/* Frames of one counter in a capture. */
struct found {
	unsigned definitions, n;
	int32_t pid;
	uint32_t id;
	int64_t first, last;
	int64_t first_time, last_time;
};

static void see_definition(const struct syscap_reader *reader,
                           const struct syscap_frame *frame, const char *name,
                           struct found *found)
{
	struct syscap_counter_info info;
	char whole[80];

	for (unsigned i = 0; i < frame->ctrdef.n_counters; i++) {
		CHECK(syscap_frame_counter(reader, frame, i, &info));
		snprintf(whole, sizeof(whole), "%s/%s", info.category,
		         info.name);
		if (strcmp(whole, name) != 0)
			continue;
		found->definitions++;
		found->id = info.id;
		found->pid = frame->pid;
	}
}

static void see_values(const struct syscap_reader *reader,
                       const struct syscap_frame *frame, struct found *found)
{
	uint64_t value;
	uint32_t id;

	for (unsigned i = 0; i < frame->ctrset.n_values; i++) {
		CHECK(syscap_frame_value(reader, frame, i, &id, &value));
		if (found->definitions == 0 || id != found->id)
			continue;
		CHECK_EQ(frame->pid, found->pid);
		found->last = (int64_t)value;
		found->last_time = frame->time;
		if (found->n++ == 0) {
			found->first = found->last;
			found->first_time = frame->time;
		}
	}
}

static struct found find_counter(const char *path, const char *name)
{
	struct syscap_reader *reader;
	struct found found = { 0 };
	struct syscap_frame frame;
	struct syscap_error error;
	int r;

	CHECK_EQ(syscap_reader_open(path, &reader, &error), 0);
	while ((r = syscap_reader_next(reader, &frame, &error)) > 0) {
		if (frame.type == SYSCAP_FRAME_CTRDEF)
			see_definition(reader, &frame, name, &found);
		else if (frame.type == SYSCAP_FRAME_CTRSET)
			see_values(reader, &frame, &found);
	}
	CHECK_EQ(r, 0);
	syscap_reader_close(reader);
	return found;
}

/* Number of metadata frames "syscap.counters" with @value. */
static unsigned count_said(const char *path, const char *value)
{
	struct syscap_reader *reader;
	struct syscap_frame frame;
	struct syscap_error error;
	unsigned n = 0;

	CHECK_EQ(syscap_reader_open(path, &reader, &error), 0);
	while (syscap_reader_next(reader, &frame, &error) > 0)
		n += frame.type == SYSCAP_FRAME_METADATA &&
		     strcmp(frame.metadata.id, "syscap.counters") == 0 &&
		     strcmp(frame.metadata.value, value) == 0;
	syscap_reader_close(reader);
	return n;
}

/* The number after @key in a file of /proc. */
static int64_t read_proc(const char *path, const char *key)
{
	char line[4096];
	int64_t value = -1;
	FILE *const file = fopen(path, "r");

	CHECK(file != NULL);
	while (value < 0 && fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, key, strlen(key)) == 0)
			value = strtoll(line + strlen(key), NULL, 10);
	fclose(file);
	CHECK(value >= 0);
	return value;
}

/* Waits for @n values of a counter in a file that another process is
 * writing. */
static void wait_for_values(const char *path, const char *name, unsigned n)
{
	while (access(path, R_OK) != 0 || find_counter(path, name).n < n)
		usleep(10000);
}

struct run {
	char *dir, *path;
	char output[600];
	const char *env[4];
};

static void begin_run(struct run *run, const char *counters, const char *more)
{
	*run = (struct run){ .dir = written_make_dir() };
	CHECK(asprintf(&run->path, "%s/a.syscap", run->dir) > 0);
	snprintf(run->output, sizeof(run->output), "SYSCAP_OUTPUT=%s",
	         run->path);
	run->env[0] = run->output;
	run->env[1] = counters;
	run->env[2] = more;
}

static void end_run(struct run *run)
{
	written_remove_dir(run->dir);
	free(run->path);
}

/* Writes a value that the child has read to a file, for the test. */
static void note(const char *name, int64_t value)
{
	char path[600];
	FILE *file;

	snprintf(path, sizeof(path), "%s.%s", getenv("SYSCAP_OUTPUT"), name);
	file = fopen(path, "w");
	CHECK(file != NULL);
	fprintf(file, "%" PRId64, value);
	CHECK_EQ(fclose(file), 0);
}

static int64_t noted(const struct run *run, const char *name)
{
	char path[600];

	snprintf(path, sizeof(path), "%s.%s", run->path, name);
	return read_proc(path, "");
}

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

CHILD(with_threads)
{
	const char *const path = getenv("SYSCAP_OUTPUT");
	pthread_t thread;

	for (int i = 0; i < 5; i++)
		CHECK_EQ(pthread_create(&thread, NULL, wait_for_ever, NULL), 0);
	const unsigned n = find_counter(path, "Process/Threads").n;
	note("forks", read_proc("/proc/stat", "processes "));
	wait_for_values(path, "Process/Threads", n + 2);
	note("threads", read_proc("/proc/self/status", "Threads:"));
}

TEST(counters_are_those_of_proc)
{
	struct run run;
	struct found forks, threads, resident;

	begin_run(&run, "SYSCAP_COUNTERS=hz=50", NULL);

	const int64_t before = read_proc("/proc/stat", "processes ");
	written_run("with_threads", NULL, run.env, -1);
	const int64_t after = read_proc("/proc/stat", "processes ");
	forks = find_counter(run.path, "Scheduler/Forks");
	CHECK_EQ(forks.definitions, 1);
	CHECK_EQ(forks.pid, -1);
	CHECK(forks.first >= before);
	CHECK(forks.first <= forks.last);
	CHECK(forks.last >= noted(&run, "forks"));
	CHECK(forks.last <= after);
	threads = find_counter(run.path, "Process/Threads");
	CHECK_EQ(threads.last, noted(&run, "threads"));
	/* ThreadSanitizer has its own thread, too */
	CHECK(threads.last >= 1 + 5 + 1);
	CHECK(threads.pid > 0);
	resident = find_counter(run.path, "Process/Resident");
	CHECK(resident.n >= 2);
	CHECK_EQ(resident.last % getpagesize(), 0);
	CHECK(resident.last > 100 * getpagesize());
	CHECK(find_counter(run.path, "CPU Percent/Combined").definitions == 1);
	CHECK_EQ(count_said(run.path, "cpu,memory,disk,net,energy,battery,"
	                              "sched,psi,hz=50"),
	         1);
	end_run(&run);
}

/* A process that emits nothing is counted, too. */
CHILD(nothing)
{
}

static unsigned count_files(const char *path, const char *name)
{
	struct syscap_reader *reader;
	struct syscap_frame frame;
	struct syscap_error error;
	unsigned n = 0;

	CHECK_EQ(syscap_reader_open(path, &reader, &error), 0);
	while (syscap_reader_next(reader, &frame, &error) > 0)
		n += frame.type == SYSCAP_FRAME_FILE_CHUNK &&
		     frame.file_chunk.is_last &&
		     strcmp(frame.file_chunk.path, name) == 0;
	syscap_reader_close(reader);
	return n;
}

TEST(the_shortest_life_has_two_readings_and_the_machines_files)
{
	struct run run;
	struct tally t;

	begin_run(&run, "SYSCAP_COUNTERS=sched", NULL);

	written_run("nothing", NULL, run.env, -1);
	CHECK(find_counter(run.path, "Scheduler/Forks").n >= 2);
	CHECK_EQ(find_counter(run.path, "CPU Percent/Combined").definitions, 0);
	CHECK_EQ(count_said(run.path, "sched,hz=10"), 1);
	CHECK_EQ(count_files(run.path, "/proc/cpuinfo"), 1);
	CHECK_EQ(count_files(run.path, "/proc/mounts"), 1);
	written_tally(run.path, &t);
	CHECK_EQ(t.unnamed + t.late, 0);
	CHECK_EQ(t.lost, 0);
	CHECK_EQ(t.torn_at, 0);
	end_run(&run);
}

CHILD(drains_itself)
{
	written_mark(0, 0);
	syscap_drain();
}

TEST(no_counters_without_a_thread_and_the_reason_is_stated)
{
	struct run run;

	begin_run(&run, "SYSCAP_COUNTERS=sched", "SYSCAP_THREAD=0");

	written_run("drains_itself", NULL, run.env, -1);
	CHECK_EQ(find_counter(run.path, "Scheduler/Forks").definitions, 0);
	CHECK_EQ(count_said(run.path, "none: no thread reads counters"), 1);
	CHECK_EQ(count_said(run.path, "sched,hz=10"), 0);
	end_run(&run);
}

TEST(no_counters_without_a_request)
{
	struct run run;
	struct tally t;

	begin_run(&run, NULL, NULL);

	written_run("drains_itself", NULL, run.env, -1);
	written_tally(run.path, &t);
	CHECK_EQ(t.frames[SYSCAP_FRAME_CTRDEF], 0);
	CHECK_EQ(t.frames[SYSCAP_FRAME_CTRSET], 0);
	CHECK_EQ(t.frames[SYSCAP_FRAME_FILE_CHUNK], 0);
	end_run(&run);
}

static unsigned count_descriptors(void)
{
	DIR *const dir = opendir("/proc/self/fd");
	unsigned n = 0;

	CHECK(dir != NULL);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

CHILD(chooses)
{
	const char *const path = getenv("SYSCAP_OUTPUT");
	unsigned before;

	CHECK_EQ(syscap_system_counters_choose("cpu,nonsense"), -EINVAL);
	CHECK_EQ(syscap_system_counters_choose("hz=0"), -EINVAL);
	written_mark(0, 0);
	written_wait_until_out(0, 1);
	before = count_descriptors();
	CHECK_EQ(syscap_system_counters_choose("sched,battery,hz=100"), 0);
	wait_for_values(path, "Scheduler/Forks", 5);
	CHECK_EQ(count_descriptors(), before);
	CHECK_EQ(syscap_system_counters_choose("memory"), 0);
	wait_for_values(path, "Memory/Used", 2);
	CHECK_EQ(syscap_system_counters_choose(NULL), 0);
}

TEST(a_program_chooses_and_keeps_its_descriptors)
{
	struct run run;

	begin_run(&run, NULL, NULL);

	written_run("chooses", NULL, run.env, -1);
	CHECK_EQ(count_said(run.path, "battery,sched,hz=100"), 1);
	CHECK_EQ(count_said(run.path, "memory,hz=10"), 1);
	CHECK_EQ(find_counter(run.path, "Scheduler/Forks").definitions, 1);
	CHECK_EQ(find_counter(run.path, "Memory/Used").definitions, 1);
	end_run(&run);
}

CHILD(forks)
{
	const char *const path = getenv("SYSCAP_OUTPUT");
	int status;

	const pid_t child = fork();
	if (child == 0) {
		written_mark(1, 0);
		wait_for_values(path, "Scheduler/Forks", 5);
		exit(0);
	}
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK_EQ(status, 0);
}

TEST(a_forked_child_has_its_parents)
{
	struct run run;
	struct tally t;

	/* Another thread may hold a lock of the allocator at fork(), and the
	 * leak check of the child would wait for it */
	begin_run(&run, "SYSCAP_COUNTERS=sched,hz=100",
	          "ASAN_OPTIONS=detect_leaks=0");

	written_run("forks", NULL, run.env, -1);
	CHECK_EQ(find_counter(run.path, "Scheduler/Forks").definitions, 1);
	CHECK_EQ(find_counter(run.path, "Process/Threads").definitions, 1);
	written_tally(run.path, &t);
	CHECK_EQ(t.emitters[1], 1);
	CHECK_EQ(t.lost, 0);
	end_run(&run);
}

CHILD(starts_and_stops)
{
	struct syscap_options options = { .size = sizeof(options) };
	char name[600];

	CHECK_EQ(syscap_system_counters_choose("sched,battery"), 0);
	for (unsigned round = 0; round < 3; round++) {
		snprintf(name, sizeof(name), "%s/%u.syscap", peer_arg(), round);
		options.output = name;
		CHECK_EQ(syscap_start(&options), 0);
		CHECK_EQ(syscap_stop(), 0);
		CHECK(find_counter(name, "Scheduler/Forks").n >= 1);
		CHECK_EQ(find_counter(name, "Scheduler/Forks").definitions, 1);
		CHECK_EQ(count_said(name, "battery,sched,hz=10"), 1);
	}
}

TEST(every_recording_that_is_started_has_them)
{
	char *const dir = written_make_dir();

	written_run("starts_and_stops", dir, NULL, -1);
	written_remove_dir(dir);
}

CHILD(sees_nothing)
{
	written_mark(0, 0);
	written_wait_until_out(0, 1);
	CHECK_EQ(chroot(peer_arg()), 0);
	CHECK_EQ(syscap_system_counters_choose(
			 "memory,disk,net,energy,battery,sched,psi"),
	         0);
}

TEST(unavailable_groups_are_reported)
{
	struct run run;
	struct tally t;

	if (geteuid() != 0)
		SKIP("only root can call chroot()");
	/* LeakSanitizer ends a process without /proc */
	begin_run(&run, "ASAN_OPTIONS=detect_leaks=0", NULL);
	written_run("sees_nothing", run.dir, run.env, -1);
	CHECK_EQ(count_said(run.path, "nothing to read of memory, disk, net, "
	                              "energy, battery, sched, psi"),
	         1);
	written_tally(run.path, &t);
	CHECK_EQ(t.torn_at, 0);
	end_run(&run);
}
