/* SPDX-License-Identifier: BSD-2-Clause */
/* thread.c - a thread's state and ring: claim, connect, finish. */
#define _GNU_SOURCE
#include "emit/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/announce.h"
#include "emit/ask.h"
#include "emit/control.h"
#include "emit/loss.h"
#include "emit/own.h"
#include "emit/process.h"
#include "emit/reserve.h"
#include "os/all_signals.h"
#include "os/diag.h"
#include "os/stack_bounds.h"
#include "ring/clock.h"

#define RETRY_NS INT64_C(1000000000)
#define NEVER    INT64_MAX

/* glibc >= 2.35 registers rseq; the kernel keeps cpu_id there up to date. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static const int32_t *own_cpu(void)
{
#if defined(__x86_64__)
	char *tp;

	__asm__("movq %%fs:0, %0" : "=r"(tp));
#else
	char *const tp = __builtin_thread_pointer();
#endif
	/* struct rseq: cpu_id_start, cpu_id */
	if (&__rseq_offset != NULL && &__rseq_size != NULL && __rseq_size > 0)
		return (const int32_t *)(void *)(tp + __rseq_offset + 4);
	static const int32_t none = -1;
	return &none;
}

static bool has_own_cpu(const struct syc_state *ts)
{
	return ts->hot.cpu == own_cpu() || *own_cpu() < 0;
}

int32_t syc_cpu_slow(void)
{
	return sched_getcpu();
}

/*
 * Which ring of @ts is mapped: not in wiped memory, for a child has to get rid
 * of its parent's.  Written by the owner (or who finishes a dead state), read
 * in a child only.
 */
static struct syc_mapped *mapped_of(const struct syc_state *ts)
{
	return &syc_block->mapped[ts - syc_states];
}

struct syc_state *syc_thread_of_self(void)
{
	struct syc_state *const watched = syc_process_watched_thread();

	if (watched != NULL)
		return watched;
	return syc_self != NULL ? syc_state_of(syc_self) : NULL;
}

/* ------------------------------------------------------------- claiming */

static bool take_phase(struct syc_state *ts, uint32_t from)
{
	return __atomic_compare_exchange_n(&ts->phase, &from, SYC_STATE_BUSY,
	                                   false, __ATOMIC_ACQUIRE,
	                                   __ATOMIC_RELAXED);
}

static bool is_gone(int32_t pid, const struct syc_state *ts)
{
	const int32_t tid = __atomic_load_n(&ts->tid, __ATOMIC_RELAXED);

	return syscall(SYS_tgkill, pid, tid, 0) != 0 && errno == ESRCH;
}

/* Take a state whose thread is gone: it may have been taken and be another's
 * by the time that we have it, so ask again. */
static bool take_gone(struct syc_state *ts, uint32_t phase, int32_t pid)
{
	if (!is_gone(pid, ts) || !take_phase(ts, phase))
		return false;
	if (is_gone(pid, ts))
		return true;
	__atomic_store_n(&ts->phase, phase, __ATOMIC_RELEASE);
	return false;
}

static void write_end_marker(struct syc_thread *st, uint32_t limit)
{
	unsigned char *const frame =
		syc_take(st, limit, SYC_HEAD_SIZE, syc_clock_kernel());

	if (frame == NULL)
		return;
	/* no cpu, no pid */
	syc_store_word(frame, syc_head_word(SYC_HEAD_SIZE, -1, -1));
	syc_commit(frame, SYSCAP_FRAME_RING_END, 0);
}

