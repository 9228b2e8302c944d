/* SPDX-License-Identifier: BSD-2-Clause */
/* process_numbers.h - processes in pid namespaces: whose number is it? */
#ifndef SYC_RECORD_PROCESS_NUMBERS_H
#define SYC_RECORD_PROCESS_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

struct syc_processes;

/**
 * The number that stands in the file for @pid, of a frame in a ring that
 * @requester asked for.  Another only where two processes, in namespaces of
 * their own, take themselves for @pid: the later one is shown by our number.
 */
int32_t syc_processes_shown(const struct syc_processes *processes,
                            int32_t requester, int32_t pid);

/**
 * By our number, the live process that takes itself for @pid in a namespace of
 * its own; of several, the first that @is_user says yes to.  0: none.
 */
int32_t syc_processes_user(const struct syc_processes *processes, int32_t pid,
                           bool (*is_user)(void *data, int32_t host),
                           void *data);

/**
 * See to it that @pid, of a frame, has its PROCESS frame in the file; of
 * @host, by our number, if that takes itself for @pid.
 */
void syc_processes_know(struct syc_processes *processes, int32_t pid,
                        int32_t host);

#endif
