/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parts.h - marks that belong together, as docs/marks.md has it: parts of one
 * operation, ends of one arrow.
 */
#ifndef SYC_PROFILE_PARTS_H
#define SYC_PROFILE_PARTS_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "data/array.h"
#include "profile/marks.h"
#include "profile/who.h"

/** All zero is empty. */
struct syc_parts {
	SYC_ARRAY(struct syscap_profile_part) items;
	SYC_ARRAY(struct syscap_profile_operation) operations;
	SYC_ARRAY(struct syscap_profile_arrow) arrows;
	size_t n_settled;
	struct syscap_profile_span span; /* that they were settled for */
};

void syc_parts_fini(struct syc_parts *parts);

/** Does @message say that its mark is a part of something, and what? */
bool syc_part_read(const char *message, struct syscap_profile_part *ret_part);

/** Which belong together.  0 or -ENOMEM. */
int syc_parts_settle(struct syc_parts *parts, const struct syc_marks *marks,
                     const struct syc_who *who,
                     const struct syscap_profile_span *span);

#endif