/* The thread exits, or is gone: last record, end marker, unmap. */
static void leave_ring(struct syc_state *ts)
{
	if (ts->ring == NULL) {
		syc_ask_leave(ts);
		syc_loss_leave_behind(ts);
		syc_loss_call_for_teller(true);
		return;
	}
	if (ts->hot.body != NULL) {
		struct syc_thread *const st = &ts->hot;
		uint32_t limit;

		/* An emit that pthread_exit() or cancellation left behind */
		syc_reserve_take_over(ts);
		syc_loss_resolve(ts);
		if (st->body != NULL && syc_reserve_look(ts, &limit)) {
			syc_reserve_limit_to_pages(ts, 0, &limit);
			/* The room that every reserve leaves is for these */
			syc_loss_tell(ts, limit + SYC_LOSS_RECORD_MAX);
			if (!ts->is_own)
				write_end_marker(st, limit + SYC_RING_ROOM);
			/* W2, pairs with R1 */
			__atomic_store_n(st->tail, (uint32_t)(st->pos >> 32),
			                 __ATOMIC_RELEASE);
		}
	}
	syc_loss_leave_behind(ts);
	if (ts->is_own) {
		syc_loss_mirror(ts);
		__atomic_store_n(&ts->ring->slot_state, SYC_SLOT_ENDED,
		                 __ATOMIC_RELEASE);
	}
	ts->hot.tail = NULL;
	ts->hot.limit = (uint32_t)ts->hot.pos;
	ts->hot.body = NULL;
	ts->hot.room_end = 0;
	ts->hot.next = 0;
	ts->hot.end = 0;
	ts->hot.disturbed = 0;
	__atomic_store_n(&ts->hot.owner, 0, __ATOMIC_RELAXED);
	mapped_of(ts)->header = NULL;
	syc_ring_unmap(ts->ring, ts->hot.size);
	ts->ring = NULL;
	ts->hot.size = 0;
	__atomic_sub_fetch(&syc_process->n_rings, 1, __ATOMIC_RELAXED);
}

/* Threads can end without running key destructors: look at two states. */
static void scavenge(int32_t pid, uint32_t high)
{
	for (int i = 0; i < 2 && high != 0; i++) {
		struct syc_state *const ts =
			syc_state_at(__atomic_fetch_add(&syc_process->scavenge,
		                                        1, __ATOMIC_RELAXED) %
		                     high);

		if (__atomic_load_n(&ts->phase, __ATOMIC_RELAXED) !=
		            SYC_STATE_ALIVE ||
		    !take_gone(ts, SYC_STATE_ALIVE, pid))
			continue;
		/* rseq's word went with its stack */
		__atomic_store_n(&ts->hot.cpu, NULL, __ATOMIC_RELAXED);
		leave_ring(ts);
		__atomic_store_n(&ts->phase, SYC_STATE_DEAD, __ATOMIC_RELEASE);
	}
}

/* This thread's state, after its exit hook. */
static bool is_ended(const struct syc_state *ts)
{
	return __atomic_load_n(&ts->phase, __ATOMIC_ACQUIRE) == SYC_STATE_DEAD;
}

bool syc_thread_has_ended(void)
{
	return syc_self != NULL && is_ended(syc_state_of(syc_self));
}

/* @owner: of the emit that this happens in, for a forked child; else 0. */
static void begin_state(struct syc_state *ts, int32_t pid, int32_t tid,
                        uint64_t owner)
{
	__atomic_store_n(&ts->hot.owner, owner, __ATOMIC_RELAXED);
	memset((char *)ts + offsetof(struct syc_thread, next), 0,
	       offsetof(struct syc_state, phase) -
	               offsetof(struct syc_thread, next));
	ts->hot.disturbed = owner != 0;
	memset((char *)ts + offsetof(struct syc_state, tid), 0,
	       sizeof(*ts) - offsetof(struct syc_state, tid));
	__atomic_store_n(&ts->tid, tid, __ATOMIC_RELAXED);
	ts->hot.pid = pid;
	ts->hot.tid_tag =
		SYSCAP_TID_TAG | ((uint32_t)tid & ~SYSCAP_TID_TAG_MASK);
	ts->hot.pid_word = (uint64_t)(uint32_t)pid << 32;
	ts->hot.tag_word = (uint64_t)ts->hot.tid_tag << 32;
	ts->hot.cpu = own_cpu();
	syc_stack_bounds(&ts->stack_low, &ts->stack_high);
	ts->no_exit_hook = !syc_process_watch_thread(ts);
	ts->hot.epoch = __atomic_load_n(&syc_active, __ATOMIC_RELAXED);
	if (pid == tid)
		__atomic_store_n(&syc_process->main_has_state,
		                 !ts->no_exit_hook, __ATOMIC_RELAXED);
	__atomic_store_n(&ts->phase, SYC_STATE_ALIVE, __ATOMIC_RELEASE);
}

