/* SPDX-License-Identifier: BSD-2-Clause */
/* make_heavy.c - writer of a large capture: make_heavy KIND N > FILE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/heavy.h"

static const struct kind {
	const char *name;
	void (*put)(long n);
} kinds[] = {
	{ "samples", heavy_samples },   { "marks", heavy_marks },
	{ "counters", heavy_counters }, { "day", heavy_day },
	{ "stacks", heavy_stacks },     { "allocations", heavy_allocations },
};

static uint64_t state = 1;

uint32_t heavy_random(void)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(state >> 33);
}

void heavy_put(const void *frame, size_t len)
{
	static const char zeros[8];

	if (fwrite(frame, 1, len, stdout) != len ||
	    fwrite(zeros, 1, -len & 7, stdout) != (-len & 7)) {
		perror("make_heavy");
		exit(1);
	}
}

void heavy_begin(struct syscap_wire_frame *frame, uint8_t type, size_t len,
                 int64_t time)
{
	memset(frame, 0, sizeof(*frame));
	frame->len = (uint16_t)((len + 7) & ~(size_t)7);
	frame->cpu = -1;
	frame->pid = HEAVY_PID;
	frame->time = time;
	frame->type = type;
}

static void put_header(void)
{
	const struct syscap_wire_file header = {
		.magic = SYSCAP_MAGIC,
		.version = 1,
		.little_endian = 1,
		.capture_time = "2026-01-02T03:04:05Z",
		.time = HEAVY_BEGIN,
	};

	heavy_put(&header, sizeof(header));
}

static void put_process(void)
{
	struct {
		struct syscap_wire_frame frame;
		char command[16];
	} frame = { .command = "heavy" };

	heavy_begin(&frame.frame, SYSCAP_FRAME_PROCESS, sizeof(frame),
	            HEAVY_BEGIN);
	heavy_put(&frame, sizeof(frame));
}

int main(int argc, char **argv)
{
	const struct kind *kind = NULL;
	const long n = argc == 3 ? atol(argv[2]) : 0;

	for (size_t i = 0; n > 0 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kinds[i].name, argv[1]) == 0)
			kind = &kinds[i];
	if (kind == NULL) {
		fputs("usage: make_heavy samples|marks|counters N > FILE\n",
		      stderr);
		return 2;
	}
	put_header();
	put_process();
	kind->put(n);
	return fflush(stdout) == 0 ? 0 : 1;
}
