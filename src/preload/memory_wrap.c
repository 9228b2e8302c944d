/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_wrap.c - the functions that the program calls in place of the C
 * library's.  Each calls the next of its name, and returns what that returns.
 *
 * An allocation is recorded when it is there, a free before it is done: a
 * block's next owner comes later, on whatever thread.
 *
 * C++'s operators call these in all libraries that do not have an allocator of
 * their own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/memory.h"
#include "preload/memory_next.h"
#include "preload/memory_sampled.h"

void free_sized(void *block, size_t size);
void free_aligned_sized(void *block, size_t alignment, size_t size);

/* Not inlined, whatever calls it: each has its caller. */
#define EXPORTED __attribute__((visibility("default"), noinline))

static inline void *find_next(enum syc_memory_function function)
{
	void *const known = syc_memory_next_known(function);

	return __builtin_expect(known != NULL, 1) ? known
	                                          : syc_memory_next(function);
}

#define NEXT(name) ((__typeof__(&(name)))find_next(SYC_MEMORY_##name))

static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

static void *allocate_early(size_t size, size_t alignment)
{
	void *const block = syc_memory_early(size, alignment);

	return block != NULL ? block : no_memory();
}

/* In a function that the program calls, or that is jumped to by one. */
#define ALLOCATED(block, size)                                      \
	do {                                                        \
		const struct syc_caller caller = SYC_CALLER();      \
                                                                    \
		if ((block) == NULL)                                \
			syc_memory_failed(size);                    \
		else if (syc_memory_is_on())                        \
			syc_memory_allocated(block, size, &caller); \
	} while (0)

/*
 * Of a sample most calls are none of ours: they are jumps to the next function.
 * What is allocated counts before it is there: the next that is drawn is as far
 * from there as from anywhere.  A call that fails and was drawn has another drawn
 * in its place.
 * All else is a jump, too, to a function that has a frame.
 */