static void raise_high_water(uint32_t to)
{
	uint32_t *const words[] = { &syc_process->high_water,
		                    &syc_block->states_ever };

	for (int i = 0; i < 2; i++) {
		uint32_t high = __atomic_load_n(words[i], __ATOMIC_RELAXED);

		while (high < to && !__atomic_compare_exchange_n(
					    words[i], &high, to, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
	}
}

static struct syc_state *claim_state(int32_t pid, int32_t tid)
{
	const uint32_t high =
		__atomic_load_n(&syc_process->high_water, __ATOMIC_RELAXED);

	scavenge(pid, high);
	for (uint32_t i =
	             __atomic_load_n(&syc_process->low_water, __ATOMIC_RELAXED);
	     i < SYC_THREADS_MAX; i++) {
		struct syc_state *const ts = syc_state_at(i);
		const uint32_t phase =
			__atomic_load_n(&ts->phase, __ATOMIC_RELAXED);

		if (phase == SYC_STATE_FREE) {
			if (!take_phase(ts, SYC_STATE_FREE))
				continue;
			raise_high_water(i + 1);
			return ts;
		}
		/* ours from before this thread's exit began, or nobody's */
		if (phase == SYC_STATE_DEAD &&
		    (__atomic_load_n(&ts->tid, __ATOMIC_RELAXED) == tid
		             ? take_phase(ts, SYC_STATE_DEAD)
		             : take_gone(ts, SYC_STATE_DEAD, pid)))
			return ts;
	}
	return NULL;
}

/* What set-up and finishing switch off meanwhile. */
struct undisturbed {
	sigset_t mask;
	int cancel_state;
};

/*
 * Nobody on this thread comes between; nor is it cancelled in one of our
 * system calls, with a state half claimed and the program's locks held.
 */
static void keep_undisturbed(struct undisturbed *ret_before)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE,
	                       &ret_before->cancel_state);
	syc_all_signals_block(&ret_before->mask);
}

static void restore(const struct undisturbed *before)
{
	int ignored;

	syc_all_signals_restore(&before->mask);
	pthread_setcancelstate(before->cancel_state, &ignored);
}

/* Who asks. */
struct self {
	int32_t pid, tid;
	uintptr_t stack_low, stack_high; /* both 0: not asked for yet */
};

/* Not another's stack; as far as it is known.  A mapping may have grown since,
 * so that the bounds need not be the same. */
static bool has_own_stack(const struct syc_state *ts, struct self *self)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (ts->stack_high == 0 ||
	    (here >= ts->stack_low && here < ts->stack_high))
		return true;
	if (self->stack_high == 0)
		syc_stack_bounds(&self->stack_low, &self->stack_high);
	return self->stack_high == 0 || (self->stack_low < ts->stack_high &&
	                                 ts->stack_low < self->stack_high);
}

/*
 * Whether @ts is this thread's.  A pointer to it tells nothing: glibc keeps
 * the values of keys that were set after its last destructors, by a signal
 * handler on the ending thread, and the next thread gets them with the stack.
 * A thread that had the id before, and ended unnoticed, had another stack or
 * rseq area, or is no different.
 */
static bool is_of(struct self *self, const struct syc_state *ts)
{
	return __atomic_load_n(&ts->phase, __ATOMIC_ACQUIRE) ==
	               SYC_STATE_ALIVE &&
	       __atomic_load_n(&ts->tid, __ATOMIC_RELAXED) == self->tid &&
	       has_own_cpu(ts) && has_own_stack(ts, self);
}

/* What another copy of the library claimed for this thread where its key
 * doesn't tell; or what this thread had before its exit hook ran. */
static struct syc_state *find_claimed(struct self *self)
{
	const uint32_t high =
		__atomic_load_n(&syc_process->high_water, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < high; i++) {
		struct syc_state *const ts = syc_state_at(i);

		if (__atomic_load_n(&ts->tid, __ATOMIC_RELAXED) != self->tid)
			continue;
		if (is_ended(ts) && take_phase(ts, SYC_STATE_DEAD)) {
			begin_state(ts, self->pid, self->tid, 0);
			return ts;
		}
		if (is_of(self, ts) && ts->no_exit_hook)
			return ts;
	}
	return NULL;
}

