/* SPDX-License-Identifier: BSD-2-Clause */
/* ring_mapped.h - whether a process has a ring mapped, or an arena. */
#ifndef SYC_RECORD_RING_MAPPED_H
#define SYC_RECORD_RING_MAPPED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/procfs.h"

/** @map is of a ring or an arena: which, its inode tells. */
bool syc_ring_mapped_is(const struct syc_procfs_map *map);

enum syc_ring_mapped {
	SYC_RING_MAPPED,
	SYC_RING_NOT_MAPPED, /* it is gone, or another program by now */
	SYC_RING_UNKNOWN,    /* it lives, and can't be looked at */
};

/** Whether @host, by our number, has the file @inode mapped. */
enum syc_ring_mapped syc_ring_mapped(int32_t host, ino_t inode);

#endif
