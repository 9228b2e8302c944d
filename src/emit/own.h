/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own.h - recording by the process itself, as the rest of the library sees it.
 *
 * Emitting needs nothing of it: towards a recorder all that is linked is what
 * is below.  One pointer says what there is more, and the linker decides:
 * own_recording.c has it, unless the program defines it as NULL.
 */
#ifndef SYC_EMIT_OWN_H
#define SYC_EMIT_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emit/ring_source.h"

struct syc_own_recording {
	/* syc_plan_from_environment(), and what it found.  setup */
	enum syc_sink (*take_environment)(bool has_recorder,
	                                  const char **ret_why);
	const struct syc_destination *(*environment)(void);

	/* The rest: any-thread, signal-safe. */

	/* Slots of the session's arena; it is made when the first is claimed */
	struct syc_ring_source source;
	/* syscap_drain() */
	int (*drain)(void);
	/* The bytes written, and where to. */
	uint64_t (*written)(char *path, size_t size);
};

extern const struct syc_own_recording *const syc_own_recording;

struct syc_described;

/** session/process_frames.h.  The drainer finds it in the block: a copy that emits
 * addresses has it, and another copy may drain. */
struct syc_map_frames {
	bool (*are_due)(const struct syc_described *described, int64_t now,
	                bool may_lock);
	bool (*write)(struct syc_described *described, int32_t pid, int64_t now,
	              bool may_lock,
	              bool (*emit)(void *data, const void *frame, uint32_t len),
	              void *data);
};

extern const struct syc_map_frames syc_map_frames;

/** Once in a file that emits addresses: links what writes MAP frames. */
#define SYC_EMITS_ADDRESSES                                       \
	static const struct syc_map_frames *const with_map_frames \
		__attribute__((used)) = &syc_map_frames

#endif
