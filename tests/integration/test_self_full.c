/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_self_full.c - processes that record themselves without disk space.
 * Frames that fit are kept, and the other frames are reported as lost. Writing
 * continues when there is space again.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <syscap.h>

#include "capture/recover.h"
#include "harness/peer.h"
#include "harness/small_disk.h"
#include "harness/test.h"
#include "harness/written.h"

#define MARKS    3000u /* 312 KB */
#define DISK_KIB 160u
#define LIMIT    100000u
/* Space that may stay free: space for the loss report, and less than a frame */
#define SPARE 2048u

static const char *const trace[] = { "SYSPROF_TRACE_FD=3",
	                             "SYSCAP_RING_KIB=1024", NULL };

static uint64_t size_of(const char *path)
{
	struct stat st;

	CHECK_EQ(stat(path, &st), 0);
	return (uint64_t)st.st_size;
}

static int open_in(const char *dir, const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", dir, name);
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	return fd;
}

/* Checks that all sent marks are in the capture, or reported as lost. */
static void check_account(const char *path, unsigned sent, struct tally *t)
{
	written_tally(path, t);
	CHECK_EQ(t->torn_at, 0);
	CHECK_EQ(t->doubles, 0);
	CHECK_EQ(t->received + t->lost, sent);
}

CHILD(emits)
{
	for (unsigned i = 0; i < MARKS; i++)
		written_mark(0, i);
}

TEST(a_trace_on_a_full_disk_reports_the_lost_frames)
{
	char *const dir = small_disk_make(DISK_KIB);
	char path[300];
	struct statvfs fs;
	struct tally t;
	const int fd = open_in(dir, "trace", path, sizeof(path));

	written_run("emits", NULL, trace, fd);
	check_account(path, MARKS, &t);
	CHECK(t.lost != 0);
	CHECK(size_of(path) > DISK_KIB * 1024 / 2);
	CHECK_EQ(statvfs(path, &fs), 0);
	CHECK_EQ(fs.f_bfree, 0);
	close(fd);
	small_disk_remove(dir);
}

CHILD(emits_below_a_limit)
{
	const struct rlimit limit = { LIMIT, LIMIT };

	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (unsigned i = 0; i < MARKS; i++)
		written_mark(0, i);
}

TEST(a_trace_at_the_file_size_limit_reports_the_lost_frames)
{
	char *const dir = written_make_dir();
	char path[300];
	struct tally t;
	const int fd = open_in(dir, "trace", path, sizeof(path));

	written_run("emits_below_a_limit", NULL, trace, fd);
	check_account(path, MARKS, &t);
	CHECK(t.lost != 0);
	CHECK(size_of(path) > LIMIT - SPARE);
	CHECK(size_of(path) <= LIMIT);
	close(fd);
	written_remove_dir(dir);
}

static bool reason_begins(const char *with)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return strncmp(stats.reason, with, strlen(with)) == 0;
}

static uint64_t n_written(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats.n_written;
}

static void check_stats(unsigned sent)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	CHECK(stats.n_dropped != 0);
	CHECK(stats.n_dropped < sent);
}

/* For a moment there is enough space for a loss record in the ring. Then there
 * is no space to write the ring's frames. */
CHILD(makes_a_little_room)
{
	char filler[600];
	unsigned n = 0;

	snprintf(filler, sizeof(filler), "%s/filler", peer_arg());
	const int fd = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	CHECK_EQ(posix_fallocate(fd, 0, (256 - 48) * 1024), 0);
	while (!reason_begins("no space left")) {
		for (unsigned i = 0; i < 2000; i++)
			written_mark(0, n++);
		test_sleep_ms(10);
	}
	const uint64_t before = n_written();
	CHECK_EQ(ftruncate(fd, (256 - 64) * 1024), 0);
	close(fd);
	while (n_written() == before) {
		syscap_drain();
		test_sleep_ms(10);
	}
	while (n % 500 != 20)
		written_mark(0, n++);
	printf("%u\n", n);
}

TEST(a_loss_record_in_a_lost_ring_is_written_again)
{
	static const char *const env[] = { "SYSPROF_TRACE_FD=3",
		                           "SYSCAP_RING_KIB=64", NULL };
	char *const dir = small_disk_make(256);
	char path[300], number[16] = "";
	struct tally t;
	int ends[2];
	const int fd = open_in(dir, "trace", path, sizeof(path));
	const int saved = dup(1);

	CHECK(saved >= 0);
	CHECK_EQ(pipe(ends), 0);
	fflush(stdout);
	dup2(ends[1], 1);
	const pid_t pid = written_start("makes_a_little_room", dir, env, fd);
	dup2(saved, 1);
	close(saved);
	close(ends[1]);
	CHECK_EQ(written_wait(pid), 0);
	CHECK(read(ends[0], number, sizeof(number) - 1) > 0);
	close(ends[0]);
	check_account(path, (unsigned)atoi(number), &t);
	CHECK(t.lost >= 500);
	close(fd);
	small_disk_remove(dir);
}

