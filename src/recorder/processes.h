/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * processes.h - PROCESS, MAP and EXIT frames for every process that records.
 *
 * The recorder registers a process at its request for a ring.  The process
 * lives and waits for the reply, so /proc shows the process.
 *
 * From the request on, the recorder watches the process.  A pidfd in the
 * caller's epoll set reports the process' end.  Periodic checks find an exec
 * (which keeps the pid) and new mappings.
 */
#ifndef SYC_RECORDER_PROCESSES_H
#define SYC_RECORDER_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/format.h>

#include "capture/writer.h"
#include "code/code_names.h"
#include "common/containers.h"
#include "recorder/drain.h"

/*
 * Data about a process from /proc.
 *
 * Between any two calls, a process may end, and the kernel may reuse its pid.
 * Functions return 0, -ESRCH or -ENOENT if the process has ended, -EACCES
 * without permission, or another -errno.
 */

/** Data that distinguishes processes, and programs of a process. */
struct syc_procfs_identity {
	char state;                       /* 'Z' or 'X': dead */
	uint64_t start_time;              /* clock ticks since boot */
	uint64_t start_code, start_stack; /* 0 or 1 without permission */
};

struct syc_procfs_map {
	uint64_t start, end, offset, inode;
	uint32_t major, minor;
	bool executable;
	const char *path; /* "/...", "[vdso]", or "" */
};

int syc_procfs_identity(int32_t pid, struct syc_procfs_identity *ret_identity);

/**
 * Read the arguments, joined by spaces.  The text is "" if the process has no
 * arguments now.
 */
int syc_procfs_cmdline(int32_t pid, char *text, size_t size);

/** Identity and command line, read at the same time if possible. */
struct syc_procfs_seen {
	bool is_there;
	struct syc_procfs_identity identity;
	char cmdline[SYSCAP_FRAME_MAX]; /* "": none, or unknown */
};

void syc_procfs_see(int32_t pid, struct syc_procfs_seen *ret_seen);

/** Return whether all threads of a process exit, or are killed. */
bool syc_procfs_is_dying(int32_t pid);

int syc_procfs_comm(int32_t pid, char *text, size_t size);

/** Read the pid that the process has in its own pid namespace. */
int syc_procfs_own_pid(int32_t pid, int32_t *ret_pid);

/**
 * Read the offset of the process' CLOCK_MONOTONIC to the recorder's in ns,
 * which may differ from 0 in another time namespace.  *@ret_ns is unchanged if
 * the offset is unknown, as for an ended process.
 */
int syc_procfs_clock_ahead(int32_t pid, int64_t *ret_ns);

/** Call @each for every mapping, in order of address. */
int syc_procfs_maps(int32_t pid,
                    void (*each)(void *context,
                                 const struct syc_procfs_map *map),
                    void *context);

/** Call @each for every process. */
int syc_procfs_all(void (*each)(void *context, int32_t pid), void *context);

/* Parsers without system calls, for tests.  The parsers change @line and
 * @stat. */
bool syc_procfs_parse_map(char *line, struct syc_procfs_map *ret_map);
bool syc_procfs_parse_stat(char *stat,
                           struct syc_procfs_identity *ret_identity);
bool syc_procfs_parse_clock(const char *offsets, int64_t *ret_ns);

/*
 * MAP frames of processes, and the mapped files.
 *
 * The recorder remembers build-ids by device, inode and time of change.  For
 * names at the end, the recorder keeps the files open, so that changes of their
 * paths have no effect.
 */

/** Maximum number of open files.  Files beyond the limit are counted. */
#define SYC_MAPPED_FILES_KEPT 4096u

/** A process that mapped a file without a build-id, and its path. */
struct syc_mapped_use {
	size_t file;
	int32_t pid;
	char *path;
};

/** The mapped files.  A zero-initialized struct is empty, and keeps no
 * files. */
struct syc_mapped_files {
	SYC_ARRAY(struct syc_mapped_file) files;
	SYC_ARRAY(struct syc_mapped_use) uses;
	unsigned keep; /* number of files to keep open */
	unsigned kept, not_kept;
	unsigned n_asan; /* programs with AddressSanitizer's shared runtime */
};

/**
 * Find the file that @map of process @pid maps.  Returns NULL if the file
 * cannot be opened.  @path is the mapping's path, without the kernel's suffix
 * for a @deleted file.  The result is valid until the next call.  @base is the
 * address of the file's first byte, from which a deleted file can be read, or
 * 0.
 */
const struct syc_mapped_file *
syc_mapped_files_find(struct syc_mapped_files *files, int32_t pid,
                      const struct syc_procfs_map *map, const char *path,
                      bool deleted, uint64_t base);

/** Return the fd of the file at @i, of files->files.n, or -1 if the fd was not
 * kept. */
