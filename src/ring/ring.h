/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring.h - layout of the memory that one thread and its recorder share.
 *
 * A ring is a memfd of one header page and a body of whole pages:
 *
 *	file     | header page | body |
 *	mapping  | header page | body | body again |
 *
 * So a frame that begins near the end of the body is contiguous.  The recorder
 * makes the ring.  The thread ("the writer") maps the ring at its first event.
 * The layout of the first 16 bytes is Sysprof's, which leaves the rest of the
 * header page free.  syscap uses the rest if both sides are syscap's, as
 * recorder_magic shows.
 *
 * Neither side trusts the other.  docs/ring.md has the invariants and
 * orderings.  The writer is <syscap/emit.h>, the reader is
 * src/recorder/drain.c.
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

/** Greatest body of a ring that is accepted from another process. */
#define SYC_RING_BODY_MAX (UINT32_C(1) << 30)

/**
 * Events that the writer could not put into the ring: totals of its thread,
 * including the time before the thread had the ring.  Only the writer adds to
 * these counts.  At the end of the ring, the recorder reads the counts, and
 * reports the losses that no loss record in the ring has reported.
 */
struct syc_ring_losses {
	_Alignas(8) uint64_t frames[SYC_LOSS_KINDS]; /* numbers by frame type */
	uint64_t bytes;
	int64_t from; /* frame time of the first loss since the last record,
	               * or 0 */
	int64_t to;   /* frame time of the last loss */
};

struct syc_ring_header {
	/* Sysprof's 16 bytes */
	uint32_t head;   /* next frame to read; stored by the reader only */
	uint32_t tail;   /* end of the frames; stored by the writer only */
	uint32_t offset; /* offset of the body: the page size */
	uint32_t size;   /* size of the body */
	uint8_t reserved[48];

	/* fields that syscap's recorder sets before it sends the ring, offset
	 * 64 */
	uint32_t recorder_magic;
	uint32_t recorder_version; /* 1 */
	uint8_t reserved_recorder[56];

	/* fields that syscap's writer sets, offset 128; client_magic last */
	uint32_t client_magic;
	uint32_t client_version; /* 1 */
	int32_t pid;
	int32_t tid;
	struct syc_ring_losses lost;
	char name[SYC_RING_NAME]; /* thread's name when it got the ring */
	uint8_t reserved_client[200];

	/* only in rings that the process owns, offset 512 */
	uint32_t outcome;   /* 0: undecided; SYC_SLOT_ENDED: the thread was
	                     * first; SYC_SLOT_OVER: the reader was first */
	uint32_t described; /* SYC_TOLD_*: frames that the capture has */
	_Alignas(8) int64_t since;   /* ns: the thread got the ring */
	struct syc_ring_losses told; /* reported by records in this ring */
	struct syc_ring_losses late; /* reported elsewhere, if OVER */
	int32_t parent; /* process that forked the ring's process, if both use
	                 * the arena; or 0 */
	/*
	 * Flight mode (docs/flight.md).  `kept_slot` is the slot that has the
	 * definitions of this ring; 0: none.  `passed` is the start of the
	 * oldest kept frame, and, in the upper half, the number of laps.  Only
	 * the slot's thread stores these words and `head`.
	 *
	 * R3. The thread stores `passed`, then a release fence, then `head`.
	 *     Emits reuse only bytes before `head`, so after the store of
	 *     `passed`.  A reader in another process copies [passed, tail), then
	 *     an acquire fence, then loads `passed` again.  Bytes from the second
	 *     value on were not reused during the copy.
	 * R4. `passed` only grows, also when the slot gets another thread.
	 */
	uint32_t kept_slot;
	_Alignas(8) uint64_t passed;
};

/** Frames about the process of a slot that the capture has. */
#define SYC_TOLD_NAME 1u /* PROCESS, and FORK */
#define SYC_TOLD_MAPS 2u /* MAP */

_Static_assert(offsetof(struct syc_ring_header, recorder_magic) == 64, "abi");
_Static_assert(offsetof(struct syc_ring_header, client_magic) == 128, "abi");
_Static_assert(offsetof(struct syc_ring_header, lost) == 144, "abi");
_Static_assert(offsetof(struct syc_ring_header, outcome) == 512, "abi");
_Static_assert(sizeof(struct syc_ring_header) <= 4096, "one page");

/**
 * Messages on the control socket, each with its NUL.  CreatRing requests a
 * ring.  A syscap client also sends TakeArena with an arena's fd.  A client
 * that can't send the fd at present sends HaveArena, and later GaveArena with
 * the fd.  LostArena reports an arena that the client could not send.  The
 * first byte of a message occurs nowhere else in any message.
 */
#define SYC_CONTROL_REQUEST     "CreatRing"
#define SYC_CONTROL_TAKE        "TakeArena"
#define SYC_CONTROL_HAVE        "HaveArena"
#define SYC_CONTROL_GAVE        "GaveArena"
#define SYC_CONTROL_LOST        "LostArena"
#define SYC_CONTROL_REQUEST_LEN 10u

/**
 * Map the ring in @fd with the body twice.  The file's size determines the
 * ring's size: whole pages, at least two, and a body of at most
 * SYC_RING_BODY_MAX bytes.
 *
 * Returns 0, the header's address and the body's size; or -errno (EBADMSG: the
 * file is not a ring).  The function neither reads the header nor closes @fd.
 *
 * Context: any-thread, signal-safe.
 */
int syc_ring_map(int fd, struct syc_ring_header **ret_header,
                 uint32_t *ret_size);

/**
 * Map a ring at @offset of a larger file: header page and @size bytes of body.
 *
 * Context: any-thread, signal-safe.
 */
int syc_ring_map_at(int fd, uint64_t offset, uint32_t size,
                    struct syc_ring_header **ret_header);

/** Unmap a ring of either function.  Context: any-thread, signal-safe. */
void syc_ring_unmap(struct syc_ring_header *header, uint32_t size);

/* --------------------------------- times between two transfers of events */

/*
 * A burst has to fit into its ring between two transfers.  The option
 * --drain-interval of `syscap record` and interval_ms of syscap_start() replace
 * these times.
 */

/* The recorder's intervals in ms: for silent rings, for rings with little
 * traffic, and while a reply waits for space. */
#define SYC_DRAIN_SILENT_MS 50
#define SYC_DRAIN_SOME_MS   4
#define SYC_DRAIN_REPLY_MS  2

/* Intervals of a process that records itself, in ns: for its emitting threads,
 * and for a thread of the library. */
#define SYC_DRAIN_BY_EMITTERS_NS (INT64_C(100) * 1000000)
#define SYC_DRAIN_BY_THREAD_NS   (INT64_C(50) * 1000000)

#endif
