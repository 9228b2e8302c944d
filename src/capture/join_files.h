/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_files.h - files embedded in captures that are joined.
 *
 * Readers take, of all chunks with a path, those up to the first that is the
 * last of its file.  So of files of one path in several inputs only one may
 * keep the path: where the contents are equal one is enough, others get a
 * path of their own.  Within one input nothing changes.
 */
#ifndef SYC_CAPTURE_JOIN_FILES_H
#define SYC_CAPTURE_JOIN_FILES_H

#include <syscap/capture.h>

#include "data/array.h"
#include "data/map.h"

enum syc_join_fate {
	SYC_JOIN_KEPT,
	SYC_JOIN_RENAMED,
	SYC_JOIN_DROPPED, /* another input has the same */
	SYC_JOIN_MERGED   /* into the one table of symbols, or of lines */
};

/** All chunks of one path in one input. */
struct syc_join_file {
	const char *path; /* in the map */
	SYC_ARRAY(const unsigned char *) chunks;
	uint64_t size;
	enum syc_join_fate fate;
	char *new_path;
};

/** The files of one input; all zero at first. */
struct syc_join_files {
	struct syc_map by_path;
	SYC_ARRAY(struct syc_join_file) files;
	bool big; /* the input's byte order */
};

/** The paths of all inputs; all zero at first. */
struct syc_join_paths {
	struct syc_map taken;
	struct syc_map by_path; /* of those that were settled */
	SYC_ARRAY(struct syc_join_path *) paths;
};

void syc_join_files_fini(struct syc_join_files *files);
void syc_join_paths_fini(struct syc_join_paths *paths);

/** Learn of @frame, a FILE_CHUNK.  0 or -ENOMEM. */
int syc_join_files_scan(struct syc_join_files *files,
                        struct syc_join_paths *paths,
                        const struct syscap_frame *frame);

/** The file of @path, or NULL. */
struct syc_join_file *syc_join_files_find(const struct syc_join_files *files,
                                          const char *path);

/** Decode chunk @i of @file.  False when it is none any more. */
bool syc_join_files_chunk(const struct syc_join_files *files,
                          const struct syc_join_file *file, size_t i,
                          struct syscap_frame *ret_chunk);

/** Its content put together, from malloc(); NULL: no memory, or unreadable. */
unsigned char *syc_join_files_content(const struct syc_join_files *files,
                                      const struct syc_join_file *file);

/** Chunks behind a file's end belong to another, which nobody would read. */
bool syc_join_files_is_one(const struct syc_join_files *files,
                           const struct syc_join_file *file);

/** Are the contents the same, and end in the same places? */
bool syc_join_files_equal(const struct syc_join_files *files,
                          const struct syc_join_file *file,
                          const struct syc_join_files *other_files,
                          const struct syc_join_file *other);

/** No file shall keep the path @text.  0 or -ENOMEM. */
int syc_join_files_reserve(struct syc_join_paths *paths, const char *text);

/**
 * Decide about @file, whose fate is not SYC_JOIN_MERGED, after the inputs
 * before its own are settled.  0 or -ENOMEM.
 */
int syc_join_files_settle(struct syc_join_paths *paths,
                          const struct syc_join_files *files,
                          struct syc_join_file *file);

/**
 * Give @file the path @text, which it would have if its process had always
 * had its number.  1; 0, that path is taken; or -ENOMEM.
 */
int syc_join_files_move(struct syc_join_paths *paths,
                        struct syc_join_file *file, const char *text);

/** Store the new path of @file into the FILE_CHUNK in @buffer. */
void syc_join_files_rename(const struct syc_join_file *file,
                           unsigned char *buffer);

#endif
