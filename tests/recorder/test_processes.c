/* SPDX-License-Identifier: BSD-2-Clause */
/* test_processes.c - a process is registered once, also if another process is
 * found meanwhile. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap/capture.h>

#include "common/now.h"
#include "harness/test.h"
#include "recorder/processes.h"

static char path[] = "/tmp/test_processes.XXXXXX";
static struct syc_processes_options options;
static struct syc_processes *processes;
static pid_t other;

/* Simulates the discovery of another process's slot. */
static void settle(void *context)
{
	(void)context;
	(void)syc_processes_see(processes, (int32_t)other);
}

static void begin(void)
{
	struct syscap_error error;

	close(mkstemp(path));
	CHECK_EQ(syc_writer_open(path, true, &options.writer, &error), 0);
	CHECK_EQ(syc_writer_begin(options.writer, 1, &error), 0);
	options.settle = settle;
	options.epoll = epoll_create1(EPOLL_CLOEXEC);
	CHECK_EQ(syc_renumber_new(&options.renumber), 0);
	CHECK_EQ(syc_processes_new(&options, &processes), 0);
}

/* Number of PROCESS frames that name @pid @name; other names count -9. */
static int count_names(pid_t pid, const char *name)
{
	struct syscap_reader *reader;
	struct syscap_frame frame;
	struct syscap_error error;
	int n = 0;

	CHECK_EQ(syc_writer_finish(options.writer, 0), 0);
	syc_writer_close(options.writer);
	syc_processes_free(processes);
	syc_renumber_free(options.renumber);
	close(options.epoll);
	CHECK_EQ(syscap_reader_open(path, &reader, &error), 0);
	while (syscap_reader_next(reader, &frame, &error) > 0)
		if (frame.type == SYSCAP_FRAME_PROCESS && frame.pid == pid)
			n += strcmp(frame.process.cmdline, name) == 0 ? 1 : -9;
	syscap_reader_close(reader);
	unlink(path);
	return n;
}

static bool is_called(pid_t pid, const char *name)
{
	static struct syc_procfs_seen seen;

	syc_procfs_see((int32_t)pid, &seen);
	return strcmp(seen.cmdline, name) == 0;
}

static pid_t start(const char *argument)
{
	char name[32];
	const pid_t pid = fork();

	if (pid == 0) {
		execlp("sleep", "sleep", argument, (char *)NULL);
		_exit(99);
	}
	snprintf(name, sizeof(name), "sleep %s", argument);
	while (!is_called(pid, name))
		usleep(1000);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(registered_process_has_its_own_name)
{
	const pid_t pid = start("1001");

	other = start("1002");
	begin();
	(void)syc_processes_see(processes, (int32_t)pid);
	syc_processes_meet(processes, (int32_t)pid, 0, NULL);
	CHECK_EQ(count_names(pid, "sleep 1001"), 1);
	end(pid);
	end(other);
}

/* The process is found by a slot of its parent's arena, and by its own
 * arena. */
TEST(dead_visible_process_is_registered_once)
{
	const pid_t pid = start("1003");
	siginfo_t info;

	other = getpid();
	begin();
	const int64_t since = syc_now();
	kill(pid, SIGKILL);
	CHECK_EQ(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	for (int i = 0; i < 2; i++) {
		CHECK(syc_processes_see(processes, (int32_t)pid)->is_there);
		syc_processes_meet(processes, (int32_t)pid, since, "dead");
		syc_processes_gone(processes, (int32_t)pid);
	}
	CHECK_EQ(count_names(pid, "dead"), 1);
	waitpid(pid, NULL, 0);
}
