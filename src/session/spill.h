/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spill.h - transfer of frames from the rings of a session into its sink.
 *
 * No thread of the library is needed.  A transfer moves the frames of all
 * threads of the process.  A transfer follows an event that fills a quarter of
 * its ring, or that comes an interval after the last transfer.  The end of a
 * thread, exit() and syscap_drain() cause a transfer, too.  A program may
 * request a thread for the transfers instead.
 *
 * A lock in the arena's head admits one thread at a time, of this process or of
 * a related process in the arena.  Threads only try the lock, except that
 * exit() and syscap_drain() wait for a limited time.  The holder is the reader
 * of R1 and R2 in <syscap/emit.h>.
 *
 * A process transfers the frames of its own slots, and of slots whose process
 * has ended.  So the process can write MAP frames before the addresses that the
 * MAP frames describe.
 *
 * The journal (ring/ring_file.h) makes each batch arrive exactly once.  If the
 * holder of the lock dies, the next holder finds an unfinished journal.  The
 * next holder counts the frames of the batch that are in the capture, and
 * advances the rings' heads past these frames.  The next holder never writes
 * the batch again at the old offset, because another process may have written
 * there.
 */
#ifndef SYC_SESSION_SPILL_H
#define SYC_SESSION_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emit/thread.h"
#include "ring/arena.h"
#include "session/session.h"
#include "session/sink.h"

/** Context of these functions: any-thread, signal-safe, signals blocked. */

/**
 * Transfer the present frames.  *@ret_moved becomes the number of bytes.
 * Returns 0 or -errno.  -EBUSY: another thread does the transfer.  -EPERM: the
 * thread is filtered.  -EAGAIN: the sink accepts no data at present.  Any other
 * error: the sink has failed permanently.
 *
 * @deadline is the end of all waits, in ns.
 */
int syc_spill_run(struct syc_session *session, int64_t deadline,
                  uint64_t *ret_moved);

/** Functions of a syc_ring_source.  syc_spill_poke(): a ring @is_filling up, or
 * a thread has left its ring.  syc_spill_look(): an event has ended, and a
 * transfer may be due.  Context: any-thread, signal-safe, signals open or
 * blocked. */
void syc_spill_poke(bool is_filling);
bool syc_spill_look(void);

/** Number of seccomp filters of the calling thread; -1: unknown. */
int32_t syc_spill_count_filters(void);

/** Age after which a transfer checks a thread's filters and policy again.  A
 * check takes about as long as a short write. */
#define SYC_SPILL_LOOK_NS INT64_C(20000000)

/** Return whether the calling thread has a seccomp filter that came after @plan
 * was made.  A thread with a new filter must make no system call that a
 * transfer needs.  The function notices a new filter up to SYC_SPILL_LOOK_NS
 * late. */
bool syc_spill_is_filtered(const struct syc_plan *plan, int64_t now);

/** Set the time after which an event transfers frames.  Set no time if only the
 * library's thread or the program's calls transfer frames. */
void syc_spill_set_time(const struct syc_session *session, int64_t now);

/** Write whole @frames that are in no ring, for counters, after the frames about
 * this process that are due.  @size may be 0.  Returns 0 or -errno. */
int syc_spill_frames(struct syc_session *session, const void *frames,
                     uint32_t size, int64_t deadline);

/** Transfer all frames, report all losses, and end the session.  *@ret_is_last:
 * no other process uses the arena any more.  Returns 0; or -errno if the
 * capture is incomplete. */
int syc_spill_finish(struct syc_session *session, int64_t deadline,
                     bool *ret_is_last);

/** Context of the following functions: the holder of the lock. */

/** If an earlier holder of the lock died in a batch, finish the batch.  Returns
 * 0 or -errno. */
int syc_spill_repair(struct syc_session *session);

/** Write frames that are in no ring.  Returns 0 or -errno. */
int syc_spill_write(struct syc_session *session, const void *frames,
                    uint32_t size, int64_t deadline);
/** Write a METADATA frame.  @value has less than SYC_METADATA_TEXT_MAX
 * bytes. */
#define SYC_METADATA_TEXT_MAX 128u
int syc_spill_write_metadata(struct syc_session *session, const char *id,
                             const char *value, int64_t deadline);

