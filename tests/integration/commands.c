/* SPDX-License-Identifier: BSD-2-Clause */
/* commands.c - runs of `syscap` in a directory; see commands.h. */
#define _GNU_SOURCE
#include "integration/commands.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"

char *commands_name(const char *dir, const char *name)
{
	char *text;

	CHECK(asprintf(&text, "%s/%s", dir, name) > 0);
	return text;
}

void commands_touch(const char *dir, const char *name)
{
	char *const path = commands_name(dir, name);
	const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	CHECK(fd >= 0);
	close(fd);
	free(path);
}

void commands_await(const char *dir, const char *name)
{
	char *const path = commands_name(dir, name);

	while (access(path, F_OK) != 0)
		test_sleep_ms(5);
	free(path);
}

const char *commands_syscap(void)
{
	const char *const path = getenv("SYSCAP");

	CHECK(path != NULL);
	return path;
}

void commands_run(const char *dir, const char *line, struct commands_said *said)
{
	char *command;
	size_t n;

	CHECK(asprintf(&command, "cd '%s' && exec '%s' %s 2>&1", dir,
	               commands_syscap(), line) > 0);
	FILE *const out = popen(command, "re");
	CHECK(out != NULL);
	n = fread(said->text, 1, sizeof(said->text) - 1, out);
	said->text[n] = '\0';
	const int status = pclose(out);
	said->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	free(command);
}

void commands_run_well(const char *dir, const char *line)
{
	struct commands_said said;

	commands_run(dir, line, &said);
	if (said.status != 0)
		test_fail(__FILE__, __LINE__, "syscap %s: %d: %s", line,
		          said.status, said.text);
}

void commands_make_other(const char *dir)
{
	char *const path = commands_name(dir, "stacks");
	FILE *const f = fopen(path, "we");

	CHECK(f != NULL);
	fputs("main;work 5\n", f);
	fclose(f);
	free(path);
	commands_run_well(dir, "import -f folded -o other stacks");
}
