/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event.h - an event of one frame (begin, fill, end), and definitions of
 * counters.  Begin and end choose between the fast path and the slow path
 * (<syscap/emit.h>).
 *
 * Inline functions of <syscap.h> begin on the fast path themselves, and call a
 * function with syc_event_begin_slow() for other events.  A call between begin
 * and end would make each call site save registers.
 */
#ifndef SYC_EMIT_EVENT_H
#define SYC_EMIT_EVENT_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <syscap.h>

#include "base/text.h"

struct syc_state;

/** An event in progress.  The token of syc_enter_from() also lies in the stack
 * frame of the emitting function. */
struct syc_event {
	unsigned char *frame;   /* the caller writes after the header */
	uint64_t tag_word;      /* the thread's tag, for syc_event_end() */
	struct syc_place place; /* tail is NULL on the slow path */
	bool is_outermost;
};

/** An event on the slow path, in two registers. */
struct syc_slow_event {
	unsigned char *frame; /* NULL: dropped and counted */
	uint64_t tag_word;    /* SYC_IS_OUTERMOST beside the thread's tag */
};
#define SYC_IS_OUTERMOST SYC_WORD(frame, type, 1)

/**
 * Begin an event that syc_begin() refused.  @cfa is the CFA of the function in
 * whose stack frame @token lies.
 *
 * Context of all functions: any-thread, signal-safe.
 */
struct syc_slow_event syc_event_begin_slow(struct syc_thread *st,
                                           volatile uintptr_t *token,
                                           uint32_t len, uint8_t type,
                                           int64_t time, const void *cfa);
void syc_event_end_slow(struct syc_thread *st, volatile uintptr_t *token,
                        unsigned char *frame, bool is_outermost,
                        uint64_t type_word);

/**
 * Begin an event of one frame of @len bytes, a multiple of 8, at @time.
 * Returns false if the event was dropped and counted.
 */
