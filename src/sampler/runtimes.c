/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtimes.c - providers that are attached to the calling thread (runtimes.h).
 *
 * The table has open addressing within a window.  So an unsuccessful search is
 * short, and a removed entry only becomes empty.  A thread stores only its own
 * key.  The thread removes its key.  After the thread's end, any attaching
 * thread removes the key, by an exchange, because two threads may try.
 */
#define _GNU_SOURCE
#include "sampler/runtimes.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/threads.h"

#define N_PLACES (UINT32_C(1) << 12)
#define WINDOW   64u
#define LEAVING  1u /* a key that is being removed */

struct place {
	struct syc_runtimes *runtimes;
	int32_t pid, tid;
};

struct sites {
	uintptr_t keys[N_PLACES + WINDOW];
	struct place places[N_PLACES + WINDOW];
};

static struct sites *the_table; /* made once, never unmapped */

static uint32_t first_place(uintptr_t key)
{
	return (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 52) %
	       N_PLACES;
}

/* Return the index of the calling thread in the table, or -1. */
static int find_place(const struct sites *table, uintptr_t key)
{
	const uint32_t first = first_place(key);

	for (uint32_t i = first; i < first + WINDOW; i++)
		if (__atomic_load_n(&table->keys[i], __ATOMIC_RELAXED) == key)
			return (int)i;
	return -1;
}

/*
 * Return whether an entry with the calling thread's key belongs to this thread.
 * In a forked child the only thread takes over the entry of the parent's
 * thread.
 */
static bool is_own_place(const struct place *place)
{
	const int32_t tid = gettid();

	if (place->tid == tid)
		return true;
	const int32_t pid = getpid();
	return pid == tid && place->pid != pid;
}

struct syc_runtimes *syc_runtimes_find(void)
{
	const struct sites *const table =
		__atomic_load_n(&the_table, __ATOMIC_ACQUIRE);

	if (table == NULL)
		return NULL;
	const int i = find_place(table, syc_thread_pointer());
	if (i < 0 || !is_own_place(&table->places[i]))
		return NULL;
	return table->places[i].runtimes;
}

/* ------------------------------------------------------------------ memory */

static size_t round_to_pages(size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}

static size_t runtimes_size(void)
{
	return round_to_pages(sizeof(struct syc_waiting)) +
	       round_to_pages(sizeof(struct syc_runtimes)) +
	       syc_workspace_size();
}

static void *map_zeroed(size_t size)
{
	void *const memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory != MAP_FAILED ? memory : NULL;
}

static struct sites *get_sites(void)
{
	struct sites *other = __atomic_load_n(&the_table, __ATOMIC_ACQUIRE);

	if (other != NULL)
		return other;
	struct sites *const mine = map_zeroed(sizeof(*mine));
	if (mine == NULL ||
	    __atomic_compare_exchange_n(&the_table, &other, mine, false,
	                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return mine;
	munmap(mine, sizeof(*mine));
	return other;
}

static struct syc_runtimes *make_runtimes(void)
{
	char *const memory = map_zeroed(runtimes_size());
	const size_t front = round_to_pages(sizeof(struct syc_waiting));

	if (memory == NULL)
		return NULL;
	/* If this call fails (before Linux 4.14), a child repeats its parent's
	 * waiting data */
	(void)madvise(memory, front, MADV_WIPEONFORK);
	struct syc_runtimes *const runtimes =
		(struct syc_runtimes *)(void *)(memory + front);
	runtimes->waiting = (struct syc_waiting *)(void *)memory;
	runtimes->take = (struct syc_workspace *)(void *)(memory + front +
	                                                  round_to_pages(sizeof(
								  *runtimes)));
	runtimes->options.max_depth = SYC_STACK_MAX;
	syc_stack_bounds(&runtimes->options.low, &runtimes->options.high);
	return runtimes;
}

static void free_runtimes(struct syc_runtimes *runtimes)
{
	munmap(runtimes->waiting, runtimes_size());
}

/* ------------------------------------------------------------------ places */

static bool take_site_out(struct sites *table, uint32_t i, uintptr_t key)
{
	if (!__atomic_compare_exchange_n(&table->keys[i], &key, LEAVING, false,
	                                 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	free_runtimes(table->places[i].runtimes);
	__atomic_store_n(&table->keys[i], 0, __ATOMIC_RELEASE);
	return true;
}

/* Remove entries of threads that have ended, or that exist only in the parent,
 * because these threads do not detach. */
static void scavenge_sites(struct sites *table, uint32_t first)
{
	const int32_t pid = getpid();
	const uintptr_t own = syc_thread_pointer();

	for (uint32_t i = first; i < first + WINDOW; i++) {
		const uintptr_t key =
			__atomic_load_n(&table->keys[i], __ATOMIC_ACQUIRE);
		const struct place *const place = &table->places[i];

		if (key <= LEAVING)
			continue;
		if (key == own
		            ? !is_own_place(place)
		            : place->pid != pid || syc_tid_is_gone(place->tid))
			take_site_out(table, i, key);
	}
}

/* Claim an empty slot by the key LEAVING.  Returns -1 if none is empty. */
static int claim_place(struct sites *table, uint32_t first)
{
	for (uint32_t i = first; i < first + WINDOW; i++) {
		uintptr_t none = 0;

		if (__atomic_compare_exchange_n(&table->keys[i], &none, LEAVING,
		                                false, __ATOMIC_ACQUIRE,
		                                __ATOMIC_RELAXED))
			return (int)i;
	}
	return -1;
}

static struct syc_runtimes *add_own(struct sites *table)
{
	const uintptr_t key = syc_thread_pointer();
	const uint32_t first = first_place(key);

	scavenge_sites(table, first);
	const int i = claim_place(table, first);
	struct syc_runtimes *const runtimes = i >= 0 ? make_runtimes() : NULL;
	if (i < 0)
		return NULL;
	table->places[i] = (struct place){ runtimes, getpid(), gettid() };
	/* Scavengers need the release order.  Handlers on this thread see the
	 * stores in order. */
	__atomic_store_n(&table->keys[i], runtimes != NULL ? key : 0,
	                 __ATOMIC_RELEASE);
	return runtimes;
}

struct syc_runtimes *syc_runtimes_get(void)
{
	struct sites *const table = get_sites();
	struct syc_runtimes *const runtimes =
		table != NULL ? syc_runtimes_find() : NULL;

	return table != NULL && runtimes == NULL ? add_own(table) : runtimes;
}

void syc_runtimes_release(void)
{
	struct sites *const table = get_sites();
	const uintptr_t key = syc_thread_pointer();
	const int i = find_place(table, key);

	if (i >= 0)
		take_site_out(table, (uint32_t)i, key);
}
