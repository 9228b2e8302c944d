/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attach.c - providers come and go (attach.h).
 *
 * The table is open addressing within a window, so that a look for what is
 * not there is short and a place can simply be emptied.  A key is stored by
 * its own thread, and taken out by it or, once it is gone, by any thread that
 * attaches: by exchange, for two may try.
 */
#define _GNU_SOURCE
#include "sample/attach.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap/emit.h>

#include "os/stack_bounds.h"
#include "sample/safepoint.h"
#include "stack/unwind.h"

#define N_PLACES (UINT32_C(1) << 12)
#define WINDOW   64u
#define LEAVING  1u /* a key that is being taken out */

struct place {
	struct syc_runtimes *runtimes;
	int32_t pid, tid;
};

struct sites {
	uintptr_t keys[N_PLACES + WINDOW];
	struct place places[N_PLACES + WINDOW];
};

static struct sites *the_table; /* made once, never unmapped */

static uintptr_t own_key(void)
{
#if defined(__x86_64__)
	uintptr_t tp;

	__asm__("movq %%fs:0, %0" : "=r"(tp));
	return tp;
#else
	return (uintptr_t)__builtin_thread_pointer();
#endif
}

static uint32_t first_place(uintptr_t key)
{
	return (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 52) %
	       N_PLACES;
}

/* Its own place in the table, or -1. */
static int find_place(const struct sites *table, uintptr_t key)
{
	const uint32_t first = first_place(key);

	for (uint32_t i = first; i < first + WINDOW; i++)
		if (__atomic_load_n(&table->keys[i], __ATOMIC_RELAXED) == key)
			return (int)i;
	return -1;
}

/*
 * Whether it is of the calling thread, whose key it has: the same thread; or
 * the one thread of a forked child, which goes on where the parent's was.
 */
static bool is_own(const struct place *place)
{
	const int32_t tid = gettid();

	if (place->tid == tid)
		return true;
	const int32_t pid = getpid();
	return pid == tid && place->pid != pid;
}

struct syc_runtimes *syc_attach_find(void)
{
	const struct sites *const table =
		__atomic_load_n(&the_table, __ATOMIC_ACQUIRE);

	if (table == NULL)
		return NULL;
	const int i = find_place(table, own_key());
	if (i < 0 || !is_own(&table->places[i]))
		return NULL;
	return table->places[i].runtimes;
}

/* ------------------------------------------------------------------ memory */

static size_t rounded(size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}

static size_t runtimes_size(void)
{
	return rounded(sizeof(struct syc_waiting)) +
	       rounded(sizeof(struct syc_runtimes)) + syc_take_size();
}