/* What this thread is known to have, or had before it forked this process. */
static struct syc_state *find_own(struct self *self)
{
	struct syc_state *const ts = syc_thread_of_self();

	if (ts == NULL)
		return NULL;
	/* A child's first thread: zeroed, and nobody else's because of
	 * low_water.  Others there have inherited no pointer that counts. */
	if (self->pid == self->tid && take_phase(ts, SYC_STATE_FREE))
		begin_state(ts, self->pid, self->tid, ts->hot.owner);
	return is_of(self, ts) ? ts : NULL;
}

/* Signals are blocked: nobody else on this thread can claim meanwhile. */
static void claim_for_self(void)
{
	struct self self = { .pid = syc_process_current(), .tid = gettid() };

	/* A vfork() child is a guest in its parent's memory: what it begins
	 * here the parent would inherit, with the wrong ids */
	if (self.pid == 0 || self.pid != getpid())
		return;
	struct syc_state *ts = find_own(&self);
	/* Now no inherited pointer is left unclaimed; but for those of copies
	 * whose threads no key tells */
	if (self.pid == self.tid &&
	    (ts == NULL || !ts->no_exit_hook || syc_copies_count() == 1))
		__atomic_store_n(&syc_process->low_water, 0, __ATOMIC_RELAXED);
	if (ts == NULL)
		ts = find_claimed(&self);
	if (ts == NULL) {
		ts = claim_state(self.pid, self.tid);
		if (ts == NULL)
			return;
		begin_state(ts, self.pid, self.tid, 0);
	}
	syc_self = &ts->hot;
}

/*
 * Events go somewhere else than when this thread got its ring: leave that
 * one.  Not while an emit of the thread is under way; it belongs there, and
 * so does what comes on top of it.
 */
static void change_epoch(struct syc_state *ts)
{
	const int epoch = __atomic_load_n(&syc_active, __ATOMIC_RELAXED);

	if (ts->hot.epoch == epoch || ts->hot.owner != 0 || ts->is_connecting ||
	    epoch == 0)
		return;
	if (__atomic_load_n(&ts->phase, __ATOMIC_RELAXED) == SYC_STATE_ALIVE) {
		leave_ring(ts);
		memset(&ts->lost, 0, sizeof(ts->lost));
		memset(ts->told, 0, sizeof(ts->told));
		ts->retry_at = 0;
	}
	ts->hot.epoch = epoch;
}

SYC_COLD struct syc_thread *syc_thread_first(uint8_t type)
{
	const int saved = errno;
	struct undisturbed before;

	if (!syc_process_is_there()) {
		syc_process_init();
		if (__atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) < 0)
			syc_process_decide();
		if (__atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) == 0)
			return NULL;
		keep_undisturbed(&before);
		syc_process_join();
		restore(&before);
	}
	/* Acquire: what was set up before recording began is there */
	if (__atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) == 0 ||
	    !syc_process_is_there())
		return NULL;
	keep_undisturbed(&before);
	/* It ends; but a later destructor has something to say */
	if (syc_thread_has_ended())
		syc_self = NULL;
	if (syc_self == NULL)
		claim_for_self();
	if (syc_self != NULL)
		change_epoch(syc_state_of(syc_self));
	restore(&before);
	if (syc_self == NULL)
		syc_loss_count_stray(type, 0, syc_clock_kernel());
	errno = saved;
	return syc_self;
}

/* ------------------------------------------------------------ connecting */

static bool knows_us(const struct syc_ring_header *ring)
{
	return __atomic_load_n(&ring->recorder_magic, __ATOMIC_RELAXED) ==
	       SYC_RING_RECORDER_MAGIC;
}

static void write_client(struct syc_ring_header *ring, int32_t pid, int32_t tid)
{
	ring->client_version = 1;
	ring->pid = pid;
	ring->tid = tid;
	__atomic_store_n(&ring->client_magic, SYC_RING_CLIENT_MAGIC,
	                 __ATOMIC_RELEASE);
}

