/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * processes.h - PROCESS, MAP and EXIT frames for every process that records.
 *
 * A process is met when it asks for a ring: then it is alive and waits for
 * us, so that what /proc says is about it.  From then on it is watched: for
 * its end through a pidfd in the caller's epoll set, for another program
 * (exec keeps the number) and for new mappings by looking again.
 */
#ifndef SYC_RECORD_PROCESSES_H
#define SYC_RECORD_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "record/mapped_file.h"
#include "record/processes_options.h"

struct syc_processes;
struct syc_procfs_seen;

int syc_processes_new(const struct syc_processes_options *options,
                      struct syc_processes **ret_processes);
void syc_processes_free(struct syc_processes *processes);

/** Our command, by the text it was started with. */
void syc_processes_command(struct syc_processes *processes, int32_t pid,
                           const char *cmdline);

/** @pid asks for a ring, and waits for it. */
void syc_processes_request(struct syc_processes *processes, int32_t pid);

/**
 * What /proc says of @pid now, until the next call.  Who waits for nobody may
 * be gone or another program by then: the caller finds out afterwards, and
 * does not meet it if so.
 */
const struct syc_procfs_seen *syc_processes_see(struct syc_processes *processes,
                                                int32_t pid);

/**
 * @pid, as it was seen last, has rings of its own, which it began to use at
 * @since (by our clock).  @cmdline: what it is called if /proc did not tell; or
 * NULL.
 */
void syc_processes_meet(struct syc_processes *processes, int32_t pid,
                        int64_t since, const char *cmdline);

/** A ring was made for @pid, which asked because it had an event. */
void syc_processes_expect(struct syc_processes *processes, int32_t pid);

/** @host, by our number, has written to a ring. */
void syc_processes_heard(struct syc_processes *processes, int32_t host);

/** How many programs were expected, and have written to none. */
unsigned syc_processes_unheard(const struct syc_processes *processes);

/**
 * @pid had the code @addresses in a stack: look at once if some of them are
 * in no mapping that is known, for it may be gone in a second.
 */
void syc_processes_stack(struct syc_processes *processes, int32_t pid,
                         const uint64_t *addresses, unsigned n);

/** @pid said at @time whether it has a sampler: SYSCAP_SAMPLE asks for one. */
void syc_processes_sampler(struct syc_processes *processes, int32_t pid,
                           int64_t time, bool has_one);

/** How many said, and not otherwise since, that they have none. */
unsigned syc_processes_without_sampler(const struct syc_processes *processes);

/** The pidfd of @pid says that it is gone. */
void syc_processes_gone(struct syc_processes *processes, int32_t pid);

/**
 * At the end: look at all those that could not be watched, for want of
 * descriptors, and may have ended.
 */
void syc_processes_look_unwatched(struct syc_processes *processes);

/** Look at one process that was not looked at for a second, if any. */
void syc_processes_look(struct syc_processes *processes, int64_t now);

bool syc_processes_alive(const struct syc_processes *processes, int32_t pid);

/** A number that changes when @pid runs another program; 0: not known. */
uint32_t syc_processes_image(const struct syc_processes *processes,
                             int32_t pid);

/** The files that processes had mapped. */
const struct syc_mapped_files *
syc_processes_files(const struct syc_processes *processes);

/** The recording is over: what those that live have made is complete. */
void syc_processes_finish_code(struct syc_processes *processes);

/** How many were announced, and how many of them live. */
void syc_processes_count(const struct syc_processes *processes,
                         unsigned *ret_all, unsigned *ret_alive);

#endif
