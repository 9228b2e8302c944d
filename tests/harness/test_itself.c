/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_itself.c - test of the harness, which must detect every kind of failure.
 *
 * Every MUST_DIE here shows one kind of failure.  Each of these bodies was also
 * run as a TEST, and failed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"

TEST(a_true_condition_passes)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(close(fd), 0);
	CHECK_EQ(UINT64_MAX, -1);
	CHECK_STR("a", "a");
	CHECK_STR(NULL, NULL);
}

TEST(a_test_may_fork_and_wait)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(3);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(WEXITSTATUS(status), 3);
}

MUST_DIE(a_false_check_fails)
{
	CHECK(1 + 1 == 3);
}

MUST_DIE(different_numbers_fail)
{
	CHECK_EQ(1, 2);
}

MUST_DIE(different_texts_fail)
{
	CHECK_STR("a", "b");
}

MUST_DIE(a_text_and_null_fail)
{
	CHECK_STR("a", NULL);
}

MUST_DIE(an_abort_fails)
{
	abort();
}

MUST_DIE(a_wild_store_fails)
{
	volatile uintptr_t nowhere = 16;

	*(volatile int *)nowhere = 1;
}

MUST_DIE(an_early_exit_with_a_status_fails)
{
	exit(5);
}

MUST_DIE(an_open_descriptor_fails)
{
	CHECK(open("/dev/null", O_RDONLY) >= 0);
}

MUST_DIE(an_endless_loop_fails)
{
	for (;;)
		pause();
}

static void *check_in_thread(void *unused)
{
	(void)unused;
	CHECK(false);
	return NULL;
}

MUST_DIE(a_check_in_another_thread_fails)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, check_in_thread, NULL), 0);
	pthread_join(thread, NULL);
}

static void check_in_handler(int sig)
{
	CHECK_EQ(sig, 0);
}

MUST_DIE(a_check_in_a_handler_fails)
{
	signal(SIGUSR1, check_in_handler);
	raise(SIGUSR1);
}

MUST_DIE(a_failed_check_in_a_forked_child_fails_the_test)
{
	pid_t pid = fork();

	if (pid == 0)
		CHECK(false);
	waitpid(pid, NULL, 0);
}

MUST_DIE(a_forked_child_that_returns_fails)
{
	pid_t pid = fork();

	if (pid != 0)
		waitpid(pid, NULL, 0);
}

/* Run this program once more. */
static int run_self(const char *arguments, char *output, size_t size)
{
	char self[512], command[700];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t len;
	FILE *pipe;

	CHECK(n > 0);
	self[n] = '\0';
	snprintf(command, sizeof(command), "'%s' %s 2>&1", self, arguments);
	pipe = popen(command, "re");
	CHECK(pipe != NULL);
	len = fread(output, 1, size - 1, pipe);
	output[len] = '\0';
	return WEXITSTATUS(pclose(pipe));
}

TEST(list_names_the_tests_in_their_order)
{
	char output[4096];

	CHECK_EQ(run_self("--list", output, sizeof(output)), 0);
	CHECK(strstr(output, "a_true_condition_passes\na_test_may_fork") ==
	      output);
}

TEST(a_name_runs_that_test_only)
{
	char output[4096];

	CHECK_EQ(run_self("a_true_condition_passes", output, sizeof(output)),
	         0);
	CHECK(strstr(output, "1 passed, 0 failed, 0 skipped\n") != NULL);
}

TEST(no_fork_runs_in_the_same_process)
{
	char output[4096];

	CHECK_EQ(run_self("--no-fork a_true_condition_passes", output,
	                  sizeof(output)),
	         0);
	CHECK_STR(output, "a_true_condition_passes\n");
}

TEST(an_unknown_name_is_wrong_use)
{
	char output[4096];

	CHECK_EQ(run_self("no_such_test", output, sizeof(output)), 2);
	CHECK_EQ(run_self("--no-such-option", output, sizeof(output)), 2);
}

TEST(a_test_that_skips)
{
	SKIP("to show how it looks");
}

TEST(all_skipped_is_status_77_with_the_reason)
{
	char output[4096];

	CHECK_EQ(run_self("a_test_that_skips", output, sizeof(output)), 77);
	CHECK_STR(output, "skip a_test_that_skips: to show how it looks\n"
	                  "0 passed, 0 failed, 1 skipped\n");
}

TEST(the_seed_can_be_given)
{
	char output[4096];

	if (test_seed() == 42)
		return;
	CHECK_EQ(run_self("--seed 42 the_seed_can_be_given", output,
	                  sizeof(output)),
	         0);
	CHECK(strstr(output, "seed 42;") == output);
}
