/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_memory_maps.c - a program that counts its own mappings.
 *
 *	record_memory_maps N THREADS CHILDREN FILE
 *
 * Each thread, of this process and of each forked child, maps N times:
 * anywhere, over its own mappings, and in reserved space.  The program moves,
 * grows and shrinks mappings, and unmaps them in parts and together.  Some
 * calls fail. Writes to FILE, in the form of record_memory.c, the expected
 * counts.  A mapping is one allocation, and each remaining part of a cut
 * mapping is a new allocation.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEMORY (PROT_READ | PROT_WRITE)
#define PLAIN  (MAP_PRIVATE | MAP_ANONYMOUS)

struct totals {
	uint64_t allocated, bytes, freed;
};

static struct totals *totals; /* sums of all processes */
static unsigned long per_thread;
static size_t page;
static int file;

static void check(int holds)
{
	if (!holds)
		abort();
}

static void took(size_t pages)
{
	__atomic_add_fetch(&totals->allocated, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&totals->bytes, pages * page, __ATOMIC_RELAXED);
}

static void gave(uint64_t n)
{
	__atomic_add_fetch(&totals->freed, n, __ATOMIC_RELAXED);
}

static char *map(size_t pages)
{
	char *const at = mmap(NULL, pages * page - 7, MEMORY, PLAIN, -1, 0);

	check(at != MAP_FAILED);
	at[pages * page - 1] = 1;
	took(pages);
	return at;
}

static char *map_over(char *at, size_t pages, int access)
{
	return mmap(at, pages * page, access, PLAIN | MAP_FIXED, -1, 0);
}

static void unmap(char *at, size_t pages)
{
	check(munmap(at, pages * page) == 0);
}

static void unmap_in_parts(void)
{
	char *const at = map(9);

	unmap(at + 3 * page, 2); /* mappings of 3 and 4 pages are left */
	gave(1);
	took(3);
	took(4);
	unmap(at, 1);
	gave(1);
	took(2);
	unmap(at + 8 * page, 1);
	gave(1);
	took(3);
	/* Any thread may map the holes */
	unmap(at + page, 2);
	unmap(at + 5 * page, 3);
	gave(2);
}

/* Maps within a reserved range without access. */
static void map_in_own_place(void)
{
	char *const at = mmap(NULL, 16 * page, PROT_NONE, PLAIN, -1, 0);

	check(at != MAP_FAILED);
	check(map_over(at + page, 4, MEMORY) == at + page);
	took(4);
	check(map_over(at + 5 * page, 4, MEMORY) == at + 5 * page);
	took(4);
	check(map_over(at + 3 * page, 4, PROT_NONE) == at + 3 * page);
	gave(2); /* half of each of the two mappings is left */
	took(2);
	took(2);
	unmap(at, 2);
	gave(1);
	took(1);
	unmap(at + 2 * page, 14); /* both mappings, and the space between */
	gave(2);
}

static void map_over_own(void)
{
	char *const at = map(8);

	check(map_over(at + 2 * page, 3, MEMORY) == at + 2 * page);
	gave(1);
	took(2);
	took(3);
	took(3);
	/* A mapping of a file does not count */
	check(mmap(at + 2 * page, page, PROT_READ, MAP_PRIVATE | MAP_FIXED,
	           file, 0) == at + 2 * page);
	gave(1);
	took(2);
	unmap(at, 8);
	gave(3);
}

static void move(void)
{
	char *at = map(4), *other;

	at[3 * page] = 77;
	check(mremap(at, 4 * page, 2 * page, 0) == at);
	gave(1);
	took(2);
	at = mremap(at, 2 * page, 64 * page, MREMAP_MAYMOVE);
	check(at != MAP_FAILED);
	gave(1);
	took(64);
	other = map(64);
	check(mremap(at, 64 * page, 64 * page, MREMAP_MAYMOVE | MREMAP_FIXED,
	             other) == other);
	gave(2);
	took(64);
	/* The mapping's other half is in the way */
	check(mremap(other, 32 * page, 40 * page, 0) == MAP_FAILED);
	unmap(other, 64);
	gave(1);
}

static void fail(void)
{
	char *const at = map(1);

	errno = 0;
	check(mmap(NULL, 0, MEMORY, PLAIN, -1, 0) == MAP_FAILED);
	check(errno == EINVAL);
	check(munmap(at + 1, page) == -1 && munmap(at, 0) == -1);
	check(mremap(at, page, 0, MREMAP_MAYMOVE) == MAP_FAILED);
	errno = 78;
	unmap(at, 1);
	gave(1);
	check(errno == 78);
}

static void *work(void *nothing)
{
	for (unsigned long i = 0; i < per_thread; i++) {
		unmap_in_parts();
		map_in_own_place();
		map_over_own();
		move();
		fail();
		if (i % 16 == 0)
			map(1 + i % 5); /* and keep the mapping */
	}
	return nothing;
}

/* Runs by raise(), so it interrupts no other call. */
static void handle(int number)
{
	(void)number;
	unmap_in_parts();
}

static void run_threads(unsigned n)
{
	pthread_t threads[64];

	for (unsigned i = 0; i < n; i++)
		check(pthread_create(&threads[i], NULL, work, NULL) == 0);
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	raise(SIGUSR1);
}

int main(int argc, char **argv)
{
	unsigned threads, children;

	if (argc != 5)
		return 2;
	per_thread = strtoul(argv[1], NULL, 10);
	threads = (unsigned)atoi(argv[2]);
	children = (unsigned)atoi(argv[3]);
	page = (size_t)sysconf(_SC_PAGESIZE);
	file = open(argv[0], O_RDONLY);
	totals = mmap(NULL, page, MEMORY, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(totals != MAP_FAILED);
	took(1);
	signal(SIGUSR1, handle);
	char *const inherited = map(3);
	run_threads(threads);
	for (unsigned i = 0; i < children; i++) {
		const pid_t pid = fork();

		if (pid == 0) {
			/* The parent's mapping does not count here */
			unmap(inherited + page, 1);
			run_threads(threads);
			_exit(0);
		}
		check(pid > 0 && waitpid(pid, NULL, 0) == pid);
	}
	dprintf(creat(argv[4], 0600),
	        "allocated %llu %llu\nfreed %llu\nkept %llu\n",
	        (unsigned long long)totals->allocated,
	        (unsigned long long)totals->bytes,
	        (unsigned long long)totals->freed,
	        (unsigned long long)(totals->allocated - totals->freed));
	return 0;
}
