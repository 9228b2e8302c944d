/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_sources.h - readers of runtimes' reports about their code: jitdumps,
 * perf maps, and images of GDB's JIT interface.
 */
#ifndef SYC_CODE_CODE_SOURCES_H
#define SYC_CODE_CODE_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <syscap/capture.h>

#include "code/code_table.h"

/*
 * Reader of a growing jit-PID.dump, which a runtime writes for perf.
 *
 * The file has a header, and records with a length and a time of
 * CLOCK_MONOTONIC.  So a record can be read at any later time.  The runtime
 * maps a page of the file as code, and the mapping shows the file's path.  The
 * reader supports both byte orders.
 */

struct syc_jitdump;

/**
 * Read the file @fd, which syc_jitdump_free() closes.  @pid is the process's
 * number in its own namespace, or 0.  The reader skips records whose pid is
 * neither @pid nor the header's pid.
 *
 * Context: offline.
 */
int syc_jitdump_new(int fd, int32_t pid, struct syc_jitdump **ret_dump);

void syc_jitdump_free(struct syc_jitdump *dump);

/**
 * Read the new complete records into @table, and leave an incomplete record for
 * the next call.  A call without new records costs one system call.
 *
 * Returns 0, or fills @error.  Returns -EBADMSG if the file is not a jitdump,
 * or if damage at the offset hides later records.  Returns -EOPNOTSUPP for an
 * unknown clock or version.  Returns -ENOSPC if the table is full, or the errno
 * of a system call.  After a failure, every call returns the same error.
 *
 * Context: offline.
 */
int syc_jitdump_read(struct syc_jitdump *dump, struct syc_code_table *table,
                     struct syscap_error *error);

/** Return the number of functions in the records so far. */
uint64_t syc_jitdump_loads(const struct syc_jitdump *dump);

/** Return whether @path has the form .../jit-PID.dump. */
bool syc_jitdump_is_name(const char *path);

/*
 * Reader of a growing /tmp/perf-PID.map, which a runtime writes for perf.
 *
 * The file's lines are "START LEN NAME".  The numbers are hex, with or without
 * 0x.  The name extends to the end of the line.  Lines have no times, so the
 * caller gives the time from which new lines are valid.  A later line replaces
 * overlapping earlier lines.
 *
 * The path is predictable, and its directory is world-writable.  So the file
 * must be a regular file that belongs to the owner of the process, and not a
 * link.
 */

#define SYC_PERF_MAP_TAIL 64u

/** The progress in a file, initially all zero.  The struct owns no memory. */
struct syc_perf_map {
	uint64_t n_ranges; /* number of lines taken */
	uint64_t n_bad;    /* number of malformed lines */
	uint64_t restarts; /* number of replacements of the file */
	/* Private. */
	bool any, in_long_line;
	dev_t device;
	ino_t inode;
	uint64_t size, offset;
	int64_t changed;                       /* ns */
	unsigned char tail[SYC_PERF_MAP_TAIL]; /* bytes before offset */
	unsigned n_tail;
};

struct syc_perf_map_options {
	uid_t owner;
	int64_t from; /* new lines are valid from this time on */
	/* At addresses without older code, new lines are valid from maybe_from
	 * on, because runtimes buffer lines. */
	int64_t maybe_from;
	/* A file that is older than not_before (CLOCK_REALTIME, ns) belongs to
	 * an earlier process with the same pid.  If 0, any file is valid. */
	int64_t not_before;
	bool is_last; /* the file is complete, so take an unfinished last
	               * line */
};

/**
 * Read the new lines of the file @name in the directory @directory (an fd, or
 * AT_FDCWD) into @table.  A call without new lines costs one system call.
 *
 * Returns 0, even if the file does not exist, or fills @error.  Returns -ELOOP
 * or -EINVAL if the file is not regular, -EPERM for another owner, or -ENOSPC
 * if the table is full.  Otherwise returns the errno of a system call.
 *
 * Context: offline.
 */
int syc_perf_map_read(struct syc_perf_map *map, int directory, const char *name,
                      const struct syc_perf_map_options *options,
                      struct syc_code_table *table, struct syscap_error *error);

struct syc_perf_map_line {
	uint64_t start, len;
	const char *name; /* position in the line */
	size_t name_len;
};

/** Parse a line of @len bytes, without newline.  Returns false for a malformed
 * line.  The function has no side effects. */
bool syc_perf_map_parse(const char *line, size_t len,
                        struct syc_perf_map_line *ret_line);

/*
 * The list of images in GDB's JIT interface.
 *
 * A runtime keeps a list of ELF images in its memory, headed by the symbol
 * __jit_debug_descriptor.  Other processes can't see the runtime's lock on the
 * list.  So the reader repeats the read until the list did not change during a
 * read, and limits all lengths.  The list is readable only while the process
 * exists.
 */

/** Bounds of an image's functions. */
struct syc_gdb_jit_cover {
	bool any;
	uint64_t low, last;
};

/**
 * Add the functions of the image at @bytes to @table, from @from on.  Returns
 * 0, -ENOEXEC if the bytes are not an image, or an error of syc_elf_view_read()
 * or syc_code_table_add().  *@ret_cover is valid even on failure.  Context:
 * offline.
 */
int syc_gdb_jit_take_image(const void *bytes, size_t size, int64_t from,
                           struct syc_code_table *table,
                           struct syc_gdb_jit_cover *ret_cover);

struct syc_gdb_jit;

/** Begin to read the list of @pid, whose symbol is at @descriptor.  Context:
 * offline. */
int syc_gdb_jit_new(int32_t pid, uint64_t descriptor,
                    struct syc_gdb_jit **ret_jit);

void syc_gdb_jit_free(struct syc_gdb_jit *jit);

/**
 * Add the images that were registered since the last check to @table, from
 * @from on.  Code of removed images ends at @now.  A call with an unchanged
 * head costs one system call.
 *
 * Returns 0, even if the list kept changing, and is left for the next check.
 * Otherwise fills @error, and returns -EOPNOTSUPP for a version other than 1,
 * -ENOSPC if the table is full, -ENOMEM, or an error of a read.
 *
 * Context: offline.
 */
int syc_gdb_jit_look(struct syc_gdb_jit *jit, int64_t from, int64_t now,
                     struct syc_code_table *table, struct syscap_error *error);

/**
 * Find the symbol's address by the file @fd, which is mapped as code at @mapped
 * from @file_offset on.  Returns 0, -ENOENT without the symbol, or another
 * -errno.
 */
int syc_gdb_jit_find(int fd, uint64_t mapped, uint64_t file_offset,
                     uint64_t *ret_descriptor);

/**
 * Pass a line from a printf() format to @report with @data, unless @report is
 * NULL.
 *
 * Context: offline.
 */
void syc_code_note(void (*report)(void *data, const char *text), void *data,
                   const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
