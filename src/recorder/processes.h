/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * processes.h - PROCESS, MAP and EXIT frames for every process that records.
 *
 * A process is registered when it requests a ring.  At that time the process
 * lives and waits for the reply, so /proc shows that process.
 *
 * From then on the process is watched.  A pidfd in the caller's epoll set
 * reports its end.  Periodic looks find an exec (which keeps the pid) and new
 * mappings.
 */
#ifndef SYC_RECORDER_PROCESSES_H
#define SYC_RECORDER_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/writer.h"
#include "code/code_names.h"
#include "recorder/maps.h"
#include "recorder/renumber.h"

/** Destination and users of the frames; all outlive the processes. */
struct syc_processes_options {
	struct syc_writer *writer;
	struct syc_renumber *renumber;
	/* Take the frames of a process before it ends or execs. */
	void (*settle)(void *context);
	void *context;
	int epoll; /* pidfds are added, with the pid as data.u64 */
	bool maps;
	unsigned keep_files;         /* number of mapped files to keep open */
	struct syc_code_names *code; /* collects names of JIT code; or NULL */
};

struct syc_processes;
struct syc_procfs_seen;

int syc_processes_new(const struct syc_processes_options *options,
                      struct syc_processes **ret_processes);
void syc_processes_free(struct syc_processes *processes);

/** Register the recorded command, with the text of its command line. */
void syc_processes_command(struct syc_processes *processes, int32_t pid,
                           const char *cmdline);

/** Note that @pid requests a ring, and waits for the reply. */
void syc_processes_request(struct syc_processes *processes, int32_t pid);

/**
 * Facts from /proc about @pid, until the next call.  A process that does not
 * wait may have ended or exec'ed meanwhile.  The caller checks the process
 * afterwards, and does not register an ended process.
 */
const struct syc_procfs_seen *syc_processes_see(struct syc_processes *processes,
                                                int32_t pid);

/**
 * Register @pid, whose facts were read last.  @pid has its own rings, in use
 * since @since (by the recorder's clock).  @cmdline: command line of @pid if
 * /proc has no command line; or NULL.
 */
void syc_processes_meet(struct syc_processes *processes, int32_t pid,
                        int64_t since, const char *cmdline);

/**
 * Note that a ring was made for the request of @pid.  If @pid has syscap's
 * library, @pid requested the ring at an event.
 */
void syc_processes_expect(struct syc_processes *processes, int32_t pid);

/** Note that @host, by the recorder's number, has written to a ring. */
void syc_processes_heard(struct syc_processes *processes, int32_t host);

/** Number of expected programs that have not written to a ring. */
unsigned syc_processes_unheard(const struct syc_processes *processes);

/**
 * Note that @pid had the code @addresses in a stack.  If an address is in no
 * known mapping, look at once, since its mapping may be gone in a second.
 */
void syc_processes_stack(struct syc_processes *processes, int32_t pid,
                         const uint64_t *addresses, unsigned n);

/**
 * Keep the file of a mapping that @pid reports, since its path may be gone at
 * the end.
 */
void syc_processes_map(struct syc_processes *processes, int32_t pid,
                       const struct syscap_wire_map *map);

/** Note that @pid has unmapped code. */
void syc_processes_unmapped(struct syc_processes *processes, int32_t pid,
                            uint64_t start, uint64_t end);

/** Note that @pid reported at @time whether @pid has a sampler. */
void syc_processes_sampler(struct syc_processes *processes, int32_t pid,
                           int64_t time, bool has_one);

/**
 * Number of programs that emitted and have no sampler, by their last report, or
 * else by their mapped files.  Programs whose files were never seen do not
 * count.
 */
unsigned syc_processes_without_sampler(const struct syc_processes *processes);

/** Note that the pidfd of @pid signals the end of @pid. */
void syc_processes_gone(struct syc_processes *processes, int32_t pid);

/**
 * At the end, look at all processes that could not be watched, for lack of fds,
 * and may have ended.
 */
void syc_processes_look_unwatched(struct syc_processes *processes);

/** Look at one process that had no look for a second, if any. */
void syc_processes_look(struct syc_processes *processes, int64_t now);

bool syc_processes_alive(const struct syc_processes *processes, int32_t pid);

/** A number that changes when @pid runs another program; 0: unknown. */
uint32_t syc_processes_image(const struct syc_processes *processes,
                             int32_t pid);

/** The mapped files of processes. */
const struct syc_mapped_files *
syc_processes_files(const struct syc_processes *processes);

/**
 * Note that the recording is over: the code of living processes is complete.
 */
void syc_processes_finish_code(struct syc_processes *processes);

/** Number of announced processes, and number of live processes among them. */
void syc_processes_count(const struct syc_processes *processes,
                         unsigned *ret_all, unsigned *ret_alive);

/* Processes in pid namespaces. */

struct syc_processes;

/**
 * The number in the capture for @pid, of a frame in a ring that @requester
 * requested.  This number differs from @pid only if two processes in different
 * namespaces see themselves as @pid: the later process gets the recorder's
 * number.
 */
int32_t syc_processes_shown(const struct syc_processes *processes,
                            int32_t requester, int32_t pid);

/**
 * The live process, by the recorder's number, that sees itself as @pid in
 * another namespace; among several, the first that @is_user accepts.  0: none.
 */
int32_t syc_processes_user(const struct syc_processes *processes, int32_t pid,
                           bool (*is_user)(void *data, int32_t host),
                           void *data);

/**
 * Ensure that @pid, of a frame, has its PROCESS frame in the file.  The frame
 * describes @host, by the recorder's number, if @host sees itself as @pid.
 */
void syc_processes_know(struct syc_processes *processes, int32_t pid,
                        int32_t host);

/*
 * Processes that had ended before they were registered: a sender of an arena
 * does not wait.
 */

struct syc_processes;

/**
 * @pid wrote to rings from @since on (0: unknown), and had ended or exec'ed
 * before its registration.  Write the PROCESS frame of @pid, if the file lacks
 * the frame, with @cmdline, which may be NULL.  Then write the EXIT frame.
 * @of: the process by which @pid is known.
 */
void syc_processes_past(struct syc_processes *processes, int32_t pid,
                        int32_t of, int64_t since, const char *cmdline);
void syc_processes_past_over(struct syc_processes *processes, int32_t pid);

/**
 * @pid wrote to rings from @since on, and is or was a forked child with the
 * program of @parent.  Write a FORK frame, unless the mappings of @pid were
 * written.
 */
void syc_processes_inherits(struct syc_processes *processes, int32_t pid,
                            int32_t parent, int64_t since);

/** @pid runs another program: watch @pid from now on until its end. */
void syc_processes_past_goes_on(struct syc_processes *processes, int32_t pid);

/**
 * Like syc_processes_past(), for a process that handed an arena over.  @is_new:
 * the sender is not the known program of @pid, if @pid lives.
 */
void syc_processes_past_image(struct syc_processes *processes, int32_t pid,
                              bool is_new, int64_t since, const char *cmdline);

/**
 * Whether @pid is live, or a past process that is known by another process than
 * @of.
 */
bool syc_processes_is_other(const struct syc_processes *processes, int32_t pid,
                            int32_t of);

/** The command line of @pid in its last PROCESS frame; NULL: no such frame. */
const char *syc_processes_cmdline(const struct syc_processes *processes,
                                  int32_t pid);

/** A number that changes when any process ends or execs. */
uint32_t syc_processes_changes(const struct syc_processes *processes);

#endif
