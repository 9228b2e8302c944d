/* SPDX-License-Identifier: BSD-2-Clause */
/* start.h - syscap_start(), syscap_stop(), syscap_drain(), and exit(). */
#ifndef SYC_START_H
#define SYC_START_H

/** The process exits: what is in the rings goes out, as far as that does not
 * take long.  Events of later destructors are off.  Context: any-thread. */
void syc_start_end(void);

#endif
