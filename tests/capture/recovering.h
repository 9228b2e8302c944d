/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recovering.h - recover what make_rings.h makes, and let it be killed.
 *
 * In a test program with this file, the system calls of a recovery fail, or end
 * the process, if a test requests it.
 */
#ifndef SYSCAP_RECOVERING_H
#define SYSCAP_RECOVERING_H

#include <stdbool.h>

#include "capture/make_rings.h"
#include "capture/recover.h"

/** So many bytes of a file can be written; -1: all. */
extern long recovering_room;

/** The folder of this test's files. */
extern char recovering_dir[];

/**
 * A capture with marks 0 and 1, and rings with 10 more.  One of these crosses
 * the end of its ring.  3 losses are not reported.
 */
void recovering_begin(struct make_rings *r);
void recovering_end(struct make_rings *r);

bool recovering_is_there(const char *path);

/** Recover @path: that must do, or must fail with @code and a message. */
void recovering_run(const char *path, struct syc_recovered *recovered);
void recovering_refuse(const char *path, int code, const char *why);

/** Recover @path in a process that ends at call @n.  False: it got through. */
bool recovering_run_until(const char *path, int n, bool half);

/** A reader finds every mark once, and one record of the 3 losses. */
void recovering_check_marks(const struct make_rings *r);

/** The same in the capture alone, and nothing is left to do. */
void recovering_check_done(const struct make_rings *r);

#endif
