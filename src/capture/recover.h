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
	char capture[4096];   /* its name, if a ring file was given */
	char left_alone[200]; /* reason to keep a ring file; "": none */
	bool is_rings;        /* a ring file was given, by its first bytes */
	bool had_rings;       /* there was a ring file */
	bool made_capture;    /* it was missing, and exists again */
	bool is_left;         /* it is missing, or another file by now */
	uint64_t frames;      /* moved into the capture */
	uint64_t
		bad; /* unreadable, in the rings: if there are any, the ring file is kept */
	uint64_t cut;    /* bytes of a torn frame that were cut off */
	uint64_t cut_at; /* size of the file before; with cut */
	bool made_end;   /* end_time was missing, or too early */
};

/**
 * Recover @path, a capture or a ring file.  @dry: only report, change nothing.
 *
 * Returns 0 or -errno: -EBUSY, it is being written; -EBADMSG, it is neither, or
 * damaged before its end, and unchanged.
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
	size_t n_others; /* apparent ring files of other users */
};

/**
 * Add the ring files of this user in @dir, ordered by name.  Their names end
 * with ".rings".  They are regular files, no links, and begin as a ring file or
 * have no content yet.  Other files are ignored.
 *
 * Returns 0 or -errno: -ENOENT, there is no such directory.
 */
int syc_ring_files_add(struct syc_ring_files *files, const char *dir,
                       struct syscap_error *error);

/** The same for the directories in which the library creates them. */
int syc_ring_files_add_usual(struct syc_ring_files *files,
                             struct syscap_error *error);

void syc_ring_files_free(struct syc_ring_files *files);

#endif
