/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sink.h - where the events of this process go.
 *
 * There are two destinations, the environment's and that of syscap_start(),
 * and one of them is current; struct syc_block says where they are, and which.
 * Both are static in some copy: a forked child has them too.  What is recorded
 * by the process itself has more to say of it: session/session.h.
 */
#ifndef SYC_EMIT_SINK_H
#define SYC_EMIT_SINK_H

#include <stdbool.h>

#include "copies/block.h"

enum syc_sink {
	SYC_SINK_NONE = 0,
	SYC_SINK_CONTROL, /* a recorder's rings: no session of ours */
	SYC_SINK_TRACE,
	SYC_SINK_OUTPUT,
};

struct syc_destination {
	enum syc_sink sink;
};

/** Context of these: any-thread, signal-safe. */

/** The current one is that of syscap_start(). */
static inline bool syc_destination_is_started(void)
{
	return __atomic_load_n(&syc_block->is_started, __ATOMIC_ACQUIRE) != 0;
}

static inline const struct syc_destination *syc_destination_current(void)
{
	return syc_destination_is_started() ? syc_block->started
	                                    : syc_block->environment;
}

static inline enum syc_sink syc_destination_sink(void)
{
	return syc_destination_current()->sink;
}

#endif
