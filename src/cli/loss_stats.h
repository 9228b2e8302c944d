/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loss_stats.h - loss records: what a capture says about frames it misses.
 *
 * A loss record is a MARK of group "syscap" and name "lost", from the time
 * of the first lost frame to that of the last, with a message like
 *
 *	frames=12 bytes=1248 tid=4711 mark=10 ctrset=2
 */
#ifndef SC_CLI_LOSS_STATS_H
#define SC_CLI_LOSS_STATS_H

#include <syscap/capture.h>

#include "data/array.h"
#include "data/map.h"

/** By frame type; 0 is `abandoned`, an emit that never finished. */
#define SC_LOSS_TYPES SYSCAP_FRAME_LAST

struct sc_loss {
	uint64_t frames, bytes;
	int32_t tid; /* -1: no thread, or not known which */
	uint64_t by_type[SC_LOSS_TYPES];
};

struct sc_thread_loss {
	int32_t pid, tid;
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

/** Is @frame named as a loss record is?  Its message may still be wrong. */
bool sc_loss_stats_is_record(const struct syscap_frame *frame);

/** Read the message of a loss record; false when it is not one. */
bool sc_loss_stats_parse(const char *message, struct sc_loss *ret_loss);

/** Take in @loss, which @frame told.  0 or -ENOMEM. */
int sc_loss_stats_add(struct sc_loss_stats *losses,
                      const struct syscap_frame *frame,
                      const struct sc_loss *loss);

/** Sort by pid and tid. */
void sc_loss_stats_finish(struct sc_loss_stats *losses);

/** The name of a kind of loss, as it stands in a record; NULL if none. */
const char *sc_loss_stats_type_name(unsigned type);

/** Where the mark @frame ends; the sum never wraps. */
int64_t sc_loss_stats_mark_end(const struct syscap_frame *frame);

#endif
