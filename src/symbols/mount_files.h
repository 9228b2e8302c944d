/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mount_files.h - the files in a capture that say what was mounted where:
 * /proc/mounts, and /proc/PID/mountinfo.
 *
 * Context of all: offline.
 */
#ifndef SYC_SYMBOLS_MOUNT_FILES_H
#define SYC_SYMBOLS_MOUNT_FILES_H

#include "capture/chunks.h"
#include "data/map.h"
#include "symbols/places.h"

/** One that is embedded in chunks. */
struct syc_mount_file {
	struct syc_chunks chunks;
	bool is_whole, is_used;
};

/** All zero is none. */
struct syc_mount_files {
	struct syc_map by_path;
	SYC_ARRAY(struct syc_mount_file) files;
};

void syc_mount_files_fini(struct syc_mount_files *files);

/** Learn from @frame, a FILE_CHUNK of any file.  0 or -ENOMEM. */
int syc_mount_files_learn(struct syc_mount_files *files,
                          const struct syscap_frame *frame);

/** Tell @places what is new in them, as far as they were read.  0 or -ENOMEM. */
int syc_mount_files_use(struct syc_mount_files *files,
                        struct syc_places *places);

#endif
