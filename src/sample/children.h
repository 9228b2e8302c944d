/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * children.h - what forked children take over: kept in memory that they
 * inherit, for the sampler's own (state.h) is zeroed there.
 */
#ifndef SYC_SAMPLE_CHILDREN_H
#define SYC_SAMPLE_CHILDREN_H

#include <stdbool.h>

/** Children are sampled as this process is, if @are_wanted.  The caller holds
 * `life`. */
void syc_children_remember(bool are_wanted);

/** The signal is another one now, for them too.  The caller changed it. */
void syc_children_note_signal(void);

/** Whether a filter came, which they inherit: they make no timer. */
void syc_children_note_filter(bool is_there);

/** Children are not sampled. */
void syc_children_forget(void);

/**
 * In a child, whose sampler's state is zero: take over what was remembered, and
 * the claim.  False: it is not to be sampled, or can't be.
 */
bool syc_children_take_over(void);

#endif
