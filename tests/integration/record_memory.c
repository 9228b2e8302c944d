/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_memory.c - a program that counts its own allocations.
 *
 *	record_memory N THREADS CHILDREN FILE
 *
 * N allocations in all, by every function that allocates, on THREADS threads,
 * and as many again in each of CHILDREN forked children, one after the other.
 * Most blocks are freed by another thread than their allocator.  Writes to FILE
 * the allocations that all processes made in this program's own code:
 * "allocated COUNT BYTES", "freed COUNT", "kept COUNT BYTES".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_SLOTS 4096u

struct totals {
	uint64_t allocated, bytes, freed, kept, kept_bytes;
};

static struct totals *totals; /* sums of all processes */
static unsigned long per_thread;
static void *volatile sink;

/* Blocks that any thread may free. */
static struct slot {
	void *block;
} slots[N_SLOTS];

static void count(uint64_t *counter, uint64_t by)
{
	__atomic_add_fetch(counter, by, __ATOMIC_RELAXED);
}

static void *took(void *block, size_t size)
{
	if (block == NULL)
		abort();
	memset(block, 1, size < 16 ? size : 16);
	count(&totals->allocated, 1);
	count(&totals->bytes, size);
	return block;
}

static void give(void *block)
{
	if (block == NULL)
		return;
	count(&totals->freed, 1);
	free(block);
}

/* Calls each allocator itself, not as a tail call. */
static __attribute__((noinline)) void *take(unsigned way, size_t size)
{
	void *block;

	switch (way % 8) {
	case 0:
		block = calloc(1, size);
		break;
	case 1:
		block = realloc(NULL, size);
		break;
	case 2:
		block = reallocarray(NULL, 1, size);
		break;
	case 3:
		if (posix_memalign(&block, 64, size) != 0)
			abort();
		break;
	case 4:
		block = aligned_alloc(32, size);
		break;
	case 5:
		block = memalign(128, size);
		break;
	default:
		block = malloc(size);
	}
	sink = block;
	return took(block, size);
}

/* A realloc() is a free and an allocation, at a new or the same address. */
static __attribute__((noinline)) void *grow(void *block, size_t size)
{
	void *const grown = realloc(block, size);

	sink = grown;
	count(&totals->freed, 1);
	return took(grown, size);
}

static void *work(void *seed)
{
	uint64_t random = (uintptr_t)seed;

	for (unsigned long i = 0; i < per_thread; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695;
		const unsigned n = (unsigned)(random >> 33);
		void *block = take(n, 1 + n % 777);

		if (n % 16 == 0 && i + 1 < per_thread) {
			block = grow(block, 1 + n % 5555);
			i++;
		}
		give(__atomic_exchange_n(&slots[n / 64 % N_SLOTS].block, block,
		                         __ATOMIC_ACQ_REL));
	}
	return NULL;
}

/* Runs the same work each time; @first distinguishes the processes. */
static void run_threads(unsigned n, uintptr_t first)
{
	pthread_t threads[64];

	for (uintptr_t i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, work,
		                   (void *)(i * 7919 + first)) != 0)
			abort();
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

/* Frees half of the remaining blocks, and counts the kept blocks. */
static void finish(void)
{
	for (unsigned i = 0; i < N_SLOTS; i++) {
		if (i % 2 == 0)
			give(slots[i].block);
		else if (slots[i].block != NULL)
			count(&totals->kept, 1);
	}
}

int main(int argc, char **argv)
{
	unsigned threads, children;
	FILE *file;

	if (argc != 5)
		return 2;
	threads = (unsigned)atoi(argv[2]);
	children = (unsigned)atoi(argv[3]);
	per_thread = strtoul(argv[1], NULL, 10) / threads;
	totals = mmap(NULL, sizeof(*totals), PROT_READ | PROT_WRITE,
	              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	run_threads(threads, 0);
	for (unsigned i = 0; i < children; i++) {
		const pid_t pid = fork();

		if (pid == 0) {
			/* This process does not count the parent's blocks */
			memset(slots, 0, sizeof(slots));
			run_threads(threads, 1 + i);
			finish();
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			abort();
	}
	finish();
	file = fopen(argv[4], "w");
	fprintf(file, "allocated %llu %llu\nfreed %llu\nkept %llu\n",
	        (unsigned long long)totals->allocated,
	        (unsigned long long)totals->bytes,
	        (unsigned long long)totals->freed,
	        (unsigned long long)totals->kept);
	fclose(file);
	return 0;
}
