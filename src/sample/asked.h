/* SPDX-License-Identifier: BSD-2-Clause */
/* asked.h - what the environment asks the sampler for. */
#ifndef SYC_ASKED_H
#define SYC_ASKED_H

#include <syscap/sampler.h>

/**
 * Read "HZ[,auto|cpu|wall|perf][,signal=N|prof]", the words in any order,
 * into @options.  Returns NULL, or a sentence: what is wrong.
 */
const char *syc_asked_parse(const char *text,
                            struct syscap_sampler_options *options);

/** The number of a signal in @text, or -1. */
int syc_asked_parse_signal(const char *text);

#endif
