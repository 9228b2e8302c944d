/* SPDX-License-Identifier: BSD-2-Clause */
/* text_file.c - the text of a small file. */
#define _GNU_SOURCE
#include "common/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

ssize_t syc_text_file_read(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t n = 1;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	while (n != 0 && used < size - 1) {
		n = read(fd, text + used, size - 1 - used);
		if (n > 0)
			used += (size_t)n;
		else if (n < 0 && errno != EINTR)
			break;
	}
	if (n < 0)
		n = -errno;
	close(fd);
	text[used] = '\0';
	return n < 0 ? n : (ssize_t)used;
}

ssize_t syc_text_file_read_proc(int32_t pid, const char *name, char *text,
                                size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return syc_text_file_read(path, text, size);
}
