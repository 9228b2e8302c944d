/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_file.h - the file in which a process that writes its own capture
 * keeps its rings.
 *
 * It outlives the process: what was published and not yet in the capture when
 * the process died is found here.  It lies on tmpfs, so that emitting never
 * waits for a disk, and its capture names it in its second frame, a METADATA
 * frame of id SYC_RING_FILE_ID with its path.
 *
 *	| facts | journal | head | words | slot 0 | slot 1 | ...
 *
 * What stands in front of the slots is the front.  A slot is one ring: header
 * page and body (ring.h); slot 0 belongs to no thread, the drainer's own frames
 * go there.  Each part begins with a page.  Whose a slot is, and what becomes
 * of it, says its word (arena_head.h): a word of 0 is a slot that nothing is
 * in.  Ring contents are finished frames; there are no end markers.
 *
 * Forked children of the process find head, words and slots in their memory and
 * claim slots there; facts and journal they do not get.
 *
 * The journal makes every frame arrive exactly once, whenever the process is
 * killed.  The capture has one writer.  For each batch it
 *
 *	1. stores n, offset, length, parts; then state = UNDER_WAY (release)
 *	2. writes `length` bytes at `offset`, which is the capture's size
 *	3. stores head = to in each part's ring
 *	4. stores state = NOTHING (release)
 *
 * Whoever finds UNDER_WAY looks at the size of the capture.  At least
 * offset + length: the batch is in it, do 3 and 4.  Less: cut the capture
 * back to offset, and the rings still hold the batch; do 4.
 *
 * While a process (or somebody who recovers) uses the file it holds an open
 * file description lock (F_OFD_SETLK, F_WRLCK) on all of it.
 *
 * Its readers trust nothing in the file.
 */
#ifndef SYC_RING_RING_FILE_H
#define SYC_RING_RING_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "ring/arena_head.h"
#include "ring/ring.h"

#define SYC_RING_FILE_ID      "syscap.rings"
#define SYC_RING_FILE_MAGIC   "SCRINGS2"
#define SYC_RING_FILE_VERSION 2u
/** Instead of that, in one that is handed to a recorder: docs/protocol.md. */
#define SYC_ARENA_FILE_MAGIC "SCARENA1"
#define SYC_RING_FILE_SLOTS  UINT32_C(1024) /* most that a file has */

/** Facts, at offset 0.  Written once, magic last. */
struct syc_ring_file {
	char magic[8];
	uint32_t version;
	uint32_t front;     /* how large it is */
	uint32_t page_size; /* offset of a body in its slot */
	uint32_t body_size;
	uint32_t n_slots;
	int32_t pid;
	int64_t began; /* ns of CLOCK_MONOTONIC: the capture's `time` */
	uint64_t capture_dev;
	uint64_t capture_ino;
	union {
		/* field 22 of /proc/PID/stat; 0: not known */
		uint64_t start_ticks;
		/* of an arena: ns that CLOCK_REALTIME, which no namespace
		 * changes, is ahead of CLOCK_MONOTONIC; 0: not known */
		int64_t realtime_ahead;
	};
	uint64_t pid_ns;    /* inode of /proc/self/ns/pid; 0: not known */
	char boot_id[40];   /* as in /proc/sys/kernel/random/boot_id */
	char capture[4096]; /* absolute path */
};

#define SYC_RING_JOURNAL_PARTS 1024u

enum {
	SYC_JOURNAL_NOTHING = 0,
	SYC_JOURNAL_UNDER_WAY = 1,
};

struct syc_ring_journal {
	uint32_t state;
	uint32_t n;
	uint64_t offset; /* of the capture: where the batch goes */
	uint64_t length;
	struct syc_ring_journal_part {
		uint32_t slot;
		uint32_t from, to; /* offsets in the body; from == to: none */
	} parts[SYC_RING_JOURNAL_PARTS];
};

_Static_assert(sizeof(struct syc_arena_head) <= 4096, "a page");
_Static_assert(SYC_RING_FILE_SLOTS * sizeof(uint32_t) <= 4096, "a page");

/** Where the parts of the front begin, and its size, with pages of @page. */
static inline uint32_t syc_ring_file_pages(size_t size, uint32_t page)
{
	return ((uint32_t)size + page - 1) / page * page;
}

static inline uint32_t syc_ring_file_journal(uint32_t page)
{
	return syc_ring_file_pages(sizeof(struct syc_ring_file), page);
}

static inline uint32_t syc_ring_file_head(uint32_t page)
{
	return syc_ring_file_journal(page) +
	       syc_ring_file_pages(sizeof(struct syc_ring_journal), page);
}

static inline uint32_t syc_ring_file_words(uint32_t page)
{
	return syc_ring_file_head(page) + page;
}

static inline uint32_t syc_ring_file_front(uint32_t page)
{
	return syc_ring_file_words(page) + page;
}

#endif
