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

#include "capture/writer.h"
#include "code/code_names.h"
#include "record/mapped_file.h"
#include "record/renumber.h"
#include "record/report.h"

struct syc_processes;

/** What the frames go to and who else must know; all outlive the processes. */
struct syc_processes_options {
	struct syc_writer *writer;
	struct syc_renumber *renumber;
	/* Take what a process wrote, before it is another or none. */
	void (*settle)(void *context);
	void *context;
	int epoll; /* pidfds are added, with the pid as data.u64 */
	bool maps;
	unsigned keep_files;         /* how many mapped files to keep open */
	struct syc_code_names *code; /* learns what JITs made; or NULL */
};

int syc_processes_new(const struct syc_processes_options *options,
                      struct syc_processes **ret_processes);
void syc_processes_free(struct syc_processes *processes);

/** Our command, by the text it was started with. */
void syc_processes_command(struct syc_processes *processes, int32_t pid,
                           const char *cmdline);

/**
 * @pid asks for a ring, or has some of its own, which it began to use at @since
 * (by our clock; 0: only now).  @cmdline: what it is called if /proc does not
 * tell any more; or NULL.
 */
void syc_processes_request(struct syc_processes *processes, int32_t pid,
                           int64_t since, const char *cmdline);

/**
 * @pid wrote to rings from @since on (0: not known), and was gone, or another
 * program, before it was met: its PROCESS frame with @cmdline, which may be
 * NULL, if there is none yet; and its EXIT frame.  @of: by whom we know of it.
 */
void syc_processes_past(struct syc_processes *processes, int32_t pid,
                        int32_t of, int64_t since, const char *cmdline);
void syc_processes_past_over(struct syc_processes *processes, int32_t pid);

/** The same for who handed an arena over.  @is_new: it is not the program that
 * we know under the number, if it lives. */
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

/** A ring was made for @pid, which asked because it had an event. */
void syc_processes_expect(struct syc_processes *processes, int32_t pid);

/** @host, by our number, has written to a ring. */
void syc_processes_heard(struct syc_processes *processes, int32_t host);

/** How many programs were expected, and have written to none. */
unsigned syc_processes_unheard(const struct syc_processes *processes);

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
