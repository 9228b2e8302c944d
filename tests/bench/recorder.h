/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder.h - a recorder for benchmarks, and the emitting side's word to it.
 *
 * The library decides at load time whether it records, so what is measured
 * runs in children: this program again, one per role, each with a control
 * socket of its own.  The parent gives out rings at once and drains them only
 * when told to, so that a measured burst never meets a reader:
 *
 *	static int run(const char *role) { ...; bench_drain(); ... }
 *
 *	int main(void)
 *	{
 *		const char *const roles[] = { "emit", NULL };
 *
 *		if (bench_role() != NULL)
 *			return run(bench_role());
 *		return bench_record(BENCH_RING_SIZE, roles, -1);
 *	}
 */
#ifndef BENCH_RECORDER_H
#define BENCH_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

/** What a recorder of the reference's 3.46 gives out. */
#define BENCH_RING_SIZE    (UINT32_C(128) << 10)
#define BENCH_CHILDREN_MAX 4

enum bench_owner {
	BENCH_OURS,
	BENCH_REFERENCE,
	BENCH_OWNERS
};

/** Shared by the recorder and all of its children; zeroed at start. */
struct bench_page {
	/* frames seen in the rings of one child, by type; by the recorder */
	uint64_t arrived[BENCH_CHILDREN_MAX][BENCH_OWNERS][256];
	uint32_t sense[16]; /* of bench_meet() */
	uint32_t waiting[16];
	uint32_t turn;        /* of bench_turn_wait() */
	uint64_t numbers[64]; /* for the children, as they like */
};

/** The role of this process, NULL in the one that is started first. */
const char *bench_role(void);

/** The page, in a child. */
struct bench_page *bench_page(void);

/**
 * Run this program once for each of @roles, NULL at the end, and record, on
 * the @nth processor if that is not negative.  Returns 0 when all of them
 * exited with 0, else 1.
 */
int bench_record(uint32_t ring_size, const char *const *roles, int nth);

/** In a child: have its rings drained; returns when they are. */
void bench_drain(void);

/**
 * In a child: bench_drain(), and fail the program unless exactly @n frames
 * of @type came from @owner's rings since the last time this was asked.
 */
void bench_expect(enum bench_owner owner, uint8_t type, uint64_t n);

/** In a child: all frames that bench_expect() has found. */
uint64_t bench_arrived(void);

/**
 * Wait, spinning, for the other one of two threads or processes that meet at
 * @place (0..15).
 */
void bench_meet(unsigned place);

/** Wait, asleep, until it is the turn of @whose (turns start with 0). */
void bench_turn_wait(uint32_t whose);

/** It is the turn of @whose. */
void bench_turn_pass(uint32_t whose);

/**
 * Bind this thread, and what it starts, to the @nth processor that it may run
 * on.  Returns whether there are more than @nth.
 */
bool bench_pin(unsigned nth);

#endif
