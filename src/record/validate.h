/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * validate.h - is this a frame?  And make it one that is fit for a file.
 *
 * The bytes come from a process that nobody vouches for, so they are looked
 * at in a private copy which nobody else can change.  Pure: no allocation,
 * no system call, no state.
 */
#ifndef SYC_RECORD_VALIDATE_H
#define SYC_RECORD_VALIDATE_H

#include <stddef.h>
#include <stdint.h>

/** Highest process or thread id that Linux gives out. */
#define SYC_PID_LIMIT (INT32_C(1) << 22)

/**
 * Check the frame at @frame (8-byte aligned), of which @avail bytes are
 * there, and clean it: what is padding is zero, texts end inside their
 * fields with nothing behind them, and len counts what the content needs.
 * @tid is the thread whose tag padding2 may carry, or 0.
 *
 * Returns how many bytes the frame took before it was cleaned (its len may
 * be less now), or -EBADMSG and stores one sentence why.  The end marker of
 * a ring passes; the caller looks for it.
 */
int syc_validate_frame(void *frame, size_t avail, int32_t tid,
                       const char **ret_why);

#endif
