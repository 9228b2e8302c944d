/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own.h - recording by the process itself, as the rest of the library sees it.
 *
 * Emitting needs nothing of it: towards a recorder all that is linked is what
 * is below.  One pointer says what there is more, and the linker decides:
 * own_recording.c has it, unless the program defines it as NULL.
 */
#ifndef SYC_OWN_H
#define SYC_OWN_H

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

#endif
