/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * validate.h - check of a frame, and its preparation for a file.
 *
 * The bytes come from an untrusted process.  So a private copy is examined,
 * which no other process can change.  Pure: no allocation, no system call, no
 * state.
 */
#ifndef SYC_RECORDER_VALIDATE_H
#define SYC_RECORDER_VALIDATE_H

#include <stddef.h>
#include <stdint.h>

/** Highest process or thread id of Linux. */
#define SYC_PID_LIMIT (INT32_C(1) << 22)

/**
 * Check the frame at @frame (8-byte aligned), of which @avail bytes are there,
 * and clean it.  Then padding is zero, texts end inside their fields
 * with nothing behind them, and len is the size of the content.  @tid is the thread whose
 * tag padding2 may carry, or 0.
 *
 * Returns the size of the frame before it was cleaned (its len may be less
 * now); or -EBADMSG with one sentence as reason.  The end marker of a ring
 * passes; the caller checks for it.
 */
int syc_validate_frame(void *frame, size_t avail, int32_t tid,
                       const char **ret_why);

#endif
