/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_state.h - parts of a join, for join*.c only.
 *
 * Unique counter ids: in a file, readers identify a counter only by its id.
 * For a process of an input, an id means the first of these that exists:
 *
 * - the last definition of the id before the value in the file.
 * - the first definition after the value.
 * - the last definition by any process of the input, because the children of a
 *   process set its counters.
 * - a counter without definition, only of this process.
 *
 * Each of these counters gets a unique id.
 */
#ifndef SYC_CAPTURE_JOIN_STATE_H
#define SYC_CAPTURE_JOIN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "capture/join.h"
#include "common/containers.h"

#define SYC_JOIN_COUNTER_MAX UINT32_C(0xFFFFFF)

struct syc_join_definition {
	const unsigned char *frame; /* the CTRDEF in the map; i is the counter's
	                             * index */
	uint16_t i;
	bool is_hoisted; /* written before all other frames */
	bool is_written;
	uint32_t new_id;
	uint64_t value;
};

/* Meaning of an id for a process. */
struct syc_join_use {
	int32_t pid;
	uint32_t id;
	bool is_defined;            /* the same process defines the id */
	const unsigned char *early; /* a CTRSET before the definition, or
	                             * NULL */
	uint32_t new_id;            /* new id of the next value */
};

/** The counters of one input.  The struct is initially all zero. */
struct syc_join_counters {
	struct syc_map by_text; /* pid, id, and all distinguishing fields */
	struct syc_map by_use;  /* uses by pid and id */
	struct syc_map by_id;
	SYC_ARRAY(struct syc_join_definition) definitions;
	SYC_ARRAY(struct syc_join_use) uses;
	/* Number of the last definition of each id. */
	SYC_ARRAY(size_t) last_of_id;
};

void syc_join_counters_fini(struct syc_join_counters *counters);

/**
 * Record @frame, a CTRDEF or CTRSET.  *@last is the latest new id of the join.
 * Returns 0, -ENOMEM, or -ENOSPC if no id is left.
 */
int syc_join_counters_scan(struct syc_join_counters *counters,
                           const struct syscap_frame *frame, bool big,
                           uint32_t *last);

/** Settle the ids of values without a definition.  Called after the scan. */
int syc_join_counters_settle(struct syc_join_counters *counters,
                             uint32_t *last);

/**
 * Put the renumbered new definitions of the next CTRDEF that precedes all other
 * frames into @buffer.  *@at is the position, initially 0.  Returns false at
 * the end.
 */
bool syc_join_counters_hoist(struct syc_join_counters *counters, bool big,
                             size_t *at, unsigned char *buffer);

/**
 * Renumber the CTRDEF in @buffer, which is little-endian, and remove
 * definitions that were written already.  Returns the number of removed
 * definitions, and whether no definition is left.
 */
unsigned syc_join_counters_define(struct syc_join_counters *counters,
                                  unsigned char *buffer, bool *ret_is_empty);

/**
 * Renumber the CTRSET in @buffer, which is little-endian, and move unused slots
 * after the used slots.
 */
void syc_join_counters_set(const struct syc_join_counters *counters,
                           unsigned char *buffer);

/*
 * Embedded files of captures that are joined.
 *
 * Readers take the chunks of a path up to the first chunk that ends a file.
 * So only one of all files with a path may keep the path.  The join writes
 * equal files once, and gives a new path to files that differ.  The files of a
 * single input do not change.
 */

enum syc_join_fate {
	SYC_JOIN_KEPT,
	SYC_JOIN_RENAMED,
	SYC_JOIN_DROPPED, /* another input has an equal file */
	SYC_JOIN_MERGED   /* merged into one table of symbols, or of lines */
};

/** All chunks of one path in one input. */
struct syc_join_file {
	const char *path; /* text in the mapped input */
	SYC_ARRAY(const unsigned char *) chunks;
	uint64_t size;
	enum syc_join_fate fate;
	char *new_path;
};

/** The files of one input.  The struct is initially all zero. */
struct syc_join_files {
	struct syc_map by_path;
	SYC_ARRAY(struct syc_join_file) files;
	bool big; /* the input's byte order */
};

/** The paths of all inputs.  The struct is initially all zero. */
struct syc_join_paths {
	struct syc_map taken;
	struct syc_map by_path; /* paths of the files that are settled */
	SYC_ARRAY(struct syc_join_path *) paths;
};

