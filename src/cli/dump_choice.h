/* SPDX-License-Identifier: BSD-2-Clause */
/* dump_choice.h - which frames `syscap dump` shows, in which order, and what
 * their addresses are. */
#ifndef SYC_CLI_DUMP_CHOICE_H
#define SYC_CLI_DUMP_CHOICE_H

#include "cli/filter_options.h"
#include "data/array.h"

/* A frame that is shown later. */
struct syc_dump_noted {
	int64_t time;
	uint64_t offset;
	uint32_t stack;
};

/** All zero: all frames, without names. */
struct syc_dump_choice {
	struct syscap_profile *profile;
	struct syscap_view *view;
	const struct syscap_filter *filter;
	size_t n_samples, n_waits, n_allocations; /* asked about */
	SYC_ARRAY(struct syc_dump_noted) noted;
};

/**
 * Read @reader, which is rewound, with the names that the capture has.  0;
 * -ENOMEM; -EINVAL with the reason: no such marks.  To be ended in any case.
 */
int syc_dump_choice_init(struct syc_dump_choice *choice,
                         struct syscap_reader *reader,
                         struct syc_filter_options *options,
                         struct syscap_error *error);
void syc_dump_choice_fini(struct syc_dump_choice *choice);

/**
 * Is @frame shown?  To be asked of each that the reader returns, in the order
 * of the file.  Its stack, or NONE.
 */
bool syc_dump_choice_has(struct syc_dump_choice *choice,
                         const struct syscap_frame *frame, uint32_t *ret_stack);

/** To show it later.  0 or -ENOMEM. */
int syc_dump_choice_note(struct syc_dump_choice *choice,
                         const struct syscap_frame *frame, uint32_t stack);

/** By time; equal ones by their place in the file. */
void syc_dump_choice_sort(struct syc_dump_choice *choice);

#endif
