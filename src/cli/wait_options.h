/* SPDX-License-Identifier: BSD-2-Clause */
/* wait_options.h - the values of --io and --stalls. */
#ifndef SYC_CLI_WAIT_OPTIONS_H
#define SYC_CLI_WAIT_OPTIONS_H

/** Read @text, "TIME", "TIME,waits", "waits" or NULL: the value of $SYSCAP_IO,
 * in a memory of its own.  NULL: it makes no sense, and @command has
 * complained. */
const char *syc_io_option_read(const char *command, const char *text);

/** The same of $SYSCAP_STALLS: "TIME", "TIME,all", "all" or NULL. */
const char *syc_stalls_option_read(const char *command, const char *text);

#endif