int syc_mapped_files_fd(const struct syc_mapped_files *files, size_t i);

void syc_mapped_files_free(struct syc_mapped_files *files);

/** The executable mappings of one process at the last check.  A
 * zero-initialized struct has none. */
struct syc_known_maps {
	SYC_ARRAY(struct syc_known_map) maps;
	bool may_have_copy; /* syscap's library is linked, or a file is
	                     * unreadable */
	/* a sampler is mapped, or a file is unreadable */
	bool may_have_sampler;
};

/**
 * Write a MAP frame for every new executable mapping.  The process is @host in
 * /proc and @pid in the frames.  If @writer is NULL, write no frames.
 */
void syc_maps_write_new(struct syc_known_maps *known, int32_t pid, int32_t host,
                        struct syc_mapped_files *files,
                        struct syc_writer *writer,
                        union syc_frame_buffer *frame);

/** Return whether one of the @known mappings contains @address. */
bool syc_maps_cover(const struct syc_known_maps *known, uint64_t address);

/**
 * Drop the range, which the process has unmapped, so that a new mapping in the
 * range will be written.
 */
void syc_maps_forget_range(struct syc_known_maps *known, uint64_t start,
                           uint64_t end);

void syc_maps_forget(struct syc_known_maps *known);

/*
 * Libraries in the memory of another process.
 *
 * These functions serve libraries whose file cannot be opened: the library was
 * deleted, is in a memfd, or was moved to anonymous memory.
 *
 * Libraries must have the machine's class and byte order.  The recorder must
 * have permission to read the process' memory, as it has for its children.
 */

/**
 * Make an ELF file of the library whose header is at @base in @pid.  The file
 * has the read-only segments, and sections for dynamic symbols and .eh_frame.
 * Returns a memfd or -1.
 */
int syc_memory_image_make(int32_t pid, uint64_t base);

/**
 * Store the file offset of [@start, @end).  Returns false if the range is not
 * code of the library whose header is at @base.
 */
bool syc_memory_image_offset(int32_t pid, uint64_t base, uint64_t start,
                             uint64_t end, uint64_t *ret_offset);

/** Objects that processes use.  The objects outlive the processes. */
struct syc_processes_options {
	struct syc_writer *writer;
	struct syc_renumber *renumber;
	/* Function that takes the frames of a process before the process ends
	 * or execs. */
	void (*settle)(void *context);
	void *context;
	int epoll; /* pidfds are added, with the pid as data.u64 */
	bool maps;
	unsigned keep_files;         /* number of mapped files to keep open */
	struct syc_code_names *code; /* collection of names of JIT code, or
	                              * NULL */
};

struct syc_processes;

int syc_processes_new(const struct syc_processes_options *options,
                      struct syc_processes **ret_processes);
void syc_processes_free(struct syc_processes *processes);

/** Register the recorded command, with the text of its command line. */
void syc_processes_command(struct syc_processes *processes, int32_t pid,
                           const char *cmdline);

/** Store that @pid requests a ring, and waits for the reply. */
void syc_processes_request(struct syc_processes *processes, int32_t pid);

/**
 * Read data about @pid from /proc, valid until the next call.  A process that
 * does not wait may have ended or called exec.  The caller checks the process
 * afterwards, and does not register an ended process.
 */
const struct syc_procfs_seen *syc_processes_see(struct syc_processes *processes,
                                                int32_t pid);

/**
 * Register @pid, whose data was read last.  @pid has its own rings, in use
 * since @since (by the recorder's clock).  @cmdline is used if /proc has no
 * command line, and may be NULL.
 */
void syc_processes_meet(struct syc_processes *processes, int32_t pid,
                        int64_t since, const char *cmdline);

/**
 * Store that a ring was made for the request of @pid.  If @pid has syscap's
 * library, @pid requested the ring at an event.
 */
void syc_processes_expect(struct syc_processes *processes, int32_t pid);

/** Store that @host, by the recorder's number, has written to a ring. */
void syc_processes_heard(struct syc_processes *processes, int32_t host);

/** Return the number of expected programs that have not written to a ring. */
unsigned syc_processes_unheard(const struct syc_processes *processes);

/**
 * Store that @pid had the code @addresses in a stack.  If an address is in no
 * known mapping, read the maps immediately, because the process may soon remove
 * the mapping.
 */
void syc_processes_stack(struct syc_processes *processes, int32_t pid,
                         const uint64_t *addresses, unsigned n);

/**
 * Keep the file of a mapping that @pid reports, because the file's path may be
 * removed before the end.
 */
void syc_processes_map(struct syc_processes *processes, int32_t pid,
                       const struct syscap_wire_map *map);

/** Store that @pid has unmapped code. */
void syc_processes_unmapped(struct syc_processes *processes, int32_t pid,
                            uint64_t start, uint64_t end);

