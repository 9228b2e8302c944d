/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mount_paths.h - paths of a recorded process, translated to paths here.
 *
 * A process in a container sees another file system.  While the process lives,
 * /proc/PID/root shows that file system.  Later, or on another machine, OVERLAY
 * frames in the capture help, and embedded mount tables of the process and the
 * machine.  The user may name the root directory of the machine's files.  All
 * results are guesses, so the caller checks each file that it opens.
 *
 * Context of all functions: offline.
 */
#ifndef SYC_SYMBOLS_MOUNT_PATHS_H
#define SYC_SYMBOLS_MOUNT_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array.h"
#include "common/map.h"

/** Owned paths.  All zero: none. */
struct syc_paths {
	SYC_ARRAY(char *) array;
};

void syc_paths_fini(struct syc_paths *paths);

struct syc_places;

/**
 * @root: the directory here with the machine's files; NULL or "": "/".  0 or
 * -ENOMEM.
 */
int syc_places_new(const char *root, bool is_live,
                   struct syc_places **ret_places);

void syc_places_free(struct syc_places *places);

/**
 * Record that the directory @to of @pid is @from of the machine.  Returns 0 or
 * -ENOMEM.
 */
int syc_places_add_overlay(struct syc_places *places, int32_t pid,
                           uint8_t layer, const char *from, const char *to);

/** @text is the content of /proc/PID/mountinfo.  Returns 0 or -ENOMEM. */
int syc_places_add_mountinfo(struct syc_places *places, int32_t pid,
                             const char *text, size_t size);

/** @text is the content of /proc/mounts.  Returns 0 or -ENOMEM. */
int syc_places_add_mounts(struct syc_places *places, const char *text,
                          size_t size);

/**
 * Add the paths that @path of the process may have here to @paths, the
 * likeliest first, each once.  Returns 0 or -ENOMEM.
 */
int syc_places_list(const struct syc_places *places, int32_t pid,
                    const char *path, struct syc_paths *paths);

/** Whether two processes may see different files at one path. */
bool syc_places_differ(const struct syc_places *places, int32_t pid);

#endif
