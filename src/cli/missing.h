/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * missing.h - what a filter names and a capture does not have.
 *
 * A name that is nowhere is told from one whose samples another condition
 * keeps out: the first is most often a slip of the keyboard.  Threads are
 * those that did something which the profile keeps.
 */
#ifndef SYC_CLI_MISSING_H
#define SYC_CLI_MISSING_H

#include <stdbool.h>

#include <syscap/profile.h>

enum syc_missing {
	SYC_MISSING_PID = 1,
	SYC_MISSING_THREAD = 2,
	SYC_MISSING_FUNCTION = 4,
	SYC_MISSING_FOCUS = 8,
	SYC_MISSING_MARK = 16,
	SYC_MISSING_ALL = 31
};

/** Which of them, as a set. */
unsigned syc_missing_find(const struct syscap_profile *profile,
                          const struct syscap_filter *filter);

/** Say so on standard error, with what there is instead: of @missing. */
void syc_missing_tell(const char *command, const char *file,
                      const struct syscap_profile *profile,
                      const struct syscap_filter *filter, unsigned missing);

/**
 * Say all that is wrong with @filter, which syscap_view_new() has answered @r
 * and @error to.  Returns whether anything was.
 */
bool syc_missing_judge(const char *command, const char *file,
                       const struct syscap_profile *profile,
                       const struct syscap_filter *filter, int r,
                       const struct syscap_error *error);

#endif
