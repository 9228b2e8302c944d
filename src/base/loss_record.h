/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loss_record.h - format of a loss record, for writers and readers.
 *
 * A thread with a full ring counts its losses, and writes a loss record before
 * its next frame.  The record is a MARK of group "syscap" and name "lost", from
 * the first lost frame to the last, with a message like
 *
 *	frames=12 bytes=1248 tid=4711 mark=10 ctrset=2
 *
 * Pure.  Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_BASE_LOSS_RECORD_H
#define SYC_BASE_LOSS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/** Name of the frames of @type in a record; NULL: unknown type. */
const char *syc_loss_record_kind(unsigned type);

/** Whether a mark has the name of a loss record.  The mark's message may be
 * invalid. */
bool syc_loss_record_is(const char *group, const char *name);

/** Read the message of a loss record; false if it is invalid. */
bool syc_loss_record_parse(const char *message, struct syc_loss *ret_loss);

/** Write the message, as much as fits into @size with a NUL.  Returns the
 * message's length. */
size_t syc_loss_record_write(const struct syc_loss *loss, char *message,
                             size_t size);

/** Fill the frame @mark, except its header and the bytes after @message. */
void syc_loss_record_fill(struct syscap_wire_mark *mark, int64_t from,
                          int64_t to, const char *message, size_t n);

#endif
