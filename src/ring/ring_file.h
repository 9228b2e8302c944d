/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_file.h - layout of an arena: the rings of a process, in a ring file, in
 * a memfd, or in memory without a file.
 *
 *	| facts | journal | head | words | slot 0 | slot 1 | ...
 *
 * The parts before the slots are the front.  A slot is one ring: header page
 * and body (ring.h).  Slot 0 belongs to no thread, and is not used.  Each part
 * begins with a page.  The word of a slot has the owner and the state of the
 * slot.  A ring has whole frames only, and no end markers.
 *
 * Forked children of the process inherit the mapping, and claim slots there.
 * Children also write the journal, so a child can damage the capture, but no
 * other file.
 *
 * A process that writes its own capture keeps its rings in a ring file, which
 * outlives the process.  So published frames that are not in the capture yet
 * can be recovered after the death of the process.  The file is on tmpfs, so
 * that no emit waits for a disk.  The capture's second frame, METADATA with the
 * id SYC_RING_FILE_ID, has the file's path.
 *
 * The journal ensures that each frame arrives exactly once, even if a writer is
 * killed.  The process and its forked children write the capture.  For each
 * batch the holder of the lock in the head does:
 *
 *	1. Store n, offset, length, parts; then state = UNDER_WAY (release).
 *	2. Write `length` bytes at `offset`, which is the capture's size.
 *	3. Store head = to in each part's ring, and the reported losses.
 *	4. Store state = NOTHING (release).
 *
 * The next holder of the lock, or a recovery, may find UNDER_WAY.  If the
 * capture's size is at least offset + length, the batch is in the capture, and
 * the holder continues with 3 and 4.  Otherwise the holder cuts the capture to
 * offset, and continues with 4. The rings still have the batch.
 *
 * A process that uses the file, also for a recovery, holds an open file
 * description lock (F_OFD_SETLK, F_WRLCK) on the whole file.
 *
 * Readers of the file trust no value in it.
 */
#ifndef SYC_RING_RING_FILE_H
#define SYC_RING_RING_FILE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ring/ring.h"

/**
 * State of a slot, in the slot's word, with the pid of its owner.  The owner
 * changes the state from FREE to BUSY, LIVE and ENDED.  The reader changes the
 * state back to FREE by compare-exchange, from ENDED, or if the owner's process
 * has ended.  A leaving thread and a reader at its end may compete for a slot.
 * The ring's `outcome` shows the winner.
 */
enum {
	SYC_SLOT_FREE = 0, /* head == tail, no unreported loss, no pid */
	SYC_SLOT_BUSY,     /* claimed: the client block is being written */
	SYC_SLOT_LIVE,
	SYC_SLOT_ENDED, /* the thread has left, and the reader reads the rest */
	SYC_SLOT_OVER,  /* the reader has stopped reading, so the leaving thread
	                 * counts the rest as lost */
};

static inline uint32_t syc_slot_word(int32_t pid, uint32_t state)
{
	return (uint32_t)pid << 8 | state;
}

static inline uint32_t syc_slot_state(uint32_t word)
{
	return word & 0xFF;
}

static inline int32_t syc_slot_pid(uint32_t word)
{
	return (int32_t)(word >> 8);
}

/**
 * State of the arena, and pid of the process that stored the state.
 *
 * A recorder stores DRAINED when it reads the slots, and CLOSED at its end.  A
 * session's arena is DRAINED until the last process leaves it.  All these
 * accesses are sequentially consistent:
 *
 * - A process claims a slot (BUSY), then loads the state.  If the state is
 *   CLOSED, the process releases the slot unchanged.  The last process stores
 *   CLOSED, then loads the words.  If another process has a slot, the state
 *   becomes DRAINED again.
 * - A loss without a slot is added to `lost` between an increment and a
 *   decrement of `counting`.  The state must not be CLOSED in between.
 */
enum {
	SYC_ARENA_DRAINED = 1,
	SYC_ARENA_CLOSED = 3, /* no process reads any more */
};

/**
 * Data that a process and its forked children share, besides words and rings.
 * Any of these processes may overwrite the data, so no process uses the data as
 * an offset or an address.  An emitter and a reader keep the position and size
 * of the slots, and the read positions, in memory of their own.
 */
