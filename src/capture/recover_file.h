/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recover_file.h - the capture that a recovery completes: file and moved
 * frames.
 *
 * Functions return 0 or -errno with @error filled.  Context: offline.
 */
#ifndef SYC_CAPTURE_RECOVER_FILE_H
#define SYC_CAPTURE_RECOVER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <syscap/capture.h>

#include "capture/input_file.h"
#include "capture/recover.h"
#include "capture/ring_file_reader.h"

#define SYC_RECOVER_HEADER 256u

struct syc_recover_file {
	int fd; /* -1: not open */
	bool dry;
	struct stat st;
	const unsigned char *data; /* NULL: empty */
	size_t size;
	struct syc_mapping mapping; /* what data is of */
};

/**
 * Open @path, a regular file, with the lock of writers.  @flags: more for
 * open().  The file must be closed also after a failure; st is filled if it
 * could be opened.
 */
int syc_recover_file_open(struct syc_recover_file *file, const char *path,
                          int flags, bool dry, struct syscap_error *error);

/** Create the capture that @rest names, with only its first frames in it. */
int syc_recover_file_create(struct syc_recover_file *file,
                            struct syc_ring_reader *rest, const char *rings,
                            struct syscap_error *error);

/** Map its present content. */
int syc_recover_file_map(struct syc_recover_file *file,
                         struct syscap_error *error);

/** Whether it begins like a capture. */
bool syc_recover_file_is_capture(const struct syc_recover_file *file);

/** Write header and first frames into a capture without these. */
int syc_recover_file_begin(struct syc_recover_file *file,
                           const struct syc_ring_reader *rest,
                           const char *rings, struct syscap_error *error);

/** Cut a torn end, and set the end time if it is missing or too early. */
int syc_recover_file_finish(struct syc_recover_file *file,
                            struct syc_recovered *recovered,
                            struct syscap_error *error);

void syc_recover_file_close(struct syc_recover_file *file);

/**
 * Move the frames left in a ring file into its capture.  @rest is open, for
 * changes unless @file is dry, and belongs to @file.  Afterwards the rings are
 * empty.  The ring file may be removed unless recovered->bad counts unreadable
 * frames.
 *
 * Returns 0; -EBADMSG if the capture or the journal is damaged, without
 * changes; or another -errno, and the next attempt continues.
 */
int syc_recover_rings(struct syc_ring_reader *rest,
                      struct syc_recover_file *file,
                      struct syc_recovered *recovered,
                      struct syscap_error *error);

/** Remove the ring file @path if it is still the open one. */
int syc_recover_rings_remove(const struct syc_ring_reader *rest,
                             const char *path, struct syscap_error *error);

#endif
