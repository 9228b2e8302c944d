/* SPDX-License-Identifier: BSD-2-Clause */
/* same_file.c - whether a number is still the descriptor that it was. */
#include "os/same_file.h"

#include <sys/stat.h>

bool syc_same_file(int fd, dev_t dev, ino_t ino)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_dev == dev && st.st_ino == ino;
}
