/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * naming.h - which function each location is.
 *
 * While a capture is read: learn what was mapped, and what names the capture
 * carries.  When it is asked: find the function of every location that has
 * none yet, or only a poor one.
 *
 *	1 names that stand in stacks		JITMAP
 *	2 the capture's own table		__symbols__
 *	3 where it carries none: the files	symbols/resolver.h
 *	4 where in which file it is		MAP
 *
 * And what was inlined there, where the capture says so (__lines__).
 */
#ifndef SYC_PROFILE_NAMING_H
#define SYC_PROFILE_NAMING_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "capture/chunks.h"
#include "capture/join_symbols.h"
#include "code/code_names.h"
#include "data/array.h"
#include "data/map.h"
#include "profile/functions.h"
#include "profile/sources.h"
#include "profile/stacks.h"
#include "profile/texts.h"
#include "profile/who.h"
#include "symbols/process_maps.h"
#include "symbols/resolver.h"

struct syc_naming {
	struct syc_texts *texts; /* of the profile */
	struct syc_functions *functions;
	struct syc_map by_jit; /* addresses that are names */
	SYC_ARRAY(const char *) jit_names;
	struct syc_join_symbols table;
	struct syc_chunks chunks; /* of a table that is being read */
	struct syc_sources sources;
	bool has_table, is_table_bad;
	SYC_ARRAY(struct syscap_profile_map) maps;
	struct syc_process_maps mapped; /* found: number in maps, + 1 */
	/* NULL: nothing is looked up. */
	struct syc_symbols *symbols;
	struct syc_code_names *code;
	char *root;
	char capture_time[65];
	bool has_begun;
	size_t n_named; /* locations that need no other look */
	size_t n_files; /* processes whose code files were read */
	bool is_new;    /* something that names was learned */
	/* More is to be read.  A table of symbols stands at the end, so nothing
	 * is looked up in files yet: places are names until then. */
	bool is_partial;
};

/** 0 or -ENOMEM. */
int syc_naming_init(struct syc_naming *naming, struct syc_texts *texts,
                    struct syc_functions *functions,
                    const struct syscap_profile_options *options);
void syc_naming_fini(struct syc_naming *naming);

/** MAP, FORK, EXIT, OVERLAY, JITMAP, FILE_CHUNK, METADATA.  0 or -ENOMEM. */
int syc_naming_learn(struct syc_naming *naming, struct syc_who *who,
                     const struct syscap_reader *reader,
                     const struct syscap_frame *frame);

/** Functions of all locations.  0 or -ENOMEM. */
int syc_naming_settle(struct syc_naming *naming, const struct syc_who *who,
                      struct syc_stacks *stacks);

/** What @location was called at @time, where that may vary.  0 or -ENOMEM. */
int syc_naming_ask(struct syc_naming *naming, const struct syc_who *who,
                   struct syc_stacks *stacks, uint32_t location, int64_t time,
                   uint32_t *ret_function);

#endif
