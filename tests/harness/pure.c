/* SPDX-License-Identifier: BSD-2-Clause */
/* pure.c - counts of allocations and locks; see pure.h. */
#define _GNU_SOURCE
#include "harness/pure.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTS 0
#endif
#endif
#if !defined(COUNTS) && defined(__GLIBC__)
#define COUNTS 1
#elif !defined(COUNTS)
#define COUNTS 0
#endif

static __thread volatile int depth __attribute__((tls_model("initial-exec")));
static struct pure_counts counts;

void pure_begin(void)
{
	depth++;
}

void pure_end(void)
{
	depth--;
}

struct pure_counts pure_get(void)
{
	return counts;
}

bool pure_is_nothing(void)
{
	return counts.n_allocated + counts.n_freed + counts.n_locked == 0;
}

#if COUNTS

/* Libraries must call these functions, too, instead of functions of the C
 * library */
#pragma GCC visibility push(default)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static void count(unsigned long *n)
{
	if (depth != 0)
		__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

void *malloc(size_t size)
{
	count(&counts.n_allocated);
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	count(&counts.n_allocated);
	return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
	count(&counts.n_allocated);
	return __libc_realloc(memory, size);
}

void free(void *memory)
{
	if (memory != NULL)
		count(&counts.n_freed);
	__libc_free(memory);
}

typedef int lock_function(pthread_mutex_t *mutex);

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static lock_function *real;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	count(&counts.n_locked);
	return real(mutex);
}

#pragma GCC visibility pop
#endif

bool pure_can_count(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	const struct pure_counts before = counts;

	pure_begin();
	void *volatile const memory = malloc(1);
	free(memory);
	pthread_mutex_lock(&mutex);
	pure_end();
	pthread_mutex_unlock(&mutex);
	const bool can = counts.n_allocated == before.n_allocated + 1 &&
	                 counts.n_freed == before.n_freed + 1 &&
	                 counts.n_locked == before.n_locked + 1;
	counts = before;
	return can;
}
