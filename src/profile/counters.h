/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters.h - the counters of a capture, and what they were set to.
 *
 * A counter is an id of one process, whether that process defines it, sets it
 * or both.  A definition may stand behind the values that it is for, so whose
 * definition each counter goes by is found when the profile is settled.
 */
#ifndef SYC_PROFILE_COUNTERS_H
#define SYC_PROFILE_COUNTERS_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "data/array.h"
#include "data/map.h"
#include "profile/texts.h"

/** A row of each array is one value. */
struct syc_values {
	SYC_ARRAY(int64_t) times;
	SYC_ARRAY(uint64_t) bits;
	SYC_ARRAY(uint32_t) counters;
	SYC_ARRAY(uint32_t) threads;
};

/** All zero is empty. */
struct syc_counters {
	struct syc_map by_key;      /* process and id */
	struct syc_map by_id;       /* of definitions */
	SYC_ARRAY(uint32_t) latest; /* that was defined, by number in by_id */
	SYC_ARRAY(struct syscap_profile_counter) items;
	struct syc_values values;
};

void syc_counters_fini(struct syc_counters *counters);

/** All definitions of a CTRDEF of @process.  0 or -ENOMEM. */
int syc_counters_define(struct syc_counters *counters, struct syc_texts *texts,
                        const struct syscap_reader *reader,
                        const struct syscap_frame *frame, uint32_t process);

/** All values of a CTRSET of @thread, which is of @process: each is counted,
 * and kept if it @keeps them.  0 or -ENOMEM. */
int syc_counters_set(struct syc_counters *counters,
                     const struct syscap_reader *reader,
                     const struct syscap_frame *frame, uint32_t process,
                     uint32_t thread, bool keeps);

/** The number of a counter that there is. */
uint32_t syc_counters_find(const struct syc_counters *counters,
                           uint32_t process, uint32_t id);

/** Whose definition each goes by.  0 or -ENOMEM. */
int syc_counters_settle(struct syc_counters *counters);

#endif
