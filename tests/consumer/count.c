/* SPDX-License-Identifier: BSD-2-Clause */
/* count.c - the smallest program that reads a capture: a counter of marks. */
#include <stdio.h>

#include <syscap/capture.h>

int main(int argc, char **argv)
{
	struct syscap_reader *reader;
	struct syscap_error error;
	struct syscap_frame frame;
	int n = 0, r;

	if (argc != 2 || syscap_reader_open(argv[1], &reader, &error) != 0)
		return 1;
	while ((r = syscap_reader_next(reader, &frame, &error)) > 0)
		n += frame.type == SYSCAP_FRAME_MARK;
	syscap_reader_close(reader);
	printf("%d\n", n);
	return r == 0 ? 0 : 1;
}
