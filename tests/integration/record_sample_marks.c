/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_sample_marks.c - a program that emits a mark and computes for a while.
 * With WITH_SAMPLER the sampler is linked, but not called. With an argument the
 * program first loads that library, and afterwards forks a child that does the
 * same.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/sampler.h>

#ifdef WITH_SAMPLER
SYSCAP_WITH_SAMPLER;
#endif

static volatile unsigned long result;

static void work(const char *number)
{
	struct timespec now;

	SYSCAP_INSTANT("test", "good", number);
	do {
		for (int i = 0; i < 1000000; i++)
			result += (unsigned long)i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec == 0 && now.tv_nsec < 300000000);
}

int main(int argc, char **argv)
{
	int status = 0;

	if (argc > 1 && dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) == NULL)
		return 1;
	work("0");
	if (argc <= 1)
		return 0;
	const pid_t pid = fork();
	if (pid == 0)
		work("1");
	else if (waitpid(pid, &status, 0) != pid || status != 0)
		return 1;
	return 0;
}