void syc_join_files_fini(struct syc_join_files *files);
void syc_join_paths_fini(struct syc_join_paths *paths);

/** Record @frame, a FILE_CHUNK.  Returns 0 or -ENOMEM. */
int syc_join_files_scan(struct syc_join_files *files,
                        struct syc_join_paths *paths,
                        const struct syscap_frame *frame);

/** Return the file of @path, or NULL. */
struct syc_join_file *syc_join_files_find(const struct syc_join_files *files,
                                          const char *path);

/**
 * Decode chunk @i of @file.  Returns false if the input changed, and the frame
 * is no longer a chunk.
 */
bool syc_join_files_chunk(const struct syc_join_files *files,
                          const struct syc_join_file *file, size_t i,
                          struct syscap_frame *ret_chunk);

/** Return the content of all chunks, from malloc(), or NULL if no memory is
 * left, or a chunk is unreadable. */
unsigned char *syc_join_files_content(const struct syc_join_files *files,
                                      const struct syc_join_file *file);

/**
 * Return whether the chunks are one file.  Chunks after the end of a file begin
 * another file, which readers ignore.
 */
bool syc_join_files_is_one(const struct syc_join_files *files,
                           const struct syc_join_file *file);

/**
 * Return whether the contents of both files are equal, and end at the same
 * offsets.
 */
bool syc_join_files_equal(const struct syc_join_files *files,
                          const struct syc_join_file *file,
                          const struct syc_join_files *other_files,
                          const struct syc_join_file *other);

/** Reserve the path @text, so that no file keeps the path.  Returns 0 or
 * -ENOMEM. */
int syc_join_files_reserve(struct syc_join_paths *paths, const char *text);

/**
 * Decide on @file, unless it is SYC_JOIN_MERGED. All files of earlier
 * inputs are settled already.  Returns 0 or -ENOMEM.
 */
int syc_join_files_settle(struct syc_join_paths *paths,
                          const struct syc_join_files *files,
                          struct syc_join_file *file);

/**
 * Give @file the path @text, which contains the new pid of its process.
 * Returns 1, 0 if the path is taken, or -ENOMEM.
 */
int syc_join_files_move(struct syc_join_paths *paths,
                        struct syc_join_file *file, const char *text);

/** Store the new path of @file into the FILE_CHUNK in @buffer. */
void syc_join_files_rename(const struct syc_join_file *file,
                           unsigned char *buffer);

/*
 * Unique JIT addresses in a joined capture.
 *
 * Readers look names up only by address, in the whole file.  So every address
 * in a JITMAP of an input gets a new address, separately for each pid.  If a
 * stack has another pid, the first JITMAP with the address applies.
 */

/** The addresses of one input.  The struct is initially all zero. */
struct syc_join_jit {
	struct syc_map by_pid; /* map with keys of struct pid_addr */
	struct syc_map by_addr;
	SYC_ARRAY(uint32_t) of_pid; /* new lower halves of addresses */
	SYC_ARRAY(uint32_t) of_addr;
	SYC_ARRAY(const unsigned char *) frames; /* the JITMAPs, in the map */
};

void syc_join_jit_fini(struct syc_join_jit *jit);

/**
 * Record the names in @frame, a JITMAP.  *@last is the lower half of the latest
 * new address.  Returns 0, -ENOMEM, or -ENOSPC if no address is left.
 */
int syc_join_jit_scan(struct syc_join_jit *jit,
                      const struct syscap_frame *frame, bool big,
                      uint32_t *last);

/**
 * Renumber the JITMAP in @buffer, which is little-endian.  @frame is the
 * original.
 */
void syc_join_jit_names(const struct syc_join_jit *jit,
                        const struct syscap_frame *frame,
                        unsigned char *buffer);

/**
 * Renumber the @n addresses at @addrs, little-endian: a stack of process @pid.
 * A JIT address without a name gets a new address, too, because the old address
 * may have a name in another input.
 */
int syc_join_jit_stack(struct syc_join_jit *jit, int32_t pid,
                       unsigned char *addrs, unsigned n, uint32_t *last);

