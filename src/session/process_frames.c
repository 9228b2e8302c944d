/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process_frames.c - PROCESS and METADATA frames of this process, and PROCESS,
 * FORK and MAP frames of the processes whose rings are transferred.
 */
#define _GNU_SOURCE
#include "session/process_frames.h"

#include <string.h>

#include <syscap/format.h>

#include "base/frame.h"
#include "base/text.h"
#include "copies/copies.h"
#include "os/process.h"
#include "ring/clock.h"
#include "session/spill.h"

/* ------------------------------------------------- frames of this process */

/* A command line is cut to this size, as in emit/process.c */
#define CMDLINE_MAX 1024u

bool syc_describe_process(int32_t pid, int64_t now, syc_describe_emit *emit,
                          void *data)
{
	struct {
		struct syscap_wire_frame frame;
		char cmdline[CMDLINE_MAX + 8];
	} process;

	memset(&process, 0, sizeof(process));
	size_t n = syc_own_proc_cmdline(process.cmdline, CMDLINE_MAX);
	n = syc_text_cut(process.cmdline, n, CMDLINE_MAX - 1);
	if (n == 0) { /* without /proc, the process still needs a name */
		struct syc_text text = syc_text_begin(process.cmdline, 32);

		syc_text_add(&text, "[pid ");
		syc_text_add_i64(&text, pid);
		syc_text_add(&text, "]");
		n = (size_t)(text.at - process.cmdline);
	}
	memset(process.cmdline + n, 0, sizeof(process.cmdline) - n);
	syc_frame_begin(&process.frame, SYSCAP_FRAME_PROCESS, pid, now);
	return emit(
		data, &process,
		syc_frame_end(&process.frame, sizeof(process.frame) + n + 1));
}

uint16_t syc_describe_metadata(void *frame, int32_t pid, int64_t time,
                               const char *id, const char *value)
{
	return syc_frame_metadata(frame, pid, time, id, value);
}

/* ------------------------------------- frames of the processes with rings */

struct frames_copy {
	struct syc_session *session;
	uint32_t size;
};

static bool add_frame(void *data, const void *frame, uint32_t len)
{
	struct frames_copy *const copy = data;

	if (copy->size + len > SYC_COPY_SIZE)
		return false;
	memcpy(copy->session->copy + copy->size, frame, len);
	copy->size += len;
	return true;
}

static int write_maps_of(struct syc_session *s, struct syc_described *described,
                         int32_t pid, bool may_lock, int64_t deadline)
{
	const struct syc_map_frames *const maps =
		__atomic_load_n(&syc_block->map_frames, __ATOMIC_ACQUIRE);
	struct frames_copy copy;
	bool is_done;

	do {
		copy = (struct frames_copy){ .session = s };
		is_done = maps->write(described, pid, syc_clock_kernel(),
		                      may_lock, add_frame, &copy);
		const int r = copy.size == 0
		                      ? 0
		                      : syc_spill_write(s, s->copy, copy.size,
		                                        deadline);
		if (r != 0) { /* all mappings are written again */
			memset(described, 0, sizeof(*described));
			return r;
		}
	} while (!is_done && copy.size != 0);
	return 0;
}

static uint32_t described_in(const struct syc_ring_header *ring)
{
	return __atomic_load_n(&ring->described, __ATOMIC_RELAXED);
}

bool syc_rings_is_described(const struct syc_session *s, uint32_t i)
{
	return described_in(syc_arena_ring(&s->arena, i)) ==
	       (SYC_TOLD_NAME | SYC_TOLD_MAPS);
}

/* Store in all slots of @pid that the capture has the frames @what. */
static void note_described(const struct syc_session *s, int32_t pid,
                           uint32_t what)
{
	for (uint32_t i = 1; i < s->n_used; i++)
		if (syc_slot_pid(syc_rings_word(s, i)) == pid)
			__atomic_or_fetch(
				&syc_arena_ring(&s->arena, i)->described, what,
				__ATOMIC_SEQ_CST);
}

void syc_rings_forget(struct syc_session *s)
{
	__atomic_store_n(&s->described, 0, __ATOMIC_RELAXED);
	memset(&s->maps, 0, sizeof(s->maps));
	/* Related processes notice the loss themselves */
	for (uint32_t i = 1; i < s->n_used; i++)
		if (syc_slot_pid(syc_rings_word(s, i)) == s->pid)
			__atomic_store_n(
				&syc_arena_ring(&s->arena, i)->described, 0,
				__ATOMIC_RELAXED);
}

