/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ref_count.c - walk over a capture with the reference's reader.
 *
 *	ref_count FILE
 *
 * Prints "type count" for each type of frame, in the order of the types, with
 * the names of `syscap stat --json`.  The reference's reader does not
 * distinguish an end from damage, so this program adds up the read bytes.  If
 * the reader stopped before the end of the file, the program prints the offset
 * and exits with 1.
 */
#include <stdio.h>
#include <sys/stat.h>

#include <sysprof-capture.h>

#define FILE_HEADER 256

static const char *const names[] = {
	"0",    "timestamp",  "sample",     "map",     "process", "fork",
	"exit", "jitmap",     "ctrdef",     "ctrset",  "mark",    "metadata",
	"log",  "file_chunk", "allocation", "overlay",
};
#define N_NAMES (sizeof(names) / sizeof(names[0]))

int main(int argc, char **argv)
{
	unsigned long counts[256] = { 0 };
	SysprofCaptureReader *reader;
	SysprofCaptureFrame frame;
	long long at = FILE_HEADER;
	struct stat st;
	unsigned i;

	if (argc != 2 || stat(argv[1], &st) != 0) {
		fprintf(stderr, "usage: ref_count FILE\n");
		return 2;
	}
	reader = sysprof_capture_reader_new(argv[1]);
	if (reader == NULL) {
		perror(argv[1]);
		return 1;
	}
	while (sysprof_capture_reader_peek_frame(reader, &frame) &&
	       sysprof_capture_reader_skip(reader)) {
		counts[frame.type]++;
		at += frame.len;
	}
	sysprof_capture_reader_unref(reader);

	for (i = 0; i < 256; i++) {
		if (counts[i] && i < N_NAMES)
			printf("%s %lu\n", names[i], counts[i]);
		else if (counts[i])
			printf("%u %lu\n", i, counts[i]);
	}
	if (at != st.st_size) {
		fprintf(stderr, "%s: stopped at byte %lld of %lld\n", argv[1],
		        at, (long long)st.st_size);
		return 1;
	}
	return 0;
}
