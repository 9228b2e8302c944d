/* SPDX-License-Identifier: BSD-2-Clause */
/* side_job.c - what the drain thread does besides draining: nothing, unless a
 * file that is linked says what. */
#include "selfrec/side_job.h"

void (*syc_side_job)(struct syc_side *side, enum syc_side_when when);
