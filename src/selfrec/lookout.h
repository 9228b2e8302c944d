/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookout.h - when the drain thread looks whether it is the last thread.
 *
 * A process can't be alone before its first thread has ended.  The kernel
 * wakes us for that where the thread that made us was the first one, since
 * Linux 5.16, and where no filter of system calls is there; a look every few
 * seconds is left for the case that somebody who joins it was woken instead.
 * Elsewhere it is looked for once or twice a second, at a moment when the
 * processor is awake for others.
 *
 * Context of all: the drain thread.
 */
#ifndef SYC_SELFREC_LOOKOUT_H
#define SYC_SELFREC_LOOKOUT_H

#include <stdbool.h>
#include <stdint.h>

/** After a thread's end, and ever less soon. */
#define SYC_LOOKOUT_SOON_NS INT64_C(10000000)

struct syc_lookout {
	int64_t at, again_ns; /* when, and how long after that again; ns */
	/* syc_alone_main_word(), while the first thread lives */
	uint32_t *main_end;
	bool is_main_ending; /* by that word: /proc tells it a little later */
	bool is_alone;
	int status; /* how the first thread ended: syc_alone_is() */
};

/** @main_end: syc_alone_main_word(), or NULL. */
void syc_lookout_begin(struct syc_lookout *lookout, uint32_t *main_end);

/** A thread of the program has ended: more may. */
static inline void syc_lookout_hurry(struct syc_lookout *lookout)
{
	lookout->at = 0;
	lookout->again_ns = SYC_LOOKOUT_SOON_NS;
}

/** How long to sleep where nothing else is expected. */
int64_t syc_lookout_longest_sleep(const struct syc_lookout *lookout);

/** Sleep while *@word is @value, @ns at most, or until it is time to look. */
void syc_lookout_sleep(struct syc_lookout *lookout, uint32_t *word,
                       uint32_t value, int64_t ns);

/** The rings have just been drained.  True: nobody will emit any more. */
bool syc_lookout_is_alone(struct syc_lookout *lookout);

#endif
