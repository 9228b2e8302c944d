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
#include <sys/stat.h>

#include <syscap/capture.h>

#include "capture/files.h"
#include "capture/ring_file_reader.h"
#include "common/containers.h"

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
	uint64_t bad; /* unreadable frames; if not 0, the ring file is kept */
	uint64_t cut; /* bytes of a torn frame that were cut off */
	uint64_t cut_at; /* size of the file before bytes were cut off */
	bool made_end;   /* end_time was set: it was missing, or too early */
};

/**
 * Recover @path, a capture or a ring file.  @dry: only report, change nothing.
 *
 * Returns 0 or -errno.  -EBUSY: a process is writing the file.  -EBADMSG: the
 * file is neither a capture nor a ring file, or is damaged before its end; the
 * file is unchanged.
 */
int syc_recover(const char *path, bool dry, struct syc_recovered *ret_recovered,
                struct syscap_error *error);

/**
 * Remove the ring file @path of a dead process with its frames; *@ret_frames is
 * their number.  Returns 0 or -errno, as syc_recover().
 */
int syc_recover_discard(const char *path, uint64_t *ret_frames,
                        struct syscap_error *error);

/* Ring files that processes left in a directory. */

/** A struct of zeros is empty. */
struct syc_ring_files {
	SYC_ARRAY(char *) paths;
	size_t n_others; /* number of apparent ring files of other users */
};

/**
 * Add the ring files of this user in @dir, ordered by name.  Ring files are
 * regular files, no links, with names that end with ".rings".  Each begins with
 * the magic of a ring file, or is still empty.  Other files are ignored.
 *
 * Returns 0 or -errno; -ENOENT: the directory does not exist.
 */
int syc_ring_files_add(struct syc_ring_files *files, const char *dir,
                       struct syscap_error *error);

/** Add the ring files in the directories in which the library creates them. */
int syc_ring_files_add_usual(struct syc_ring_files *files,
                             struct syscap_error *error);

void syc_ring_files_free(struct syc_ring_files *files);

/*
 * The capture that a recovery completes: file and moved frames.
 *
 * Functions return 0 or -errno with @error filled.  Context: offline.
 */

#define SYC_RECOVER_HEADER 256u

struct syc_recover_file {
	int fd; /* fd; -1: not open */
	bool dry;
	struct stat st;
	const unsigned char *data; /* content; NULL: the file is empty */
	size_t size;
	struct syc_mapping mapping; /* mapping that contains data */
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

/** Map the present content of @file. */
int syc_recover_file_map(struct syc_recover_file *file,
                         struct syscap_error *error);

/** Return whether @file begins like a capture. */
bool syc_recover_file_is_capture(const struct syc_recover_file *file);

/** Write the header and the first frames into a capture that lacks both. */
int syc_recover_file_begin(struct syc_recover_file *file,
                           const struct syc_ring_reader *rest,
                           const char *rings, struct syscap_error *error);

/**
 * Cut a torn frame at the end, and set the end time if it is missing or too
 * early.
 */
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

/** Remove the ring file @path if it is still the open file. */
int syc_recover_rings_remove(const struct syc_ring_reader *rest,
                             const char *path, struct syscap_error *error);

#endif
