/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * workspace.h - memory and inputs of one sample.
 *
 * A workspace is too large for a signal stack, so each sampled thread has one.
 * Each thread with runtimes has another, for samples that do not come from
 * ticks.
 */
#ifndef SYC_SAMPLER_WORKSPACE_H
#define SYC_SAMPLER_WORKSPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include <syscap/runtime.h>

#include "emit/stack.h"
#include "sampler/merge.h"

#define SYC_SINK_SCRATCH 16384u

struct syc_runtimes;

/** Library code that waits in place of the program. */
struct syc_library_wait {
	uintptr_t low, high;
	uintptr_t called; /* the function that the program called, or 0 */
	bool is_blocked;  /* the signal is blocked except in the wait */
};

struct syc_sample_options {
	unsigned max_depth;  /* 32 to SYC_STACK_MAX */
	unsigned stacks;     /* enum syscap_sampler_stacks */
	uintptr_t low, high; /* the thread's own stack; equal: not known */
	const struct syc_library_wait *wait; /* interrupted wait, or NULL */
	uint64_t innermost; /* a name to put below all frames, or 0 */
};

/** A provider's walk() puts its frames here. */
struct syscap_stack_sink {
	unsigned n, max;
	bool is_full; /* a frame was refused */
	struct syscap_stack_frame frames[SYC_STACK_MAX];
	char scratch[SYC_SINK_SCRATCH] __attribute__((aligned(16)));
};

struct syc_workspace {
	uintptr_t owner; /* frame address of the call in progress, or 0 */
	uint16_t n_last; /* number of addrs of the last sample; 0: no sample */
	uint16_t last_flags;
	int64_t last_at; /* time at which the thread had this stack */
	uint64_t addrs[SYC_STACK_MAX];
	uintptr_t sps[SYC_STACK_MAX];
	struct syc_merge merge;
	struct syscap_stack_sink sink;
};

/** Reason, time and code position of a sample. */
struct syc_occasion {
	struct syc_runtimes *runtimes;
	const struct syc_sample_options *options;
	const ucontext_t *context; /* NULL: unwind from here */
	uintptr_t cfa;             /* our own frames end here; 0: none */
	struct syscap_regs regs;
	/* The attachment that is at a safe point, or pushes; NULL: a tick
	 */
	struct syscap_attachment *at;
	int64_t now;
	uint32_t weight;
};

/** Size of a struct syc_workspace; an all-zero workspace is ready for use. */
size_t syc_workspace_size(void);

/**
 * Occupy the workspace until syc_workspace_leave().  False: an interrupted call
 * uses the workspace.  @here: an address in the caller's stack frame.
 */
bool syc_workspace_enter(struct syc_workspace *take,
                         const struct syc_sample_options *options,
                         uintptr_t here);
void syc_workspace_leave(struct syc_workspace *take);
bool syc_workspace_is_busy(const struct syc_workspace *take);

#endif
