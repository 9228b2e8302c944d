/* SPDX-License-Identifier: BSD-2-Clause */
/* relatives.c - the forked processes that have slots in the arena. */
#define _GNU_SOURCE
#include <string.h>

#include "base/frame.h"
#include "base/unconst.h"
#include "emit/ring_source.h"
#include "ring/clock.h"
#include "session/drain.h"
#include "session/process_frames.h"
#include "session/session.h"

static struct syc_relative *find_relative(const struct syc_relatives *relatives,
                                          int32_t pid)
{
	for (uint32_t i = 0; i < relatives->n; i++)
		if (relatives->all[i].kin.pid == pid)
			return syc_unconst(&relatives->all[i]);
	return NULL;
}

static struct syc_relative *
find_or_add_relative(struct syc_relatives *relatives, int32_t pid)
{
	struct syc_relative *const known = find_relative(relatives, pid);

	if (known != NULL || relatives->n == SYC_RING_FILE_SLOTS)
		return known;
	struct syc_relative *const it = &relatives->all[relatives->n++];
	*it = (struct syc_relative){ .kin = { .pid = pid } };
	it->is_gone = !syc_fork_identity_is_running(&it->kin);
	return it;
}

/* ---------------------------------------------------------- introduction */

static bool add_fork(struct syc_session *s, const struct syc_relative *it,
                     int64_t time)
{
	const struct syc_relative *const parent =
		find_relative(&s->relatives, it->kin.parent);

	/* A process without events may be between parent and child */
	return syc_batch_add_fork(s, parent != NULL ? parent->kin.pid : s->pid,
	                          it->kin.pid, time);
}

/* Write the frames about a relative.  False: no space until the next pass.
 * Only one relative is introduced at a time, because the set of reported maps
 * exists once. */
static bool introduce_relative(struct syc_session *s, struct syc_relative *it,
                               int64_t time)
{
	const struct syc_map_frames *const maps =
		__atomic_load_n(&syc_block->map_frames, __ATOMIC_ACQUIRE);
	struct syc_relatives *const r = &s->relatives;

	if (it->stage == SYC_RELATIVE_MET) {
		if (!syc_describe_process(it->kin.pid, time,
		                          syc_batch_add_frame, s))
			return false;
		it->stage = SYC_RELATIVE_NAMED;
	}
	if (it->stage == SYC_RELATIVE_NAMED) {
		if (!add_fork(s, it, time))
			return false;
		it->stage = SYC_RELATIVE_FORKED;
	}
	if (maps != NULL && r->described != it->kin.pid)
		memset(&s->described_relative, 0,
		       sizeof(s->described_relative));
	r->described = it->kin.pid;
	if (maps != NULL && !maps->write(&s->described_relative, it->kin.pid,
	                                 time, false, syc_batch_add_frame, s))
		return false;
	r->described = 0;
	it->stage = SYC_RELATIVE_KNOWN;
	return true;
}

/* Whether a relative has overwritten a slot's word.  The owner of a slot
 * changes the word from LIVE to ENDED, and only the drainer changes the word to
 * FREE. */
static bool is_overwritten(uint32_t before, uint32_t word)
{
	const uint32_t state = syc_slot_state(before);

	if (syc_slot_state(word) > SYC_SLOT_OVER)
		return true;
	if (word == before || state == SYC_SLOT_FREE || state == SYC_SLOT_BUSY)
		return false;
	return syc_slot_pid(word) != syc_slot_pid(before) ||
	       syc_slot_state(word) < SYC_SLOT_ENDED;
}

/* The begin of the slot's use, as its ring states; limited to the time from our
 * begin until now. */
static int64_t begin_of(const struct syc_session *s, uint32_t slot, int64_t now)
{
	const int64_t since = __atomic_load_n(
		&syc_arena_ring(&s->arena, slot)->since, __ATOMIC_RELAXED);

	return since > s->began && since < now ? since : now;
}

bool syc_relatives_look(struct syc_session *s)
{
	struct syc_relatives *const r = &s->relatives;
	bool is_news = false;

	for (uint32_t i = 0; i < r->n; i++)
		if (!r->all[i].is_gone) {
			r->all[i].is_gone =
				!syc_fork_identity_is_running(&r->all[i].kin);
			is_news |= r->all[i].is_gone;
		}
	return is_news;
}

