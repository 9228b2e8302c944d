/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_option.h - the value of --memory. */
#ifndef SYC_CLI_MEMORY_OPTION_H
#define SYC_CLI_MEMORY_OPTION_H

/** Read @text, "BYTES" or "NK", "NM", with ",mmap" or without, "mmap" or NULL:
 * the value of $SYSCAP_MEMORY, in a memory of its own.  NULL: it makes no sense, and @command has
 * complained. */
const char *syc_memory_option_read(const char *command, const char *text);

#endif
