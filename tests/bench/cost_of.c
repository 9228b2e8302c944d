/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cost_of.c - cost of one command: cost_of FILE COMMAND [ARGUMENT]...
 *
 * Prints "SECONDS MB/S MIB MIB": processor time; megabytes of FILE per second
 * of processor time; peak of its own memory; peak of its memory with pages of
 * mapped files.  Own memory is sampled a hundred times per second: shorter
 * peaks are missed.  The exit status is the command's.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 10000000L

/* Pages of memory without those of files; 0: the process has ended. */
static long own_pages(pid_t pid)
{
	char path[32];
	long size, resident = 0, shared = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	if (fscanf(file, "%ld %ld %ld", &size, &resident, &shared) != 3)
		resident = shared = 0;
	fclose(file);
	return resident - shared;
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static int watch(pid_t pid, double bytes)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	const double page = (double)sysconf(_SC_PAGESIZE);
	struct rusage usage;
	long most = 0;
	int status;

	while (wait4(pid, &status, WNOHANG, &usage) == 0) {
		const long pages = own_pages(pid);

		most = pages > most ? pages : most;
		nanosleep(&pause, NULL);
	}
	const double cpu = seconds(&usage.ru_utime) + seconds(&usage.ru_stime);
	printf("%.2f %.0f %.0f %.0f\n", cpu, bytes / 1e6 / cpu,
	       (double)most * page / (1 << 20), (double)usage.ru_maxrss / 1024);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int main(int argc, char **argv)
{
	struct stat st;
	pid_t pid;

	if (argc < 3 || stat(argv[1], &st) != 0) {
		fputs("usage: cost_of FILE COMMAND [ARGUMENT]...\n", stderr);
		return 2;
	}
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		/* Hides the command's output. */
		if (freopen("/dev/null", "w", stdout) != NULL)
			execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	return pid < 0 ? 1 : watch(pid, (double)st.st_size);
}
