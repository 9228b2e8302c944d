/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * many.c COMMANDS < CAPTURES - every command on very many small captures.
 *
 * Each command is a forked child of this process, because starting `syscap` a
 * million times takes a day.
 *
 * A line of COMMANDS has the words of a command; SELF represents the capture.
 * A line of standard input is the path of a capture.  "cut " precedes the path
 * of a capture that ends within a frame.  For such a capture the command must
 * print an offset.  A command must end within a minute, with 0 or 1 (diff: also
 * 3), and print the reason of a 1.  Prints the failures and the number of
 * successes; adverse.py checks the output of the commands.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands.h"

#define MOST_COMMANDS 200
#define MOST_WORDS    40
#define SECONDS       60

struct line {
	char text[1000], *words[MOST_WORDS];
	int n;
	const struct syc_command *command;
};

static struct line lines[MOST_COMMANDS];
/* said: fd of an unnamed file with the command's output */
static int n_lines, said;

static void split(struct line *line)
{
	char *rest = line->text;

	for (char *word; line->n < MOST_WORDS - 2 &&
	                 (word = strsep(&rest, "\x1f\n")) != NULL;)
		if (rest != NULL || *word != 0)
			line->words[line->n++] = word;
	for (size_t i = 0; syc_commands[i] != NULL; i++)
		if (strcmp(syc_commands[i]->name, line->words[0]) == 0)
			line->command = syc_commands[i];
	if (line->command == NULL) {
		printf("there is no command %s\n", line->words[0]);
		exit(2);
	}
}

static void read_commands(const char *path)
{
	FILE *file = fopen(path, "re");

	if (file == NULL) {
		perror(path);
		exit(2);
	}
	for (; n_lines < MOST_COMMANDS &&
	       fgets(lines[n_lines].text, sizeof(lines->text), file) != NULL;
	     n_lines++)
		split(&lines[n_lines]);
	fclose(file);
}

static void run(struct line *line, char *path)
{
	char *words[MOST_WORDS], title[64];

	snprintf(title, sizeof(title), "syscap %s", line->words[0]);
	for (int i = 0; i < line->n; i++)
		words[i] = strcmp(line->words[i], "SELF") == 0 ? path
		                                               : line->words[i];
	words[0] = title;
	words[line->n] = path;
	words[line->n + 1] = NULL;
	dup2(open("/dev/null", O_RDWR), STDIN_FILENO);
	dup2(STDIN_FILENO, STDOUT_FILENO);
	dup2(said, STDERR_FILENO);
	alarm(SECONDS);
	exit(line->command->run(line->n + 1, words));
}

static const char *what_was_said(void)
{
	static char text[4000];
	const ssize_t n = pread(said, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = 0;
	return text;
}

/* The error in a command's end; NULL: no error. */
static const char *complain(const struct line *line, int status, bool is_cut)
{
	const char *text = what_was_said();
	const bool is_diff = strcmp(line->words[0], "diff") == 0;
	const int end = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	if (end == -1)
		return WTERMSIG(status) == SIGALRM ? "does not end"
		                                   : "was killed";
	if (end != 0 && end != 1 && !(is_diff && end == 3))
		return "ends with another status";
	if (strstr(text, "runtime error") != NULL ||
	    strstr(text, "Sanitizer") != NULL)
		return "is in error";
	/* `check` writes its findings to its output. */
	if (strcmp(line->words[0], "check") == 0)
		return NULL;
	if (end != 0 && text[0] == 0)
		return "prints no reason";
	/* A big-endian capture is refused before a walk. */
	if (strstr(text, "the capture is big-endian; ") != NULL)
		return NULL;
	return is_cut && strstr(text, "at byte ") == NULL ? "prints no offset"
	                                                  : NULL;
}

static bool is_well(struct line *line, char *path, bool is_cut)
{
	const char *wrong;
	int status = 0;
	pid_t child;

	(void)!ftruncate(said, 0);
	lseek(said, 0, SEEK_SET);
	child = fork();
	if (child == 0)
		run(line, path);
	waitpid(child, &status, 0);
	wrong = complain(line, status, is_cut);
	if (wrong == NULL)
		return true;
	printf("%s: syscap", wrong);
	for (int i = 0; i < line->n; i++)
		printf(" %s", line->words[i]);
	printf(" %s\n%s\n", path, what_was_said());
	fflush(stdout);
	return false;
}

int main(int argc, char **argv)
{
	unsigned long n = 0, n_bad = 0;
	char path[4096];

	setlocale(LC_CTYPE, "C.UTF-8");
	said = memfd_create("said", MFD_CLOEXEC);
	if (argc != 2 || said < 0)
		return 2;
	read_commands(argv[1]);
	while (fgets(path, sizeof(path), stdin) != NULL) {
		const bool is_cut = strncmp(path, "cut ", 4) == 0;
		char *name = is_cut ? path + 4 : path;

		name[strcspn(name, "\n")] = 0;
		for (int i = 0; i < n_lines; i++, n++)
			n_bad += !is_well(&lines[i], name, is_cut);
	}
	printf("%lu runs, %lu failures\n", n, n_bad);
	return n_bad > 0;
}