/* Emits more than the rings hold, with a full disk, then makes space. */
CHILD(makes_room)
{
	char filler[600];
	unsigned n = 0;

	snprintf(filler, sizeof(filler), "%s/filler", peer_arg());
	const int fd = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	CHECK_EQ(posix_fallocate(fd, 0, (off_t)(1024 - 64) * 1024), 0);
	while (n < 1000)
		written_mark(0, n++);
	while (!reason_begins("no space left")) {
		syscap_drain();
		test_sleep_ms(10);
	}
	while (n < 8000)
		written_mark(0, n++);
	check_stats(n);
	CHECK_EQ(ftruncate(fd, 0), 0);
	close(fd);
	const uint64_t before = n_written();
	while (n_written() < before + 200000) {
		syscap_drain();
		test_sleep_ms(10);
	}
	CHECK(!reason_begins("no space left"));
	while (n < 9000)
		written_mark(0, n++);
}

TEST(a_trace_goes_on_when_there_is_room_again)
{
	static const char *const small_ring[] = { "SYSPROF_TRACE_FD=3", NULL };
	char *const dir = small_disk_make(1024);
	char path[300];
	struct tally t;
	const int fd = open_in(dir, "trace", path, sizeof(path));

	written_run("makes_room", dir, small_ring, fd);
	check_account(path, 9000, &t);
	CHECK_EQ(t.emitters[0], 9000);
	CHECK(t.lost != 0);
	close(fd);
	small_disk_remove(dir);
}

CHILD(fills_its_output)
{
	for (unsigned i = 0; i < MARKS; i++)
		written_mark(0, i);
	while (!reason_begins("no space left")) {
		syscap_drain();
		test_sleep_ms(10);
	}
}

TEST(an_output_fills_the_disk_and_its_ring_file_keeps_the_rest)
{
	char *const dir = small_disk_make(DISK_KIB);
	char path[300], variable[400];
	const char *const env[] = { variable, "SYSCAP_RING_KIB=1024", NULL };
	struct syc_recovered recovered;
	struct syscap_error error;
	struct statvfs fs;
	struct tally t;

	if (access("/dev/shm", W_OK) != 0)
		SKIP("there is no /dev/shm");
	unsetenv("XDG_RUNTIME_DIR");
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	written_run("fills_its_output", NULL, env, -1);
	CHECK(size_of(path) > DISK_KIB * 1024 / 2);
	CHECK_EQ(statvfs(path, &fs), 0);
	CHECK_EQ(fs.f_bfree, 0);
	small_disk_resize(dir, 8 * DISK_KIB);
	CHECK_EQ(syc_recover(path, false, &recovered, &error), 0);
	CHECK(recovered.frames != 0 && recovered.frames < MARKS);
	check_account(path, MARKS, &t);
	CHECK_EQ(t.lost, 0);
	small_disk_remove(dir);
}

/* More threads than the file system has rings for */
#define THREADS 30u
static pthread_barrier_t all;

static void *emit_and_wait(void *arg)
{
	for (unsigned i = 0; i < MARKS; i++)
		written_mark((unsigned)(uintptr_t)arg, i);
	pthread_barrier_wait(&all);
	pthread_barrier_wait(&all);
	return NULL;
}

CHILD(takes_a_snapshot)
{
	pthread_t threads[THREADS];

	CHECK_EQ(pthread_barrier_init(&all, NULL, THREADS + 1), 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, emit_and_wait,
		                        (void *)i),
		         0);
	pthread_barrier_wait(&all);
	CHECK_EQ(syscap_snapshot(peer_arg()), 0);
	pthread_barrier_wait(&all);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

TEST(a_snapshot_passes_over_rings_that_got_no_memory)
{
	char *const runtime_dir = small_disk_make(1500);
	char *const dir = written_make_dir();
	char path[300], variable[400], runtime[400];
	const char *const env[] = { variable, runtime, "SYSCAP_MODE=flight",
		                    NULL };
	struct tally t;

	snprintf(path, sizeof(path), "%s/snapshot", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s/out", dir);
	snprintf(runtime, sizeof(runtime), "XDG_RUNTIME_DIR=%s", runtime_dir);
	written_run("takes_a_snapshot", path, env, -1);
	written_tally(path, &t);
	CHECK(t.received != 0);
	CHECK(t.lost >= MARKS); /* of a thread without a ring */
	written_remove_dir(dir);
	small_disk_remove(runtime_dir);
}
