/* SPDX-License-Identifier: BSD-2-Clause */
/* pattern.h - the regular expressions that functions are chosen by. */
#ifndef SYC_PROFILE_PATTERN_H
#define SYC_PROFILE_PATTERN_H

#include <regex.h>
#include <stddef.h>

/** Bytes: C libraries compile each "(" by a call inside the one before.  As much
 * as 2 MiB of stack hold; less stack may end in SIGSEGV. */
#define SYC_PATTERN_MAX 4096u

/**
 * Compile a POSIX extended expression that says only whether it matches.
 * 0, and the caller frees it; -ENOMEM; or -EINVAL, with the reason in @why.
 */
int syc_pattern_compile(regex_t *regex, const char *pattern, char *why,
                        size_t size);

#endif
