/* SPDX-License-Identifier: BSD-2-Clause */
/* file_header.h - the first 256 bytes of a capture. */
#ifndef SYC_SESSION_FILE_HEADER_H
#define SYC_SESSION_FILE_HEADER_H

#include <stdint.h>

#include <syscap/format.h>

/**
 * Fill @header for a capture that begins at @time (ns, CLOCK_MONOTONIC); reads
 * the wall clock.
 *
 * Context: any-thread, signal-safe.
 */
void syc_file_header_fill(struct syscap_wire_file *header, int64_t time);

#endif
