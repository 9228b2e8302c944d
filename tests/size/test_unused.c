/* SPDX-License-Identifier: BSD-2-Clause */
/* test_unused.c - cost of a copy in a process that is not recorded. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"

#define N_CALLS 1024

static char path[4096];

static const char *program(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", getenv("SYSCAP_TEST_BIN"), name);
	return path;
}

/* Count each system call of @name, beginning at exec. */
static void count_calls(const char *name, unsigned counts[N_CALLS])
{
	struct __ptrace_syscall_info info;
	int status;

	program(name);
	const pid_t pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 2; i++)
			unsetenv(i == 0 ? "SYSCAP_DEBUG" : "SYSCAP_SAMPLE");
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
			execl(path, path, (char *)NULL);
		_exit(127);
	}
	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	if (!WIFSTOPPED(status))
		SKIP("this process may not be traced");
	CHECK_EQ(ptrace(PTRACE_SETOPTIONS, pid, NULL,
	                (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)),
	         0);
	while (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) == 0 &&
	       waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (WSTOPSIG(status) != (SIGTRAP | 0x80))
			continue;
		if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(info),
		           &info) < 0)
			SKIP("the kernel does not report the number of the "
			     "call");
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY &&
		    info.entry.nr < N_CALLS)
			counts[info.entry.nr]++;
	}
	CHECK_EQ(status, 0);
}

/* The copy reads only the loader's list and the environment, both in memory. */
TEST(unused_copy_makes_no_system_call)
{
	static unsigned with[N_CALLS], without[N_CALLS];

	count_calls("size_without", without);
	count_calls("size_with", with);
	for (int i = 0; i < N_CALLS; i++)
		if (with[i] != without[i])
			test_fail(__FILE__, __LINE__,
			          "system call %d: %u times, %u without a copy",
			          i, with[i], without[i]);
}

static unsigned long pages_of(const char *name)
{
	char command[4200];
	unsigned long n = 0;

	snprintf(command, sizeof(command), "'%s' pages", program(name));
	FILE *const output = popen(command, "r");
	CHECK(output != NULL);
	CHECK_EQ(fscanf(output, "%lu", &n), 1);
	CHECK_EQ(pclose(output), 0);
	return n;
}

TEST(an_unused_copy_makes_two_pages_the_programs_own_at_most)
{
	const unsigned long without = pages_of("size_without");
	const unsigned long with = pages_of("size_with");

	if (without == 0)
		SKIP("there is no /proc/self/smaps");
	CHECK(with >= without);
	if (with > without + 2)
		test_fail(__FILE__, __LINE__, "%lu pages, %lu without a copy",
		          with, without);
}
