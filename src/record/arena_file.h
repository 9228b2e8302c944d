/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena_file.h - whether a descriptor that somebody sent is an arena.
 *
 * It may be anything.  Only of a memfd whose size can't change any more is
 * memory mapped, and nothing that stands in it is read twice.
 */
#ifndef SYC_RECORD_ARENA_FILE_H
#define SYC_RECORD_ARENA_FILE_H

#include <stdint.h>
#include <sys/types.h>

#include "ring/arena.h"
#include "ring/ring_file.h"

struct syc_arena_file {
	struct syc_arena arena; /* all of it mapped, to read and write */
	ino_t inode;
	int32_t pid;   /* of its maker, as that sees itself */
	int64_t began; /* ns: when it was made; 0: not told */
	char cmdline[sizeof(((struct syc_ring_file *)0)->capture)];
};

/**
 * Map the arena in @fd, which stays the caller's.  NULL, or why it is none,
 * and then its client is told if there is one.
 */
const char *syc_arena_file_map(int fd, struct syc_arena_file *ret_file);

/** Tell the client of @fd, if it looks like an arena, that nobody reads it. */
void syc_arena_file_refuse(int fd);

#endif
