/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * resolver.h - names of the addresses in a capture.
 *
 *	syc_symbols_new(&options, &symbols);
 *	syc_symbols_add_file(symbols, &file);	any number of times, any time
 *	syc_symbols_learn(symbols, reader);	reads all mappings
 *	syc_symbols_find(symbols, &where, &symbol);
 *	syc_symbols_free(symbols);
 *
 * The mappings of a process come from MAP, FORK and EXIT, by their times.  The
 * locations of files come from the options, from OVERLAY, and from embedded
 * /proc/PID/mountinfo.  A file is opened at the first address in it.  A file is
 * accepted only if its build-id, or else its inode, equals the value in the
 * MAP. docs/symbols.md has the order of the search.
 *
 * symbol_table.h makes the table from which readers take names.  One thread at
 * a time.  Context of all functions: offline.
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
	const char *name;    /* demangled; valid as long as the resolver */
	const char *nick;    /* the library's name, or "" */
	bool is_named;       /* false: the name is "In File PATH+0xOFFSET" */
	bool is_signal; /* a signal trampoline: the frame above it is exact */
	bool is_always; /* the answer is the same at any time */
	/*
	 * The file that contains the address, even without a function there;
	 * NULL: none.
	 */
	struct syc_symbols_use *use;
};

struct syc_symbol_query {
	int32_t pid;
	int64_t time;
	uint64_t address;
	/*
	 * A return address.  The call is before the address, and may be the end
	 * of its function if the called function never returns.
	 */
	bool is_return;
};

/**
 * Names for code without a file, which take precedence over files.  Fills
 * begin, end, name and nick; the texts must exist as long as the resolver.  The
 * range is the code at the query's time.  Returns 1, 0: unknown, or -ENOMEM.
 */
typedef int (*syc_symbols_code)(void *data,
                                const struct syc_symbol_query *query,
                                struct syc_symbol *ret_symbol);

/** A struct of zeros is valid.  Texts are copied. */
struct syc_symbols_options {
	/* The root directory of the recorded machine's files; NULL: "/". */
	const char *root;
	/*
	 * Directories with the layout of /usr/lib/debug.  These directories are
	 * searched before /usr/lib/debug and before the directories in
	 * SYSCAP_DEBUG_DIRS (separated by colons).
	 */
	const char *const *debug_dirs;
	size_t n_debug_dirs;
	/* The processes are of this machine and may be alive: use
	 * /proc/PID/root. */
	bool is_live;
	syc_symbols_code code; /* lookup of code without a file; NULL: none */
	void *code_data;
	/* Collect the addresses for syc_symbols_places(). */
	bool has_lines;
};

/** Returns 0 or -ENOMEM. */
int syc_symbols_new(const struct syc_symbols_options *options,
                    struct syc_symbols **ret_symbols);

void syc_symbols_free(struct syc_symbols *symbols);

/**
 * Hand over a file.  A duplicate of the descriptor stays open until
 * syc_symbols_free(); each file is kept once, by device and inode.  Returns 0,
 * -ENOMEM, or an errno of dup() or fstat().
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
 * Like syc_symbols_learn(), for a caller that reads the capture itself.  Pass
 * the date in the capture's header, then each frame, then the end of the frames
 * so far.  Returns 0 or -ENOMEM.
 */
void syc_symbols_begin(struct syc_symbols *symbols, const char *capture_time);

int syc_symbols_learn_frame(struct syc_symbols *symbols,
                            const struct syscap_frame *frame);

int syc_symbols_learned(struct syc_symbols *symbols);

/**
 * Find the function that contained @query's address.  Returns 1; 0: unknown,
 * but is_always is valid; -ENOMEM.  Addresses of the kernel, JIT names and
 * markers are unknown.
 */
int syc_symbols_find(struct syc_symbols *symbols,
                     const struct syc_symbol_query *query,
                     struct syc_symbol *ret_symbol);

/** All addresses that were found in files; NULL: not collected. */
struct syc_line_places;

struct syc_line_places *syc_symbols_places(struct syc_symbols *symbols);

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
 * Store the name of the package that has each file; "": unknown.  @info: the
 * directory of dpkg's lists.  Reads all lists, some 20 MB.  Context: offline.
 */
void syc_packages_find(const char *info, const char *const *paths, size_t n,
                       char (*ret_names)[SYC_PACKAGE_NAME]);

#endif
