/* SPDX-License-Identifier: BSD-2-Clause */
/* embeds.c FILE... - a program that embeds files into its capture, under the
 * files' names. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/have_a_ring.h"

int main(int argc, char **argv)
{
	have_a_ring();
	for (int i = 1; i < argc; i++) {
		const int fd = open(argv[i], O_RDONLY);
		const int r = fd < 0 ? -1 : syscap_file_fd(argv[i], fd);

		if (r != 0) {
			fprintf(stderr, "%s: %s\n", argv[i],
			        fd < 0 ? "can't be opened" : strerror(-r));
			return 1;
		}
		close(fd);
	}
	return 0;
}
