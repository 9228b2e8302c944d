/* SPDX-License-Identifier: BSD-2-Clause */
/* options.h - where to read, and where what was read goes. */
#ifndef SYC_COLLECT_OPTIONS_H
#define SYC_COLLECT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct syc_counters_options {
	unsigned groups;
	const char *root; /* in front of /proc and /sys: "" */
	bool keeps_files; /* descriptors may stay open between readings */
	int32_t pid;      /* the process that is looked at, too */
	char process[16]; /* its name in /proc */
	/* Each frame, a multiple of 8 bytes, at most 4 KiB, or 8 of a file.
	 * False: it is not taken, which is none of our business. */
	bool (*emit)(void *context, const void *frame, uint32_t len);
	uint32_t (*new_id)(void *context); /* 0: there is none */
	void *context;
};

#endif
