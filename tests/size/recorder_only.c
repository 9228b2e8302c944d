/* SPDX-License-Identifier: BSD-2-Clause */
/* recorder_only.c - a file that removes the code for own recordings from a
 * program: events go to a recorder, or nowhere. */
#include "emit/ring_source.h"

const struct syc_own_recording *const syc_own_recording = NULL;
