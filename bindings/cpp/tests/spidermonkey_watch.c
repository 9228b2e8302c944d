/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spidermonkey_watch.c - a handler around the sampler's, and eyes on what the
 * provider pushes (spidermonkey_watch.h).
 *
 * The linker leads calls of sigaction(), syscap_stack_push() and
 * syscap_stack_scratch() here (--wrap).  malloc() and the locks are this
 * program's own, which the engine's library then uses, too; a sanitizer has
 * its own of both.
 */
#define _GNU_SOURCE
#include "spidermonkey_watch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <syscap/runtime.h>

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

static __thread volatile int in_handler
	__attribute__((tls_model("initial-exec")));
static unsigned long n_handled, n_walks, n_disorder, n_allocations, n_locks;
static unsigned long deepest;
static struct sigaction wrapped[65];

/* ---------------------------------------------------- allocator and locks */

#if COUNTS

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static void note_allocation(void)
{
	if (in_handler)
		n_allocations++;
}

void *malloc(size_t size)
{
	note_allocation();
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	note_allocation();
	return __libc_calloc(n, size);
}

void *realloc(void *memory, size_t size)
{
	note_allocation();
	return __libc_realloc(memory, size);
}

void free(void *memory)
{
	note_allocation();
	__libc_free(memory);
}

typedef int lock_function(pthread_mutex_t *mutex);

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static lock_function *real;

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_mutex_lock");
	if (in_handler)
		n_locks++;
	return real(mutex);
}

#endif

/* ------------------------------------------------------------ the handler */

int __real_sigaction(int number, const struct sigaction *action,
                     struct sigaction *old);
int __wrap_sigaction(int number, const struct sigaction *action,
                     struct sigaction *old);

static void on_signal(int number, siginfo_t *info, void *context)
{
	in_handler = 1;
	__atomic_fetch_add(&n_handled, 1, __ATOMIC_RELAXED);
	wrapped[number].sa_sigaction(number, info, context);
	in_handler = 0;
}

/* Who asks is told of the handler that he has set. */
int __wrap_sigaction(int number, const struct sigaction *action,
                     struct sigaction *old)
{
	const struct sigaction before = wrapped[number];
	struct sigaction ours;

	if (number < SIGRTMIN && number != SIGURG)
		return __real_sigaction(number, action, old);
	if (action != NULL) {
		ours = *action;
		if ((action->sa_flags & SA_SIGINFO) != 0) {
			wrapped[number] = *action;
			ours.sa_sigaction = on_signal;
		}
	}
	const int r =
		__real_sigaction(number, action != NULL ? &ours : NULL, old);
	if (r == 0 && old != NULL && old->sa_sigaction == on_signal)
		old->sa_sigaction = before.sa_sigaction;
	return r;
}

/* ---------------------------------------------------------------- the walk */

static unsigned long depth;
static uintptr_t last_sp;

int __real_syscap_stack_push(struct syscap_stack_sink *sink,
                             const struct syscap_stack_frame *frame);
int __wrap_syscap_stack_push(struct syscap_stack_sink *sink,
                             const struct syscap_stack_frame *frame);
void *__real_syscap_stack_scratch(struct syscap_stack_sink *sink, size_t *size);
void *__wrap_syscap_stack_scratch(struct syscap_stack_sink *sink, size_t *size);

/* A walk begins with this. */
void *__wrap_syscap_stack_scratch(struct syscap_stack_sink *sink, size_t *size)
{
	depth = 0;
	last_sp = 0;
	return __real_syscap_stack_scratch(sink, size);
}

int __wrap_syscap_stack_push(struct syscap_stack_sink *sink,
                             const struct syscap_stack_frame *frame)
{
	n_walks += depth == 0;
	n_disorder += frame->sp < last_sp;
	last_sp = frame->sp;
	if (++depth > deepest)
		deepest = depth;
	return __real_syscap_stack_push(sink, frame);
}

void spidermonkey_watch_report(void)
{
	printf("handled %lu\nwalks %lu\ndisorder %lu\ndeepest %lu\n", n_handled,
	       n_walks, n_disorder, deepest);
	printf("allocations %lu\nlocks %lu\nwatched %d\n", n_allocations,
	       n_locks, COUNTS);
}
