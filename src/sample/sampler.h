/* SPDX-License-Identifier: BSD-2-Clause */
/* sampler.h - begin and end sampling. */
#ifndef SYC_SAMPLE_SAMPLER_H
#define SYC_SAMPLE_SAMPLER_H

#include <stdbool.h>

#include <syscap/sampler.h>

/**
 * syscap_sampler_start(), all of @options being there; @with_children: those
 * that fork() makes are sampled too.
 *
 * Context: setup, any thread.
 */
int syc_sampler_begin(struct syscap_sampler_options *options,
                      bool with_children);

/** syscap_sampler_stop().  Context: setup, any thread. */
int syc_sampler_end(void);

/** Children are to be looked after.  Context: setup, once. */
void syc_sampler_watch_forks(void);

#endif
