/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_self_children.c - forked children of a process that records itself:
 * their cost, and the completeness of their recording.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/capture.h>

#include "harness/peer.h"
#include "harness/small_disk.h"
#include "harness/test.h"
#include "harness/written.h"

#define EACH 3u

static void emit(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		written_mark(0, i);
}

/* ------------------------------------------------------------- short lives */

/* Forks children that end by _exit() or exec, some forked by _Fork().  All
 * marks form one sequence. */
static void run_forks_often(void)
{
	const unsigned n = (unsigned)strtoul(peer_arg(), NULL, 10);

	emit(EACH);
	for (unsigned i = 1; i <= n; i++) {
		const pid_t pid = i % 3 == 2 ? _Fork() : fork();

		if (pid == 0) {
			for (unsigned k = 0; k < EACH; k++)
				written_mark(0, i * EACH + k);
			if (i % 3 == 1)
				execl("/bin/true", "true", (char *)NULL);
			_exit(0);
		}
		CHECK_EQ(written_wait(pid), 0);
	}
}

CHILD(forks_often)
{
	run_forks_often();
}

CHILD(forks_often_with_small_files)
{
	const struct rlimit limit = { 65536, 65536 };

	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	run_forks_often();
}

/* Used by tests/integration/recover_all.sh. */
CHILD(emits_and_ends)
{
	emit(3);
	_exit(0);
}

/* Ends by a signal. */
CHILD(emits_and_waits)
{
	emit(3);
	printf("%s\n", peer_arg());
	fflush(stdout);
	pause();
}

/* Counts of the frames of a process and its children. */
struct family {
	unsigned marks, doubles, processes, forks, exits, strangers;
	uint64_t lost;
	unsigned char seen[3 * 1024];
};

