/* SPDX-License-Identifier: BSD-2-Clause */
/* proc_stat.h - state of a process or a thread, from its "stat" in /proc. */
#ifndef SYC_OS_PROC_STAT_H
#define SYC_OS_PROC_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Fields, counted from 1; those that stand behind the name. */
enum {
	SYC_STAT_STATE = 3, /* a letter */
	SYC_STAT_PARENT = 4,
	SYC_STAT_THREADS = 20,
	SYC_STAT_START = 22,
	SYC_STAT_CODE = 26, /* 0: may not be seen; so are these: */
	SYC_STAT_STACK = 28,
	SYC_STAT_BLOCKED = 32, /* signals */
	SYC_STAT_STATUS = 52,  /* as wait() has it, of one that has ended */
	SYC_STAT_FIELDS,
};

struct syc_proc_stat {
	char name[32]; /* cut to that; no NUL */
	size_t name_len;
	uint64_t fields[SYC_STAT_FIELDS];
};

/**
 * Read the file of @id in @folder, which ends with a slash.  0, -ENOENT: there
 * is none (any more); or -errno.
 *
 * Context: any-thread, signal-safe.
 */
int syc_proc_stat_read(const char *folder, int32_t id,
                       struct syc_proc_stat *ret_stat);

/** The same of @text, which is what such a file has. */
int syc_proc_stat_parse(const char *text, struct syc_proc_stat *ret_stat);

/** It, or its first thread, has ended.  Context: any-thread, signal-safe. */
bool syc_proc_stat_has_ended(const struct syc_proc_stat *stat);

#endif
