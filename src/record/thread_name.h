/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_name.h - what threads are called, in the file.
 *
 * The writer of a ring says what its thread is called when it gets the ring.
 * Later names are the kernel's, /proc/PID/task/TID/comm: it is looked at when
 * the ring is met, once a second, and when the ring is over, if the thread
 * still lives.  Of a process in a namespace of its own only the first is
 * known, since its threads have other numbers there.
 */
#ifndef SYC_RECORD_THREAD_NAME_H
#define SYC_RECORD_THREAD_NAME_H

#include <stdint.h>

#include "record/drain.h"
#include "record/intake.h"

/** Look, if it is time to, and write the name if it is another. */
void syc_thread_name_look(struct syc_intake *intake, struct syc_ring *ring,
                          int64_t now);

/** The ring is about to end: look in any case. */
void syc_thread_name_look_last(struct syc_intake *intake,
                               struct syc_ring *ring);

#endif
