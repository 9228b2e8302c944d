/* SPDX-License-Identifier: BSD-2-Clause */
/* unloads.h - MAP frames for libraries that the program unloads. */
#ifndef SYC_PRELOAD_UNLOADS_H
#define SYC_PRELOAD_UNLOADS_H

/** This library was loaded, and all libraries that the program was linked with.
 * Context: a constructor. */
void syc_unloads_begin(void);

/**
 * The program calls dlclose(), or dlclose() has returned: write frames for
 * libraries that were loaded or unloaded since the last call.
 *
 * Context: any-thread; not in a handler.
 */
void syc_unloads_look(void);

#endif
