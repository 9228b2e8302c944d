/* SPDX-License-Identifier: BSD-2-Clause */
/* recorder_only.c - a file that removes the code for own recordings from a
 * program. Events go to a recorder, or are not recorded. */
#include "emit/ring_source.h"

const struct syc_own_recording *const syc_own_recording = NULL;
