/* SPDX-License-Identifier: BSD-2-Clause */
/* overflow.c - frames for which a recorder's ring has no space at present. */
#define _GNU_SOURCE
#include "emit/overflow.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "copies/copies.h"
#include "emit/loss.h"
#include "emit/process.h"
#include "os/seccomp_state.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "ring/clock.h"

/* Bytes of space that an event may need at once. */
#define MOST_AT_ONCE (2 * SYC_OVERFLOW_STEP)

/* Time between two moves by other threads. */
#define LOOK_NS INT64_C(1000000)

/* -------------------------------------------------------------- memory */

/* Count SYC_OVERFLOW_STEP more bytes of the body as memory.  Returns false if
 * the overflows of the process use too much memory. */
static bool provide(struct syc_overflow *o)
{
	if (__atomic_add_fetch(&syc_process->overflow_bytes, SYC_OVERFLOW_STEP,
	                       __ATOMIC_RELAXED) > SYC_OVERFLOWS_MOST) {
		__atomic_sub_fetch(&syc_process->overflow_bytes,
		                   SYC_OVERFLOW_STEP, __ATOMIC_RELAXED);
		return false;
	}
	/* A handler of the thread may add, too */
	__atomic_add_fetch(&o->provided, SYC_OVERFLOW_STEP, __ATOMIC_RELAXED);
	return true;
}

static struct syc_overflow *make(void)
{
	struct syc_overflow *const o =
		mmap(NULL, SYC_OVERFLOW_SIZE, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (o == MAP_FAILED)
		return NULL;
	if (!provide(o)) {
		munmap(o, SYC_OVERFLOW_SIZE);
		return NULL;
	}
	/* A child needs neither the frames nor their memory */
	madvise(o, SYC_OVERFLOW_SIZE, MADV_WIPEONFORK);
	o->phase = SYC_OVERFLOW_USED;
	o->next = syc_overflow_first();
	while (!__atomic_compare_exchange_n(&syc_process->overflows, &o->next,
	                                    o, true, __ATOMIC_RELEASE,
	                                    __ATOMIC_RELAXED))
		;
	return o;
}

static struct syc_overflow *claim(void)
{
	for (struct syc_overflow *o = syc_overflow_first(); o != NULL;
	     o = o->next) {
		uint32_t phase = SYC_OVERFLOW_FREE;

		if (__atomic_compare_exchange_n(
			    &o->phase, &phase, SYC_OVERFLOW_USED, false,
			    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			if (o->provided != 0 || provide(o))
				return o;
			__atomic_store_n(&o->phase, SYC_OVERFLOW_FREE,
			                 __ATOMIC_RELEASE);
			return NULL;
		}
	}
	return make();
}

uint32_t syc_overflow_limit(struct syc_state *ts, struct syc_overflow *o)
{
	const uint32_t most =
		SYC_OVERFLOW_SIZE - (uint32_t)sysconf(_SC_PAGESIZE);
	const uint32_t at =
		(uint32_t)__atomic_load_n(&ts->hot.pos, __ATOMIC_RELAXED);

	while (o->provided - at < MOST_AT_ONCE &&
	       most - o->provided >= SYC_OVERFLOW_STEP && provide(o))
		;
	return o->provided - SYC_RING_ROOM - 8;
}

void syc_overflow_move_all(void)
{
	int64_t at =
		__atomic_load_n(&syc_process->overflow_at, __ATOMIC_RELAXED);
	struct syc_undisturbed before;
	uint32_t n = 0;

	if (syc_overflow_first() == NULL)
		return;
	const int64_t now = syc_clock_kernel();
	if (now >= at && __atomic_compare_exchange_n(
				 &syc_process->overflow_at, &at, now + LOOK_NS,
				 false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		syc_undisturbed_begin(&before);
		const bool is_done = syc_overflow_move_each(&n);
		syc_undisturbed_end(&before);
		if (is_done)
			return;
	}
	syc_copies_set_look_due(1);
}

/* --------------------------------------------------- of the thread itself */

/* Return whether no other emit of the thread is in progress.  Signals are
 * blocked. */
static bool is_alone(const struct syc_state *ts)
{
	return __atomic_load_n(&ts->hot.nested, __ATOMIC_RELAXED) == 0 &&
	       ts->hot.headered == ts->hot.pos;
}

bool syc_overflow_begin(struct syc_state *ts)
{
	struct syc_undisturbed before;
	struct syc_overflow *o = NULL;

	if (ts->overflow != NULL || ts->has_session_ring ||
	    ts->has_syscap_reader || ts->slot != NULL || ts->hot.body == NULL ||
	    ts->is_connecting || syc_seccomp_has_filter())
		return false;
	syc_undisturbed_begin(&before);
	if (is_alone(ts) && ts->hot.body != NULL && ts->overflow == NULL)
		o = claim();
	if (o != NULL) {
		o->target = ts->ring;
		o->target_size = ts->hot.size;
		o->target_head = ts->head;
		o->target_tail = (uint32_t)(ts->hot.pos >> 32);
		/* Publish frames of handlers that this emit has not yet
		 * published */
		syc_overflow_publish(o, 0);
		syc_thread_ring_place(ts, &o->ring,
		                      SYC_OVERFLOW_SIZE -
		                              (uint32_t)sysconf(_SC_PAGESIZE),
		                      0, 0);
		ts->overflow = o;
		ts->n_refused = 0;
		syc_copies_set_look_due(1);
	}
	syc_undisturbed_end(&before);
	return o != NULL;
}

/* Return to the thread's ring, which has all frames. */
static void come_back(struct syc_state *ts, struct syc_overflow *o)
{
	syc_thread_ring_place(ts, o->target, o->target_size, o->target_tail,
	                      o->target_head);
	ts->overflow = NULL;
	ts->n_refused = 0;
	syc_overflow_make_free(o);
}

void syc_overflow_move(struct syc_state *ts, struct syc_overflow *o)
{
	struct syc_undisturbed before;

	if (!syc_overflow_is_empty(o) && !o->is_bad &&
	    !syc_overflow_has_room(o))
		return;
	syc_undisturbed_begin(&before);
	if (ts->overflow == o && syc_overflow_try_lock(o)) {
		syc_overflow_move_frames(o);
		if (o->is_bad)
			syc_thread_ring_close(ts, "a ring was closed: its "
			                          "reader's position is "
			                          "invalid");
		else if (is_alone(ts) &&
		         (uint32_t)(ts->hot.pos >> 32) == o->ring.head)
			come_back(ts, o);
		syc_overflow_unlock(o);
	}
	syc_undisturbed_end(&before);
}

void syc_overflow_leave(struct syc_state *ts)
{
	struct syc_overflow *const o = ts->overflow;
	struct syc_undisturbed before;
	uint32_t n = 0;

	syc_undisturbed_begin(&before);
	ts->overflow = NULL;
	__atomic_store_n(&o->phase, SYC_OVERFLOW_LEFT, __ATOMIC_RELEASE);
	if (!syc_overflow_move_any(o, &n))
		syc_copies_set_look_due(1);
	syc_undisturbed_end(&before);
}
