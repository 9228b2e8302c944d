/* SPDX-License-Identifier: BSD-2-Clause */
/* naming.h - functions, source lines, and the function of each location. */
#ifndef SYC_PROFILE_NAMING_H
#define SYC_PROFILE_NAMING_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "capture/embedded.h"
#include "capture/join.h"
#include "capture/line_table.h"
#include "code/code_names.h"
#include "common/containers.h"
#include "common/strings.h"
#include "profile/processes.h"
#include "profile/stacks.h"
#include "symbols/process_maps.h"
#include "symbols/resolver.h"

struct syc_functions {
	struct syc_map by_text; /* pairs of texts, by address */
	SYC_ARRAY(struct syscap_profile_function) items;
	SYC_ARRAY(uint32_t)
	of_binary; /* the function that represents the binary */
};

/**
 * Numbers of functions never change.  The first functions are the predefined
 * SYSCAP_FUNCTION_* of every profile.  Returns 0 or -ENOMEM.
 */
int syc_functions_init(struct syc_functions *functions,
                       struct syc_texts *texts);

void syc_functions_fini(struct syc_functions *functions);

/**
 * The number of @function, whose texts are kept already.  Returns 0 or -ENOMEM.
 */
int syc_functions_put(struct syc_functions *functions,
                      const struct syscap_profile_function *function,
                      uint32_t *ret_number);

/** Add a function "[BINARY]" for each binary.  Returns 0 or -ENOMEM. */
int syc_functions_settle(struct syc_functions *functions,
                         struct syc_texts *texts);

/** The category of code in the file @path. */
enum syscap_profile_category syc_functions_category(const char *path);

/** Return whether the function @name of @binary is syscap's own code in a
 * program. */
bool syc_functions_is_recording(const char *name, const char *binary);

/**
 * Source lines and inlined functions of locations.  Lines and inlined functions
 * come only from __lines__ in the capture.  Without __lines__, these lookups
 * cost nothing.
 */
struct syc_sources {
	struct syc_texts *texts; /* texts of the profile */
	struct syc_functions *functions;
	struct syc_chunks chunks;
	struct syc_line_table table; /* table, whose bytes are in @chunks */
	bool is_whole; /* one file was complete; later files are ignored */
	struct syc_map by_binary;   /* binaries of the table */
	SYC_ARRAY(uint32_t) firsts; /* first binary of each identity */
	struct syc_map by_line;     /* lines, by text of the file and number */
	SYC_ARRAY(struct syscap_profile_line) lines;
	SYC_ARRAY(struct syscap_profile_source) sources;
	/* 1 + index of each map's binary; NONE; or 0: not looked up. */
	SYC_ARRAY(uint32_t) binaries;
};

void syc_sources_init(struct syc_sources *known, struct syc_texts *texts,
                      struct syc_functions *functions);

void syc_sources_fini(struct syc_sources *known);

/** Read a FILE_CHUNK of __lines__.  Returns 0 or -ENOMEM. */
int syc_sources_learn(struct syc_sources *known,
                      const struct syscap_frame *frame);

/** Drop the sources, since all locations will be looked up again. */
void syc_sources_restart(struct syc_sources *known);

/**
 * Set the source of @location in @map.  The function of @location is known.  If
 * @is_return, use the source of the byte before.  Returns 0 or -ENOMEM.
 */
int syc_sources_find(struct syc_sources *known,
                     struct syscap_profile_location *location,
                     const struct syscap_profile_map *map, bool is_return);

/**
 * While a capture is read, the struct collects mappings and names.  When the
 * profile is settled, every location without a final function gets a function.
 * Sources of names, the best first:
 *
 *	1 JIT names in stacks			JITMAP
 *	2 the capture's symbol table		__symbols__
 *	3 without that table: the files		symbols/resolver.h
 *	4 the position in the file		MAP
 *
 * Inlined functions come from __lines__.
 */
struct syc_naming {
	struct syc_texts *texts; /* texts of the profile */
	struct syc_functions *functions;
	struct syc_map by_jit; /* JIT names by address */
	SYC_ARRAY(const char *) jit_names;
	struct syc_join_symbols table;
	struct syc_chunks chunks; /* chunks of an incomplete table */
	struct syc_sources sources;
	bool has_table;
	/* The table was read ahead of earlier frames. */
	bool is_ahead;
	SYC_ARRAY(struct syscap_profile_map) maps;
	/* Maps; found is 1 + number of the map. */
	struct syc_process_maps mapped;
	/* NULL: no lookup in files. */
	struct syc_symbols *symbols;
	struct syc_code_names *code;
	char *root;
	char capture_time[65];
	bool has_begun;
	size_t n_named; /* locations with a final name */
	size_t n_files; /* processes whose code files were read */
	bool is_new;    /* new names were collected */
	/* The file has more to read.  A symbol table is at the end, so until
	 * then locations are named by position, without lookup in files. */
	bool is_partial;
};

/** Returns 0 or -ENOMEM. */
int syc_naming_init(struct syc_naming *naming, struct syc_texts *texts,
                    struct syc_functions *functions,
                    const struct syscap_profile_options *options);

void syc_naming_fini(struct syc_naming *naming);

/**
 * Read a MAP, FORK, EXIT, OVERLAY, JITMAP, FILE_CHUNK or METADATA frame.
 * Returns 0 or -ENOMEM.
 */
int syc_naming_learn(struct syc_naming *naming, struct syc_processes *processes,
                     const struct syscap_reader *reader,
                     const struct syscap_frame *frame);

/**
 * Read FILE_CHUNK of __symbols__ and JITMAP from the capture's end, ahead of
 * earlier frames.  These names serve until syc_naming_learn() takes the table.
 * Returns 1 after the last chunk, otherwise 0 or -ENOMEM.
 */
int syc_naming_learn_ahead(struct syc_naming *naming,
                           const struct syscap_reader *reader,
                           const struct syscap_frame *frame);

/** Drop the table that was read ahead, if there is one. */
void syc_naming_forget_ahead(struct syc_naming *naming);

/** Set the functions of all locations.  Returns 0 or -ENOMEM. */
int syc_naming_settle(struct syc_naming *naming,
                      const struct syc_processes *processes,
                      struct syc_stacks *stacks);

/**
 *	syc_timed_names_begin(&timed, naming, processes, stacks);
 *	syc_timed_names_apply(&timed, &stack, time);	for each event with a stack
 *	syc_timed_names_end(&timed);
 */
struct syc_timed_names {
	struct syc_naming *naming;
	const struct syc_processes *processes;
	struct syc_stacks *stacks;
	/* Flag of each stack: one of its locations may vary. */
	unsigned char *varies;
	size_t n; /* number of stacks; 0: none varies */
	SYC_ARRAY(uint32_t) path;
};

/** All locations must have names.  Returns 0 or -ENOMEM. */
int syc_timed_names_begin(struct syc_timed_names *timed,
                          struct syc_naming *naming,
                          const struct syc_processes *processes,
                          struct syc_stacks *stacks);

void syc_timed_names_end(struct syc_timed_names *timed);

/** Replace *@stack by the stack as it was at @time.  Returns 0 or -ENOMEM. */
int syc_timed_names_apply(struct syc_timed_names *timed, uint32_t *stack,
                          int64_t time);

#endif
