/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make_rings.h - a capture and the ring file of its writer, as a kill may leave
 * both.
 *
 * Marks of group "test" are numbered: the message of each is its number.  The
 * first marks are in the capture, the others in the slots of the ring file.
 *
 *	struct make_rings r;
 *
 *	make_rings_begin(&r, dir, 3);
 *	make_rings_slot(&r, 1, SYC_SLOT_LIVE, 71, 4000);
 *	make_rings_mark(&r, 1);		number 0
 *	make_rings_write(&r);
 *	... r.capture_path, r.path ...
 *	make_rings_free(&r);
 *
 * Fails by abort().
 */
#ifndef SYSCAP_MAKE_RINGS_H
#define SYSCAP_MAKE_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/make_capture.h"
#include "ring/ring_file.h"

#define MAKE_RINGS_PID  1234567 /* pid of no process of this machine */
#define MAKE_RINGS_PAGE 4096u
#define MAKE_RINGS_BODY 8192u

struct make_rings {
	char path[300], capture_path[300];
	struct make_capture capture;
	unsigned char *bytes; /* the ring file */
	size_t size;
	unsigned n_marks; /* the next number */
};

/**
 * The capture has its header, the frame that names the ring file, and a
 * PROCESS frame.  Both files lie in @dir.
 */
void make_rings_begin(struct make_rings *rings, const char *dir,
                      uint32_t n_slots);
void make_rings_free(struct make_rings *rings);

struct syc_ring_file *make_rings_facts(struct make_rings *rings);
struct syc_ring_journal *make_rings_journal(struct make_rings *rings);
struct syc_ring_header *make_rings_header(struct make_rings *rings,
                                          uint32_t slot);

struct syc_arena_head *make_rings_head(struct make_rings *rings);
uint32_t *make_rings_word(struct make_rings *rings, uint32_t slot);

/** Makes @slot belong to @tid, in @state, and empty: head and tail are @at. */
void make_rings_slot(struct make_rings *rings, uint32_t slot, uint32_t state,
                     int32_t tid, uint32_t at);

/** Append the next mark to @slot, or to the capture. */
void make_rings_mark(struct make_rings *rings, uint32_t slot);
void make_rings_drained_mark(struct make_rings *rings);

/** Append the last frame of @frame to @slot. */
void make_rings_add(struct make_rings *rings, uint32_t slot,
                    const struct make_capture *frame);

/** A loss record of @tid for marks, at @time. */
void make_rings_loss(struct make_capture *to, int32_t tid, int64_t time,
                     unsigned marks);

/**
 * Begin a batch of all frames in the slots: the journal notes it as UNDER_WAY.
 * Returns the batch's bytes, which the caller frees; *@ret_size is
 * journal.length.
 */
unsigned char *make_rings_batch(struct make_rings *rings, size_t *ret_size);

/**
 * Write both files, anew, with dev and ino of the capture.  The capture ends
 * with @torn_size bytes of @torn.
 */
void make_rings_write(struct make_rings *rings, const void *torn,
                      size_t torn_size);

/** Contents for a reader: the number of marks and other frames. */
struct make_rings_found {
	unsigned marks, others; /* marks of group "test"; other frames */
	bool is_each_once;      /* marks 0 to marks - 1 */
	unsigned losses;        /* loss records */
	uint64_t lost;          /* lost frames that the loss records report */
	int end;                /* 0, or -errno of the reader */
	uint64_t merged, bad;   /* numbers in the reader's info */
	char not_merged[200];
	int64_t end_time;
	uint64_t size;
};
void make_rings_find(const char *path, struct make_rings_found *ret_found);

#endif
