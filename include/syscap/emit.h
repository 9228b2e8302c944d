/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * emit.h - the inline half of the emit path.  This header is not an interface:
 * include <syscap.h>, and call no function whose name begins with syc_.
 *
 * One thread writes one ring.  A thread emits an event in five steps, in one of
 * two ways:
 *
 *	         alone (syc_begin, syc_end)    disturbed (syc_enter ...
 *	         syc_leave)
 *	enter    look at owner, store it     compare-exchange owner; disturb()
 *	reserve  store end: announced only   compare-exchange pos, write len
 *	fill     in any order                in any order, type last
 *	commit   store next                  store the type
 *	leave    store tail, owner = 0       publish_all(), owner = 0
 *
 * "Alone" is an outermost emit of one frame that no handler's emit interrupts.
 * An emit of this kind needs no compare-exchange.  All other emits take the
 * second, slow path.
 *
 * A signal handler may interrupt between any two instructions and emit, too.
 * The handler then finds an owner and reserves the frame that the owner
 * announced (disturb() in src/emit/event.c).  The handler reserves, fills and
 * commits its own frame after the announced frame, and publishes nothing.  The
 * interrupted outermost emit publishes all frames, and uses next again.
 *
 * docs/ring.md has the invariants T1 to T6 of struct syc_thread, with reasons.
 * While disturbed is 0, next, end and room_end are valid.  Otherwise pos,
 * headered and limit are valid.
 *
 * Ordering.  Against handlers on the same thread, the machine's program order
 * is enough, and SYC_SIGNAL_FENCE keeps the compiler to this order.  Against
 * the reader:
 *
 *	writer (this thread)                reader (src/recorder/drain.c)
 *	LOAD  head, acquire   (W1)          LOAD  tail, acquire   (R1)
 *	STORE frame                         LOAD  frame
 *	STORE tail, release   (W2)          STORE head, release   (R2)
 *
 *	W2 pairs with R1: a reader that sees the tail sees all earlier frames.
 *	R2 pairs with W1: a writer that sees the head may overwrite all earlier
 *	bytes.
 */
