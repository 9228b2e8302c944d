/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pprof_tables.h - what samples of a profile.proto refer to: strings, binaries,
 * functions, locations.
 *
 * A view has no addresses: a location is a function, or where the capture has
 * lines a function at a line with what was inlined there.
 */
#ifndef SYC_EXPORT_PPROF_TABLES_H
#define SYC_EXPORT_PPROF_TABLES_H

#include "data/array.h"
#include "data/map.h"
#include "export/export.h"
#include "export/gzip.h"
#include "export/protobuf.h"

/** A file that is written, and messages that are made for it. */
struct syc_pprof_file {
	struct syc_gzip *gzip;
	struct syc_protobuf outer, message, inner;
};

/** Write @file->message as a field of the profile; it is empty then. */
void syc_pprof_write(struct syc_pprof_file *file, unsigned field);

/** Strings that always are there, by number. */
enum {
	SYC_PPROF_TEXT_NONE,
	SYC_PPROF_TEXT_SAMPLES,
	SYC_PPROF_TEXT_COUNT,
	SYC_PPROF_TEXT_TIME,
	SYC_PPROF_TEXT_NANOSECONDS,
	SYC_PPROF_TEXT_PID,
	SYC_PPROF_TEXT_TID,
	SYC_PPROF_N_TEXTS
};

/** A frame, and the number + 1 of the one that it was inlined into; or 0. */
struct syc_pprof_location {
	uint32_t function, line, into;
};

struct syc_pprof_tables {
	const struct syc_export *export;
	const struct syscap_profile_function *functions;
	size_t n_functions;
	struct syc_map binaries; /* mappings are numbered so, from 1 on */
	struct syc_map files;    /* of source; strings behind the binaries */
	uint32_t *file_of;       /* number in files, by function; or NONE */
	/* Where there are lines: by node, its location; and these. */
	uint32_t *location_of;
	SYC_ARRAY(struct syc_pprof_location) locations;
};

/** 0 or -ENOMEM.  To be ended in any case. */
int syc_pprof_tables_init(struct syc_pprof_tables *tables,
                          const struct syc_export *export);
void syc_pprof_tables_fini(struct syc_pprof_tables *tables);

void syc_pprof_tables_write(const struct syc_pprof_tables *tables,
                            struct syc_pprof_file *file);

/** Append the locations of a node's stack, the innermost first. */
void syc_pprof_stack(const struct syc_pprof_tables *tables, uint32_t node,
                     struct syc_protobuf *ids);

#endif
