/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_collector_stacks.c - deep stacks, missing stacks, and stacks of an
 * entered function.
 */
#define _GNU_SOURCE
#include <string.h>

#include <sysprof-capture.h>

#include "dropin/defects_collector.h"

/* ------------------------------------------------------------------ C-13 */

#if SYSPROF_CHECK_VERSION(45, 0, 0)
static int five_deep(SysprofCaptureAddress *addrs, unsigned int n_addrs,
                     void *unused)
{
	(void)n_addrs;
	(void)unused;
	for (unsigned i = 0; i < 5; i++)
		addrs[i] = i + 1;
	return 5;
}

static void emit_traces(void)
{
	for (int i = 0; i < 10; i++)
		sysprof_collector_trace(five_deep, NULL, i % 2 == 0);
	mark("behind", NULL);
}

/* frame_next() refuses the newer types of frames. */
static void traces_are_samples(uint32_t pages)
{
	struct ring_peer peer;
	unsigned n = 0;

	record(&peer, pages, "traces", "");
	for (unsigned i = 0; i < peer.n_rings; i++) {
		struct frame frame = { .data = NULL };

		while (frame_next(&peer.rings[i], &frame)) {
			if (frame.type != SAMPLE)
				continue;
			MUST(frame_u16(&frame, 24) == 5);
			MUST(frame_u16(&frame, 26) == (n % 2 == 0));
			n++;
		}
	}
	MUST(n == 10);
	MUST(marks_count(&peer, "behind") == 1);
	ring_peer_free(&peer);
}
#endif

/* ------------------------------------------------------------------ C-23 */

#define DEEP 300

/* Fills all room with a deep stack; or returns a number that means no stack */
static int unwind_deep(SysprofCaptureAddress *addrs, unsigned int n_addrs,
                       void *answer)
{
	const int *const n = answer;

	memset(addrs - 2, 0x66, 16);
	for (unsigned i = 0; i < n_addrs && i < DEEP; i++)
		addrs[i] = 0x1000 + i;
	return n != NULL ? *n : n_addrs < DEEP ? (int)n_addrs : DEEP;
}

static void emit_deep_stacks(void)
{
	static const int none = -2, too_many = 100000;

	sysprof_collector_sample(unwind_deep, NULL);
	sysprof_collector_allocate(0x2000, 1, unwind_deep, NULL);
	sysprof_collector_sample(unwind_deep, (void *)&none);
	sysprof_collector_allocate(0x2000, 1, unwind_deep, (void *)&none);
	sysprof_collector_sample(unwind_deep, (void *)&too_many);
	sysprof_collector_allocate(0x2000, 1, unwind_deep, (void *)&too_many);
	sysprof_collector_allocate(0x2000, 0, NULL, NULL);
	mark("behind", NULL);
}

static void deep_stacks_are_whole(uint32_t pages)
{
	static const unsigned at_least[] = { DEEP, DEEP, 0, 0, DEEP, DEEP, 0 };
	struct ring_peer peer;
	unsigned n = 0;

	record(&peer, pages, "deep stacks", "");
	for (unsigned i = 0; i < peer.n_rings; i++) {
		struct frame frame = { .data = NULL };

		while (frame_next(&peer.rings[i], &frame)) {
			const bool is_sample = frame.type == SAMPLE;
			const unsigned addrs = is_sample ? 32 : 48;

			if (frame.type != SAMPLE && frame.type != ALLOCATION)
				continue;
			const unsigned depth =
				frame_u16(&frame, is_sample ? 24 : 44);
			MUST(n < 7);
			if (depth < at_least[n] ||
			    (at_least[n] == 0 && depth != 0))
				defect_shows("stack %u is %u deep, not %u", n,
				             depth, at_least[n]);
			for (unsigned k = 0; k < at_least[n]; k++)
				MUST(frame_u64(&frame, addrs + 8 * k) ==
				     0x1000 + k);
			/* the frame reports omitted addresses */
			if ((frame_u16(&frame, is_sample ? 26 : 46) != 0) !=
			    (n == 4 || n == 5))
				defect_shows(
					"stack %u has a wrong flag for a cut "
					"stack",
					n);
			n++;
		}
	}
	MUST(n == 7);
	MUST(marks_count(&peer, "behind") == 1);
	ring_peer_free(&peer);
}

const struct defect defects_of_stacks[] = {
#if SYSPROF_CHECK_VERSION(45, 0, 0)
	{ "C-13", traces_are_samples },
#else
	{ "C-13", NULL },
#endif
	{ "C-23", deep_stacks_are_whole },
	{ NULL, NULL }
};

const struct deed deeds_of_stacks[] = {
#if SYSPROF_CHECK_VERSION(45, 0, 0)
	{ "traces", emit_traces },
#endif
	{ "deep stacks", emit_deep_stacks },
	{ NULL, NULL }
};
