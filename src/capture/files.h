/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * files.h - opening, mapping and locking of regular files, and errors about
 * files.
 *
 * If another process truncates a mapped file, or the file's disk fails, the
 * kernel sends SIGBUS.  A program's handler for SIGBUS calls
 * syc_mapping_mend().  The lost part then reads as zeros, and the reader of the
 * mapping finds the loss.
 *
 * Context: offline, one thread; syc_mapping_mend() signal-safe.
 */
#ifndef SYC_CAPTURE_FILES_H
#define SYC_CAPTURE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

/**
 * Fill @error, which may be NULL, with an errno value, an offset in the file,
 * and a sentence without a full stop or file name.  Returns -@code, for use in
 * a return statement.
 */
int syc_error_set(struct syscap_error *error, int code, uint64_t offset,
                  const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/**
 * Check that @size bytes at @data begin like a capture.  Returns 0 or -EBADMSG.
 */
int syc_capture_check_header(const unsigned char *data, uint64_t size,
                             struct syscap_error *error);

struct syc_mapping {
	const unsigned char *data; /* mapped bytes, or NULL */
	size_t size;
	volatile uint64_t lost_at; /* offset of the first lost byte, or
	                            * UINT64_MAX without a loss */
	struct syc_mapping *next;
};

/**
 * Map @size bytes of @fd with @flags, MAP_PRIVATE or MAP_SHARED.  Returns 0 or
 * -errno.
 */
int syc_mapping_make(struct syc_mapping *mapping, int fd, size_t size,
                     int flags);

void syc_mapping_end(struct syc_mapping *mapping);

/** Move a mapping, and leave @from empty. */
void syc_mapping_move(struct syc_mapping *to, struct syc_mapping *from);

/** Replace the lost part of the mapping that contains @address by zeros.
 * Returns false if no mapping of this interface contains @address. */
bool syc_mapping_mend(const void *address);

/** Return whether any mapping has lost a part of its file. */
bool syc_mapping_any_lost(void);

/**
 * Open @path with @flags if @path is a regular file.  The function opens no
 * other kind of file, because opening may command a device, or wait for the
 * other end of a pipe.  Returns the fd, or -errno, with @error (or NULL)
 * filled.
 */
int syc_plain_file_open(const char *path, int flags,
                        struct syscap_error *error);

/*
 * Locks of writers, and checks for files in use.
 *
 * Each writer holds a record lock on one byte after the first byte, a different
 * byte per writer.  Writers are processes that record themselves
 * (session/sink.h), and commands.  The owner of a record lock is a process, so
 * the kernel reports the owner's pid, and several processes may hold locks.
 *
 * A writer locks the first byte while it writes.  A self-recording process
 * locks this byte for each batch, and a command locks the byte until its exit.
 * The open file description owns the lock of the first byte, because the
 * process may close other fds of the file in the meantime.
 *
 * Context of all functions: offline.
 */

/**
 * Take both locks on @fd.  Returns 0, even if the file system has no locks, or
 * -EBUSY, and @error names the holder.
 */
int syc_file_lock_take(int fd, struct syscap_error *error);

/** Return whether any process holds a lock, and may be adding to the file. */
bool syc_file_lock_is_held(int fd);

/**
 * Check whether another process has a lock on @fd.
 * syc_file_lock_check_writers() checks only the bytes after the first byte.
 * Returns 0, or -EBUSY, and @error names the holder.
 */
int syc_file_lock_check_writers(int fd, struct syscap_error *error);
int syc_file_lock_check(int fd, struct syscap_error *error);

/** Return a process that has the file of @fd open for writing, or 0 if none is
 * visible. */
int syc_file_lock_opener(int fd);

/*
 * Check whether a process may still write to a file.
 *
 * Locks do not protect a file that a process has open and will write later.
 * This process may be the shell that created the file, a process before its
 * first event, or another kind of writer.  The check therefore requests a lease
 * for reading, which the kernel grants only if no process has the file open for
 * writing.
 *
 * Only the file's owner gets a lease, and only on a local file system.  Without
 * leases and locks, the result is that no process writes.
 */

/**
 * Check whether another process may still write to the file @path, because the
 * process holds a lock or has the file open.  Returns 0, even without a file,
 * or -EBUSY.
 */
int syc_in_use_check(const char *path, struct syscap_error *error);

/**
 * Like syc_in_use_check(), before the caller replaces or truncates @path.
 * Unless @force, the function also refuses, with -EEXIST, a capture whose
 * killed process left frames in a ring file.
 */
int syc_in_use_may_replace(const char *path, bool force,
                           struct syscap_error *error);

#endif