/** Store that @pid reported at @time whether @pid has a sampler. */
void syc_processes_sampler(struct syc_processes *processes, int32_t pid,
                           int64_t time, bool has_one);

/**
 * Return the number of programs that emitted and have no sampler, by their last
 * report, or else by their mapped files.  Programs whose files the recorder
 * never found are not counted.
 */
unsigned syc_processes_without_sampler(const struct syc_processes *processes);

/** Store that the pidfd of @pid signals the end of @pid. */
void syc_processes_gone(struct syc_processes *processes, int32_t pid);

/**
 * At the end, check all processes that could not be watched, for lack of fds,
 * and may have ended.
 */
void syc_processes_look_unwatched(struct syc_processes *processes);

/** Examine one process whose last examination was a second ago, if any. */
void syc_processes_look(struct syc_processes *processes, int64_t now);

bool syc_processes_alive(const struct syc_processes *processes, int32_t pid);

/**
 * Return whether @pid still runs the program that was last seen.  Data that was
 * read in /proc before the call then belongs to this program.
 */
bool syc_processes_runs_on(const struct syc_processes *processes, int32_t pid);

/** Return a number that changes when @pid runs another program, or 0 if @pid is
 * unknown. */
uint32_t syc_processes_image(const struct syc_processes *processes,
                             int32_t pid);

/** Return the mapped files of processes. */
const struct syc_mapped_files *
syc_processes_files(const struct syc_processes *processes);

/**
 * Store that the recording is over, so that the code of living processes is
 * complete.
 */
void syc_processes_finish_code(struct syc_processes *processes);

/** Count the announced processes, and the live processes among them. */
void syc_processes_count(const struct syc_processes *processes,
                         unsigned *ret_all, unsigned *ret_alive);

/* Processes in pid namespaces. */

/**
 * Return the number in the capture for @pid of a frame in a ring that
 * @requester requested.  The number differs from @pid only if two processes in
 * different namespaces see themselves as @pid.  The later process then gets the
 * recorder's number.
 */
int32_t syc_processes_shown(const struct syc_processes *processes,
                            int32_t requester, int32_t pid);

/**
 * Return the live process, by the recorder's number, that sees itself as @pid
 * in another namespace.  If several processes match, return the first that
 * @is_user accepts. Returns 0 if none exists.
 */
int32_t syc_processes_user(const struct syc_processes *processes, int32_t pid,
                           bool (*is_user)(void *data, int32_t host),
                           void *data);

/**
 * Ensure that @pid of a frame has its PROCESS frame in the file.  The PROCESS
 * frame describes @host, by the recorder's number, if @host sees itself as
 * @pid.
 */
void syc_processes_know(struct syc_processes *processes, int32_t pid,
                        int32_t host);

/*
 * Processes that had ended before their registration.  A sender of an arena
 * does not wait for the recorder.
 */

/**
 * Write the PROCESS frame of @pid, if the file lacks the frame, with @cmdline,
 * which may be NULL.  @pid wrote to rings from @since on (0: unknown), and had
 * ended or exec'ed before its registration.  @of: the process by which @pid is
 * known.  syc_processes_past_over() writes the EXIT frame.
 */
void syc_processes_past(struct syc_processes *processes, int32_t pid,
                        int32_t of, int64_t since, const char *cmdline);
void syc_processes_past_over(struct syc_processes *processes, int32_t pid);

/**
 * Write a FORK frame for @pid, unless the mappings of @pid were written.  @pid
 * wrote to rings from @since on, and is or was a forked child with the program
 * of @parent.
 */
void syc_processes_inherits(struct syc_processes *processes, int32_t pid,
                            int32_t parent, int64_t since);

/** Watch @pid, which runs another program, from now on until its end. */
void syc_processes_past_goes_on(struct syc_processes *processes, int32_t pid);

/**
 * Like syc_processes_past(), for a process that handed an arena over.  @is_new:
 * whether the sender's program differs from the known program of @pid, if @pid
 * lives.
 */
void syc_processes_past_image(struct syc_processes *processes, int32_t pid,
                              bool is_new, int64_t since, const char *cmdline);

/**
 * Return whether @pid is live, or a past process that is known by a process
 * other than @of.
 */
bool syc_processes_is_other(const struct syc_processes *processes, int32_t pid,
                            int32_t of);

/** Return the command line of @pid in its last PROCESS frame, or NULL without a
 * frame. */
const char *syc_processes_cmdline(const struct syc_processes *processes,
                                  int32_t pid);

/** Return a number that changes when any process ends or execs. */
uint32_t syc_processes_changes(const struct syc_processes *processes);

/*
 * A process that the recorder watches, and the set of these processes, only for
 * processes.c, process_identity.c and process_life.c.
 */

#define SYC_TRACKED_BUCKETS 1024u

