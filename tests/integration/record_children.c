/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_children.c - says something once:
 * `record_children [--daemon | --detached | --late] TEXT`.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

static void become_daemon(void)
{
	if (fork() != 0)
		_exit(0);
	setsid();
	if (fork() != 0)
		_exit(0);
	close_range(0, ~0U, 0);
	umask(0);
}

/* The same, with an event before. */
static void detach(const char *text)
{
	char said[64];

	snprintf(said, sizeof(said), "%s-before", text);
	syscap_log(SYSCAP_MESSAGE, "children", said);
	become_daemon();
}

int main(int argc, char **argv)
{
	const char *const text = argv[argc - 1];

	if (argc > 2 && strcmp(argv[1], "--daemon") == 0)
		become_daemon();
	else if (argc > 2 && strcmp(argv[1], "--detached") == 0)
		detach(text);
	else if (argc > 2 && strcmp(argv[1], "--late") == 0)
		sleep(3);
	syscap_log(SYSCAP_MESSAGE, "children", text);
	return 0;
}
