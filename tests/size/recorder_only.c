/* SPDX-License-Identifier: BSD-2-Clause */
/* recorder_only.c - linked into a program, it leaves out what records the
 * process by itself: events go to a recorder, or nowhere. */
#include "emit/own.h"

const struct syc_own_recording *const syc_own_recording = NULL;
