/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signalfds.h - the program's signalfds for whatever signal comes.
 *
 * They were made without the signal that ticks had then.  Once ticks come by
 * another one, who reads them would take those, for as long as they are open.
 */
#ifndef SYC_SIGNALFDS_H
#define SYC_SIGNALFDS_H

/**
 * There is one, here or in who forked this process.
 *
 * Context: any-thread, signal-safe.
 */
void syc_signalfds_note(void);

#endif