#define KNOWN(name) \
	((__typeof__(&(name)))syc_memory_next_known(SYC_MEMORY_##name))

/* The shortest ways: where what is not drawn goes, once that is known and a
 * sample is taken. */
static void *find_malloc(size_t size);
static void free_seen(void *block);
static __typeof__(&malloc) malloc_unseen = find_malloc;
static __typeof__(&free) free_unseen = free_seen;

static __attribute__((noinline)) void *find_malloc(size_t size)
{
	const __typeof__(&malloc) next = NEXT(malloc);

	if (next == NULL)
		return allocate_early(size, 0);
	__atomic_store_n(&malloc_unseen, next, __ATOMIC_RELAXED);
	return next(size);
}

static __attribute__((noinline)) void *malloc_seen(size_t size)
{
	const __typeof__(&malloc) next = NEXT(malloc);

	if (__builtin_expect(next == NULL, 0))
		return allocate_early(size, 0);
	if (!syc_memory_is_on())
		return next(size); /* by a jump: next() sees the caller */
	void *const block = next(size);
	ALLOCATED(block, size);
	return block;
}

EXPORTED void *malloc(size_t size)
{
	if (syc_memory_sampled_passes(size))
		return __atomic_load_n(&malloc_unseen, __ATOMIC_RELAXED)(size);
	return malloc_seen(size);
}

static __attribute__((noinline)) void *calloc_seen(size_t n, size_t size)
{
	const __typeof__(&calloc) next = NEXT(calloc);

	if (__builtin_expect(next == NULL, 0))
		return allocate_early(n * size, 0);
	if (!syc_memory_is_on())
		return next(n, size);
	void *const block = next(n, size);
	ALLOCATED(block, n * size);
	return block;
}

EXPORTED void *calloc(size_t n, size_t size)
{
	const __typeof__(&calloc) known = KNOWN(calloc);
	size_t all;

	if (__builtin_mul_overflow(n, size, &all))
		return no_memory();
	if (known != NULL && syc_memory_sampled_passes(all))
		return known(n, size);
	return calloc_seen(n, size);
}

static __attribute__((noinline)) void free_seen(void *block)
{
	const __typeof__(&free) next = NEXT(free);

	if (block == NULL || syc_memory_is_early(block) || next == NULL)
		return;
	if (syc_memory_is_on())
		syc_memory_freed(block);
	if (syc_memory_is_sampled())
		__atomic_store_n(&free_unseen, next, __ATOMIC_RELAXED);
	next(block);
}

EXPORTED void free(void *block)
{
	if (syc_memory_sampled_is_free(block))
		__atomic_load_n(&free_unseen, __ATOMIC_RELAXED)(block);
	else
		free_seen(block);
}

/* C23's, which the C library need not have: they are told what free() finds
 * out */
EXPORTED void free_sized(void *block, size_t size)
{
	(void)size;
	free(block);
}

EXPORTED void free_aligned_sized(void *block, size_t alignment, size_t size)
{
	(void)alignment;
	(void)size;
	free(block);
}

/* An early block can't grow: there is another for it. */
static void *move_early(void *block, size_t size)
{
	const size_t most = syc_memory_early_size(block);
	void *const moved = malloc(size);

	if (moved != NULL)
		memcpy(moved, block, size < most ? size : most);
	return moved;
}

static __attribute__((noinline)) void *realloc_seen(void *block, size_t size)
{
	const __typeof__(&realloc) next = NEXT(realloc);
	const struct syc_caller caller = SYC_CALLER();
	struct syc_memory_move move = { .block = NULL };

	if (__builtin_expect(syc_memory_is_early(block), 0))
		return move_early(block, size);
	if (__builtin_expect(next == NULL, 0))
		return block == NULL ? allocate_early(size, 0) : no_memory();
	if (!syc_memory_is_on())
		return next(block, size);
	if (block != NULL)
		move = syc_memory_move_begin(block);
	void *const moved = next(block, size);
	/* Of no bytes: it was freed, and is no failure */
	syc_memory_move_end(&move, moved != NULL || size == 0);
	if (moved != NULL)
		syc_memory_allocated(moved, size, &caller);
	else if (size != 0)
		syc_memory_failed(size);
	return moved;
}

static inline __attribute__((always_inline)) void *reallocate(void *block,
                                                              size_t size)
{
	const __typeof__(&realloc) known = KNOWN(realloc);

	if (known != NULL && syc_memory_sampled_is_free(block) &&
	    syc_memory_sampled_passes(size))
		return known(block, size);
	return realloc_seen(block, size);
}

EXPORTED void *realloc(void *block, size_t size)
{
	return reallocate(block, size);
}

EXPORTED void *reallocarray(void *block, size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all))
		return no_memory();
	return reallocate(block, all);
}

EXPORTED int posix_memalign(void **ret_block, size_t alignment, size_t size)
{
	const __typeof__(&posix_memalign) next = NEXT(posix_memalign);

	if (__builtin_expect(next == NULL, 0)) {
		*ret_block = allocate_early(size, alignment);
		return *ret_block != NULL ? 0 : ENOMEM;
	}
	const int r = next(ret_block, alignment, size);
	if (r == 0)
		ALLOCATED(*ret_block, size);
	else
		syc_memory_failed(size);
	return r;
}

#define ALIGNED(name)                                           \
	EXPORTED void *name(size_t alignment, size_t size)      \
	{                                                       \
		const __typeof__(&name) next = NEXT(name);      \
                                                                \
		if (__builtin_expect(next == NULL, 0))          \
			return allocate_early(size, alignment); \
		void *const block = next(alignment, size);      \
		ALLOCATED(block, size);                         \
		return block;                                   \
	}

ALIGNED(aligned_alloc)
ALIGNED(memalign)

static size_t get_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

EXPORTED void *valloc(size_t size)
{
	const __typeof__(&valloc) next = NEXT(valloc);

	if (__builtin_expect(next == NULL, 0))
		return allocate_early(size, get_page_size());
	void *const block = next(size);
	ALLOCATED(block, size);
	return block;
}

EXPORTED void *pvalloc(size_t size)
{
	const __typeof__(&valloc) next =
		(__typeof__(&valloc))find_next(SYC_MEMORY_pvalloc);

	if (__builtin_expect(next == NULL, 0))
		return allocate_early((size + get_page_size() - 1) /
		                              get_page_size() * get_page_size(),
		                      get_page_size());
	void *const block = next(size);
	ALLOCATED(block, size);
	return block;
}
