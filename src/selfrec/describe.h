/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * describe.h - PROCESS and METADATA frames about this process: what a recorder
 * reads in /proc of its client, read by the client itself.  Allocates and locks
 * nothing.
 *
 * Context of all: any-thread, signal-safe.
 */
#ifndef SYC_SELFREC_DESCRIBE_H
#define SYC_SELFREC_DESCRIBE_H

#include <stdbool.h>
#include <stdint.h>

/** Called once a frame: @len bytes, a multiple of 8.  False: stop. */
typedef bool syc_describe_emit(void *data, const void *frame, uint32_t len);

/** The PROCESS frame of this process: its command line. */
bool syc_describe_process(int32_t pid, int64_t now, syc_describe_emit *emit,
                          void *data);

/** A METADATA frame at @frame, which has the room.  Returns its length. */
uint16_t syc_describe_metadata(void *frame, int32_t pid, int64_t time,
                               const char *id, const char *value);

#endif