static int write_name(struct syc_session *s, int32_t pid, int32_t parent,
                      int64_t deadline)
{
	struct frames_copy copy = { .session = s };
	struct syscap_wire_fork fork;
	const int64_t now = syc_clock_kernel();

	syc_describe_process(pid, now, add_frame, &copy);
	if (parent != 0) {
		memset(&fork, 0, sizeof(fork));
		syc_frame_begin(&fork.frame, SYSCAP_FRAME_FORK, parent, now);
		fork.child_pid = pid;
		add_frame(&copy, &fork,
		          syc_frame_end(&fork.frame, sizeof(fork)));
	}
	return syc_spill_write(s, s->copy, copy.size, deadline);
}

/* A slot of @pid, or 0.  A BUSY slot may still have `described` of its last
 * owner. */
static uint32_t find_slot(const struct syc_session *s, int32_t pid)
{
	for (uint32_t i = 1; i < s->n_used; i++) {
		const uint32_t word = syc_rings_word(s, i);

		if (syc_slot_pid(word) == pid &&
		    syc_slot_state(word) != SYC_SLOT_BUSY)
			return i;
	}
	return 0;
}

/* Name this process, after its parent, which may not have named itself yet. */
static int name_own(struct syc_session *s, int64_t deadline)
{
	const uint32_t own = find_slot(s, s->pid);
	const uint32_t parent = s->parent != 0 ? find_slot(s, s->parent) : 0;
	const struct syc_ring_header *const ring =
		syc_arena_ring(&s->arena, parent);
	int r = 0;

	/* A child may have named this process */
	if (own != 0 &&
	    (described_in(syc_arena_ring(&s->arena, own)) & SYC_TOLD_NAME) != 0)
		return 0;
	if (parent != 0 && (described_in(ring) & SYC_TOLD_NAME) == 0) {
		r = write_name(s, s->parent, ring->parent, deadline);
		if (r == 0)
			note_described(s, s->parent, SYC_TOLD_NAME);
	}
	return r != 0 ? r : write_name(s, s->pid, s->parent, deadline);
}

static int describe_own(struct syc_session *s, bool may_lock, int64_t deadline)
{
	const struct syc_map_frames *const maps =
		__atomic_load_n(&syc_block->map_frames, __ATOMIC_ACQUIRE);
	const uint32_t before = s->described;
	uint32_t now = before;
	int r = 0;

	if ((before & SYC_TOLD_NAME) == 0)
		r = name_own(s, deadline);
	if (r == 0)
		now |= SYC_TOLD_NAME;
	if (r == 0 && maps != NULL &&
	    maps->are_due(&s->maps, syc_clock_kernel(), may_lock)) {
		r = write_maps_of(s, &s->maps, s->pid, may_lock, deadline);
		if (r == 0)
			now |= SYC_TOLD_MAPS;
	}
	if (now != before) {
		/* Store first the session's value, then the slots': see
		 * begin_slot() */
		__atomic_store_n(&s->described, now, __ATOMIC_SEQ_CST);
		note_described(s, s->pid, now);
	}
	return r;
}

bool syc_rings_has_new_maps(struct syc_session *s, bool may_lock)
{
	const struct syc_map_frames *const maps =
		__atomic_load_n(&syc_block->map_frames, __ATOMIC_ACQUIRE);

	return maps != NULL &&
	       maps->are_due(&s->maps, syc_clock_kernel(), may_lock);
}

/* Describe a related process that ended before it described itself, and had
 * the same image. */
static int describe_relative(struct syc_session *s, uint32_t i, int32_t pid,
                             int64_t deadline)
{
	const struct syc_map_frames *const maps =
		__atomic_load_n(&syc_block->map_frames, __ATOMIC_ACQUIRE);
	const struct syc_ring_header *const ring = syc_arena_ring(&s->arena, i);
	int r = 0;

	if ((described_in(ring) & SYC_TOLD_NAME) == 0)
		r = write_name(s, pid, ring->parent, deadline);
	if (r == 0 && maps != NULL &&
	    (described_in(ring) & SYC_TOLD_MAPS) == 0) {
		memset(&s->maps_of_relative, 0, sizeof(s->maps_of_relative));
		r = write_maps_of(s, &s->maps_of_relative, pid, false,
		                  deadline);
	}
	if (r == 0)
		note_described(s, pid, SYC_TOLD_NAME | SYC_TOLD_MAPS);
	return r;
}

int syc_rings_describe(struct syc_session *s, bool may_lock, int64_t deadline)
{
	const uint32_t n = syc_session_slots(s);
	struct syc_span span;
	int r = describe_own(s, may_lock, deadline);

	for (uint32_t i = 1; r == 0 && s->looks && i < n; i++)
		if (syc_rings_look(s, i, &span) && span.pid != s->pid &&
		    !syc_rings_is_described(s, i))
			r = describe_relative(s, i, span.pid, deadline);
	return r;
}
