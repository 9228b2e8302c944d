/* SPDX-License-Identifier: BSD-2-Clause */
/* unloads.h - MAP frames for libraries that the program unloads. */
#ifndef SYC_PRELOAD_UNLOADS_H
#define SYC_PRELOAD_UNLOADS_H

/** Note the time at which this library, and all libraries that the program was
 * linked with, were loaded. Context: a constructor. */
void syc_unloads_begin(void);

/**
 * Write frames for libraries that were loaded or unloaded since the last call.
 * Called before and after the program's dlclose().
 *
 * Context: any-thread; not in a handler.
 */
void syc_unloads_look(void);

#endif
