/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * resolver.h - which function an address of a capture is in.
 *
 *	syc_symbols_new(&options, &symbols);
 *	syc_symbols_add_file(symbols, &file);	as often as wanted, any time
 *	syc_symbols_learn(symbols, reader);	one walk: who had what mapped
 *	syc_symbols_find(symbols, &where, &symbol);
 *	syc_symbols_free(symbols);
 *
 * What a process had mapped comes from MAP, FORK and EXIT, by their times;
 * where the files are, from the options, from OVERLAY and from embedded
 * /proc/PID/mountinfo.  Files are opened when an address in them is asked
 * for, and only believed if their build-id, or else their inode, is the
 * MAP's.  docs/symbols.md has the order in which names are looked for.
 *
 * Whoever wants the table that readers take names from needs table.h only
 * beside this.  One thread at a time.  Context of all: offline.
 */
#ifndef SYC_SYMBOLS_RESOLVER_H
#define SYC_SYMBOLS_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "symbols/symbol_files.h"

struct syc_symbols;

/** A name for a range of addresses of one process. */
struct syc_symbol {
	uint64_t begin, end; /* the first; the one behind the last */
	const char *name;    /* demangled; lives as long as the resolver */
	const char *nick;    /* the library's name, or "" */
	bool is_named;       /* false: "In File PATH+0xOFFSET" */
	bool is_signal;      /* returns from a handler: what called is exact */
	bool is_always;      /* the answer is the same at any time */
	/* The file that it is in, also of no function of it; NULL: in none */
	struct syc_symbols_use *use;
};

struct syc_symbol_query {
	int32_t pid;
	int64_t time;
	uint64_t address;
	/* A return address: the call is before it, and what is called may
	 * never have been meant to return to what follows. */
	bool is_return;
};

/**
 * Names for code that no file has, asked before files are.  Fills begin, end,
 * name and nick, which have to live as long as the resolver; the range is what
 * was there at the query's time.  1, or 0: not known, or -ENOMEM.
 */
typedef int (*syc_symbols_code)(void *data,
                                const struct syc_symbol_query *query,
                                struct syc_symbol *ret_symbol);

/** All zero is good.  Texts are copied. */
struct syc_symbols_options {
	/* Where the file system of the recorded machine is; NULL: "/". */
	const char *root;
	/* Folders laid out as /usr/lib/debug, searched before that one and
	 * before those in SYSCAP_DEBUG_DIRS (separated by colons). */
	const char *const *debug_dirs;
	size_t n_debug_dirs;
	/* The processes ran here and now: look through /proc/PID/root. */
	bool is_live;
	syc_symbols_code code; /* NULL: none */
	void *code_data;
	/* Remember what is asked for: for syc_symbols_places(). */
	bool has_lines;
};

/** 0 or -ENOMEM. */
int syc_symbols_new(const struct syc_symbols_options *options,
                    struct syc_symbols **ret_symbols);

void syc_symbols_free(struct syc_symbols *symbols);

/**
 * Hand over a file.  The descriptor is kept open until syc_symbols_free(),
 * one per file: what was added before, by device and inode, is not again.
 * 0, -ENOMEM, or what dup() and fstat() fail with.
 */
int syc_symbols_add_file(struct syc_symbols *symbols,
                         const struct syc_symbols_file *file);

/** Hand over the vDSO of this kernel, for MAPs of "[vdso]".  0 or -errno. */
int syc_symbols_add_vdso(struct syc_symbols *symbols);

/**
 * Learn from all frames of @reader, which is rewound before and is read to
 * its end, or to where it is damaged.  0 or -ENOMEM.
 */
int syc_symbols_learn(struct syc_symbols *symbols,
                      struct syscap_reader *reader);

/**
 * The same for a caller that walks a capture by itself: its date, as its header
 * has it, each frame, and that there are no more for now.  0 or -ENOMEM.
 */
void syc_symbols_begin(struct syc_symbols *symbols, const char *capture_time);
int syc_symbols_learn_frame(struct syc_symbols *symbols,
                            const struct syscap_frame *frame);
int syc_symbols_learned(struct syc_symbols *symbols);

/**
 * The function that @query's address was in.  1; 0: nothing is known about
 * it, is_always counts nevertheless; -ENOMEM.  Addresses of the kernel, of JIT names and markers are none.
 */
int syc_symbols_find(struct syc_symbols *symbols,
                     const struct syc_symbol_query *query,
                     struct syc_symbol *ret_symbol);

/** All addresses of files that were asked for; NULL: not remembered. */
struct syc_line_places;
struct syc_line_places *syc_symbols_places(struct syc_symbols *symbols);

/** Whether names were asked for that libstdc++ would have been needed for. */
bool syc_symbols_lacks_demangler(const struct syc_symbols *symbols);

/** Call @each for every file that was asked for, in the order of that. */
void syc_symbols_each_use(const struct syc_symbols *symbols,
                          void (*each)(void *data,
                                       const struct syc_symbols_use *use),
                          void *data);

#endif
