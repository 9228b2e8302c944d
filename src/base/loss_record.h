/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loss_record.h - format of a loss record, and of losses in a capture's header,
 * for writers and readers.
 *
 * A thread with a full ring counts its losses, and writes a loss record before
 * its next frame.  The record is a MARK of group "syscap" and name "lost".  The
 * mark lasts from the first lost frame to the last, and has a message like
 *
 *	frames=12 bytes=1248 tid=4711 mark=10 ctrset=2
 *
 * The functions are pure.  Context of all functions: any-thread, signal-safe.
 */
#ifndef SYC_BASE_LOSS_RECORD_H
#define SYC_BASE_LOSS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <syscap/format.h>

#define SYC_LOSS_RECORD_GROUP "syscap"
#define SYC_LOSS_RECORD_NAME  "lost"

struct syc_loss {
	uint64_t frames[SYSCAP_FRAME_LAST]; /* lost frames by type; 0: abandoned
	                                     * emits */
	uint64_t total;                     /* lost frames of all types */
	uint64_t bytes;
	int32_t tid; /* 0: unknown */
};

/** Name of the frames of @type in a record.  Returns NULL if @type is
 * unknown. */
const char *syc_loss_record_kind(unsigned type);

/** Return whether a mark has the name of a loss record.  The mark's message may
 * be invalid. */
bool syc_loss_record_is(const char *group, const char *name);

/** Read the message of a loss record.  Returns false if the message is
 * invalid. */
bool syc_loss_record_parse(const char *message, struct syc_loss *ret_loss);

/** Write the message, as much as fits into @size bytes with a NUL.  Returns the
 * message's length. */
size_t syc_loss_record_write(const struct syc_loss *loss, char *message,
                             size_t size);

/** Fill the frame @mark, except its header and the bytes after @message. */
void syc_loss_record_fill(struct syscap_wire_mark *mark, int64_t from,
                          int64_t to, const char *message, size_t n);

/*
 * Losses in a capture's header, of writers that could no longer write frames.
 * A file's only writer counts in the header the frames for which the disk had
 * no space (capture/losses.h).
 *
 * A trace file has the mark of session/trace_file.c in its header.  A process
 * may end while other processes write, and get no turn in time.  The process
 * then adds its unwritten frames to the header's sums.  The next process that
 * gets a turn takes the sums, and writes a loss record.  Readers synthesize a
 * record from sums that remain.  Atomic instructions on the file's first page
 * change the sums, without a lock.  The sums may be incomplete at any time, and
 * are exact when all writers have ended.
 *
 * The sums are in bytes that the format leaves unused.
 */

#define SYC_HEADER_LOSSES_AT    96u
#define SYC_HEADER_LOSSES_KINDS ((unsigned)SYSCAP_FRAME_LAST)
/** "SCLOST01" */
#define SYC_HEADER_LOSSES_NAME UINT64_C(0x313054534f4c4353)

struct syc_header_losses {
	uint64_t name;    /* 0: no losses */
	uint64_t bytes;   /* bytes of the lost frames */
	int64_t from, to; /* ns; 0: unknown */
	/* Lost frames by type; 0: abandoned emits.  Rings have the types below
	 * SYSCAP_FRAME_RING_LIMIT. */
	uint32_t frames[SYC_HEADER_LOSSES_KINDS];
};

_Static_assert(SYC_HEADER_LOSSES_AT % 8 == 0 &&
                       SYC_HEADER_LOSSES_AT >= SYC_AT(file, suffix) &&
                       SYC_HEADER_LOSSES_AT +
                                       sizeof(struct syc_header_losses) <=
                               240,
               "between the used fields and the mark");

/** Return whether the header has losses, in this byte order.  Context:
 * any-thread, signal-safe. */
static inline bool
syc_header_losses_has_frames(const struct syscap_wire_file *header)
{
	struct syc_header_losses losses;
	uint32_t any = 0;

	memcpy(&losses, (const char *)header + SYC_HEADER_LOSSES_AT,
	       sizeof(losses));
	for (unsigned i = 0; i < SYC_HEADER_LOSSES_KINDS; i++)
		any |= losses.frames[i];
	return losses.name == SYC_HEADER_LOSSES_NAME && any != 0;
}

#endif
