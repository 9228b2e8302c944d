/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spill.h - transfer of frames from the rings of a session into its sink.
 *
 * There is no thread for this.  A transfer follows an event that fills a quarter
 * of its ring, or that comes an interval after the last transfer.  It moves the
 * frames of all threads of the process.  So do the end of a thread, exit(), and
 * syscap_drain().  A
 * program may ask for a thread that does it instead (spill_thread.h).
 *
 * A lock in the arena's head admits one thread at a time, of this process or of
 * its relatives in the arena.  The lock is tried; only exit() and
 * syscap_drain() wait for it, for a limited time.  The holder is the reader of
 * R1 and R2 in <syscap/emit.h>.
 *
 * A process transfers the frames of its own slots, and of slots whose process
 * has ended.  So it can write MAP frames before the addresses that they
 * describe.
 *
 * The journal (ring/ring_file.h) makes each batch arrive exactly once.  If the
 * holder of the lock dies, the next holder finds the journal under way.  It
 * counts the frames of the batch that are in the capture, and moves the rings'
 * heads behind these frames.  It never writes the batch again at the old
 * offset, since another process may have written there.
 */
#ifndef SYC_SESSION_SPILL_H
#define SYC_SESSION_SPILL_H

#include <stdbool.h>
#include <stdint.h>

#include "emit/thread.h"
#include "session/session.h"
#include "session/trace.h"

/** Context of these functions: any-thread, signal-safe, signals blocked. */

/**
 * Transfer the present frames.  *@ret_moved becomes the number of bytes.
 * Returns 0 or -errno.  -EBUSY: another thread does it.  -EPERM: the thread is
 * filtered.  -EAGAIN: the sink accepts no data at present.  Any other error: the
 * sink is gone for good.
 *
 * @deadline: ns, end of all waits.
 */
int syc_spill_run(struct syc_session *session, int64_t deadline,
                  uint64_t *ret_moved);

/** Functions of a syc_ring_source.  The first: a ring @is_filling up, or a
 * thread has left its ring.  The second: an event has ended, and a transfer may
 * be due.  Context: any-thread, signal-safe, signals open or blocked. */
void syc_spill_poke(bool is_filling);
bool syc_spill_look(void);

/** Number of seccomp filters of the calling thread; -1: unknown. */
int32_t syc_spill_count_filters(void);

/** Age of a thread's last look at its filters and policy from which a transfer
 * looks again.  A look takes about as long as a short write. */
#define SYC_SPILL_LOOK_NS INT64_C(20000000)

/** The calling thread has a seccomp filter that came after @plan was made: it
 * must make no system call that a transfer needs.  Such a filter is noticed
 * SYC_SPILL_LOOK_NS late. */
bool syc_spill_is_filtered(const struct syc_plan *plan, int64_t now);

/** Set the time after which an event transfers frames; none if only the library's
 * thread or the program's calls do. */
void syc_spill_set_time(const struct syc_session *session, int64_t now);

/** Write whole @frames that are in no ring, for counters.  Returns 0 or
 * -errno. */
int syc_spill_frames(struct syc_session *session, const void *frames,
                     uint32_t size, int64_t deadline);

/** Transfer all frames, report all losses, and end the session.  *@ret_is_last:
 * no other process uses the arena any more.  Returns 0, or -errno: then the
 * capture is incomplete. */
int syc_spill_finish(struct syc_session *session, int64_t deadline,
                     bool *ret_is_last);

/** Context of the rest: the holder of the lock. */

/** If an earlier holder of the lock died in a batch, finish the batch.  Returns
 * 0 or -errno. */
int syc_spill_repair(struct syc_session *session);

/** Write frames that are in no ring.  Returns 0 or -errno. */
int syc_spill_write(struct syc_session *session, const void *frames,
                    uint32_t size, int64_t deadline);
/** Write a METADATA frame.  @value has less than SYC_METADATA_TEXT_MAX bytes. */
#define SYC_METADATA_TEXT_MAX 128u
int syc_spill_write_metadata(struct syc_session *session, const char *id,
                             const char *value, int64_t deadline);

/** Write @batch, then store the rings' positions. */
int syc_spill_write_batch(struct syc_session *session, struct syc_batch *batch);

/* --------------------------------- losses without a frame: unreported.c */

/** Write a loss record for losses that other processes have left in the header
 * of a trace file. */
int syc_unreported_take(struct syc_session *session, int64_t deadline);

/** Leave @lost in the header of a trace file.  False: the header has no place
 * for losses. */
bool syc_unreported_store(struct syc_session *session,
                          const struct syc_ring_losses *lost);

/** Add the frames at [@from, @to) of @body to *@lost, with the losses of their
 * loss records.  Returns the number of frames that were not counted before. */
uint64_t syc_unreported_sum(const unsigned char *body, uint32_t size,
                            uint32_t from, uint32_t to,
                            struct syc_ring_losses *lost);

/**
 * @ts leaves a ring that is SYC_SLOT_OVER.  Its frames and losses after the
 * last reading are counted as stray losses.  Context: owner, signal-safe.
 */
void syc_unreported_count(struct syc_state *ts);

#endif
