/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jitmap.h - JITMAP frames: the names that stand in stacks as addresses
 * (emit/names.h), before the first stack that holds them.
 *
 * A name is published once in each recording of a process, by the thread that
 * first uses it, in its own ring: readers look names up over the whole
 * capture.  It counts as published when its frame is; until then every stack
 * that holds it tries again.
 */
#ifndef SYC_EMIT_JITMAP_H
#define SYC_EMIT_JITMAP_H

#include <stdint.h>

#include "emit/names.h"

/** The slow half of syc_jitmap_publish(). */
void syc_jitmap_publish_some(const uint64_t *addrs, unsigned n);

/**
 * A stack of these @n addresses is about to be emitted by the calling thread:
 * publish the names in it that are not.  What finds no room is counted as a
 * lost JITMAP, and the stack may go out without.
 *
 * Call it before the stack's own emit is begun.
 *
 * Context: any-thread, signal-safe.
 */
static inline void syc_jitmap_publish(const uint64_t *addrs, unsigned n)
{
	if (__builtin_expect(syc_names_any(), 0))
		syc_jitmap_publish_some(addrs, n);
}

#endif
