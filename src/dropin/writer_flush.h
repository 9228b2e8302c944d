/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_flush.h - what a writer has gathered goes out. */
#ifndef SYC_DROPIN_WRITER_FLUSH_H
#define SYC_DROPIN_WRITER_FLUSH_H

#include <stdbool.h>

#include "dropin/writer_state.h"

/** By the outermost call, with no frame of its own.  0 or -errno. */
int syc_writer_flush_frames(SysprofCaptureWriter *writer);

/** The outermost call that has entered ends; true. */
bool syc_writer_leave_last(SysprofCaptureWriter *writer);

/** What handlers left to the call that they interrupted, at its end; true. */
bool syc_writer_settle(SysprofCaptureWriter *writer);

/** The last time, whatever was interrupted. */
void syc_writer_flush_finally(SysprofCaptureWriter *writer);

#endif
