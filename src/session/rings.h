/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rings.h - the rings of an arena, as the holder of the arena's lock reads
 * them.
 *
 * Context of everything here: the holder of the lock, signals blocked.
 */
#ifndef SYC_SESSION_RINGS_H
#define SYC_SESSION_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/arena.h"
#include "session/session.h"
#include "session/trace.h"

/* ----------------------------------------------- slots and frames: rings.c */

/** Position of a slot's frames, according to the slot's word and header. */
struct syc_span {
	const unsigned char *body;
	int32_t pid;
	uint32_t head, tail, n;
};

static inline uint32_t syc_rings_word(const struct syc_session *s, uint32_t i)
{
	return __atomic_load_n(syc_arena_word(&s->arena, i), __ATOMIC_SEQ_CST);
}

static inline void syc_rings_set_head(const struct syc_session *s, uint32_t i,
                                      uint32_t head)
{
	/* R2, which pairs with W1 */
	__atomic_store_n(&syc_arena_ring(&s->arena, i)->head, head,
	                 __ATOMIC_RELEASE);
}

/** Return whether the related process with slot @i, whose word was @word, has
 * ended, or runs another program. */
bool syc_rings_is_gone(struct syc_session *session, uint32_t i, uint32_t word);

/** Return whether the header of slot @i has valid positions.  If not, a related
 * process has overwritten the positions. */
bool syc_rings_find(const struct syc_session *session, uint32_t i,
                    struct syc_span *ret_span);

/** Return whether this process reads slot @i, and the slot has frames. */
bool syc_rings_look(struct syc_session *session, uint32_t i,
                    struct syc_span *ret_span);

/** Return whether another living process has slots in the arena. */
bool syc_rings_have_others(struct syc_session *session);

/**
 * Copy whole frames, at most @room bytes, from the rings that this process
 * reads.  Returns false if more frames are left than fit into @room.
 */
bool syc_rings_gather(struct syc_session *session, struct syc_batch *batch,
                      uint64_t room);

/** Store the new positions after @n bytes of the batch's ring frames are
 * written. */
void syc_rings_advance(struct syc_session *session,
                       const struct syc_ring_journal_part *parts,
                       unsigned n_parts, uint64_t n);

/** Copy the frames that the parts of the journal name. */
bool syc_rings_gather_parts(struct syc_session *session, uint64_t *ret_size);

/* --------------------------- frames about processes: ring_processes.c */

/** Return whether the capture has all these frames of a slot's process. */
bool syc_rings_is_described(const struct syc_session *session, uint32_t i);

/** Write PROCESS, FORK and MAP frames for the processes whose frames the caller
 * is about to write.  @may_lock: see process_frames.h. */
int syc_rings_describe(struct syc_session *session, bool may_lock,
                       int64_t deadline);

/** Store that the capture has lost the frames about processes, which are then
 * written again. */
void syc_rings_forget(struct syc_session *session);

/** Return whether this process has loaded code since its last MAP frames. */
bool syc_rings_has_new_maps(struct syc_session *session, bool may_lock);

/* -------------------------------- losses and ends: ring_losses.c */

/** Free slots whose threads or processes have ended, and report the slots'
 * losses. */
int syc_rings_end_slots(struct syc_session *session, int64_t deadline);

/** Report losses of the arena's head. */
int syc_rings_report_head(struct syc_session *session, int64_t deadline);

/** Report, at the session's end, losses that no thread will report any more. */
int syc_rings_report_late(struct syc_session *session, int64_t deadline);

/** Drop all frames of this process.  Add the dropped frames and all unreported
 * losses to *@lost. */
void syc_rings_drop(struct syc_session *session, struct syc_ring_losses *lost);

/** Write the EXIT frame of @pid. */
int syc_rings_write_exit(struct syc_session *session, int32_t pid,
                         int64_t deadline);

#endif
