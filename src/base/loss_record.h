/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loss_record.h - format of a loss record, for writers and readers.
 *
 * A thread that meets a full ring counts its losses, and puts a loss record in
 * front of its next frame.  The record is a MARK of group "syscap" and name
 * "lost", from the first lost frame to the last, with a message like
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
	uint64_t frames[SYSCAP_FRAME_LAST]; /* by type; 0: abandoned emits */
	uint64_t total;                     /* of all kinds */
	uint64_t bytes;
	int32_t tid; /* 0: not said */
};

/** Name of the frames of @type in a record; NULL: unknown type. */
const char *syc_loss_record_kind(unsigned type);

/** Is a mark named as a loss record is?  Its message may still be wrong. */
bool syc_loss_record_is(const char *group, const char *name);

/** Read the message of a loss record; false when it is not one. */
bool syc_loss_record_parse(const char *message, struct syc_loss *ret_loss);

/** Write it, as much as fits into @size with a NUL.  Returns its length. */
size_t syc_loss_record_write(const struct syc_loss *loss, char *message,
                             size_t size);

/** All of the frame @mark but its header and what is behind @message. */
void syc_loss_record_fill(struct syscap_wire_mark *mark, int64_t from,
                          int64_t to, const char *message, size_t n);

#endif
