/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * left_open.h - whether something is recorded, left open until the first event.
 *
 * Elsewhere the environment is read when the library is loaded, once and for
 * all (decision 0003).  The drop-in's callers know another library, that reads
 * it at a thread's first event; so there the two variables of that library
 * are looked at once more, if neither was set at load: by the first event of
 * the process that asks, or by what asks whether there will be any.
 *
 * What has to be done then is nothing for a handler.  Where it may be in one
 * (os/signals.h), what was there at load counts.
 */
#ifndef SYC_EMIT_LEFT_OPEN_H
#define SYC_EMIT_LEFT_OPEN_H

#include <syscap/emit.h>

/** Leave it open, if load found neither variable.  Context: setup. */
void syc_left_open_begin(void);

/** Decide now if it was left open.  Context: any-thread, signal-safe. */
void syc_left_open_decide(void);

/** The same, where that has to be known before an event.  Context: any-thread,
 * signal-safe. */
static inline void syc_left_open_ask(void)
{
	if (SYC_UNLIKELY(__atomic_load_n(&syc_active, __ATOMIC_RELAXED) < 0))
		syc_left_open_decide();
}

#endif
