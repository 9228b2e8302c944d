/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * early.c - a capture with marks from before the recording.
 *
 *	profile_early OUT
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness/make_capture.h"

#define SECOND INT64_C(1000000000)
#define BEGIN  (5000 * SECOND)

int main(int argc, char **argv)
{
	struct make_capture capture;
	FILE *file;

	if (argc != 2)
		return EXIT_FAILURE;
	make_begin(&capture, false, BEGIN, 0);
	make_process(&capture, 7, BEGIN, "demo");
	/* 36 minutes, of which 2 s are in the recording */
	make_mark(&capture, 7, 7, BEGIN - 2158 * SECOND, 2160 * SECOND, "gtk",
	          "mapped window", "");
	make_mark(&capture, 7, 7, BEGIN - 9 * SECOND, 8 * SECOND, "gtk",
	          "mapped window", "over");
	make_mark(&capture, 7, 7, BEGIN - SECOND, 0, "gtk", "instant", "");
	make_mark(&capture, 7, 7, BEGIN + SECOND, 3 * SECOND, "gtk",
	          "mapped window", "inside");
	make_mark(&capture, 7, 7, BEGIN + SECOND, 4 * SECOND, "gtk", "frame",
	          "");
	/* Two operations: one is cut, one is over. */
	make_mark(&capture, 7, 7, BEGIN - 60 * SECOND, 0, "net", "get",
	          "async=1 phase=begin");
	make_mark(&capture, 7, 7, BEGIN + SECOND, 0, "net", "get",
	          "async=1 phase=end");
	make_mark(&capture, 7, 7, BEGIN - 60 * SECOND, 0, "net", "get",
	          "async=2 phase=begin");
	make_mark(&capture, 7, 7, BEGIN - 50 * SECOND, 0, "net", "get",
	          "async=2 phase=end");
	file = fopen(argv[1], "w");
	if (file == NULL ||
	    fwrite(capture.data, 1, capture.size, file) != capture.size ||
	    fclose(file) != 0)
		return EXIT_FAILURE;
	make_free(&capture);
	return EXIT_SUCCESS;
}
