/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rewrite.h - write a capture anew, with a table of symbols in it.
 *
 * Into a file beside the target, which takes the target's place when it is
 * whole and on the disk: at any moment the target is the old capture or the
 * new one.  All frames are copied byte for byte, but for the addresses that
 * the table has patches for, and the tables that were there.
 *
 * Context of all: offline; SIGXFSZ must be ignored.
 */
#ifndef SYC_SYMBOLS_REWRITE_H
#define SYC_SYMBOLS_REWRITE_H

#include <sys/stat.h>

#include "symbols/table.h"

struct syc_rewrite {
	struct syscap_reader *reader;         /* little-endian, and whole */
	const char *source;                   /* what it reads */
	const char *target;                   /* may be the same */
	const struct syc_symbol_table *table; /* NULL: only copy */
	const unsigned char *lines; /* NULL: those that are there stay */
	size_t lines_size;
	int64_t end;        /* the time of its frames */
	struct stat before; /* of source, older than reader */
};

/**
 * Make the file beside the target, and store its path, which whoever is ended
 * by a signal should remove.  A descriptor for syc_rewrite_finish(), or -errno.
 */
int syc_rewrite_begin(const struct syc_rewrite *rewrite, char *temporary,
                      size_t size, struct syscap_error *error);

/**
 * Write it and put it in place; @fd is closed.  If that fails it is removed
 * again.  0 or -errno; -EBUSY, -EAGAIN: somebody writes to the target, or has
 * written to the source meanwhile, which are left alone.
 */
int syc_rewrite_finish(const struct syc_rewrite *rewrite, int fd,
                       const char *temporary, struct syscap_error *error);

#endif