#ifndef SYSCAP_EMIT_H
#define SYSCAP_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <syscap/format.h>

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
extern "C" {
#endif

#ifndef SYSCAP_TLS_MODEL
#define SYSCAP_TLS_MODEL "initial-exec"
#endif

#define SYC_LIKELY(x)      __builtin_expect(!!(x), 1)
#define SYC_UNLIKELY(x)    __builtin_expect(!!(x), 0)
#define SYC_HIDDEN         __attribute__((visibility("hidden")))
#define SYC_COLD           __attribute__((cold, noinline))
#define SYC_SIGNAL_FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/** Size of a frame's header.  An end marker is only a header. */
#define SYC_HEAD_SIZE 24u

/** Maximum size of a loss record, in bytes. */
#define SYC_LOSS_RECORD_MAX 512u
#define SYC_RING_ROOM       (SYC_LOSS_RECORD_MAX + SYC_HEAD_SIZE)

/** Counters with a higher index are defined again at each use. */
#define SYC_DEFINED_MAX 4096u

/**
 * A thread's data for emits.  Every event uses the first cache line, and every
 * event that reads the clock uses the second.  src/emit/thread.h has the other
 * fields.  A forked child finds the struct zeroed.
 */
struct syc_thread {
	uint64_t owner;     /* token of the outermost emit in progress, or 0 */
	uint64_t next;      /* offset in the body of the next frame */
	uint64_t end;       /* end of the announced frame; == next: none */
	uint64_t room_end;  /* end of unchecked room; 0: check each frame */
	uint64_t disturbed; /* not 0: pos is valid, not next; see event.c */
	unsigned char *body;
	uint32_t *tail;     /* in the ring header; NULL: publish nothing */
	const int32_t *cpu; /* rseq's cpu_id, or a word with -1 */

	/* the clock: ns = base_ns + (tsc - base_tsc) * mult / 2^32 */
	uint64_t base_tsc __attribute__((aligned(64)));
	uint64_t window; /* ticks that the base may be used for; 0: never */
	uint64_t mult;
	int64_t base_ns;
	uint64_t pid_word; /* the pid, as part of a frame's first word */
	uint64_t tag_word; /* tid_tag, as part of its third word */
	int64_t last_ns;   /* last time of a slow call; never goes back */
	/* syc_active when the thread got the ring; the thread stores it,
	 * relaxed, since the end of a session reads it */
	int32_t epoch;
	int32_t pid;

	/* emits that are not alone */
	/* offset in the body << 32 | bytes ever reserved; aligned for 32-bit
	 * machines, too */
	uint64_t pos __attribute__((aligned(8)));
	uint64_t headered; /* pos up to which every frame has its len */
	uint32_t limit;    /* upper bound of the count in pos */
	uint32_t size;     /* of the body; 0: no ring */
	uint32_t lap;      /* count - offset */
	uint32_t nested;   /* emits in progress inside the outermost one */
	uint64_t suspect;  /* 1 + offset of a frame that next did not pass */
	uint64_t suspect_owner;
	uint32_t suspect_len;
	uint32_t tid_tag; /* padding2 of frames without a tid of their own */
	int64_t read_ns;  /* the kernel's time at base_tsc; 0: no base */

	/* one bit per counter whose definition is in this ring */
	uint64_t defined[SYC_DEFINED_MAX / 64] __attribute__((aligned(64)));
};

/**
 * Zero: no events are recorded.  Negative: the first event decides whether
 * events are recorded (src/emit/thread.c), and thread-local storage may not
 * exist yet, so check this word first.  Positive: the epoch, which changes with
 * the destination of events.  A thread's state has the epoch of its ring.
 */
extern SYC_HIDDEN int syc_active;
#if defined(SYSCAP_DISABLE)
#define SYC_ACTIVE_WORD() 0
#else
#define SYC_ACTIVE_WORD() __atomic_load_n(&syc_active, __ATOMIC_RELAXED)
#endif

/** 1: after publishing, an event calls the ring source (session/spill.h). */
extern SYC_HIDDEN uint32_t syc_look_due;

/** This thread's state; NULL before its first event. */
extern SYC_HIDDEN __thread struct syc_thread *syc_self
	__attribute__((tls_model(SYSCAP_TLS_MODEL)));

/* Out-of-line functions of src/emit, which are all signal-safe. */
struct syc_thread *syc_thread_first(uint8_t type);
bool syc_enter_nested(struct syc_thread *st, volatile uintptr_t *token,
                      const void *cfa);
unsigned char *syc_reserve_slow(struct syc_thread *st, uint32_t len,
                                uint8_t type, int64_t time);
void syc_leave_nested(struct syc_thread *st);
void syc_write_missing_header(struct syc_thread *st);
void syc_open(struct syc_thread *st);
void syc_finish(struct syc_thread *st, volatile uintptr_t *token);
void syc_finish_disturbed(struct syc_thread *st, volatile uintptr_t *token);
void syc_withdraw(struct syc_thread *st, volatile uintptr_t *token,
                  uint64_t announced);
int64_t syc_clock_slow(struct syc_thread *st);
int32_t syc_cpu_slow(void);
void syc_look_after_event(void);

/*
 * Compare and exchange in one instruction, which a handler cannot interrupt.
 * No other processor stores to pos, so no lock prefix is needed.  A separate
 * load and store would lose a handler's reservation between the two.
 */
static inline bool syc_exchange_local(uint64_t *word, uint64_t expected,
                                      uint64_t desired)
{
#if defined(__x86_64__)
	bool done;

	__asm__ volatile("cmpxchgq %3, %1"
	                 : "=@ccz"(done), "+m"(*word), "+a"(expected)
	                 : "r"(desired)
	                 : "memory");
	return done;
#else
	return __atomic_compare_exchange_n(word, &expected, desired, false,
	                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

static inline uintptr_t syc_token_value(const struct syc_thread *st)
{
	return (uintptr_t)st;
}

/**
 * Begin an emit.  @token lives in the caller's stack frame until syc_leave().
 * The address of @token shows the depth of the emit.  The value of @token shows
 * that the emit has not ended.
 */
static inline bool syc_enter_from(struct syc_thread *st,
                                  volatile uintptr_t *token, const void *cfa)
{
	*token = syc_token_value(st);
	SYC_SIGNAL_FENCE();
	/* One instruction: between a load and a store, a handler could become
	 * owner and be abandoned, and the store would hide that owner. */
	if (SYC_LIKELY(syc_exchange_local(&st->owner, 0, (uintptr_t)token))) {
		SYC_SIGNAL_FENCE();
		syc_open(st);
		return true;
	}
	return syc_enter_nested(st, token, cfa);
}

static inline __attribute__((always_inline)) bool
syc_enter(struct syc_thread *st, volatile uintptr_t *token)
{
	return syc_enter_from(st, token, __builtin_dwarf_cfa());
}

/*
 * A frame consists of words of 8 bytes in the machine's byte order.
 *
 * SYC_WORD(mark, duration, value) is the word in which this field of struct
 * syscap_wire_mark is @value, an unsigned number, and all other fields are 0.
 * SYC_WORD_FIELD() shifts a field of @word to the lowest bits.  The higher bits
 * are undefined.
 */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SYC_WORD_SHIFT(type, field) \
	(64 - 8 * (SYC_AT(type, field) % 8 + SYC_SIZE(type, field)))
#else
#define SYC_WORD_SHIFT(type, field) (8 * (SYC_AT(type, field) % 8))
#endif
#define SYC_WORD(type, field, value) \
	((uint64_t)(value) << SYC_WORD_SHIFT(type, field))
#define SYC_WORD_FIELD(type, field, word) \
	((word) >> SYC_WORD_SHIFT(type, field))

/** The first 8 bytes of a frame: cpu, pid and len. */
static inline uint64_t syc_first_word(const struct syc_thread *st, uint32_t len)
{
	const int32_t *const known =
		__atomic_load_n(&st->cpu, __ATOMIC_RELAXED);
	int32_t cpu = -1;

	if (SYC_LIKELY(known != NULL))
		cpu = __atomic_load_n(known, __ATOMIC_RELAXED);
	if (SYC_UNLIKELY(cpu < 0))
		cpu = syc_cpu_slow();
	return st->pid_word | SYC_WORD(frame, cpu, (uint16_t)cpu) |
	       SYC_WORD(frame, len, (uint16_t)len);
}

static inline void syc_store_word(unsigned char *at, uint64_t word)
{
	__builtin_memcpy(at, &word, sizeof(word));
}

/** The first 8 bytes of a frame, from len, cpu and pid. */
static inline uint64_t syc_head_word(uint64_t len, int cpu, int32_t pid)
{
	return SYC_WORD(frame, pid, (uint32_t)pid) |
	       SYC_WORD(frame, cpu, (uint16_t)cpu) | SYC_WORD(frame, len, len);
}

/** Store the rest of a header.  @type_word: padding2 and type. */
static inline void syc_store_head(unsigned char *frame, int64_t time,
                                  uint64_t type_word)
{
	syc_store_word(frame + SYC_AT(frame, time), (uint64_t)time);
	syc_store_word(frame + SYC_AT(frame, type), type_word);
}

/** Length of a frame of @fixed bytes and then a text of @n bytes. */
static inline uint32_t syc_text_frame_len(size_t fixed, size_t n)
{
	return (uint32_t)(fixed + n + 8) & ~UINT32_C(7);
}

/**
 * Take @len bytes (a multiple of 8, 24 to SYSCAP_FRAME_MAX) for a frame at
 * @time, if pos stays within @limit.  Returns the frame, with its first word
 * written and the type TIMESTAMP until syc_commit(), or NULL.
 */
static inline unsigned char *syc_take(struct syc_thread *st, uint32_t limit,
                                      uint32_t len, int64_t time)
{
	for (;;) {
		const uint32_t size =
			__atomic_load_n(&st->size, __ATOMIC_RELAXED);
		const uint64_t old =
			__atomic_load_n(&st->pos, __ATOMIC_RELAXED);
		const uint32_t count = (uint32_t)old;
		const uint32_t offset = (uint32_t)(old >> 32);
		uint32_t next = offset + len;

		if (SYC_UNLIKELY((int32_t)(limit - count - len) < 0))
			return NULL;
		/* A handler abandoned its emit before the first word */
		if (SYC_UNLIKELY(__atomic_load_n(&st->headered,
		                                 __ATOMIC_RELAXED) != old)) {
			/*
			 * The body is NULL if a handler forked or closed the
			 * ring
			 */
			if (__atomic_load_n(&st->body, __ATOMIC_RELAXED) ==
			    NULL)
				return NULL;
			syc_write_missing_header(st);
			continue;
		}
		if (next >= size)
			next -= size;
		const uint64_t pos =
			(uint64_t)next << 32 | (uint32_t)(count + len);
		if (SYC_UNLIKELY(!syc_exchange_local(&st->pos, old, pos)))
			continue;
		SYC_SIGNAL_FENCE();
		/* Load body last: if a handler forked, this process is a child
		 * with another ring or without a ring */
		unsigned char *const body =
			__atomic_load_n(&st->body, __ATOMIC_RELAXED);
		if (SYC_UNLIKELY(body == NULL))
			return NULL;
		unsigned char *const frame = body + offset;
		syc_store_word(frame, syc_first_word(st, len));
		syc_store_word(frame + SYC_AT(frame, type),
		               SYC_WORD(frame, type, SYSCAP_FRAME_TIMESTAMP));
		SYC_SIGNAL_FENCE();
		/* Fails if a handler has stored headered already, and has
		 * reserved more */
		syc_exchange_local(&st->headered, old, pos);
		syc_store_word(frame + SYC_AT(frame, time), (uint64_t)time);
		return frame;
	}
}

/** Take room for a frame of @type; NULL: dropped and counted. */
static inline unsigned char *syc_reserve(struct syc_thread *st, uint32_t len,
                                         uint8_t type, int64_t time)
{
	unsigned char *const frame = syc_take(
		st, __atomic_load_n(&st->limit, __ATOMIC_RELAXED), len, time);

	if (SYC_UNLIKELY(frame == NULL))
		return syc_reserve_slow(st, len, type, time);
	return frame;
}

/** Store the type of a whole frame.  @padding2: st->tid_tag, or 0 if the frame
 * has a tid. */
static inline void syc_commit(unsigned char *frame, uint8_t type,
                              uint32_t padding2)
{
	SYC_SIGNAL_FENCE();
	syc_store_word(frame + SYC_AT(frame, type),
	               SYC_WORD(frame, padding2, padding2) |
	                       SYC_WORD(frame, type, type));
	SYC_SIGNAL_FENCE();
}

/** End an emit.  The outermost emit publishes. */
static inline void syc_leave(struct syc_thread *st, volatile uintptr_t *token,
                             bool outermost)
{
	if (SYC_UNLIKELY(!outermost))
		syc_leave_nested(st);
	else
		syc_finish(st, token);
}

/* ------------------------------------------------ emits that are alone */

/** Position of the frame of syc_begin(). */
struct syc_place {
	unsigned char *frame;
	uint32_t *tail;
	uint64_t next;
	uint64_t tag_word;
};

/**
 * Begin an emit of one frame of @len bytes, and write the frame's first word.
 * Returns false if the emit must use syc_enter().  Until syc_end() the caller
 * writes all other bytes of the frame, in any order.
 *
 * The emit announces the owner and the end of the frame, and reserves no room.
 * Only a handler that interrupts this emit could use the same room.  Such a
 * handler writes after the announced end: see disturb() in src/emit/event.c.
 */
static inline __attribute__((always_inline)) bool
syc_begin(struct syc_thread *st, volatile uintptr_t *token, uint32_t len,
          struct syc_place *place)
{
	if (SYC_UNLIKELY(st->owner != 0))
		return false;
	*token = syc_token_value(st);
	__atomic_store_n(&st->owner, (uintptr_t)token, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	/* F1.  Load next, body, tail and pid before room_end: if a handler
	 * forks now, room_end of the child is 0.  If a handler forks later, the
	 * child writes the same frame into the private memory that replaced the
	 * parent's ring.  The loads are atomic, since clang moves other loads
	 * past the fence. */
	const uint64_t at = __atomic_load_n(&st->next, __ATOMIC_RELAXED);
	unsigned char *const body =
		__atomic_load_n(&st->body, __ATOMIC_RELAXED);
	const int32_t *const cpu_at =
		__atomic_load_n(&st->cpu, __ATOMIC_RELAXED);
	const uint64_t pid_word =
		__atomic_load_n(&st->pid_word, __ATOMIC_RELAXED);
	place->tag_word = __atomic_load_n(&st->tag_word, __ATOMIC_RELAXED);
	place->tail = __atomic_load_n(&st->tail, __ATOMIC_RELAXED);
	place->next = at + len;
	SYC_SIGNAL_FENCE();
	/* There is no room, or a handler became owner between our load and
	 * store of owner, announced a frame, and was abandoned: count that
	 * frame. */
	if (SYC_UNLIKELY(place->next > st->room_end || st->end != at)) {
		syc_withdraw(st, token, 0);
		return false;
	}
	__atomic_store_n(&st->end, place->next, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	if (SYC_UNLIKELY(st->disturbed != 0)) {
		syc_withdraw(st, token, place->next);
		return false;
	}
	int32_t cpu = *cpu_at;
	if (SYC_UNLIKELY(cpu < 0))
		cpu = syc_cpu_slow();
	place->frame = body + at;
	syc_store_word(place->frame,
	               pid_word | SYC_WORD(frame, cpu, (uint16_t)cpu) |
	                       SYC_WORD(frame, len, len));
	return true;
}

/** Publish the whole frame. */
static inline __attribute__((always_inline)) void
syc_end(struct syc_thread *st, volatile uintptr_t *token,
        const struct syc_place *place)
{
	SYC_SIGNAL_FENCE();
	__atomic_store_n(&st->next, place->next, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	/* W2, pairs with R1 */
	__atomic_store_n(place->tail, (uint32_t)place->next, __ATOMIC_RELEASE);
	SYC_SIGNAL_FENCE();
	__atomic_store_n(&st->owner, 0, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	/* Handlers have written frames after this frame: publish them, too */
	if (SYC_UNLIKELY((st->disturbed |
	                  __atomic_load_n(&syc_look_due, __ATOMIC_RELAXED)) !=
	                 0))
		syc_finish_disturbed(st, token);
}

/** Nanoseconds of CLOCK_MONOTONIC, monotonic within the thread. */
static inline int64_t syc_clock(struct syc_thread *st)
{
#if defined(__x86_64__)
	const uint64_t base = st->base_tsc;
	const uint64_t ticks = __builtin_ia32_rdtsc() - base;

	SYC_SIGNAL_FENCE();
	if (SYC_LIKELY(ticks < st->window)) {
		/* window is at most 2^31 ticks and mult below 2^33 */
		const int64_t now =
			st->base_ns + (int64_t)(ticks * st->mult >> 32);

		SYC_SIGNAL_FENCE();
		/* Otherwise a handler stored a new base between our loads */
		if (SYC_LIKELY(st->base_tsc == base)) {
			return now;
		}
	}
#endif
	return syc_clock_slow(st);
}

/** The clock of @st; NULL: the kernel's clock. */
static inline int64_t syc_clock_of(struct syc_thread *st)
{
	return SYC_LIKELY(st != NULL) ? syc_clock(st) : syc_clock_slow(NULL);
}

/** The state of this thread, if it has one while syc_active is @active. */
static inline struct syc_thread *syc_thread_of(int active)
{
	return SYC_LIKELY(active >= 0) ? syc_self : NULL;
}

/**
 * The state of this thread, made by the thread's first event in an epoch.
 * Returns NULL if nothing is recorded.  Returns NULL and counts a lost event of
 * @type if the state cannot be made.
 */
static inline struct syc_thread *syc_thread_get(uint8_t type)
{
	const int active = SYC_ACTIVE_WORD();
	struct syc_thread *st = syc_thread_of(active);

	if (SYC_UNLIKELY(st == NULL || st->epoch != active))
		st = syc_thread_first(type);
	return st;
}

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif
#endif
