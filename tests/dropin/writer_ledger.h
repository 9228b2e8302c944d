/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer_ledger.h - requests to a writer and its results, in memory that
 * outlives the calling process; and their comparison with the output.
 *
 * Each frame carries a number of its own, from which its content follows.
 * Handlers and the code they interrupt take numbers by one
 * instruction.  The captures are read with code of this file alone.
 */
#ifndef SYSCAP_WRITER_LEDGER_H
#define SYSCAP_WRITER_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sysprof-capture.h>

#define LEDGER_MAX 600000u

enum ledger_state {
	LEDGER_FREE,
	LEDGER_UNDER_WAY, /* there once or not at all */
	LEDGER_TRUE,      /* there once */
	LEDGER_FALSE,     /* not there */
	LEDGER_TWICE,     /* added by two processes: there once or twice */
};

enum ledger_kind {
	LEDGER_MARK,
	LEDGER_SAMPLE,
	LEDGER_SET,
	LEDGER_LOG,
	LEDGER_KINDS,
};

struct ledger {
	uint32_t n[LEDGER_KINDS]; /* numbers that were taken */
	uint32_t n_names;         /* that nobody had asked for before */
	uint32_t n_refused;
	uint32_t n_inside; /* times that a handler found a call under way */
	uint8_t states[LEDGER_KINDS][LEDGER_MAX];
};

/** Shared by this process and its children. */
struct ledger *ledger_new(void);
void ledger_free(struct ledger *ledger);
/** There is room for some thousands more. */
bool ledger_has_room(const struct ledger *ledger);

/*
 * One frame each, entered in the books.  A sample is in a function with a name
 * of its own where @is_new, else in one of a few.
 */
bool ledger_mark(struct ledger *ledger, SysprofCaptureWriter *writer);
bool ledger_sample(struct ledger *ledger, SysprofCaptureWriter *writer,
                   bool is_new);
bool ledger_set(struct ledger *ledger, SysprofCaptureWriter *writer);
bool ledger_log(struct ledger *ledger, SysprofCaptureWriter *writer);

/**
 * Check that the @size bytes at @data are a capture of whole frames as in the
 * ledger, each name before its users.  The last frame may be cut if
 * @may_be_torn.
 * With @is_killed what was accepted may be missing, too.
 */
void ledger_check(const struct ledger *ledger, const unsigned char *data,
                  size_t size, bool is_killed);

/** The same of all that @fd, a file, holds. */
void ledger_check_file(const struct ledger *ledger, int fd, bool is_killed);

#endif
