/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * input_file.h - regular files that are opened and mapped for reading.
 *
 * Another process may truncate a mapped file, or its disk may fail: the kernel
 * answers with SIGBUS.  A program with a handler for SIGBUS calls
 * syc_mapping_mend() there.  The lost part then reads as zeros, and the reader
 * of the mapping finds the loss.
 *
 * Context: offline, one thread; syc_mapping_mend() signal-safe.
 */
#ifndef SYC_CAPTURE_INPUT_FILE_H
#define SYC_CAPTURE_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

struct syc_mapping {
	const unsigned char *data; /* NULL: nothing is mapped */
	size_t size;
	volatile uint64_t lost_at; /* offset of the first lost byte; UINT64_MAX:
	                            * none was lost */
	struct syc_mapping *next;
};

/** Map @size bytes of @fd; @flags: MAP_PRIVATE or MAP_SHARED.  0 or -errno. */
int syc_mapping_make(struct syc_mapping *mapping, int fd, size_t size,
                     int flags);

void syc_mapping_end(struct syc_mapping *mapping);

/** Move a mapping; @from is empty afterwards. */
void syc_mapping_move(struct syc_mapping *to, struct syc_mapping *from);

/** False: no mapping of this file contains @address. */
bool syc_mapping_mend(const void *address);

/** Whether anything was lost, in any mapping. */
bool syc_mapping_any_lost(void);

/**
 * Open @path with @flags if it is a regular file.  Other kinds are not opened:
 * opening a device may be a command to it, and opening a pipe may wait for its
 * other end.  Returns the fd; or -errno, with @error (or NULL) filled.
 */
int syc_plain_file_open(const char *path, int flags,
                        struct syscap_error *error);

#endif
