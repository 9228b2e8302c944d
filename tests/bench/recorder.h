/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder.h - a recorder for benchmarks, and the interface of the emitting
 * side.
 *
 * The library decides at load time whether it records, so children run the
 * measured code.  Each child is this program with a role and its own control
 * socket.  The parent gives out rings at once and drains them only on request,
 * so that no reader runs during a measured burst:
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

/** Ring size of a recorder of the reference 3.46. */
#define BENCH_RING_SIZE    (UINT32_C(128) << 10)
#define BENCH_CHILDREN_MAX 4

enum bench_owner {
	BENCH_OURS,
	BENCH_REFERENCE,
	BENCH_OWNERS
};

/** Memory that the recorder and all of its children share; zeroed at start. */
struct bench_page {
	/* frames that the recorder saw in the rings of a child, by type */
	uint64_t arrived[BENCH_CHILDREN_MAX][BENCH_OWNERS][256];
	uint32_t sense[16]; /* of bench_meet() */
	uint32_t waiting[16];
	uint32_t turn;        /* of bench_turn_wait() */
	uint64_t numbers[64]; /* numbers for any use by the children */
};

/** The role of this process; NULL in the parent. */
const char *bench_role(void);

/** The page, in a child. */
struct bench_page *bench_page(void);

/**
 * Run this program once for each of @roles, NULL at the end, and record, on
 * the @nth processor if that is not negative.  Returns 0 when all of them
 * exited with 0, else 1.
 */
int bench_record(uint32_t ring_size, const char *const *roles, int nth);

/** In a child: requests a drain of its rings, and waits for its end. */
void bench_drain(void);

/**
 * In a child: bench_drain(), and fail the program unless exactly @n frames of
 * @type came from @owner's rings since the last such call.
 */
void bench_expect(enum bench_owner owner, uint8_t type, uint64_t n);

/** In a child: all frames that bench_expect() has found. */
uint64_t bench_arrived(void);

/**
 * Spin until the other of two threads or processes arrives at @place (0..15),
 * too.
 */
void bench_meet(unsigned place);

/** Sleep until it is the turn of @whose (turns start with 0). */
void bench_turn_wait(uint32_t whose);

/** Pass the turn to @whose. */
void bench_turn_pass(uint32_t whose);

/**
 * Bind this thread, and threads that it starts, to its @nth allowed processor.
 * False: there are not more than @nth.
 */
bool bench_pin(unsigned nth);

#endif
