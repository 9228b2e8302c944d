/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merge.h - native frames and those of runtimes into one stack.
 *
 * Begins with the native frames; then each runtime's are put among what is
 * there, the newest attached first.  Everything is innermost first, and has
 * an address in the machine's stack by which it stands: its own, or that of
 * what it was put beside.
 */
#ifndef SC_MERGE_H
#define SC_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/runtime.h>

#include "client/stack.h"

#define SC_MERGE_ROOTS 16u /* outermost frames that a cut leaves */

struct sc_merge_entry {
	uint64_t value;
	uintptr_t sp;
	uint16_t kind; /* enum syscap_call_kind */
	uint16_t from; /* 0: native; else 1 + index of the attachment */
};

struct sc_merge {
	unsigned n;
	unsigned gap; /* frames are missing in front of this one; 0: none */
	struct sc_merge_entry list[2 * SC_STACK_MAX];
};

/** Frames of one runtime: @n, at most SC_STACK_MAX over all runtimes. */
struct sc_merge_run {
	const struct syscap_stack_frame *frames;
	unsigned n;
	uint16_t from;
	bool is_whole; /* the outermost frame is there */
};

/** Begin with @n native frames; @gap as in struct sc_merge. */
void sc_merge_begin(struct sc_merge *merge, const uint64_t *addrs,
                    const uintptr_t *sps, unsigned n, unsigned gap);

/** By address: smaller is younger, native before equal ones. */
void sc_merge_by_sp(struct sc_merge *merge, const struct sc_merge_run *run);

/**
 * The k-th native frame in [@low, @high) makes way for the k-th part of the
 * run that ends in an ENTRY.  Where native frames are missing, those behind
 * the gap are counted from the outermost.  Parts without a native frame go
 * into the gap; without a gap, where sc_merge_before() has them.
 */
void sc_merge_by_entry(struct sc_merge *merge, const struct sc_merge_run *run,
                       uintptr_t low, uintptr_t high, uintptr_t boundary);

/** In front of the first frame whose address is not below @boundary. */
void sc_merge_before(struct sc_merge *merge, const struct sc_merge_run *run,
                     uintptr_t boundary);

/** Take the native frames out. */
void sc_merge_drop_native(struct sc_merge *merge);

/** To @max frames, the outermost 16 among them.  True: there were more. */
bool sc_merge_cut(struct sc_merge *merge, unsigned max);

#endif
