/* SPDX-License-Identifier: BSD-2-Clause */
/* asked.h - which counters are wanted, and how often. */
#ifndef SYC_COLLECT_ASKED_H
#define SYC_COLLECT_ASKED_H

#include <stddef.h>
#include <stdint.h>

/** How many groups there are; group i is bit i. */
#define SYC_COUNTERS_GROUPS 8u
#define SYC_COUNTERS_ALL    ((1u << SYC_COUNTERS_GROUPS) - 1)

#define SYC_COUNTERS_HZ     10u
#define SYC_COUNTERS_HZ_MAX 100u

struct syc_asked {
	unsigned groups; /* bits */
	unsigned hz;
};

/**
 * Read @text, "[GROUP,...][,hz=N]": all groups where it names none.  NULL, or
 * the word in it that makes no sense, of *@ret_len bytes.
 */
const char *syc_asked_read(const char *text, struct syc_asked *ret_asked,
                           size_t *ret_len);

/** Room for the longest text that says it, and the names of @groups. */
#define SYC_ASKED_TEXT 96u

/** The other way round, into SYC_ASKED_TEXT bytes. */
void syc_asked_write(const struct syc_asked *asked, char *text);

/** "cpu, memory": what @groups are called, into SYC_ASKED_TEXT bytes. */
void syc_asked_names(unsigned groups, const char *between, char *text);

#endif