static void *map(size_t size)
{
	void *const memory =
		mmap(NULL, size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory != MAP_FAILED ? memory : NULL;
}

static struct sites *get_table(void)
{
	struct sites *other = __atomic_load_n(&the_table, __ATOMIC_ACQUIRE);

	if (other != NULL)
		return other;
	struct sites *const mine = map(sizeof(*mine));
	if (mine == NULL ||
	    __atomic_compare_exchange_n(&the_table, &other, mine, false,
	                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return mine;
	munmap(mine, sizeof(*mine));
	return other;
}

static struct syc_runtimes *make_runtimes(void)
{
	char *const memory = map(runtimes_size());
	const size_t front = rounded(sizeof(struct syc_waiting));

	if (memory == NULL)
		return NULL;
	/* Before Linux 4.14 a child tells once more what its parent does */
	(void)madvise(memory, front, MADV_WIPEONFORK);
	struct syc_runtimes *const runtimes =
		(struct syc_runtimes *)(void *)(memory + front);
	runtimes->waiting = (struct syc_waiting *)(void *)memory;
	runtimes->take =
		(struct syc_take *)(void *)(memory + front +
	                                    rounded(sizeof(*runtimes)));
	runtimes->options.max_depth = SYC_STACK_MAX;
	syc_stack_bounds(&runtimes->options.low, &runtimes->options.high);
	return runtimes;
}

static void free_runtimes(struct syc_runtimes *runtimes)
{
	munmap(runtimes->waiting, runtimes_size());
}

/* ------------------------------------------------------------------ places */

static bool take_out(struct sites *table, uint32_t i, uintptr_t key)
{
	if (!__atomic_compare_exchange_n(&table->keys[i], &key, LEAVING, false,
	                                 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	free_runtimes(table->places[i].runtimes);
	__atomic_store_n(&table->keys[i], 0, __ATOMIC_RELEASE);
	return true;
}

/* Threads that are gone, or have stayed in the parent, do not detach. */
static void scavenge(struct sites *table, uint32_t first)
{
	const int32_t pid = getpid();
	const uintptr_t own = own_key();

	for (uint32_t i = first; i < first + WINDOW; i++) {
		const uintptr_t key =
			__atomic_load_n(&table->keys[i], __ATOMIC_ACQUIRE);
		const struct place *const place = &table->places[i];

		if (key <= LEAVING)
			continue;
		if (key == own ? !is_own(place)
		               : place->pid != pid ||
		                         (syscall(SYS_tgkill, pid, place->tid,
		                                  0) != 0 &&
		                          errno == ESRCH))
			take_out(table, i, key);
	}
}

/* An empty place, with LEAVING as its key meanwhile; or -1. */
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
	const uintptr_t key = own_key();
	const uint32_t first = first_place(key);

	scavenge(table, first);
	const int i = claim_place(table, first);
	struct syc_runtimes *const runtimes = i >= 0 ? make_runtimes() : NULL;
	if (i < 0)
		return NULL;
	table->places[i] = (struct place){ runtimes, getpid(), gettid() };
	/* Release: for scavengers.  Our own handlers see it in order. */
	__atomic_store_n(&table->keys[i], runtimes != NULL ? key : 0,
	                 __ATOMIC_RELEASE);
	return runtimes;
}

/* ------------------------------------------------------- attach and detach */

static bool is_usable(const struct syscap_provider *p)
{
	const uint32_t asked = SYSCAP_PROVIDER_SIGNAL |
	                       SYSCAP_PROVIDER_SAFEPOINT | SYSCAP_PROVIDER_PUSH;

	if ((p->caps & asked) == 0 || p->walk == NULL)
		return false;
	if ((p->caps & (SYSCAP_PROVIDER_SAFEPOINT | SYSCAP_PROVIDER_SIGNAL)) ==
	            SYSCAP_PROVIDER_SAFEPOINT &&
	    p->request == NULL)
		return false;
	if ((p->caps & SYSCAP_PROVIDER_HANDLES) != 0 && p->resolve == NULL)
		return false;
	return (p->caps & SYSCAP_PROVIDER_ENTRY) == 0 ||
	       p->eval_low < p->eval_high;
}

/*
 * The stack pointer of who called the caller of syscap_attach_thread(): its
 * frame and those outside of it are there before the runtime's are.  @cfa:
 * the end of syscap_attach_thread()'s own frame.
 */
static uintptr_t find_boundary(const struct syc_runtimes *runtimes,
                               uintptr_t cfa)
{
	uint64_t addrs[32];
	uintptr_t sps[32];
	struct syc_unwind unwind = { .addrs = addrs,
		                     .sps = sps,
		                     .max = 32,
		                     .low = runtimes->options.low,
		                     .high = runtimes->options.high };

	syc_unwind_here(&unwind, 0);
	/* The caller's stack pointer is the end of the frame that it called */
	for (unsigned i = 0; i + 1 < unwind.n; i++)
		if (sps[i] >= cfa)
			return sps[i + 1];
	return cfa + 1;
}

static struct syscap_attachment *add(struct syc_runtimes *runtimes,
                                     const struct syscap_provider *provider,
                                     void *thread_data, uintptr_t boundary)
{
	for (unsigned i = 0; i < SYC_ATTACH_MAX; i++) {
		struct syscap_attachment *const a = &runtimes->attachments[i];

		if (a->is_used)
			continue;
		*a = (struct syscap_attachment){ .provider = *provider,
			                         .thread_data = thread_data,
			                         .runtimes = runtimes,
			                         .boundary = boundary,
			                         .index = i,
			                         .is_used = true };
		runtimes->waiting->due[i] = 0;
		SYC_SIGNAL_FENCE();
		/* From here on handlers find it */
		__atomic_store_n(&runtimes->order,
		                 runtimes->order << 4 | (i + 1),
		                 __ATOMIC_RELAXED);
		return a;
	}
	return NULL;
}

struct syscap_attachment *
syc_attach_thread(const struct syscap_provider *provider, void *thread_data,
                  uintptr_t cfa)
{
	struct syscap_provider known = { .size = 0 };
	const int saved = errno;

	if (provider == NULL ||
	    provider->size < offsetof(struct syscap_provider, request))
		return NULL;
	memcpy(&known, provider,
	       provider->size < sizeof(known) ? provider->size : sizeof(known));
	if (!is_usable(&known))
		return NULL;
	struct sites *const table = get_table();
	struct syc_runtimes *runtimes =
		table != NULL ? syc_attach_find() : NULL;
	if (table != NULL && runtimes == NULL)
		runtimes = add_own(table);
	errno = saved;
	if (runtimes == NULL)
		return NULL;
	return add(runtimes, &known, thread_data, find_boundary(runtimes, cfa));
}

static uint32_t without(uint32_t order, unsigned number)
{
	uint32_t kept = 0;

	for (unsigned shift = 0; order != 0; order >>= 4)
		if ((order & 15) != number) {
			kept |= (order & 15) << shift;
			shift += 4;
		}
	return kept;
}

void syscap_detach_thread(struct syscap_attachment *attachment)
{
	if (attachment == NULL || !attachment->is_used)
		return;
	struct syc_runtimes *const runtimes = attachment->runtimes;
	if (runtimes != syc_attach_find()) {
		/* Another thread's, against the contract: it may be walking */
		__atomic_store_n(&attachment->is_gone, true, __ATOMIC_RELAXED);
		return;
	}
	syc_safepoint_last(attachment);
	__atomic_store_n(&runtimes->order,
	                 without(runtimes->order, attachment->index + 1),
	                 __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE(); /* no handler asks it any more */
	attachment->is_used = false;
	if (runtimes->order == 0 && !syc_take_is_busy(runtimes->take)) {
		struct sites *const table = get_table();
		const uintptr_t key = own_key();
		const int i = find_place(table, key);

		if (i >= 0)
			take_out(table, (uint32_t)i, key);
	}
}
