/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_sampled.c - sample of all allocations, by bytes, and waits of fast
 * threads. */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "emit/thread.h"
#include "os/process.h"
#include "os/seccomp_state.h"
#include "os/syscalls.h"
#include "preload/memory.h"

/*
 * Drawn blocks by address, in buckets of a cache line.  The kernel allocates
 * the memory of the million places at their first use.
 */
#define BUCKETS   (UINT32_C(1) << 17)
#define IN_BUCKET 8u

#define MOST ((size_t)1 << 56) /* greatest size of a block */

static double mean; /* bytes */
static uint64_t seed, n_threads;
static uintptr_t (*buckets)[IN_BUCKET];

/*
 * Numbers of drawn blocks.  Most frees read only these counts to find that a
 * block was not drawn.  A count of 255 never changes.
 */
uint8_t syc_memory_sampled_parts[SYC_MEMORY_PARTS];

/* Bytes until the next draw.  A thread draws its first number at its first
 * allocation. */
_Thread_local uint64_t syc_memory_sampled_left
	__attribute__((tls_model("initial-exec")));
static _Thread_local uint64_t thread_random
	__attribute__((tls_model("initial-exec")));
static _Thread_local pid_t drawn_in /* a forked child has the same numbers */
	__attribute__((tls_model("initial-exec")));

/* ------------------------------------------------------------ numbers */

/* Return a random number above 0, up to 1, of 53 bits, by xorshift64* */
static double draw_number(void)
{
	uint64_t x = thread_random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	thread_random = x;
	return (double)((x * UINT64_C(0x2545F4914F6CDD1D)) >> 11) * 0x1p-53 +
	       0x1p-53;
}

/*
 * Return the natural logarithm for 0 < x <= 1, without libm, which the program
 * may lack.
 */
static double logarithm(double x)
{
	uint64_t bits;
	int exponent;

	memcpy(&bits, &x, sizeof(bits));
	exponent = (int)(bits >> 52) - 1023;
	bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
	memcpy(&x, &bits, sizeof(bits));
	/* ln m = 2 artanh((m - 1) / (m + 1)), 1 <= m < 2 */
	const double t = (x - 1) / (x + 1), t2 = t * t;
	double sum = 0, term = t;

	for (int i = 1; i < 32; i += 2, term *= t2)
		sum += term / i;
	return 2 * sum + exponent * 0.69314718055994530942;
}

/* Return 1 - exp(-x) for x > 0, exact even for small x. */
static double chance(double x)
{
	double sum = 0, term = x;

	if (x > 40)
		return 1;
	if (x > 1) { /* 1 - e^-x = 1 - (1 - c)^2 = c (2 - c), with c of x / 2 */
		const double half = chance(x / 2);

		return half * (2 - half);
	}
	for (int i = 2; i < 20; i++) {
		sum += term;
		term *= -x / i;
	}
	return sum;
}

static uint64_t next_draw(void)
{
	return (uint64_t)(-mean * logarithm(draw_number())) + 1;
}

/* Make a child's numbers differ from its parent's numbers, from the second draw
 * on. */
static void draw_in_child(void)
{
	const pid_t pid = getpid();

	if (pid == drawn_in)
		return;
	drawn_in = pid;
	thread_random ^= (uint64_t)pid * UINT64_C(0xBF58476D1CE4E5B9);
	if (thread_random == 0)
		thread_random = 1;
	for (int i = 0; i < 16; i++)
		draw_number();
}

static __attribute__((cold, noinline)) void begin_thread(void)
{
	const uint64_t n = __atomic_add_fetch(&n_threads, 1, __ATOMIC_RELAXED);

	/* Seeds of threads are far from each other, and never 0 */
	thread_random = (seed ^ n * UINT64_C(0x9E3779B97F4A7C15)) | 1;
	drawn_in = 0; /* children of this process may begin with the same n */
	draw_in_child();
	syc_memory_sampled_left = next_draw();
}

/* -------------------------------------------------------------- blocks */

static uint64_t hash_block(const void *block)
{
	return ((uintptr_t)block >> 4) * UINT64_C(0x9E3779B97F4A7C15);
}

static uint8_t *part_of(const void *block)
{
	return &syc_memory_sampled_parts[syc_memory_sampled_part(block)];
}

static uintptr_t *bucket_of(uint64_t hash)
{
	return buckets[(hash >> 20) % BUCKETS];
}

