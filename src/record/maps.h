/* SPDX-License-Identifier: BSD-2-Clause */
/* maps.h - MAP frames: what code a process has where. */
#ifndef SYC_RECORD_MAPS_H
#define SYC_RECORD_MAPS_H

#include "capture/compose.h"
#include "capture/writer.h"
#include "data/array.h"
#include "record/mapped_file.h"

/** The executable mappings of one process that were there last time; all zero: none. */
struct syc_known_maps {
	SYC_ARRAY(struct syc_known_map) maps;
};

/**
 * Write a MAP frame for every executable mapping that was not there last
 * time.  The process is @host in /proc and @pid in the frames.
 */
void syc_maps_write_new(struct syc_known_maps *known, int32_t pid, int32_t host,
                        struct syc_mapped_files *files,
                        struct syc_writer *writer,
                        union syc_frame_buffer *frame);

/** @address is in one of them. */
bool syc_maps_cover(const struct syc_known_maps *known, uint64_t address);

void syc_maps_forget(struct syc_known_maps *known);

#endif
