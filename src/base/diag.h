/* SPDX-License-Identifier: BSD-2-Clause */
/* diag.h - one-line messages on stderr, when SYSCAP_DEBUG=1 asks for them. */
#ifndef SC_DIAG_H
#define SC_DIAG_H

/** Context: setup. */
void sc_diag_init(void);

/**
 * Say @what, and @why unless it is NULL, in one write().
 *
 * Context: any-thread, signal-safe.
 */
void sc_diag_say(const char *what, const char *why);

#endif
