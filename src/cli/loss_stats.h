/* SPDX-License-Identifier: BSD-2-Clause */
/* loss_stats.h - loss records: what a capture says about frames it misses. */
#ifndef SC_CLI_LOSS_STATS_H
#define SC_CLI_LOSS_STATS_H

#include <syscap/capture.h>

#include "capture/losses.h"
#include "data/array.h"
#include "data/map.h"

struct sc_thread_loss {
	int32_t pid, tid; /* tid -1: not said */
	uint64_t frames, bytes;
	int64_t from, to;
};

/** All zero is empty. */
struct sc_loss_stats {
	struct sc_loss sum; /* its tid means nothing */
	struct sc_map by_thread;
	SC_ARRAY(struct sc_thread_loss) threads;
};

void sc_loss_stats_fini(struct sc_loss_stats *losses);

/** Take in @loss, which @frame told.  0 or -ENOMEM. */
int sc_loss_stats_add(struct sc_loss_stats *losses,
                      const struct syscap_frame *frame,
                      const struct sc_loss *loss);

/** Sort by pid and tid. */
void sc_loss_stats_finish(struct sc_loss_stats *losses);

/** Where the mark @frame ends; the sum never wraps. */
int64_t sc_loss_stats_mark_end(const struct syscap_frame *frame);

#endif
