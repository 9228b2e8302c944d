/* SPDX-License-Identifier: BSD-2-Clause */
/* folded.h - stacks as lines: "outermost;...;innermost COUNT". */
#ifndef SYC_EXPORT_FOLDED_H
#define SYC_EXPORT_FOLDED_H

#include <stdbool.h>
#include <stdio.h>

#include <syscap/profile.h>

/** The frames from the root to @node, ';' between them; with @in_quotes each
 * '"' is two. */
void syc_folded_stack(FILE *out, const struct syscap_profile *profile,
                      const struct syscap_view *view, uint32_t node,
                      bool in_quotes);

/** All stacks, in the order of the tree. */
void syc_folded_write(FILE *out, const struct syscap_profile *profile,
                      const struct syscap_view *view);

#endif
