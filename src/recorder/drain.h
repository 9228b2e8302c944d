/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drain.h - the recorder's side of one ring: drain, check of frames, and ids of
 * counters.
 *
 * The recorder does not trust the shared memory, and reads no word twice.  The
 * recorder keeps the position of the next frame in its own memory, checks tail
 * before use, and copies frames before an examination.  The seals of the file
 * ensure that no process can remove the memory.
 *
 * A ring is a separate file that the recorder created, or a slot of an arena
 * (rings.h) that a process handed over.
 */
#ifndef SYC_RECORDER_DRAIN_H
#define SYC_RECORDER_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <syscap/format.h>

#include "capture/losses.h"
#include "ring/ring.h"

/*
 * Counter ids that are unique in the file.
 *
 * Processes number their counters independently, and copies of the reference
 * client restart the numbers in every thread.  The meaning of an id is the
 * definition in its ring, or else the definition in its process.  An id without
 * a definition gets a new id.  The process' first definition of the id then
 * gets the same new id.
 *
 * Equal definitions of one process, repeated in each ring that uses the
 * counters, become one definition.  New ids count up from 1.
 */

struct syc_renumber;

/** A map from ids to ids.  A zero-initialized map is empty. */
struct syc_id_map {
	struct syc_id_pair {
		uint32_t id; /* 0: the slot is free */
		uint32_t value;
	} * pairs;
	size_t used, size;
};

/** Definitions of one ring.  The struct is initially all zero. */
struct syc_renumber_ring {
	struct syc_id_map defined;
};

int syc_renumber_new(struct syc_renumber **ret_renumber);
void syc_renumber_free(struct syc_renumber *renumber);

/**
 * Rewrite the ids of a CTRDEF or CTRSET that syc_validate_frame() has passed.
 * The functions remove repeated definitions, and values whose id cannot be a
 * counter.  The caller may drop a frame without remaining counters or groups.
 *
 * Returns 0, or -ENOMEM or -ENOSPC if content was removed for lack of memory or
 * ids, or because a process has too many definitions.
 */
int syc_renumber_ctrdef(struct syc_renumber *renumber,
                        struct syc_renumber_ring *ring,
                        struct syscap_wire_ctrdef *ctrdef);
int syc_renumber_ctrset(struct syc_renumber *renumber,
                        struct syc_renumber_ring *ring,
                        struct syscap_wire_ctrset *ctrset);

/** Return an id for a counter of the recorder, or 0 if no ids are left. */
uint32_t syc_renumber_new_id(struct syc_renumber *renumber);

/** Return the largest id in use. */
uint32_t syc_renumber_last(const struct syc_renumber *renumber);

/** Drop the ids of @pid, which has ended or exec'ed. */
void syc_renumber_forget(struct syc_renumber *renumber, int32_t pid);

/** Store that the ring has ended. */
void syc_renumber_ring_done(struct syc_renumber_ring *ring);

struct syc_arena_taken;

/** Owner of a slot. */
enum syc_slot_owner {
	SYC_OWNER_LIVES,    /* a process with the arena mapped */
	SYC_OWNER_GONE,     /* a forked child that has ended */
	SYC_OWNER_REPLACED, /* a process that runs another program now */
	SYC_OWNER_FOREIGN,  /* the pid belongs to another process now */
};

struct syc_ring {
	struct syc_ring_header *shared;
	const unsigned char *body;
	uint32_t size;
	uint32_t head; /* the recorder's own copy; the shared head is for the
	                * writer */

	ino_t inode;       /* inode of the file, as in /proc/PID/maps */
	int32_t requester; /* process that requested the ring, or a slot's owner
	                    * or the arena's sender */
	/* Program of the requester at the time of the request. */
	uint32_t image;
	int32_t pid, tid;      /* ids of the writer, once known; otherwise 0 */
	int32_t known_pid;     /* pid of the last frame with a PROCESS frame */
	int32_t shown_pid;     /* pid of the same process in the capture */
	int64_t clock_ahead;   /* lead of the writer's clock over the recorder's
	                      * clock */
	unsigned pids;         /* number of different pids */
	unsigned unmapped_for; /* scans in a row without a user of the ring */
	bool used;             /* the ring has had a frame */
	bool has_client_block; /* the writer fills the client block */
	uint64_t frames, position; /* position: bytes read so far */
	char name[SYC_RING_NAME];  /* name of the thread in the capture */
	int64_t name_looked;       /* time of the last check */
	int64_t name_pause;        /* pause until the next check */
	struct syc_loss reported;
	struct syc_renumber_ring counters;
	const char *why; /* SYC_DRAIN_BROKEN: one sentence */

	struct syc_arena_taken *arena; /* arena; NULL: a separate file */
	uint32_t slot;
	int32_t slot_pid; /* pid in the slot's word and in its frames */
	bool is_read;     /* the last frame was the end marker */
	enum syc_slot_owner owner;
	bool is_over; /* no process will write to the ring */
};

enum syc_drain_result {
	SYC_DRAIN_EMPTY,
	SYC_DRAIN_SOME,
	SYC_DRAIN_ENDED, /* the writer has ended the ring */
	SYC_DRAIN_BROKEN /* malformed content: ring->why */
};

/**
 * Receiver of cleaned frames.  frame() returns NULL, or the reason to close the
 * ring.
 */
struct syc_drain_sink {
	const char *(*frame)(void *context, struct syc_ring *ring,
	                     struct syscap_wire_frame *frame);
	void *context;
};

/** Size of syc_drain()'s private copy. */
#define SYC_DRAIN_CHUNK  (1024u * 1024u)
#define SYC_DRAIN_BUFFER (SYC_DRAIN_CHUNK + SYSCAP_FRAME_MAX + 8u)

/**
 * Create a ring with a body of @size bytes (whole pages).  Stores the ring, and
 * an fd of the ring's file, whose size is sealed.
 */
int syc_ring_create(uint32_t size, struct syc_ring **ret_ring, int *ret_fd);

/** Free the ring, and unmap it if it is a separate file. */
void syc_ring_destroy(struct syc_ring *ring);

/** Read the identity of the writer, if stored in the ring. */
void syc_ring_look_for_client(struct syc_ring *ring);

/**
 * Drain the ring.  @buffer has SYC_DRAIN_BUFFER bytes.  @sink gets the frames
 * in order, including all frames before a malformed frame.
 */
enum syc_drain_result syc_drain(struct syc_ring *ring, unsigned char *buffer,
                                const struct syc_drain_sink *sink,
                                uint32_t *ret_bytes);

/*
 * Check of a frame, and preparation of the frame for a file.
 *
 * The bytes come from an untrusted process.  So the check examines a private
 * copy, which no other process can change.  The check allocates nothing, makes
 * no system call, and has no state.
 */

/** Highest process or thread id of Linux. */
#define SYC_PID_LIMIT (INT32_C(1) << 22)

/**
 * Check and clean the frame at @frame (8-byte aligned), of which @avail bytes
 * exist.  In a clean frame padding is zero, texts end inside their fields and
 * are followed by zeros, and len is the size of the content.  @tid is the
 * thread whose tag padding2 may carry, or 0.
 *
 * Returns the size of the frame before the cleaning, which may reduce len, or
 * -EBADMSG with one sentence as reason.  The end marker of a ring passes, and
 * the caller checks for the marker.
 */
int syc_validate_frame(void *frame, size_t avail, int32_t tid,
                       const char **ret_why);

#endif
