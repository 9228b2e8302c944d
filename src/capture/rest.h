/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rest.h - what a process that died left in its ring file.
 *
 * ring/ring_file.h has the layout and the protocol.  Nothing in the file is
 * believed before it was checked, and all of it is read into memory of ours:
 * somebody may change it meanwhile.
 *
 * Here the file is opened; rest_owner.h finds out whether its process lives,
 * rest_load.h reads the frames, rest_losses.h what they do not tell.
 * Context of all: offline.
 */
#ifndef SYC_CAPTURE_REST_H
#define SYC_CAPTURE_REST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <syscap/capture.h>

#include "capture/rest_losses.h"
#include "data/array.h"
#include "ring/ring_file.h"

struct syc_rest {
	int fd;      /* of the ring file; -1: none */
	uid_t owner; /* of the file */
	dev_t dev;
	ino_t ino;
	struct syc_ring_file facts;
	struct syc_ring_journal journal;
	/* How many bytes of the capture count: behind them a batch is torn,
	 * which the rings still hold. */
	uint64_t capture_size;
	bool batch_is_in; /* the journal's batch is in the capture */

	/* Frames that are not in the capture, in a row. */
	unsigned char *bytes;
	size_t n_bytes, capacity;
	uint64_t n_frames;
	uint64_t n_told; /* of them: loss records that we composed */
	/* Frames whose content does not fit them, which are left out, and
	 * rings that could not be read to their end. */
	uint64_t n_bad;

	/* Whose frames: from and to are offsets in the rings. */
	struct syc_ring_journal_part parts[SYC_RING_JOURNAL_PARTS];
	uint32_t n_parts;
	struct syc_rest_losses losses;
	/* Whose frames those are, besides the process': of its children */
	SYC_ARRAY(int32_t) pids;
	uint32_t words[SYC_RING_FILE_SLOTS];
};

/** The path in the frame behind the PROCESS frame, METADATA "syscap.rings"; or
 * NULL. */
const char *syc_rest_path(const unsigned char *capture, uint64_t size);

/** What syc_rest_open() may return beside 0 and -errno. */
#define SYC_REST_LIVES 1

/**
 * Open the ring file at @path and see whose it is.  @lock: to change it;
 * else only to read, which keeps others from changing it meanwhile.
 *
 * Returns 0; SYC_REST_LIVES: its process still writes, and @rest may be asked
 * for syc_rest_is_of() and syc_rest_live_size() only; -ENOENT: there is none;
 * -EBUSY: somebody else recovers from it; -EBADMSG and other: it is none, or
 * not to be trusted.  @error says why, also that it lives.
 */
int syc_rest_open(struct syc_rest *rest, const char *path, bool lock,
                  struct syscap_error *error);

/** Whether the rings belong to the capture @st: the file, and its owner. */
bool syc_rest_is_of(const struct syc_rest *rest, const struct stat *st);

/**
 * The process lives: how much of its capture, open as @capture, is whole
 * frames; behind that there may be half a batch.
 */
int syc_rest_live_size(struct syc_rest *rest, int capture, uint64_t *ret_size);

/** All @size bytes, or false. */
bool syc_rest_read_at(const struct syc_rest *rest, void *to, size_t size,
                      uint64_t offset);

/** Where the journal is in the ring file. */
static inline uint64_t syc_rest_journal_at(const struct syc_rest *rest)
{
	return syc_ring_file_journal(rest->facts.page_size);
}

static inline uint64_t syc_rest_words_at(const struct syc_rest *rest)
{
	return syc_ring_file_words(rest->facts.page_size);
}

/** Where slot @slot begins in the ring file. */
uint64_t syc_rest_slot_at(const struct syc_rest *rest, uint32_t slot);

void syc_rest_close(struct syc_rest *rest);

#endif
