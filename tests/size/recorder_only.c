/* SPDX-License-Identifier: BSD-2-Clause */
/* recorder_only.c - a file that, linked into a program, leaves out the code for
 * a process's own recording: events go to a recorder, or nowhere. */
#include "emit/ring_source.h"

const struct syc_own_recording *const syc_own_recording = NULL;
