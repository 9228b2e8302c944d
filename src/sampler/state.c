/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.c - the sampler's shared state, the data that forked children inherit,
 * and the table of the sampled threads.
 */
#define _GNU_SOURCE
#include "sampler/state.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "copies/copies.h"
#include "os/env.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"
#include "sampler/tick_signal.h"

#define SHORT_NAP_NS (INT64_C(1) * 1000000)
#define LONG_NAP_NS  (INT64_C(16) * 1000000)

struct syc_sampler *syc_sampler;

int syc_state_map(void)
{
	struct syc_sampler *expected = NULL;

	if (__atomic_load_n(&syc_sampler, __ATOMIC_ACQUIRE) != NULL)
		return 0;
	void *const memory =
		mmap(NULL, sizeof(*syc_sampler), PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	if (madvise(memory, sizeof(*syc_sampler), MADV_WIPEONFORK) != 0)
		syc_diag_say("sampler",
		             "no MADV_WIPEONFORK: children of _Fork() must not "
		             "start or stop sampling");
	if (!__atomic_compare_exchange_n(&syc_sampler, &expected,
	                                 (struct syc_sampler *)memory, false,
	                                 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		munmap(memory, sizeof(*syc_sampler));
	return 0;
}

/* Sleep between checks, without a wake-up, because each check costs processor
 * time of the program. */
bool syc_state_take(uint32_t *lock, int64_t wait_ns)
{
	const int64_t deadline = syc_clock_kernel() + wait_ns;
	int64_t nap = SHORT_NAP_NS;
	uint32_t holder;

	while ((holder = syc_tid_lock_try(lock)) != 0) {
		const int64_t left = deadline - syc_clock_kernel();

		if (left <= 0)
			return false;
		syc_futex_wait(lock, holder, left < nap ? left : nap);
		if (nap < LONG_NAP_NS)
			nap *= 2;
	}
	return true;
}

static struct {
	uint32_t are_wanted;
	uint32_t clock, hz, max_share;
	int32_t signal;
	bool may_change_signal, are_boxed;
	struct syc_sample_options take;
} inherited;

/* The watcher calls this function, too, because the program may take the signal
 * as soon as the watcher runs. */
void syc_children_note_signal(void)
{
	__atomic_store_n(
		&inherited.signal,
		__atomic_load_n(&syc_sampler->signal, __ATOMIC_RELAXED),
		__ATOMIC_RELAXED);
}

void syc_children_note_filter(bool is_there)
{
	inherited.are_boxed = is_there;
}

void syc_children_remember(bool are_wanted)
{
	const struct syc_sampler *const s = syc_sampler;

	inherited.clock = s->clock;
	inherited.hz = s->hz;
	inherited.max_share = s->max_share;
	syc_children_note_signal();
	inherited.may_change_signal = s->may_change_signal;
	inherited.take = s->take;
	inherited.are_wanted = are_wanted;
}

void syc_children_forget(void)
{
	inherited.are_wanted = 0;
}

bool syc_children_take_over(void)
{
	struct syc_sampler *const s = syc_sampler;

	if (inherited.are_wanted == 0 || inherited.are_boxed ||
	    !syc_signals_is_installed(inherited.signal) ||
	    !syc_claim_take(SYC_CLAIM_SAMPLER))
		return false;
	s->pid = getpid();
	s->clock = inherited.clock;
	s->hz = inherited.hz;
	s->max_share = inherited.max_share;
	s->signal = inherited.signal;
	s->period_ns = 1000000000 / s->hz;
	s->may_change_signal = inherited.may_change_signal;
	s->take = inherited.take;
	return true;
}

/* Table of the sampled threads. */

#define CHUNK     32u
#define N_CHUNKS  (SYC_TARGETS_MAX / CHUNK)
#define N_BUCKETS 1024u

/* A cookie is the value of a timer's signal, which has the size of a pointer:
 * the word, a target's number, and the target's generation. */
#if UINTPTR_MAX > UINT32_MAX
#define WORD_SHIFT 32
#define GENERATION 19 /* bits; the number takes 13 */
#else
#define WORD_SHIFT 20
#define GENERATION 10 /* bits; the number takes 10 */
#endif
#define LOW_BITS ((UINT64_C(1) << WORD_SHIFT) - 1)

_Static_assert(SYC_TARGETS_MAX == 1u << (WORD_SHIFT - GENERATION),
               "a cookie can hold the number of each target");

/* Children inherit the addresses; the memory is zeroed in a child. */
static char *chunks[N_CHUNKS];
static uint32_t n_chunks;
static uint32_t n_ever;   /* number of targets that were ever in use */
static uint32_t *buckets; /* 1 + number; zeroed with the chunks */
static uint32_t word;     /* upper bits of the cookies */

void syc_target_init(void)
{
	uint64_t mixed;

	if (word != 0)
		return;
	mixed = (uint64_t)syc_clock_kernel() ^ (uintptr_t)&word;
	mixed *= UINT64_C(0x9E3779B97F4A7C15);
	/* With 64 bits, no address of a program, and no int, has the topmost
	 * bit.  With 32 bits, one of 2,048 values with this bit has the word */
	word = ((uint32_t)(mixed >> 32) | UINT32_C(0x80000000)) >>
	       (32 - (8 * sizeof(uintptr_t) - WORD_SHIFT));
}

static size_t target_stride(void)
{
	return (256 + syc_workspace_size() + 63) & ~(size_t)63;
}

static void *map_wiped(size_t size)
{
	void *const memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	madvise(memory, size, MADV_WIPEONFORK); /* if this fails,
	                                         * syc_target_wipe() clears the
	                                         * memory */
	return memory;
}

uint32_t syc_target_count(void)
{
	return __atomic_load_n(&n_ever, __ATOMIC_ACQUIRE);
}

struct syc_target *syc_target_at(uint32_t number)
{
	return (struct syc_target *)(void *)(chunks[number / CHUNK] +
	                                     number % CHUNK * target_stride());
}

void syc_target_wipe(void)
{
	for (uint32_t i = 0; i < syc_target_count(); i++)
		memset(syc_target_at(i), 0, target_stride());
	if (buckets != NULL)
		memset(buckets, 0, N_BUCKETS * sizeof(*buckets));
}

bool syc_target_is_cookie(uint64_t cookie)
{
	return word != 0 && cookie >> WORD_SHIFT == word;
}

/* Return the cookie of the last target's last generation, which comes only
 * after half a million (with 32 bits: a thousand) other generations.
 * syc_target_by_cookie() does not find a target for this cookie. */
uint64_t syc_target_scout_cookie(void)
{
	return (uint64_t)word << WORD_SHIFT | LOW_BITS;
}

struct syc_target *syc_target_by_cookie(uint64_t cookie)
{
	const uint32_t number = (uint32_t)(cookie & LOW_BITS) >> GENERATION;
	struct syc_target *t;

	if (!syc_target_is_cookie(cookie) || number >= syc_target_count())
		return NULL;
	t = syc_target_at(number);
	return __atomic_load_n(&t->cookie, __ATOMIC_ACQUIRE) == cookie ? t
	                                                               : NULL;
}

/* A handler may search while targets are given and freed.  Each word that the
 * handler reads was valid at some time, the memory stays mapped, and a chain
 * that leads into another chain ends. */
struct syc_target *syc_target_find(int32_t tid)
{
	uint32_t *const all = __atomic_load_n(&buckets, __ATOMIC_ACQUIRE);
	uint32_t at = all != NULL
	                      ? __atomic_load_n(&all[(uint32_t)tid % N_BUCKETS],
	                                        __ATOMIC_ACQUIRE)
	                      : 0;

	for (uint32_t n = 0; at != 0 && n < SYC_TARGETS_MAX; n++) {
		struct syc_target *const t = syc_target_at(at - 1);

		if (__atomic_load_n(&t->tid, __ATOMIC_RELAXED) == tid)
			return t;
		at = __atomic_load_n(&t->next, __ATOMIC_ACQUIRE);
	}
	return NULL;
}

/* Return whether the target is free.  A handler may still use a stopped target,
 * if the stop did not wait for the handler. */
static bool is_target_free(const struct syc_target *t)
{
	return t->cookie == 0 &&
	       (__atomic_load_n(&t->busy, __ATOMIC_SEQ_CST) == 0 ||
	        syc_tid_is_gone(t->tid));
}

/* Return the number of a free target, or SYC_TARGETS_MAX if none is free. */
static uint32_t find_free(void)
{
	const uint32_t n = n_ever;

	for (uint32_t i = 0; i < n; i++)
		if (is_target_free(syc_target_at(i)))
			return i;
	if (n == n_chunks * CHUNK) {
		if (n_chunks == N_CHUNKS ||
		    (chunks[n_chunks] = map_wiped(CHUNK * target_stride())) ==
		            NULL)
			return SYC_TARGETS_MAX;
		n_chunks++;
	}
	/* Targets that were never in use have no memory yet */
	__atomic_store_n(&n_ever, n + 1, __ATOMIC_RELEASE);
	return n;
}

struct syc_target *syc_target_give(int32_t tid)
{
	uint32_t number;

	if (buckets == NULL)
		__atomic_store_n(&buckets,
		                 map_wiped(N_BUCKETS * sizeof(*buckets)),
		                 __ATOMIC_RELEASE);
	number = buckets != NULL ? find_free() : SYC_TARGETS_MAX;
	if (number == SYC_TARGETS_MAX)
		return NULL;
	struct syc_target *const t = syc_target_at(number);
	uint32_t *const bucket = &buckets[(uint32_t)tid % N_BUCKETS];
	if (t->generation != 0) /* other threads had the target */
		memset(syc_target_workspace(t), 0, syc_workspace_size());
	t->number = number;
	t->generation++;
	__atomic_store_n(&t->tid, tid, __ATOMIC_RELAXED);
	/* A thread that ended in its handler has set busy.  No other thread
	 * sets busy now */
	uintptr_t busy = __atomic_load_n(&t->busy, __ATOMIC_RELAXED);
	if (busy != 0)
		__atomic_compare_exchange_n(&t->busy, &busy, 0, false,
		                            __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	__atomic_store_n(&t->tls, syc_target_tls(tid, SYC_TLS_UNKNOWN),
	                 __ATOMIC_RELAXED);
	t->cpu_seen = 0;
	t->due_from = -(int64_t)t->n_due * syc_sampler->period_ns;
	t->n_tries = 0;
	t->blocked_at = 0;
	t->timer = -1;
	t->perf_fd = -1;
	t->perf_page = NULL;
	t->n_measured = 1; /* measure the first tick, which takes long */
	t->rest_until = 0;
	memset(&t->sleeper, 0, sizeof(t->sleeper));
	t->is_silent = false;
	t->is_unticked = true;
	t->is_cramped = false;
	t->was_stopped = false;
	__atomic_store_n(&t->n_owed, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&t->next, *bucket, __ATOMIC_RELEASE);
	__atomic_store_n(bucket, t->number + 1, __ATOMIC_RELEASE);
	const uint32_t low = number << GENERATION |
	                     (t->generation & ((1u << GENERATION) - 1));
	__atomic_store_n(&t->cookie, (uint64_t)word << WORD_SHIFT | low,
	                 __ATOMIC_RELEASE);
	return t;
}

void syc_target_free(struct syc_target *target)
{
	uint32_t *link = &buckets[(uint32_t)target->tid % N_BUCKETS];

	__atomic_store_n(&target->cookie, 0, __ATOMIC_SEQ_CST);
	while (*link != 0 && *link != target->number + 1)
		link = &syc_target_at(*link - 1)->next;
	if (*link != 0)
		__atomic_store_n(link, target->next, __ATOMIC_RELEASE);
}
