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
#ifndef SC_CAPTURE_RECOVER_H
#define SC_CAPTURE_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>

struct sc_recovered {
	char capture[4096];   /* its name, where a ring file was given */
	char left_alone[200]; /* why a ring file was not its; "": none */
	bool is_rings;        /* a ring file was given, by its first bytes */
	bool had_rings;       /* there was a ring file */
	bool made_capture;    /* it was missing, and is there again */
	bool is_left;         /* it is missing, or another file by now */
	uint64_t frames;      /* moved into the capture */
	uint64_t bad;         /* in the rings, and not readable: if there are
	                       * any, the ring file is kept, else it is gone */
	uint64_t cut;         /* bytes of a torn frame that were cut off */
	uint64_t cut_at;      /* where the file ended then; with cut */
	bool made_end;        /* end_time was missing, or too early */
};

/**
 * Recover @path, a capture or a ring file.  @dry: change nothing, only tell.
 *
 * Returns 0 or -errno: -EBUSY, it is being written; -EBADMSG, it is neither,
 * or damaged before its end, and left as it is.
 */
int sc_recover(const char *path, bool dry, struct sc_recovered *ret_recovered,
               struct syscap_error *error);

/**
 * Remove the ring file @path, of a process that is gone, and what it holds:
 * *@ret_frames.  0 or -errno, as sc_recover().
 */
int sc_recover_discard(const char *path, uint64_t *ret_frames,
                       struct syscap_error *error);

#endif
