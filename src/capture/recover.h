/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recover.h - recovery of a capture whose writer was killed.
 *
 * The recovery moves the frames in the process' ring file into the capture, by
 * the protocol of ring/ring_file.h.  If the recovery is killed too, the next
 * attempt continues, and each frame arrives once.  A torn frame at the end is
 * cut off.
 *
 * Files that are being written are refused, and so are captures with damage
 * that a kill does not explain.
 *
 * Context: offline.  SIGXFSZ must be ignored or blocked.
 */
#ifndef SYC_CAPTURE_RECOVER_H
#define SYC_CAPTURE_RECOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "common/array.h"

struct syc_recovered {
	char capture[4096];   /* path of the capture, if a ring file was
	                       * given */
	char left_alone[200]; /* reason to keep a ring file; "": none */
	bool is_rings;        /* the given file is a ring file, by its first
	                       * bytes */
	bool had_rings;       /* there was a ring file */
	bool made_capture;    /* the capture was missing, and exists again */
	bool is_left;         /* the capture is missing, or another file has its
	                       * name */
	uint64_t frames;      /* frames moved into the capture */
	uint64_t bad; /* unreadable frames; with any, the ring file is kept */
	uint64_t cut; /* bytes of a torn frame that were cut off */
	uint64_t cut_at; /* size of the file before; with cut */
	bool made_end;   /* end_time was set: it was missing, or too early */
};

/**
 * Recover @path, a capture or a ring file.  @dry: only report, change nothing.
 *
 * Returns 0 or -errno. -EBUSY: a process is writing the file. -EBADMSG: the
 * file is neither, or it is damaged before its end; it is unchanged.
 */
int syc_recover(const char *path, bool dry, struct syc_recovered *ret_recovered,
                struct syscap_error *error);

/**
 * Remove the ring file @path of a dead process with its frames; *@ret_frames is
 * their number.  0 or -errno, as syc_recover().
 */
int syc_recover_discard(const char *path, uint64_t *ret_frames,
                        struct syscap_error *error);

/* Ring files that processes left in a directory. */

/** All zero is empty. */
struct syc_ring_files {
	SYC_ARRAY(char *) paths;
	size_t n_others; /* number of apparent ring files of other users */
};

/**
 * Add the ring files of this user in @dir, ordered by name.  Their names end
 * with ".rings".  They are regular files, no links, and begin like a ring file
 * or are still empty.  Other files are ignored.
 *
 * Returns 0 or -errno; -ENOENT: the directory does not exist.
 */
int syc_ring_files_add(struct syc_ring_files *files, const char *dir,
                       struct syscap_error *error);

/** The same for the directories in which the library creates them. */
int syc_ring_files_add_usual(struct syc_ring_files *files,
                             struct syscap_error *error);

void syc_ring_files_free(struct syc_ring_files *files);

#endif
