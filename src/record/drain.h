/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drain.h - one ring as the recorder sees it, and how it is emptied.
 *
 * Nothing in the shared memory is trusted, not even twice: the place of the
 * next frame is kept here, tail is checked before it is used, and frames are
 * copied before they are looked at.  The seals on the file see to it that
 * the memory cannot be taken away under us.
 *
 * A ring is a file of its own, which we made, or a slot of an arena
 * (arenas.h), which somebody handed over.
 */
#ifndef SYC_RECORD_DRAIN_H
#define SYC_RECORD_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <syscap/format.h>

#include "capture/losses.h"
#include "record/renumber.h"
#include "ring/ring.h"

struct syc_arena_taken;

/** Whose a slot is. */
enum syc_slot_owner {
	SYC_OWNER_LIVES,    /* a process with the arena mapped */
	SYC_OWNER_GONE,     /* a forked child that has ended */
	SYC_OWNER_REPLACED, /* one that runs another program now */
	SYC_OWNER_FOREIGN,  /* the number is that of somebody else */
};

struct syc_ring {
	struct syc_ring_header *shared;
	const unsigned char *body;
	uint32_t size;
	uint32_t head; /* ours; the shared one is for the writer */

	ino_t inode;         /* of the file, as /proc/PID/maps shows it */
	int32_t requester;   /* whose request it was made for; of a slot, whose
	                      * it is, or who handed its arena over */
	uint32_t image;      /* which program that process ran then */
	int32_t pid, tid;    /* of the writer, once known; 0 */
	int32_t known_pid;   /* last frame pid that has a PROCESS frame */
	int32_t shown_pid;   /* what stands in the file for that one */
	int64_t clock_ahead; /* how far the writer's clock is ahead of ours */
	unsigned pids;       /* how many different ones there were */
	unsigned
		unmapped_for; /* scans in a row that found no process with it */
	bool used;            /* something has been written */
	bool ours;            /* the writer fills the client block */
	uint64_t frames, position; /* position: bytes read so far */
	char name[SYC_RING_NAME];  /* of the thread, as it stands in the file */
	int64_t name_looked;       /* when it was looked for */
	int64_t name_pause;        /* until it is looked for again */
	struct syc_loss told;
	struct syc_renumber_ring counters;
	const char *why; /* SYC_DRAIN_BROKEN: one sentence */

	struct syc_arena_taken *arena; /* NULL: a file of its own */
	uint32_t slot;
	int32_t slot_pid; /* of its word: of the frames */
	bool is_read;     /* its last frame was the end marker */
	enum syc_slot_owner owner;
	bool is_over; /* nobody writes to it any more */
};

enum syc_drain_result {
	SYC_DRAIN_EMPTY,
	SYC_DRAIN_SOME,
	SYC_DRAIN_ENDED, /* the writer is done with it */
	SYC_DRAIN_BROKEN /* malformed content: ring->why */
};

/** Takes one cleaned frame; NULL, or why the ring is to be closed. */
struct syc_drain_sink {
	const char *(*frame)(void *context, struct syc_ring *ring,
	                     struct syscap_wire_frame *frame);
	void *context;
};

/** Size of the private copy that syc_drain() works in. */
#define SYC_DRAIN_CHUNK  (1024u * 1024u)
#define SYC_DRAIN_BUFFER (SYC_DRAIN_CHUNK + SYSCAP_FRAME_MAX + 8u)

/**
 * Make a ring with a body of @size bytes (whole pages).  Stores it and a
 * descriptor of its file, which is sealed against a change of its size.
 */
int syc_ring_create(uint32_t size, struct syc_ring **ret_ring, int *ret_fd);

/** Unmap the ring, if it is a file of its own, and forget it. */
void syc_ring_destroy(struct syc_ring *ring);

/** Learn who writes here, if the writer says so. */
void syc_ring_look_for_client(struct syc_ring *ring);

/**
 * Take what is in the ring now.  @buffer has SYC_DRAIN_BUFFER bytes.  Frames
 * go to @sink in order; those before a malformed one too.
 */
enum syc_drain_result syc_drain(struct syc_ring *ring, unsigned char *buffer,
                                const struct syc_drain_sink *sink,
                                uint32_t *ret_bytes);

#endif
