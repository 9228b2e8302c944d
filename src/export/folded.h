/* SPDX-License-Identifier: BSD-2-Clause */
/* folded.h - stacks as lines: "outermost;...;innermost COUNT". */
#ifndef SC_EXPORT_FOLDED_H
#define SC_EXPORT_FOLDED_H

#include <stdio.h>

#include <syscap/profile.h>

/** A function's name as folded stacks hold it: ';' ends a frame there. */
void sc_folded_name(FILE *out, const char *name);

/** The frames from the root to @node, ';' between them. */
void sc_folded_stack(FILE *out, const struct syscap_profile *profile,
                     const struct syscap_view *view, uint32_t node);

/** All stacks, in the order of the tree. */
void sc_folded_write(FILE *out, const struct syscap_profile *profile,
                     const struct syscap_view *view);

#endif
