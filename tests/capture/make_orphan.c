/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make_orphan.c - files of a killed process, for tests of the command:
 * DIRECTORY/a.syscap, and a.rings.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <syscap/format.h>

#include "capture/make_rings.h"

/* Adds a frame with an invalid length. */
static void break_ring(struct make_rings *rings)
{
	struct make_capture frame = { .data = NULL };

	make_mark(&frame, MAKE_RINGS_PID, 72, 6000, 0, "test", "mark", "");
	make_patch_u16(&frame, 0, 100);
	make_rings_add(rings, 2, &frame);
	make_free(&frame);
}

int main(int argc, char **argv)
{
	struct make_rings rings;
	unsigned char *batch;
	size_t size;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "Usage: make_orphan DIRECTORY [broken]\n");
		return 2;
	}
	make_rings_begin(&rings, argv[1], 3);
	make_rings_drained_mark(&rings);
	make_rings_slot(&rings, 1, SYC_SLOT_LIVE, 71, MAKE_RINGS_BODY - 200);
	make_rings_slot(&rings, 2, SYC_SLOT_ENDED, 72, 128);
	for (unsigned i = 0; i < 4; i++)
		make_rings_mark(&rings, 1 + i % 2);
	make_rings_header(&rings, 1)->lost.frames[SYSCAP_FRAME_MARK] = 3;
	make_rings_header(&rings, 1)->lost.bytes = 312;
	if (argc == 3)
		break_ring(&rings);
	/* killed in the middle of a batch */
	batch = make_rings_batch(&rings, &size);
	make_rings_write(&rings, batch, size / 2);
	free(batch);
	make_free(&rings.capture);
	free(rings.bytes);
	return 0;
}
