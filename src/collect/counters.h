/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters.h - counters of the kernel as counters of a capture.
 *
 * The counters are read from /proc and /sys.  The reader is the recorder,
 * without help of the recorded programs, or a thread of the library in a process
 * that records itself.  Names are those of Sysprof's views (docs/collectors.md).
 *
 * All memory is one mapping, which a forked child does not inherit.
 *
 * Context: one thread at a time.
 */
#ifndef SYC_COLLECT_COUNTERS_H
#define SYC_COLLECT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syc_counters_options {
	unsigned groups;
	const char *root; /* prefix of /proc and /sys: "" */
	bool keeps_files; /* fds may stay open between readings */
	int32_t pid;      /* pid of a process that is read, too */
	char process[16]; /* name of the process' directory in /proc */
	/*
	 * Function that receives each frame, a multiple of 8 bytes, at most 4
	 * KiB, or 8 KiB for a file.  The result false, for a dropped frame, is
	 * ignored.
	 */
	bool (*emit)(void *context, const void *frame, uint32_t len);
	uint32_t (*new_id)(void *context); /* result 0: no id is left */
	void *context;
};

struct syc_counter_groups;

/** NULL: out of memory. */
struct syc_counter_groups *
syc_counters_new(const struct syc_counters_options *options);
void syc_counters_free(struct syc_counter_groups *counters);

/** Write files that describe the machine, such as /proc/cpuinfo. */
void syc_counters_embed(struct syc_counter_groups *counters, int64_t now);

/**
 * Read all counters once, at the time @now.  A new counter is defined before
 * its first value.
 */
void syc_counters_read(struct syc_counter_groups *counters, int64_t now);

/** The groups without any value yet, as bits. */
unsigned syc_counters_empty(const struct syc_counter_groups *counters);

/*
 * Requested counters and their rate.
 */

/** Number of groups; group i is bit i. */
#define SYC_COUNTERS_GROUPS 8u
#define SYC_COUNTERS_ALL    ((1u << SYC_COUNTERS_GROUPS) - 1)

#define SYC_COUNTERS_HZ     10u
#define SYC_COUNTERS_HZ_MAX 100u

struct syc_asked {
	unsigned groups; /* bits */
	unsigned hz;
};

/**
 * Parse @text, "[GROUP,...][,hz=N]"; without a group @text means all groups.
 * Returns NULL, or the invalid word, of *@ret_len bytes.
 */
const char *syc_asked_read(const char *text, struct syc_asked *ret_asked,
                           size_t *ret_len);

/** Size of the longest text, and of all names of groups. */
#define SYC_ASKED_TEXT 96u

/** Write the request @asked as text into SYC_ASKED_TEXT bytes. */
void syc_asked_write(const struct syc_asked *asked, char *text);

/** Write the names of @groups, "cpu, memory", into SYC_ASKED_TEXT bytes. */
void syc_asked_names(unsigned groups, const char *between, char *text);

#endif
