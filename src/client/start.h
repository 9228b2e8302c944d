/* SPDX-License-Identifier: BSD-2-Clause */
/* start.h - syscap_start(), syscap_stop(), syscap_drain(), and exit(). */
#ifndef SC_START_H
#define SC_START_H

/** The process exits: what is in the rings goes out, as far as that does not
 * take long.  Events of later destructors are off.  Context: any-thread. */
void sc_start_end(void);

#endif
