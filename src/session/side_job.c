/* SPDX-License-Identifier: BSD-2-Clause */
/* side_job.c - side job of the drain thread: none, unless a linked file sets a
 * job. */
#include "session/side_job.h"

void (*syc_side_job)(struct syc_side *side, enum syc_side_when when);
