/* SPDX-License-Identifier: BSD-2-Clause */
/* say.c - the drainer's own frames. */
#define _GNU_SOURCE
#include "session/say.h"

#include <string.h>

#include "base/frame.h"
#include "emit/loss.h"
#include "emit/loss_compose.h"
#include "emit/loss_totals.h"
#include "emit/own.h"
#include "ring/clock.h"
#include "session/side_job.h"

/* The tail of slot 0 is kept in our memory, because relatives may overwrite the
 * header's tail. */
bool syc_say_frame(void *session, const void *frame, uint32_t len)
{
	struct syc_session *const s = session;
	struct syc_ring_header *const ring = syc_arena_ring(&s->arena, 0);
	unsigned char *const body = (unsigned char *)ring + s->arena.page;
	const uint32_t size = s->arena.body;
	const uint32_t head = s->heads[0], tail = s->own_tail;
	const uint32_t used = tail >= head ? tail - head : tail + size - head;

	if (len + 8 > size - used)
		return false;
	const uint32_t first = len < size - tail ? len : size - tail;
	if (syc_arena_provide(body + tail, first) != 0 ||
	    (len != first && syc_arena_provide(body, len - first) != 0))
		return false;
	memcpy(body + tail, frame, first);
	memcpy(body, (const unsigned char *)frame + first, len - first);
	s->own_tail = tail + len < size ? tail + len : tail + len - size;
	__atomic_store_n(&ring->tail, s->own_tail, __ATOMIC_RELEASE);
	return true;
}

bool syc_say_metadata(struct syc_session *s, const char *id, const char *value)
{
	struct {
		struct syscap_wire_metadata metadata;
		char value[SYC_SAY_TEXT];
	} frame;

	return syc_say_frame(s, &frame,
	                     syc_describe_metadata(&frame, s->pid,
	                                           syc_clock_kernel(), id,
	                                           value));
}

void syc_say_damage(struct syc_session *s)
{
	if (!s->has_told_damage)
		s->has_told_damage = syc_say_metadata(
			s, "syscap.damaged",
			"a child has written over rings: events are lost");
}

bool syc_say_new_maps(struct syc_session *s, int64_t now)
{
	const struct syc_map_frames *const maps =
		__atomic_load_n(&syc_block->map_frames, __ATOMIC_ACQUIRE);
	const bool may_lock =
		!s->is_child && !s->is_orphan && !s->must_not_lock;

	if (maps == NULL || !maps->are_due(&s->described, now, may_lock))
		return false;
	maps->write(&s->described, s->pid, now, may_lock, syc_say_frame, s);
	return true;
}

bool syc_say_who_we_are(struct syc_session *s, int64_t now)
{
	if (!s->is_announced) {
		if (!s->is_introduced &&
		    !syc_describe_process(s->pid, now, syc_say_frame, s))
			return false;
		s->is_announced = true;
		if (s->output.is_on_disk)
			syc_say_metadata(s, SYC_RING_FILE_ID ".storage",
			                 "disk");
		if (s->no_thread)
			syc_side_job_do(&(struct syc_side){ .session = s },
			                SYC_SIDE_NO_THREAD);
	}
	syc_say_new_maps(s, now);
	return true;
}

bool syc_say_fork(struct syc_session *s, int32_t pid, int32_t child,
                  int64_t time)
{
	struct syscap_wire_fork fork;

	memset(&fork, 0, sizeof(fork));
	syc_frame_begin(&fork.frame,
	                child != 0 ? SYSCAP_FRAME_FORK : SYSCAP_FRAME_EXIT, pid,
	                time);
	fork.child_pid = child;
	return syc_say_frame(
		s, &fork,
		syc_frame_end(&fork.frame,
	                      child != 0 ? sizeof(fork) : sizeof(fork.frame)));
}

/* Whether the losses are plausible: fewer than a process could lose in a
 * year. */
static bool is_plausible(const struct syc_ring_losses *lost,
                         const struct syc_ring_losses *told)
{
	return syc_loss_totals_sum(lost) - syc_loss_totals_sum(told) <=
	               UINT64_C(1) << 48 &&
	       lost->bytes - told->bytes <= UINT64_C(1) << 56;
}

bool syc_say_losses(struct syc_session *s, const struct syc_ring_losses *lost,
                    const struct syc_ring_losses *told, int32_t pid,
                    int32_t tid)
{
	unsigned char frame[SYC_LOSS_RECORD_MAX] __attribute__((aligned(8)));
	uint32_t len;

	if (!is_plausible(lost, told))
		return true; /* a relative has overwritten the counts; the
		              * damage is reported */
	len = syc_loss_compose(frame, lost, told, pid, tid);

	return len == 0 || syc_say_frame(s, frame, len);
}
