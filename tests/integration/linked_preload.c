/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * linked_preload.c - a library to preload that replaces malloc(), and emits in
 * malloc() by its own copy of syscap.  The library also emits while syscap
 * starts the drain thread, which allocates.
 */
#define _GNU_SOURCE
#include <stddef.h>

#include <syscap.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *memory);

void *malloc(size_t size)
{
	SYSCAP_INSTANT("preload", "malloc", NULL);
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	SYSCAP_INSTANT("preload", "calloc", NULL);
	return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	SYSCAP_INSTANT("preload", "realloc", NULL);
	return __libc_realloc(old, size);
}

void free(void *memory)
{
	SYSCAP_INSTANT("preload", "free", NULL);
	__libc_free(memory);
}
