/* SPDX-License-Identifier: BSD-2-Clause */
/* collector.h - exports of collector.c's libraries. */
#ifndef SYSCAP_COPIES_COLLECTOR_H
#define SYSCAP_COPIES_COLLECTOR_H

/** Emit @n marks (@group, "mark") and a counter (@group, "value"); returns the
 * counter's id. */
__attribute__((visibility("default"))) unsigned
collector_emit(const char *group, unsigned n);

typedef unsigned collector_emit_fn(const char *group, unsigned n);

#endif