/* @ring is empty: its head and tail are @at. */
static void begin_ring(struct syc_state *ts, struct syc_ring_header *ring,
                       uint32_t size, uint32_t at)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);

	ts->ring = ring;
	ts->head = at;
	mapped_of(ts)->size = size;
	mapped_of(ts)->header = ring;
	if (ts->is_ours) {
		ring->lost = ts->lost;
		write_client(ring, ts->hot.pid, ts->tid);
	}
	ts->hot.size = size;
	ts->hot.body = (unsigned char *)ring + page;
	ts->hot.next = at;
	ts->hot.end = at;
	ts->hot.room_end = 0;
	ts->hot.lap = 0;
	ts->hot.suspect = 0;
	ts->hot.pos = (uint64_t)at << 32 | at;
	ts->hot.headered = ts->hot.pos;
	memset(ts->hot.defined, 0, sizeof(ts->hot.defined));
	/* of our own, look when a quarter is used, or at what has no pages
	 * yet: see syc_reserve_slow() */
	if (!ts->is_own)
		ts->hot.limit = at + size - 8 - SYC_RING_ROOM;
	else
		ts->hot.limit = at + (syc_thread_is_sparse() ? 0 : size / 4);
	SYC_SIGNAL_FENCE();
	__atomic_store_n(&ts->hot.tail, &ring->tail, __ATOMIC_RELAXED);
	__atomic_add_fetch(&syc_process->n_rings, 1, __ATOMIC_RELAXED);
}

/* One that the recorder made. */
static int map_ring(int fd, struct syc_ring_header **ret_ring,
                    uint32_t *ret_size)
{
	struct syc_ring_header *ring;
	uint32_t size;
	const int r = syc_ring_map(fd, &ring, &size);

	if (r != 0)
		return r;
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	if (__atomic_load_n(&ring->offset, __ATOMIC_RELAXED) != page ||
	    __atomic_load_n(&ring->size, __ATOMIC_RELAXED) != size ||
	    __atomic_load_n(&ring->head, __ATOMIC_RELAXED) != 0 ||
	    __atomic_load_n(&ring->tail, __ATOMIC_RELAXED) != 0 ||
	    size < 2 * SYC_RING_ROOM) {
		syc_ring_unmap(ring, size);
		return -EBADMSG;
	}
	*ret_ring = ring;
	*ret_size = size;
	return 0;
}

/* A slot of our own arena. */
static void begin_own_ring(struct syc_state *ts, struct syc_ring_header *ring,
                           uint32_t size)
{
	ts->is_own = true;
	ts->is_ours = true;
	ring->since = syc_clock_kernel();
	memset(&ring->told, 0, sizeof(ring->told));
	begin_ring(ts, ring, size, ring->head);
	syc_loss_mirror(ts);
	__atomic_store_n(&ring->slot_state, SYC_SLOT_LIVE, __ATOMIC_RELEASE);
}

static bool connect_own(struct syc_state *ts)
{
	const char *const why = syc_own_recording->connect(ts, begin_own_ring);

	if (why == NULL) {
		syc_announce(ts);
		return true;
	}
	ts->retry_at = syc_clock_kernel() + RETRY_NS;
	syc_diag_say("no ring for a thread", why);
	return false;
}

static bool connect_now(struct syc_state *ts)
{
	if (syc_destination_sink() != SYC_SINK_CONTROL)
		return connect_own(ts);
	const int fd = syc_ask_for_ring(ts);
	int r = fd;

	if (fd >= 0) {
		struct syc_ring_header *ring;
		uint32_t size;

		r = map_ring(fd, &ring, &size);
		close(fd);
		if (r == 0) {
			ts->is_own = false;
			ts->is_ours = knows_us(ring);
			begin_ring(ts, ring, size, 0);
		}
	}
	if (r != 0) {
		syc_ask_note_failure(ts, r);
		return false;
	}
	syc_ask_note_ring();
	syc_announce(ts);
	return true;
}

