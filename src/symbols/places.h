/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * places.h - where the files that a recorded process names are here.
 *
 * A process in a container sees other files than we do.  Its own view, while
 * it lives, is /proc/PID/root.  Later, and elsewhere, these tell: OVERLAY
 * frames; the process's mountinfo and the machine's mount table, embedded in
 * the capture; and where the machine's files are here.  All of them are
 * guesses, so whoever opens a file checks that it is the one.
 *
 * Context of all: offline.
 */
#ifndef SYC_SYMBOLS_PLACES_H
#define SYC_SYMBOLS_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/array.h"
#include "data/map.h"

/** Paths, owned; all zero: none. */
struct syc_paths {
	SYC_ARRAY(char *) array;
};

void syc_paths_fini(struct syc_paths *paths);

struct syc_places;

/** @root: where the machine's files are; NULL or "": here.  0 or -ENOMEM. */
int syc_places_new(const char *root, bool is_live,
                   struct syc_places **ret_places);

void syc_places_free(struct syc_places *places);

/** For @pid the folder @to is @from of the machine.  0 or -ENOMEM. */
int syc_places_add_overlay(struct syc_places *places, int32_t pid,
                           uint8_t layer, const char *from, const char *to);

/** @text is the content of /proc/PID/mountinfo.  0 or -ENOMEM. */
int syc_places_add_mountinfo(struct syc_places *places, int32_t pid,
                             const char *text, size_t size);

/** @text is the content of /proc/mounts.  0 or -ENOMEM. */
int syc_places_add_mounts(struct syc_places *places, const char *text,
                          size_t size);

/**
 * Add to @paths where @path of the process may be, the likeliest first, each
 * once.  0 or -ENOMEM.
 */
int syc_places_list(const struct syc_places *places, int32_t pid,
                    const char *path, struct syc_paths *paths);

/** Whether two processes may see different files by one path. */
bool syc_places_differ(const struct syc_places *places, int32_t pid);

#endif
