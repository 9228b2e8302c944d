/* SPDX-License-Identifier: BSD-2-Clause */
/* names.h - the name that a function has in stacks. */
#ifndef SYSCAP_LUA_NAMES_H
#define SYSCAP_LUA_NAMES_H

#include <syscap/runtime.h>

/**
 * Push a frame.  @line: of the definition, or the one that runs; 0: none, it is
 * the main chunk; -1: C; -2: not known.  @name: NULL where there is none.  0:
 * there is no more room.
 */
int sl_names_push(struct syscap_stack_sink *sink, const char *name,
                  const char *source, int line);

#endif
