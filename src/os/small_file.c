/* SPDX-License-Identifier: BSD-2-Clause */
/* small_file.c - the text of a small file of the kernel's. */
#define _GNU_SOURCE
#include "os/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "os/fd.h"

size_t syc_small_file_read(const char *path, char *text, size_t size)
{
	const int fd = syc_fd_open(path, O_RDONLY, 0);
	ssize_t n = 0;

	if (fd >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	if (n < 0)
		n = 0;
	text[n] = '\0';
	return (size_t)n;
}