struct syc_arena_head {
	uint32_t reader; /* pid and SYC_ARENA_* */
	uint32_t
		wakes; /* futex: number of requests to wake the reader thread */
	uint32_t asks; /* 1: one of the reasons is a ring that fills up */
	uint32_t n_used; /* slots from n_used on were never claimed; only
	                  * grows */
	/* Losses of threads without a slot, in any of the processes, and the
	 * losses among them that the reader has reported */
	struct syc_ring_losses lost;
	struct syc_ring_losses told;
	uint32_t counting; /* threads that are about to add to `lost` */
	/* Session: the lock of the process that transfers frames, see
	 * os/threads.h */
	uint32_t lock;
	/* Session: ns of the last check for ended processes, by any process */
	int64_t looked_at;
};

#define SYC_RING_FILE_ID      "syscap.rings"
#define SYC_RING_FILE_MAGIC   "SCRINGS2"
#define SYC_RING_FILE_VERSION 3u
/** Magic of an arena that is sent to a recorder: docs/protocol.md. */
#define SYC_ARENA_FILE_MAGIC "SCARENA1"
#define SYC_RING_FILE_SLOTS  UINT32_C(1024) /* greatest number of slots */

/** Facts, at offset 0.  Written once, with the magic last. */
struct syc_ring_file {
	char magic[8];
	uint32_t version;
	uint32_t front;     /* size of the front */
	uint32_t page_size; /* offset of a body in its slot */
	uint32_t body_size;
	uint32_t n_slots;
	int32_t pid;
	/* ns of CLOCK_MONOTONIC: the capture's `time` */
	_Alignas(8) int64_t began;
	uint64_t capture_dev;
	uint64_t capture_ino;
	union {
		/* field 22 of /proc/PID/stat; 0: unknown */
		uint64_t start_ticks;
		/* In an arena for a recorder: CLOCK_REALTIME, which no
		 * namespace changes, minus CLOCK_MONOTONIC, in ns; 0:
		 * unknown */
		int64_t realtime_ahead;
	};
	uint64_t pid_ns;    /* inode of /proc/self/ns/pid; 0: unknown */
	char boot_id[40];   /* as in /proc/sys/kernel/random/boot_id */
	char capture[4096]; /* absolute path */
};

#define SYC_RING_JOURNAL_PARTS 1024u

enum {
	SYC_JOURNAL_NOTHING = 0,
	SYC_JOURNAL_UNDER_WAY = 1,
};

/** In told_slot: the losses outside of rings, in the arena's head. */
#define SYC_JOURNAL_TOLD_HEAD UINT32_MAX

struct syc_ring_journal {
	uint32_t state;
	uint32_t n;
	_Alignas(8) uint64_t offset; /* position of the batch in the capture */
	uint64_t length;
	uint64_t end; /* output: end of the last whole batch */
	/* The batch begins with a loss record of record_len bytes; 0: no
	 * record.  By the record, the slot, or the head, has reported these
	 * losses */
	uint32_t told_slot;
	uint32_t record_len;
	struct syc_ring_losses told;
	unsigned char record[512];
	struct syc_ring_journal_part {
		uint32_t slot;
		uint32_t from, to; /* offsets in the body; from == to: none */
	} parts[SYC_RING_JOURNAL_PARTS];
};

_Static_assert(sizeof(struct syc_arena_head) <= 4096, "a page");
_Static_assert(SYC_RING_FILE_SLOTS * sizeof(uint32_t) <= 4096, "a page");

/** Offsets of the parts of the front, and its size, with pages of @page. */
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

/** Offset of a slot, with bodies of @size bytes. */
static inline uint64_t syc_ring_file_slot(uint32_t page, uint32_t size,
                                          uint32_t slot)
{
	return syc_ring_file_front(page) +
	       slot * ((uint64_t)page + (uint64_t)size);
}

/* --------------------------------------------------------- flight mode */

/** A ring whose thread gives up its oldest frames at any time, in a ring
 * file. */
struct syc_moving_ring {
	/* Read @size bytes of @file at @offset.  Returns false after a
	 * failure. */
	bool (*read)(const void *file, void *to, size_t size, uint64_t offset);
	const void *file;
	uint32_t page, size, slot;
};

/* Attempts to copy a ring before its thread has overwritten all frames, and
 * attempts after which fewer frames than half of the ring suffice. */
#define SYC_MOVING_COPIES      1000
#define SYC_MOVING_COPIES_HALF 20
/* Bytes that are copied between two looks at the thread's position. */
#define SYC_MOVING_STEP UINT32_C(65536)

