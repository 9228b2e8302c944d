/* SPDX-License-Identifier: BSD-2-Clause */
/* test_record_limits.c - a recorder with few or small files. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"
#include "integration/recording.h"

static struct recording recording;

static void limit(int what, rlim_t n)
{
	const struct rlimit limit = { n, n };

	CHECK_EQ(setrlimit(what, &limit), 0);
}

/* Allows @n more fds than are open.  The recorder inherits some of the open
 * fds. */
static void limit_files(unsigned n)
{
	const int lowest = dup(STDERR_FILENO);

	CHECK(lowest >= 0);
	close(lowest);
	limit(RLIMIT_NOFILE, (rlim_t)lowest + n);
}

static bool said(const char *text)
{
	return strstr(recording.messages, text) != NULL;
}

TEST(few_descriptors_are_enough_for_many_processes)
{
	recording_init(&recording);
	limit_files(17);
	if (recording_run(&recording, recording_program("ring_deeds"), "crowd",
	                  NULL) != 0)
		test_fail(__FILE__, __LINE__, "%d: %s", recording.status,
		          recording.messages);
	CHECK_EQ(recording_count_marks(&recording, "test", "of a crowd"), 40);
	CHECK(!said("for a ring failed"));
	/* The recorder checks processes without a pidfd at its end. */
	CHECK(!said("still recording"));
	recording_free(&recording);
}

TEST(too_few_descriptors_are_reported_before_the_command_runs)
{
	char path[128];

	recording_init(&recording);
	snprintf(path, sizeof(path), "%s/ran", recording.dir);
	limit_files(7);
	CHECK_EQ(recording_run(&recording, "touch", path, NULL), 125);
	CHECK(said("Too many open files"));
	CHECK(access(path, F_OK) != 0);
	recording_free(&recording);
}

static bool exists(const void *path)
{
	return access(path, F_OK) == 0;
}

/* The recorder can open no fd from now on. */
TEST(a_recorder_without_memory_for_rings_exits_with_125)
{
	const struct rlimit none = { 3, 3 };
	char flag[128];

	recording_init(&recording);
	snprintf(flag, sizeof(flag), "%s/flag", recording.dir);
	/* LeakSanitizer needs fds, too */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	recording_start(&recording, "sh", "-c",
	                ": > $1; while [ -e $1 ]; do sleep 0.02; done;"
	                "\"$0\" losses; exit 0",
	                recording_program("ring_deeds"), flag, NULL);
	CHECK(recording_wait(exists, flag));
	CHECK_EQ(prlimit(recording.pid, RLIMIT_NOFILE, &none, NULL), 0);
	unlink(flag);
	CHECK_EQ(recording_finish(&recording), 125);
	CHECK(said("1 request for a ring failed"));
	recording_free(&recording);
}

static void check_kept_and_told(unsigned sent)
{
	const size_t kept = recording_count_marks(&recording, "test", "good");

	CHECK(kept > 400);
	CHECK_EQ(kept + recording_count_lost(&recording, SYSCAP_FRAME_MARK),
	         sent);
}

/* Rewrites a copy of the capture, as the capture's disk is full. */
static void check_told_once_when_rewritten(unsigned sent)
{
	char command[400], full[sizeof(recording.path)];

	memcpy(full, recording.path, sizeof(full));
	snprintf(recording.path, sizeof(recording.path), "%s/copy",
	         recording.dir);
	snprintf(command, sizeof(command),
	         "cp %s %s && \"$SYSCAP\" symbolize -q --force %s", full,
	         recording.path, recording.path);
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(system(command), 0);
		check_kept_and_told(sent);
		snprintf(command, sizeof(command),
		         "\"$SYSCAP\" cat -q --force -o %s %s && "
		         "\"$SYSCAP\" symbolize -q --force %s",
		         recording.path, full, recording.path);
	}
	CHECK_EQ(unlink(recording.path), 0);
	memcpy(recording.path, full, sizeof(full));
}

/* The limit applies to memory files, too: a ring would be larger than the
 * limit. */
TEST(small_files_make_rings_small_and_the_capture_is_cut_at_a_frame)
{
	recording_init(&recording);
	limit(RLIMIT_FSIZE, 65536);
	CHECK_EQ(recording_run(&recording, recording_program("hostile_client"),
	                       "good", "5000", NULL),
	         125);
	CHECK(said("File too large"));
	CHECK(said("not written"));
	check_kept_and_told(5000);
	recording_free(&recording);
}

TEST(a_file_limit_below_a_ring_is_reported_before_the_command_runs)
{
	recording_init(&recording);
	limit(RLIMIT_FSIZE, 4096);
	CHECK_EQ(recording_run(&recording, "true", NULL), 125);
	CHECK(said("File too large"));
	recording_free(&recording);
}

TEST(a_full_disk_cuts_the_capture_at_a_frame)
{
	char disk[80];

	recording_init(&recording);
	snprintf(disk, sizeof(disk), "%s/disk", recording.dir);
	snprintf(recording.path, sizeof(recording.path), "%s/c", disk);
	CHECK_EQ(mkdir(disk, 0700), 0);
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", disk, "tmpfs", 0, "size=64k") != 0) {
		rmdir(disk);
		rmdir(recording.dir);
		SKIP("a separate file system is unavailable");
	}
	CHECK_EQ(recording_run(&recording, recording_program("hostile_client"),
	                       "good", "5000", NULL),
	         125);
	CHECK(said("No space left"));
	CHECK(said("not written"));
	check_kept_and_told(5000);
	check_told_once_when_rewritten(5000);
	CHECK_EQ(umount(disk), 0);
	rmdir(disk);
	recording_free(&recording);
}