SYC_COLD bool syc_thread_connect(struct syc_state *ts)
{
	struct undisturbed before;

	if (ts->is_connecting || ts->ring != NULL)
		return false; /* a fault in set-up; or closed for good */
	if (syc_own_recording == NULL &&
	    syc_destination_sink() != SYC_SINK_CONTROL)
		return false; /* another copy's recording, whose events may */
	if (ts->retry_at != 0 &&
	    (ts->retry_at == NEVER || syc_clock_kernel() < ts->retry_at))
		return false;
	keep_undisturbed(&before);
	if (__atomic_load_n(&ts->phase, __ATOMIC_RELAXED) == SYC_STATE_FREE)
		claim_for_self(); /* a forked child's first event */
	/* atomic: threads that look for a state pass by */
	if (ts->hot.body == NULL &&
	    __atomic_load_n(&ts->phase, __ATOMIC_RELAXED) == SYC_STATE_ALIVE) {
		ts->is_connecting = true;
		connect_now(ts);
		ts->is_connecting = false;
	}
	restore(&before);
	return ts->hot.body != NULL;
}

void syc_thread_close_ring(struct syc_state *ts, const char *why)
{
	/* It stays mapped: an interrupted emit may still write a frame */
	__atomic_store_n(&ts->hot.tail, NULL, __ATOMIC_RELAXED);
	ts->hot.room_end = 0;
	ts->hot.limit = (uint32_t)ts->hot.pos;
	ts->hot.body = NULL;
	ts->retry_at = NEVER;
	syc_process_set_reason(why);
	syc_diag_say(why, NULL);
}

/* ------------------------------------------------------------- finishing */

void syc_thread_exit(void *state)
{
	struct syc_state *const ts = state;
	const int saved = errno;
	struct undisturbed before;

	keep_undisturbed(&before);
	/* Not so in a child that was forked here and did not emit since */
	if (ts->tid == gettid() && take_phase(ts, SYC_STATE_ALIVE)) {
		leave_ring(ts);
		/* All copies still point here: their next event comes by */
		ts->hot.epoch = 0;
		__atomic_store_n(&ts->phase, SYC_STATE_DEAD, __ATOMIC_RELEASE);
		syc_own_poke(SYC_ASK_ENDED);
	}
	restore(&before);
	errno = saved;
}

/* A ring that holds nothing but what is untold. */
static void tell_in_new_ring(struct syc_ring_header *ring, uint32_t size)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	unsigned char *const body = (unsigned char *)ring + page;
	const uint32_t len = syc_loss_compose_last(body, syc_process->pid);

	if (knows_us(ring))
		write_client(ring, syc_process->pid, gettid());
	syc_store_word(body + len, syc_head_word(SYC_HEAD_SIZE, -1, -1));
	syc_store_head(body + len, syc_clock_kernel(), SYSCAP_FRAME_RING_END);
	/* W2, pairs with R1 */
	__atomic_store_n(&ring->tail, len + SYC_HEAD_SIZE, __ATOMIC_RELEASE);
	syc_ring_unmap(ring, size);
}

void syc_thread_tell_last(void)
{
	const int64_t deadline =
		syc_clock_kernel() + SYC_CONTROL_TIMEOUT_MS * INT64_C(1000000);
	struct undisturbed before;
	struct syc_ring_header *ring;
	uint32_t size;
	int fd = -ECANCELED;

	keep_undisturbed(&before);
	syc_loss_tell_now();
	if (syc_loss_is_stray_pending())
		fd = syc_control_send_request(deadline);
	if (fd == 0)
		fd = syc_control_receive_ring(deadline);
	if (fd >= 0) {
		if (map_ring(fd, &ring, &size) == 0)
			tell_in_new_ring(ring, size);
		close(fd);
	}
	restore(&before);
}

/* ------------------------------------------------------------------ fork */

void syc_thread_drop_inherited_ring(const struct syc_state *ts,
                                    bool may_be_written)
{
	struct syc_mapped *const mapped = mapped_of(ts);
	struct syc_ring_header *const header = mapped->header;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (header == NULL)
		return;
	if (may_be_written)
		mmap(header, page + 2 * (size_t)mapped->size,
		     PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
		     -1, 0);
	else
		syc_ring_unmap(header, mapped->size);
	mapped->header = NULL;
}
