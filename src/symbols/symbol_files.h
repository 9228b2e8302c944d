/* SPDX-License-Identifier: BSD-2-Clause */
/* symbol_files.h - the files that names are looked for in: those that are
 * handed over, those that are wanted, and what became of each. */
#ifndef SYC_SYMBOLS_SYMBOL_FILES_H
#define SYC_SYMBOLS_SYMBOL_FILES_H

#include <stdint.h>

/**
 * A file that was mapped, kept open by whoever saw it: it is found even if
 * its path names another by now, or none.
 *
 * MAPs with a build-id take the file that has it.  MAPs without one take the
 * file of their @pid and path (as the MAP has it, " (deleted)" included), if
 * the inodes agree where the MAP has one.
 */
struct syc_symbols_file {
	int fd;           /* stays the caller's; it is duplicated */
	int32_t pid;      /* -1: of any process */
	const char *path; /* as in the MAP; NULL: by build-id only */
	uint64_t inode;   /* 0: not known */
};

/** What a MAP says of a file; the texts outlive whoever looks for it. */
struct syc_symbols_wish {
	int32_t pid;
	const char *path;
	const char *build_id; /* "": it has none */
	uint64_t inode;       /* 0: it has none */
};

enum syc_symbols_state {
	SYC_SYMBOLS_USED,
	SYC_SYMBOLS_UNNAMED, /* read, and it has no names */
	SYC_SYMBOLS_MISSING, /* there is none at its path */
	SYC_SYMBOLS_OTHER,   /* what is there has another build-id or inode */
	SYC_SYMBOLS_NEWER,   /* what is there changed after the recording began,
	                     * and no build-id tells whether it matters */
	SYC_SYMBOLS_BAD      /* cannot be read, or is no ELF file */
};

/** One file that addresses were looked for in. */
struct syc_symbols_use {
	const char *path;     /* as in the MAP */
	const char *build_id; /* of the MAP; NULL: it has none */
	const char *found; /* where it, or debug symbols, were found; or "" */
	const char *why;   /* more about the state; or "" */
	enum syc_symbols_state state;
	uint64_t n_asked; /* addresses */
	uint64_t n_named;
	/* Those without a name, once per stack that they are in: table.h */
	uint64_t n_unnamed_in_stacks;
};

#endif
