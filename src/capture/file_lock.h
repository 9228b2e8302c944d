/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file_lock.h - the locks by which writers of captures know each other.
 *
 * Who writes a capture of ours holds a record lock on a byte of its own behind
 * the first: a process that records itself (selfrec/record_lock.h), and a
 * command.  It is that of its table of descriptors, so that the kernel says
 * whose it is, and several hold theirs at once.  Who writes has the first byte,
 * too: a process that records itself while a batch goes out, a command until
 * it is done, with an owner of its own, as other descriptors of the file may be
 * closed meanwhile.
 *
 * Context of all: offline.
 */
#ifndef SYC_CAPTURE_FILE_LOCK_H
#define SYC_CAPTURE_FILE_LOCK_H

#include <stdbool.h>

#include <syscap/capture.h>

/**
 * Have both locks on @fd.  0, also where there are no locks; or -EBUSY, and
 * @error says who has one.
 */
int syc_file_lock_take(int fd, struct syscap_error *error);

/** Whether anybody holds one, and may add to the file right now. */
bool syc_file_lock_is_held(int fd);

/**
 * Whether another process has a lock on @fd beyond its first byte; or any.  0;
 * or -EBUSY, and @error says who.
 */
int syc_file_lock_check_writers(int fd, struct syscap_error *error);
int syc_file_lock_check(int fd, struct syscap_error *error);

/** A process that has the file of @fd open for writing; 0: none can be seen. */
int syc_file_lock_opener(int fd);

/** Make @error "process PID (NAME) @what"; 0: another process.  -EBUSY. */
int syc_file_lock_tell(int pid, const char *what, struct syscap_error *error);

#endif
