/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder.h - rings of a recorder, which is asked for each over the control
 * socket (control.h, ask.h), reads them and never writes to anybody.
 */
#ifndef SYC_EMIT_RECORDER_H
#define SYC_EMIT_RECORDER_H

#include "emit/ring_source.h"

extern const struct syc_ring_source syc_recorder;

#endif
