/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * console.h - messages of the recorder on standard error.
 *
 * Diagnostics are rate-limited, because hostile or broken clients must not be
 * able to fill a terminal.  Only terminals get the progress line.
 */
#ifndef SYC_RECORDER_CONSOLE_H
#define SYC_RECORDER_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

struct syc_console {
	bool quiet;
	bool terminal;
	bool line_shown;
	int64_t began, next_line; /* ns */
	/* Ns: time at which one more diagnostic is allowed. */
	int64_t next_token;
	unsigned tokens;
	uint64_t suppressed;
};

struct syc_console_counts {
	uint64_t frames, bytes, lost;
};

void syc_console_init(struct syc_console *console, bool quiet, int64_t now);

/** Print one line, prefixed by the name of this command. */
void syc_console_print(struct syc_console *console, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Draw the progress line if it is due. */
void syc_console_progress(struct syc_console *console, int64_t now,
                          const struct syc_console_counts *counts);

/** Draw the progress line while names are looked up: @done bytes of @all. */
void syc_console_naming(struct syc_console *console, int64_t now, uint64_t done,
                        uint64_t all);

/** Erase the progress line, and print the number of suppressed messages. */
void syc_console_finish(struct syc_console *console);

#endif
