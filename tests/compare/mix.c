/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mix.c - a program that does the same work in each run, or slightly more of
 * one kind.
 *
 *	mix TURNS STIR BEAT	per cent of stir()'s work, and of the mark's
 */
#include <stdint.h>
#include <stdlib.h>

#include <syscap.h>

#define UNIT 700 /* rounds for a per cent of a function's share */

static volatile uint64_t sink;

/* Every function has its own loop, which no compiler may merge. */
#define WORK(name, number)                                              \
	__attribute__((noinline)) static void name(unsigned percent)    \
	{                                                               \
		uint64_t value = sink;                                  \
                                                                        \
		for (unsigned i = 0; i < percent * UNIT; i++)           \
			value = value * UINT64_C(6364136223846793005) + \
			        (number);                               \
		sink = value;                                           \
	}

WORK(stir, 1)
WORK(knead, 3)
WORK(fold, 5)
WORK(sift, 7)
WORK(whip, 9)
WORK(beat, 11)

int main(int argc, char **argv)
{
	const unsigned turns = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
	const unsigned more_stir = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	const unsigned more_beat = argc > 3 ? (unsigned)atoi(argv[3]) : 0;

	for (unsigned i = 0; i < turns; i++) {
		int64_t begin;

		stir(35 + 35 * more_stir / 100);
		knead(20);
		fold(15);
		begin = syscap_clock();
		beat(20);
		beat(20 * more_beat / 100);
		SYSCAP_MARK("mix", "beat", begin, syscap_clock() - begin, NULL);
		begin = syscap_clock();
		sift(4 + i % 7);
		SYSCAP_MARK("mix", "sift", begin, syscap_clock() - begin, NULL);
		whip(2);
	}
	return 0;
}
