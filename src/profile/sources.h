/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sources.h - what of a program's source addresses are: the functions that were
 * inlined there, and lines.
 *
 * It is in the capture, as __lines__, or nowhere: without it nothing here
 * costs anything.
 */
#ifndef SYC_PROFILE_SOURCES_H
#define SYC_PROFILE_SOURCES_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "capture/chunks.h"
#include "capture/line_table.h"
#include "data/array.h"
#include "data/map.h"
#include "profile/functions.h"
#include "profile/texts.h"

struct syc_sources {
	struct syc_texts *texts; /* of the profile */
	struct syc_functions *functions;
	struct syc_chunks chunks;
	struct syc_line_table table; /* of the bytes of @chunks */
	bool is_whole;          /* the first file; others are no more read */
	struct syc_map by_line; /* of a file's text and a line */
	SYC_ARRAY(struct syscap_profile_line) lines;
	SYC_ARRAY(struct syscap_profile_source) sources;
	SYC_ARRAY(uint32_t)
	binaries; /* by number of a map: + 1 in the table;
	                               * 0: not looked for, NONE: none */
};

void syc_sources_init(struct syc_sources *known, struct syc_texts *texts,
                      struct syc_functions *functions);
void syc_sources_fini(struct syc_sources *known);

/** A FILE_CHUNK of __lines__.  0 or -ENOMEM. */
int syc_sources_learn(struct syc_sources *known,
                      const struct syscap_frame *frame);

/** All locations are asked for again. */
void syc_sources_restart(struct syc_sources *known);

/**
 * Set the source of @location, which has its function and is in @map; its
 * instruction is the byte before if @is_return.  0 or -ENOMEM.
 */
int syc_sources_find(struct syc_sources *known,
                     struct syscap_profile_location *location,
                     const struct syscap_profile_map *map, bool is_return);

#endif
