/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * toggle.h - sampling that a signal begins and ends.
 *
 * Its handler only counts, and wakes a thread, "syscap-toggle", which does
 * it.  A forked child has no such thread: there the signal does nothing.
 */
#ifndef SYC_SAMPLE_TOGGLE_H
#define SYC_SAMPLE_TOGGLE_H

#include <syscap/sampler.h>

/**
 * Have @signal begin sampling by @options, and end it, in turn.  NULL, or a
 * sentence: why not.
 *
 * Context: setup, once.
 */
const char *syc_toggle_install(int signal,
                               const struct syscap_sampler_options *options);

#endif
