/* SPDX-License-Identifier: BSD-2-Clause */
/* commands.h - run `syscap` in a folder beside children that write there. */
#ifndef SYSCAP_TEST_COMMANDS_H
#define SYSCAP_TEST_COMMANDS_H

/** "@dir/@name", to be freed. */
char *commands_name(const char *dir, const char *name);

/** By files in @dir, children and their test tell each other how far they are;
 * the harness ends a test that waits too long. */
void commands_touch(const char *dir, const char *name);
void commands_await(const char *dir, const char *name);

/** The command's path. */
const char *commands_syscap(void);

struct commands_said {
	int status; /* -1: a signal ended it */
	char text[2000];
};

/** @line: what stands behind `syscap`, in @dir. */
void commands_run(const char *dir, const char *line,
                  struct commands_said *said);

/** Its exit status must be 0. */
void commands_run_well(const char *dir, const char *line);

/** Make `stacks`, which can be imported, and the capture `other` of it. */
void commands_make_other(const char *dir);

#endif
