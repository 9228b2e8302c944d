/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring.h - the memory that one thread and its recorder share.
 *
 * A ring is a memfd of one header page and a body of whole pages:
 *
 *	file     | header page | body |
 *	mapping  | header page | body | body again |
 *
 * so that a frame that begins near the end of the body is contiguous.  The
 * recorder makes it, the thread ("the writer") maps it when it emits its
 * first event.  The layout of the first 16 bytes is Sysprof's.  The rest of
 * the header page is free there; we use it where both sides are ours, which
 * recorder_magic says.
 *
 * Neither side trusts the other.  See docs/ring.md for invariants and
 * orderings; <syscap/emit.h> is the writer, src/recorder/drain.c the reader.
 */
#ifndef SYC_RING_RING_H
#define SYC_RING_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Loss counters are indexed by frame type; 0 counts abandoned emits. */
#define SYC_LOSS_KINDS 16

/** Bytes of a thread's name with its NUL: the kernel's TASK_COMM_LEN. */
#define SYC_RING_NAME 16

/** "SCR1": the recorder reads the client block. */
#define SYC_RING_RECORDER_MAGIC UINT32_C(0x31524353)
/** "SCC1": the client block is in use. */
#define SYC_RING_CLIENT_MAGIC UINT32_C(0x31434353)

/** Limits on a ring that somebody hands to us. */
#define SYC_RING_BODY_MAX (UINT32_C(1) << 30)

/**
 * What the writer could not put into the ring: totals of its thread, from
 * before it had the ring too.  The writer adds, the recorder reads at the
 * end of the ring and writes out what no loss record in it has told yet.
 */
struct syc_ring_losses {
	uint64_t frames[SYC_LOSS_KINDS]; /* by frame type */
	uint64_t bytes;
	int64_t from; /* frame time of the first since the last record; 0 */
	int64_t to;   /* frame time of the last */
};

struct syc_ring_header {
	/* Sysprof's 16 bytes */
	uint32_t head;   /* next frame to read; stored by the reader only */
	uint32_t tail;   /* where the next frame goes; by the writer only */
	uint32_t offset; /* of the body: the page size */
	uint32_t size;   /* of the body */
	uint8_t reserved[48];

	/* set by our recorder before the ring is handed out, offset 64 */
	uint32_t recorder_magic;
	uint32_t recorder_version; /* 1 */
	uint8_t reserved_recorder[56];

	/* set by our writer, offset 128; client_magic last */
	uint32_t client_magic;
	uint32_t client_version; /* 1 */
	int32_t pid;
	int32_t tid;
	struct syc_ring_losses lost;
	char name[SYC_RING_NAME]; /* of the thread, when it got the ring */
	uint8_t reserved_client[200];

	/* only in rings that the process owns, offset 512 */
	uint32_t outcome; /* 0; then who was first: SYC_SLOT_ENDED or _OVER */
	uint32_t reserved_slot;
	int64_t since;               /* ns: when the thread got the ring */
	struct syc_ring_losses told; /* by loss records in this ring */
	struct syc_ring_losses late; /* when it was OVER: in another ring */
};

_Static_assert(offsetof(struct syc_ring_header, recorder_magic) == 64, "abi");
_Static_assert(offsetof(struct syc_ring_header, client_magic) == 128, "abi");
_Static_assert(offsetof(struct syc_ring_header, lost) == 144, "abi");
_Static_assert(offsetof(struct syc_ring_header, outcome) == 512, "abi");
_Static_assert(sizeof(struct syc_ring_header) <= 4096, "one page");

/**
 * What goes over the control socket, each with its NUL: the request for a ring;
 * by our own client, here is my arena, with a descriptor; I have one that I can't
 * hand over just now, and here is that; and, I have one that I could not hand
 * over.  No byte in a word is like the first of any.
 */
#define SYC_CONTROL_REQUEST     "CreatRing"
#define SYC_CONTROL_TAKE        "TakeArena"
#define SYC_CONTROL_HAVE        "HaveArena"
#define SYC_CONTROL_GAVE        "GaveArena"
#define SYC_CONTROL_LOST        "LostArena"
#define SYC_CONTROL_REQUEST_LEN 10u

/**
 * Map the ring in @fd with the body twice.  The size of the file decides the
 * size of the ring: at least two pages, whole pages, at most
 * SYC_RING_BODY_MAX of body.
 *
 * Returns 0 and stores the header's address and the body's size, or -errno
 * (EBADMSG: not the shape of a ring).  Does not look at the header, does not
 * close @fd.
 *
 * Context: any-thread, signal-safe.
 */
int syc_ring_map(int fd, struct syc_ring_header **ret_header,
                 uint32_t *ret_size);

/**
 * The same for a ring at @offset of a larger file: header page and @size bytes
 * of body.
 *
 * Context: any-thread, signal-safe.
 */
int syc_ring_map_at(int fd, uint64_t offset, uint32_t size,
                    struct syc_ring_header **ret_header);

/** Undo either.  Context: any-thread, signal-safe. */
void syc_ring_unmap(struct syc_ring_header *header, uint32_t size);

#endif
