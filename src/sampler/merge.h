/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merge.h - merge of native frames and frames of runtimes into one stack.
 *
 * The merge begins with the native frames, and inserts each runtime's frames
 * among them, the newest attached runtime first.  All lists are innermost
 * first.  Each frame has an address in the machine's stack: its own, or the
 * address of the adjacent frame.
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
	unsigned gap; /* frames are missing before this index; 0: none */
	struct syc_merge_entry list[2 * SYC_STACK_MAX];
};

/** Frames of one runtime: @n, at most SYC_STACK_MAX over all runtimes. */
struct syc_merge_run {
	const struct syscap_stack_frame *frames;
	unsigned n;
	uint16_t from;
	bool is_whole; /* includes the outermost frame */
};

/** Begin with @n native frames; @gap as in struct syc_merge. */
void syc_merge_begin(struct syc_merge *merge, const uint64_t *addrs,
                     const uintptr_t *sps, unsigned n, unsigned gap);

/** Insert frames in the order of addresses: a smaller address is younger, and a
 * native frame precedes frames of equal address.
 */
void syc_merge_by_sp(struct syc_merge *merge, const struct syc_merge_run *run);

/**
 * Replace the k-th native frame in [@low, @high) by the k-th part of the run
 * that ends in an ENTRY.  If native frames are missing, the frames after the
 * gap are counted from the outermost frame.  Parts without a native frame go
 * into the gap; without a gap, to the place that syc_merge_before() uses.
 */
void syc_merge_by_entry(struct syc_merge *merge,
                        const struct syc_merge_run *run, uintptr_t low,
                        uintptr_t high, uintptr_t boundary);

/** Insert the run before the first frame whose address is not below
 * @boundary. */
void syc_merge_before(struct syc_merge *merge, const struct syc_merge_run *run,
                      uintptr_t boundary);

/** syc_merge_before() that also removes the native frames inside of this
 * place. */
void syc_merge_innermost(struct syc_merge *merge,
                         const struct syc_merge_run *run, uintptr_t boundary);

/** Remove the native frames. */
void syc_merge_drop_native(struct syc_merge *merge);

/** Cut to @max frames, including the outermost 16.  True: frames were
 * removed. */
bool syc_merge_cut(struct syc_merge *merge, unsigned max);

#endif
