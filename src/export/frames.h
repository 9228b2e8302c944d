/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frames.h - what the frames of stacks are: functions, or functions at lines
 * where the capture has lines.
 *
 * Frames have numbers, for formats that have a table of them.  Without lines
 * they are those of functions, and nothing is kept.
 */
#ifndef SYC_EXPORT_FRAMES_H
#define SYC_EXPORT_FRAMES_H

#include "data/array.h"
#include "data/map.h"
#include "export/export.h"

struct syc_frame {
	uint32_t function;
	uint32_t line; /* number of a line of the profile, or NONE */
};

struct syc_frames {
	const struct syc_export *export;
	size_t n;
	SYC_ARRAY(struct syc_frame) items;
	uint32_t *of_nodes, *of_heap; /* by node; NULL: functions */
	char *shown;
};

/** 0 or -ENOMEM; fini in any case. */
int syc_frames_init(struct syc_frames *frames, const struct syc_export *export);
void syc_frames_fini(struct syc_frames *frames);

/** The frame of @node of one of the export's views. */
uint32_t syc_frames_of(const struct syc_frames *frames,
                       const struct syscap_view *view, uint32_t node);

struct syc_frame syc_frames_get(const struct syc_frames *frames, size_t number);

/** Where it is in the source; NULL: not known. */
const struct syscap_profile_line *
syc_frames_line(const struct syc_frames *frames, size_t number);

/** The line of a node of a view by line; NULL: not known. */
const struct syscap_profile_line *
syc_line_of_node(const struct syscap_profile *profile,
                 const struct syscap_view *view, uint32_t node);

/** A function's name, for formats that can't say otherwise whether it was
 * inlined: "f (inlined)".  Good until the next call. */
const char *syc_frames_name(struct syc_frames *frames, uint32_t function);

#endif
