/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * purity.c - preloaded: counts what a thread allocates, frees and locks while
 * it is in a signal handler that takes SA_SIGINFO, as the sampler's does.
 *
 * At the end one line tells how often handlers ran, and the counts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

typedef void handler_function(int signal, siginfo_t *info, void *context);

static __thread volatile int depth __attribute__((tls_model("initial-exec")));
static unsigned long n_handled, n_allocated, n_freed, n_locked;
static handler_function *handlers[65];

SHOWN void *__libc_malloc(size_t size);
SHOWN void *__libc_calloc(size_t n, size_t size);
SHOWN void *__libc_realloc(void *memory, size_t size);
SHOWN void __libc_free(void *memory);

static void count(unsigned long *n)
{
	if (depth != 0)
		__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

SHOWN void *malloc(size_t size)
{
	count(&n_allocated);
	return __libc_malloc(size);
}

SHOWN void *calloc(size_t n, size_t size)
{
	count(&n_allocated);
	return __libc_calloc(n, size);
}

SHOWN void *realloc(void *memory, size_t size)
{
	count(&n_allocated);
	return __libc_realloc(memory, size);
}

SHOWN void free(void *memory)
{
	if (memory != NULL)
		count(&n_freed);
	__libc_free(memory);
}

typedef int lock_function(pthread_mutex_t *mutex);

SHOWN int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static lock_function *real;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	count(&n_locked);
	return real(mutex);
}

static void handle(int number, siginfo_t *info, void *context)
{
	depth++;
	__atomic_fetch_add(&n_handled, 1, __ATOMIC_RELAXED);
	/* To see that the count bites */
	if (getenv("PURITY_BITES") != NULL)
		__libc_free(malloc(1));
	handlers[number](number, info, context);
	depth--;
}

typedef int sigaction_function(int signal, const struct sigaction *action,
                               struct sigaction *old);

SHOWN int sigaction(int number, const struct sigaction *action,
                    struct sigaction *old)
{
	static sigaction_function *real;
	struct sigaction ours;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "sigaction");
	if (action != NULL && (action->sa_flags & SA_SIGINFO) != 0 &&
	    number >= SIGRTMIN && number <= SIGRTMAX) {
		handlers[number] = action->sa_sigaction;
		ours = *action;
		ours.sa_sigaction = handle;
		action = &ours;
	}
	const int result = real(number, action, old);
	/* Who asks gets what it has set */
	if (result == 0 && old != NULL && (old->sa_flags & SA_SIGINFO) != 0 &&
	    old->sa_sigaction == handle)
		old->sa_sigaction = handlers[number];
	return result;
}

__attribute__((destructor)) static void report(void)
{
	char text[160];
	const int n = snprintf(text, sizeof(text),
	                       "purity: handled %lu allocated %lu freed %lu "
	                       "locked %lu\n",
	                       n_handled, n_allocated, n_freed, n_locked);

	if (n_handled != 0 && write(2, text, (size_t)n) != n)
		_exit(1);
}