/* Read in the order of calls. */
static inline bool syc_moving_read(const struct syc_moving_ring *ring, void *to,
                                   size_t size, uint64_t offset)
{
	const bool is_read = ring->read(ring->file, to, size, offset);

	__sync_synchronize(); /* an acquire fence */
	return is_read;
}

static inline bool syc_moving_read_header(const struct syc_moving_ring *ring,
                                          void *to, size_t size, size_t offset)
{
	return syc_moving_read(
		ring, to, size,
		syc_ring_file_slot(ring->page, ring->size, ring->slot) +
			offset);
}

/* Bytes that the thread has given up between two values of `passed`. */
static inline uint64_t syc_moving_distance(const struct syc_moving_ring *ring,
                                           uint64_t from, uint64_t to)
{
	return ((to >> 32) - (from >> 32)) * ring->size + (uint32_t)to -
	       (uint32_t)from;
}

/*
 * Copy the ring once, the newest frames first, since the thread overwrites the
 * oldest frames first.  After the copy, *@ret_from of the *@ret_n bytes were
 * overwritten (R3 in ring.h).  Returns 0, -EAGAIN or -EIO.
 */
static inline int syc_moving_copy(const struct syc_moving_ring *ring,
                                  unsigned char *to, uint32_t *ret_n,
                                  uint64_t *ret_from)
{
	const size_t at_passed = offsetof(struct syc_ring_header, passed);
	const uint32_t size = ring->size;
	const uint64_t body =
		syc_ring_file_slot(ring->page, size, ring->slot) + ring->page;
	uint64_t passed, now;
	uint32_t tail, word;

	*ret_n = 0;
	*ret_from = 0;
	if (!syc_moving_read_header(ring, &passed, sizeof(passed), at_passed) ||
	    !syc_moving_read_header(ring, &tail, sizeof(tail),
	                            offsetof(struct syc_ring_header, tail)) ||
	    !syc_moving_read_header(ring, &now, sizeof(now), at_passed))
		return -EIO;
	if (now != passed)
		return -EAGAIN;
	const uint32_t at = (uint32_t)passed;
	if (tail >= size || tail % 8 != 0 || at >= size || at % 8 != 0)
		return -EIO;
	const uint32_t n = tail >= at ? tail - at : tail + (size - at);
	uint32_t left = n;
	do {
		const uint32_t step =
			left < SYC_MOVING_STEP ? left : SYC_MOVING_STEP;
		left -= step;
		const uint32_t from = (uint32_t)(((uint64_t)at + left) % size);
		const uint32_t first = step < size - from ? step : size - from;

		if (!syc_moving_read(ring, to + left, first, body + from) ||
		    !syc_moving_read(ring, to + left + first, step - first,
		                     body) ||
		    !syc_moving_read_header(ring, &now, sizeof(now), at_passed))
			return -EIO;
	} while (left != 0 && syc_moving_distance(ring, passed, now) < left);
	/* The slot may have got another thread, which began two laps before the
	 * slot became LIVE */
	if (!syc_moving_read(ring, &word, sizeof(word),
	                     syc_ring_file_words(ring->page) +
	                             ring->slot * sizeof(word)))
		return -EIO;
	if (syc_slot_state(word) < SYC_SLOT_LIVE)
		return 0;
	if (!syc_moving_read_header(ring, &now, sizeof(now), at_passed))
		return -EIO;
	*ret_n = n;
	*ret_from = syc_moving_distance(ring, passed, now);
	return 0;
}

/**
 * Copy the newest frames of a ring in flight mode to @to, which has ring->size
 * bytes.  Returns 0 and the number of bytes; -EAGAIN: the thread was too fast;
 * or -EIO.
 */
static inline int syc_moving_load(const struct syc_moving_ring *ring,
                                  unsigned char *to, uint32_t *ret_n)
{
	uint64_t from;
	uint32_t n;

	*ret_n = 0;
	for (int i = 0; i < SYC_MOVING_COPIES; i++) {
		const int r = syc_moving_copy(ring, to, &n, &from);

		if ((r != 0 && r != -EAGAIN) || (r == 0 && n == 0))
			return r;
		if (r != 0 ||
		    from >= (i < SYC_MOVING_COPIES_HALF ? n - n / 2 : n))
			continue;
		*ret_n = n - (uint32_t)from;
		memmove(to, to + from, *ret_n);
		return 0;
	}
	return -EAGAIN;
}

#endif