void syc_relatives_meet(struct syc_session *s, int64_t now, bool at_once)
{
	struct syc_relatives *const r = &s->relatives;
	const uint32_t n = syc_session_slots(s);
	bool has_room = true;

	if (at_once || syc_relatives_are_due(s, now)) {
		syc_relatives_look(s);
		r->looked_at = now;
	}
	for (uint32_t i = 1; i < n; i++) {
		const uint32_t word = __atomic_load_n(
			syc_arena_word(&s->arena, i), __ATOMIC_ACQUIRE);
		const int32_t pid = syc_slot_pid(word);

		if (is_overwritten(
			    __atomic_load_n(&s->words[i], __ATOMIC_RELAXED),
			    word))
			syc_batch_report_damage(
				s); /* the slot's frames are lost */
		__atomic_store_n(&s->words[i], word, __ATOMIC_RELAXED);
		if (pid == 0 || pid == s->pid ||
		    syc_slot_state(word) > SYC_SLOT_ENDED)
			continue;
		struct syc_relative *const it = find_or_add_relative(r, pid);
		if (it == NULL)
			continue;
		if (has_room && it->stage != SYC_RELATIVE_KNOWN &&
		    (syc_slot_state(word) == SYC_SLOT_LIVE ||
		     syc_slot_state(word) == SYC_SLOT_ENDED) &&
		    (r->described == 0 || r->described == pid))
			has_room =
				introduce_relative(s, it, begin_of(s, i, now));
	}
}

bool syc_relatives_knows(const struct syc_session *s, int32_t pid)
{
	const struct syc_relative *const it =
		pid != s->pid ? find_relative(&s->relatives, pid) : NULL;

	return pid == s->pid || (it != NULL && it->stage == SYC_RELATIVE_KNOWN);
}

bool syc_relatives_is_gone(struct syc_session *s, int32_t pid)
{
	struct syc_relative *const it =
		pid != s->pid ? find_relative(&s->relatives, pid) : NULL;
	struct syc_fork_identity now = { .pid = pid };

	if (it == NULL || !it->is_gone)
		return false;
	/* Another process may have the pid by now */
	it->is_gone = !syc_fork_identity_is_running(&now);
	if (!it->is_gone)
		it->kin = now;
	return it->is_gone;
}

static void note_who_is_in(struct syc_session *s)
{
	struct syc_relatives *const r = &s->relatives;
	const uint32_t n = r->n != 0 ? syc_session_slots(s) : 0;

	for (uint32_t i = 0; i < r->n; i++)
		r->all[i].is_in = false;
	for (uint32_t i = 1; i < n; i++) {
		const uint32_t word = __atomic_load_n(
			syc_arena_word(&s->arena, i), __ATOMIC_ACQUIRE);
		const int32_t pid = syc_slot_pid(word);
		struct syc_relative *const it =
			pid != s->pid && pid != 0 &&
					syc_slot_state(word) != SYC_SLOT_OVER
				? find_relative(r, pid)
				: NULL;

		if (it != NULL)
			it->is_in = true;
	}
}

void syc_relatives_part(struct syc_session *s, int64_t now)
{
	struct syc_relatives *const r = &s->relatives;

	note_who_is_in(s);
	for (uint32_t i = 0; i < r->n;) {
		struct syc_relative *const it = &r->all[i];

		if (it->is_gone && !it->is_in &&
		    (it->stage == SYC_RELATIVE_MET ||
		     syc_batch_add_exit(s, it->kin.pid, now))) {
			if (r->described == it->kin.pid)
				r->described = 0;
			*it = r->all[--r->n];
			continue;
		}
		i++;
	}
}

/* Whether a slot of a relative, which may be unknown yet, may have more
 * frames. */
static bool may_have_more(const struct syc_session *s, uint32_t slot,
                          uint32_t word)
{
	const uint32_t state = syc_slot_state(word);
	const int32_t pid = syc_slot_pid(word);

	if (pid == 0 || pid == s->pid || state == SYC_SLOT_OVER)
		return false;
	const struct syc_relative *const it = find_relative(&s->relatives, pid);
	if (it == NULL || !it->is_gone)
		return true;
	return state != SYC_SLOT_BUSY &&
	       __atomic_load_n(&syc_arena_ring(&s->arena, slot)->tail,
	                       __ATOMIC_ACQUIRE) != s->heads[slot];
}

bool syc_relatives_need_rings(struct syc_session *s)
{
	const uint32_t n = syc_session_slots(s);

	for (uint32_t i = 1; i < n; i++)
		/* Load after the store of CLOSING: ring_file.h */
		if (may_have_more(s, i,
		                  __atomic_load_n(syc_arena_word(&s->arena, i),
		                                  __ATOMIC_SEQ_CST)))
			return true;
	return false;
}