struct syc_tracked_process {
	struct syc_tracked_process *next; /* next process in the bucket */
	/* Next process in the list of live processes. */
	struct syc_tracked_process *live;
	int32_t pid;     /* pid in frames */
	int32_t host;    /* pid in the recorder's /proc */
	int32_t own_pid; /* pid in the process' own namespace */
	bool alive;
	/* The present program is expected to write, or wrote. */
	bool is_expected, is_heard;
	bool is_past; /* registered after its end, without an EXIT frame yet */
	int32_t past_of; /* process by which the ended process is known */
	int64_t since;   /* time of the next PROCESS frame; 0: now */
	int64_t ended;
	/* The library is mapped, but no file has a sampler. */
	bool is_without_sampler;
	int64_t sampler_said; /* time of the process's report about a sampler */
	/* By report or files, the process has no sampler, and is counted. */
	bool lacks_sampler;
	bool exec_seen;   /* identity belongs to the running program */
	bool is_replaced; /* image belongs to the program before the exec */
	uint32_t image;
	struct syc_procfs_identity identity;
	int pidfd;
	int64_t looked, maps_looked;
	char *cmdline; /* command line in the last PROCESS frame */
	struct syc_known_maps maps;
	bool had_maps;       /* some MAPs of this image were written */
	unsigned n_own_maps; /* number of MAPs written by the process */
	/* JIT code, or NULL without code that can be watched. */
	struct syc_code_watch *code;
	int64_t code_looked;
};

struct syc_processes {
	struct syc_processes_options options;
	struct syc_tracked_process *buckets[SYC_TRACKED_BUCKETS];
	struct syc_tracked_process *live, **cursor;
	unsigned announced, n_alive, n_unheard, n_lack_sampler;
	uint32_t last_image, changes;
	uint64_t recorder_start; /* start of the recorder, clock ticks */
	struct syc_mapped_files files;
	int files_max; /* first fd that is reserved for rings */
	union syc_frame_buffer frame;
	/* Data that was read last, for the caller's process. */
	struct syc_procfs_seen seen;
	char text[SYSCAP_FRAME_MAX];
};

/** Find a process.  Returns NULL if @pid was never registered. */
struct syc_tracked_process *
syc_tracked_find(const struct syc_processes *processes, int32_t pid);

/** Find or create a process.  Returns NULL if no memory is left. */
struct syc_tracked_process *syc_tracked_get(struct syc_processes *processes,
                                            int32_t pid);

/** Drain all rings, before the end or exec of a process. */
void syc_tracked_settle(struct syc_processes *processes);

/** Write the PROCESS frame of @process with @cmdline. */
void syc_tracked_name(struct syc_processes *processes,
                      struct syc_tracked_process *process, const char *cmdline);

/** Write MAP frames of mappings of @process that are not in the capture. */
void syc_tracked_look_at_maps(struct syc_processes *processes,
                              struct syc_tracked_process *process);

/** Add @process to the count of programs without a sampler, or remove @process
 * from the count. */
void syc_tracked_count_sampler(struct syc_processes *processes,
                               struct syc_tracked_process *process);

/**
 * Drop the data about the old program, because @process runs another program.
 */
void syc_tracked_new_image(struct syc_processes *processes,
                           struct syc_tracked_process *process);

/**
 * Start to watch @process, in the recorder's /proc.  Returns false if the
 * process has ended.
 */
bool syc_tracked_watch(struct syc_processes *processes,
                       struct syc_tracked_process *process);

/**
 * Watch @process, and write its name and mappings.  @identity is NULL if /proc
 * does not show the process.  If @cmdline is NULL, read the command line from
 * /proc.
 */
void syc_tracked_announce(struct syc_processes *processes,
                          struct syc_tracked_process *process,
                          const struct syc_procfs_identity *identity,
                          const char *cmdline);

/** Return whether @a and @b may run the same program. */
bool syc_tracked_same_program(const struct syc_procfs_identity *a,
                              const struct syc_procfs_identity *b);

/**
 * Handle the data about a live process, which may show another program, new
 * mappings, or an unnoticed end.
 */
void syc_tracked_see(struct syc_processes *processes,
                     struct syc_tracked_process *process,
                     const struct syc_procfs_seen *seen);

/** Examine @process now. */
void syc_tracked_look(struct syc_processes *processes,
                      struct syc_tracked_process *process);

/** End the watch of the code of @process, which is final. */
void syc_tracked_end_code(struct syc_tracked_process *process);

/** Write the EXIT frame of @process. */
void syc_tracked_write_exit(struct syc_processes *processes,
                            struct syc_tracked_process *process);

/**
 * Write the EXIT frame of @process, which has ended, and whose last frames are
 * in the file.
 */
void syc_tracked_end(struct syc_processes *processes,
                     struct syc_tracked_process *process);

#endif
