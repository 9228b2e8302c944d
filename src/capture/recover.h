/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recover.h - recovery of a capture whose writer was killed.
 *
 * The recovery moves the frames in the process' ring file into the capture, by
 * the protocol of ring/ring_file.h.  If the recovery is killed, too, the next
 * attempt continues, and each frame arrives once.  The recovery cuts a torn
 * frame off the end.
 *
 * The recovery refuses files that a process is writing, and captures with
 * damage that a kill does not explain.
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
	char capture[4096];   /* path of the capture, for a given ring file */
	char left_alone[200]; /* reason to keep a ring file, or "" */
	bool is_rings;        /* the given file begins like a ring file */
	bool had_rings;       /* a ring file existed */
	bool made_capture;    /* the capture was missing, and exists again */
	bool is_left;         /* the capture is missing, or another file has its
	                       * name */
	uint64_t frames;      /* frames moved into the capture */
	uint64_t bad; /* unreadable frames, for which the ring file is kept */
	uint64_t cut; /* bytes of a torn frame that were cut off */
	uint64_t cut_at; /* size of the file before bytes were cut off */
	bool made_end;   /* a missing or too early end_time was set */
};

/**
 * Recover @path, a capture or a ring file.  If @dry, only report, and change
 * nothing.
 *
 * Returns 0 or -errno.  -EBUSY means that a process is writing the file.
 * -EBADMSG, without changes, means that the file is neither a capture nor a
 * ring file, or is damaged before its end.
 */
int syc_recover(const char *path, bool dry, struct syc_recovered *ret_recovered,
                struct syscap_error *error);

/**
 * Move the frames in the ring file of a living process into the capture @path,
 * and close the rings: afterwards the process writes nothing.  The caller has
 * ended the events of the process, and waited for events in progress.  Returns
 * 0 or -errno.
 */
int syc_recover_from_living(const char *path,
                            struct syc_recovered *ret_recovered,
                            struct syscap_error *error);

/**
 * Copy the frames of a living process in flight mode into the new capture
 * @output.  @rings is the ring file of the process, which does nothing.  @root is
 * a prefix of the capture's path, for another mount namespace, or "".  @force:
 * replace a file that is no capture.  Returns 0 or -errno; -ENOENT: the ring file
 * is not of such a process.
 */
int syc_snapshot_take(const char *rings, const char *root, const char *output,
                      bool force, struct syc_recovered *ret_recovered,
                      struct syscap_error *error);

/**
 * Remove the ring file @path of a dead process with its frames, and store the
 * number of frames in *@ret_frames.  Returns 0 or -errno, like syc_recover().
 */
int syc_recover_discard(const char *path, uint64_t *ret_frames,
                        struct syscap_error *error);

/* Ring files that processes left in a directory. */

/** Ring files by path.  A zero-initialized struct is empty. */
struct syc_ring_files {
	SYC_ARRAY(char *) paths;
	size_t n_others; /* number of apparent ring files of other users */
};

/**
 * Add the ring files of this user in @dir, ordered by name.  Ring files are
 * regular files, no links, with names that end with ".rings".  Each begins with
 * the magic of a ring file, or is still empty.  The function ignores other
 * files.
 *
 * Returns 0, -ENOENT if the directory does not exist, or another -errno.
 */
int syc_ring_files_add(struct syc_ring_files *files, const char *dir,
                       struct syscap_error *error);

/** Add the ring files in the directories in which the library creates ring
 * files. */
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
	int fd; /* -1: not open */
	bool dry;
	struct stat st;
	const unsigned char *data; /* content, or NULL for an empty file */
	size_t size;
	struct syc_mapping mapping; /* mapping that contains data */
};

/**
 * Open @path, a regular file, with the lock of writers, and with @flags in
 * addition.  The caller must close the file even after a failure.  st is filled
 * if the file could be opened.
 */
int syc_recover_file_open(struct syc_recover_file *file, const char *path,
                          int flags, bool dry, struct syscap_error *error);

/** Open @path, whose writers are alive, and wait for the caller. */
int syc_recover_file_open_living(struct syc_recover_file *file,
                                 const char *path, struct syscap_error *error);

/** Create the capture that @rest names, with only its first frames. */
int syc_recover_file_create(struct syc_recover_file *file,
                            struct syc_ring_reader *rest, const char *rings,
                            struct syscap_error *error);

/** Map the current content of @file. */
int syc_recover_file_map(struct syc_recover_file *file,
                         struct syscap_error *error);

/** Return whether @file begins like a capture. */
bool syc_recover_file_is_capture(const struct syc_recover_file *file);

/** Write the header and the first frames into a capture that lacks both. */
int syc_recover_file_begin(struct syc_recover_file *file,
                           const struct syc_ring_reader *rest,
                           const char *rings, struct syscap_error *error);

/**
 * Cut a torn frame off the end, and set a missing or too early end time.
 */
int syc_recover_file_finish(struct syc_recover_file *file,
                            struct syc_recovered *recovered,
                            struct syscap_error *error);

void syc_recover_file_close(struct syc_recover_file *file);

/**
 * Move the frames left in a ring file into its capture, and empty the rings.
 * @rest is open, for changes unless @file is dry, and belongs to @file.  The
 * caller may remove the ring file unless recovered->bad counts unreadable
 * frames.
 *
 * Returns 0, -EBADMSG, without changes, if the capture or the journal is
 * damaged, or another -errno, after which the next attempt continues.
 */
int syc_recover_rings(struct syc_ring_reader *rest,
                      struct syc_recover_file *file,
                      struct syc_recovered *recovered,
                      struct syscap_error *error);

/** Remove the ring file @path if @path is still the open file. */
int syc_recover_rings_remove(const struct syc_ring_reader *rest,
                             const char *path, struct syscap_error *error);

#endif
