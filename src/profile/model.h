/* SPDX-License-Identifier: BSD-2-Clause */
/* model.h - what a profile is made of, for the files that make it. */
#ifndef SYC_PROFILE_MODEL_H
#define SYC_PROFILE_MODEL_H

#include <syscap/profile.h>

#include "data/array.h"
#include "profile/allocations.h"
#include "profile/counters.h"
#include "profile/functions.h"
#include "profile/logs.h"
#include "profile/marks.h"
#include "profile/naming.h"
#include "profile/parts.h"
#include "profile/stacks.h"
#include "profile/texts.h"
#include "profile/who.h"

/** A row of each array is one sample. */
struct syc_samples {
	SYC_ARRAY(int64_t) times;
	SYC_ARRAY(uint32_t) threads;
	SYC_ARRAY(uint32_t) stacks;
	SYC_ARRAY(uint32_t) ticks;
};

struct syscap_profile {
	unsigned wanted; /* enum syscap_profile_parts */
	struct syc_texts texts;
	struct syc_functions functions;
	struct syc_who who;
	struct syc_stacks stacks;
	struct syc_naming naming;
	struct syc_samples samples;
	SYC_ARRAY(struct syscap_profile_wait) waits;
	struct syc_marks marks;
	struct syc_parts parts;
	struct syc_counters counters;
	struct syc_logs logs;
	struct syc_allocations allocations;
	SYC_ARRAY(struct syscap_profile_loss) losses;
	struct syscap_profile_span span;
	bool has_span, is_foreign;
	bool is_once, is_sealed;    /* nothing comes any more */
	bool is_walk;               /* events only tell of who */
	uint64_t position;          /* in the file, of the next frame */
	enum syscap_view_unit unit; /* of samples, when it was settled */
};

#endif
