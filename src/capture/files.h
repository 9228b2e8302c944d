/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * files.h - regular files that are opened, mapped and locked, and errors about
 * them.
 *
 * If another process truncates a mapped file, or the file's disk fails, the
 * kernel sends SIGBUS.  A program with a handler for SIGBUS calls
 * syc_mapping_mend() there.  The lost part then reads as zeros, and the reader
 * of the mapping finds the loss.
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
 * and a sentence without full stop and file name. Returns -@code, for use in a
 * return statement.
 */
int syc_error_set(struct syscap_error *error, int code, uint64_t offset,
                  const char *format, ...)
	__attribute__((format(printf, 4, 5)));

struct syc_mapping {
	const unsigned char *data; /* mapped bytes; NULL: none */
	size_t size;
	volatile uint64_t lost_at; /* offset of the first lost byte; UINT64_MAX:
	                            * none was lost */
	struct syc_mapping *next;
};

/**
 * Map @size bytes of @fd; @flags: MAP_PRIVATE or MAP_SHARED.  Returns 0 or
 * -errno.
 */
int syc_mapping_make(struct syc_mapping *mapping, int fd, size_t size,
                     int flags);

void syc_mapping_end(struct syc_mapping *mapping);

/** Move a mapping; @from is empty afterwards. */
void syc_mapping_move(struct syc_mapping *to, struct syc_mapping *from);

/** False: no mapping of this file contains @address. */
bool syc_mapping_mend(const void *address);

/** Return whether any mapping has lost a part of its file. */
bool syc_mapping_any_lost(void);

/**
 * Open @path with @flags if it is a regular file.  Other kinds of files are not
 * opened: opening may be a command to a device, or wait for the other end of a
 * pipe.  Returns the fd; or -errno, with @error (or NULL) filled.
 */
int syc_plain_file_open(const char *path, int flags,
                        struct syscap_error *error);

/*
 * Locks of writers, and checks for files in use.
 *
 * Each writer holds a record lock on one byte behind the first byte, a
 * different byte per writer.  Writers are processes that record themselves
 * (session/trace.h), and commands.  The owner of the lock is the process,
 * so the kernel reports the owner's pid, and several processes may hold locks.
 *
 * The first byte is locked while a writer writes: by a self-recording process
 * for each batch, by a command until its end.  The open file description owns
 * the lock of the first byte, because other fds of the file may be closed in
 * the meantime.
 *
 * Context of all functions: offline.
 */

/**
 * Take both locks on @fd.  0, also if the file system has no locks; or -EBUSY,
 * and @error names the holder.
 */
int syc_file_lock_take(int fd, struct syscap_error *error);

/** Return whether any process holds a lock, and may be adding to the file. */
bool syc_file_lock_is_held(int fd);

/**
 * Check whether another process has a lock on @fd.  _check_writers checks only
 * behind the first byte.  Returns 0; or -EBUSY, and @error names the holder.
 */
int syc_file_lock_check_writers(int fd, struct syscap_error *error);
int syc_file_lock_check(int fd, struct syscap_error *error);

/** A process that has the file of @fd open for writing; 0: none is visible. */
int syc_file_lock_opener(int fd);

/*
 * Whether a process may still write to a file.
 *
 * Locks do not cover a file that is open and will be written later.  Other
 * writers are the shell that created the file, a process before its first
 * event, or another kind of writer.  The check therefore requests a lease for
 * reading, which the kernel grants only if no process has the file open for
 * writing.
 *
 * Leases need the file's owner and a local file system.  Without leases and
 * locks, the result is that no process writes.
 */

/**
 * Return whether another process may still write to the file @path, because the
 * process holds a lock or has the file open.  0, also if there is no file; or
 * -EBUSY.
 */
int syc_in_use_check(const char *path, struct syscap_error *error);

/**
 * Like syc_in_use_check(), before @path is replaced or emptied.  Unless
 * @force, also refuses, with -EEXIST, a capture whose killed process left
 * frames in a ring file.
 */
int syc_in_use_may_replace(const char *path, bool force,
                           struct syscap_error *error);

#endif
