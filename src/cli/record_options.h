/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_options.h - values of --sample, --counters, --memory, --io, --stalls
 * and --lines.
 */
#ifndef SYC_CLI_RECORD_OPTIONS_H
#define SYC_CLI_RECORD_OPTIONS_H

#include <stdbool.h>

#include "collect/counters.h"

/**
 * The value of $SYSCAP_SAMPLE for "HZ,CLOCK,share=N".  Each part may be absent;
 * @text may be NULL.  The result is valid until the next call.  NULL, with a
 * message: @text is invalid.
 */
const char *syc_sample_option_read(const char *command, const char *text);

/**
 * Read @text, "[GROUP,...][,hz=N]" or NULL. False, with a message of @command:
 * invalid.
 */
bool syc_counters_option_read(const char *command, const char *text,
                              struct syc_asked *ret_asked);

/**
 * Read @text, "BYTES" or "NK", "NM", with ",mmap" or without, "mmap" or NULL:
 * the value of $SYSCAP_MEMORY, in static memory. NULL, with a message of
 * @command: invalid.
 */
const char *syc_memory_option_read(const char *command, const char *text);

/**
 * Read @text, "TIME", "TIME,waits", "waits" or NULL: the value of $SYSCAP_IO,
 * in static memory. NULL, with a message of @command: invalid.
 */
const char *syc_io_option_read(const char *command, const char *text);

/**
 * Read @text, "TIME", "TIME,all", "all" or NULL, like syc_io_option_read(): the
 * value of $SYSCAP_STALLS.
 */
const char *syc_stalls_option_read(const char *command, const char *text);

/** Whether --lines is possible.  If not, prints the reason for @command. */
bool syc_lines_option_check(const char *command);

#endif
