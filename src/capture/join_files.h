/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_files.h - files embedded in captures that are joined.
 *
 * Readers take, of all chunks with a path, those up to the first that is the
 * last of its file.  So of files of one path in several inputs only one may
 * keep the path: where the contents are equal one is enough, others get a
 * path of their own.  Within one input nothing changes.
 */
#ifndef SC_CAPTURE_JOIN_FILES_H
#define SC_CAPTURE_JOIN_FILES_H

#include <syscap/capture.h>

#include "data/array.h"
#include "data/map.h"

enum sc_join_fate {
	SC_JOIN_KEPT,
	SC_JOIN_RENAMED,
	SC_JOIN_DROPPED, /* another input has the same */
	SC_JOIN_MERGED   /* into the one table of symbols */
};

/** All chunks of one path in one input. */
struct sc_join_file {
	const char *path; /* in the map */
	SC_ARRAY(const unsigned char *) chunks;
	uint64_t size;
	enum sc_join_fate fate;
	char *new_path;
};

/** The files of one input; all zero at first. */
struct sc_join_files {
	struct sc_map by_path;
	SC_ARRAY(struct sc_join_file) files;
	bool big; /* the input's byte order */
};

/** The paths of all inputs; all zero at first. */
struct sc_join_paths {
	struct sc_map taken;
	struct sc_map by_path; /* of those that were settled */
	SC_ARRAY(struct sc_join_path *) paths;
};

void sc_join_files_fini(struct sc_join_files *files);
void sc_join_paths_fini(struct sc_join_paths *paths);

/** Learn of @frame, a FILE_CHUNK.  0 or -ENOMEM. */
int sc_join_files_scan(struct sc_join_files *files, struct sc_join_paths *paths,
                       const struct syscap_frame *frame);

/** The file of @path, or NULL. */
struct sc_join_file *sc_join_files_find(const struct sc_join_files *files,
                                        const char *path);

/** Decode chunk @i of @file.  False when it is none any more. */
bool sc_join_files_chunk(const struct sc_join_files *files,
                         const struct sc_join_file *file, size_t i,
                         struct syscap_frame *ret_chunk);

/** Are the contents the same, and end in the same places? */
bool sc_join_files_equal(const struct sc_join_files *files,
                         const struct sc_join_file *file,
                         const struct sc_join_files *other_files,
                         const struct sc_join_file *other);

/** No file shall keep the path @text.  0 or -ENOMEM. */
int sc_join_files_reserve(struct sc_join_paths *paths, const char *text);

/**
 * Decide about @file, whose fate is not SC_JOIN_MERGED, after the inputs
 * before its own are settled.  0 or -ENOMEM.
 */
int sc_join_files_settle(struct sc_join_paths *paths,
                         const struct sc_join_files *files,
                         struct sc_join_file *file);

/**
 * Give @file the path @text, which it would have if its process had always
 * had its number.  1; 0, that path is taken; or -ENOMEM.
 */
int sc_join_files_move(struct sc_join_paths *paths, struct sc_join_file *file,
                       const char *text);

/** Store the new path of @file into the FILE_CHUNK in @buffer. */
void sc_join_files_rename(const struct sc_join_file *file,
                          unsigned char *buffer);

#endif
