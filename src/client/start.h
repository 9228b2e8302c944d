/* SPDX-License-Identifier: BSD-2-Clause */
/* start.h - syscap_start(), syscap_stop(), syscap_drain(), and exit(). */
#ifndef SC_START_H
#define SC_START_H

/** See to quick_exit(); exit() needs nothing.  Context: setup, once. */
void sc_start_watch_exit(void);

#endif
