/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_children.c - logs TEXT once: `record_children [--daemon | --detached |
 * --late | --deaf | --hasty] TEXT`.
 */
#define _GNU_SOURCE
#include <poll.h>
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

/* Becomes a daemon after a first event. */
static void detach(const char *text)
{
	char said[64];

	snprintf(said, sizeof(said), "%s-before", text);
	syscap_log(SYSCAP_MESSAGE, "children", said);
	become_daemon();
}

/* Ends without looking for a late answer.  Makes the file @path at the
 * beginning of its wait.
 */
static void be_deaf(const char *path)
{
	struct pollfd late = { .fd = 3, .events = POLLIN };
	struct stat st;

	close_range(3, ~0U, 0);
	syscap_log(SYSCAP_MESSAGE, "children", path);
	fclose(fopen(path, "w"));
	while (fstat(late.fd, &st) != 0 || !S_ISSOCK(st.st_mode))
		late.fd++;
	poll(&late, 1, -1);
	_exit(0);
}

/* Ends after an event without a ring, too early to report the loss. */
static void be_hasty(const char *path)
{
	syscap_log(SYSCAP_MESSAGE, "children", path);
	fclose(fopen(path, "w"));
	_exit(0);
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
	else if (argc > 2 && strcmp(argv[1], "--deaf") == 0)
		be_deaf(text);
	else if (argc > 2 && strcmp(argv[1], "--hasty") == 0)
		be_hasty(text);
	syscap_log(SYSCAP_MESSAGE, "children", text);
	return 0;
}
