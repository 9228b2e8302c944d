/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_walk.h - the addresses of a capture's stacks, one by one, each with
 * the function it was in.
 *
 * What an address means depends on what stands before it: the first one, one
 * behind a marker of a context, and one behind a function that returns from a
 * signal handler are instructions that were about to run; all others are
 * where a call returns to.
 *
 * Context: offline.
 */
#ifndef SYC_SYMBOLS_STACK_WALK_H
#define SYC_SYMBOLS_STACK_WALK_H

#include "data/array.h"
#include "data/map.h"
#include "symbols/resolver.h"

enum syc_point_kind {
	SYC_POINT_USER,
	SYC_POINT_KERNEL,
	SYC_POINT_JIT,
	SYC_POINT_MARKER
};

/** One address and what it was, in all stacks where it was that. */
struct syc_point {
	int32_t pid;
	uint64_t address;
	bool is_known; /* the symbol counts */
	struct syc_symbol symbol;
	uint64_t n; /* how often */
};

struct syc_stack_walk {
	struct syc_symbols *symbols;
	struct syc_map by_query; /* of those that are the same at any time */
	SYC_ARRAY(size_t) of_query;
	struct syc_map by_answer; /* all points */
	SYC_ARRAY(struct syc_point) points;
};

/** Where in @frame address @i is, in bytes. */
size_t syc_stack_walk_at(const struct syscap_frame *frame, unsigned i);

/**
 * Call @each for all addresses of @frame; @point is a number in points where
 * the kind is SYC_POINT_USER.  0, -ENOMEM, or what @each returned below 0.
 */
int syc_stack_walk(struct syc_stack_walk *walk,
                   const struct syscap_reader *reader,
                   const struct syscap_frame *frame,
                   int (*each)(void *data, unsigned i, uint64_t address,
                               enum syc_point_kind kind, size_t point),
                   void *data);

void syc_stack_walk_fini(struct syc_stack_walk *walk);

#endif
