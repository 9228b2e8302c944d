/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process_maps.h - what each process of a capture had mapped, and when.
 *
 * A MAP counts from its time on, until another covers it; where none is as
 * old, the first later one counts, since recorders tell about a library when
 * they see it.  After EXIT the number is another process's.  A child has, at
 * first, what its parent had when it forked.
 *
 * Context of all: offline.
 */
#ifndef SYC_SYMBOLS_PROCESS_MAPS_H
#define SYC_SYMBOLS_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/array.h"
#include "data/map.h"

struct syc_process_map {
	uint64_t begin, end, offset, inode;
	int64_t time;
	const char *path, *build_id; /* the caller's; "": none */
	void *found;                 /* the caller's, NULL at first */
};

/** All zero: none. */
struct syc_process_maps {
	struct syc_map by_pid;
	SYC_ARRAY(struct syc_mapped_process *) processes;
	bool is_sorted;
};

/* 0 or -ENOMEM. */
int syc_process_maps_add(struct syc_process_maps *processes, int32_t pid,
                         const struct syc_process_map *map);
int syc_process_maps_fork(struct syc_process_maps *processes, int32_t parent,
                          int32_t child, int64_t time);
int syc_process_maps_exit(struct syc_process_maps *processes, int32_t pid,
                          int64_t time);

/** All frames were seen.  0 or -ENOMEM. */
int syc_process_maps_settle(struct syc_process_maps *processes);

/**
 * The mapping that @address was in; NULL: none.  *@ret_is_always: the answer
 * is the same at any time.
 */
struct syc_process_map *
syc_process_maps_find(const struct syc_process_maps *processes, int32_t pid,
                      uint64_t address, int64_t time, bool *ret_is_always);

void syc_process_maps_fini(struct syc_process_maps *processes);

#endif