static inline __attribute__((always_inline)) bool
syc_event_begin(struct syc_event *event, struct syc_thread *st,
                volatile uintptr_t *token, uint32_t len, uint8_t type,
                int64_t time)
{
	if (SYC_UNLIKELY(!syc_begin(st, token, len, &event->place))) {
		const struct syc_slow_event begun = syc_event_begin_slow(
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

/** The tid of the event's thread. */
static inline int32_t syc_event_tid(const struct syc_event *event)
{
	return (int32_t)((uint32_t)SYC_WORD_FIELD(frame, padding2,
	                                          event->tag_word) &
	                 ~SYSCAP_TID_TAG_MASK);
}

/**
 * End an event whose frame is complete.  @type_word has the frame's type, and
 * the value for padding2.  If the frame has no other field for a thread id, the
 * value is event->tag_word.
 */
static inline __attribute__((always_inline)) void
syc_event_end(const struct syc_event *event, struct syc_thread *st,
              volatile uintptr_t *token, uint64_t type_word)
{
	if (SYC_UNLIKELY(event->place.tail == NULL)) {
		syc_event_end_slow(st, token, event->frame, event->is_outermost,
		                   type_word);
		return;
	}
	syc_store_word(event->frame + SYC_AT(frame, type), type_word);
	syc_end(st, token, &event->place);
}

/**
 * Repair an emit that the thread abandoned, and make pos valid.  The thread no
 * longer emits.
 *
 * Context: owner, or the thread that finishes a dead thread's state.
 */
void syc_take_over(struct syc_state *ts);

/* --------------------------------------------------- texts of frames */

/*
 * The length of a frame must be known before the reservation.  Most messages in
 * printf's form fit into a buffer and are formatted once.  A longer message is
 * formatted twice, the second time into the frame.
 */

#define SYC_MARK_MESSAGE_MAX \
	(SYSCAP_FRAME_MAX - sizeof(struct syscap_wire_mark) - 1)

/** The length of a mark's frame whose message has @n bytes. */
static inline uint32_t syc_mark_frame_len(size_t n)
{
	return syc_text_frame_len(sizeof(struct syscap_wire_mark), n);
}

static inline void syc_mark_fill_site(struct syscap_mark_site *site,
                                      const char *group, const char *name)
{
	syc_text_put(site->group, sizeof(site->group), group);
	syc_text_put(site->name, sizeof(site->name), name);
}

struct syc_printf {
	size_t len; /* length of the message, cut to fit */
	char buffer[512];
};

__attribute__((format(printf, 3, 0))) static inline void
syc_printf_begin(struct syc_printf *text, size_t max, const char *format,
                 va_list args)
{
	const int saved = errno;
	va_list copy;

	va_copy(copy, args);
	const int n = format != NULL
	                      ? vsnprintf(text->buffer, sizeof(text->buffer),
	                                  format, copy)
	                      : 0;
	va_end(copy);
	/* After an error the message is empty */
	text->len = n < 0 ? 0 : (size_t)n;
	if (text->len > max)
		text->len = max;
	errno = saved;
}

/** Put the message and its NUL at @at, where len + 1 bytes are free. */
__attribute__((format(printf, 3, 0))) static inline void
syc_printf_finish(struct syc_printf *text, char *at, const char *format,
                  va_list args)
{
	const int saved = errno;

	if (text->len < sizeof(text->buffer)) {
		memcpy(at, text->buffer, text->len);
		return;
	}
	/* Another thread may change a string during this call.  A shorter
	 * string leaves zeroes, and a longer string is cut. */
	memset(at, 0, text->len + 1);
	if (vsnprintf(at, text->len + 1, format, args) < 0)
		at[0] = '\0';
	/* Cut between characters, because vsnprintf() cuts between bytes */
	const size_t n = strnlen(at, text->len);
	if (n == text->len) {
		size_t start = n;

		while (start > 0 && n - start < 3 &&
		       ((unsigned char)at[start - 1] & 0xC0) == 0x80)
			start--;
		if (start > 0) {
			const unsigned char lead = (unsigned char)at[start - 1];
			const size_t need = lead >= 0xF0   ? 4
			                    : lead >= 0xE0 ? 3
			                    : lead >= 0xC0 ? 2
			                                   : 1;
			if (need > 1 && n - (start - 1) < need)
				memset(at + start - 1, 0, n - (start - 1));
		}
	}
	errno = saved;
}

/** Fill all of a frame except its head, which the reservation has filled. */
static inline void syc_metadata_fill(unsigned char *frame, uint32_t len,
                                     const char *id, const char *value,
                                     size_t n)
{
	struct syscap_wire_metadata *const metadata = (void *)frame;

	syc_text_field(metadata->id, sizeof(metadata->id), id);
	syc_store_word(frame + len - 8, 0);
	memcpy(metadata + 1, value, n);
}

/* -------------------------------- definitions of counters in a ring, and ids */

/*
 * Ids have 24 bits and belong to the process: one sequence for all threads and
 * copies of the library.  The base of the sequence is a hash of the process, so
 * that processes in one capture rarely have equal ids. (A syscap recorder
 * renumbers all ids.)  The sequence leaves out 1..255 and the block of ids that
 * a stock client of the same process uses.
 *
 * An index is the position of an id in the sequence, from 1.
 *
 * A child continues the sequence, and the ids of its counters stay valid.
 *
 * Context of all functions: any-thread, signal-safe.
 */

/**
 * Put the definition of @counter into this ring unless the ring has it.  A
 * counter without an id gets an id.  Returns false if there is no space, and
 * counts the loss.
 *
 * Context of both: any-thread, signal-safe, between syc_enter() and
 * syc_leave().
 */
bool syc_counter_define(struct syc_thread *st, struct syscap_counter *counter,
                        int64_t time);

/** Put the definition of @counter, which has an id, into this ring even if the
 * ring has it. */
bool syc_counter_define_once(struct syc_thread *st,
                             const struct syscap_counter *counter,
                             int64_t time);

/** Give @counter an id unless it has one.  Returns the counter's index. */
uint32_t syc_counter_id_give(struct syscap_counter *counter);

/** Reserve @n consecutive ids.  Returns the first id, or 0 if too few ids are
 * free. */
uint32_t syc_counter_id_request(uint32_t n);

/** The index of @id if a thread requested @id; otherwise any number. */
uint32_t syc_counter_id_index(uint32_t id);

#endif
