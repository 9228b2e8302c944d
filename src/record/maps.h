/* SPDX-License-Identifier: BSD-2-Clause */
/* maps.h - MAP frames: what code a process has where. */
#ifndef SC_RECORD_MAPS_H
#define SC_RECORD_MAPS_H

#include "capture/writer.h"
#include "data/array.h"
#include "record/compose.h"
#include "record/mapped_file.h"

/** The executable mappings of one process that were there last time; all zero: none. */
struct sc_known_maps {
	SC_ARRAY(struct sc_known_map) maps;
};

/**
 * Write a MAP frame for every executable mapping that was not there last
 * time.  The process is @host in /proc and @pid in the frames.
 */
void sc_maps_write_new(struct sc_known_maps *known, int32_t pid, int32_t host,
                       struct sc_mapped_files *files, struct sc_writer *writer,
                       union sc_frame_buffer *frame);

/** @address is in one of them. */
bool sc_maps_cover(const struct sc_known_maps *known, uint64_t address);

void sc_maps_forget(struct sc_known_maps *known);

#endif
