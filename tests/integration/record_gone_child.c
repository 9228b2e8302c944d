/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_gone_child.c - a program whose child runs and uses processor time only
 * while the recorder is stopped.
 *
 *	record_gone_child exit		the child ends by _exit()
 *	record_gone_child kill		the child ends by SIGKILL
 *	record_gone_child exec		the child ends as another program
 *	record_gone_child orphan	the child ends by _exit(), then also its
 *					parent, a child of this program
 *	record_gone_child late		as exit; the recorder is already stopped
 *
 * The recorder is this program's parent, except for `late`.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t result;

static int64_t used(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000;
}

__attribute__((noinline, used)) static void work_in_the_parent(int64_t ms)
{
	const int64_t end = used() + ms;

	while (used() < end)
		for (int i = 0; i < 100000; i++)
			result += (uint64_t)i;
}

__attribute__((noinline, used)) static void work_in_the_child(int64_t ms)
{
	const int64_t end = used() + ms;

	while (used() < end)
		for (int i = 0; i < 100000; i++)
			result += (uint64_t)i;
}

static void wait_for(pid_t pid)
{
	if (pid <= 0 || waitpid(pid, NULL, 0) != pid)
		abort();
}

static void live_shortly(const char *how)
{
	work_in_the_child(200);
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	if (strcmp(how, "exec") == 0)
		execl("/bin/true", "true", (char *)NULL);
	_exit(0);
}

static void make_child(const char *how)
{
	const pid_t pid = fork();

	if (pid == 0)
		live_shortly(how);
	wait_for(pid);
}

int main(int argc, char **argv)
{
	const char *const how = argc > 1 ? argv[1] : "exit";
	const bool is_late = strcmp(how, "late") == 0;
	const pid_t recorder = getppid();

	work_in_the_parent(100); /* long enough for some ticks */
	if (!is_late)
		kill(recorder, SIGSTOP);
	if (strcmp(how, "orphan") == 0) {
		const pid_t pid = fork();

		if (pid == 0) {
			make_child(how);
			_exit(0);
		}
		wait_for(pid);
	} else {
		make_child(how);
	}
	if (!is_late)
		kill(recorder, SIGCONT);
	work_in_the_parent(100);
	return 0;
}
