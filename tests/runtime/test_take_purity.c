/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_take_purity.c - what the handler of a tick does not do, with
 * runtimes attached: allocate, or take a lock.
 *
 * The allocator and the locks of this program are its own, and count while
 * the handler runs.  A sanitizer has its own of both.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "runtime/take.h"
#include "runtime/toy.h"
#include "unwind/unwind.h"

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

static volatile bool watching;
static volatile int n_allocations, n_locks, n_ticks;

#if COUNTS

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static void note_allocation(void)
{
	if (watching)
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
	if (watching)
		n_locks++;
	return real(mutex);
}

#endif

static struct toy toy;
static struct sc_take *take;

static void on_tick(int signal, siginfo_t *info, void *context)
{
	const struct sc_take_options options = { .max_depth = 512 };

	(void)signal;
	(void)info;
	watching = true;
	sc_take_sample(take, &options, context, syscap_clock(), 1);
	watching = false;
	n_ticks++;
}

static void native(struct toy *t)
{
	(void)t;
	raise(SIGUSR1);
}

static void check_watching(void)
{
	watching = true;
	void *volatile memory = malloc(1);
	free(memory);
	watching = false;
	CHECK_EQ(n_allocations, 2);
	n_allocations = 0;
}

/* Names that are new, so that the table and frames for it are made, too. */
CHILD(is_sampled)
{
	const struct sigaction sa = { .sa_sigaction = on_tick,
		                      .sa_flags = SA_SIGINFO };
	char names[50][32];
	struct toy_function functions[50];

	CHECK_EQ(sc_unwind_prepare(), 0);
	take = mmap(NULL, sc_take_size(), PROT_READ | PROT_WRITE,
	            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	toy_init(&toy, (uint32_t)atoi(peer_arg()));
	toy.attachment = syscap_attach_thread(&toy.provider, &toy);
	CHECK(toy.attachment != NULL);
	sigaction(SIGUSR1, &sa, NULL);
	check_watching();
	for (int i = 0; i < 50; i++) {
		snprintf(names[i], sizeof(names[i]), "function %d", i);
		functions[i] = (struct toy_function){
			names[i], i < 49 ? &functions[i + 1] : NULL, native
		};
	}
	toy_eval(&toy, functions);
	CHECK_EQ(n_ticks, 50);
	CHECK_EQ(n_allocations, 0);
	CHECK_EQ(n_locks, 0);
	syscap_detach_thread(toy.attachment);
}

TEST(no_tick_allocates_or_locks)
{
	/* SIGNAL; with SP; with ENTRY; with HANDLES; SAFEPOINT */
	static const char *const caps[] = { "1", "9", "17", "13", "2" };

	if (!COUNTS)
		SKIP("a sanitizer's allocator and locks are its own");
	for (int i = 0; i < 5; i++) {
		struct peer peer;

		peer_start_arg(&peer, "is_sampled", caps[i], 1 << 20,
		               PEER_OURS);
		CHECK_EQ(peer_finish(&peer), 0);
		CHECK(peer_count(&peer, 2) > 0);
		CHECK(peer_count(&peer, 7) > 0);
		peer_free(&peer);
	}
}
