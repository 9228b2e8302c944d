/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * window.h - the part of a file that is being looked at, in memory that may
 * be written to without changing the file.
 *
 * Mapped where that can be done: a capture is then read at twice the speed,
 * for most bytes of most frames are never touched.  Pages that are written to
 * become copies, so what is going to be changed all over is read into a buffer
 * instead.
 */
#ifndef SC_WINDOW_H
#define SC_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sc_window {
	unsigned char *bytes;
	size_t n;        /* valid bytes */
	uint64_t offset; /* of the first in the file */
	int fd;
	bool is_mapped;
	size_t size; /* of the mapping, or of the buffer */
};

/** @may_map: not if most of it is going to be changed.  0 or -errno. */
int sc_window_open(struct sc_window *window, int fd, bool may_map);

/** Does not close the descriptor. */
void sc_window_close(struct sc_window *window);

/**
 * Move to where [@offset, @offset + @n) is inside, @n being at most 128 KiB,
 * or all that the file has of it.  True: all of it is there.  What was in the
 * window before is gone, but for bytes of a buffer that are in the new one:
 * those are as they were left.
 */
bool sc_window_move(struct sc_window *window, uint64_t offset, size_t n);

#endif
