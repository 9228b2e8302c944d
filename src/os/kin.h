/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kin.h - whether a relative of this process still runs its image: the one that
 * it was forked from, or one that was forked from it.
 *
 * A pid tells little: its process may have called exec, or have ended, and the
 * number be another's.  Images that were forked from each other have code and
 * stack at the same addresses; those of others do not, but for one that was
 * executed without randomisation in the very same way.
 */
#ifndef SYC_KIN_H
#define SYC_KIN_H

#include <stdbool.h>
#include <stdint.h>

struct syc_kin {
	int32_t pid;
	int32_t parent;       /* as /proc says; 0: not known */
	uint64_t start_ticks; /* once it was seen; 0: not known */
	/* When it was looked at, its first thread had ended; relaxed */
	bool is_without_first;
};

/**
 * Look at @kin->pid.  False: it has ended, or runs another image.  True also
 * where nobody can tell.
 *
 * Context: any-thread, signal-safe; errno is kept.
 */
bool syc_kin_lives(struct syc_kin *kin);

#endif
