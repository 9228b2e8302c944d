/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recover.h - make a capture whole whose writer was killed.
 *
 * What the process left in its ring file is moved into the capture, by the
 * protocol of ring/ring_file.h: if this process is killed too, the next
 * attempt goes on, and each frame arrives once.  A torn frame at the end is
 * cut off.  Files that somebody writes to are refused, and so is what is
 * damaged in another way than by a kill.
 *
 * Context: offline.  SIGXFSZ must be ignored or blocked.
 */
#ifndef SYC_CAPTURE_RECOVER_H
#define SYC_CAPTURE_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "capture/recovered.h"

/**
 * Recover @path, a capture or a ring file.  @dry: change nothing, only tell.
 *
 * Returns 0 or -errno: -EBUSY, it is being written; -EBADMSG, it is neither,
 * or damaged before its end, and left as it is.
 */
int syc_recover(const char *path, bool dry, struct syc_recovered *ret_recovered,
                struct syscap_error *error);

/**
 * Remove the ring file @path, of a process that is gone, and what it holds:
 * *@ret_frames.  0 or -errno, as syc_recover().
 */
int syc_recover_discard(const char *path, uint64_t *ret_frames,
                        struct syscap_error *error);

#endif
