/* SPDX-License-Identifier: BSD-2-Clause */
/* sink.h - where a provider's walk() puts its frames. */
#ifndef SYC_SINK_H
#define SYC_SINK_H

#include <stdbool.h>

#include <syscap/runtime.h>

#include "emit/stack.h"

#define SYC_SINK_SCRATCH 16384u

struct syscap_stack_sink {
	unsigned n, max;
	bool is_full; /* one was refused */
	struct syscap_stack_frame frames[SYC_STACK_MAX];
	char scratch[SYC_SINK_SCRATCH] __attribute__((aligned(16)));
};

#endif
