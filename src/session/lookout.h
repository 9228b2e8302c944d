/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookout.h - schedule of the drain thread's checks whether it is the last
 * thread.
 *
 * A process can't be alone before its first thread has ended.  The kernel wakes
 * the drain thread at this end if the first thread made the drain thread.  This
 * needs Linux 5.16, and no seccomp filter.  A check every few seconds covers
 * the case that the kernel woke a thread in pthread_join() instead.  Without
 * such a wake-up, the drain thread checks once or twice a second, when the
 * processor is awake for other work.
 *
 * Context of everything here: the drain thread.
 */
#ifndef SYC_SESSION_LOOKOUT_H
#define SYC_SESSION_LOOKOUT_H

#include <stdbool.h>
#include <stdint.h>

/** Interval of the first check after a thread's end; later intervals grow. */
#define SYC_LOOKOUT_SOON_NS INT64_C(10000000)

struct syc_lookout {
	int64_t at, again_ns; /* next check, and interval after it; ns */
	/* syc_alone_main_word(), while the first thread lives */
	uint32_t *main_end;
	bool is_main_ending; /* known by main_end, before /proc shows it */
	bool is_alone;
	int status; /* status of the first thread: syc_alone_is() */
};

/** @main_end: syc_alone_main_word(), or NULL. */
void syc_lookout_begin(struct syc_lookout *lookout, uint32_t *main_end);

/** A thread of the program has ended: check soon, because more may end. */
static inline void syc_lookout_hurry(struct syc_lookout *lookout)
{
	lookout->at = 0;
	lookout->again_ns = SYC_LOOKOUT_SOON_NS;
}

/** Longest sleep if no other work is expected. */
int64_t syc_lookout_longest_sleep(const struct syc_lookout *lookout);

/** Sleep while *@word is @value, @ns at most, or until the next check. */
void syc_lookout_sleep(struct syc_lookout *lookout, uint32_t *word,
                       uint32_t value, int64_t ns);

/** Whether no thread will emit any more, checked just after the rings were
 * drained. */
bool syc_lookout_is_alone(struct syc_lookout *lookout);

#endif
