/* SPDX-License-Identifier: BSD-2-Clause */
/* test_procfs.c - facts from /proc, for any process name. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "recorder/processes.h"

TEST(a_mapping_with_spaces_and_newlines_in_its_name_is_read)
{
	char line[] = "7f00-7fff r-xp 00001000 fe:01 123456      "
		      "/opt/my app\\012x (deleted)";
	struct syc_procfs_map map;

	CHECK(syc_procfs_parse_map(line, &map));
	CHECK_EQ(map.start, 0x7f00);
	CHECK_EQ(map.end, 0x7fff);
	CHECK_EQ(map.offset, 0x1000);
	CHECK_EQ(map.major, 0xfe);
	CHECK_EQ(map.minor, 1);
	CHECK_EQ(map.inode, 123456);
	CHECK(map.executable);
	CHECK_STR(map.path, "/opt/my app\nx (deleted)");
}

TEST(an_anonymous_mapping_has_an_empty_name)
{
	char line[] = "7f00-7fff rw-p 00000000 00:00 0 ";
	char torn[] = "7f00-7fff rw-p";
	struct syc_procfs_map map;

	CHECK(syc_procfs_parse_map(line, &map));
	CHECK(!map.executable);
	CHECK_STR(map.path, "");
	CHECK(!syc_procfs_parse_map(torn, &map));
}

TEST(a_process_cannot_hide_behind_its_name)
{
	char stat[] = "7 (a) R 9) S 1 7 7 0 -1 4194560 1 1 1 1 1 1 1 1 20 0 1 "
		      "0 555 1 1 1 94000 94001 140000 1 1";
	struct syc_procfs_identity identity;

	CHECK(syc_procfs_parse_stat(stat, &identity));
	CHECK_EQ(identity.state, 'S');
	CHECK_EQ(identity.start_time, 555);
	CHECK_EQ(identity.start_code, 94000);
	CHECK_EQ(identity.start_stack, 140000);
	CHECK(!syc_procfs_parse_stat((char[]){ "7 (a" }, &identity));
	CHECK(!syc_procfs_parse_stat((char[]){ "7 (a) S 1 2" }, &identity));
}

static void find_code(void *context, const struct syc_procfs_map *map)
{
	const uint64_t address = (uint64_t)(uintptr_t)&find_code;

	if (map->start <= address && address < map->end && map->executable &&
	    map->path[0] == '/')
		*(bool *)context = true;
}

TEST(our_own_process_is_found_by_all_functions)
{
	const int32_t pid = (int32_t)getpid();
	struct syc_procfs_identity identity;
	char text[4096];
	bool found = false;
	int32_t own = 0;

	CHECK_EQ(syc_procfs_identity(pid, &identity), 0);
	CHECK_EQ(identity.state, 'R');
	CHECK(identity.start_time > 0 && identity.start_code > 1);
	CHECK_EQ(syc_procfs_cmdline(pid, text, sizeof(text)), 0);
	CHECK(strstr(text, "procfs") != NULL);
	CHECK_EQ(prctl(PR_SET_NAME, "a) S 1"), 0);
	CHECK_EQ(syc_procfs_comm(pid, text, sizeof(text)), 0);
	CHECK_STR(text, "a) S 1");
	CHECK_EQ(syc_procfs_own_pid(pid, &own), 0);
	CHECK_EQ(own, pid);
	CHECK_EQ(syc_procfs_maps(pid, find_code, &found), 0);
	CHECK(found);
}

TEST(a_process_that_is_not_there_is_an_error)
{
	struct syc_procfs_identity identity;
	char text[16];

	CHECK_EQ(syc_procfs_identity(1 << 30, &identity), -ENOENT);
	CHECK_EQ(syc_procfs_cmdline(1 << 30, text, sizeof(text)), -ENOENT);
	CHECK_EQ(syc_procfs_maps(1 << 30, find_code, NULL), -ENOENT);
}

static void *wait_for_signals(void *ignored)
{
	for (;;)
		pause();
	return ignored;
}

/* A process whose first thread has ended runs on. */
static void run_without_leader(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, wait_for_signals, NULL) != 0)
		_exit(1);
	pthread_exit(NULL);
}

TEST(a_dying_process_is_known)
{
	struct syc_procfs_identity identity;
	siginfo_t info;
	pid_t child;

	CHECK(!syc_procfs_is_dying((int32_t)getpid()));
	child = fork();
	if (child == 0)
		run_without_leader();
	for (int i = 0; i < 5000; i++) {
		CHECK_EQ(syc_procfs_identity(child, &identity), 0);
		if (identity.state == 'Z')
			break;
		usleep(1000);
	}
	CHECK_EQ(identity.state, 'Z');
	CHECK(!syc_procfs_is_dying(child));
	/* The signal is pending, or the process exits, or it is a zombie. */
	CHECK_EQ(kill(child, SIGKILL), 0);
	CHECK_EQ(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	CHECK(syc_procfs_is_dying(child));
	CHECK_EQ(waitpid(child, NULL, 0), child);
	CHECK(syc_procfs_is_dying(child));
}

TEST(clock_offset_is_read)
{
	int64_t ns;

	CHECK(syc_procfs_parse_clock("monotonic          12         5\n"
	                             "boottime            3         0\n",
	                             &ns));
	CHECK_EQ(ns, INT64_C(12000000005));
	/* Nanoseconds are never below 0 */
	CHECK(syc_procfs_parse_clock("monotonic -3 999999999\n", &ns));
	CHECK_EQ(ns, INT64_C(-2000000001));
	CHECK(!syc_procfs_parse_clock("boottime 3 0\n", &ns));
	CHECK(!syc_procfs_parse_clock("monotonic", &ns));
	CHECK_EQ(syc_procfs_clock_ahead(getpid(), &ns), 0);
	CHECK_EQ(ns, 0);
}
