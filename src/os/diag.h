/* SPDX-License-Identifier: BSD-2-Clause */
/* diag.h - one-line messages on stderr, when SYSCAP_DEBUG=1 asks for them. */
#ifndef SYC_OS_DIAG_H
#define SYC_OS_DIAG_H

/** Context: setup. */
void syc_diag_init(void);

/**
 * Say @what, and @why unless it is NULL, in one write().
 *
 * Context: any-thread, signal-safe.
 */
void syc_diag_say(const char *what, const char *why);

#endif
