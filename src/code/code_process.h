/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_process.h - what has to be known of a process to find its code tables:
 * who owns it, what it calls itself, its /tmp and its files.
 *
 * Asked once, while it lives; its /tmp can be looked at afterwards too, also
 * where it was the one of a container that is gone.
 */
#ifndef SYC_CODE_CODE_PROCESS_H
#define SYC_CODE_CODE_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

struct syc_code_process {
	int32_t pid;     /* in /proc */
	int32_t own_pid; /* where it lives, in a namespace maybe */
	uid_t owner;
	int64_t begun; /* CLOCK_REALTIME, ns, to some 10 ms; 0: not known */
	int tmp;       /* a descriptor of its /tmp, or -1 */
};

/** 0, -ENOENT or -ESRCH: gone, or -errno.  Context of all: offline. */
int syc_code_process_open(int32_t pid, struct syc_code_process *ret_process);
void syc_code_process_close(struct syc_code_process *process);

/** Open @path as the process sees it, to read.  A descriptor or -errno. */
int syc_code_process_open_file(const struct syc_code_process *process,
                               const char *path);

struct syc_code_mapping {
	uint64_t start, end, offset;
	uint64_t inode;
	const char *path;
};

/**
 * Call @each for each executable mapping of a file, until it returns
 * something else than 0.  Returns that, or -errno.
 */
int syc_code_process_mappings(
	const struct syc_code_process *process,
	int (*each)(void *context, const struct syc_code_mapping *mapping),
	void *context);

#endif
