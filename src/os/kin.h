/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kin.h - whether a parent or a forked child of this process still runs its
 * image.
 *
 * A pid alone is not enough: its process may have exec'ed, or ended, and the
 * pid may be reused.  Images that were forked from each other have code and
 * stack at the same addresses.  Others do not, except for the same image
 * without address randomisation.
 */
#ifndef SYC_OS_KIN_H
#define SYC_OS_KIN_H

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
 * Look at @kin->pid.  False: it has ended, or runs another image.  True also if
 * it is unknown.
 *
 * Context: any-thread, signal-safe; errno is kept.
 */
bool syc_kin_lives(struct syc_kin *kin);

#endif
