/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_maps.h - MAP frames from the process itself, where its recorder comes too
 * late to read them in /proc: one that stood still, behind a slow disk or
 * stopped, for longer than the process lived.  Without them no address of its
 * stacks gets a name.
 */
#ifndef SYC_SAMPLE_OWN_MAPS_H
#define SYC_SAMPLE_OWN_MAPS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * An event of @len bytes as it stands at @frame, with the time that is there.
 * False: dropped and counted.  Is a syc_describe_emit.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_own_maps_emit(void *unused, const void *frame, uint32_t len);

/**
 * The process exits: tell what it has mapped, unless the recorder has looked at
 * it, or is one that no arena is handed over to.
 *
 * Context: at exit, signals not blocked.
 */
void syc_own_maps_tell_unseen(void);

#endif
