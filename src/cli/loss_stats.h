/* SPDX-License-Identifier: BSD-2-Clause */
/* loss_stats.h - loss records: what a capture says about frames it misses. */
#ifndef SYC_CLI_LOSS_STATS_H
#define SYC_CLI_LOSS_STATS_H

#include <syscap/capture.h>

#include "capture/losses.h"
#include "data/array.h"
#include "data/map.h"

struct syc_thread_loss {
	int32_t pid, tid; /* tid -1: not said */
	uint64_t frames, bytes;
	int64_t from, to;
};

/** All zero is empty. */
struct syc_loss_stats {
	struct syc_loss sum; /* its tid means nothing */
	struct syc_map by_thread;
	SYC_ARRAY(struct syc_thread_loss) threads;
};

void syc_loss_stats_fini(struct syc_loss_stats *losses);

/** Take in @loss, which @frame told.  0 or -ENOMEM. */
int syc_loss_stats_add(struct syc_loss_stats *losses,
                       const struct syscap_frame *frame,
                       const struct syc_loss *loss);

/** Sort by pid and tid. */
void syc_loss_stats_finish(struct syc_loss_stats *losses);

/** Where the mark @frame ends; the sum never wraps. */
int64_t syc_loss_stats_mark_end(const struct syscap_frame *frame);

#endif
