/* SPDX-License-Identifier: BSD-2-Clause */
/* window.c - the part of a file that is being looked at. */
#define _GNU_SOURCE
#include "dropin/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A frame and a half at least; more than the nearest cache has is slower. */
#define SIZE ((size_t)128 * 1024)

int syc_window_open(struct syc_window *window, int fd)
{
	*window = (struct syc_window){ .fd = fd, .bytes = malloc(SIZE) };
	return window->bytes != NULL ? 0 : -ENOMEM;
}

void syc_window_close(struct syc_window *window)
{
	free(window->bytes);
	window->bytes = NULL;
}

bool syc_window_move(struct syc_window *window, uint64_t offset, size_t n)
{
	if (offset < window->offset || offset > window->offset + window->n) {
		window->n = 0;
	} else {
		const size_t skip = (size_t)(offset - window->offset);

		window->n -= skip;
		memmove(window->bytes, window->bytes + skip, window->n);
	}
	window->offset = offset;
	while (window->n < n) {
		const ssize_t got =
			pread(window->fd, window->bytes + window->n,
		              SIZE - window->n, (off_t)(offset + window->n));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		window->n += (size_t)got;
	}
	return true;
}
