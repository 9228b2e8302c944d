/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_self_children.c - forked children of a process that records itself:
 * what they cost, and that they can record as much as any process.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/small_disk.h"
#include "harness/test.h"
#include "harness/written.h"

#define FORKS     24u
#define CHILD_MAX 65536

static void emit(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		written_mark(0, i);
}

/* A folder in memory, which a session of the user's would have. */
static char *make_runtime_dir(void)
{
	char *const dir = strdup("/dev/shm/syscap-test-XXXXXX");

	if (mkdtemp(dir) == NULL)
		SKIP("there is no /dev/shm");
	return dir;
}

/* --------------------------------------------------- those that live short */

/* By _exit(), by exec, and without the C library knowing. */
CHILD(forks_often)
{
	emit(3);
	for (unsigned i = 0; i < FORKS; i++) {
		const pid_t pid = i % 3 == 2 ? _Fork() : fork();

		if (pid == 0) {
			emit(3);
			if (i % 3 == 1)
				execl("/bin/true", "true", (char *)NULL);
			_exit(0);
		}
		CHECK_EQ(written_wait(pid), 0);
	}
}

/* For tests/integration/recover_all.sh: killed, or asked to end. */
CHILD(emits_and_waits)
{
	emit(3);
	printf("%s\n", peer_arg());
	fflush(stdout);
	pause();
}

static unsigned check_sizes(const char *dir)
{
	char path[1024];
	struct stat st;
	unsigned n = 0;
	DIR *const d = opendir(dir);

	CHECK(d != NULL);
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		CHECK_EQ(stat(path, &st), 0);
		if (st.st_blocks * 512 > CHILD_MAX)
			test_fail(__FILE__, __LINE__, "%s has %lld bytes", path,
			          (long long)st.st_blocks * 512);
		n++;
	}
	closedir(d);
	return n;
}

static void check_captures(const char *dir)
{
	struct tally t;
	char path[1024];
	unsigned n = 0;
	DIR *const d = opendir(dir);

	CHECK(d != NULL);
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		written_tally(path, &t);
		CHECK_EQ(t.emitters[0], 3);
		CHECK_EQ(t.gaps + t.doubles + t.lost + t.unnamed, 0);
		n++;
	}
	closedir(d);
	CHECK_EQ(n, 1 + FORKS);
}

TEST(a_forked_child_with_three_events_leaves_at_most_64_kib_of_memory)
{
	char *const dir = written_make_dir();
	char *const runtime_dir = make_runtime_dir();
	char variable[400], runtime[400], rings[400];
	const char *const env[] = { variable, runtime, NULL };

	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s/out", dir);
	snprintf(runtime, sizeof(runtime), "XDG_RUNTIME_DIR=%s", runtime_dir);
	snprintf(rings, sizeof(rings), "%s/syscap", runtime_dir);
	written_run("forks_often", NULL, env, -1);
	CHECK_EQ(check_sizes(rings), FORKS);
	check_captures(dir);
	written_remove_dir(dir);
	CHECK_EQ(written_count_files(rings, ""), 0);
	written_remove_dir(runtime_dir);
}

/* ---------------------------------------------------- those that live long */

#define MANY 20000u

static void log_much(void)
{
	static char text[60000];

	memset(text, 'x', sizeof(text) - 1);
	syscap_log(SYSCAP_INFO, "test", text);
}

CHILD(forks_one_that_emits_much)
{
	const pid_t pid = fork();

	if (pid != 0) {
		CHECK_EQ(written_wait(pid), 0);
		return;
	}
	emit(3);
	log_much();
	for (unsigned i = 3; i < MANY; i++) {
		written_mark(0, i);
		if (i % 1000 == 0)
			syscap_drain();
		if (i % 5000 == 0)
			log_much();
	}
	exit(0);
}

/* The only file there. */
static void find_file(const char *dir, char *path, size_t size)
{
	CHECK_EQ(written_count_files(dir, ""), 1);
	DIR *const d = opendir(dir);
	for (struct dirent *e; (e = readdir(d)) != NULL;)
		if (e->d_name[0] != '.')
			snprintf(path, size, "%s/%s", dir, e->d_name);
	closedir(d);
}

static void check_much(const char *path)
{
	struct tally t;

	written_tally(path, &t);
	CHECK_EQ(t.emitters[0], MANY);
	CHECK_EQ(t.gaps + t.doubles + t.lost, 0);
	CHECK_EQ(t.frames[SYSCAP_FRAME_LOG], 4);
}

TEST(a_forked_child_that_lives_on_records_as_much_as_its_parent)
{
	static const char *const trace[] = { "SYSPROF_TRACE_FD=3", NULL };
	char *const dir = written_make_dir();
	char variable[400], path[1024];
	const char *const env[] = { variable, NULL };

	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s/out", dir);
	written_run("forks_one_that_emits_much", NULL, env, -1);
	find_file(dir, path, sizeof(path));
	check_much(path);
	const int fd = memfd_create("trace", MFD_CLOEXEC);
	written_run("forks_one_that_emits_much", NULL, trace, fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check_much(path);
	close(fd);
	written_remove_dir(dir);
}

/* 160 KiB of a ring of 256, and nothing that could look later whether the
 * child is old enough for a thread. */
#define BURST 2000u

static uint64_t written(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats.n_written;
}

CHILD(forks_one_that_has_one_burst)
{
	const pid_t pid = fork();

	if (pid != 0) {
		CHECK_EQ(written_wait(pid), 0);
		return;
	}
	emit(BURST);
	for (int i = 0; i < 20000 && written() < BURST * 64; i++)
		usleep(1000);
	CHECK(written() >= BURST * 64);
	_exit(0);
}

TEST(a_forked_child_whose_ring_fills_up_is_drained_however_young_it_is)
{
	char *const dir = written_make_dir();
	char variable[400], path[1024];
	const char *const env[] = { variable, NULL };
	struct tally t;

	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s/out", dir);
	written_run("forks_one_that_has_one_burst", NULL, env, -1);
	find_file(dir, path, sizeof(path));
	written_tally(path, &t);
	CHECK_EQ(t.emitters[0], BURST);
	CHECK_EQ(t.gaps + t.doubles + t.lost, 0);
	written_remove_dir(dir);
}

/* -------------------------------------------------------------- no memory */

CHILD(forks_one_that_emits_without_memory)
{
	const pid_t pid = fork();

	if (pid != 0) {
		CHECK_EQ(written_wait(pid), 0);
		return;
	}
	emit(5000);
	exit(0);
}

TEST(a_forked_child_without_memory_for_its_ring_loses_events_and_tells)
{
	char *const runtime_dir = small_disk_make(160);
	char *const dir = written_make_dir();
	char variable[400], runtime[400], path[1024];
	const char *const env[] = { variable, runtime, NULL };
	struct tally t;

	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s/out", dir);
	snprintf(runtime, sizeof(runtime), "XDG_RUNTIME_DIR=%s", runtime_dir);
	written_run("forks_one_that_emits_without_memory", NULL, env, -1);
	find_file(dir, path, sizeof(path));
	written_tally(path, &t);
	CHECK(t.received >= 100);
	CHECK(t.lost != 0);
	CHECK_EQ(t.received + t.lost, 5000);
	written_remove_dir(dir);
	small_disk_remove(runtime_dir);
}
