/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recovering.h - recoveries of files of make_rings.h, and kills of a recovery.
 *
 * In a test program with this file, the system calls of a recovery fail, or end
 * the process, on a test's request.
 */
#ifndef SYSCAP_RECOVERING_H
#define SYSCAP_RECOVERING_H

#include <stdbool.h>

#include "capture/make_rings.h"
#include "capture/recover.h"

/** Number of bytes that a file can hold; -1: no limit. */
extern long recovering_room;

/** The directory of this test's files. */
extern char recovering_dir[];

/**
 * Make a capture with marks 0 and 1, and rings with 10 more.  One of the 10
 * marks crosses the end of its ring.  3 losses are not reported.
 */
void recovering_begin(struct make_rings *r);
void recovering_end(struct make_rings *r);

bool recovering_is_there(const char *path);

/** Recover @path. recovering_run() must succeed; recovering_refuse() must fail
 * with @code and a message. */
void recovering_run(const char *path, struct syc_recovered *recovered);
void recovering_refuse(const char *path, int code, const char *why);

/** Recover @path in a process that ends at call @n.  False: the recovery made
 * fewer calls. */
bool recovering_run_until(const char *path, int n, bool half);

/** Checks that a reader finds every mark once, and one record of the 3
 * losses. */
void recovering_check_marks(const struct make_rings *r);

/** Checks the same in the capture alone, and that nothing is left to
 * recover. */
void recovering_check_done(const struct make_rings *r);

#endif
