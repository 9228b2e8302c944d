/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_pid.c - a program that runs already when record_pid.sh records it.
 * Each line of standard input is a command, and each command prints "done".
 * Every mark of a thread has the number of the mark as its duration.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#define THREADS 8
/* Time between two marks, so that a file keeps up with eight threads */
#define SPIN 3000

static void emit(const char *name, long n)
{
	static long number;

	for (long i = 0; i < n; i++)
		syscap_mark("pid", name, syscap_clock(), number++, NULL);
}

static void *work(void *data)
{
	(void)data;
	for (long n = 0;; n++) {
		SYSCAP_MARK("pid", "thread", syscap_clock(), n, NULL);
		for (volatile int i = 0; i < SPIN; i++)
			;
	}
	return NULL;
}

static void run_child(void)
{
	const pid_t child = fork();

	if (child == 0) {
		emit("child", 5);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

/* Add a filter that allows all system calls. */
static void add_filter(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET, SECCOMP_RET_ALLOW);
	const struct sock_fprog program = { 1, &allow };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		puts("no filter");
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	char line[64];

	if (argc > 1 && strcmp(argv[1], "allow") == 0)
		syscap_allow_attach();
	setlinebuf(stdout);
	puts("done");
	while (fgets(line, sizeof(line), stdin) != NULL) {
		if (strncmp(line, "emit ", 5) == 0)
			emit("main", atol(line + 5));
		else if (strcmp(line, "child\n") == 0)
			run_child();
		else if (strcmp(line, "begin\n") == 0)
			for (int i = 0; i < THREADS; i++)
				pthread_create(&threads[i], NULL, work, NULL);
		else if (strcmp(line, "stop\n") == 0)
			syscap_stop();
		else if (strcmp(line, "filter\n") == 0)
			add_filter();
		else if (strcmp(line, "exec\n") == 0)
			execv("/proc/self/exe", argv);
		else
			break;
		puts("done");
	}
	return 0;
}
