/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer_ledger.h - requests to a writer and its results, and comparison of
 * these with the output. The memory outlives the calling process.
 *
 * Each frame has its own number, which determines its content.  Handlers and
 * interrupted code take numbers by one instruction.  Only this file's code
 * reads the captures.
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
	LEDGER_UNDER_WAY, /* in the output once or never */
	LEDGER_TRUE,      /* in the output once */
	LEDGER_FALSE,     /* not in the output */
	/* added by two processes: in the output once or twice */
	LEDGER_TWICE,
};

enum ledger_kind {
	LEDGER_MARK,
	LEDGER_SAMPLE,
	LEDGER_SET,
	LEDGER_LOG,
	LEDGER_KINDS,
};

struct ledger {
	uint32_t n[LEDGER_KINDS]; /* taken numbers */
	/* number of new names */
	uint32_t n_names;
	uint32_t n_refused;
	uint32_t n_inside; /* number of handlers during a call */
	uint8_t states[LEDGER_KINDS][LEDGER_MAX];
};

/** Makes a ledger that this process and its children share. */
struct ledger *ledger_new(void);
void ledger_free(struct ledger *ledger);
/** Is there space for some thousands more? */
bool ledger_has_room(const struct ledger *ledger);

/*
 * Each function adds one frame, and enters the frame in the ledger.  A sample's
 * function has its own name if @is_new, else one of a few names.
 */
bool ledger_mark(struct ledger *ledger, SysprofCaptureWriter *writer);
bool ledger_sample(struct ledger *ledger, SysprofCaptureWriter *writer,
                   bool is_new);
bool ledger_set(struct ledger *ledger, SysprofCaptureWriter *writer);
bool ledger_log(struct ledger *ledger, SysprofCaptureWriter *writer);

/**
 * Check that the @size bytes at @data are a capture of complete frames, as in
 * the ledger, with each name before its users.  With @is_killed the last frame
 * may be cut, and accepted frames may be missing.
 */
void ledger_check(const struct ledger *ledger, const unsigned char *data,
                  size_t size, bool is_killed);

/** Checks the content of the file @fd like ledger_check(). */
void ledger_check_file(const struct ledger *ledger, int fd, bool is_killed);

#endif
