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

/** Code of ours that waits for the program. */
struct syc_library_wait {
	uintptr_t low, high;
	uintptr_t called; /* the function that the program meant, or 0 */
	bool is_blocked;  /* the program blocks the tick's signal outside */
};

struct syc_sample_options {
	unsigned max_depth;  /* 32 to SYC_STACK_MAX */
	unsigned stacks;     /* enum syscap_sampler_stacks */
	uintptr_t low, high; /* the thread's own stack; equal: not known */
	const struct syc_library_wait *wait; /* that the tick cut, or NULL */
	uint64_t innermost; /* a name to put below all frames, or 0 */
};

/** A provider's walk() puts its frames here. */
struct syscap_stack_sink {
	unsigned n, max;
	bool is_full; /* one was refused */
	struct syscap_stack_frame frames[SYC_STACK_MAX];
	char scratch[SYC_SINK_SCRATCH] __attribute__((aligned(16)));
};

struct syc_workspace {
	uintptr_t owner; /* where the call that uses it has its frame, or 0 */
	uint16_t n_last; /* addrs of the last sample; 0: there is none */
	uint16_t last_flags;
	int64_t last_at; /* when the thread had that stack */
	uint64_t addrs[SYC_STACK_MAX];
	uintptr_t sps[SYC_STACK_MAX];
	struct syc_merge merge;
	struct syscap_stack_sink sink;
};

/** Reason, time and place of a sample. */
struct syc_occasion {
	struct syc_runtimes *runtimes;
	const struct syc_sample_options *options;
	const ucontext_t *context; /* NULL: unwind from here */
	uintptr_t cfa;             /* frames of ours end here; 0: none */
	struct syscap_regs regs;
	/* The attachment whose safe point this is, or that pushes; NULL: a tick
	 */
	struct syscap_attachment *at;
	int64_t now;
	uint32_t weight;
};

/** Bytes that a struct syc_workspace needs; all zero is one that is ready. */
size_t syc_workspace_size(void);

/**
 * The workspace is the caller's until syc_workspace_leave().  False: an
 * interrupted call has it. @here: an address in the caller's stack frame.
 */
bool syc_workspace_enter(struct syc_workspace *take,
                         const struct syc_sample_options *options,
                         uintptr_t here);
void syc_workspace_leave(struct syc_workspace *take);
bool syc_workspace_is_busy(const struct syc_workspace *take);

#endif
