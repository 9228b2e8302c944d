/* SPDX-License-Identifier: BSD-2-Clause */
/* at_exit.h - what is done when the process ends. */
#ifndef SYC_AT_EXIT_H
#define SYC_AT_EXIT_H

/** See to quick_exit(); exit() needs nothing.  Context: setup, once. */
void syc_at_exit_watch(void);

#endif
