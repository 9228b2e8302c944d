/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * handler_watch.c - preloaded by tests: counts what handlers of SIGURG and of
 * real-time signals do that none may, allocate, free and lock.  When it ends, a
 * line on stderr, or in the file that HANDLER_WATCH_TO names, says
 *
 *	handled N allocated N freed N locked N
 *
 * With HANDLER_WATCH_BITES each handler allocates once, to see that it shows.
 *
 * It stands between sigaction() and the handler.  The allocator's functions
 * are those of this file, which count and go on to the C library's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What others are to call in the place of the C library's */
#pragma GCC visibility push(default)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static __thread volatile int depth __attribute__((tls_model("initial-exec")));
static unsigned long n_handled, n_allocated, n_freed, n_locked;
static int bites;

static void count(unsigned long *n)
{
	if (depth != 0)
		__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

void *malloc(size_t size)
{
	count(&n_allocated);
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	count(&n_allocated);
	return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
	count(&n_allocated);
	return __libc_realloc(memory, size);
}

void free(void *memory)
{
	if (memory != NULL)
		count(&n_freed);
	__libc_free(memory);
}

typedef int lock_function(pthread_mutex_t *mutex);

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static lock_function *real;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	count(&n_locked);
	return real(mutex);
}

/* ----------------------------------------------------------- the handlers */

typedef void handler_function(int signal, siginfo_t *info, void *context);
typedef int sigaction_function(int signal, const struct sigaction *action,
                               struct sigaction *before);

static handler_function *handlers[65];

static void on_signal(int signal, siginfo_t *info, void *context)
{
	depth++;
	__atomic_fetch_add(&n_handled, 1, __ATOMIC_RELAXED);
	if (bites)
		__libc_free(malloc(1));
	handlers[signal](signal, info, context);
	depth--;
}

/* Who asks gets its own handler told, not ours. */
int sigaction(int signal, const struct sigaction *action,
              struct sigaction *before)
{
	static sigaction_function *real;
	struct sigaction ours;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "sigaction");
	handler_function *const old =
		signal > 0 && signal < 65 ? handlers[signal] : NULL;
	const bool may_be_ticks =
		signal == SIGURG || (signal >= SIGRTMIN && signal < 65);
	if (action != NULL && may_be_ticks &&
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

	depth = 1;
	void *volatile memory = malloc(1);
	free(memory);
	pthread_mutex_lock(&mutex);
	depth = 0;
	pthread_mutex_unlock(&mutex);
	if (n_allocated != 1 || n_freed != 1 || n_locked != 1)
		_exit(99);
	n_allocated = n_freed = n_locked = 0;
	bites = getenv("HANDLER_WATCH_BITES") != NULL;
}

__attribute__((destructor)) static void tell(void)
{
	const char *const to = getenv("HANDLER_WATCH_TO");
	char line[160];
	const int n =
		snprintf(line, sizeof(line),
	                 "handled %lu allocated %lu freed %lu locked %lu\n",
	                 n_handled, n_allocated, n_freed, n_locked);
	int fd = 2;

	if (n_handled == 0)
		return; /* the recorder, which is watched too */
	if (to != NULL)
		fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (write(fd, line, (size_t)n) != n)
		_exit(98);
}
