/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make_run.c - a capture of a simulated run, with the noise of real runs.  Some
 * runs are slower, some functions vary more, and samples and durations are
 * random.
 *
 *	make_run OUT SEED STIR BEAT MARKS	per cent more of stir(), and of
 *						the mark mix/beat
 *
 * The same SEED gives the same run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/make_capture.h"

#define N(items) (sizeof(items) / sizeof((items)[0]))
#define JIT(n)   (UINT64_C(0xE000000000000000) + (n))

#define SAMPLES 6000
#define MS      INT64_C(1000000)
/* About the noise of 80 recordings of mix.c on a busy machine. */
#define RUN_NOISE 0.008 /* noise of a whole run */
#define OWN_NOISE 0.006 /* noise of a function or a mark in a run */

static uint64_t state;

/* splitmix64: the same on every machine. */
static double draw(void)
{
	uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

/* A factor around 1. */
static double noise(double size)
{
	double sum = -6;

	for (unsigned i = 0; i < 12; i++)
		sum += draw();
	return exp(size * sum);
}

static const char *const names[] = {
	"main", "stir", "knead", "fold",  "sift", "whip", "beat",
	"bake", "cool", "slice", "serve", "wash", "rare",
};
/* Shares of all samples, except main's. */
static const double shares[N(names)] = {
	0,    0.30, 0.18, 0.12, 0.09,  0.08,  0.06,
	0.05, 0.04, 0.03, 0.02, 0.015, 0.004,
};
static const char *const marks[] = { "beat", "bake", "serve", "wash" };

static void put_samples(struct make_capture *capture, double speed, double more)
{
	double wanted[N(names)];

	for (unsigned f = 1; f < N(names); f++)
		wanted[f] = shares[f] * speed * noise(OWN_NOISE) *
		            (f == 1 ? 1 + more : 1) * SAMPLES;
	for (unsigned f = 1; f < N(names); f++) {
		const uint64_t stack[] = { JIT(f + 1), JIT(1) };

		/* Random like a sampler's samples: many chances with a small
		 * probability. */
		for (unsigned i = 0; i < 4 * SAMPLES; i++)
			if (draw() < wanted[f] / (4 * SAMPLES))
				make_stack(capture, 2, 7, 8, 1000 + i * MS / 4,
				           false, stack, 2);
	}
}

static void put_marks(struct make_capture *capture, double speed, double more,
                      unsigned n)
{
	for (unsigned m = 0; m < N(marks); m++) {
		const double typical = 100e3 * (m + 1) * speed *
		                       noise(OWN_NOISE) *
		                       (m == 0 ? 1 + more : 1);

		for (unsigned i = 0; i < (m == 0 ? n : 200); i++)
			make_mark(capture, 7, 8, 1000 + i * SAMPLES * MS / n,
			          (int64_t)(typical * noise(0.2)), "mix",
			          marks[m], "");
	}
}

static void put_counter(struct make_capture *capture, double speed)
{
	const struct make_counter counter = {
		.category = "mix", .name = "bytes", .description = "", .id = 1
	};
	const uint32_t id = 1;

	make_ctrdef(capture, 7, 1000, &counter, 1);
	for (int i = 1; i <= 5; i++) {
		const uint64_t value =
			(uint64_t)(i * 1000 * speed * noise(OWN_NOISE));

		make_ctrset(capture, 7, 1000 + i * MS, &id, &value, 1);
	}
}

int main(int argc, char **argv)
{
	struct make_capture capture;
	double speed;
	FILE *out;

	if (argc != 6)
		return 2;
	state = strtoull(argv[2], NULL, 10) * 7919;
	speed = noise(RUN_NOISE);
	make_begin(&capture, false, 1000, 1000 + SAMPLES * MS);
	make_process(&capture, 7, 1000, "/usr/bin/mix");
	make_metadata(&capture, 1000, "syscap.sample", "1000,cpu");
	make_jitmap(&capture, 1000, JIT(1), names, N(names));
	put_samples(&capture, speed, atof(argv[3]) / 100);
	put_marks(&capture, speed, atof(argv[4]) / 100,
	          (unsigned)atoi(argv[5]));
	put_counter(&capture, speed);
	out = fopen(argv[1], "wb");
	if (out == NULL ||
	    fwrite(capture.data, 1, capture.size, out) != capture.size ||
	    fclose(out) != 0)
		return 1;
	make_free(&capture);
	return 0;
}
