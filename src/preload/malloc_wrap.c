/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * malloc_wrap.c - allocator functions that the program calls in place of the C
 * library's.  Each function calls the next function of the same name, and
 * returns the result.
 *
 * An allocation is recorded after the call, and a free before the call.  So
 * both events precede the events of a block's next owner, on any thread.
 *
 * C++'s operators call these functions in all libraries without an allocator of
 * their own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/memory.h"

/* Names of the functions.  The C library must have every one of these
 * functions, because dlsym() allocates memory for a missing symbol. */
#define FUNCTIONS(f)                                             \
	f(malloc) f(calloc) f(realloc) f(free) f(posix_memalign) \
		f(aligned_alloc) f(memalign) f(valloc) f(pvalloc)

#define INDEX(name) REAL_##name,
enum function {
	FUNCTIONS(INDEX) N_FUNCTIONS
};

/* An impossible address, which represents a missing real function. */
#define NONE ((uintptr_t)1)
static uintptr_t real_functions[N_FUNCTIONS]; /* 0: unknown yet */

/* Return the real function, or NULL before its lookup. */
static inline void *known_function(enum function function)
{
	const uintptr_t address =
		__atomic_load_n(&real_functions[function], __ATOMIC_RELAXED);

	return address > NONE ? (void *)address : NULL;
}

static inline bool is_early(const void *block)
{
	return (uintptr_t)block - (uintptr_t)syc_memory_early_blocks <
	       SYC_MEMORY_EARLY;
}

#define NAME(name) #name,
static const char *const names[] = { FUNCTIONS(NAME) };

_Alignas(4096) unsigned char syc_memory_early_blocks[SYC_MEMORY_EARLY];
static size_t early_used;
/*
 * Volatile, because dlsym() calls free() for the text of an error, although its
 * declaration excludes such calls.
 */
static _Thread_local volatile bool is_looking
	__attribute__((tls_model("initial-exec")));

static uintptr_t look_up(enum function function)
{
	uintptr_t address;

	if (is_looking)
		return NONE;
	is_looking = true;
	address = (uintptr_t)dlsym(RTLD_NEXT, names[function]);
	is_looking = false;
	if (address == 0)
		address = NONE;
	__atomic_store_n(&real_functions[function], address, __ATOMIC_RELAXED);
	return address;
}

/* Return the next function of the name, or NULL if none exists or the lookup is
 * in progress. */
static __attribute__((noinline)) void *find_real(enum function function)
{
	uintptr_t address =
		__atomic_load_n(&real_functions[function], __ATOMIC_RELAXED);

	if (__builtin_expect(address == 0, 0))
		address = look_up(function);
	return address == NONE ? NULL : (void *)address;
}

/*
 * Look all functions up before the first tick, as in interpose.c.  Handlers,
 * and children of threaded processes, must not call dlsym().
 */
__attribute__((constructor(101))) static void look_up_all(void)
{
	for (int i = 0; i < N_FUNCTIONS; i++)
		find_real((enum function)i);
}

/* Take zeroed memory from the library's buffer.  Returns NULL if the buffer is
 * used up. */
static void *take_early(size_t size, size_t alignment)
{
	size_t used = __atomic_load_n(&early_used, __ATOMIC_RELAXED), at;

	if (alignment < 16)
		alignment = 16;
	do {
		at = (used + alignment - 1) / alignment * alignment;
		if (alignment > 4096 || at > SYC_MEMORY_EARLY ||
		    size > SYC_MEMORY_EARLY - at)
			return NULL;
	} while (!__atomic_compare_exchange_n(&early_used, &used, at + size,
	                                      false, __ATOMIC_RELAXED,
	                                      __ATOMIC_RELAXED));
	return syc_memory_early_blocks + at;
}

/* Return the number of bytes that may be read from the early block @block. */
static size_t early_size(const void *block)
{
	return (size_t)(syc_memory_early_blocks + SYC_MEMORY_EARLY -
	                (const unsigned char *)block);
}

void *syc_malloc_real(void)
{
	return find_real(REAL_malloc);
}

void free_sized(void *block, size_t size);
void free_aligned_sized(void *block, size_t alignment, size_t size);

/* Attributes of the functions, which are not inlined, because each reads its
 * caller. */
#define EXPORTED __attribute__((visibility("default"), noinline))

static inline void *find_next(enum function function)
{
	void *const known = known_function(function);

	return __builtin_expect(known != NULL, 1) ? known : find_real(function);
}

#define NEXT(name) ((__typeof__(&(name)))find_next(REAL_##name))

static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

static void *allocate_early(size_t size, size_t alignment)
{
	void *const block = take_early(size, alignment);

	return block != NULL ? block : no_memory();
}

/* Report an allocation, in a function that the program calls, or in the target
 * of such a function's jump. */
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
 * If a sample is recorded, most calls are jumps to the real function.  The draw
 * precedes the call.  If a drawn call fails, another call is drawn, because the
 * distance to the next draw has the same distribution at every point.  Drawn
 * calls are jumps to a function that has a frame.
 */
#define KNOWN(name) ((__typeof__(&(name)))known_function(REAL_##name))

/*
 * Targets of calls that are not drawn.  If a sample is recorded, the real
 * functions become the targets after their lookup.
 */
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
		return next(size); /* a jump, so that next() sees the caller */
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

	if (block == NULL || is_early(block) || next == NULL)
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

/* C23's functions, which the C library may lack.  free() needs no size */
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

/* Copy an early block, which can't grow, to another block. */
static void *move_early(void *block, size_t size)
{
	const size_t most = early_size(block);
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

	if (__builtin_expect(is_early(block), 0))
		return move_early(block, size);
	if (__builtin_expect(next == NULL, 0))
		return block == NULL ? allocate_early(size, 0) : no_memory();
	if (!syc_memory_is_on())
		return next(block, size);
	if (block != NULL)
		move = syc_memory_move_begin(block);
	void *const moved = next(block, size);
	/* If realloc() with size 0 returns NULL, the block was freed */
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
		(__typeof__(&valloc))find_next(REAL_pvalloc);

	if (__builtin_expect(next == NULL, 0))
		return allocate_early((size + get_page_size() - 1) /
		                              get_page_size() * get_page_size(),
		                      get_page_size());
	void *const block = next(size);
	ALLOCATED(block, size);
	return block;
}