/*
 * Distinct processes in a joined capture.
 *
 * Readers identify a process by its pid, for its maps and the function names of
 * its stacks.  Two inputs may use one pid for two processes, for example pid 1
 * of two containers.
 *
 * The later process gets a number that no Linux process has, from
 * SYC_JOIN_PIDS_FIRST on.  A METADATA frame "syscap.pid" stores the process'
 * original pid.
 */

/** Linux has at most 2^22 pids. */
#define SYC_JOIN_PIDS_FIRST ((INT32_C(1) << 22) + 1)

#define SYC_JOIN_PIDS_ID "syscap.pid"

/** A mapped file; its texts are in the input's map. */
struct syc_join_region {
	uint64_t start, end, offset, inode;
	/* Path, and build-id or NULL. */
	const char *filename, *build_id;
};

/** A process of an input. */
struct syc_join_process {
	int32_t pid;
	int32_t original; /* pid before an earlier join; otherwise pid */
	int32_t new_pid;  /* valid once the join is settled */
	int64_t first;    /* time of the first frame, ns */
	int64_t ended;    /* time of the EXIT frame, or INT64_MAX */
	SYC_ARRAY(struct syc_join_region) regions;
	SYC_ARRAY(const char *) cmdlines;
};

/** The processes of one input.  The struct is initially all zero. */
struct syc_join_pids {
	struct syc_map by_pid;
	SYC_ARRAY(struct syc_join_process) processes;
	size_t latest;      /* index of the latest result */
	unsigned n_changed; /* processes with a new number */
};

void syc_join_pids_fini(struct syc_join_pids *pids);

/** Record the data about a process in @frame.  Returns 0 or -ENOMEM. */
int syc_join_pids_scan(struct syc_join_pids *pids,
                       const struct syscap_frame *frame);

/** Renumber the little-endian frame in @buffer. */
void syc_join_pids_frame(const struct syc_join_pids *pids,
                         unsigned char *buffer);

/** Renumber the table of symbols @data, which can be merged. */
void syc_join_pids_table(const struct syc_join_pids *pids, unsigned char *data,
                         bool big);

/**
 * Store the new path of an embedded file of a renumbered process,
 * "/proc/PID/...", in @text.  Returns false if the file keeps its path.
 */
bool syc_join_pids_path(const struct syc_join_pids *pids, const char *path,
                        char *text, size_t size);

/**
 * Compose the METADATA frame of @process in @buffer.  Returns false if the
 * process needs no frame.
 */
bool syc_join_pids_metadata(const struct syc_join_process *process,
                            unsigned char *buffer);

/*
 * Equality of processes of two inputs.
 *
 * No frame identifies a process, but the mappings of a process do, because
 * mappings have random addresses.  Two inputs have the same process if the
 * first mappings have the same file and address.  If both processes have more
 * mappings, another mapping must also be equal.
 *
 * If one of the processes has no maps, the command lines decide.  If one
 * process ended before the other began, the processes differ.  The join treats
 * a process that exec'ed between two captures as two processes.
 */

/**
 * Give every process of the @n inputs its number.  Returns 0 or -ENOMEM.  Calls
 * @reported for each process with a new number, with the index of its input and
 * of an input that uses the old number.
 */
int syc_join_pids_settle(
	struct syc_join_pids *const *inputs, size_t n,
	void (*reported)(void *data, size_t input,
                         const struct syc_join_process *process, size_t other),
	void *data);

struct syc_join_input {
	char *name;
	struct syscap_reader *reader;
	struct syscap_file_info info;
	bool big;
	int64_t end; /* the latest end in the header and in all frames */
	uint64_t damaged;
	struct syc_join_counters counters;
	struct syc_join_jit jit;
	struct syc_join_pids pids;
	struct syc_join_files files;
};

struct syc_join {
	struct syc_join_options options;
	struct syc_join_totals totals;
	SYC_ARRAY(struct syc_join_input *) inputs;
	struct syc_join_paths paths;
	unsigned char *symbols; /* the merged table, or NULL */
	size_t symbols_size;
	int64_t symbols_time; /* time of the first table */
	unsigned char *lines; /* the merged table of source lines, or NULL */
	size_t lines_size;
	int64_t lines_time;
	uint64_t done, all; /* bytes read, and to be read */
	uint64_t next_progress;
};

/** Report a message about @input, which may be NULL, from a printf() format. */
void syc_join_report(struct syc_join *join, const struct syc_join_input *input,
                     bool is_problem, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
