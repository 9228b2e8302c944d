/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * resolver.h - resolver of the addresses in a capture to names.
 *
 *	syc_symbols_new(&options, &symbols);
 *	syc_symbols_add_file(symbols, &file);	any number of times, any time
 *	syc_symbols_learn(symbols, reader);	reads all mappings
 *	syc_symbols_find(symbols, &where, &symbol);
 *	syc_symbols_free(symbols);
 *
 * The mappings of a process come from MAP, FORK and EXIT, by their times.  The
 * locations of files come from the options, from OVERLAY, and from embedded
 * /proc/PID/mountinfo.  The resolver opens a file at the first address in the
 * file.  The resolver accepts a file only if the build-id, or else the inode,
 * equals the value in the MAP.  docs/symbols.md has the order of the search.
 *
 * symbol_table.h makes the table from which readers take names.  Only one
 * thread at a time uses a resolver.  Context of all functions: offline.
 */
#ifndef SYC_SYMBOLS_RESOLVER_H
#define SYC_SYMBOLS_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "capture/embedded.h"
#include "common/containers.h"
#include "symbols/module_finder.h"

struct syc_symbols;

/** A name for a range of addresses of one process. */
struct syc_symbol {
	uint64_t begin, end; /* end is exclusive */
	const char *name;    /* demangled, valid as long as the resolver */
	const char *nick;    /* the library's name, or "" */
	bool is_named;       /* false if the name is "In File PATH+0xOFFSET" */
	bool is_signal;      /* signal trampoline, with an exact outer frame */
	bool is_always;      /* the answer is the same at any time */
	/*
	 * The file that contains the address, even without a function at the
	 * address, or NULL.
	 */
	struct syc_symbols_use *use;
};

struct syc_symbol_query {
	int32_t pid;
	int64_t time;
	uint64_t address;
	/*
	 * The address is a return address.  The preceding call may be the end
	 * of its function if the called function never returns.
	 */
	bool is_return;
};

/**
 * Lookup of code without a file, which takes precedence over files.  Fills
 * begin, end, name and nick, whose texts must exist as long as the resolver.
 * The range is the code at the query's time.  Returns 1, 0 for unknown code, or
 * -ENOMEM.
 */
typedef int (*syc_symbols_code)(void *data,
                                const struct syc_symbol_query *query,
                                struct syc_symbol *ret_symbol);

/** Options of a resolver, which copies the texts.  A zero-initialized struct is
 * valid. */
struct syc_symbols_options {
	/* The root directory of the recorded machine's files, or NULL for
	 * "/". */
	const char *root;
	/*
	 * Directories with the layout of /usr/lib/debug, searched before
	 * /usr/lib/debug and before the directories in SYSCAP_DEBUG_DIRS
	 * (separated by colons).
	 */
	const char *const *debug_dirs;
	size_t n_debug_dirs;
	/* Use /proc/PID/root, because the processes are of this machine and may
	 * be alive. */
	bool is_live;
	syc_symbols_code code; /* lookup of code without a file, or NULL */
	void *code_data;
	struct syc_debuginfod_options debuginfod;
	/* Collect the addresses for syc_symbols_places(). */
	bool has_lines;
};

/** Create a resolver.  Returns 0 or -ENOMEM. */
int syc_symbols_new(const struct syc_symbols_options *options,
                    struct syc_symbols **ret_symbols);

void syc_symbols_free(struct syc_symbols *symbols);

/**
 * Hand over a file.  A duplicate of the fd stays open until syc_symbols_free().
 * The resolver keeps each file once, by device and inode.  Returns 0, -ENOMEM,
 * or an errno of dup() or fstat().
 */
int syc_symbols_add_file(struct syc_symbols *symbols,
                         const struct syc_symbols_file *file);

/** Hand over this kernel's vDSO, for MAPs of "[vdso]".  Returns 0 or -errno. */
int syc_symbols_add_vdso(struct syc_symbols *symbols);

/**
 * Read all frames of @reader, from its beginning to its end or to the first
 * damage.  Returns 0 or -ENOMEM.
 */
int syc_symbols_learn(struct syc_symbols *symbols,
                      struct syscap_reader *reader);

/**
 * Like syc_symbols_learn(), for a caller that itself reads the capture.  The
 * caller passes the date in the capture's header, then each frame, then the end
 * of the frames.  Returns 0 or -ENOMEM.
 */
void syc_symbols_begin(struct syc_symbols *symbols, const char *capture_time);

int syc_symbols_learn_frame(struct syc_symbols *symbols,
                            const struct syscap_frame *frame);

int syc_symbols_learned(struct syc_symbols *symbols);

/**
 * Find the function that contained @query's address.  Returns 1, 0 if the
 * address is unknown, with a valid is_always, or -ENOMEM.  Addresses of the
 * kernel, JIT names and markers are unknown.
 */
int syc_symbols_find(struct syc_symbols *symbols,
                     const struct syc_symbol_query *query,
                     struct syc_symbol *ret_symbol);

/** Return all addresses that were found in files, or NULL if they were not
 * collected. */
struct syc_line_places;

struct syc_line_places *syc_symbols_places(struct syc_symbols *symbols);

/** Return NULL, or the reason for which downloads ended, to print after
 * "downloads of debug files ended: ". */
const char *syc_symbols_downloads_ended(const struct syc_symbols *symbols);

/** Return whether some names stayed mangled because libstdc++ was not found. */
bool syc_symbols_lacks_demangler(const struct syc_symbols *symbols);

/**
 * Return whether @use is anonymous memory, such as JIT code or the heap, which
 * has no symbols.
 */
bool syc_symbols_is_memory(const struct syc_symbols_use *use);

/** Call @each for every file with addresses, ordered by first use. */
void syc_symbols_each_use(const struct syc_symbols *symbols,
                          void (*each)(void *data,
                                       const struct syc_symbols_use *use),
                          void *data);

/* Debian packages of files on this machine. */

#define SYC_PACKAGE_NAME 80
#define SYC_PACKAGE_INFO "/var/lib/dpkg/info"

/**
 * Store the name of the package that has each file, or "" if unknown.  @info is
 * the directory of dpkg's lists, all of which are read, some 20 MB.  Context:
 * offline.
 */
void syc_packages_find(const char *info, const char *const *paths, size_t n,
                       char (*ret_names)[SYC_PACKAGE_NAME]);

#endif
