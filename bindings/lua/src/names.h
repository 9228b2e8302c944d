/* SPDX-License-Identifier: BSD-2-Clause */
/* names.h - the name of a function in stacks. */
#ifndef SYSCAP_LUA_NAMES_H
#define SYSCAP_LUA_NAMES_H

#include <syscap/runtime.h>

/**
 * Push a frame.  @line: the line of the definition, or the running line; 0: the
 * main chunk; -1: C; -2: unknown.  @name may be NULL.  Returns 0 if there is no
 * more space.
 */
int sl_names_push(struct syscap_stack_sink *sink, const char *name,
                  const char *source, int line);

#endif
