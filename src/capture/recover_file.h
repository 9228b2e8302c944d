/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recover_file.h - a capture that is made whole: the file itself.
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

#include "capture/mapping.h"
#include "capture/recovered.h"
#include "capture/rest.h"

#define SYC_RECOVER_HEADER 256u

struct syc_recover_file {
	int fd; /* -1: not open */
	bool dry;
	struct stat st;
	const unsigned char *data; /* NULL: empty */
	size_t size;
	struct syc_mapping mapping; /* what data is of */
};

/** For what failed with errno. */
int syc_recover_fail(struct syscap_error *error, const char *what);

/** All @size bytes; or false, and errno. */
bool syc_recover_write_at(int fd, const void *from, size_t size,
                          uint64_t offset);

/**
 * Open @path, a regular file, with the lock of those that write captures.
 * @flags: more for open().  Also after a failure the file is to be closed;
 * where it could be opened, st is filled.
 */
int syc_recover_file_open(struct syc_recover_file *file, const char *path,
                          int flags, bool dry, struct syscap_error *error);

/** Make anew what @rest names, with nothing but its beginning in it. */
int syc_recover_file_create(struct syc_recover_file *file,
                            struct syc_rest *rest, const char *rings,
                            struct syscap_error *error);

/** Look again at what is in it. */
int syc_recover_file_map(struct syc_recover_file *file,
                         struct syscap_error *error);

/** Whether it begins as a capture does. */
bool syc_recover_file_is_capture(const struct syc_recover_file *file);

/** Write header and first frames of a capture that has not even those. */
int syc_recover_file_begin(struct syc_recover_file *file,
                           const struct syc_rest *rest, const char *rings,
                           struct syscap_error *error);

/**
 * Where the whole frames among the first @size bytes end.  *@ret_last: the
 * latest time in them.
 */
uint64_t syc_recover_file_walk(const struct syc_recover_file *file,
                               uint64_t size, int64_t *ret_last);

/**
 * Whether what is behind @at, where frames end, is half of one.  -EBADMSG: it
 * is something else.
 */
int syc_recover_file_check_tail(const struct syc_recover_file *file,
                                uint64_t at, struct syscap_error *error);

/** Cut a torn end, and set the end time if it is missing or too early. */
int syc_recover_file_finish(struct syc_recover_file *file,
                            struct syc_recovered *recovered,
                            struct syscap_error *error);

void syc_recover_file_close(struct syc_recover_file *file);

#endif
