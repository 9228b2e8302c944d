/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * odd_lives.c - programs that exit, exec or fork in odd ways, and emit three
 * marks each time: `odd_lives WHAT [N]`, see `deeds`.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

static char *program;
static int n;

static void emit(void)
{
	for (int i = 0; i < 3; i++)
		SYSCAP_INSTANT("odd", "sent", NULL);
}

static void become(const char *what, int number)
{
	char text[16];
	char *const argv[] = { program, (char *)(uintptr_t)what, text, NULL };

	snprintf(text, sizeof(text), "%d", number);
	execv("/proc/self/exe", argv);
	exit(99);
}

/* Runs one program after another in one process. */
static void chain(void)
{
	emit();
	if (n > 1)
		become("chain", n - 1);
}

/* Children that all live at once. */
static void together(void)
{
	char byte;
	int end[2];

	if (pipe(end) != 0)
		exit(99);
	for (int i = 0; i < n; i++)
		if (fork() == 0) {
			dup2(end[0], STDIN_FILENO);
			close(end[0]);
			close(end[1]);
			become("waits", 0);
		}
	sleep(1);
	close(end[1]);
	if (read(end[0], &byte, 1) != 0)
		exit(99);
}

/* Waits until the process has a ring. */
static void waits(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };
	char byte;

	do {
		emit();
		usleep(2000);
		syscap_get_stats(&stats);
	} while (stats.n_rings == 0 && stats.is_active);
	SYSCAP_INSTANT("odd", "has a ring", NULL);
	if (read(STDIN_FILENO, &byte, 1) != 0)
		exit(99);
}

static const struct {
	const char *name;
	void (*run)(void);
} deeds[] = {
	{ "chain", chain },
	{ "together", together },
	{ "waits", waits },
};

int main(int argc, char **argv)
{
	program = argv[0];
	n = argc > 2 ? atoi(argv[2]) : 0;
	for (unsigned i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++)
		if (argc > 1 && strcmp(argv[1], deeds[i].name) == 0) {
			int status;

			deeds[i].run();
			while (wait(&status) > 0)
				if (status != 0)
					return 99;
			return 0;
		}
	return 2;
}
