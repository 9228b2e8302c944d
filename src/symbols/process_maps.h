/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process_maps.h - mappings of each process of a capture, by time.
 *
 * A MAP is valid from its time until another MAP covers it.  If no MAP is old
 * enough, the first later MAP is valid, because recorders report a library
 * late.  After EXIT, the pid belongs to another process.  A child starts with
 * the mappings that its parent had at the fork.
 *
 * A process that unloads libraries writes METADATA syscap.unmapped.  These
 * METADATA frames divide the time of an address into parts, and a MAP is valid
 * in its own part.  In each part, the MAP that the process wrote applies, or
 * else the first MAP.  Other MAPs are from recorders, which read late.  The
 * stored end of a part may be earlier than the end itself.
 *
 * Context of all functions: offline.
 */
#ifndef SYC_SYMBOLS_PROCESS_MAPS_H
#define SYC_SYMBOLS_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "common/containers.h"

#define SYC_UNMAPPED_ID "syscap.unmapped"

struct syc_process_map {
	uint64_t begin, end, offset, inode;
	int64_t time;
	/* Path, owned by the caller, or NULL for the end of a mapping. */
	const char *path;
	const char *build_id; /* build-id, owned by the caller, or "" */
	void *found;          /* data of the caller, initially NULL */
	bool is_from_process; /* the recorded process wrote the MAP */
};

/** The mappings.  A zero-initialized struct has none. */
struct syc_process_maps {
	struct syc_map by_pid;
	SYC_ARRAY(struct syc_mapped_process *) processes;
	bool is_sorted;
};

/* Add a mapping.  Returns 0 or -ENOMEM. */
int syc_process_maps_add(struct syc_process_maps *processes, int32_t pid,
                         const struct syc_process_map *map);

int syc_process_maps_fork(struct syc_process_maps *processes, int32_t parent,
                          int32_t child, int64_t time);

int syc_process_maps_exit(struct syc_process_maps *processes, int32_t pid,
                          int64_t time);

/**
 * Add METADATA syscap.unmapped with the text "START-END" or "all", and ignore
 * other texts.  Returns 0 or -ENOMEM.
 */
int syc_process_maps_unmap(struct syc_process_maps *processes,
                           const struct syscap_frame *frame);

/**
 * Parse the text of METADATA syscap.unmapped, a range of addresses, or "all".
 * Returns false if the text is malformed.
 */
bool syc_process_maps_parse_range(const char *what, uint64_t *ret_begin,
                                  uint64_t *ret_end);

/** Prepare for queries, after the addition of all frames.  Returns 0 or
 * -ENOMEM. */
int syc_process_maps_settle(struct syc_process_maps *processes);

/**
 * Return the mapping that contained @address, or NULL.  *@ret_is_always becomes
 * true if the answer is the same at any time.
 */
struct syc_process_map *
syc_process_maps_find(const struct syc_process_maps *processes, int32_t pid,
                      uint64_t address, int64_t time, bool *ret_is_always);

void syc_process_maps_fini(struct syc_process_maps *processes);

#endif
