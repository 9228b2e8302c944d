/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spill.h - transfer of frames from the rings of a session into its sink.
 *
 * No thread of the library is needed.  A transfer moves the frames of all
 * threads of the process.  A transfer follows an event that fills a quarter of
 * its ring, or that comes an interval after the last transfer.  The end of a
 * thread, exit() and syscap_drain() cause a transfer, too.  A program may
 * request a thread for the transfers instead (spill_thread.h).
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
 * holder of the lock dies, the next holder finds the journal under way.  The
 * next holder counts the frames of the batch that are in the capture, and
 * advances the rings' heads past these frames.  The next holder never writes
 * the batch again at the old offset, because another process may have written
 * there.
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

/** Write whole @frames that are in no ring, for counters.  Returns 0 or
 * -errno. */
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

/* --------------------------------- losses without a frame: unreported.c */

/** Write a loss record for losses that other processes have left in the header
 * of a trace file. */
int syc_unreported_take(struct syc_session *session, int64_t deadline);

/** Leave @lost in the header of a trace file.  Returns false if the header has
 * no space for losses. */
bool syc_unreported_store(struct syc_session *session,
                          const struct syc_ring_losses *lost);

/** Add the frames at [@from, @to) of @body to *@lost, with the losses of their
 * loss records.  Returns the number of frames that were not counted before. */
uint64_t syc_unreported_sum(const unsigned char *body, uint32_t size,
                            uint32_t from, uint32_t to,
                            struct syc_ring_losses *lost);

/**
 * Count the frames and losses of a ring that @ts leaves in state SYC_SLOT_OVER,
 * after the last reading, as stray losses.  Context: owner, signal-safe.
 */
void syc_unreported_count(struct syc_state *ts);

#endif
