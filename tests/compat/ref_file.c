/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ref_file.c - extractor of an embedded file, by the reference's reader.
 *
 *	ref_file CAPTURE PATH >FILE
 */
#include <stdio.h>
#include <unistd.h>

#include <sysprof-capture.h>

int main(int argc, char **argv)
{
	SysprofCaptureReader *reader;
	bool was_there;

	if (argc != 3) {
		fprintf(stderr, "usage: ref_file CAPTURE PATH >FILE\n");
		return 2;
	}
	reader = sysprof_capture_reader_new(argv[1]);
	if (reader == NULL) {
		perror(argv[1]);
		return 1;
	}
	was_there = sysprof_capture_reader_read_file_fd(reader, argv[2],
	                                                STDOUT_FILENO);
	sysprof_capture_reader_unref(reader);
	if (!was_there)
		fprintf(stderr, "%s: there is no %s\n", argv[1], argv[2]);
	return !was_there;
}
