/* SPDX-License-Identifier: BSD-2-Clause */
/* record_memory_chunks.c - preloaded: an allocator that maps its chunks, like
 * jemalloc and tcmalloc, and never reuses memory. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK ((size_t)64 * 1024)
#define HEAD  ((size_t)16)

#define EXPORTED __attribute__((visibility("default")))

/* A handler may leave malloc() by siglongjmp(), so `left` is never too large */
static _Thread_local char *volatile chunk
	__attribute__((tls_model("initial-exec")));
static _Thread_local volatile size_t left
	__attribute__((tls_model("initial-exec")));

EXPORTED void *malloc(size_t size)
{
	const size_t all = (size + HEAD + 15) & -(size_t)16;

	if (all > left) {
		const size_t size_of_chunk = all > CHUNK ? all : CHUNK;

		left = 0;
		chunk = mmap(NULL, size_of_chunk, PROT_READ | PROT_WRITE,
		             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		left = size_of_chunk;
	}
	if ((void *)chunk == MAP_FAILED)
		abort();
	char *const block = chunk;
	memcpy(block, &size, sizeof(size));
	left -= all;
	chunk += all;
	return block + HEAD;
}

EXPORTED void *calloc(size_t n, size_t size)
{
	return malloc(n * size);
}

EXPORTED void *realloc(void *block, size_t size)
{
	size_t before = 0;
	void *const moved = malloc(size);

	if (block != NULL)
		memcpy(&before, (char *)block - HEAD, sizeof(before));
	memcpy(moved, block, before < size ? before : size);
	return moved;
}

EXPORTED void free(void *block)
{
	(void)block;
}
