/* SPDX-License-Identifier: BSD-2-Clause */
/* asked.h - requested counters and their rate. */
#ifndef SYC_COLLECT_ASKED_H
#define SYC_COLLECT_ASKED_H

#include <stddef.h>
#include <stdint.h>

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

/** Write the text of @asked into SYC_ASKED_TEXT bytes. */
void syc_asked_write(const struct syc_asked *asked, char *text);

/** Write the names of @groups, "cpu, memory", into SYC_ASKED_TEXT bytes. */
void syc_asked_names(unsigned groups, const char *between, char *text);

#endif
