/* SPDX-License-Identifier: BSD-2-Clause */
/* process_past.h - processes that were gone before they were met: who hands an
 * arena over waits for nobody. */
#ifndef SYC_RECORD_PROCESS_PAST_H
#define SYC_RECORD_PROCESS_PAST_H

#include <stdbool.h>
#include <stdint.h>

struct syc_processes;

/**
 * @pid wrote to rings from @since on (0: not known), and was gone, or another
 * program, before it was met: its PROCESS frame with @cmdline, which may be
 * NULL, if there is none yet; and its EXIT frame.  @of: by whom we know of it.
 */
void syc_processes_past(struct syc_processes *processes, int32_t pid,
                        int32_t of, int64_t since, const char *cmdline);
void syc_processes_past_over(struct syc_processes *processes, int32_t pid);

/**
 * @pid wrote to rings from @since on, and is, or was, a forked child that ran
 * what @parent did: a FORK frame says so, unless its own mappings were told.
 */
void syc_processes_inherits(struct syc_processes *processes, int32_t pid,
                            int32_t parent, int64_t since);

/** It is another program, which is looked at from now on until it ends. */
void syc_processes_past_goes_on(struct syc_processes *processes, int32_t pid);

/** The same for a process that handed an arena over.  @is_new: it is not the
 * program that we know under the number, if it lives. */
void syc_processes_past_image(struct syc_processes *processes, int32_t pid,
                              bool is_new, int64_t since, const char *cmdline);

/** Whether @pid is another process than one that would be past, of @of. */
bool syc_processes_is_other(const struct syc_processes *processes, int32_t pid,
                            int32_t of);

/** As @pid was announced last; NULL: it was not. */
const char *syc_processes_cmdline(const struct syc_processes *processes,
                                  int32_t pid);

/** A number that changes when any process ends or runs another program. */
uint32_t syc_processes_changes(const struct syc_processes *processes);

#endif
