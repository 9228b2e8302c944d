/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * handover.h - the preloaded sampler leaves sampling to a library that is loaded
 * later and has a sampler of its own: providers of runtimes' frames are
 * attached to that one (an extension module of a script's runtime, say).
 *
 *	who yields                          who is loaded
 *	block->sampler_yields = 1
 *	                                    start: -EALREADY
 *	                                    block->sampler_wanted = 1
 *	its watcher sees that, stops,
 *	gives the claim back
 *	block->sampler_yields = 0  ───────▶ waits for this, starts
 */
#ifndef SYC_SAMPLE_HANDOVER_H
#define SYC_SAMPLE_HANDOVER_H

#include <stdbool.h>

/** This copy will yield.  Context: setup, before it samples. */
void syc_handover_offer(void);

/** Somebody wants what this copy offers.  By the watcher. */
bool syc_handover_is_due(void);

/** This copy samples no more.  By the watcher. */
void syc_handover_done(void);

/** Whether another copy has stopped sampling because this asked it to; waits
 * for that.  Context: setup. */
bool syc_handover_ask(void);

#endif
