/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * purity.c - preloaded: what handlers of real-time signals do that none may,
 * allocate and lock.  At exit a line on stderr says how often.
 *
 * It stands between sigaction() and the handler.  The allocator's functions
 * are those of this file, which count and go on to the C library's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What others are to call in the place of the C library's */
#pragma GCC visibility push(default)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static __thread volatile int is_inside
	__attribute__((tls_model("initial-exec")));
static unsigned long n_entries, n_allocations, n_frees, n_locks;

static void note(unsigned long *n)
{
	if (is_inside)
		__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

void *malloc(size_t size)
{
	note(&n_allocations);
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	note(&n_allocations);
	return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
	note(&n_allocations);
	return __libc_realloc(memory, size);
}

void free(void *memory)
{
	note(&n_frees);
	__libc_free(memory);
}

typedef int lock_function(pthread_mutex_t *mutex);

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static lock_function *real;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	note(&n_locks);
	return real(mutex);
}

/* ----------------------------------------------------------- the handlers */

typedef void handler(int signal, siginfo_t *info, void *context);
typedef int sigaction_function(int signal, const struct sigaction *action,
                               struct sigaction *before);

static handler *handlers[65];

static void on_signal(int signal, siginfo_t *info, void *context)
{
	is_inside = 1;
	__atomic_fetch_add(&n_entries, 1, __ATOMIC_RELAXED);
	handlers[signal](signal, info, context);
	is_inside = 0;
}

/* Who asks gets its own handler told, not ours. */
int sigaction(int signal, const struct sigaction *action,
              struct sigaction *before)
{
	static sigaction_function *real;
	struct sigaction ours;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "sigaction");
	handler *const old =
		signal > 0 && signal < 65 ? handlers[signal] : NULL;
	if (action != NULL && signal >= SIGRTMIN && signal < 65 &&
	    (action->sa_flags & SA_SIGINFO) != 0) {
		ours = *action;
		handlers[signal] = action->sa_sigaction;
		ours.sa_sigaction = on_signal;
		action = &ours;
	}
	const int r = real(signal, action, before);
	if (r == 0 && before != NULL && before->sa_sigaction == on_signal)
		before->sa_sigaction = old;
	return r;
}

/* ------------------------------------------------------------- its own test */

__attribute__((constructor)) static void count_ourselves(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	is_inside = 1;
	void *volatile memory = malloc(1);
	free(memory);
	pthread_mutex_lock(&mutex);
	is_inside = 0;
	pthread_mutex_unlock(&mutex);
	if (n_allocations != 1 || n_frees != 1 || n_locks != 1)
		_exit(99);
	n_allocations = n_frees = n_locks = 0;
}

__attribute__((destructor)) static void tell(void)
{
	char line[160];
	const int n = snprintf(
		line, sizeof(line),
		"purity: %lu entries, %lu allocations, %lu frees, %lu locks\n",
		n_entries, n_allocations, n_frees, n_locks);

	if (n_entries != 0 && write(2, line, (size_t)n) != n)
		_exit(98);
}
