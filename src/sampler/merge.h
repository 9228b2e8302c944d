/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merge.h - native frames and those of runtimes into one stack.
 *
 * Begins with the native frames; then each runtime's are put among what is
 * there, the newest attached first.  Everything is innermost first.  Each frame
 * has an address in the machine's stack: its own, or that of the frame beside
 * it.
 */
#ifndef SYC_SAMPLER_MERGE_H
#define SYC_SAMPLER_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/runtime.h>

#include "emit/stack.h"

#define SYC_MERGE_ROOTS 16u /* outermost frames that a cut leaves */

struct syc_merge_entry {
	uint64_t value;
	uintptr_t sp;
	uint16_t kind; /* enum syscap_call_kind */
	uint16_t from; /* 0: native; else 1 + index of the attachment */
};

struct syc_merge {
	unsigned n;
	unsigned gap; /* frames are missing in front of this one; 0: none */
	struct syc_merge_entry list[2 * SYC_STACK_MAX];
};

/** Frames of one runtime: @n, at most SYC_STACK_MAX over all runtimes. */
struct syc_merge_run {
	const struct syscap_stack_frame *frames;
	unsigned n;
	uint16_t from;
	bool is_whole; /* the outermost frame is there */
};

/** Begin with @n native frames; @gap as in struct syc_merge. */
void syc_merge_begin(struct syc_merge *merge, const uint64_t *addrs,
                     const uintptr_t *sps, unsigned n, unsigned gap);

/** Frames are ordered by address: smaller is younger, native before equal ones.
 */
void syc_merge_by_sp(struct syc_merge *merge, const struct syc_merge_run *run);

/**
 * The k-th native frame in [@low, @high) makes way for the k-th part of the run
 * that ends in an ENTRY.  If native frames are missing, those behind the gap
 * are counted from the outermost.  Parts without a native frame go into the
 * gap; without a gap, where syc_merge_before() has them.
 */
void syc_merge_by_entry(struct syc_merge *merge,
                        const struct syc_merge_run *run, uintptr_t low,
                        uintptr_t high, uintptr_t boundary);

/** The part goes in front of the first frame whose address is not below
 * @boundary. */
void syc_merge_before(struct syc_merge *merge, const struct syc_merge_run *run,
                      uintptr_t boundary);

/** The same, and the native frames inside of that place are left out. */
void syc_merge_innermost(struct syc_merge *merge,
                         const struct syc_merge_run *run, uintptr_t boundary);

/** Take the native frames out. */
void syc_merge_drop_native(struct syc_merge *merge);

/** Cuts to @max frames, the outermost 16 among them.  True: there were more. */
bool syc_merge_cut(struct syc_merge *merge, unsigned max);

#endif
