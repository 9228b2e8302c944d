/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwritten.h - frames that a writer could not write, as the header's losses.
 *
 * A loss record would need room, which a full disk has not; the header is
 * there already.  Readers make the record up: base/header_losses.h.
 */
#ifndef SYC_CAPTURE_UNWRITTEN_H
#define SYC_CAPTURE_UNWRITTEN_H

#include "base/header_losses.h"

/**
 * Count the frame at @frame, whose len is right.  For a loss record, what it
 * tells is counted and not the record.
 */
void syc_unwritten_count(struct syc_header_losses *losses, const void *frame);

#endif
