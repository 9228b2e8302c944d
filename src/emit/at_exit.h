/* SPDX-License-Identifier: BSD-2-Clause */
/* at_exit.h - what is done when the process ends. */
#ifndef SYC_AT_EXIT_H
#define SYC_AT_EXIT_H

/** At quick_exit(); exit() comes by a destructor.  Context: any-thread. */
void syc_at_exit_end(void);

#endif
