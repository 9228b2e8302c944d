/* SPDX-License-Identifier: BSD-2-Clause */
/* window.c - the part of a file that is being looked at. */
#define _GNU_SOURCE
#include "dropin/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)256 * 1024)
#define MAP_SIZE    ((size_t)16 * 1024 * 1024)

static int use_buffer(struct sc_window *window)
{
	window->is_mapped = false;
	window->n = 0;
	window->size = BUFFER_SIZE;
	window->bytes = malloc(BUFFER_SIZE);
	return window->bytes != NULL ? 0 : -ENOMEM;
}

int sc_window_open(struct sc_window *window, int fd, bool may_map)
{
	struct stat st;

	*window = (struct sc_window){ .fd = fd };
	window->is_mapped =
		may_map && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	return window->is_mapped ? 0 : use_buffer(window);
}

static void unmap(struct sc_window *window)
{
	if (window->bytes != NULL)
		munmap(window->bytes, window->size);
	window->bytes = NULL;
	window->n = window->size = 0;
}

void sc_window_close(struct sc_window *window)
{
	if (window->is_mapped)
		unmap(window);
	else
		free(window->bytes);
	window->bytes = NULL;
}

/* False: it can't be mapped. */
static bool map(struct sc_window *window, uint64_t offset)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t begin = offset / page * page;
	struct stat st;

	unmap(window);
	window->offset = begin;
	if (fstat(window->fd, &st) != 0)
		return false;
	/* The file as it is now: it may grow until the next time */
	if ((uint64_t)st.st_size <= begin)
		return true;
	const uint64_t rest = (uint64_t)st.st_size - begin;
	const size_t n = rest < MAP_SIZE ? (size_t)rest : MAP_SIZE;
	void *const bytes = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE,
	                         window->fd, (off_t)begin);
	if (bytes == MAP_FAILED)
		return false;
	window->bytes = bytes;
	window->n = window->size = n;
	return true;
}

static bool fill(struct sc_window *window, uint64_t offset, size_t n)
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
		const ssize_t got = pread(window->fd, window->bytes + window->n,
		                          window->size - window->n,
		                          (off_t)(offset + window->n));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		window->n += (size_t)got;
	}
	return true;
}

bool sc_window_move(struct sc_window *window, uint64_t offset, size_t n)
{
	if (window->is_mapped) {
		if (map(window, offset))
			return window->n >= n + (offset - window->offset);
		if (use_buffer(window) != 0)
			return false;
	}
	return window->bytes != NULL && fill(window, offset, n);
}
