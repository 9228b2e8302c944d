/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapping.h - a file that is mapped to be read, and that somebody may cut
 * meanwhile, or whose disk may fail: the kernel answers with SIGBUS.
 *
 * A program that has a handler for it calls syc_mapping_mend() there.  What
 * is gone reads as zeros from then on, and whoever reads finds that it is lost.
 *
 * Context: offline, one thread; syc_mapping_mend() signal-safe.
 */
#ifndef SYC_CAPTURE_MAPPING_H
#define SYC_CAPTURE_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syc_mapping {
	const unsigned char *data; /* NULL: nothing is mapped */
	size_t size;
	volatile uint64_t lost_at; /* from here on; UINT64_MAX: all is there */
	struct syc_mapping *next;
};

/** Map @size bytes of @fd; @flags: MAP_PRIVATE or MAP_SHARED.  0 or -errno. */
int syc_mapping_make(struct syc_mapping *mapping, int fd, size_t size,
                     int flags);

void syc_mapping_end(struct syc_mapping *mapping);

/** @to becomes what @from is, which becomes nothing. */
void syc_mapping_move(struct syc_mapping *to, struct syc_mapping *from);

/** False: @address is in no mapping of ours. */
bool syc_mapping_mend(const void *address);

/** Whether anything was lost, in whatever mapping. */
bool syc_mapping_any_lost(void);

#endif
