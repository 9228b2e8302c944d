/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rest.h - what a process that died left in its ring file.
 *
 * ring/ring_file.h has the layout and the protocol.  Nothing in the file is
 * believed before it was checked, and all of it is read into memory of ours:
 * somebody may change it meanwhile.
 */
#ifndef SC_CAPTURE_REST_H
#define SC_CAPTURE_REST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <syscap/capture.h>

#include "ring/ring_file.h"

struct sc_rest {
	int fd; /* of the ring file; -1: none */
	struct sc_ring_file facts;
	struct sc_ring_journal journal;
	/* How many bytes of the capture count: behind them a batch is torn,
	 * which the rings still hold. */
	uint64_t capture_size;
	bool batch_is_in; /* the journal's batch is in the capture */

	/* Frames that are not in the capture, in a row. */
	unsigned char *bytes;
	size_t n_bytes;
	uint64_t n_frames;
	uint64_t n_bad; /* frames or ends of rings that could not be read */

	/* Whose: from and to are the rings' heads and tails. */
	struct sc_ring_journal_part parts[SC_RING_JOURNAL_PARTS];
	uint32_t n_parts;
	/* What the parts' slots say was lost. */
	struct sc_rest_loss {
		int32_t tid;
		int64_t since;
		struct sc_ring_losses lost;
	} * losses;
	uint32_t n_losses;
};

/** The path in a capture's first frame, METADATA "syscap.rings"; or NULL. */
const char *sc_rest_path(const unsigned char *capture, uint64_t size);

/**
 * Open the ring file at @path and see whose it is.  @lock: to change it;
 * else only to read.
 *
 * Returns 0; -ENOENT: there is none; -EBUSY: its process lives, or somebody
 * recovers from it; -EBADMSG and other: it is none, or not to be trusted, and
 * @error says why.
 */
int sc_rest_open(struct sc_rest *rest, const char *path, bool lock,
                 struct syscap_error *error);

/** Whether the rings belong to the file @st_dev, @st_ino. */
bool sc_rest_is_of(const struct sc_rest *rest, dev_t st_dev, ino_t st_ino);

/**
 * Read what is left: @capture is the file's content, @size bytes.  Losses
 * that no record tells are among the frames, as loss records.  0 or -errno.
 */
int sc_rest_load(struct sc_rest *rest, const unsigned char *capture,
                 uint64_t size, struct syscap_error *error);

void sc_rest_close(struct sc_rest *rest);

#endif
