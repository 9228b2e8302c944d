/* SPDX-License-Identifier: BSD-2-Clause */
/* commands.h - runs of `syscap` in a directory in which children write. */
#ifndef SYSCAP_TEST_COMMANDS_H
#define SYSCAP_TEST_COMMANDS_H

/** "@dir/@name"; the caller frees the string. */
char *commands_name(const char *dir, const char *name);

/** Children and their test synchronise by files in @dir; the harness ends a
 * test that waits too long. */
void commands_touch(const char *dir, const char *name);
void commands_await(const char *dir, const char *name);

/** The command's path. */
const char *commands_syscap(void);

struct commands_said {
	int status; /* exit status; -1: killed by a signal */
	char text[2000];
};

/** @line: the arguments of `syscap`, which runs in @dir. */
void commands_run(const char *dir, const char *line,
                  struct commands_said *said);

/** The command's exit status must be 0. */
void commands_run_well(const char *dir, const char *line);

/** Make the importable file `stacks`, and the capture `other` of `stacks`. */
void commands_make_other(const char *dir);

#endif
