/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unsampled.h - whether the environment asks for samples and nobody in the
 * process takes any.  The sampler is not this layer's: it knows the
 * variable's name, and the note of an object that has a sampler.
 */
#ifndef SYC_UNSAMPLED_H
#define SYC_UNSAMPLED_H

#include <stdbool.h>

/** Look, and say so under SYSCAP_DEBUG.  Context: setup, once. */
void syc_unsampled_look(void);

/** What syc_unsampled_look() found, and nobody samples by now.  Context: any-thread, signal-safe. */
bool syc_unsampled_is(void);

#endif
