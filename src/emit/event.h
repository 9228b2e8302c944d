/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event.h - the one form of an event that is one frame: begin, fill, end.
 * Whether it goes alone or the long way (emit.h) the caller need not know.
 *
 * What <syscap.h> puts inline begins alone by itself, and gives what does not
 * go so to a function that begins here with syc_event_begin_long(): a call
 * that returns in the middle of it would have each site save registers.
 */
#ifndef SYC_EMIT_EVENT_H
#define SYC_EMIT_EVENT_H

#include <stdbool.h>

#include <syscap/emit.h>

/** An event under way.  Beside it, in the frame of the function that emits,
 * lives its token (syc_enter_from()). */
struct syc_event {
	unsigned char
		*frame;    /* behind its header it is the caller's to write */
	uint64_t tag_word; /* the thread's, for syc_event_end() */
	struct syc_place place; /* tail is NULL: it goes the long way */
	bool is_outermost;
};

/** An event that goes the long way, in two registers. */
struct syc_long_event {
	unsigned char *frame; /* NULL: dropped and counted */
	uint64_t tag_word;    /* SYC_IS_OUTERMOST below the thread's tag */
};
#define SYC_IS_OUTERMOST UINT64_C(1)

/**
 * Begin the long way: what syc_begin() refused.  @cfa: of the function in
 * whose frame @token lives.
 *
 * Context of everything here: any-thread, signal-safe.
 */
struct syc_long_event syc_event_begin_long(struct syc_thread *st,
                                           volatile uintptr_t *token,
                                           uint32_t len, uint8_t type,
                                           int64_t time, const void *cfa);
void syc_event_end_long(struct syc_thread *st, volatile uintptr_t *token,
                        unsigned char *frame, bool is_outermost,
                        uint64_t type_word);

/**
 * Begin an event of one frame of @len bytes, a multiple of 8, at @time.
 * False: dropped and counted.
 */
static inline __attribute__((always_inline)) bool
syc_event_begin(struct syc_event *event, struct syc_thread *st,
                volatile uintptr_t *token, uint32_t len, uint8_t type,
                int64_t time)
{
	if (SYC_UNLIKELY(!syc_begin(st, token, len, &event->place))) {
		const struct syc_long_event begun = syc_event_begin_long(
			st, token, len, type, time, __builtin_dwarf_cfa());

		event->place.tail = NULL;
		event->frame = begun.frame;
		event->tag_word = begun.tag_word & ~SYC_IS_OUTERMOST;
		event->is_outermost = (begun.tag_word & SYC_IS_OUTERMOST) != 0;
		return event->frame != NULL;
	}
	event->is_outermost = true;
	event->frame = event->place.frame;
	event->tag_word = event->place.tag_word;
	syc_store_word(event->frame + SYC_AT(frame, time), (uint64_t)time);
	return true;
}

/** The tid that an event is of. */
static inline int32_t syc_event_tid(const struct syc_event *event)
{
	return (int32_t)((uint32_t)(event->tag_word >> 32) &
	                 ~SYSCAP_TID_TAG_MASK);
}

/**
 * The frame is whole.  @type_word: its type, and beside it what goes into
 * padding2: event->tag_word where there is no other place for a thread's id.
 */
static inline __attribute__((always_inline)) void
syc_event_end(const struct syc_event *event, struct syc_thread *st,
              volatile uintptr_t *token, uint64_t type_word)
{
	if (SYC_UNLIKELY(event->place.tail == NULL)) {
		syc_event_end_long(st, token, event->frame, event->is_outermost,
		                   type_word);
		return;
	}
	syc_store_word(event->frame + SYC_AT(frame, type), type_word);
	syc_end(st, token, &event->place);
}

#endif
