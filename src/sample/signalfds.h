/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signalfds.h - the program's signalfds for whatever signal comes.
 *
 * They were made without the signal that ticks had then.  Once ticks come by
 * another one, who reads them would take those, for as long as they are open: that
 * one is taken out of their sets, before the first tick by it.
 *
 * What a forked child inherited stays as it is, since its parent reads the same
 * one, by which the parent's ticks do not come.
 */
#ifndef SYC_SAMPLE_SIGNALFDS_H
#define SYC_SAMPLE_SIGNALFDS_H

#include <stdint.h>

/**
 * @fd is one for @set.
 *
 * Context: any-thread, signal-safe.
 */
void syc_signalfds_note(int fd, uint64_t set);

#endif
