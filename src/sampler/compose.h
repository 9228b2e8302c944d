/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compose.h - one sample of the calling thread.  The thread's native stack and
 * the stacks of attached runtimes are merged, named and emitted, or kept until
 * handles have names.
 */
#ifndef SYC_SAMPLER_COMPOSE_H
#define SYC_SAMPLER_COMPOSE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include <syscap/runtime.h>

#include "emit/sample.h"
#include "sampler/machine.h"
#include "unwind/unwind.h"

/*
 * Merge of native frames and frames of runtimes into one stack.
 *
 * The merge begins with the native frames.  The merge then inserts each
 * runtime's frames among the native frames, the newest attached runtime first.
 * All lists are innermost first.  Each frame has an address in the machine's
 * stack: its own, or the address of the adjacent frame.
 */

#define SYC_MERGE_ROOTS 16u /* outermost frames that a cut keeps */

struct syc_merge_entry {
	uint64_t value;
	uintptr_t sp;
	uint16_t kind; /* enum syscap_call_kind */
	uint16_t from; /* 1 + index of the attachment, or 0 if native */
};

struct syc_merge {
	unsigned n;
	unsigned gap; /* index of the first frame after missing frames, or 0 */
	struct syc_merge_entry list[2 * SYC_STACK_MAX];
};

/** Frames of one runtime: @n, at most SYC_STACK_MAX over all runtimes. */
struct syc_merge_run {
	const struct syscap_stack_frame *frames;
	unsigned n;
	uint16_t from;
	bool is_whole; /* includes the outermost frame */
};

/** Begin with @n native frames, and @gap as in struct syc_merge. */
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
 * into the gap.  Without a gap, parts without a native frame go to the place
 * that syc_merge_before() uses.
 */
void syc_merge_by_entry(struct syc_merge *merge,
                        const struct syc_merge_run *run, uintptr_t low,
                        uintptr_t high, uintptr_t boundary);

/** Insert the run before the first frame whose address is at least
 * @boundary. */
void syc_merge_before(struct syc_merge *merge, const struct syc_merge_run *run,
                      uintptr_t boundary);

/** Like syc_merge_before(), but remove the native frames inside of the run's
 * place. */
void syc_merge_innermost(struct syc_merge *merge,
                         const struct syc_merge_run *run, uintptr_t boundary);

/** Remove the native frames. */
void syc_merge_drop_native(struct syc_merge *merge);

/** Keep at most @max frames, including the outermost 16.  Returns whether
 * frames were removed. */
bool syc_merge_cut(struct syc_merge *merge, unsigned max);

/*
 * Memory and inputs of one sample.
 *
 * A workspace is too large for a signal stack, so each sampled thread has one.
 * Each thread with runtimes has another workspace, for samples outside of
 * ticks.
 */

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
	uintptr_t low, high; /* the thread's own stack; equal if unknown */
	const struct syc_library_wait *wait; /* interrupted wait, or NULL */
	uint64_t innermost; /* a name for an additional innermost frame, or 0 */
};

/** A provider's walk() stores its frames here. */
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
	/* Time at which the thread had this stack.  Before the first tick: the
	 * time of the thread's start, which another thread may load */
	int64_t last_at;
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
	uintptr_t cfa;             /* end of the library's frames; 0: none */
	struct syscap_regs regs;
	/* The attachment that is at a safe point, or pushes a stack, or NULL
	 * for a tick
	 */
	struct syscap_attachment *at;
	int64_t now;
	uint32_t weight;
};

/** Return the size of a struct syc_workspace.  A zero-initialized workspace is
 * ready for use. */
size_t syc_workspace_size(void);

/**
 * Occupy the workspace until syc_workspace_leave().  Returns false if an
 * interrupted call uses the workspace.  @here is an address in the caller's
 * stack frame.
 */
bool syc_workspace_enter(struct syc_workspace *take,
                         const struct syc_sample_options *options,
                         uintptr_t here);
void syc_workspace_leave(struct syc_workspace *take);
bool syc_workspace_is_busy(const struct syc_workspace *take);

/*
 * Registers of the machine in the providers' form.
 */

/**
 * Sample the calling thread, which the signal of @context interrupted at @now.
 * The sample represents @weight ticks.
 *
 * Returns the flags of the sample (SYSCAP_STACK_*), or -EBUSY: an interrupted
 * call uses @take, and no sample was taken.
 *
 * Context: signal-safe, by the thread that has @take.
 */
int syc_compose_tick(struct syc_workspace *take,
                     const struct syc_sample_options *options,
                     const ucontext_t *context, int64_t now, uint32_t weight);

/**
 * Sample a thread with runtimes, between syc_workspace_enter() and
 * syc_workspace_leave().  Returns SYSCAP_STACK_*.
 *
 * Context: signal-safe, by the thread that has @take.
 */
unsigned syc_compose(struct syc_workspace *take,
                     const struct syc_occasion *occasion);

/** Drop the frames of a @wait that a tick interrupted.  A frame of
 * @wait->called replaces the frames of the system call and of the library.  If
 * @wait is NULL, the tick interrupted no wait.  Context: any-thread,
 * signal-safe. */
void syc_library_wait_drop_frames(struct syc_unwind *unwind,
                                  const struct syc_library_wait *wait);

#endif
