/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * describe.h - PROCESS and METADATA frames about this process.  A recorder
 * reads these facts in its client's /proc; here the process itself reads these
 * facts.  No function allocates or locks.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_SESSION_DESCRIBE_H
#define SYC_SESSION_DESCRIBE_H

#include <stdbool.h>
#include <stdint.h>

/** Function that is called for each frame of @len bytes, a multiple of 8.
 * False: stop. */
typedef bool syc_describe_emit(void *data, const void *frame, uint32_t len);

/** The PROCESS frame of this process: its command line. */
bool syc_describe_process(int32_t pid, int64_t now, syc_describe_emit *emit,
                          void *data);

/** Write a METADATA frame to @frame, which has enough space.  Returns the
 * frame's length. */
uint16_t syc_describe_metadata(void *frame, int32_t pid, int64_t time,
                               const char *id, const char *value);

#endif
