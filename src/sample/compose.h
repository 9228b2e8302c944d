/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compose.h - a sample of a thread that has runtimes: providers are asked,
 * the native stack is unwound, both are merged and emitted, or kept until
 * handles have names.
 */
#ifndef SYC_COMPOSE_H
#define SYC_COMPOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "sample/attach.h"
#include "sample/merge.h"
#include "sample/sink.h"

struct syc_take {
	uintptr_t owner; /* where the call that uses it has its frame, or 0 */
	uint64_t addrs[SYC_STACK_MAX];
	uintptr_t sps[SYC_STACK_MAX];
	struct syc_merge merge;
	struct syscap_stack_sink sink;
};

/** Why, when and where a sample is taken. */
struct syc_occasion {
	struct syc_runtimes *runtimes;
	const struct syc_take_options *options;
	const ucontext_t *context; /* NULL: unwind from here */
	uintptr_t cfa;             /* frames of ours end here; 0: none */
	struct syscap_regs regs;
	/* Whose safe point this is, or who pushes; NULL: a tick */
	struct syscap_attachment *at;
	int64_t now;
	uint32_t weight;
};

/**
 * @take is ours until syc_take_leave().  False: an interrupted call has it.
 * @here: an address in the caller's stack frame.
 */
bool syc_take_enter(struct syc_take *take,
                    const struct syc_take_options *options, uintptr_t here);
void syc_take_leave(struct syc_take *take);
bool syc_take_is_busy(const struct syc_take *take);

/**
 * Between syc_take_enter() and syc_take_leave().  Returns SYSCAP_STACK_*.
 *
 * Context: signal-safe, by the thread that has @take.
 */
unsigned syc_compose(struct syc_take *take,
                     const struct syc_occasion *occasion);

#endif
