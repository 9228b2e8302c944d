/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder_end.h - whether the recorder that the environment named has ended,
 * for a sampler that would go on for nothing.
 */
#ifndef SYC_EMIT_RECORDER_END_H
#define SYC_EMIT_RECORDER_END_H

#include <stdbool.h>

/** Note where the recorder has its name, while it is there.  Before what is below
 * is called.  Context: any-thread, signal-safe. */
void syc_recorder_end_note(void);

/**
 * It said so; or it was killed: nobody has the other end of the inherited
 * socket, or listens at its name.  Then nothing is recorded any more.  Makes a
 * few system calls, and none that a recorder sees.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_recorder_end_look(void);

#endif
