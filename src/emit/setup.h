/* SPDX-License-Identifier: BSD-2-Clause */
/* setup.h - whether and where this process records, decided when it starts. */
#ifndef SYC_EMIT_SETUP_H
#define SYC_EMIT_SETUP_H

#include <stdint.h>

/**
 * Once, at load time (a constructor calls it): decide whether recording is
 * possible, and do all that a signal handler could not.  Idempotent; a call
 * that finds another under way returns at once.
 *
 * Context: setup.
 */
void syc_setup_run(void);

/** Events that came before it could be decided whether something is recorded:
 * they are lost if something is. */
extern uint32_t syc_setup_n_early;

/**
 * The same once more, where that found nothing to record into and it was left
 * open (left_open.h).
 *
 * Context: setup.
 */
void syc_setup_again(void);

/** What the first event calls where it was left open; NULL: it never is. */
extern void (*syc_setup_decide)(void);

/**
 * Do now what syc_setup_run() does where the environment asks for a
 * recording.  0 or -ENOMEM.
 *
 * Context: setup; any thread.
 */
int syc_setup_prepare(void);

/**
 * If this copy was switched on by another since it was loaded, and had no event
 * yet: act as one with that.
 *
 * Context: any-thread, signal-safe.
 */
void syc_setup_join(void);

#endif
