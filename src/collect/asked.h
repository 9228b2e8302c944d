/* SPDX-License-Identifier: BSD-2-Clause */
/* asked.h - which counters are wanted, and where they go. */
#ifndef SYC_COLLECT_ASKED_H
#define SYC_COLLECT_ASKED_H

#include <stdint.h>

#include "capture/writer.h"

/** How many groups there are; group i is bit i. */
#define SYC_COUNTERS_GROUPS 8u
#define SYC_COUNTERS_ALL    ((1u << SYC_COUNTERS_GROUPS) - 1)

struct syc_counters_options {
	unsigned groups;
	const char *root; /* in front of /proc and /sys: "" */
	int32_t pid;      /* the process that is looked at, too */
	struct syc_writer *writer;
	uint32_t (*new_id)(void *context); /* 0: there is none */
	void *context;
};

#endif