static bool knows(const int32_t *pids, unsigned n, int32_t pid)
{
	for (unsigned i = 0; i < n; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

static void note_mark(struct family *family, const struct syscap_frame *frame)
{
	unsigned long long frames;
	unsigned emitter, n;

	if (strcmp(frame->mark.group, "syscap") == 0) {
		CHECK_EQ(sscanf(frame->mark.message, "frames=%llu ", &frames),
		         1);
		family->lost += frames;
	} else if (sscanf(frame->mark.message, "%u %u", &emitter, &n) == 2 &&
	           n < sizeof(family->seen)) {
		family->marks++;
		family->doubles += family->seen[n];
		family->seen[n] = 1;
	}
}

static void look_at_file(const char *path, struct family *family)
{
	static int32_t pids[1024];
	struct syscap_reader *reader;
	struct syscap_frame frame;

	CHECK_EQ(syscap_reader_open(path, &reader, NULL), 0);
	while (syscap_reader_next(reader, &frame, NULL) == 1) {
		if (frame.type == SYSCAP_FRAME_PROCESS)
			pids[family->processes++ % 1024] = frame.pid;
		else if (frame.type != SYSCAP_FRAME_METADATA)
			family->strangers +=
				!knows(pids, family->processes, frame.pid);
		family->forks += frame.type == SYSCAP_FRAME_FORK;
		family->exits += frame.type == SYSCAP_FRAME_EXIT;
		if (frame.type == SYSCAP_FRAME_MARK)
			note_mark(family, &frame);
	}
	syscap_reader_close(reader);
}

/* Adds the counts of all captures in @dir. */
static unsigned look_at_family(const char *dir, struct family *family)
{
	char path[1024];
	unsigned n = 0;
	DIR *const d = opendir(dir);

	memset(family, 0, sizeof(*family));
	CHECK(d != NULL);
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		look_at_file(path, family);
		n++;
	}
	closedir(d);
	return n;
}

/* Runs @child with @kib KiB of memory for rings.  *@ret_left: number of files
 * left in the directory of shared memory.  Returns the number of captures. */
static unsigned run_family(const char *child, unsigned n, unsigned kib,
                           struct family *family, unsigned *ret_left)
{
	char *const runtime_dir = small_disk_make(kib);
	char *const dir = written_make_dir();
	char variable[400], runtime[400], path[1024], number[20];
	const char *const env[] = { variable, runtime, NULL };

	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s/out", dir);
	snprintf(runtime, sizeof(runtime), "XDG_RUNTIME_DIR=%s", runtime_dir);
	snprintf(number, sizeof(number), "%u", n);
	written_run(child, number, env, -1);
	snprintf(path, sizeof(path), "%s/syscap", runtime_dir);
	*ret_left = written_count_files(path, "");
	const unsigned n_files = look_at_family(dir, family);
	CHECK_EQ(family->doubles, 0);
	written_remove_dir(dir);
	small_disk_remove(runtime_dir);
	return n_files;
}

static void check_forks(unsigned n, unsigned kib)
{
	struct family family;
	unsigned left;

	CHECK_EQ(run_family("forks_often", n, kib, &family, &left), 1);
	CHECK_EQ(left, 0);
	CHECK_EQ(family.marks, (n + 1) * EACH);
	CHECK_EQ(family.lost + family.strangers, 0);
	CHECK_EQ(family.processes, n + 1);
	CHECK_EQ(family.forks, n);
	CHECK_EQ(family.exits >= n, 1);
}

CHILD(emits_three)
{
	char path[1024];
	struct statvfs fs;

	emit(EACH);
	CHECK_EQ(syscap_drain(), 0);
	snprintf(path, sizeof(path), "%s/syscap", getenv("XDG_RUNTIME_DIR"));
	CHECK_EQ(statvfs(path, &fs), 0);
	const uint64_t used = (fs.f_blocks - fs.f_bfree) * fs.f_bsize;
	if (used > 32768)
		test_fail(__FILE__, __LINE__, "%llu bytes",
		          (unsigned long long)used);
}

TEST(a_process_with_three_events_takes_at_most_32_kib_of_memory_for_rings)
{
	struct family family;
	unsigned left;

	CHECK_EQ(run_family("emits_three", 0, 1024, &family, &left), 1);
	CHECK_EQ(family.marks, EACH);
	CHECK_EQ(left, 0);
}

TEST(five_hundred_forked_children_take_20_mib_and_leave_nothing)
{
	for (int i = 0; i < 3; i++)
		check_forks(500, 20480);
}

TEST(a_memory_of_1_mib_is_enough_for_five_hundred_forked_children)
{
	check_forks(500, 1024);
}

/* A file of 64 KiB fills up before the last child: later children write their
 * own files. */
TEST(under_a_file_size_limit_all_losses_are_reported)
{
	struct family family;
	unsigned left;

	run_family("forks_often_with_small_files", 200, 4096, &family, &left);
	CHECK(family.marks > EACH);
	CHECK_EQ(family.marks + family.lost, 201 * EACH);
}

/* -------------------------------------------------------------- long lives */

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

/* Writes the path of the only file in @dir. */
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

/* A burst of 160 KiB in a ring of 256 KiB.  No later event makes the library
 * check whether the child is old enough for a thread. */
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

TEST(a_young_forked_child_with_a_full_ring_is_drained)
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

/* Fills the memory for rings, except for the ring's existing pages. */
static void fill_memory(void)
{
	static char zeroes[4096];
	char path[1024];

	snprintf(path, sizeof(path), "%s/ballast", getenv("XDG_RUNTIME_DIR"));
	const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	while (write(fd, zeroes, sizeof(zeroes)) > 0)
		;
	close(fd);
}

CHILD(forks_one_that_emits_without_memory)
{
	const pid_t pid = fork();

	if (pid != 0) {
		CHECK_EQ(written_wait(pid), 0);
		return;
	}
	emit(3);
	fill_memory();
	for (unsigned i = 3; i < 5000; i++)
		written_mark(0, i);
	exit(0);
}

TEST(a_forked_child_without_memory_for_its_ring_reports_lost_events)
{
	char *const runtime_dir = small_disk_make(640);
	char *const dir = written_make_dir();
	char variable[400], runtime[400], path[1024];
	const char *const env[] = { variable, runtime, NULL };
	struct tally t;

	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s/out", dir);
	snprintf(runtime, sizeof(runtime), "XDG_RUNTIME_DIR=%s", runtime_dir);
	written_run("forks_one_that_emits_without_memory", NULL, env, -1);
	find_file(dir, path, sizeof(path));
	written_tally(path, &t);
	CHECK(t.received >= 3);
	CHECK(t.lost != 0);
	CHECK_EQ(t.received + t.lost, 5000);
	written_remove_dir(dir);
	small_disk_remove(runtime_dir);
}