/** Write @batch, then store the rings' positions. */
int syc_spill_write_batch(struct syc_session *session, struct syc_batch *batch);

/* ---------------------------------------------------- flight mode: flight.c */

/*
 * A ring keeps its last events, and syc_spill_run() writes only frames about the
 * process.  The end of the session writes the rings, as without flight mode.
 */

/** Give up the oldest frames of the calling thread's ring, if it is three
 * quarters full.  Definitions move to the slot of the ring's definitions.  Does
 * nothing in a nested emit.  Makes a system call only for memory for
 * definitions.  Returns false without flight mode.  Context: owner,
 * signal-safe. */
bool syc_flight_pass(void);

/** Give up whole frames of the ring of @ts, the oldest first, until at most @rest
 * bytes are left, and keep their definitions.  If @moves is false, only keep
 * the definitions.  Context: owner, or the thread that finishes a dead
 * thread's state. */
void syc_flight_give_up(struct syc_state *ts, uint32_t rest, bool moves);

/* --------------------------------- losses without a frame: ring_losses.c */

/** Write a loss record for losses that other processes have left in the header
 * of a trace file. */
int syc_unreported_take(struct syc_session *session, int64_t deadline);

/** Leave @lost in the header of a trace file.  Returns false if the header has
 * no space for losses. */
bool syc_unreported_store(struct syc_session *session,
                          const struct syc_ring_losses *lost);

/**
 * Count the frames and losses of a ring that @ts leaves in state SYC_SLOT_OVER,
 * after the last reading, as stray losses.  Context: owner, signal-safe.
 */
void syc_unreported_count(struct syc_state *ts);

/* ----------------------------------- the library's thread: spill_threads.c */

/*
 * No function of the library depends on this thread.  The thread checks the
 * rings 20 times a second, and once a second while no thread emits.  The thread
 * blocks all signals, and ends when no other thread of the process is left.
 * The thread has a side job, in a program that links such a job.
 */

enum syc_spill_thread {
	SYC_SPILLER_NONE = 0,
	SYC_SPILLER_BEING_MADE,
	SYC_SPILLER_RUNS,
	SYC_SPILLER_OVER,
};

/** Make the thread.  Signal handlers must not call this function, because
 * pthread_create() allocates.  Returns 0 or -errno.  Context: setup. */
int syc_spill_thread_start(struct syc_session *session);

/** End the thread, with a wait until @deadline, and permit no new thread.
 * Returns false if the thread still uses the session. */
bool syc_spill_thread_stop(struct syc_session *session, int64_t deadline);

/** The state of the side job. */
struct syc_side {
	struct syc_session *session; /* the other fields are zero at first */
	void *state;
	int64_t due;     /* ns: time of the next call */
	uint32_t chosen; /* the job's settings */
	bool is_torn;    /* written data has a gap */
};

enum syc_side_when {
	SYC_SIDE_TURN,     /* call by the thread, without any lock */
	SYC_SIDE_END,      /* last call by the thread */
	SYC_SIDE_NO_THREAD /* call when no thread will ever exist; with the
	                    * lock */
};

/** The job, or NULL.  A file that the program refers to sets the job by a
 * release store.  The library itself never refers to such a file. */
extern void (*syc_side_job)(struct syc_side *side, enum syc_side_when when);

static inline void syc_side_job_do(struct syc_side *side,
                                   enum syc_side_when when)
{
	void (*const job)(struct syc_side *, enum syc_side_when) =
		__atomic_load_n(&syc_side_job, __ATOMIC_ACQUIRE);

	if (job != NULL)
		job(side, when);
}

/* ------------------------------------------------ slots and frames: batch.c */

/* Context of all following functions: the holder of the lock, signals
 * blocked. */

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

/** Return whether the header of slot @i has valid positions.  The positions
 * are invalid if a related process has overwritten them. */
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

/* ---------------------------------- frames about processes: process_frames.c */

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

/* ------------------------------------------ losses and ends: ring_losses.c */

/** Free slots whose threads or processes have ended, and report the slots'
 * losses. */
int syc_rings_end_slots(struct syc_session *session, int64_t deadline);

/** Load the losses of a thread that may still count more losses.  Each value is
 * at least as new as the values before.  Context: any-thread. */
void syc_rings_load_losses(struct syc_ring_losses *to,
                           const struct syc_ring_losses *from);

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
