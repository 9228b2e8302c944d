/* SPDX-License-Identifier: BSD-2-Clause */
/* profile.h - what a profile is made of, for the files that make it. */
#ifndef SC_PROFILE_PROFILE_H
#define SC_PROFILE_PROFILE_H

#include <syscap/profile.h>

#include "data/array.h"
#include "profile/allocations.h"
#include "profile/functions.h"
#include "profile/marks.h"
#include "profile/naming.h"
#include "profile/stacks.h"
#include "profile/texts.h"
#include "profile/who.h"

/** A row of each array is one sample. */
struct sc_samples {
	SC_ARRAY(int64_t) times;
	SC_ARRAY(uint32_t) threads;
	SC_ARRAY(uint32_t) stacks;
	SC_ARRAY(uint32_t) ticks;
};

struct syscap_profile {
	unsigned parts;
	struct sc_texts texts;
	struct sc_functions functions;
	struct sc_who who;
	struct sc_stacks stacks;
	struct sc_naming naming;
	struct sc_samples samples;
	struct sc_marks marks;
	struct sc_allocations allocations;
	SC_ARRAY(struct syscap_profile_loss) losses;
	struct syscap_profile_span span;
	bool has_span, is_foreign;
	uint64_t position;          /* in the file, of the next frame */
	enum syscap_view_unit unit; /* of samples, when it was settled */
};

#endif
