/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process.h - this process and its relatives: command line, pid namespace,
 * state in /proc, and objects that must stay loaded.
 */
#ifndef SYC_OS_PROCESS_H
#define SYC_OS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Open @of_thread for reading or, if this file can't be opened, @of_process.
 * Returns an fd, or -1.  Context: any-thread, signal-safe. */
int syc_own_proc_open(const char *of_thread, const char *of_process);

/** Store the command line, as much as fits into @size, with its arguments
 * joined by spaces.  Returns the text's length, without a NUL; 0: unknown.
 * Context: any-thread, signal-safe. */
size_t syc_own_proc_cmdline(char *text, size_t size);

/** The pid namespace of this process; 0: unknown.  Children may be in other
 * namespaces, in which the same pids belong to other processes.  Context:
 * any-thread, signal-safe; errno is kept. */
uint64_t syc_pid_namespace_id(void);

/** Fields after the name in /proc/PID/stat, counted from 1. */
enum {
	SYC_STAT_STATE = 3, /* a letter */
	SYC_STAT_PARENT = 4,
	SYC_STAT_THREADS = 20,
	SYC_STAT_START = 22,
	SYC_STAT_CODE = 26, /* CODE, STACK and STATUS are hidden without
	                     * permission */
	SYC_STAT_STACK = 28,
	SYC_STAT_BLOCKED = 32, /* signals */
	SYC_STAT_STATUS = 52,  /* exit status as wait() returns it, after the
	                        * end */
	SYC_STAT_FIELDS,
};

struct syc_proc_stat {
	char name[32]; /* cut to this size; no NUL */
	size_t name_len;
	uint64_t fields[SYC_STAT_FIELDS];
};

/**
 * Read the "stat" of @id in @folder, which ends with a slash.  Returns 0 or
 * -errno; -ENOENT: the file does not exist (any more).
 *
 * Context: any-thread, signal-safe.
 */
int syc_proc_stat_read(const char *folder, int32_t id,
                       struct syc_proc_stat *ret_stat);

/** Parse @text, the contents of a "stat" file.  Context: any-thread,
 * signal-safe. */
int syc_proc_stat_parse(const char *text, struct syc_proc_stat *ret_stat);

/** Whether the thread, or the process' first thread, has ended.  Context:
 * any-thread, signal-safe. */
bool syc_proc_stat_has_ended(const struct syc_proc_stat *stat);

/**
 * A parent or a forked child of this process, whose image it may still run.
 *
 * A pid does not identify an image: its process may have exec'ed, or ended, and
 * the pid may be reused.  Images that were forked from each other have code and
 * stack at the same addresses.  Other images differ in these addresses, except
 * for the same image without address randomisation.
 */
struct syc_fork_identity {
	int32_t pid;
	int32_t parent;       /* parent according to /proc; 0: unknown */
	uint64_t start_ticks; /* start time, set by the first check; 0:
	                       * unknown */
	/* At the last check the relative's first thread had ended; relaxed */
	bool is_without_first;
};

/**
 * Check @relative->pid.  False: the process has ended, or runs another image.
 * True also if the answer is unknown.
 *
 * Context: any-thread, signal-safe; errno is kept.
 */
bool syc_fork_identity_is_running(struct syc_fork_identity *relative);

/** Keep the object that contains @address loaded, even after dlclose().  False:
 * no object contains @address, or the object is the program.  Context:
 * setup. */
bool syc_pin_object(const void *address);

#endif