static void count_in_part(uint8_t *part, int by)
{
	uint8_t n = __atomic_load_n(part, __ATOMIC_RELAXED);

	while (n != UINT8_MAX &&
	       !__atomic_compare_exchange_n(part, &n, (uint8_t)(n + by), false,
	                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/*
 * Accesses to addresses need no order, because a block has one owner at a time.
 * A thread frees its block, or passes the block on.
 */
static bool replace_entry(uintptr_t *bucket, uintptr_t what, uintptr_t with)
{
	for (unsigned i = 0; i < IN_BUCKET; i++) {
		uintptr_t there = __atomic_load_n(&bucket[i], __ATOMIC_RELAXED);

		if (there == what &&
		    __atomic_compare_exchange_n(&bucket[i], &there, with, false,
		                                __ATOMIC_RELAXED,
		                                __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

bool syc_memory_sampled_remember(const void *block)
{
	const uint64_t hash = hash_block(block);

	count_in_part(part_of(block), 1);
	if (replace_entry(bucket_of(hash), 0, (uintptr_t)block))
		return true;
	count_in_part(part_of(block), -1);
	return false;
}

bool syc_memory_sampled_forget(const void *block)
{
	const uint64_t hash = hash_block(block);

	if (__atomic_load_n(part_of(block), __ATOMIC_RELAXED) == 0 ||
	    !replace_entry(bucket_of(hash), (uintptr_t)block, 0))
		return false;
	count_in_part(part_of(block), -1);
	return true;
}

/* ------------------------------------------------------------------ */

bool syc_memory_sampled_begin(uint64_t bytes, uint64_t with_seed)
{
	seed = with_seed;
	mean = (double)bytes;
	if (syc_lazy_map_get(&buckets, sizeof(*buckets) * BUCKETS) == NULL)
		return false;
	return true;
}

void syc_memory_sampled_exclude(const void *at, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i += SYC_MEMORY_PART_BYTES)
		__atomic_store_n(part_of((const char *)at + i), UINT8_MAX,
		                 __ATOMIC_RELAXED);
}

int64_t syc_memory_sampled_take(size_t size)
{
	if (thread_random == 0)
		begin_thread();
	if (size > MOST) /* no block is larger */
		size = MOST;
	/* An allocation of no bytes can't be drawn */
	if (syc_memory_sampled_passes(size))
		return 0;
	draw_in_child();
	syc_memory_sampled_left = next_draw();
	return (int64_t)((double)size / chance((double)size / mean) + 0.5);
}

/* Waits of threads that allocate faster than the recorder
 * reads. */

#define NAP_NS   50000
#define PATIENCE 20000 /* sleeps without a read: a second or more */
#define TURNS    2000  /* turns of a busy wait */

static bool ring_has_room(struct syc_state *ts, uint32_t *ret_head)
{
	struct syc_ring_header *const ring =
		__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);

	/* The thread gets a ring at its first event.  A process that records
	 * itself drains its own rings */
	if (ring == NULL || ts->has_session_ring ||
	    ts->hot.size < 4 * SYC_MEMORY_THROTTLE_SPACE)
		return true;
	const uint32_t head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
	const uint32_t at = __atomic_load_n(&ring->tail, __ATOMIC_RELAXED);
	const uint32_t used = at >= head ? at - head : at + ts->hot.size - head;

	*ret_head = head;
	return ts->hot.size - used > SYC_MEMORY_THROTTLE_SPACE;
}

/*
 * Wait in a loop about as long as a sleep, because a seccomp filter may forbid
 * a sleep.
 */
static void turn_around(void)
{
	for (unsigned i = 0; i < TURNS; i++)
#if defined(__x86_64__)
		__builtin_ia32_pause();
#else
		__asm__ volatile("" ::: "memory");
#endif
}

static void take_nap(void)
{
	const struct timespec time = { .tv_nsec = NAP_NS };

	if (syc_seccomp_has_filter()) {
		turn_around();
		return;
	}
	/* Sleep by the system call, because malloc() must not become a
	 * cancellation point */
	syc_raw_syscall(SYS_nanosleep, (long)(intptr_t)&time, 0, 0, 0, 0, 0);
}

void syc_memory_throttle_wait(void)
{
	/* After a wait without success, a thread waits again only after a read
	 * by the recorder */
	static _Thread_local uint32_t given_up_at
		__attribute__((tls_model("initial-exec")));
	struct syc_thread *const st = syc_self;
	uint32_t head = 0, before;
	unsigned naps = 0;

	if (st == NULL || ring_has_room(syc_state_of(st), &head) ||
	    given_up_at == head + 1)
		return;
	for (before = head; naps < PATIENCE; naps++) {
		take_nap();
		if (ring_has_room(syc_state_of(st), &head))
			return;
		if (head != before)
			naps = 0;
		before = head;
	}
	given_up_at = head + 1;
}
